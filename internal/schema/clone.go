package schema

import (
	"maps"
	"slices"
)

// Clone copies the catalog: what is applied to the copy leaves the original
// alone.
func (c *Catalog) Clone() *Catalog {
	d := *c
	d.index = &index{}
	d.SearchPath = slices.Clone(c.SearchPath)
	d.path = slices.Clone(c.path)
	d.Problems = slices.Clone(c.Problems)
	d.Relations = make(map[string]*Relation, len(c.Relations))
	for name, r := range c.Relations {
		d.Relations[name] = r.clone()
	}
	d.Functions = make(map[string][]*Function, len(c.Functions))
	for name, fs := range c.Functions {
		d.Functions[name] = cloneAll(fs, func(f *Function) {
			f.Args = slices.Clone(f.Args)
			f.Settings = maps.Clone(f.Settings)
		})
	}
	d.relationNames, d.functionNames = maps.Clone(c.relationNames), maps.Clone(c.functionNames)
	d.Types, d.given = maps.Clone(c.Types), maps.Clone(c.given)
	d.Domains, d.Operators = maps.Clone(c.Domains), maps.Clone(c.Operators)
	return &d
}

func (r *Relation) clone() *Relation {
	s := *r
	s.Columns = cloneAll(r.Columns, nil)
	s.Indexes = cloneAll(r.Indexes, func(ix *Index) {
		ix.Columns, ix.Exprs, ix.Include = slices.Clone(ix.Columns), slices.Clone(ix.Exprs), slices.Clone(ix.Include)
	})
	s.ForeignKeys = cloneAll(r.ForeignKeys, func(fk *ForeignKey) {
		fk.Columns, fk.ParentColumns = slices.Clone(fk.Columns), slices.Clone(fk.ParentColumns)
	})
	s.Triggers = cloneAll(r.Triggers, func(t *Trigger) { t.Columns = slices.Clone(t.Columns) })
	s.Checks = cloneAll(r.Checks, nil)
	s.Inherits = slices.Clone(r.Inherits)
	s.Rules, s.RuleNames = slices.Clone(r.Rules), slices.Clone(r.RuleNames)
	s.Policies, s.PolicyNames = slices.Clone(r.Policies), slices.Clone(r.PolicyNames)
	return &s
}

// cloneAll copies a list and what its members point at; deep copies what a
// member holds by reference.
func cloneAll[T any](list []*T, deep func(*T)) []*T {
	if list == nil {
		return nil
	}
	out := make([]*T, len(list))
	for i, x := range list {
		y := *x
		if deep != nil {
			deep(&y)
		}
		out[i] = &y
	}
	return out
}
