package schema

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

func (a *applier) drop(s *pgsql.DropStmt) {
	cascade := s.Behavior == pgsql.DropBehavior_DROP_CASCADE
	for _, o := range s.Objects {
		switch s.RemoveType {
		case pgsql.ObjectType_OBJECT_FUNCTION, pgsql.ObjectType_OBJECT_PROCEDURE, pgsql.ObjectType_OBJECT_ROUTINE:
			a.dropFunction(o.GetObjectWithArgs(), s.MissingOk)
			continue
		case pgsql.ObjectType_OBJECT_SCHEMA:
			a.dropSchema(o.GetString_().GetSval())
			continue
		}
		parts := pgsql.Strings(o.GetList().GetItems())
		switch s.RemoveType {
		case pgsql.ObjectType_OBJECT_TABLE, pgsql.ObjectType_OBJECT_VIEW, pgsql.ObjectType_OBJECT_MATVIEW,
			pgsql.ObjectType_OBJECT_SEQUENCE, pgsql.ObjectType_OBJECT_FOREIGN_TABLE:
			r := a.find(rangeVar(parts))
			if r != nil {
				a.dropRelation(r, cascade)
			} else if !s.MissingOk {
				a.missing("relation", strings.Join(parts, "."))
			}
		case pgsql.ObjectType_OBJECT_INDEX:
			a.dropIndex(parts)
		case pgsql.ObjectType_OBJECT_TRIGGER, pgsql.ObjectType_OBJECT_RULE, pgsql.ObjectType_OBJECT_POLICY:
			a.dropOn(s.RemoveType, parts)
		}
	}
}

// rangeVar is a name of one, two or three parts as a reference.
func rangeVar(parts []string) *pgsql.RangeVar {
	rv := &pgsql.RangeVar{}
	if n := len(parts); n > 0 {
		rv.Relname = parts[n-1]
		if n > 1 {
			rv.Schemaname = parts[n-2]
		}
	}
	return rv
}

// dropRelation removes a relation with what cannot be without it.
func (a *applier) dropRelation(r *Relation, cascade bool) {
	if a.Relations[r.Name] != r {
		return
	}
	a.cutRelation(r.Name)
	for _, o := range a.inOrder() {
		o.ForeignKeys = slices.DeleteFunc(o.ForeignKeys, func(fk *ForeignKey) bool { return fk.Parent == r.Name })
		o.Inherits = slices.DeleteFunc(o.Inherits, func(s string) bool { return s == r.Name })
		for _, col := range o.Columns {
			if col.Sequence == r.Name {
				col.Sequence, col.Default = "", ""
			}
		}
		switch {
		case o.PartitionOf == r.Name, o.Kind == "S" && strings.HasPrefix(o.OwnedBy, r.Name+"."):
			a.dropRelation(o, cascade)
		case cascade && o.View != "" && mentions(o.View, r.Name):
			a.dropRelation(o, cascade)
		}
	}
}

// mentions reports whether a query names a relation.
func mentions(query, relation string) bool {
	toks, _ := pgsql.Scan(query)
	base := relation[strings.LastIndexByte(relation, '.')+1:]
	for _, t := range toks {
		if (t.Kind == pgsql.Word || t.Kind == pgsql.Quoted) && t.Name() == base {
			return true
		}
	}
	return false
}

func (a *applier) dropIndex(parts []string) {
	if len(parts) == 0 {
		return
	}
	if r, i := a.indexNamed(rangeVar(parts)); r != nil {
		r.Indexes = slices.Delete(r.Indexes, i, i+1)
	}
}

// indexNamed finds the relation of an index, and the index's place there.
func (a *applier) indexNamed(rv *pgsql.RangeVar) (*Relation, int) {
	for _, r := range a.inOrder() {
		s, _ := a.split(r.Name)
		if rv.Schemaname != "" && rv.Schemaname != s {
			continue
		}
		if i, ix := r.index(rv.Relname); ix != nil {
			return r, i
		}
	}
	return nil, -1
}

// dropOn removes a trigger, rule or policy; the last part of the name is its
// own, those before name the relation.
func (a *applier) dropOn(kind pgsql.ObjectType, parts []string) {
	n := len(parts) - 1
	if n < 1 {
		return
	}
	r, name := a.find(rangeVar(parts[:n])), parts[n]
	if r == nil {
		return
	}
	switch kind {
	case pgsql.ObjectType_OBJECT_TRIGGER:
		r.Triggers = slices.DeleteFunc(r.Triggers, func(t *Trigger) bool { return t.Name == name })
	case pgsql.ObjectType_OBJECT_RULE:
		removeNamed(&r.RuleNames, &r.Rules, name)
	case pgsql.ObjectType_OBJECT_POLICY:
		removeNamed(&r.PolicyNames, &r.Policies, name)
	}
}

func removeNamed(names, texts *[]string, name string) {
	if i := slices.Index(*names, name); i >= 0 {
		*names = slices.Delete(*names, i, i+1)
		*texts = slices.Delete(*texts, i, i+1)
	}
}

func (a *applier) dropSchema(name string) {
	for _, r := range a.inOrder() {
		if s, _ := a.split(r.Name); s == name {
			a.dropRelation(r, true)
		}
	}
	for q := range a.Functions {
		if s, _ := a.split(q); s == name {
			a.forgetFunction(q)
		}
	}
}

func (a *applier) dropColumn(r *Relation, name string) {
	for _, t := range a.family(r) {
		t.Columns = slices.DeleteFunc(t.Columns, func(c *Column) bool { return c.Name == name })
		t.Indexes = slices.DeleteFunc(t.Indexes, func(ix *Index) bool {
			return slices.Contains(ix.Columns, name) || slices.Contains(ix.Include, name) ||
				ix.Where != "" && mentions(ix.Where, name)
		})
		t.ForeignKeys = slices.DeleteFunc(t.ForeignKeys, func(fk *ForeignKey) bool { return slices.Contains(fk.Columns, name) })
		t.Checks = slices.DeleteFunc(t.Checks, func(c *Check) bool { return mentions(c.Expr, name) })
		t.Triggers = slices.DeleteFunc(t.Triggers, func(g *Trigger) bool { return slices.Contains(g.Columns, name) })
		for _, o := range a.inOrder() {
			o.ForeignKeys = slices.DeleteFunc(o.ForeignKeys, func(fk *ForeignKey) bool {
				return fk.Parent == t.Name && slices.Contains(fk.ParentColumns, name)
			})
			if o.Kind == "S" && o.OwnedBy == t.Name+"."+name {
				a.cutRelation(o.Name)
			}
		}
	}
}

func (a *applier) dropConstraint(r *Relation, name string) {
	if i, ix := r.index(name); ix != nil && ix.Constraint {
		r.Indexes = slices.Delete(r.Indexes, i, i+1)
	}
	r.ForeignKeys = slices.DeleteFunc(r.ForeignKeys, func(fk *ForeignKey) bool { return fk.Name == name })
	for _, t := range a.family(r) {
		t.Checks = slices.DeleteFunc(t.Checks, func(c *Check) bool { return c.Name == name })
	}
}
