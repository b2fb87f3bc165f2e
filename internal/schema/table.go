package schema

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// add enters a relation under the name a statement gives it, and tells
// whether it is new.
func (a *applier) add(rv *pgsql.RangeVar, kind string, replace bool) (*Relation, bool) {
	s := rv.GetSchemaname()
	isTemp := rv.GetRelpersistence() == "t" || s == temp
	switch {
	case isTemp:
		s = temp
	case s == "":
		s = a.creation()
	}
	name := qualify(s, rv.GetRelname())
	old := a.Relations[name]
	if old != nil && !replace {
		return old, false
	}
	r := &Relation{Name: name, Kind: kind, Temp: isTemp, File: a.file, Line: a.line}
	if old != nil {
		r.Triggers, r.Rules, r.RuleNames, r.ordinal = old.Triggers, old.Rules, old.RuleNames, old.ordinal
	} else {
		a.ordinal++
		r.ordinal = a.ordinal
	}
	a.putRelation(r)
	return r, true
}

func (a *applier) createTable(s *pgsql.CreateStmt, foreign bool) {
	kind := "r"
	if s.Partspec != nil {
		kind = "p"
	}
	r, fresh := a.add(s.Relation, kind, false)
	if !fresh {
		if !s.IfNotExists {
			a.fail("relation \"" + r.Name + "\" already exists")
		}
		return
	}
	if s.Partspec != nil {
		r.PartitionBy = partitionBy(s.Partspec)
	}
	for _, p := range s.InhRelations {
		a.inherit(r, p.GetRangeVar(), s.Partbound)
	}
	for _, e := range s.TableElts {
		switch n := e.Node.(type) {
		case *pgsql.Node_ColumnDef:
			a.addColumn(r, n.ColumnDef)
		case *pgsql.Node_TableLikeClause:
			a.like(r, n.TableLikeClause)
		}
	}
	cons := append(slices.Clone(s.TableElts), s.Constraints...)
	a.constraints(r, cons)
	a.arrived(r)
}

// arrived makes good what foreign keys before the statement that makes their
// table could not know of it.
func (a *applier) arrived(r *Relation) {
	n := len(a.Problems)
	if a.Problems = slices.DeleteFunc(a.Problems, func(p Problem) bool { return p.awaits == r.Name }); len(a.Problems) == n {
		return
	}
	pk := r.Primary()
	for _, o := range a.Relations {
		for _, fk := range o.ForeignKeys {
			if fk.Parent == r.Name && len(fk.ParentColumns) == 0 && pk != nil {
				fk.ParentColumns = slices.Clone(pk.Columns)
			}
		}
	}
}

// constraints adds the table's constraints and those of its columns in the
// order PostgreSQL makes them: the primary key, the other keys and checks,
// and foreign keys last, since a table may refer to itself. A key that says
// what an earlier one of the statement says already is none of its own.
func (a *applier) constraints(r *Relation, elts []*pgsql.Node) {
	first := len(r.Indexes)
	for pass := range 3 {
		for _, e := range elts {
			list, column := []*pgsql.Node{e}, ""
			if d := e.GetColumnDef(); d != nil {
				list, column = d.Constraints, d.Colname
			}
			for _, c := range attributes(list) {
				if passOf(c.Contype) == pass && !a.redundant(r.Indexes[first:], c, column) {
					a.constraint(r, c, column)
				}
			}
		}
	}
}

func passOf(t pgsql.ConstrType) int {
	switch t {
	case pgsql.ConstrType_CONSTR_PRIMARY:
		return 0
	case pgsql.ConstrType_CONSTR_FOREIGN:
		return 2
	}
	return 1
}

// redundant reports whether a unique constraint repeats an index, and gives
// the index its name when that has none of its own
// (transformIndexConstraints).
func (a *applier) redundant(indexes []*Index, c *attributed, column string) bool {
	if c.Contype != pgsql.ConstrType_CONSTR_UNIQUE || c.Indexname != "" {
		return false
	}
	keys := pgsql.Strings(c.Keys)
	if len(keys) == 0 {
		keys = []string{column}
	}
	for _, ix := range indexes {
		if ix.Unique && ix.Deferrable == c.deferrable && slices.Equal(ix.Columns, keys) &&
			slices.Equal(ix.Include, pgsql.Strings(c.Including)) {
			if c.Conname != "" && ix.unnamed {
				ix.Name = c.Conname
				a.note(ix.Name)
			}
			return true
		}
	}
	return false
}

// attributes joins DEFERRABLE and the like, which the grammar gives as
// constraints of their own, to the constraint they follow.
func attributes(ns []*pgsql.Node) []*attributed {
	var out []*attributed
	for _, n := range ns {
		c := n.GetConstraint()
		if c == nil {
			continue
		}
		if pgsql.NotEnforced(c) && strings.HasPrefix(c.Contype.String(), "CONSTR_ATTR_") {
			last(out).unenforced = true
		}
		switch c.Contype {
		case pgsql.ConstrType_CONSTR_ATTR_DEFERRABLE:
			last(out).deferrable = true
		case pgsql.ConstrType_CONSTR_ATTR_DEFERRED:
			last(out).deferrable, last(out).deferred = true, true
		case pgsql.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE, pgsql.ConstrType_CONSTR_ATTR_IMMEDIATE:
		default:
			if !strings.HasPrefix(c.Contype.String(), "CONSTR_ATTR_") {
				out = append(out, &attributed{c, c.Deferrable || c.Initdeferred, c.Initdeferred, pgsql.NotEnforced(c)})
			}
		}
	}
	return out
}

type attributed struct {
	*pgsql.Constraint
	deferrable, deferred bool
	unenforced           bool
}

func last(list []*attributed) *attributed {
	if len(list) == 0 {
		return &attributed{}
	}
	return list[len(list)-1]
}

func partitionBy(p *pgsql.PartitionSpec) string {
	word := strings.ToLower(strings.TrimPrefix(p.Strategy.String(), "PARTITION_STRATEGY_"))
	var keys []string
	for _, n := range p.PartParams {
		e := n.GetPartitionElem()
		if e.GetName() != "" {
			keys = append(keys, pgsql.QuoteIdent(e.Name))
		} else {
			keys = append(keys, pgsql.Expr(e.GetExpr()))
		}
	}
	return word + " (" + strings.Join(keys, ", ") + ")"
}

// inherit takes over a parent's columns and checks.
func (a *applier) inherit(r *Relation, rv *pgsql.RangeVar, b *pgsql.PartitionBoundSpec) {
	name := a.named(rv)
	if a.circular(name, r) {
		return
	}
	if b != nil {
		r.PartitionOf = name
		r.bound, r.Bound = newBound(b)
	} else {
		r.Inherits = append(r.Inherits, name)
	}
	parent := a.Relations[name]
	if parent == nil {
		a.missing("relation", name)
		return
	}
	for _, col := range parent.Columns {
		if r.Column(col.Name) == nil {
			own := *col
			r.Columns = append(r.Columns, &own)
		}
	}
	r.Checks = append(r.Checks, cloneAll(parent.Checks, nil)...)
}

// Bits of LIKE … INCLUDING (PostgreSQL 16, parsenodes.h).
const (
	likeConstraints = 1 << 2
	likeDefaults    = 1 << 3
	likeGenerated   = 1 << 4
	likeIdentity    = 1 << 5
	likeIndexes     = 1 << 6
)

func (a *applier) like(r *Relation, l *pgsql.TableLikeClause) {
	src := a.find(l.Relation)
	if src == nil {
		a.missing("relation", a.named(l.Relation))
		return
	}
	for _, col := range src.Columns {
		own := &Column{Name: col.Name, Type: col.Type, NotNull: col.NotNull}
		switch {
		case col.Generated != "":
			if l.Options&likeGenerated != 0 {
				own.Generated = col.Generated
			}
		case col.Default == "" && col.Sequence != "":
			if l.Options&likeIdentity != 0 {
				own.Sequence = a.ownSequence(r, col.Name)
			}
		case l.Options&likeDefaults != 0:
			own.Default, own.Sequence = col.Default, col.Sequence
		}
		r.Columns = append(r.Columns, own)
	}
	if l.Options&likeConstraints != 0 {
		r.Checks = append(r.Checks, cloneAll(src.Checks, nil)...)
	}
	if l.Options&likeIndexes != 0 {
		for _, ix := range src.Indexes {
			own := *ix
			own.Columns = slices.Clone(ix.Columns)
			own.Name = a.indexName(r, own.Columns, label(&own))
			a.note(own.Name)
			r.Indexes = append(r.Indexes, &own)
		}
	}
}

func label(ix *Index) string {
	switch {
	case ix.Primary:
		return "pkey"
	case ix.Exclusion:
		return "excl"
	case ix.Constraint:
		return "key"
	}
	return "idx"
}

// serials are the types that draw from a sequence of their own.
var serials = map[string]bool{"serial": true, "bigserial": true, "smallserial": true,
	"serial2": true, "serial4": true, "serial8": true}

// addColumn adds a column without its keys and foreign keys.
func (a *applier) addColumn(r *Relation, d *pgsql.ColumnDef) *Column {
	col := r.Column(d.Colname)
	if col == nil {
		col = &Column{Name: d.Colname}
		r.Columns = append(r.Columns, col)
	}
	if d.TypeName != nil {
		col.Type = pgsql.TypeName(d.TypeName)
		names := pgsql.Strings(d.TypeName.Names)
		if len(names) == 1 && serials[names[0]] {
			col.Sequence = a.ownSequence(r, col.Name)
			col.Default = "nextval(" + pgsql.QuoteLiteral(col.Sequence) + "::regclass)"
			col.NotNull = true
		}
	}
	col.NotNull = col.NotNull || d.IsNotNull
	if d.RawDefault != nil {
		a.setDefaultExpr(col, d.RawDefault)
	}
	for _, n := range d.Constraints {
		c := n.GetConstraint()
		switch c.GetContype() {
		case pgsql.ConstrType_CONSTR_NOTNULL:
			col.NotNull = true
		case pgsql.ConstrType_CONSTR_NULL:
			col.NotNull = false
		case pgsql.ConstrType_CONSTR_DEFAULT:
			a.setDefaultExpr(col, c.RawExpr)
		case pgsql.ConstrType_CONSTR_IDENTITY:
			col.NotNull, col.Sequence = true, a.ownSequence(r, col.Name)
		case pgsql.ConstrType_CONSTR_GENERATED:
			col.Generated = pgsql.Expr(c.RawExpr)
		}
	}
	return col
}

func (a *applier) setDefaultExpr(col *Column, n *pgsql.Node) {
	col.Default, col.Sequence = "", ""
	if n == nil {
		return
	}
	col.Default = pgsql.Expr(n)
	for n.GetTypeCast() != nil {
		n = n.GetTypeCast().Arg
	}
	f := n.GetFuncCall()
	if f == nil || pgsql.FuncName(f.Funcname) != "nextval" || len(f.Args) != 1 {
		return
	}
	arg := f.Args[0]
	for arg.GetTypeCast() != nil {
		arg = arg.GetTypeCast().Arg
	}
	if s := arg.GetAConst().GetSval().GetSval(); s != "" {
		col.Sequence = a.textName(s)
	}
}

// textName is the relation that a regclass literal names.
func (a *applier) textName(s string) string {
	toks, _ := pgsql.Scan(s)
	var parts []string
	for _, t := range toks {
		if t.Kind == pgsql.Word || t.Kind == pgsql.Quoted {
			parts = append(parts, t.Name())
		}
	}
	switch len(parts) {
	case 1:
		return a.named(&pgsql.RangeVar{Relname: parts[0]})
	case 2:
		return qualify(parts[0], parts[1])
	}
	return s
}

// ownSequence creates the sequence of a serial or identity column.
func (a *applier) ownSequence(r *Relation, column string) string {
	s, table := a.split(r.Name)
	name := qualify(s, a.choose(s, table, column, "seq", a.relationTaken))
	a.ordinal++
	a.putRelation(&Relation{Name: name, Kind: "S", Temp: r.Temp, OwnedBy: r.Name + "." + column,
		File: a.file, Line: a.line, ordinal: a.ordinal})
	return name
}

func (a *applier) createSequence(s *pgsql.CreateSeqStmt) {
	if r, fresh := a.add(s.Sequence, "S", false); fresh {
		a.ownedBy(r, s.Options)
	}
}

func (a *applier) alterSequence(s *pgsql.AlterSeqStmt) {
	if r := a.find(s.Sequence); r != nil {
		a.ownedBy(r, s.Options)
	} else if !s.MissingOk {
		a.missing("relation", a.named(s.Sequence))
	}
}

func (a *applier) ownedBy(r *Relation, options []*pgsql.Node) {
	for _, o := range options {
		if d := o.GetDefElem(); d.GetDefname() == "owned_by" {
			parts := pgsql.Strings(d.Arg.GetList().GetItems())
			if n := len(parts); n >= 2 {
				rv := &pgsql.RangeVar{Relname: parts[n-2]}
				if n > 2 {
					rv.Schemaname = parts[n-3]
				}
				r.OwnedBy = a.named(rv) + "." + parts[n-1]
			} else {
				r.OwnedBy = ""
			}
		}
	}
}
