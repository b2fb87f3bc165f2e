package schema

import (
	"slices"
	"strconv"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// constraint adds a key, foreign key, check or exclusion; column is the one
// it is written at, or "".
func (a *applier) constraint(r *Relation, c *attributed, column string) {
	keys := pgsql.Strings(c.Keys)
	if len(keys) == 0 && column != "" {
		keys = []string{column}
	}
	switch c.Contype {
	case pgsql.ConstrType_CONSTR_PRIMARY, pgsql.ConstrType_CONSTR_UNIQUE:
		primary := c.Contype == pgsql.ConstrType_CONSTR_PRIMARY
		if c.Indexname != "" {
			a.adoptIndex(r, c, primary)
			return
		}
		ix := &Index{Name: c.Conname, Columns: keys, Unique: true, Primary: primary, Constraint: true,
			Deferrable: c.deferrable, Include: pgsql.Strings(c.Including)}
		a.addIndex(r, ix, keys)
	case pgsql.ConstrType_CONSTR_EXCLUSION:
		ix := &Index{Name: c.Conname, Exclusion: true, Constraint: true, Deferrable: c.deferrable,
			Partial: c.WhereClause != nil, Where: pgsql.Expr(c.WhereClause), Include: pgsql.Strings(c.Including)}
		var elems []*pgsql.Node
		for _, e := range c.Exclusions {
			elems = append(elems, e.GetList().GetItems()[:1]...)
		}
		var names []string
		ix.Columns, names = indexColumns(elems)
		ix.Exprs = indexExprs(elems)
		a.addIndex(r, ix, names)
	case pgsql.ConstrType_CONSTR_FOREIGN:
		a.foreignKey(r, c, column)
	case pgsql.ConstrType_CONSTR_CHECK:
		a.check(r, c)
	case pgsql.ConstrType_CONSTR_NOTNULL:
		for _, k := range keys {
			if col := r.Column(k); col != nil {
				col.NotNull = true
			}
		}
	}
}

// addIndex adds an index; names are what its columns give to its name.
func (a *applier) addIndex(r *Relation, ix *Index, names []string) {
	if ix.Primary {
		for _, k := range ix.Columns {
			if col := r.Column(k); col != nil {
				col.NotNull = true
			}
		}
	}
	if ix.Name == "" {
		ix.Name, ix.unnamed = a.indexName(r, names, label(ix)), true
	}
	a.note(ix.Name)
	r.Indexes = append(r.Indexes, ix)
}

func (a *applier) indexName(r *Relation, columns []string, label string) string {
	s, table := a.split(r.Name)
	part := addition(columns)
	if label == "pkey" {
		part = ""
	}
	return a.choose(s, table, part, label, a.relationTaken)
}

func (a *applier) adoptIndex(r *Relation, c *attributed, primary bool) {
	_, ix := r.index(c.Indexname)
	if ix == nil {
		a.missing("index", c.Indexname)
		return
	}
	ix.Constraint, ix.Unique, ix.Deferrable = true, true, c.deferrable
	ix.Primary = primary
	if c.Conname != "" {
		ix.Name = c.Conname
		a.note(ix.Name)
	}
	if primary {
		for _, k := range ix.Columns {
			if col := r.Column(k); col != nil {
				col.NotNull = true
			}
		}
	}
}

var actions = map[string]string{"a": "no action", "r": "restrict", "c": "cascade", "n": "set null", "d": "set default"}

func action(code string) string {
	if s := actions[code]; s != "" {
		return s
	}
	return "no action"
}

func (a *applier) foreignKey(r *Relation, c *attributed, column string) {
	fk := &ForeignKey{
		Name: c.Conname, Table: r.Name, Parent: a.named(c.Pktable),
		Columns: pgsql.Strings(c.FkAttrs), ParentColumns: pgsql.Strings(c.PkAttrs),
		OnDelete: action(c.FkDelAction), OnUpdate: action(c.FkUpdAction),
		Deferrable: c.deferrable, InitiallyDeferred: c.deferred, NotEnforced: c.unenforced,
		NotValid: c.SkipValidation && !c.InitiallyValid,
		Match:    map[string]string{"f": "full", "p": "partial"}[c.FkMatchtype],
	}
	if fk.Match == "" {
		fk.Match = "simple"
	}
	if len(fk.Columns) == 0 && column != "" {
		fk.Columns = []string{column}
	}
	parent := a.Relations[fk.Parent]
	if parent == nil {
		n := len(a.Problems)
		a.missing("relation", fk.Parent)
		for i := range a.Problems[n:] {
			a.Problems[n+i].awaits = fk.Parent
		}
	} else if len(fk.ParentColumns) == 0 {
		if pk := parent.Primary(); pk != nil {
			fk.ParentColumns = slices.Clone(pk.Columns)
		}
	}
	if fk.Name == "" {
		s, table := a.split(r.Name)
		fk.Name = a.choose(s, table, addition(fk.Columns), "fkey", a.constraintTaken)
	}
	a.note(fk.Name)
	r.ForeignKeys = append(r.ForeignKeys, fk)
}

func (a *applier) check(r *Relation, c *attributed) {
	ch := &Check{Name: c.Conname, Expr: pgsql.Expr(c.RawExpr)}
	if ch.Name == "" {
		s, table := a.split(r.Name)
		ch.Name = a.choose(s, table, a.soleColumn(r, ch.Expr), "check", a.constraintTaken)
	}
	a.note(ch.Name)
	r.Checks = append(r.Checks, ch)
}

// soleColumn is the one column an expression is about, or "": a check's name
// holds it then.
func (a *applier) soleColumn(r *Relation, expr string) string {
	toks, _ := pgsql.Scan(expr)
	found := ""
	for _, t := range toks {
		if t.Kind != pgsql.Word && t.Kind != pgsql.Quoted || r.Column(t.Name()) == nil || t.Name() == found {
			continue
		}
		if found != "" {
			return ""
		}
		found = t.Name()
	}
	return found
}

// createIndex applies CREATE INDEX.
func (a *applier) createIndex(s *pgsql.IndexStmt) {
	r := a.find(s.Relation)
	if r == nil {
		a.missing("relation", a.named(s.Relation))
		return
	}
	if s.Idxname != "" {
		if _, old := r.index(s.Idxname); old != nil {
			if !s.IfNotExists {
				a.fail("index \"" + s.Idxname + "\" already exists")
			}
			return
		}
	}
	ix := &Index{Name: s.Idxname, Unique: s.Unique, Partial: s.WhereClause != nil, Where: pgsql.Expr(s.WhereClause)}
	var names []string
	ix.Columns, names = indexColumns(s.IndexParams)
	ix.Exprs = indexExprs(s.IndexParams)
	var include []string
	include, more := indexColumns(s.IndexIncludingParams)
	ix.Include = include
	a.addIndex(r, ix, append(names, more...))
}

// indexColumns are the key columns, "" for an expression, and what each
// gives to the index's name.
func indexColumns(elems []*pgsql.Node) (columns, names []string) {
	for _, n := range elems {
		e := n.GetIndexElem()
		if e == nil {
			continue
		}
		columns = append(columns, e.Name)
		name := e.Name
		if name == "" {
			name = figure(e.Expr)
		}
		base := name
		for i := 1; slices.Contains(names, name); i++ {
			name = base + strconv.Itoa(i)
		}
		names = append(names, name)
	}
	return columns, names
}

// indexExprs are the texts of the key columns that are expressions.
func indexExprs(elems []*pgsql.Node) []string {
	var out []string
	for _, n := range elems {
		if e := n.GetIndexElem(); e != nil && e.Name == "" {
			out = append(out, pgsql.Expr(e.Expr))
		}
	}
	return out
}

// figure is the name PostgreSQL gives to an indexed expression
// (FigureIndexColname).
func figure(n *pgsql.Node) string {
	switch x := n.GetNode().(type) {
	case *pgsql.Node_FuncCall:
		names := pgsql.Strings(x.FuncCall.Funcname)
		if len(names) > 0 {
			return names[len(names)-1]
		}
	case *pgsql.Node_TypeCast:
		if s := figure(x.TypeCast.Arg); s != "expr" {
			return s
		}
		names := pgsql.Strings(x.TypeCast.TypeName.GetNames())
		if len(names) > 0 {
			return names[len(names)-1]
		}
	case *pgsql.Node_ColumnRef:
		names := pgsql.Strings(x.ColumnRef.Fields)
		if len(names) > 0 {
			return names[len(names)-1]
		}
	case *pgsql.Node_CoalesceExpr:
		return "coalesce"
	case *pgsql.Node_CollateClause:
		return figure(x.CollateClause.Arg)
	}
	return "expr"
}
