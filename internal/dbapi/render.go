package dbapi

import "strings"

// Render returns the SQL that a builder chain sends, oldest step first, its
// finisher last. Parameters are numbered through all texts; params holds the
// Ref of each. A part that is not known is a parameter with Ref 0 where the
// grammar allows one, and reason says so; texts is nil when what is not
// known decides the statement itself, such as its table or its lock. open is
// the part of the reason that could lock beside what the texts say.
func Render(lib string, steps []Step) (texts []string, params []int, reason, open string) {
	w := &writer{lib: lib}
	texts, why := w.render(lib, steps)
	if why != "" {
		w.why = append([]string{why}, w.why...)
		texts = nil
	}
	if len(texts) == 0 {
		return nil, nil, strings.Join(w.why, "; "), ""
	}
	return texts, w.refs, strings.Join(w.why, "; "), w.open
}

// render dispatches on the library; why tells why there is no text at all.
func (w *writer) render(lib string, steps []Step) (texts []string, why string) {
	if len(steps) == 0 {
		return nil, "empty chain"
	}
	switch lib {
	case "gorm":
		return w.gorm(steps)
	case "gen":
		return w.gen(steps)
	case "squirrel":
		return w.squirrel(steps)
	case "bun", "gopg":
		return w.bun(lib, steps)
	case "pop":
		return w.pop(steps)
	case "goqu":
		return w.goqu(steps)
	case "upper":
		return w.upper(steps)
	case "jet":
		return w.jet(steps)
	case "ent":
		return w.ent(steps)
	case "sqlboiler":
		return w.sqlboiler(steps)
	case "xorm":
		return w.xorm(steps)
	}
	return nil, "chains of " + lib + " are not rendered"
}

// subquery returns the text of a chain used as a value.
func (w *writer) subquery(steps []Step) string {
	lib := steps[0].Lib
	if lib == "" {
		lib = w.lib
	}
	if lib == "gorm" || lib == "gen" {
		if last := steps[len(steps)-1].Method; !gormFinishers[last] {
			steps = append(append([]Step(nil), steps...), Step{Method: "Find"})
		}
	}
	texts, why := w.render(lib, steps)
	if why != "" || len(texts) != 1 {
		w.couldLock("sub-query not known: " + why)
		return "SELECT " + w.ref(0)
	}
	return texts[0]
}

// A query is the state of a chain.
type query struct {
	w        *writer
	verb     string // select, insert, update, delete
	with     []string
	prefix   []string
	distinct string
	cols     []string
	from     []string // tables with alias, as text
	model    *Model
	joins    []string
	where    []cond
	group    []string
	having   []string
	order    []string
	limit    string
	offset   string
	locks    []string
	sets     []string
	names    []string   // insert columns
	rows     [][]string // insert values
	source   string     // insert … select
	conflict string
	ret      string
	suffix   []string
	raw      string
	why      string // why there is no text
}

// A cond is one condition and how it joins those before it.
type cond struct {
	text string
	or   bool
}

// fail records the first reason why the chain has no text.
func (q *query) fail(why string) {
	if q.why == "" {
		q.why = why
	}
}

func (q *query) and(text string) {
	if text != "" {
		q.where = append(q.where, cond{text: text})
	}
}

// conditions joins the conditions as they were added.
func (q *query) conditions() string {
	var b strings.Builder
	for i, c := range q.where {
		if i > 0 {
			if c.or {
				b.WriteString(" OR ")
			} else {
				b.WriteString(" AND ")
			}
		}
		b.WriteString(guard(c.text, len(q.where) > 1))
	}
	return b.String()
}

// guard puts a condition in parentheses when an OR in it could escape.
func guard(text string, among bool) string {
	if l := strings.ToLower(text); among && (strings.Contains(l, " or ") || strings.Contains(l, " and ")) {
		return "(" + text + ")"
	}
	return text
}

// text returns the statement.
func (q *query) text() string {
	if q.raw != "" {
		return strings.Join(append([]string{q.raw}, q.suffix...), " ")
	}
	p := append([]string(nil), q.prefix...)
	if len(q.with) > 0 {
		p = append(p, "WITH "+strings.Join(q.with, ", "))
	}
	switch q.verb {
	case "insert":
		p = q.insertParts(p)
	case "update":
		p = append(p, "UPDATE "+first(q.from), "SET "+strings.Join(q.sets, ", "))
		if len(q.from) > 1 {
			p = append(p, "FROM "+strings.Join(q.from[1:], ", "))
		}
	case "delete":
		p = append(p, "DELETE FROM "+first(q.from))
		if len(q.from) > 1 {
			p = append(p, "USING "+strings.Join(q.from[1:], ", "))
		}
	default:
		p = q.selectParts(p)
	}
	if q.verb != "select" {
		if c := q.conditions(); c != "" && q.verb != "insert" {
			p = append(p, "WHERE "+c)
		}
		if q.ret != "" {
			p = append(p, "RETURNING "+q.ret)
		}
	}
	return strings.Join(append(p, q.suffix...), " ")
}

func (q *query) insertParts(p []string) []string {
	p = append(p, "INSERT INTO "+first(q.from))
	if len(q.names) > 0 {
		p = append(p, "("+strings.Join(q.names, ", ")+")")
	}
	switch {
	case q.source != "":
		p = append(p, q.source)
	case len(q.rows) > 0:
		rows := make([]string, len(q.rows))
		for i, r := range q.rows {
			rows[i] = "(" + strings.Join(r, ", ") + ")"
		}
		p = append(p, "VALUES "+strings.Join(rows, ", "))
	default:
		p = append(p, "DEFAULT VALUES")
	}
	if q.conflict != "" {
		p = append(p, q.conflict)
	}
	return p
}

func (q *query) selectParts(p []string) []string {
	cols := strings.Join(q.cols, ", ")
	if cols == "" {
		cols = "*"
	}
	p = append(p, "SELECT "+q.distinct+cols)
	if len(q.from) > 0 {
		p = append(p, "FROM "+strings.Join(q.from, ", "))
	}
	p = append(p, q.joins...)
	for _, part := range [...]struct{ word, text string }{
		{"WHERE ", q.conditions()}, {"GROUP BY ", strings.Join(q.group, ", ")}, {"HAVING ", strings.Join(q.having, " AND ")},
		{"ORDER BY ", strings.Join(q.order, ", ")}, {"LIMIT ", q.limit}, {"OFFSET ", q.offset},
	} {
		if part.text != "" {
			p = append(p, part.word+part.text)
		}
	}
	return append(p, q.locks...)
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// ident quotes a name; dots separate its parts. Text that is more than a
// name is kept as written.
func ident(name string) string {
	if name == "" || strings.ContainsAny(name, " \"()'*:,") {
		return name
	}
	return `"` + strings.ReplaceAll(name, ".", `"."`) + `"`
}

// known returns the constant texts of args, spreading slices, and whether
// all are known.
func known(args []Arg) (texts []string, ok bool) {
	ok = true
	for _, a := range args {
		switch {
		case a.Known:
			texts = append(texts, a.Text)
		case a.List != nil && a.Call == "":
			t, k := known(a.List)
			texts, ok = append(texts, t...), ok && k
		default:
			ok = false
		}
	}
	return texts, ok
}

// number returns a LIMIT or OFFSET.
func (q *query) number(args []Arg) string {
	if len(args) == 0 {
		return ""
	}
	if args[0].Known {
		return args[0].Text
	}
	return q.w.value(args[0])
}

// bound returns the text of args[0] with the rest bound to its placeholders.
// A text that is not known becomes a parameter.
func (q *query) bound(what, style string, args []Arg) string {
	if len(args) == 0 {
		return ""
	}
	a := args[0]
	switch {
	case a.Known:
		return q.w.bind(a.Text, style, args[1:])
	case exprCalls[a.Call] || len(a.Chain) > 0:
		return q.w.value(a)
	}
	q.w.note(what + " not known")
	return q.w.ref(a.Ref)
}
