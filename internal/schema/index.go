package schema

import (
	"slices"
	"sync"
)

// An index answers what a catalog would have to look through all its
// relations for. It is made when first asked; readers may share it.
type index struct {
	once      sync.Once
	children  map[string][]*Relation
	refs      map[string][]*ForeignKey
	relations map[string][]*Relation // by name without the schema, public left out
	functions map[string][]string    // qualified names by name without the schema, public left out
}

func (c *Catalog) indexed() *index {
	x := c.index
	if x == nil { // being changed: what is kept would be stale
		x = &index{}
	}
	x.once.Do(func() { x.fill(c) })
	return x
}

func (x *index) fill(c *Catalog) {
	x.children, x.refs = map[string][]*Relation{}, map[string][]*ForeignKey{}
	x.relations, x.functions = map[string][]*Relation{}, map[string][]string{}
	for _, r := range c.inOrder() {
		if r.PartitionOf != "" {
			x.children[r.PartitionOf] = append(x.children[r.PartitionOf], r)
		}
		for i, p := range r.Inherits {
			if p != r.PartitionOf && !slices.Contains(r.Inherits[:i], p) {
				x.children[p] = append(x.children[p], r)
			}
		}
		for _, fk := range r.ForeignKeys {
			x.refs[fk.Parent] = append(x.refs[fk.Parent], fk)
		}
		if s, n := c.split(r.Name); s != "public" {
			x.relations[n] = append(x.relations[n], r)
		}
	}
	for _, list := range x.children {
		slices.SortStableFunc(list, func(a, b *Relation) int { return a.bound.compare(b.bound) })
	}
	for q := range c.Functions {
		if s, n := c.split(q); s != "public" {
			x.functions[n] = append(x.functions[n], q)
		}
	}
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
