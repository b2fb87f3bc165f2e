package dbapi

import "strings"

// A bunChain is a query of bun or go-pg.
type bunChain struct {
	query
	dest  Arg
	table []string // table expressions beside the model
	expr  string   // ModelTableExpr
	cols  []string
	bulk  bool
	pk    bool // WherePK, ID
	key   Arg  // of ID
	all   bool // WhereAllWithDeleted, ForceDelete
}

// bun renders a chain of uptrace/bun or go-pg.
func (w *writer) bun(lib string, steps []Step) ([]string, string) {
	b := &bunChain{query: query{w: w}}
	if lib == "gopg" {
		b.verb = "select"
	}
	var texts []string
	for _, s := range steps {
		switch {
		case s.Method == "NewRaw":
			if len(s.Args) == 0 || !s.Args[0].Known {
				return nil, "SQL text not known"
			}
			b.raw = w.bind(s.Args[0].Text, "bun", s.Args[1:])
		case strings.HasPrefix(s.Method, "New") && verbs[strings.TrimPrefix(s.Method, "New")] != "":
			b.verb = verbs[strings.TrimPrefix(s.Method, "New")]
		case s.Method == "NewValues" && len(s.Args) > 0: // rows for a sub-query
			b.raw = "VALUES (" + w.ref(s.Args[0].Ref) + ")"
		case strings.HasPrefix(s.Method, "New"):
			return nil, "statement of " + s.Method + " is not rendered"
		case b.finisher(lib, s):
			texts = b.finish(s)
		default:
			b.step(s)
		}
	}
	if texts == nil && b.why == "" {
		texts = b.finish(Step{Method: "String"}) // a sub-query
	}
	if b.why != "" {
		return nil, b.why
	}
	return texts, ""
}

var verbs = map[string]string{"Select": "select", "Insert": "insert", "Update": "update", "Delete": "delete"}

// finisher reports whether the step sends the statement; in go-pg it also
// says which.
func (b *bunChain) finisher(lib string, s Step) bool {
	switch s.Method {
	case "Exec", "Scan", "Rows", "Count", "Exists", "ScanAndCount", "String":
		return true
	}
	if lib != "gopg" {
		return false
	}
	switch s.Method {
	case "Select", "SelectAndCount", "ForEach", "First", "Last", "SelectOrInsert":
		b.verb = "select"
	case "Insert":
		b.verb = "insert"
	case "Update", "UpdateNotZero":
		b.verb = "update"
	case "Delete", "ForceDelete":
		b.verb = "delete"
		b.all = b.all || s.Method == "ForceDelete"
	default:
		return false
	}
	return true
}

// step applies a builder step.
func (b *bunChain) step(s Step) {
	a := s.Args
	switch s.Method {
	case "Model", "ModelContext":
		if len(a) > 0 {
			b.dest = a[0]
		}
	case "ModelTableExpr":
		b.expr = b.bound("table", "bun", a)
	case "Table":
		if t, ok := known(a); ok {
			for _, n := range t {
				b.table = append(b.table, ident(n))
			}
		} else {
			b.fail("table not known")
		}
	case "TableExpr":
		b.tableExpr(a)
	case "Column", "ExcludeColumn":
		if t, ok := known(a); ok && s.Method == "Column" {
			b.cols = append(b.cols, t...)
		}
	case "ColumnExpr":
		b.query.cols = append(b.query.cols, b.bound("column", "bun", a))
	case "Where", "WhereIn":
		b.and(b.bound("condition", "bun", a))
	case "WhereOr", "WhereInOr":
		b.where = append(b.where, cond{b.bound("condition", "bun", a), true})
	case "WhereGroup", "WhereOrGroup", "WhereNotGroup", "Apply", "ApplyQueryBuilder":
		b.group1(s)
	case "WherePK":
		b.pk = true
	case "WhereAllWithDeleted", "AllWithDeleted", "ForceDelete":
		b.all = true
	case "Set":
		b.sets = append(b.sets, b.bound("column that is set", "bun", a))
	case "SetColumn", "Value":
		b.setColumn(a)
	case "Bulk":
		b.bulk = true
	default:
		b.tail(s)
	}
}

func (b *bunChain) tableExpr(a []Arg) {
	if len(a) == 0 || !a[0].Known {
		b.fail("table not known")
		return
	}
	b.table = append(b.table, b.w.bind(a[0].Text, "bun", a[1:]))
}

// unknownFunc records a function that is not known: of those that add
// conditions, nothing else.
func (b *bunChain) unknownFunc(method string) {
	why := "function of " + method + " not known"
	if method == "Apply" {
		b.w.couldLock(why)
	} else {
		b.w.note(why)
	}
}

// group1 applies the steps of a function argument as one condition, or to
// the chain itself.
func (b *bunChain) group1(s Step) {
	for _, f := range s.Args {
		if f.Known {
			continue // the separator of WhereGroup
		}
		if len(f.Chain) == 0 {
			b.unknownFunc(s.Method)
			continue
		}
		n := b
		if strings.HasPrefix(s.Method, "Where") {
			n = &bunChain{query: query{w: b.w, verb: b.verb}, dest: b.dest}
		}
		for _, st := range f.Chain {
			n.step(st)
		}
		if n == b || len(n.where) == 0 {
			continue
		}
		t := "(" + n.conditions() + ")"
		if s.Method == "WhereNotGroup" {
			t = "NOT " + t
		}
		or := s.Method == "WhereOrGroup" || len(s.Args) > 1 && strings.Contains(strings.ToUpper(s.Args[0].Text), "OR")
		b.where = append(b.where, cond{t, or})
	}
}

func (b *bunChain) setColumn(a []Arg) {
	if len(a) < 2 || !a[0].Known {
		b.w.note("columns that are set not known")
		return
	}
	v := b.bound("value", "bun", a[1:])
	if b.verb == "insert" {
		b.names = append(b.names, ident(a[0].Text))
		if len(b.rows) == 0 {
			b.rows = [][]string{nil}
		}
		b.rows[0] = append(b.rows[0], v)
		return
	}
	b.sets = append(b.sets, ident(a[0].Text)+" = "+v)
}

// tail applies the steps that add around the core of a statement.
func (b *bunChain) tail(s Step) {
	a := s.Args
	switch s.Method {
	case "Join":
		b.joins = append(b.joins, b.part("join", a))
	case "JoinOn", "JoinOnOr":
		word := map[string]string{"JoinOn": " AND ", "JoinOnOr": " OR "}[s.Method]
		if n := len(b.joins); n > 0 {
			if !strings.Contains(strings.ToUpper(b.joins[n-1]), " ON ") {
				word = " ON "
			}
			b.joins[n-1] += word + b.part("join", a)
		}
	case "Relation":
		b.w.note("relation left out")
	case "For":
		b.locks = append(b.locks, "FOR "+b.part("locking clause", a))
	case "On", "OnConflict":
		if t := b.part("conflict clause", a); b.conflict == "" {
			if !strings.HasPrefix(strings.ToUpper(t), "CONFLICT") {
				t = "CONFLICT " + t
			}
			b.conflict = "ON " + t
		}
	case "Ignore":
		b.conflict = "ON CONFLICT DO NOTHING"
	case "Returning":
		b.ret = b.bound("returned columns", "bun", a)
	case "Order", "OrderExpr", "OrderBy":
		if s.Method == "Order" {
			t, ok := known(a)
			if !ok {
				b.w.note("order not known")
			}
			b.order = append(b.order, t...)
		} else if s.Method == "OrderBy" && len(a) == 2 && a[0].Known {
			b.order = append(b.order, strings.TrimSpace(ident(a[0].Text)+" "+a[1].Text))
		} else {
			b.order = append(b.order, b.bound("order", "bun", a))
		}
	case "Group", "GroupExpr":
		b.group = append(b.group, b.bound("group", "bun", a))
	case "Having":
		b.having = append(b.having, b.bound("condition", "bun", a))
	case "Limit":
		b.limit = b.number(a)
	case "Offset":
		b.offset = b.number(a)
	case "Distinct":
		b.distinct = "DISTINCT "
	case "DistinctOn":
		b.distinct = "DISTINCT ON (" + b.bound("columns", "bun", a) + ") "
	case "With", "WithRecursive", "WithQuery":
		b.cte(a)
	case "Union", "UnionAll", "Intersect", "IntersectAll", "Except", "ExceptAll":
		if len(a) == 1 && len(a[0].Chain) > 0 {
			word := map[string]string{"UnionAll": "UNION ALL", "IntersectAll": "INTERSECT ALL", "ExceptAll": "EXCEPT ALL"}[s.Method]
			if word == "" {
				word = strings.ToUpper(s.Method)
			}
			b.suffix = append(b.suffix, word+" "+b.w.subquery(a[0].Chain))
		} else {
			b.fail("query of " + s.Method + " not known")
		}
	}
}

// part is bound, for text that can lock: not known, there is no text.
func (b *bunChain) part(what string, a []Arg) string {
	if len(a) == 0 || !a[0].Known {
		b.fail(what + " not known")
		return ""
	}
	return b.w.bind(a[0].Text, "bun", a[1:])
}

func (b *bunChain) cte(a []Arg) {
	if len(a) != 2 || !a[0].Known || len(a[1].Chain) == 0 {
		b.fail("WITH query not known")
		return
	}
	b.with = append(b.with, ident(a[0].Text)+" AS ("+b.w.subquery(a[1].Chain)+")")
}

// finish returns the statement of a finisher.
func (b *bunChain) finish(s Step) []string {
	if b.raw != "" {
		return []string{b.raw}
	}
	m := b.dest.Model
	b.model = m
	b.from = append(b.modelTable(), b.table...)
	if len(b.from) == 0 && b.verb != "select" {
		b.fail("table not known")
	}
	if b.dest.Ref != 0 && len(b.from) == 0 {
		b.fail("table not known")
	}
	for _, c := range b.cols {
		b.query.cols = append(b.query.cols, b.columnRef(c))
	}
	switch b.verb {
	case "insert":
		b.insert()
		if b.conflict != "" && len(b.sets) > 0 {
			b.conflict += " SET " + strings.Join(b.sets, ", ")
		}
	case "update":
		b.update()
	case "select":
		b.pick(s)
	}
	if b.pk {
		b.and(b.alias() + ident(m.key()) + " = " + b.w.ref(b.dest.Key))
	}
	if m != nil && m.Soft != "" && !b.all && b.verb != "insert" {
		b.and(b.alias() + ident(m.Soft) + " IS NULL")
		if b.verb == "delete" {
			b.verb, b.sets = "update", []string{ident(m.Soft) + " = now()"}
		}
	}
	if s.Method == "Exists" {
		return []string{"SELECT EXISTS (" + b.text() + ")"}
	}
	return []string{b.text()}
}

func (b *bunChain) pick(s Step) {
	switch s.Method {
	case "Count":
		b.query.cols = []string{"count(*)"}
	case "First", "Last":
		b.limit = "1"
		b.order = append(b.order, b.alias()+ident(b.model.key())+map[string]string{"Last": " DESC"}[s.Method])
	}
}

// columnRef returns a column of Column, which may be an expression.
func (b *bunChain) columnRef(c string) string {
	if b.model != nil && wordLen(c) == len(c) {
		return b.alias() + ident(c)
	}
	return ident(c)
}

func (b *bunChain) modelTable() []string {
	alias := ""
	if m := b.dest.Model; m != nil && m.Alias != "" && (b.verb != "insert" || b.conflict != "") {
		alias = " AS " + ident(m.Alias)
	}
	switch {
	case b.expr != "":
		return []string{b.expr}
	case b.dest.Model != nil && b.dest.Model.Table != "":
		return []string{ident(b.dest.Model.Table) + alias}
	case b.dest.Table != "":
		return []string{ident(b.dest.Table)}
	}
	return nil
}

// alias returns the name of the model's table with a dot.
func (b *bunChain) alias() string {
	if m := b.dest.Model; m != nil && m.Alias != "" {
		return ident(m.Alias) + "."
	}
	return ""
}

func (b *bunChain) insert() {
	if b.model == nil || len(b.names) > 0 {
		return
	}
	var row []string
	for _, c := range b.model.Columns {
		if len(b.cols) > 0 && !contains(b.cols, c.Name) {
			continue
		}
		b.names = append(b.names, ident(c.Name))
		switch v, ok := b.dest.Fields[c.Field]; {
		case ok:
			row = append(row, b.w.value(v))
		default:
			row = append(row, b.w.ref(0))
		}
	}
	switch {
	case row != nil && b.dest.many():
		b.rows = b.w.severalRows(b.dest, len(row))
	case row != nil:
		b.rows = [][]string{row}
	}
}

func (b *bunChain) update() {
	if len(b.sets) == 0 && b.model != nil {
		for _, c := range b.model.Columns {
			if contains(b.model.Keys, c.Name) || len(b.cols) > 0 && !contains(b.cols, c.Name) {
				continue
			}
			if f, ok := b.dest.Fields[c.Field]; ok && !b.dest.Same[c.Field] {
				b.sets = append(b.sets, ident(c.Name)+" = "+b.w.value(f))
				continue
			}
			b.sets = append(b.sets, ident(c.Name)+" = "+ident(c.Name))
		}
	}
	if len(b.sets) == 0 {
		b.w.note("columns that are set not known")
		b.sets = []string{`"updated_at" = ` + b.w.ref(0)}
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
