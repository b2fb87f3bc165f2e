package dbapi

import "strings"

// goqu renders a chain of doug-martin/goqu. Expressions are chains of their
// own: C("id").Eq(x).
func (w *writer) goqu(steps []Step) ([]string, string) {
	q := &query{w: w, verb: "select"}
	for i, s := range steps {
		a := s.Args
		switch s.Method {
		case "From":
			if i == 0 || q.verb != "delete" {
				q.goquTables(a)
			}
		case "Insert", "Update", "Delete":
			q.verb = strings.ToLower(s.Method)
			q.goquTables(a)
		case "Truncate":
			q.goquTables(a)
			q.raw = "TRUNCATE " + strings.Join(q.from, ", ")
		case "Into", "Table":
			q.from = nil
			q.goquTables(a)
		case "Dialect", "Executor", "Prepared", "ToSQL", "SetDialect", "WithDialect":
		default:
			q.goquStep(s)
		}
	}
	if len(q.from) == 0 && q.verb != "select" {
		q.fail("table not known")
	}
	if q.verb == "update" && len(q.sets) == 0 {
		q.fail("columns that are set not known")
	}
	if q.why != "" {
		return nil, q.why
	}
	return []string{q.text()}, ""
}

func (q *query) goquStep(s Step) {
	a := s.Args
	switch s.Method {
	case "Select", "SelectAppend":
		for _, e := range a {
			q.cols = append(q.cols, q.goquExpr(e, true))
		}
	case "Where":
		for _, e := range a {
			q.and(q.goquExpr(e, true))
		}
	case "Join", "InnerJoin", "LeftJoin", "RightJoin", "FullJoin", "CrossJoin":
		q.goquJoin(s)
	case "ForUpdate", "ForNoKeyUpdate", "ForShare", "ForKeyShare":
		q.goquLock(s)
	case "Order", "OrderAppend":
		for _, e := range a {
			q.order = append(q.order, q.goquExpr(e, true))
		}
	case "GroupBy":
		for _, e := range a {
			q.group = append(q.group, q.goquExpr(e, true))
		}
	case "Having":
		for _, e := range a {
			q.having = append(q.having, q.goquExpr(e, true))
		}
	case "Limit":
		q.limit = q.number(a)
	case "Offset":
		q.offset = q.number(a)
	case "Distinct":
		q.distinct = "DISTINCT "
	case "Set":
		q.goquRecord(a, func(k, v string) { q.sets = append(q.sets, k+" = "+v) })
	case "Rows":
		var row []string
		q.goquRecord(a, func(k, v string) { q.names, row = append(q.names, k), append(row, v) })
		if row != nil {
			q.rows = append(q.rows, row)
		}
	case "OnConflict":
		q.conflict = "ON CONFLICT DO NOTHING"
		if len(a) == 0 || !strings.HasSuffix(a[0].Call, ".DoNothing") {
			q.fail("conflict clause not known")
		}
	case "Count", "CountContext":
		q.cols = []string{"count(*)"}
	case "With", "WithRecursive", "Union", "UnionAll", "Intersect", "Except", "CompoundFromSelf":
		q.fail(s.Method + " is not rendered")
	}
}

// goquTables adds the tables of From and its like.
func (q *query) goquTables(a []Arg) {
	for _, t := range a {
		switch {
		case t.Known:
			q.from = append(q.from, ident(t.Text))
		case len(t.Chain) > 0 && t.Chain[0].Method != "From":
			q.from = append(q.from, q.goquExpr(t, true))
		case len(t.Chain) > 0:
			q.from = append(q.from, "("+q.w.subquery(t.Chain)+") AS t")
		default:
			q.fail("table not known")
		}
	}
}

func (q *query) goquJoin(s Step) {
	word := strings.ToUpper(strings.TrimSuffix(s.Method, "Join")) + " JOIN "
	if len(s.Args) == 0 {
		return
	}
	t := strings.TrimSpace(word) + " " + q.goquExpr(s.Args[0], true)
	if len(s.Args) > 1 {
		on := s.Args[1]
		if on.Call == "" || on.List == nil {
			q.fail("join not known")
			return
		}
		var parts []string
		for _, e := range on.List {
			parts = append(parts, q.goquExpr(e, true))
		}
		if strings.HasSuffix(on.Call, ".Using") {
			t += " USING (" + strings.Join(parts, ", ") + ")"
		} else {
			t += " ON " + strings.Join(parts, " AND ")
		}
	}
	q.joins = append(q.joins, t)
}

func (q *query) goquLock(s Step) {
	t := map[string]string{"ForUpdate": "FOR UPDATE", "ForNoKeyUpdate": "FOR NO KEY UPDATE", "ForShare": "FOR SHARE", "ForKeyShare": "FOR KEY SHARE"}[s.Method]
	if len(s.Args) == 0 || !s.Args[0].Known {
		q.fail("wait option of the locking clause not known")
		return
	}
	var of []string
	for _, e := range s.Args[1:] {
		of = append(of, q.goquExpr(e, true))
	}
	if len(of) > 0 {
		t += " OF " + strings.Join(of, ", ")
	}
	switch s.Args[0].Text { // exp.Wait, exp.NoWait, exp.SkipLocked
	case "6":
		t += " NOWAIT"
	case "7":
		t += " SKIP LOCKED"
	}
	q.locks = append(q.locks, t)
}

func (q *query) goquRecord(a []Arg, put func(k, v string)) {
	if len(a) != 1 || a[0].Fields == nil {
		q.w.note("columns not known")
		return
	}
	for _, k := range sortedKeys(a[0].Fields) {
		put(ident(a[0].Model.columnOrName(k)), q.goquExpr(a[0].Fields[k], false))
	}
}

var goquOps = map[string]string{"Eq": " = ", "Neq": " <> ", "Gt": " > ", "Gte": " >= ", "Lt": " < ", "Lte": " <= ", "Like": " LIKE ", "ILike": " ILIKE "}

// goquExpr returns an expression: a chain such as C("id").Eq(x), a map such
// as Ex, And and Or, text as name or value.
func (q *query) goquExpr(e Arg, name bool) string {
	short := e.Call[strings.LastIndexByte(e.Call, '.')+1:]
	switch {
	case exprCalls[e.Call]:
		return q.w.expr(e)
	case e.Fields != nil:
		return q.goquPairs(e)
	case (short == "And" || short == "Or") && e.List != nil:
		var parts []string
		for _, x := range e.List {
			parts = append(parts, q.goquExpr(x, true))
		}
		return "(" + strings.Join(parts, map[string]string{"And": " AND ", "Or": " OR "}[short]) + ")"
	case len(e.Chain) > 0 && e.Chain[0].Method == "From":
		return "(" + q.w.subquery(e.Chain) + ")"
	case len(e.Chain) > 0:
		return q.goquChain(e.Chain)
	case e.Known && name:
		return ident(e.Text)
	}
	if name {
		q.w.note("expression not known")
	}
	return q.w.value(e)
}

func (q *query) goquPairs(e Arg) string {
	var parts []string
	for _, k := range sortedKeys(e.Fields) {
		v := e.Fields[k]
		switch {
		case v.Type == "untyped nil":
			parts = append(parts, ident(k)+" IS NULL")
		case v.many() || len(v.Chain) > 0 && v.Chain[0].Method == "From":
			parts = append(parts, ident(k)+" "+q.w.in(v, false))
		default:
			parts = append(parts, ident(k)+" = "+q.goquExpr(v, false))
		}
	}
	join := " AND "
	if strings.HasSuffix(e.Type, "ExOr") {
		join = " OR "
	}
	return guard(strings.Join(parts, join), true)
}

func (q *query) goquChain(steps []Step) string {
	t := ""
	for _, s := range steps {
		var arg Arg
		if len(s.Args) > 0 {
			arg = s.Args[0]
		}
		switch {
		case s.Method == "C" || s.Method == "T" || s.Method == "I" || s.Method == "S":
			if !arg.Known {
				q.fail("name not known")
			}
			t = ident(arg.Text)
		case s.Method == "Schema":
			t = ident(arg.Text) + "." + t
		case s.Method == "Table" || s.Method == "Col":
			t += "." + ident(arg.Text)
		case s.Method == "As":
			t += " AS " + ident(arg.Text)
		case s.Method == "Asc" || s.Method == "Desc":
			t += " " + strings.ToUpper(s.Method)
		case s.Method == "IsNull":
			t += " IS NULL"
		case s.Method == "IsNotNull":
			t += " IS NOT NULL"
		case s.Method == "In" || s.Method == "NotIn":
			if len(s.Args) > 1 {
				arg = Arg{List: s.Args}
			}
			t += " " + q.w.in(arg, s.Method == "NotIn")
		case goquOps[s.Method] != "" && (arg.many() || arg.Type == "untyped nil"):
			t = q.goquPairs(Arg{Fields: map[string]Arg{strings.Trim(t, `"`): arg}})
		case goquOps[s.Method] != "":
			t += goquOps[s.Method] + q.goquExpr(arg, false)
		default:
			q.w.note("expression " + s.Method + " not known")
			return q.w.ref(0)
		}
	}
	return t
}
