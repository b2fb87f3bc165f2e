package schema

import (
	"slices"
	"strings"
	"sync"
)

// An index answers what a catalog would have to look through all its
// relations for. Each part is made when first asked; readers may share it.
type index struct {
	heirs, keys sync.Once
	children    map[string][]*Relation
	refs        map[string][]*ForeignKey
}

func (c *Catalog) indexed() *index {
	if c.index == nil { // being changed: what is kept would be stale
		return &index{}
	}
	return c.index
}

func (c *Catalog) childrenOf(rel string) []*Relation {
	x := c.indexed()
	x.heirs.Do(func() { x.children = c.families() })
	return x.children[rel]
}

func (c *Catalog) families() map[string][]*Relation {
	var heirs []*Relation
	for _, r := range c.Relations {
		if r.PartitionOf != "" || len(r.Inherits) > 0 {
			heirs = append(heirs, r)
		}
	}
	slices.SortFunc(heirs, func(a, b *Relation) int { return a.ordinal - b.ordinal })
	out := map[string][]*Relation{}
	for _, r := range heirs {
		if r.PartitionOf != "" {
			out[r.PartitionOf] = append(out[r.PartitionOf], r)
		}
		for i, p := range r.Inherits {
			if p != r.PartitionOf && !slices.Contains(r.Inherits[:i], p) {
				out[p] = append(out[p], r)
			}
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b *Relation) int { return a.bound.compare(b.bound) })
	}
	return out
}

func (c *Catalog) refsTo(rel string) []*ForeignKey {
	x := c.indexed()
	x.keys.Do(func() {
		x.refs = map[string][]*ForeignKey{}
		for _, r := range c.inOrder() {
			for _, fk := range r.ForeignKeys {
				x.refs[fk.Parent] = append(x.refs[fk.Parent], fk)
			}
		}
	})
	return x.refs[rel]
}

// change runs f, which may change the catalog.
func (c *Catalog) change(f func()) {
	if c.index == nil { // within another change
		f()
		return
	}
	c.index = nil
	defer func() { c.index = &index{} }()
	f()
}

// A bareNames finds the qualified names of what is in a schema other than
// public by the name alone. Its lists are replaced, not changed: copies of a
// catalog share them.
type bareNames map[string][]string

func (b *bareNames) add(qualified string) {
	if i := strings.IndexByte(qualified, '.'); i > 0 {
		if *b == nil {
			*b = bareNames{}
		}
		n := qualified[i+1:]
		(*b)[n] = append(slices.Clip((*b)[n]), qualified)
	}
}

func (b bareNames) remove(qualified string) {
	if i := strings.IndexByte(qualified, '.'); i > 0 {
		n := qualified[i+1:]
		b[n] = slices.DeleteFunc(slices.Clone(b[n]), func(q string) bool { return q == qualified })
	}
}

// only is the one qualified name of a name, or "".
func (b bareNames) only(name string) string {
	if list := b[name]; len(list) == 1 {
		return list[0]
	}
	return ""
}

func (c *Catalog) putRelation(r *Relation) {
	if c.Relations[r.Name] == nil {
		c.relationNames.add(r.Name)
	}
	c.Relations[r.Name] = r
}

func (c *Catalog) cutRelation(name string) {
	if c.Relations[name] != nil {
		delete(c.Relations, name)
		c.relationNames.remove(name)
	}
}

func (c *Catalog) putFunctions(name string, list []*Function) {
	if _, ok := c.Functions[name]; !ok {
		c.functionNames.add(name)
	}
	c.Functions[name] = list
}

func (c *Catalog) cutFunctions(name string) {
	if _, ok := c.Functions[name]; ok {
		delete(c.Functions, name)
		c.functionNames.remove(name)
	}
}
