package effect

import (
	"slices"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
)

// A lockedEntry is an entry of a subquery whose rows a locking clause locks.
type lockedEntry struct {
	q *query
	r *rte
}

// heldIn returns the strongest mode in which this statement holds all rows of
// r that the query reaches, because they are joined, by a whole unique key, to
// those that a subquery or CTE has locked; "" when it is not known to.
func (q *query) heldIn(m *machine, r *rte) string {
	if r.kind != rteRelation {
		return ""
	}
	columns := map[lockedEntry]map[string]bool{} // of r that are compared with the same column of the entry
	add := func(e lockedEntry, col, of string) {
		if e.r == nil || e.r.ref.name != r.ref.name || col != of {
			return
		}
		if columns[e] == nil {
			columns[e] = map[string]bool{}
		}
		columns[e][col] = true
	}
	eqs, _ := q.bindings(m, r)
	for _, e := range eqs {
		if len(e.other) == 1 && e.same != "" {
			from, of := columnOrigin(m, nil, e.other[0], e.same, 0)
			add(from, e.col, of)
		}
	}
	for _, n := range q.quals {
		sub, tests := q.memberOf(n)
		if sub == nil || sub.sel == nil || len(tests) != len(sub.sel.GetTargetList()) {
			continue
		}
		for i, t := range tests {
			if col := q.columnIn(r, t); col != "" {
				from, of := origin(m, sub, sub.sel.GetTargetList()[i].GetResTarget().GetVal(), 0)
				add(from, col, of)
			}
		}
	}
	best := ""
	for e, cols := range columns { // the strongest, whatever the order
		if mode := e.q.modeOf(e.r); wholeKeyIn(r.ref, cols) && slices.Index(strengths, mode) > slices.Index(strengths, best) {
			best = mode
		}
	}
	return best
}

// memberOf returns the subquery of a condition "… IN (SELECT …)" and what is
// looked up in it.
func (q *query) memberOf(n *pgsql.Node) (sub *query, tests []*pgsql.Node) {
	s, test := n.GetSubLink(), n.GetSubLink().GetTestexpr()
	if x := n.GetAExpr(); x.GetKind() == pgsql.A_Expr_Kind_AEXPR_OP_ANY {
		s, test = x.GetRexpr().GetSubLink(), x.GetLexpr() // = ANY (ARRAY(SELECT …))
	}
	if s == nil || test == nil {
		return nil, nil
	}
	if row := test.GetRowExpr(); row != nil {
		return q.subs[s], row.GetArgs()
	}
	return q.subs[s], []*pgsql.Node{test}
}

// maxOrigin bounds how many subqueries a column is followed through.
const maxOrigin = 12

// origin follows an expression of a query to the column of a table that it
// is, unchanged.
func origin(m *machine, q *query, n *pgsql.Node, depth int) (lockedEntry, string) {
	c := n.GetColumnRef()
	if c == nil || depth > maxOrigin {
		return lockedEntry{}, ""
	}
	r := q.owner(m, c)
	if r == nil {
		return lockedEntry{}, ""
	}
	_, name := column(c)
	return columnOrigin(m, q, r, name, depth+1)
}

// columnOrigin does the same for a column of an entry of q.
func columnOrigin(m *machine, q *query, r *rte, col string, depth int) (lockedEntry, string) {
	if r.kind == rteRelation && !r.view {
		if q == nil {
			return lockedEntry{}, ""
		}
		return lockedEntry{q, r}, col
	}
	s := r.query()
	if s == nil || s.sel == nil || s.left != nil || len(r.cols) > 0 || depth > maxOrigin {
		return lockedEntry{}, ""
	}
	n, star := s.target0(col)
	switch {
	case n != nil:
		return origin(m, s, n, depth)
	case star && len(s.rtes) == 1:
		return columnOrigin(m, s, s.rtes[0], col, depth+1)
	}
	return lockedEntry{}, ""
}

// modeOf returns the mode that a locking clause locks the rows of an entry in.
func (q *query) modeOf(r *rte) string {
	for _, k := range q.marks {
		if k.rte == r {
			return k.mode
		}
	}
	return ""
}

// wholeKeyIn reports whether the columns hold a unique key of the table.
func wholeKeyIn(r relref, cols map[string]bool) bool {
	if r.rel == nil {
		return cols["id"]
	}
	return slices.ContainsFunc(r.indexes(), func(x *schema.Index) bool { return keyBound(x, cols) })
}
