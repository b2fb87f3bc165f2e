package dbapi

import "strings"

// sqlboiler renders a query of volatiletech/sqlboiler: the steps that change
// it in place, each with values or with mods, which are calls of functions.
func (w *writer) sqlboiler(steps []Step) ([]string, string) {
	q := &query{w: w, verb: "select"}
	for _, s := range steps {
		switch {
		case s.Method == "Insert" || s.Method == "Update" || s.Method == "Upsert":
			return w.boilWrite(s)
		case s.Method == "Raw" || s.Method == "RawG":
			q.boilRaw(s.Args)
		case s.Method == "Apply":
			q.boilMods(s.Args)
		case s.Method == "SetCount":
			q.cols = []string{"count(*)"}
		case s.Method == "SetDelete":
			q.verb = "delete"
		case s.Method == "SetUpdate":
			q.verb = "update"
			q.boilSet(s.Args)
		default:
			q.boilPart(strings.TrimPrefix(strings.TrimPrefix(s.Method, "Set"), "Append"), s.Args)
		}
	}
	if q.raw == "" && len(q.from) == 0 {
		q.fail("table not known")
	}
	if q.why != "" {
		return nil, q.why
	}
	return []string{q.text()}, ""
}

func (q *query) boilRaw(a []Arg) {
	if len(a) == 0 || !a[0].Known {
		q.fail("SQL text not known")
		return
	}
	q.raw = q.w.bind(a[0].Text, "?", a[1:])
}

// boilMods applies a list of mods. One that is not known may be a lock.
func (q *query) boilMods(list []Arg) {
	for _, m := range list {
		switch {
		case m.Call == "" && m.List != nil, m.Call == "go:append":
			q.boilMods(m.List)
		case strings.Contains(m.Call, "/queries/qm."), strings.Contains(m.Call, "/queries/qmhelper."):
			q.boilMod(m.Call[strings.LastIndexByte(m.Call, '.')+1:], strings.Contains(m.Call, "qmhelper."), m.List)
		case m.Text == "nil" && m.Known: // no mods
		default:
			q.fail("query mod not known")
		}
	}
}

// boilMod applies the mod that a function of qm makes, or one of qmhelper.
func (q *query) boilMod(name string, helper bool, a []Arg) {
	switch {
	case helper:
		q.and(q.boilCompare(name, a))
	case name == "SQL":
		q.boilRaw(a)
	case name == "Load":
		if lockMod(a) {
			q.fail("the rows of a relation, which a query of their own locks")
		}
	case name == "Expr":
		inner := &query{w: q.w}
		inner.boilMods(a)
		if c := inner.conditions(); c != "" {
			q.and("(" + c + ")")
		}
	case name == "Or2":
		q.boilMods(a)
		if n := len(q.where); n > 0 {
			q.where[n-1].or = true
		}
	default:
		q.boilPart(name, a)
	}
}

// lockMod reports whether a locking clause is among mods.
func lockMod(list []Arg) bool {
	for _, m := range list {
		if strings.HasSuffix(m.Call, "/qm.For") || lockMod(m.List) {
			return true
		}
	}
	return false
}

// boilPart applies a part of a statement: by the name of its mod, or of what
// sets it.
func (q *query) boilPart(name string, a []Arg) {
	switch name {
	case "Where", "And", "WhereIn", "AndIn", "WhereNotIn", "AndNotIn", "In", "NotIn":
		q.and(q.boilIn(a))
	case "Or", "OrIn", "OrNotIn":
		q.where = append(q.where, cond{q.boilIn(a), true})
	case "For":
		if t, ok := known(a); !ok || len(t) != 1 {
			q.fail("locking clause not known")
		} else {
			q.locks = append(q.locks, "FOR "+t[0])
		}
	case "From":
		if t, ok := known(a); !ok {
			q.fail("table not known")
		} else {
			q.from = append(q.from, t...)
		}
	case "InnerJoin", "LeftOuterJoin", "RightOuterJoin", "FullOuterJoin":
		if len(a) == 0 || !a[0].Known {
			q.fail("join not known")
			return
		}
		word := strings.ToUpper(strings.TrimSuffix(name, "Join"))
		word = strings.TrimSuffix(word, "OUTER")
		q.joins = append(q.joins, word+" JOIN "+q.bound("join", "?", spreadArgs(a)))
	case "With":
		if len(a) == 0 || !a[0].Known {
			q.fail("WITH query not known")
			return
		}
		q.with = append(q.with, q.bound("WITH query", "?", spreadArgs(a)))
	case "OrderBy":
		q.order = append(q.order, q.bound("order", "?", spreadArgs(a)))
	case "GroupBy":
		q.group = append(q.group, q.bound("group", "?", a))
	case "Having":
		q.having = append(q.having, q.bound("condition", "?", spreadArgs(a)))
	case "Limit":
		q.limit = q.number(a)
	case "Offset":
		q.offset = q.number(a)
	case "Distinct":
		q.distinct = "DISTINCT "
	}
}

// spreadArgs takes the slice of variadic arguments apart.
func spreadArgs(a []Arg) []Arg {
	if n := len(a); n > 0 && a[n-1].List != nil && a[n-1].Call == "" {
		return append(a[:n-1:n-1], a[n-1].List...)
	}
	return a
}

// boilIn returns a condition; that of WhereIn has one placeholder for all
// values, which most programs hand on as one slice.
func (q *query) boilIn(a []Arg) string {
	a = spreadArgs(a)
	if len(a) > 1 && a[0].Known && strings.Contains(strings.ToLower(a[0].Text), " in ?") {
		values := Arg{List: a[1:]}
		if len(a) == 2 && a[1].List == nil {
			values = Arg{Type: "[]any", Ref: a[1].Ref}
		}
		a = []Arg{a[0], values}
	}
	return q.bound("condition", "?", a)
}

// boilCompare returns the condition that a function of qmhelper makes.
func (q *query) boilCompare(name string, a []Arg) string {
	if len(a) == 0 || !a[0].Known {
		q.w.note("condition not known")
		return q.w.ref(0)
	}
	col := a[0].Text
	switch {
	case name == "WhereIsNull":
		return col + " IS NULL"
	case name == "WhereIsNotNull":
		return col + " IS NOT NULL"
	case name == "WhereNullEQ" && len(a) == 3:
		if a[1].Text == "true" {
			return col + " <> " + q.w.value(a[2])
		}
		return col + " = " + q.w.value(a[2])
	case len(a) == 3 && a[1].Known:
		return col + " " + a[1].Text + " " + q.w.value(a[2])
	}
	q.w.note("condition not known")
	return col + " LIKE " + q.w.ref(0)
}

// boilSet sets the columns of a map.
func (q *query) boilSet(a []Arg) {
	if len(a) == 1 && a[0].Fields != nil {
		for _, k := range sortedKeys(a[0].Fields) {
			q.sets = append(q.sets, ident(k)+" = "+q.w.value(a[0].Fields[k]))
		}
	}
	if len(q.sets) == 0 {
		q.fail("columns that are set not known")
	}
}

// boilWrite renders a generated method that writes a row: the table, the
// columns of its key and the row stand before what the method is called with.
func (w *writer) boilWrite(s Step) ([]string, string) {
	if len(s.Args) < 4 || !s.Args[0].Known {
		return nil, "table not known"
	}
	keys, _ := known(s.Args[1:2])
	a := s.Args[3:]
	b := &bunChain{query: query{w: w, verb: strings.ToLower(s.Method)}, dest: s.Args[2]}
	b.model, b.from = b.dest.Model, []string{s.Args[0].Text}
	if b.model == nil {
		return nil, "columns not known"
	}
	b.cols = boilColumns(a[len(a)-1])
	switch s.Method {
	case "Insert":
		b.insert()
	case "Upsert":
		b.verb = "insert"
		b.insert()
		b.conflict = b.boilConflict(keys, a)
	case "Update":
		m := *b.model
		m.Keys = keys
		b.model = &m
		b.update()
		for _, k := range keys {
			b.and(ident(k) + " = " + w.ref(b.dest.Fields[m.fieldOf(k)].Ref))
		}
		if len(keys) == 0 {
			return nil, "key not known"
		}
	}
	return []string{b.text()}, ""
}

// boilConflict returns the conflict clause of an upsert: whether it updates,
// the columns of the conflict, those that are updated.
func (b *bunChain) boilConflict(keys []string, a []Arg) string {
	if len(a) < 4 || a[0].Text == "false" {
		return "ON CONFLICT DO NOTHING"
	}
	on, ok := known(a[1:2])
	if !ok || len(on) == 0 || on[0] == "nil" {
		on = keys
	}
	cols := boilColumns(a[2])
	var sets []string
	for _, c := range b.model.Columns {
		if !contains(keys, c.Name) && (len(cols) == 0 || contains(cols, c.Name)) {
			sets = append(sets, ident(c.Name)+` = EXCLUDED.`+ident(c.Name))
		}
	}
	if len(on) == 0 || len(sets) == 0 {
		b.w.note("conflict clause not known")
		return "ON CONFLICT DO NOTHING"
	}
	for i := range on {
		on[i] = ident(on[i])
	}
	return "ON CONFLICT (" + strings.Join(on, ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ")
}

// boilColumns returns the columns of a whitelist, nil for every other choice
// of columns.
func boilColumns(a Arg) []string {
	if !strings.HasSuffix(a.Call, "/boil.Whitelist") {
		return nil
	}
	cols, _ := known(a.List)
	return cols
}
