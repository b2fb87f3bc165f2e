package effect

import (
	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// bound reports whether the equalities whose values come from outside or
// from entries already known to give one row bind a whole unique key.
func bound(r *rte, eqs []equality, single map[*rte]bool) bool {
	cols := map[string]bool{}
	for _, e := range eqs {
		ok := true
		for _, o := range e.other {
			ok = ok && single[o]
		}
		if ok {
			cols[e.col] = true
		}
	}
	if r.ref.rel == nil || len(r.ref.indexes()) == 0 && len(r.ref.rel.Columns) == 0 {
		return len(cols) > 0 && r.kind == rteRelation
	}
	for _, x := range r.ref.indexes() {
		if keyBound(x, cols) {
			return true
		}
	}
	return false
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
				one = bound(r, eqs, single)
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
		if q.machine.setReturning(t.GetResTarget().GetVal().GetFuncCall()) {
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
