package dbapi

import "strings"

// squirrel renders a chain of Masterminds/squirrel, which ends where its
// text is asked for.
func (w *writer) squirrel(steps []Step) ([]string, string) {
	q := &query{w: w}
	for _, s := range steps {
		q.squirrelStep(s)
	}
	if q.verb == "" {
		q.fail("no statement in the chain")
	}
	if q.verb != "select" && len(q.from) == 0 {
		q.fail("table not known")
	}
	if q.why != "" {
		return nil, q.why
	}
	if q.verb == "insert" && len(q.rows) == 0 && q.source == "" { // squirrel makes no statement of it
		return nil, ""
	}
	// Update and delete of squirrel may carry ORDER BY and LIMIT, which
	// PostgreSQL has not.
	return []string{q.text()}, ""
}

// squirrelStep applies one step.
func (q *query) squirrelStep(s Step) {
	a := s.Args
	switch s.Method {
	case "Select":
		if q.verb == "insert" {
			if len(a) == 1 && len(a[0].Chain) > 0 {
				q.source = q.w.subquery(a[0].Chain)
			} else {
				q.fail("inserted query not known")
			}
			return
		}
		q.verb = "select"
		q.squirrelColumns(a)
	case "Expr":
		q.verb, q.raw = "select", q.bound("text", "?", a)
	case "Columns":
		if q.verb == "insert" {
			t, ok := known(a)
			if !ok {
				q.w.note("columns not known")
			}
			q.names = append(q.names, t...)
			return
		}
		q.squirrelColumns(a)
	case "Column":
		q.cols = append(q.cols, q.bound("column", "?", a))
	case "RemoveColumns":
		q.cols = nil
	case "Insert", "Update", "Delete", "Replace":
		q.verb = strings.ToLower(s.Method)
		if s.Method == "Replace" {
			q.verb = "insert"
		}
		q.squirrelTable(a)
	case "Into", "Table":
		q.from = nil
		q.squirrelTable(a)
	case "From":
		if q.verb == "delete" {
			q.from = nil
		}
		q.squirrelTable(a)
	case "FromSelect":
		if len(a) == 2 && len(a[0].Chain) > 0 && a[1].Known {
			q.from = append(q.from, "("+q.w.subquery(a[0].Chain)+") AS "+a[1].Text)
		} else {
			q.fail("source query not known")
		}
	case "Where":
		q.and(q.squirrelCond(a))
	case "Having":
		q.having = append(q.having, q.squirrelCond(a))
	case "Set":
		if len(a) == 2 && a[0].Known {
			q.sets = append(q.sets, a[0].Text+" = "+q.w.value(a[1]))
		} else {
			q.fail("column that is set not known")
		}
	case "SetMap":
		q.squirrelMap(a)
	case "Values":
		row := make([]string, 0, len(a))
		for _, v := range a {
			row = append(row, q.w.value(v))
		}
		q.rows = append(q.rows, row)
	default:
		q.squirrelTail(s)
	}
}

// squirrelTail applies the steps that add around the core of a statement.
func (q *query) squirrelTail(s Step) {
	a := s.Args
	switch s.Method {
	case "Join", "InnerJoin", "LeftJoin", "RightJoin", "CrossJoin":
		word := map[string]string{"Join": "JOIN ", "InnerJoin": "INNER JOIN ", "LeftJoin": "LEFT JOIN ", "RightJoin": "RIGHT JOIN ", "CrossJoin": "CROSS JOIN "}[s.Method]
		q.squirrelText("join", a, func(t string) { q.joins = append(q.joins, word+t) })
	case "JoinClause":
		q.squirrelText("join", a, func(t string) { q.joins = append(q.joins, t) })
	case "Prefix", "PrefixExpr":
		q.squirrelText("prefix", a, func(t string) { q.prefix = append(q.prefix, t) })
	case "Suffix", "SuffixExpr":
		q.squirrelText("suffix", a, func(t string) { q.suffix = append(q.suffix, t) })
	case "OrderBy", "GroupBy":
		t, ok := known(a)
		if !ok {
			q.w.note("order or group not known")
		}
		if s.Method == "OrderBy" {
			q.order = append(q.order, t...)
		} else {
			q.group = append(q.group, t...)
		}
	case "OrderByClause":
		q.order = append(q.order, q.bound("order", "?", a))
	case "Distinct":
		q.distinct = "DISTINCT "
	case "Options":
		if t, ok := known(a); ok {
			q.distinct = strings.Join(t, " ") + " "
		}
	case "Limit":
		q.limit = q.number(a)
	case "Offset":
		q.offset = q.number(a)
	case "RemoveLimit":
		q.limit = ""
	case "RemoveOffset":
		q.offset = ""
	}
}

// squirrelText hands the text of a part on whose content can lock: one that
// is not known leaves the chain without text.
func (q *query) squirrelText(what string, a []Arg, put func(string)) {
	if len(a) == 0 || !a[0].Known && !exprCalls[a[0].Call] && len(a[0].Chain) == 0 {
		q.fail(what + " not known")
		return
	}
	if t := q.bound(what, "?", a); t != "" {
		put(t)
	}
}

func (q *query) squirrelTable(a []Arg) {
	if len(a) == 0 || !a[0].Known {
		q.fail("table not known")
		return
	}
	if a[0].Text != "" {
		q.from = append(q.from, a[0].Text)
	}
}

func (q *query) squirrelColumns(a []Arg) {
	t, ok := known(a)
	if !ok {
		q.w.note("columns not known")
	}
	q.cols = append(q.cols, t...)
}

func (q *query) squirrelMap(a []Arg) {
	if len(a) != 1 || a[0].Fields == nil {
		q.w.note("columns that are set not known")
		if q.verb == "update" {
			q.fail("columns that are set not known")
		}
		return
	}
	var row []string
	for _, k := range sortedKeys(a[0].Fields) {
		if q.verb == "update" {
			q.sets = append(q.sets, k+" = "+q.w.value(a[0].Fields[k]))
			continue
		}
		q.names = append(q.names, k)
		row = append(row, q.w.value(a[0].Fields[k]))
	}
	if row != nil {
		q.rows = append(q.rows, row)
	}
}

// squirrelCond returns the condition of Where: text, a map such as Eq, a
// list such as Or, an expression.
func (q *query) squirrelCond(a []Arg) string {
	if len(a) == 0 {
		return ""
	}
	kind := a[0].Type[strings.LastIndexByte(a[0].Type, '.')+1:]
	switch {
	case (kind == "And" || kind == "Or") && a[0].List != nil:
		parts := make([]string, 0, len(a[0].List))
		for _, e := range a[0].List {
			if t := q.squirrelCond([]Arg{e}); t != "" {
				parts = append(parts, t)
			}
		}
		if len(parts) == 0 {
			return ""
		}
		return "(" + strings.Join(parts, map[string]string{"And": " AND ", "Or": " OR "}[kind]) + ")"
	case a[0].Fields != nil:
		return q.squirrelPairs(kind, a[0].Fields)
	}
	return q.bound("condition", "?", a)
}

var squirrelOps = map[string]string{"Eq": "=", "NotEq": "<>", "Lt": "<", "LtOrEq": "<=", "Gt": ">", "GtOrEq": ">=", "Like": "LIKE",
	"NotLike": "NOT LIKE", "ILike": "ILIKE", "NotILike": "NOT ILIKE"}

func (q *query) squirrelPairs(kind string, fields map[string]Arg) string {
	op := squirrelOps[kind]
	if op == "" {
		op = "="
	}
	var parts []string
	for _, k := range sortedKeys(fields) {
		v := fields[k]
		switch {
		case v.Type == "untyped nil" && op == "=":
			parts = append(parts, k+" IS NULL")
		case v.Type == "untyped nil" && op == "<>":
			parts = append(parts, k+" IS NOT NULL")
		case (v.many() || len(v.Chain) > 0) && (op == "=" || op == "<>"):
			parts = append(parts, k+" "+q.w.in(v, op == "<>"))
		default:
			parts = append(parts, k+" "+op+" "+q.w.value(v))
		}
	}
	if len(parts) > 1 {
		return "(" + strings.Join(parts, " AND ") + ")"
	}
	return strings.Join(parts, "")
}
