package effect

import (
	"slices"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// exec plays a query: FROM, conditions, select list, row locks (section 0 of
// the rules: rows come out of the plan, then are locked, then LIMIT counts).
func (m *machine) exec(q *query) {
	switch {
	case q == nil || m.left <= 0:
		return
	case q.run != nil:
		q.run()
		return
	case q.left != nil:
		m.exec(q.left)
		m.exec(q.right)
		return
	case q.sel == nil:
		return
	}
	if q.never() {
		return // a one-time filter that is false: tables are locked, nothing runs (R3.2)
	}
	m.eval(q, q.sel.GetLimitOffset())
	m.eval(q, q.sel.GetLimitCount())
	m.readFrom(q)
	m.conditions(q)
	p := m.rowPlace(q)
	many := p.many || !m.allSingle(q)
	if many && q.reads() && (p.limited || q.limit() || len(q.sel.GetDistinctClause()) > 0) {
		p.predicate = true
	}
	for _, row := range q.sel.GetValuesLists() {
		m.under(p, func() { m.evals(q, row.GetList().GetItems()) })
	}
	m.under(p, func() { m.arranges(q) })
	m.under(p, func() { m.evals(q, q.sel.GetTargetList()) })
	p.predicate = p.predicate || q.reads()
	m.under(p, func() { m.eval(q, q.sel.GetHavingClause()) })
	if !q.joined {
		m.lockRows(q)
	}
}

// arranges evaluates what rows are grouped and sorted by; a column of the
// select list that is named there is evaluated with the list.
func (m *machine) arranges(q *query) {
	m.evals(q, q.sel.GetGroupClause())
	for _, w := range q.sel.GetWindowClause() {
		m.eval(q, w)
	}
	var list []string
	for _, t := range q.sel.GetTargetList() {
		list = append(list, pgsql.Expr(t.GetResTarget().GetVal()))
	}
	for _, n := range append(slices.Clone(q.sel.GetDistinctClause()), q.sel.GetSortClause()...) {
		if s := n.GetSortBy(); s != nil {
			n = s.GetNode()
		}
		if n.GetAConst() == nil && !slices.Contains(list, pgsql.Expr(n)) {
			m.eval(q, n)
		}
	}
}

// rowPlace is the place of what runs for each row of the query.
func (m *machine) rowPlace(q *query) place {
	p := m.at
	if !q.one() || q.aggregate() && !m.allSingle(q) {
		p.many, p.order, p.source = true, q.order(nil), "all"
		if len(q.rtes) > 0 {
			if s := q.source(q.rtes[0]); q.rtes[0].kind == rteRelation {
				p.source = s
			} else if q.rtes[0].kind == rteValues || q.rtes[0].kind == rteFunc {
				p.source = "values"
			}
		}
		if len(q.sel.GetValuesLists()) > 0 {
			p.many, p.order, p.source = m.at.many, m.at.order, m.at.source
		}
	}
	return p
}

func (m *machine) allSingle(q *query) bool {
	single := q.singles()
	for _, r := range q.rtes {
		if !single[r] {
			return false
		}
	}
	return true
}

// reads reports whether rows of a table feed the query.
func (q *query) reads() bool {
	for _, r := range q.rtes {
		switch {
		case r.kind == rteRelation:
			return true
		case r.query() != nil && r.query() != q && r.cte == nil && r.query().reads():
			return true
		case r.kind == rteCTE:
			return true
		}
	}
	return false
}

// never reports whether a condition is a false constant.
func (q *query) never() bool {
	for _, n := range q.quals {
		if v, known := truth(n); known && !v && !q.joins[n] {
			return true
		}
	}
	return false
}

// truth returns the value of a constant condition.
func truth(n *pgsql.Node) (value, known bool) {
	if c := n.GetAConst(); c != nil {
		if b, ok := c.GetVal().(*pgsql.A_Const_Boolval); ok {
			return b.Boolval.GetBoolval(), true
		}
		if c.GetIsnull() {
			return false, true
		}
	}
	if t := n.GetTypeCast(); t != nil && pgsql.TypeName(t.GetTypeName()) == "boolean" {
		switch t.GetArg().GetAConst().GetSval().GetSval() {
		case "t", "true":
			return true, true
		case "f", "false":
			return false, true
		}
	}
	if s := n.GetSubLink().GetSubselect().GetSelectStmt(); s != nil && len(s.GetFromClause()) == 0 && s.GetWhereClause() == nil && len(s.GetTargetList()) == 1 {
		return truth(s.GetTargetList()[0].GetResTarget().GetVal())
	}
	return false, false
}

func (m *machine) readFrom(q *query) {
	for _, r := range q.rtes {
		if r == q.target {
			continue
		}
		p := m.at
		p.limited = p.limited || q.limit()
		if r.lateral && len(q.rtes) > 1 && !m.allSingle(q) {
			p.many, p.order, p.source = true, q.order(nil), "join"
		}
		m.under(p, func() { m.read(q, r) })
	}
}

func (m *machine) read(q *query, r *rte) {
	switch {
	case r.kind == rteCTE:
		m.start(r.cte)
	case r.view && r.sub != nil:
		q.pushInto(r)
		for _, k := range q.marks {
			if k.rte == r {
				r.sub.markAll(*k)
			}
		}
		r.sub.joined = r.sub.pushed && r.sub.simple()
		m.exec(r.sub)
	case r.kind == rteSub || r.kind == rteValues:
		q.pushInto(r)
		r.sub.joined = r.sub.pushed && r.sub.simple()
		m.exec(r.sub)
	case r.kind == rteFunc && r.fn != nil:
		m.evals(q, rangeCalls(r.fn))
	}
}

// start runs a CTE when it is first read: one that nothing reads is never
// run unless it changes data (R8.5, R5.10).
func (m *machine) start(c *cte) {
	if c.started || c.self {
		return
	}
	c.started = true
	m.exec(c.q)
}

// rest runs the data-modifying CTEs that nothing has read, in reverse
// written order (R5.10).
func (m *machine) rest(q *query) {
	for i := len(q.ctes) - 1; i >= 0; i-- {
		if q.ctes[i].change {
			m.start(q.ctes[i])
		}
	}
	for _, c := range q.ctes {
		if !c.change && c.q.asksForLocks() && !q.runs(c) {
			m.emit(prog.Op{Kind: prog.OpCheck, How: prog.NeverRun, Str: c.name})
		}
	}
}

// runs reports whether a CTE of q that only selects can be run: where something
// reads it that is not itself such a CTE that nothing reads (manual of version
// 16, section 7.8.2).
func (q *query) runs(c *cte) bool {
	return slices.ContainsFunc(c.by, func(reader *query) bool {
		for ; reader != nil && reader != q; reader = reader.up {
			for _, e := range q.ctes {
				if e.q == reader {
					return e.change || e != c && q.runs(e)
				}
			}
		}
		return true
	})
}

// asksForLocks reports whether a query is written to lock: it has a locking
// clause, or an advisory lock function among what it selects.
func (q *query) asksForLocks() bool {
	if q == nil || q.sel == nil {
		return false
	}
	if slices.ContainsFunc(q.marks, func(k *mark) bool { return k.explicit }) {
		return true
	}
	return slices.ContainsFunc(q.sel.GetTargetList(), func(t *pgsql.Node) bool { return locksAdvisory(t.GetResTarget().GetVal()) })
}

// locksAdvisory reports an expression that calls an advisory lock function.
func locksAdvisory(n *pgsql.Node) bool {
	if n == nil {
		return false
	}
	if f := n.GetFuncCall(); f != nil && advisory.MatchString(functionName(f)) {
		return true
	}
	return slices.ContainsFunc(children(n), locksAdvisory)
}

// advisory matches the functions that take advisory locks.
var advisory = lazyregexp.New(`^pg_(try_)?advisory_(xact_)?lock(_shared)?$`)

// conditions evaluates WHERE and JOIN conditions, whose calls run as often
// as the planner wants (R8.5).
func (m *machine) conditions(q *query) {
	p := m.rowPlace(q)
	if !m.allSingle(q) {
		p.many = true
		if p.order == "" {
			p.order, p.source = "plan", "range"
		}
	}
	if q.reads() {
		p.predicate = true
	}
	m.under(p, func() {
		m.applyPolicies(q)
		m.evals(q, q.quals)
	})
}

// applyPolicies evaluates row security, which other roles bypass (R3.4).
func (m *machine) applyPolicies(q *query) {
	if len(q.policies) > 0 {
		m.under(m.at.also(whenPolicy), func() { m.evals(q, q.policies) })
	}
}

func (m *machine) evals(q *query, ns []*pgsql.Node) {
	for _, n := range ns {
		m.eval(q, n)
	}
}

// eval plays the calls and subqueries of an expression, in the order of
// their evaluation.
func (m *machine) eval(q *query, n *pgsql.Node) {
	if n == nil {
		return
	}
	switch x := n.GetNode().(type) {
	case *pgsql.Node_AConst, *pgsql.Node_ColumnRef, *pgsql.Node_ParamRef:
	case *pgsql.Node_SubLink:
		m.sublink(q, x.SubLink)
	case *pgsql.Node_FuncCall:
		m.call(q, x.FuncCall)
	case *pgsql.Node_BoolExpr:
		m.shortCircuit(q, x.BoolExpr)
	case *pgsql.Node_CoalesceExpr:
		for i, a := range x.CoalesceExpr.GetArgs() {
			m.when(i > 0, "no earlier argument of coalesce has a value", func() { m.eval(q, a) })
			if c := a.GetAConst(); c != nil && !c.GetIsnull() {
				return
			}
		}
	case *pgsql.Node_CaseExpr:
		m.caseExpr(q, x.CaseExpr)
	case *pgsql.Node_TypeCast:
		m.eval(q, x.TypeCast.GetArg())
		m.domain(pgsql.TypeName(x.TypeCast.GetTypeName()), m.val(q, x.TypeCast.GetArg()))
	case *pgsql.Node_AExpr:
		m.evals(q, children(n))
		m.operate(q, x.AExpr)
	default:
		m.evals(q, children(n))
	}
}

func (m *machine) when(on bool, condition string, f func()) {
	if !on {
		f()
		return
	}
	m.under(m.at.also(condition), f)
}

// shortCircuit evaluates AND and OR left to right (R8.5).
func (m *machine) shortCircuit(q *query, b *pgsql.BoolExpr) {
	if b.GetBoolop() == pgsql.BoolExprType_NOT_EXPR {
		m.evals(q, b.GetArgs())
		return
	}
	or := b.GetBoolop() == pgsql.BoolExprType_OR_EXPR
	when := ""
	for _, a := range b.GetArgs() {
		m.when(when != "", when, func() { m.eval(q, a) })
		if v, known := truth(a); known {
			if v == or {
				return
			}
			continue
		}
		if or {
			when = "not (" + pgsql.Expr(a) + ")"
		} else {
			when = pgsql.Expr(a)
		}
	}
}

func (m *machine) caseExpr(q *query, c *pgsql.CaseExpr) {
	m.eval(q, c.GetArg())
	for _, n := range c.GetArgs() {
		w := n.GetCaseWhen()
		m.eval(q, w.GetExpr())
		v, known := truth(w.GetExpr())
		if known && c.GetArg() == nil {
			if v {
				m.eval(q, w.GetResult())
				return
			}
			continue
		}
		cond := pgsql.Expr(w.GetExpr())
		if c.GetArg() != nil {
			cond = pgsql.Expr(c.GetArg()) + " = " + cond
		}
		m.when(true, cond, func() { m.eval(q, w.GetResult()) })
	}
	if c.GetDefresult() != nil {
		m.when(len(c.GetArgs()) > 0, "no WHEN applies", func() { m.eval(q, c.GetDefresult()) })
	}
}

func (m *machine) subquery(q *query, s *pgsql.SubLink) *query {
	if q == nil {
		return nil
	}
	return q.subs[s]
}

// sublink runs a subquery of an expression: once when it needs nothing from
// outside (R8.5); EXISTS fetches the first row only, a scalar one has but
// one (R4.9).
func (m *machine) sublink(q *query, s *pgsql.SubLink) {
	m.eval(q, s.GetTestexpr())
	sub := m.subquery(q, s)
	if sub == nil {
		return
	}
	p := m.at
	if !sub.correlated(m) {
		p.many, p.order, p.source, p.predicate = false, "", "", false
	}
	switch s.GetSubLinkType() {
	case pgsql.SubLinkType_EXISTS_SUBLINK, pgsql.SubLinkType_EXPR_SUBLINK:
		p.first = true
	default:
		p.first = false
	}
	m.under(p, func() { m.exec(sub) })
}

// correlated reports whether the query needs columns of the queries outside.
func (q *query) correlated(m *machine) bool {
	if q.left != nil {
		return q.left.correlated(m) || q.right.correlated(m)
	}
	outside := false
	look := func(n *pgsql.Node) {
		q.visit(n, func(c *pgsql.ColumnRef) {
			fs := fields(c)
			if q.owner(nil, c) == nil && q.up != nil && len(fs) > 0 {
				if len(fs) > 1 {
					outside = outside || q.up.entry(fs[len(fs)-2]) != nil
				} else {
					outside = outside || m.columnOf(q.up, fs[0], true) != nil
				}
			}
		})
	}
	for _, n := range q.quals {
		look(n)
	}
	for _, n := range q.sel.GetTargetList() {
		look(n)
	}
	for _, r := range q.rtes {
		if r.kind == rteSub && r.sub.correlated(m) {
			return true
		}
		if r.fn != nil {
			for _, n := range rangeCalls(r.fn) {
				look(n)
			}
		}
	}
	return outside
}
