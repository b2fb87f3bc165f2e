package effect

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
)

// A sieve is what the conditions of a query say about one column, as far as
// planning can use it to leave out partitions (manual of version 15,
// 5.11.4). The zero sieve lets everything through.
type sieve struct {
	op   string // and, or, in, <, >, <=, >=, <>, null, not null
	vals []literal
	kids []sieve
}

// sift reads the conditions of a query about a column of an entry.
func (q *query) sift(m *machine, r *rte, col string) sieve {
	s := sieve{op: "and"}
	for _, c := range q.push(r) {
		if v, ok := evaluate(c.Val); ok && c.Name == col {
			s.kids = append(s.kids, sieve{op: "in", vals: []literal{v}})
		}
	}
	for _, n := range q.quals {
		s.kids = append(s.kids, q.siftOne(m, r, col, n))
	}
	return s
}

func (q *query) siftOne(m *machine, r *rte, col string, n *pgsql.Node) sieve {
	if t := n.GetNullTest(); t != nil && q.columnIn(r, t.GetArg()) == col {
		return sieve{op: map[bool]string{true: "null", false: "not null"}[t.GetNulltesttype() == pgsql.NullTestType_IS_NULL]}
	}
	if b := n.GetBoolExpr(); b != nil && b.GetBoolop() == pgsql.BoolExprType_NOT_EXPR {
		return q.siftOne(m, r, col, b.GetArgs()[0]).not()
	}
	if b := n.GetBoolExpr(); b != nil {
		s := sieve{op: map[pgsql.BoolExprType]string{pgsql.BoolExprType_AND_EXPR: "and", pgsql.BoolExprType_OR_EXPR: "or"}[b.GetBoolop()]}
		for _, x := range b.GetArgs() {
			s.kids = append(s.kids, q.siftOne(m, r, col, x))
		}
		return s
	}
	x := n.GetAExpr()
	if x == nil {
		return sieve{}
	}
	op := operatorName(x)
	switch x.GetKind() {
	case pgsql.A_Expr_Kind_AEXPR_OP:
		if q.columnIn(r, x.GetLexpr()) == col {
			return q.comparesOne(m, r, op, x.GetRexpr())
		}
		if q.columnIn(r, x.GetRexpr()) == col {
			return q.comparesOne(m, r, turned[op], x.GetLexpr())
		}
	case pgsql.A_Expr_Kind_AEXPR_IN:
		if q.columnIn(r, x.GetLexpr()) == col {
			s := q.compares(m, "in", x.GetRexpr().GetList().GetItems())
			if op == "<>" {
				s = s.not()
			}
			return s
		}
	case pgsql.A_Expr_Kind_AEXPR_OP_ALL:
		if a := x.GetRexpr().GetAArrayExpr(); a != nil && op == "<>" && q.columnIn(r, x.GetLexpr()) == col {
			return q.compares(m, "in", a.GetElements()).not()
		}
	case pgsql.A_Expr_Kind_AEXPR_OP_ANY:
		if a := x.GetRexpr().GetAArrayExpr(); a != nil && op == "=" && q.columnIn(r, x.GetLexpr()) == col {
			return q.compares(m, "in", a.GetElements())
		}
	case pgsql.A_Expr_Kind_AEXPR_BETWEEN:
		if items := x.GetRexpr().GetList().GetItems(); len(items) == 2 && q.columnIn(r, x.GetLexpr()) == col {
			return sieve{op: "and", kids: []sieve{q.compares(m, ">=", items[:1]), q.compares(m, "<=", items[1:])}}
		}
	}
	return sieve{}
}

// not is what the negation of a condition lets through.
func (s sieve) not() sieve {
	switch {
	case s.op == "and" || s.op == "or":
		n := sieve{op: map[string]string{"and": "or", "or": "and"}[s.op]}
		for _, k := range s.kids {
			n.kids = append(n.kids, k.not())
		}
		return n
	case s.op == "in" && len(s.vals) > 1:
		return allOf(s.vals)
	}
	return sieve{op: negated[s.op], vals: s.vals}
}

// allOf lets through what differs from all of the values.
func allOf(vals []literal) sieve {
	s := sieve{op: "and"}
	for _, v := range vals {
		s.kids = append(s.kids, sieve{op: "<>", vals: []literal{v}})
	}
	return s
}

var negated = map[string]string{"null": "not null", "not null": "null", "in": "<>", "<>": "in", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}

var turned = map[string]string{"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

// comparesOne is a comparison with one value, or an equality with a column of
// another entry that has one.
func (q *query) comparesOne(m *machine, r *rte, op string, n *pgsql.Node) sieve {
	s := q.compares(m, op, []*pgsql.Node{n})
	if c := n.GetColumnRef(); s.op == "" && op == "=" && c != nil {
		o := q.owner(m, c)
		if o == nil || o == r || o.outer || r.outer || !slices.Contains(q.rtes, o) {
			return s
		}
		fs := fields(c)
		for _, k := range q.constants(m, o, fs[len(fs)-1]) {
			return sieve{op: "in", vals: []literal{k}}
		}
	}
	return s
}

// constants lists the values that the conditions want a column to have.
func (q *query) constants(m *machine, r *rte, col string) (out []literal) {
	eqs, _ := q.bindings(m, r)
	for _, e := range eqs {
		if v, ok := evaluate(e.val); ok && e.col == col {
			out = append(out, v)
		}
	}
	return out
}

// compares is a comparison with values that planning knows, or the zero
// sieve.
func (q *query) compares(m *machine, op string, ns []*pgsql.Node) sieve {
	switch op {
	case "=":
		op = "in"
	case "in", "<>", "<", ">", "<=", ">=":
	default:
		return sieve{}
	}
	s := sieve{op: op}
	for _, n := range ns {
		v, ok := evaluate(m.val(q, n))
		if !ok {
			return sieve{}
		}
		s.vals = append(s.vals, v)
	}
	return s
}

// A cell is one partition as pruning sees it: values of a list, or a range of
// its first column.
type cell struct {
	list      []string
	low, high string
	wide      bool     // there are further columns: the upper bound belongs to it
	from, to  []string // of all columns
	gap       bool     // of the default partition, where NULL is
}

// A board holds the partitions of a table.
type board struct {
	strategy string
	cells    map[*schema.Relation]cell
	text     bool   // the column holds text: unequal spellings are unequal values
	gaps     []cell // of ranges: what only the default partition can hold
	order    []*schema.Relation
}

func newBoard(m *machine, parent *schema.Relation) (b *board, col string) {
	strategy, cols := partitionKey(parent.PartitionBy)
	if len(cols) == 0 || strategy != "list" && strategy != "range" {
		return nil, ""
	}
	b = &board{strategy: strategy, cells: map[*schema.Relation]cell{}}
	for _, c := range parent.Columns {
		if c.Name == cols[0] {
			t, _, _ := strings.Cut(c.Type, "(")
			b.text = t == "text" || t == "character varying" || t == "character" || t == "uuid" || t == "boolean" || !strings.ContainsAny(t, " ") && m.cat.Relation("", t) == nil && !plainType[t]
		}
	}
	for _, part := range m.cat.Children(parent.Name) {
		c := cell{wide: len(cols) > 1}
		switch {
		case part.Bound == "DEFAULT":
			continue
		case strategy == "list":
			c.list = splitBound(between(part.Bound, "IN (", ""))
		default:
			c.from, c.to = splitBound(between(part.Bound, "FROM (", ") TO (")), splitBound(between(part.Bound, ") TO (", ""))
			c.low, c.high = c.from[0], c.to[0]
		}
		b.cells[part] = c
		b.order = append(b.order, part)
	}
	if strategy == "range" {
		b.findGaps()
	}
	return b, cols[0]
}

func (b *board) findGaps() {
	from := "MINVALUE"
	for _, part := range b.order {
		c := b.cells[part]
		if c.low != from || c.wide {
			b.gaps = append(b.gaps, cell{low: from, high: c.low, wide: c.wide, gap: true})
		}
		from = c.high
	}
	if from != "MAXVALUE" || len(b.order) > 0 && b.cells[b.order[0]].wide {
		b.gaps = append(b.gaps, cell{low: from, high: "MAXVALUE", gap: true})
	}
}

// plainType lists types whose values have several spellings.
var plainType = map[string]bool{"date": true, "numeric": true, "interval": true, "timestamptz": true, "timestamp": true, "integer": true, "bigint": true, "smallint": true, "real": true}

// splitBound parts the literals of a bound, which end with its parenthesis;
// texts keep one quote before and one behind them.
func splitBound(s string) []string {
	parts := []string{""}
	toks, _ := pgsql.Scan(s)
	open := 0
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		last := &parts[len(parts)-1]
		switch {
		case t.Is("("):
			open++
		case t.Is(")"):
			if open--; open < 0 {
				return parts
			}
		case t.Is(",") && open == 0:
			parts = append(parts, "")
		case t.Is("::"):
			i++
		case t.Kind == pgsql.Literal:
			*last += "'" + t.Value() + "'"
		default:
			*last += t.Text
		}
	}
	return parts
}

// survives reports whether pruning leaves a partition for rows of the set.
func (m *machine) survives(parent, part *schema.Relation, rows rowSet) bool {
	if m.generic {
		return true
	}
	strategy, cols := partitionKey(parent.PartitionBy)
	if strategy == "hash" {
		return m.hashed(parent, part, cols, rows)
	}
	b, col := newBoard(m, parent)
	if b == nil {
		return true
	}
	s := sieve{op: "and"}
	for _, e := range rows.eq {
		if v, ok := evaluate(e.Val); ok && e.Name == col {
			s.kids = append(s.kids, sieve{op: "in", vals: []literal{v}})
		}
	}
	if rows.sift != nil {
		s.kids = append(s.kids, rows.sift(col))
	}
	c, ok := b.cells[part]
	switch {
	case ok:
		return b.passes(s, &c) && (len(cols) < 2 || b.strategy == "list" || b.between(fixed(cols, rows), c))
	case b.strategy == "list":
		return b.passes(s, nil)
	}
	if key := fixed(cols, rows); len(key) == len(cols) && slices.ContainsFunc(b.order, func(o *schema.Relation) bool { return b.surely(key, b.cells[o]) }) {
		return false
	}
	return slices.ContainsFunc(b.gaps, func(c cell) bool { return b.passes(s, &c) })
}

// passes reports whether a cell, nil for the default partition of lists, can
// hold a value that a sieve lets through.
func (b *board) passes(s sieve, c *cell) bool {
	switch s.op {
	case "and":
		return !slices.ContainsFunc(s.kids, func(k sieve) bool { return !b.passes(k, c) })
	case "or":
		return len(s.kids) == 0 || slices.ContainsFunc(s.kids, func(k sieve) bool { return b.passes(k, c) })
	case "in":
		return slices.ContainsFunc(s.vals, func(v literal) bool { return b.holds(v, c) })
	case "null":
		if c == nil {
			return !slices.ContainsFunc(b.order, func(o *schema.Relation) bool { return slices.Contains(b.cells[o].list, "NULL") })
		}
		return c.gap || slices.Contains(c.list, "NULL")
	case "not null":
		return c == nil || b.strategy != "list" || slices.ContainsFunc(c.list, func(s string) bool { return s != "NULL" })
	case "<>", "<", ">", "<=", ">=":
		return c == nil || b.meets(s.op, s.vals[0], *c)
	}
	return true
}

// holds reports whether a value can lie in a cell; the default partition has
// what no list names.
func (b *board) holds(v literal, c *cell) bool {
	if c != nil {
		in, _ := b.in(v, *c)
		return in
	}
	return !slices.ContainsFunc(b.order, func(o *schema.Relation) bool {
		in, sure := b.in(v, b.cells[o])
		return in && sure
	})
}

// in reports whether a value lies in a cell, and whether that is sure.
func (b *board) in(v literal, c cell) (in, sure bool) {
	if b.strategy == "list" {
		unsure := false
		for _, s := range c.list {
			n, ok := b.against(v, s)
			if ok && n == 0 {
				return true, true
			}
			unsure = unsure || !ok
		}
		return unsure, !unsure
	}
	low, ok1 := b.against(v, c.low)
	high, ok2 := b.against(v, c.high)
	if !ok1 || !ok2 {
		return true, false
	}
	return low >= 0 && (high < 0 || c.wide && high == 0), true
}

// meets reports whether some value of a cell can satisfy a comparison.
func (b *board) meets(op string, v literal, c cell) bool {
	if b.strategy == "list" {
		return slices.ContainsFunc(c.list, func(s string) bool {
			n, ok := b.against(v, s) // v against s
			return !ok || s != "NULL" && satisfies(-n, op)
		})
	}
	low, ok1 := b.against(v, c.low)
	high, ok2 := b.against(v, c.high)
	switch {
	case !ok1 || !ok2:
		return true
	case op == "<":
		return low > 0
	case op == "<=":
		return low >= 0
	case op == ">" || op == ">=":
		return high < 0 || c.wide && high == 0
	}
	return true
}

func satisfies(n int, op string) bool {
	switch op {
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	case ">=":
		return n >= 0
	case "<>":
		return n != 0
	}
	return n == 0
}

var isoTime = lazyregexp.New(`^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$`)

// against compares a value with one that a bound writes; ok is false when the
// texts do not tell.
func (b *board) against(v literal, s string) (n int, ok bool) {
	switch s {
	case "MINVALUE":
		return 1, true
	case "MAXVALUE":
		return -1, true
	case "NULL":
		return -1, true
	}
	s = strings.Trim(s, "'")
	if v.kind == "int" || integer.MatchString(s) && integer.MatchString(v.text()) {
		w, isInt := convert(textOf(s), "bigint")
		u, isInt2 := convert(v, "bigint")
		if !isInt || !isInt2 {
			return 0, false
		}
		return compareInt(u.n, w.n), true
	}
	t := v.text()
	if simple.MatchString(s) && simple.MatchString(t) {
		return strings.Compare(t, s), true
	}
	if isoTime.MatchString(s) && isoTime.MatchString(t) {
		return strings.Compare(t+midnight[len(t)], s+midnight[len(s)]), true
	}
	if t == s {
		return 0, true
	}
	return strings.Compare(t, s), b.text && b.strategy == "list"
}

var (
	midnight = map[int]string{10: " 00:00:00"}
	simple   = lazyregexp.New(`^[a-z]+$`) // texts that every collation sorts alike
	integer  = lazyregexp.New(`^-?\d{1,18}$`)
)

func compareInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
