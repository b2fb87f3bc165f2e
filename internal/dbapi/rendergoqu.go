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
		q.goquConflict(a)
	case "Count", "CountContext":
		q.cols = []string{"count(*)"}
	case "With", "WithRecursive", "Union", "UnionAll", "Intersect", "Except", "CompoundFromSelf":
		q.fail(s.Method + " is not rendered")
	}
}

// goquConflict adds what is done when the row is there already.
func (q *query) goquConflict(a []Arg) {
	if len(a) != 1 || len(a[0].Chain) == 0 {
		q.fail("conflict clause not known")
		return
	}
	do := a[0].Chain[0]
	if do.Method == "DoNothing" {
		q.conflict = "ON CONFLICT DO NOTHING"
		return
	}
	var sets []string
	if do.Method == "DoUpdate" && len(do.Args) == 2 && do.Args[0].Known {
		q.goquRecord(do.Args[1:], func(k, v string) { sets = append(sets, k+" = "+v) })
	}
	if len(sets) == 0 {
		q.fail("conflict clause not known")
		return
	}
	target := do.Args[0].Text
	if !strings.HasPrefix(strings.ToLower(target), "on constraint") {
		target = "(" + target + ")"
	}
	q.conflict = "ON CONFLICT " + target + " DO UPDATE SET " + strings.Join(sets, ", ")
}

// goquQuery reports a chain that is a query, as against an expression.
func goquQuery(steps []Step) bool {
	for _, s := range steps {
		if s.Method != "Dialect" {
			return s.Method == "From" || s.Method == "Select"
		}
	}
	return false
}

// goquAlias returns the alias that a query is given in another one.
func goquAlias(steps []Step) string {
	for _, s := range steps {
		if s.Method == "As" && len(s.Args) == 1 && s.Args[0].Known {
			return ident(s.Args[0].Text)
		}
	}
	return "t"
}

// goquTables adds the tables of From and its like.
func (q *query) goquTables(a []Arg) {
	for _, t := range a {
		switch {
		case t.Known:
			q.from = append(q.from, ident(t.Text))
		case goquQuery(t.Chain):
			q.from = append(q.from, "("+q.w.subquery(t.Chain)+") AS "+goquAlias(t.Chain))
		case len(t.Chain) > 0:
			q.from = append(q.from, q.goquExpr(t, true))
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
	if sub := s.Args[0].Chain; goquQuery(sub) {
		t += " AS " + goquAlias(sub)
	}
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

var goquOps = map[string]string{"Eq": " = ", "Neq": " <> ", "Gt": " > ", "Gte": " >= ", "Lt": " < ", "Lte": " <= ", "Like": " LIKE ", "ILike": " ILIKE ",
	"NotLike": " NOT LIKE ", "NotILike": " NOT ILIKE ", "RegexpLike": " ~ ", "RegexpNotLike": " !~ ", "RegexpILike": " ~* ", "RegexpNotILike": " !~* ", "Is": " IS ", "IsNot": " IS NOT "}

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
	case goquQuery(e.Chain):
		return "(" + q.w.subquery(e.Chain) + ")"
	case short == "Star":
		return "*"
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
		case v.many() || goquQuery(v.Chain):
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

var goquSuffixes = map[string]string{"Asc": " ASC", "Desc": " DESC", "NullsFirst": " NULLS FIRST", "NullsLast": " NULLS LAST", "IsNull": " IS NULL", "IsNotNull": " IS NOT NULL",
	"IsTrue": " IS TRUE", "IsNotTrue": " IS NOT TRUE", "IsFalse": " IS FALSE", "IsNotFalse": " IS NOT FALSE"}

// goquCall returns the call of a function, with which an expression begins.
func (q *query) goquCall(s Step) string {
	name, args, column := strings.ToLower(s.Method), s.Args, true
	switch s.Method {
	case "L", "Literal":
		return q.w.expr(Arg{Call: "github.com/doug-martin/goqu/v9.L", List: s.Args})
	case "Cast":
		if len(args) == 2 && args[1].Known {
			return "CAST(" + q.goquExpr(args[0], true) + " AS " + args[1].Text + ")"
		}
		q.fail("expression not known")
	case "Func":
		if len(args) == 0 || !args[0].Known {
			q.fail("function not known")
			return ""
		}
		name, args, column = args[0].Text, args[1:], false
	}
	var list []string
	for _, a := range args {
		list = append(list, q.goquExpr(a, column))
	}
	return name + "(" + strings.Join(list, ", ") + ")"
}

func (q *query) goquChain(steps []Step) string {
	t := ""
	for _, s := range steps {
		var arg Arg
		if len(s.Args) > 0 {
			arg = s.Args[0]
		}
		switch {
		case t == "" && s.Method != "C" && s.Method != "T" && s.Method != "I" && s.Method != "S":
			t = q.goquCall(s)
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
		case s.Method == "All":
			t += ".*"
		case s.Method == "Distinct":
			t = "DISTINCT " + t
		case s.Method == "Cast":
			t = "CAST(" + t + " AS " + arg.Text + ")"
		case goquSuffixes[s.Method] != "":
			t += goquSuffixes[s.Method]
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
