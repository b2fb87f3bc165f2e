package effect

import (
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A rowSet is what a statement says about the rows of one table it reaches.
type rowSet struct {
	eq     []prog.Col // equality predicates
	among  []prog.Col // columns that are one of a list
	unique bool       // eq binds a whole unique key
	many   bool
	order  string
	source string
	held   string                 // the strongest mode in which this statement holds them already, or ""
	by     string                 // the foreign key that sets them to NULL, or ""
	sift   func(col string) sieve // what else is said about a column, or nil
	gone   string                 // the column that says of each that it is soft-deleted, or ""
}

// loose reports whether the predicates can mean another row each time the
// statement runs again in one surrounding row.
func (r rowSet) loose() bool {
	for _, c := range r.eq {
		if c.Val.Kind == prog.VSQLCol {
			return true
		}
	}
	return !r.unique
}

// An equality is a column of an entry bound to a value.
type equality struct {
	col   string
	val   *prog.Val
	other []*rte // entries of the same level that the value depends on
	of    *rte   // the entry the column belongs to
	same  string // the column of the one other entry that the value is, or ""
}

// bindings returns the equalities of an entry, and how other predicates
// choose its rows.
func (q *query) bindings(m *machine, r *rte) (eqs []equality, source string) {
	if b, ok := q.bound[r]; ok {
		return b.eqs, b.source
	}
	eqs, source = q.readBindings(m, r)
	if q.bound == nil {
		q.bound = map[*rte]bindings{}
	}
	q.bound[r] = bindings{eqs, source}
	return eqs, source
}

// A bindings is what the conditions of a query say about one entry.
type bindings struct {
	eqs    []equality
	source string
}

func (q *query) readBindings(m *machine, r *rte) (eqs []equality, source string) {
	source = "all"
	for _, c := range q.push(r) {
		eqs = append(eqs, equality{col: c.Name, val: c.Val})
	}
	rank := func(s string) {
		if sourceRank[s] > sourceRank[source] {
			source = s
		}
	}
	for _, n := range q.quals {
		found, kind := q.qual(m, r, n)
		eqs = append(eqs, found...)
		rank(kind)
	}
	if len(eqs) > 0 {
		rank("equality")
	}
	return eqs, source
}

var sourceRank = map[string]int{"": 0, "all": 1, "range": 2, "equality": 3, "join": 4, "subquery": 5, "values": 6, "any": 7}

// qual reads one condition.
func (q *query) qual(m *machine, r *rte, n *pgsql.Node) (eqs []equality, source string) {
	if n.GetCurrentOfExpr() != nil {
		return nil, ""
	}
	if s := n.GetSubLink(); s != nil && s.GetSubLinkType() == pgsql.SubLinkType_ANY_SUBLINK {
		if col := q.columnIn(r, s.GetTestexpr()); col != "" {
			if sub := q.subs[s]; sub != nil && sub.sel != nil && !sub.correlated(m) && sub.one() {
				return []equality{{col: col, val: prog.Hole("subquery"), of: r}}, ""
			}
			return nil, "subquery"
		}
		return nil, "range"
	}
	x := n.GetAExpr()
	if x == nil || operatorName(x) != "=" {
		return nil, "range"
	}
	switch x.GetKind() {
	case pgsql.A_Expr_Kind_AEXPR_OP:
		return q.equals(m, r, x.GetLexpr(), x.GetRexpr())
	case pgsql.A_Expr_Kind_AEXPR_OP_ANY:
		if q.columnIn(r, x.GetLexpr()) != "" {
			return nil, "any"
		}
	case pgsql.A_Expr_Kind_AEXPR_IN:
		col := q.columnIn(r, x.GetLexpr())
		items := x.GetRexpr().GetList().GetItems()
		switch {
		case col != "" && len(items) == 1:
			return []equality{q.bind(m, r, col, items[0])}, ""
		case col != "" || x.GetLexpr().GetRowExpr() != nil:
			return nil, "any"
		}
	}
	return nil, "range"
}

func (q *query) equals(m *machine, r *rte, l, right *pgsql.Node) (eqs []equality, source string) {
	if a, b := l.GetRowExpr(), right.GetRowExpr(); a != nil && b != nil && len(a.GetArgs()) == len(b.GetArgs()) {
		for i := range a.GetArgs() {
			e, _ := q.equals(m, r, a.GetArgs()[i], b.GetArgs()[i])
			eqs = append(eqs, e...)
		}
		return eqs, ""
	}
	for _, side := range [][2]*pgsql.Node{{l, right}, {right, l}} {
		if col := q.columnIn(r, side[0]); col != "" && q.columnIn(r, side[1]) == "" {
			e := q.bind(m, r, col, side[1])
			for _, o := range e.other {
				if o.kind == rteValues || o.kind == rteFunc {
					return []equality{e}, "values"
				}
				return []equality{e}, "join"
			}
			return []equality{e}, ""
		}
	}
	return nil, "range"
}

func (q *query) bind(m *machine, r *rte, col string, n *pgsql.Node) equality {
	e := equality{col: col, val: m.val(q, n), of: r}
	q.visit(n, func(c *pgsql.ColumnRef) {
		if o := q.owner(m, c); o != nil && o != r {
			e.other = append(e.other, o)
		}
	})
	if len(e.other) == 1 {
		e.same = q.columnIn(e.other[0], n)
	}
	return e
}

func (q *query) visit(n *pgsql.Node, f func(*pgsql.ColumnRef)) {
	if n == nil {
		return
	}
	if c := n.GetColumnRef(); c != nil {
		f(c)
		return
	}
	for _, c := range children(n) {
		q.visit(c, f)
	}
}

// owner returns the entry of this level that a column belongs to.
func (q *query) owner(m *machine, c *pgsql.ColumnRef) *rte {
	of, name := column(c)
	n := len(c.GetFields())
	if n == 0 || n == 1 && isHole(name) {
		return nil
	}
	if n > 1 {
		for _, r := range q.rtes {
			if r.alias == of {
				return r
			}
		}
		return nil
	}
	var open []*rte
	for _, r := range q.rtes {
		known, has := r.has(name)
		if has {
			return r
		}
		if !known {
			open = append(open, r)
		}
	}
	if m != nil && m.env.value(name) != nil {
		return nil
	}
	if len(open) > 0 {
		return open[0]
	}
	return nil
}

// columnIn returns the column of r that the expression is, bare or under a
// cast, or "".
func (q *query) columnIn(r *rte, n *pgsql.Node) string {
	if c := n.GetTypeCast(); c != nil {
		n = c.GetArg()
	}
	c := n.GetColumnRef()
	if c == nil || q.owner(q.machine, c) != r {
		return ""
	}
	_, name := column(c)
	return name
}

// rows returns what the query says about the rows of one of its entries.
func (q *query) rows(m *machine, r *rte) rowSet {
	eqs, source := q.bindings(m, r)
	single := q.singles()
	out := rowSet{source: source}
	for _, e := range eqs {
		out.eq = addCol(out.eq, prog.Col{Name: e.col, Val: e.val})
	}
	out.unique = single[r] && r.kind == rteRelation && (r.ref.rel != nil || boundID(eqs))
	if out.unique {
		out.eq = wholeKey(r.ref, out.eq)
	}
	out.many = !single[r] && !q.bounded()
	for _, n := range q.quals {
		if n.GetCurrentOfExpr() != nil {
			out.many = false
		}
	}
	out.held, out.gone = q.heldIn(m, r), q.softDeleted()
	if out.many {
		out.among = q.among(m, r)
		out.order = q.order(r)
		if out.order == "plan" {
			out.order = q.borrowed(r, eqs)
		}
	}
	return out
}

// among returns the columns of an entry that are one of a list which the
// statement is given, with the list.
func (q *query) among(m *machine, r *rte) []prog.Col {
	var out []prog.Col
	for _, n := range q.quals {
		x := n.GetAExpr()
		if x.GetKind() != pgsql.A_Expr_Kind_AEXPR_OP_ANY || operatorName(x) != "=" {
			continue
		}
		if col := q.columnIn(r, x.GetLexpr()); col != "" {
			if v := m.val(q, x.GetRexpr()); v.Kind != prog.VHole {
				out = append(out, prog.Col{Name: col, Val: v})
			}
		}
	}
	return out
}

// borrowed is the order that rows are locked in because a subquery hands
// them out in it: a join with one, or IN over one that locks (R5.4).
func (q *query) borrowed(r *rte, eqs []equality) string {
	for _, e := range eqs {
		for _, o := range e.other {
			if s := o.query(); s != nil && s.sel != nil && s.order(nil) != "plan" {
				return s.order(nil)
			}
		}
	}
	for _, n := range q.quals {
		s, test := n.GetSubLink(), n.GetSubLink().GetTestexpr()
		if x := n.GetAExpr(); x.GetKind() == pgsql.A_Expr_Kind_AEXPR_OP_ANY {
			s, test = x.GetRexpr().GetSubLink(), x.GetLexpr() // = ANY (ARRAY(SELECT …))
		}
		if s == nil || test == nil || q.columnIn(r, test) == "" {
			continue
		}
		if sub := q.subs[s]; sub != nil && sub.sel != nil && len(sub.marks) > 0 {
			return sub.order(nil)
		}
	}
	return "plan"
}

// addCol adds a predicate; of two on one column the one that needs no other
// row is kept.
func addCol(cols []prog.Col, c prog.Col) []prog.Col {
	for i, o := range cols {
		if o.Name == c.Name {
			if o.Val.Kind == prog.VSQLCol || o.Val.Kind == prog.VHole {
				cols[i] = c
			}
			return cols
		}
	}
	return append(cols, c)
}

// wholeKey keeps of the predicates those on the first unique key that they
// bind, in the order of its columns.
func wholeKey(r relref, eq []prog.Col) []prog.Col {
	by := map[string]prog.Col{}
	set := map[string]bool{}
	for _, c := range eq {
		by[c.Name], set[c.Name] = c, true
	}
	if r.rel == nil {
		return []prog.Col{by["id"]}
	}
	for _, x := range r.indexes() {
		if keyBound(x, set) {
			var out []prog.Col
			for _, c := range x.Columns {
				out = append(out, by[c])
			}
			return out
		}
	}
	return eq
}

func boundID(eqs []equality) bool {
	for _, e := range eqs {
		if e.col == "id" {
			return true
		}
	}
	return false
}

func (q *query) source(r *rte) string {
	_, s := q.bindings(q.machine, r)
	return s
}

// order returns the order in which the rows of an entry, or of the whole
// query when r is nil, come out: by ORDER BY, else as the plan has it (R4.2).
func (q *query) order(r *rte) string {
	var cols []string
	for _, n := range q.sel.GetSortClause() {
		s := n.GetSortBy()
		col := q.sortColumn(r, s.GetNode())
		if s.GetSortbyDir() == pgsql.SortByDir_SORTBY_DESC {
			col += " desc"
		}
		cols = append(cols, col)
	}
	if len(cols) > 0 {
		return "by " + strings.Join(cols, ", ")
	}
	if q.sel != nil && len(q.rtes) == 1 && len(q.sel.GetGroupClause()) == 0 {
		if s := q.rtes[0].query(); s != nil && s.sel != nil {
			return s.order(nil)
		}
	}
	return "plan"
}

func (q *query) sortColumn(r *rte, n *pgsql.Node) string {
	if c := n.GetAConst(); c != nil && c.GetIval() != nil {
		if i := int(c.GetIval().GetIval()); i >= 1 && i <= len(q.sel.GetTargetList()) {
			n = q.sel.GetTargetList()[i-1].GetResTarget().GetVal()
		} else {
			return strconv.Itoa(i)
		}
	}
	c := n.GetColumnRef()
	if c == nil {
		return pgsql.Expr(n)
	}
	fs := fields(c)
	col := fs[len(fs)-1]
	if len(fs) == 1 {
		if t, _ := q.target0(col); t != nil && t.GetColumnRef() == nil {
			return pgsql.Expr(t) // an output name hides the column
		}
	}
	if o := q.owner(q.machine, c); r != nil && o != nil && o != r {
		return o.alias + "." + col
	}
	return col
}
