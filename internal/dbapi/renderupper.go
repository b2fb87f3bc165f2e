package dbapi

import "strings"

// upper renders a chain of upper/db: a builder, which begins with its verb,
// or the rows of a collection.
func (w *writer) upper(steps []Step) ([]string, string) {
	q := &query{w: w, verb: "select"}
	amended := ""
	for _, s := range steps {
		a := s.Args
		switch s.Method {
		case "SelectFrom", "From", "Collection":
			q.upperTables(a)
		case "InsertInto":
			q.verb = "insert"
			q.upperTables(a)
		case "DeleteFrom":
			q.verb = "delete"
			q.upperTables(a)
		case "Update":
			q.upperUpdate(a)
		case "Delete":
			q.verb = "delete"
		case "Insert", "InsertReturning", "UpdateReturning":
			q.upperRow(s)
		case "Truncate":
			q.raw = "TRUNCATE " + first(q.from)
		case "Amend":
			if len(a) == 0 || a[0].Call != Amended || len(a[0].List) != 1 || !a[0].List[0].Known {
				q.fail("function of Amend not known")
				continue
			}
			amended = a[0].List[0].Text
		default:
			q.upperStep(s)
		}
	}
	if len(q.from) == 0 && q.verb != "select" {
		q.fail("table not known")
	}
	if q.why != "" {
		return nil, q.why
	}
	if amended != "" {
		before, after, _ := strings.Cut(amended, AmendedText)
		return []string{before + q.text() + after}, ""
	}
	return []string{q.text()}, ""
}

// Amended is the function symbol under which a converter tells what a
// function makes of a whole statement; AmendedText stands for that.
const (
	Amended     = "amended"
	AmendedText = "\x00"
)

func (q *query) upperStep(s Step) {
	a := s.Args
	switch s.Method {
	case "Select", "Columns", "Distinct":
		t, _ := known(a)
		if q.verb == "insert" {
			q.names = append(q.names, t...)
		} else {
			q.cols = append(q.cols, t...)
		}
	case "Where", "And", "Find":
		q.and(q.upperCond(a))
	case "Set":
		q.upperSet(a)
	case "Values":
		q.upperRow(s)
	case "Join", "LeftJoin", "RightJoin", "FullJoin", "CrossJoin":
		t, ok := known(a)
		if !ok {
			q.fail("join not known")
		}
		q.joins = append(q.joins, strings.TrimSpace(strings.ToUpper(strings.TrimSuffix(s.Method, "Join"))+" JOIN "+strings.Join(t, ", ")))
	case "On", "Using":
		q.joins = append(q.joins, map[string]string{"On": "ON ", "Using": "USING "}[s.Method]+q.bound("join", "?", a))
	case "OrderBy", "GroupBy":
		t, _ := known(a)
		for _, c := range t {
			if strings.HasPrefix(c, "-") {
				c = c[1:] + " DESC"
			}
			if s.Method == "GroupBy" {
				q.group = append(q.group, c)
			} else {
				q.order = append(q.order, c)
			}
		}
	case "Limit":
		q.limit = q.number(a)
	case "Offset":
		q.offset = q.number(a)
	case "Count", "TotalEntries", "Exists":
		q.cols = []string{"count(*)"}
	case "One":
		q.limit = "1"
	case "Returning":
		t, _ := known(a)
		q.ret = strings.Join(t, ", ")
	}
}

func (q *query) upperTables(a []Arg) {
	t, ok := known(a)
	if !ok || len(t) == 0 {
		q.fail("table not known")
	}
	q.from = append(q.from, t...)
}

// upperUpdate applies Update of a session, whose argument is a table, and
// that of rows, whose argument is what they become.
func (q *query) upperUpdate(a []Arg) {
	q.verb = "update"
	if len(q.from) == 0 {
		q.upperTables(a)
		return
	}
	q.upperSet(a)
}

// upperSet adds columns by a map or struct, or by names and values in turn.
func (q *query) upperSet(a []Arg) {
	if len(a) == 1 && a[0].Fields != nil {
		for _, k := range sortedKeys(a[0].Fields) {
			q.sets = append(q.sets, ident(a[0].Model.columnOrName(k))+" = "+q.w.value(a[0].Fields[k]))
		}
		return
	}
	if len(a) == 1 && a[0].Model != nil {
		for _, c := range a[0].Model.Columns {
			q.sets = append(q.sets, ident(c.Name)+" = "+q.w.ref(a[0].Ref))
		}
		return
	}
	for i := 0; i+1 < len(a); i += 2 {
		if !a[i].Known {
			q.fail("column that is set not known")
			return
		}
		name := strings.TrimSuffix(strings.TrimSpace(a[i].Text), " = ?")
		q.sets = append(q.sets, name+" = "+q.w.value(a[i+1]))
	}
	if len(q.sets) == 0 {
		q.fail("columns that are set not known")
	}
}

// upperRow adds the row of an insertion.
func (q *query) upperRow(s Step) {
	if s.Method == "UpdateReturning" && len(s.Args) > 0 {
		q.verb = "update"
		q.upperSet(s.Args)
		if m := s.Args[0].Model; m != nil {
			q.and(ident(m.key()) + " = " + q.w.ref(s.Args[0].Key))
		}
		return
	}
	q.verb = "insert"
	switch a := s.Args; {
	case len(a) == 1 && a[0].Fields != nil:
		var row []string
		for _, k := range sortedKeys(a[0].Fields) {
			q.names, row = append(q.names, ident(a[0].Model.columnOrName(k))), append(row, q.w.value(a[0].Fields[k]))
		}
		q.rows = append(q.rows, row)
	case s.Method == "Values":
		row := make([]string, 0, len(a))
		for _, v := range a {
			row = append(row, q.w.value(v))
		}
		q.rows = append(q.rows, row)
	}
}

// upperCond returns a condition: text with its values, a name and a value, or
// a map.
func (q *query) upperCond(a []Arg) string {
	if len(a) == 0 {
		return ""
	}
	switch {
	case a[0].Fields != nil:
		var parts []string
		for _, k := range sortedKeys(a[0].Fields) {
			parts = append(parts, q.upperPair(k, a[0].Fields[k]))
		}
		return guard(strings.Join(parts, " AND "), true)
	case a[0].Known && len(a) == 2 && !strings.ContainsAny(a[0].Text, "?$"):
		return q.upperPair(a[0].Text, a[1])
	case a[0].Known && strings.Contains(a[0].Type, "string"):
		return q.w.bind(a[0].Text, "?", a[1:])
	case len(a) == 1 && a[0].Call == "" && a[0].List == nil: // Find of a key
		return "id = " + q.w.value(a[0])
	}
	q.w.note("condition not known")
	return q.w.ref(0)
}

// upperPair compares a column with a value; the name may end in an operator.
func (q *query) upperPair(name string, v Arg) string {
	col, op, has := strings.Cut(strings.TrimSpace(name), " ")
	switch {
	case v.many() && (!has || strings.EqualFold(strings.TrimSpace(op), "in")):
		return ident(col) + " " + q.w.in(v, false)
	case v.many():
		return ident(col) + " " + q.w.in(v, true)
	case v.Type == "untyped nil":
		return ident(col) + " IS NULL"
	case !has:
		op = "="
	}
	return ident(col) + " " + strings.TrimSpace(op) + " " + q.w.value(v)
}
