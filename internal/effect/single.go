package effect

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// boundBy reports whether the equalities whose values come from outside or
// from entries already known to give one row bind a whole unique key.
func (q *query) boundBy(r *rte, eqs []equality, single map[*rte]bool) bool {
	cols := map[string]bool{}
	one := false // by a value from outside, or by what is called an id: good enough for a relation that is not known
	for _, e := range eqs {
		if q.fixed(e, single, 0) {
			cols[e.col] = true
			one = one || len(e.other) == 0 || e.col == "id" || e.col == "oid"
		}
	}
	if r.ref.rel == nil || len(r.ref.indexes()) == 0 && len(r.ref.rel.Columns) == 0 {
		return one && r.kind == rteRelation
	}
	for _, x := range r.ref.indexes() {
		if keyBound(x, cols) || q.bindsIndex(r, x, cols, single) {
			return true
		}
	}
	return false
}

// fixed reports whether the value of an equality is one value for the whole
// statement: from outside, of a row that is the only one, or equal to such a
// value by another condition.
func (q *query) fixed(e equality, single map[*rte]bool, depth int) bool {
	for _, o := range e.other {
		if single[o] {
			continue
		}
		if e.same == "" || len(e.other) > 1 || depth > 4 {
			return false
		}
		eqs, _ := q.bindings(q.machine, o)
		if !slices.ContainsFunc(eqs, func(f equality) bool {
			return f.col == e.same && !contains(f.other, e.of) && q.fixed(f, single, depth+1)
		}) {
			return false
		}
	}
	return true
}

func contains(list []*rte, r *rte) bool { return slices.Contains(list, r) }

// bindsIndex reports whether the conditions bind a unique index that is
// partial or on expressions: its predicate stands among them, and so does an
// equality with each of its expressions.
func (q *query) bindsIndex(r *rte, x *schema.Index, cols map[string]bool, single map[*rte]bool) bool {
	if !x.Unique || !x.Partial && !hasExpr(x) || len(x.Columns) == 0 {
		return false
	}
	if x.Partial {
		for _, c := range conjuncts(condition(x.Where)) {
			if !q.states(r, c) {
				return false
			}
		}
	}
	exprs := x.Exprs
	for _, c := range x.Columns {
		switch {
		case c != "":
			if !cols[c] {
				return false
			}
		case len(exprs) == 0 || !q.equated(r, exprs[0], single):
			return false
		default:
			exprs = exprs[1:]
		}
	}
	return true
}

// condition parses the text of an expression.
func condition(text string) *pgsql.Node {
	if s := selectOf("SELECT " + text); s != nil && len(s.GetTargetList()) == 1 {
		return s.GetTargetList()[0].GetResTarget().GetVal()
	}
	return nil
}

// states reports whether a condition on an entry stands among those of the
// query.
func (q *query) states(r *rte, c *pgsql.Node) bool {
	want := q.plain(r, c)
	return slices.ContainsFunc(q.quals, func(n *pgsql.Node) bool { return q.plain(r, n) == want })
}

// equated reports whether an expression on an entry is set equal to a fixed
// value.
func (q *query) equated(r *rte, expr string, single map[*rte]bool) bool {
	want := q.plain(r, condition(expr))
	return slices.ContainsFunc(q.quals, func(n *pgsql.Node) bool {
		x := n.GetAExpr()
		if x == nil || x.GetKind() != pgsql.A_Expr_Kind_AEXPR_OP || operatorName(x) != "=" {
			return false
		}
		for _, side := range [][2]*pgsql.Node{{x.GetLexpr(), x.GetRexpr()}, {x.GetRexpr(), x.GetLexpr()}} {
			if q.plain(r, side[0]) == want {
				e := q.bind(q.machine, r, "", side[1])
				own := false
				q.visit(side[1], func(c *pgsql.ColumnRef) { own = own || q.owner(q.machine, c) == r })
				return !own && q.fixed(e, single, 0)
			}
		}
		return false
	})
}

// plain writes an expression without the name of the entry that its columns
// belong to.
func (q *query) plain(r *rte, n *pgsql.Node) string {
	return strings.ReplaceAll(pgsql.Expr(n), r.alias+".", "")
}

func keyBound(x *schema.Index, cols map[string]bool) bool {
	if !x.Unique || x.Partial || hasExpr(x) {
		return false
	}
	for _, c := range x.Columns {
		if !cols[c] {
			return false
		}
	}
	return true
}

// singles returns the entries that give one row at most.
func (q *query) singles() map[*rte]bool {
	if q.single1 == nil {
		q.single1 = q.findSingles()
	}
	return q.single1
}

func (q *query) findSingles() map[*rte]bool {
	m := q.machine
	single := map[*rte]bool{}
	for changed := true; changed; {
		changed = false
		for _, r := range q.rtes {
			if single[r] {
				continue
			}
			one := false
			switch {
			case r.kind == rteRelation && !r.view:
				eqs, _ := q.bindings(m, r)
				one = q.boundBy(r, eqs, single)
			case r.kind == rteFunc:
				one = r.fn != nil && !m.setReturning(rangeCall(r.fn))
			case r.view:
				one = q.viewSingle(r)
			default:
				if s := r.query(); s != nil {
					one = s.one()
				}
			}
			if one {
				single[r], changed = true, true
			}
		}
	}
	return single
}

func (q *query) viewSingle(r *rte) bool {
	if r.sub == nil {
		return false
	}
	q.pushInto(r)
	return r.sub.one()
}

func (q *query) single(r *rte) bool { return q.singles()[r] }

// one reports whether the query gives one row at most.
func (q *query) one() bool {
	if q.one1 != nil {
		return q.one1()
	}
	if q.left != nil || q.sel == nil && q.target == nil {
		return false
	}
	if n := len(q.sel.GetValuesLists()); n > 0 {
		return n == 1
	}
	if q.bounded() || q.aggregate() {
		return true
	}
	for _, t := range q.sel.GetTargetList() {
		if q.machine.multiplies(t.GetResTarget().GetVal()) {
			return false
		}
	}
	single := q.singles()
	for _, r := range q.rtes {
		if !single[r] {
			return false
		}
	}
	return true
}

// differs reports whether an expression of the select list can have another
// value in each row of the result.
func (q *query) differs(n *pgsql.Node) bool {
	found := q.machine.multiplies(n)
	q.visit(n, func(c *pgsql.ColumnRef) {
		r := q.owner(q.machine, c)
		found = found || r != nil && !q.single(r)
	})
	return found
}

// bounded reports whether LIMIT lets one row through.
func (q *query) bounded() bool {
	c := q.sel.GetLimitCount().GetAConst()
	return c != nil && c.GetIval().GetIval() == 1
}

func (q *query) limit() bool {
	l := q.sel.GetLimitCount()
	return l != nil && !l.GetAConst().GetIsnull()
}

// aggregate reports whether the select list collapses all rows into one.
func (q *query) aggregate() bool {
	if q.sel == nil || len(q.sel.GetGroupClause()) > 0 {
		return false
	}
	for _, t := range q.sel.GetTargetList() {
		if isAggregate(t.GetResTarget().GetVal()) {
			return true
		}
	}
	return false
}

func isAggregate(n *pgsql.Node) bool {
	if f := n.GetFuncCall(); f != nil && f.GetOver() == nil && (f.GetAggStar() || aggregates[functionName(f)]) {
		return true
	}
	for _, c := range children(n) {
		if c != nil && isAggregate(c) {
			return true
		}
	}
	return false
}

// push returns the equalities that a query outside puts on an entry of a
// view or subquery.
func (q *query) push(r *rte) []prog.Col { return q.pushedEq[r] }

// pushInto carries the equalities on a view's or subquery's columns to the
// tables they come from.
func (q *query) pushInto(r *rte) {
	sub := r.query()
	if sub == nil || sub.sel == nil || sub.left != nil || sub.limit() || len(sub.sel.GetGroupClause()) > 0 {
		return
	}
	eqs, _ := q.bindings(q.machine, r)
	pushed := map[*rte][]prog.Col{}
	for _, e := range eqs {
		n, _ := sub.target0(e.col)
		c := n.GetColumnRef()
		var o *rte
		col := e.col
		if c != nil {
			o = sub.owner(nil, c)
			fs := fields(c)
			col = fs[len(fs)-1]
		} else if n == nil && len(sub.rtes) == 1 {
			o = sub.rtes[0] // through *
		}
		if o != nil && len(e.other) == 0 {
			pushed[o] = append(pushed[o], prog.Col{Name: col, Val: e.val})
		}
	}
	if len(pushed) > 0 {
		sub.pushedEq, sub.bound, sub.single1 = pushed, nil, nil
	}
}
