package dbapi

import "strings"

// pop renders a chain of gobuffalo/pop.
func (w *writer) pop(steps []Step) ([]string, string) {
	q := &query{w: w, verb: "select"}
	eager := false
	for _, s := range steps {
		a := s.Args
		switch s.Method {
		case "RawQuery":
			if len(a) == 0 || !a[0].Known {
				return nil, "SQL text not known"
			}
			q.raw = w.bind(a[0].Text, "?", a[1:])
		case "Where":
			q.and(q.bound("condition", "?", a))
		case "Order":
			q.order = append(q.order, q.bound("order", "?", a))
		case "GroupBy":
			t, _ := known(a)
			q.group = append(q.group, t...)
		case "Having":
			q.having = append(q.having, q.bound("condition", "?", a))
		case "Limit":
			q.limit = q.number(a)
		case "Paginate", "PaginateFromParams":
			q.limit, q.offset = w.ref(0), w.ref(0)
		case "Select":
			t, _ := known(a)
			q.cols = append(q.cols, t...)
		case "Join", "InnerJoin", "LeftJoin", "LeftOuterJoin", "RightJoin", "RightOuterJoin":
			q.popJoin(s)
		case "Eager", "EagerPreload":
			eager = true
		case "BelongsTo", "BelongsToAs", "BelongsToThrough", "Scope":
			w.note(s.Method + " left out")
		case "Q":
		default:
			if eager {
				w.note("associations left out")
			}
			texts := q.popFinish(s)
			return texts, q.why
		}
	}
	return nil, "the chain sends nothing"
}

func (q *query) popJoin(s Step) {
	a := s.Args
	if len(a) < 2 || !a[0].Known || !a[1].Known {
		q.fail("join not known")
		return
	}
	word := map[string]string{"Join": "JOIN", "InnerJoin": "INNER JOIN", "LeftJoin": "LEFT JOIN", "LeftOuterJoin": "LEFT OUTER JOIN",
		"RightJoin": "RIGHT JOIN", "RightOuterJoin": "RIGHT OUTER JOIN"}[s.Method]
	q.joins = append(q.joins, word+" "+a[0].Text+" ON "+q.w.bind(a[1].Text, "?", a[2:]))
}

// popFinish returns the statements of a finisher.
func (q *query) popFinish(s Step) []string {
	if q.raw != "" {
		return []string{q.raw}
	}
	if len(s.Args) == 0 {
		q.fail("model not known")
		return nil
	}
	dest := s.Args[0]
	table := dest.Table
	if dest.Model != nil {
		table = dest.Model.Table
	}
	if table == "" {
		q.fail("table not known")
		return nil
	}
	q.model = dest.Model
	q.popStatement(s, dest, table)
	if s.Method == "Exists" {
		return []string{"SELECT EXISTS (" + q.text() + ")"}
	}
	return []string{q.text()}
}

func (q *query) popStatement(s Step, dest Arg, table string) {
	key := table + ".id = "
	alias := " AS " + table
	if strings.Contains(table, ".") {
		alias = " AS " + strings.ReplaceAll(table, ".", "_")
		key = strings.ReplaceAll(table, ".", "_") + ".id = "
	}
	switch s.Method {
	case "Create", "ValidateAndCreate":
		q.verb, q.from = "insert", []string{ident(table)}
		q.popRow(dest)
	case "Update", "ValidateAndUpdate", "Save", "ValidateAndSave", "UpdateColumns", "UpdateQuery":
		q.verb, q.from = "update", []string{ident(table) + alias}
		q.popSets(s, dest)
		if s.Method != "UpdateQuery" {
			q.and(key + q.w.ref(dest.Key))
		}
	case "Destroy":
		q.verb, q.from = "delete", []string{ident(table) + alias}
		q.and(key + q.w.ref(dest.Key))
	case "Delete":
		q.verb, q.from = "delete", []string{ident(table) + alias}
	case "Find", "Reload":
		q.from, q.limit = []string{table + alias}, "1"
		id := Arg{Ref: dest.Key}
		if s.Method == "Find" && len(s.Args) > 1 {
			id = s.Args[1]
		}
		q.and(key + q.w.value(id))
	case "First", "Last":
		q.from, q.limit = []string{table + alias}, "1"
		if s.Method == "Last" {
			q.order = append(q.order, "created_at DESC", "id DESC")
		}
	case "Count", "CountByField":
		q.from, q.cols, q.order = []string{table + alias}, []string{"count(*)"}, nil
	default:
		q.from = []string{table + alias}
	}
}

func (q *query) popRow(dest Arg) {
	if dest.Model == nil {
		return
	}
	var row []string
	for _, c := range dest.Model.Columns {
		q.names = append(q.names, ident(c.Name))
		if v, ok := dest.Fields[c.Field]; ok {
			row = append(row, q.w.value(v))
			continue
		}
		row = append(row, q.w.ref(0))
	}
	if row != nil {
		q.rows = [][]string{row}
	}
}

func (q *query) popSets(s Step, dest Arg) {
	only, excluded := []string(nil), []string(nil)
	switch s.Method {
	case "UpdateColumns", "UpdateQuery":
		only, _ = known(s.Args[1:])
	default:
		excluded, _ = known(s.Args[1:])
	}
	if dest.Model != nil {
		for _, c := range dest.Model.Columns {
			if c.Name == "id" || c.Name == "created_at" || contains(excluded, c.Name) || only != nil && !contains(only, c.Name) && c.Name != "updated_at" {
				continue
			}
			// A whole row is written; mostly it leaves a column as it was.
			q.sets = append(q.sets, ident(c.Name)+" = "+ident(c.Name))
		}
	}
	if len(q.sets) == 0 {
		q.w.note("columns that are set not known")
		q.sets = []string{`"updated_at" = ` + q.w.ref(0)}
	}
}
