package dbapi

import "strings"

// ent renders a chain of a generated client. Its first step has the table and
// the key's column behind its own arguments; a step that sets a column has
// the column behind its value.
func (w *writer) ent(steps []Step) ([]string, string) {
	q := &query{w: w}
	for i, s := range steps {
		if i == 0 {
			q.entStart(s)
			continue
		}
		q.entStep(s)
	}
	switch {
	case q.verb == "" || len(q.from) == 0 || q.from[0] == "":
		q.fail("table not known")
	case q.verb == "update" && len(q.sets) == 0:
		q.verb = "select" // nothing but edges is changed
		q.w.note("columns that are set not known")
	}
	if q.why != "" {
		return nil, q.why
	}
	return []string{q.text()}, ""
}

func (q *query) entStart(s Step) {
	n := len(s.Args) - 2
	if n < 0 || !s.Args[n].Known {
		return
	}
	q.from = []string{ident(s.Args[n].Text)}
	key := ident(s.Args[n+1].Text)
	for _, verb := range []string{"Query", "Update", "Delete"} {
		if strings.HasPrefix(s.Method, verb) {
			q.verb = strings.ToLower(verb)
		}
	}
	switch {
	case s.Method == "Query":
		q.verb = "select"
	case strings.HasSuffix(s.Method, "OneID") && n > 0:
		q.and(key + " = " + q.w.value(s.Args[0]))
	case strings.HasSuffix(s.Method, "One"):
		q.and(key + " = " + q.w.ref(0))
	case q.verb == "":
		q.verb = "insert"
	}
}

func (q *query) entStep(s Step) {
	a := s.Args
	switch s.Method {
	case "Where":
		for _, p := range a {
			q.and(q.entPredicate(p))
		}
	case "ForUpdate", "ForShare":
		q.entLock(s)
	case "Limit":
		q.limit = q.number(a)
	case "Offset":
		q.offset = q.number(a)
	case "First", "FirstID":
		q.limit = "1"
	case "Count":
		q.cols = []string{"count(*)"}
	case "Order":
		q.entOrder(a)
	default:
		if n := len(a); n > 0 && a[n-1].Known && (strings.HasPrefix(s.Method, "Set") || strings.HasPrefix(s.Method, "Add") || strings.HasPrefix(s.Method, "Clear")) {
			q.sets = append(q.sets, ident(a[n-1].Text)+" = "+q.w.ref(a[0].Ref))
		}
	}
}

func (q *query) entLock(s Step) {
	t := map[string]string{"ForUpdate": "FOR UPDATE", "ForShare": "FOR SHARE"}[s.Method]
	for _, o := range s.Args {
		texts, ok := known(o.List)
		switch {
		case strings.HasSuffix(o.Call, ".WithLockAction") && ok && len(texts) == 1:
			t += " " + texts[0]
		case strings.HasSuffix(o.Call, ".WithLockTables") && ok:
			t += " OF " + strings.Join(texts, ", ")
		case strings.HasSuffix(o.Call, ".WithLockClause") && ok && len(texts) == 1:
			t = texts[0]
		default:
			q.fail("option of the locking clause not known")
		}
	}
	q.locks = append(q.locks, t)
}

// entOrder orders by fields: OrderByField(name, …).ToFunc().
func (q *query) entOrder(a []Arg) {
	for _, o := range a {
		if strings.HasSuffix(o.Call, ").ToFunc") && len(o.List) == 1 {
			o = o.List[0]
		}
		if strings.HasSuffix(o.Call, ".OrderByField") && len(o.List) > 0 && o.List[0].Known {
			q.order = append(q.order, ident(o.List[0].Text))
			continue
		}
		q.w.note("order not known")
	}
}

var entOps = map[string]string{"EQ": " = ", "NEQ": " <> ", "GT": " > ", "GTE": " >= ", "LT": " < ", "LTE": " <= "}

// entPredicate returns a predicate of an entity's package, which is a
// function of ent's dialect applied to a column and values.
func (q *query) entPredicate(p Arg) string {
	short := p.Call[strings.LastIndexByte(p.Call, '.')+1:]
	join := map[string]string{"AndPredicates": " AND ", "OrPredicates": " OR ", "NotPredicates": " AND "}[short]
	field, isField := strings.CutPrefix(short, "Field")
	switch {
	case join != "" && p.List != nil:
		var parts []string
		for _, o := range p.List {
			parts = append(parts, q.entPredicate(o))
		}
		t := "(" + strings.Join(parts, join) + ")"
		if short == "NotPredicates" {
			t = "NOT " + t
		}
		return t
	case isField && len(p.List) > 0 && p.List[0].Known:
		return q.entField(field, ident(p.List[0].Text), p.List[1:])
	}
	q.w.note("predicate not known")
	return q.w.ref(0)
}

func (q *query) entField(op, col string, values []Arg) string {
	switch {
	case op == "IsNull":
		return col + " IS NULL"
	case op == "NotNull":
		return col + " IS NOT NULL"
	case entOps[op] != "" && len(values) == 1:
		return col + entOps[op] + q.w.value(values[0])
	case (op == "In" || op == "NotIn") && len(values) == 1:
		return col + " " + q.w.in(values[0], op == "NotIn")
	case op == "In" || op == "NotIn":
		return col + " " + q.w.in(Arg{List: values}, op == "NotIn")
	}
	q.w.note("predicate " + op + " not known")
	return col + " LIKE " + q.w.ref(0)
}
