package schema

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

func (a *applier) rename(s *pgsql.RenameStmt) {
	switch s.RenameType {
	case pgsql.ObjectType_OBJECT_FUNCTION, pgsql.ObjectType_OBJECT_PROCEDURE, pgsql.ObjectType_OBJECT_ROUTINE:
		a.moveFunctions(s.Object.GetObjectWithArgs(), func(schemaName, _ string) string { return qualify(schemaName, s.Newname) })
		return
	case pgsql.ObjectType_OBJECT_SCHEMA:
		a.renameSchema(s.Subname, s.Newname)
		return
	case pgsql.ObjectType_OBJECT_INDEX:
		a.renameIndex(s)
		return
	}
	if s.Relation == nil {
		return
	}
	r := a.find(s.Relation)
	if r == nil {
		if !a.renameIndex(s) && !s.MissingOk {
			a.missing("relation", a.named(s.Relation))
		}
		return
	}
	switch s.RenameType {
	case pgsql.ObjectType_OBJECT_TABLE, pgsql.ObjectType_OBJECT_VIEW, pgsql.ObjectType_OBJECT_MATVIEW,
		pgsql.ObjectType_OBJECT_SEQUENCE, pgsql.ObjectType_OBJECT_FOREIGN_TABLE:
		schemaName, _ := a.split(r.Name)
		a.move(r, qualify(schemaName, s.Newname))
	case pgsql.ObjectType_OBJECT_COLUMN, pgsql.ObjectType_OBJECT_ATTRIBUTE:
		for _, t := range a.family(r) {
			a.renameColumn(t, s.Subname, s.Newname)
		}
	case pgsql.ObjectType_OBJECT_TABCONSTRAINT:
		a.note(s.Newname)
		r.renameConstraint(s.Subname, s.Newname)
	case pgsql.ObjectType_OBJECT_TRIGGER:
		for _, t := range r.Triggers {
			if t.Name == s.Subname {
				t.Name = s.Newname
			}
		}
	case pgsql.ObjectType_OBJECT_RULE:
		replaceIn(r.RuleNames, s.Subname, s.Newname)
	case pgsql.ObjectType_OBJECT_POLICY:
		replaceIn(r.PolicyNames, s.Subname, s.Newname)
	}
}

func (a *applier) renameIndex(s *pgsql.RenameStmt) bool {
	r, i := a.indexNamed(s.Relation)
	if r == nil {
		return false
	}
	r.Indexes[i].Name = s.Newname
	a.note(s.Newname)
	return true
}

func replaceIn(list []string, old, name string) {
	for i, s := range list {
		if s == old {
			list[i] = name
		}
	}
}

// move gives a relation a new qualified name wherever it is referred to.
// PostgreSQL refers by number, so views follow; bodies of functions, which
// it keeps as text, do not.
func (a *applier) move(r *Relation, name string) {
	old := r.Name
	if old == name {
		return
	}
	a.cutRelation(old)
	r.Name = name
	a.putRelation(r)
	for _, o := range a.inOrder() {
		replaceIn(o.Inherits, old, name)
		if o.PartitionOf == old {
			o.PartitionOf = name
		}
		if rest, ok := strings.CutPrefix(o.OwnedBy, old+"."); ok {
			o.OwnedBy = name + "." + rest
		}
		for _, fk := range o.ForeignKeys {
			if fk.Table == old {
				fk.Table = name
			}
			if fk.Parent == old {
				fk.Parent = name
			}
		}
		for _, col := range o.Columns {
			if col.Sequence == old {
				col.Sequence = name
			}
		}
		if o.View != "" && mentions(o.View, old) {
			o.View = renamed(o.View, old, name)
		}
	}
}

// renamed rewrites a relation's name in a query.
func renamed(query, old, name string) string {
	toks, _ := pgsql.Scan(query)
	oldSchema, oldBase := "", old
	if i := strings.IndexByte(old, '.'); i > 0 {
		oldSchema, oldBase = old[:i], old[i+1:]
	}
	quoted := make([]string, 0, 2)
	for _, p := range strings.SplitN(name, ".", 2) {
		quoted = append(quoted, pgsql.QuoteIdent(p))
	}
	isName := func(t pgsql.Token) bool { return t.Kind == pgsql.Word || t.Kind == pgsql.Quoted }
	var b strings.Builder
	done := 0
	for i, t := range toks {
		if !isName(t) || t.Name() != oldBase {
			continue
		}
		start, after := t.Start, i+1 < len(toks) && toks[i+1].Is(".")
		if i > 0 && toks[i-1].Is(".") {
			if i < 2 || toks[i-2].Name() != oldSchema && !(oldSchema == "" && toks[i-2].Name() == "public") {
				continue // a column of the same name
			}
			start = toks[i-2].Start
		}
		b.WriteString(query[done:start])
		if after {
			b.WriteString(quoted[len(quoted)-1]) // qualifies a column
		} else {
			b.WriteString(strings.Join(quoted, "."))
		}
		done = t.End
	}
	return b.String() + query[done:]
}

func (a *applier) renameColumn(r *Relation, old, name string) {
	if col := r.Column(old); col != nil {
		col.Name = name
	}
	for _, ix := range r.Indexes {
		replaceIn(ix.Columns, old, name)
		replaceIn(ix.Include, old, name)
	}
	for _, t := range r.Triggers {
		replaceIn(t.Columns, old, name)
	}
	for _, o := range a.inOrder() {
		if o.OwnedBy == r.Name+"."+old {
			o.OwnedBy = r.Name + "." + name
		}
		for _, fk := range o.ForeignKeys {
			if fk.Table == r.Name {
				replaceIn(fk.Columns, old, name)
			}
			if fk.Parent == r.Name {
				replaceIn(fk.ParentColumns, old, name)
			}
		}
	}
}

func (r *Relation) renameConstraint(old, name string) {
	if _, ix := r.index(old); ix != nil {
		ix.Name = name
	}
	for _, fk := range r.ForeignKeys {
		if fk.Name == old {
			fk.Name = name
		}
	}
	for _, ch := range r.Checks {
		if ch.Name == old {
			ch.Name = name
		}
	}
}

func (a *applier) setSchema(s *pgsql.AlterObjectSchemaStmt) {
	if o := s.Object.GetObjectWithArgs(); o != nil {
		a.moveFunctions(o, func(_, name string) string { return qualify(s.Newschema, name) })
		return
	}
	if r := a.find(s.Relation); r != nil {
		a.moveSchema(r, s.Newschema)
	}
}

// moveSchema moves a relation and the sequences it owns.
func (a *applier) moveSchema(r *Relation, schemaName string) {
	owned := r.Name + "."
	for _, o := range a.inOrder() {
		if o.Kind == "S" && strings.HasPrefix(o.OwnedBy, owned) {
			_, n := a.split(o.Name)
			a.move(o, qualify(schemaName, n))
		}
	}
	_, n := a.split(r.Name)
	a.move(r, qualify(schemaName, n))
}

func (a *applier) renameSchema(old, name string) {
	for _, r := range a.inOrder() {
		if s, n := a.split(r.Name); s == old {
			a.move(r, qualify(name, n))
		}
	}
	var moved []string
	for q := range a.Functions {
		if s, _ := a.split(q); s == old {
			moved = append(moved, q)
		}
	}
	slices.Sort(moved)
	for _, q := range moved {
		_, n := a.split(q)
		for _, f := range slices.Clone(a.Functions[q]) {
			a.moveFunction(f, qualify(name, n))
		}
	}
	replaceIn(a.SearchPath, old, name)
}
