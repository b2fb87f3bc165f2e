package effect

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// target begins the analysis of a data-modifying statement: WITH, then the
// target in ROW EXCLUSIVE mode (R3.3).
func (a *analysis) target(w *pgsql.WithClause, v *pgsql.RangeVar, up *query, command, rule string) *query {
	q := &query{up: up, machine: a.m, subs: a.subs, done: a.done, joins: map[*pgsql.Node]bool{}}
	a.with(w, q)
	r := &rte{kind: rteRelation, only: !v.GetInh(), ref: a.m.rangeVar(v)}
	name(r, v.GetAlias(), v.GetRelname())
	q.target = r
	q.rtes = append(q.rtes, r)
	a.m.table(r.ref, lockgraph.RowExclusive, rule)
	a.m.missing(r.ref)
	if r.ref.rel == nil {
		return q
	}
	switch {
	case r.ref.kind == "v":
		a.rewrite = append(a.rewrite, func() { a.updatable(r, command) })
	case rule != "R5.6" && !r.only:
		a.plan = append(a.plan, func() { a.partitions(r, lockgraph.RowExclusive, q) })
	}
	a.policies(r, q, command)
	return q
}

// updatable opens the base table of a view that is changed through; under
// an INSTEAD OF trigger the view is only read, and not at all by INSERT
// (R3.4, R7.5). A rule in its place opens it only to know the old rows.
func (a *analysis) updatable(r *rte, command string) {
	rules, instead := a.m.rulesOn(&rte{ref: r.ref}, command)
	if instead {
		if slices.ContainsFunc(rules, func(r ruleOn) bool { return mentions(strings.ToLower(r.text), "old") }) {
			a.view(r, lockgraph.AccessShare)
		}
		return
	}
	if len(a.m.insteadOf(r.ref)) == 0 {
		a.view(r, lockgraph.RowExclusive)
		return
	}
	if command != "insert" {
		a.view(r, lockgraph.AccessShare)
	}
}

// baseTable follows a view to the table that is changed through it.
func (r *rte) baseTable() *rte {
	for r != nil && r.ref.kind == "v" && r.base != nil {
		r = r.base
	}
	return r
}

func (a *analysis) insert(s *pgsql.InsertStmt, up *query) *query {
	q := a.target(s.GetWithClause(), s.GetRelation(), up, "insert", "R5.6")
	var src *query
	if s.GetSelectStmt() != nil {
		src = a.sel(s.GetSelectStmt().GetSelectStmt(), q.sourceScope(), "")
	}
	ins := &insert{q: q, src: src, stmt: s}
	if oc := s.GetOnConflictClause(); oc != nil && oc.GetAction() == pgsql.OnConflictAction_ONCONFLICT_UPDATE {
		ins.excluded = &rte{kind: rteFunc, alias: "excluded"}
		inner := &query{up: q, machine: a.m, subs: a.subs, done: a.done, joins: map[*pgsql.Node]bool{}, rtes: []*rte{q.target, ins.excluded}, target: q.target}
		ins.conflict = inner
		a.exprs(inner, oc.GetTargetList())
		a.expr(inner, oc.GetWhereClause())
	}
	a.returning(q, pgsql.Returning(s))
	q.run = func() { a.m.insert(ins) }
	q.one1 = func() bool { return src == nil || src.one() }
	return q
}

// sourceScope hides the target from the query that feeds an INSERT.
func (q *query) sourceScope() *query {
	s := *q
	s.rtes, s.target, s.one1 = nil, nil, nil
	return &s
}

func (a *analysis) returning(q *query, list []*pgsql.Node) {
	a.exprs(q, list)
	q.ret = list
}

func (a *analysis) update(s *pgsql.UpdateStmt, up *query) *query {
	q := a.target(s.GetWithClause(), s.GetRelation(), up, "update", "R5.1")
	for _, n := range s.GetFromClause() {
		a.from(n, q, nil, "", false)
	}
	a.where(q, s.GetWhereClause(), false)
	a.returning(q, pgsql.Returning(s))
	a.exprs(q, s.GetTargetList()) // SET comes last (R3.3)
	q.run = func() { a.m.update(q, s.GetTargetList()) }
	q.one1 = func() bool { return q.single(q.target) }
	return q
}

func (a *analysis) delete(s *pgsql.DeleteStmt, up *query) *query {
	q := a.target(s.GetWithClause(), s.GetRelation(), up, "delete", "R5.3")
	for _, n := range s.GetUsingClause() {
		a.from(n, q, nil, "", false)
	}
	a.where(q, s.GetWhereClause(), false)
	a.returning(q, pgsql.Returning(s))
	q.run = func() { a.m.delete(q) }
	q.one1 = func() bool { return q.single(q.target) }
	return q
}

func (a *analysis) merge(s *pgsql.MergeStmt, up *query) *query {
	q := a.target(s.GetWithClause(), s.GetRelation(), up, "update", "R5.9")
	a.from(s.GetSourceRelation(), q, nil, "", false)
	a.where(q, s.GetJoinCondition(), true)
	for _, n := range s.GetMergeWhenClauses() {
		a.expr(q, n.GetMergeWhenClause().GetCondition())
	}
	for _, n := range s.GetMergeWhenClauses() {
		a.exprs(q, n.GetMergeWhenClause().GetTargetList())
		a.exprs(q, n.GetMergeWhenClause().GetValues())
	}
	a.returning(q, pgsql.MergeReturning(s))
	q.run = func() { a.m.merge(q, s.GetMergeWhenClauses()) }
	return q
}

// targetRows says which rows of the target a change reaches, by way of a
// view's conditions too.
func (m *machine) targetRows(q *query) (relref, rowSet) {
	t := q.target
	base := t.baseTable()
	if base == t {
		return m.leaf(q, t), q.rows(m, t)
	}
	for outer, v := q, t; v != base && v.sub != nil; v = v.base {
		outer.pushInto(v)
		outer = v.sub
	}
	for v := t; v != base; v = v.base {
		if v.base == base {
			rows := v.sub.rows(m, base)
			if q.single(t) {
				rows.many, rows.order = false, ""
			}
			return base.ref, rows
		}
	}
	return base.ref, rowSet{many: true, order: "plan", source: "all"}
}

func (m *machine) update(q *query, list []*pgsql.Node) {
	if m.instead(q, "update") {
		return
	}
	ref, rows := m.targetRows(q)
	c := &change{kind: "update", ref: ref, rows: rows, rule: "R5.1"}
	c.set = m.setList(q, list, rows)
	done := m.statementTriggers(c)
	if !q.never() {
		m.feed(q, list)
		m.domains(c)
		m.changeRow(q, c)
		m.heirChange(q, c, m.changeRow)
		m.under(m.perRow(c), func() { m.evals(q, q.ret) })
	}
	done()
}

func (m *machine) changeRow(q *query, c *change) {
	m.rowChange(c)
	if q.target.ref.name == c.ref.name {
		m.bound(c.ref)
	}
	m.indexRow(c)
	m.moves(q, c)
}

// heirChange plays a change for the rows of tables that inherit from the
// target: their keys, foreign keys and triggers are their own.
func (m *machine) heirChange(q *query, c *change, f func(*query, *change)) {
	if c.ref.name != q.target.ref.name {
		return
	}
	for _, child := range m.heirs(q.target) {
		n := *c
		n.ref = child
		m.under(m.at.also("it is a row of "+child.name), func() { f(q, &n) })
	}
}

// feed reads what joins a change, and evaluates its conditions and values,
// all before the row lock (R8.5).
func (m *machine) feed(q *query, list []*pgsql.Node) {
	m.readFrom(q)
	m.conditions(q)
	p := m.at
	if !m.allSingle(q) {
		p.many, p.order, p.source = true, "plan", q.source(q.target)
	}
	m.under(p, func() { m.evals(q, list) })
}

func (m *machine) delete(q *query) {
	if m.instead(q, "delete") {
		return
	}
	ref, rows := m.targetRows(q)
	c := &change{kind: "delete", ref: ref, rows: rows, rule: "R5.3"}
	done := m.statementTriggers(c)
	if !q.never() {
		m.feed(q, nil)
		m.rowChange(c)
		m.heirChange(q, c, func(_ *query, c *change) { m.rowChange(c) })
		m.under(m.perRow(c), func() { m.evals(q, q.ret) })
	}
	done()
}

// setList reads a SET list: which columns get which values, and which of
// them surely stay as they are (R5.1).
func (m *machine) setList(q *query, list []*pgsql.Node, rows rowSet) []assign {
	var out []assign
	base := q.target.baseTable()
	for _, n := range list {
		r := n.GetResTarget()
		v := r.GetVal()
		s := assign{col: r.GetName()}
		switch {
		case v.GetSetToDefault() != nil:
			s.val = m.defaultOf(base.ref, s.col)
		case v.GetMultiAssignRef() != nil:
			s.val = m.multi(q, v.GetMultiAssignRef())
		default:
			s.val = m.val(q, v)
		}
		own := s.val.Kind == prog.VSQLCol && s.val.Str == q.target.ref.name+"."+s.col
		s.same = own
		for _, e := range rows.eq {
			s.same = s.same || e.Name == s.col && prog.Equal(e.Val, s.val) && e.Val.Kind != prog.VHole
		}
		if base != q.target {
			s.col = q.target.through(s.col)
		}
		out = append(out, s)
	}
	// A stored generated column changes with its base columns (R5.1).
	return out
}

// through follows a column of a view to the table below.
func (r *rte) through(col string) string {
	for r.base != nil && r.sub != nil {
		if n, _ := r.sub.target0(col); n != nil {
			if f := fields(n.GetColumnRef()); len(f) > 0 {
				col = f[len(f)-1]
			}
		}
		r = r.base
	}
	return col
}

func (m *machine) multi(q *query, x *pgsql.MultiAssignRef) *prog.Val {
	src := x.GetSource()
	if row := src.GetRowExpr(); row != nil && int(x.GetColno()) <= len(row.GetArgs()) && x.GetColno() > 0 {
		return m.val(q, row.GetArgs()[x.GetColno()-1])
	}
	if s := src.GetSubLink(); s != nil {
		if sub := m.subquery(q, s); sub != nil && sub.sel != nil && int(x.GetColno()) <= len(sub.sel.GetTargetList()) && x.GetColno() > 0 {
			return m.val(sub, sub.sel.GetTargetList()[x.GetColno()-1].GetResTarget().GetVal())
		}
	}
	return prog.Hole("expression")
}

// instead plays INSTEAD OF triggers and DO INSTEAD rules, and reports
// whether they take the place of the change (R7.5).
func (m *machine) instead(q *query, kind string) bool {
	ts := m.insteadOf(q.target.ref)
	c := &change{kind: kind, ref: q.target.ref}
	var fit []*schema.Trigger
	for _, t := range ts {
		if has(t.Events, kind) {
			fit = append(fit, t)
		}
	}
	if len(fit) > 0 {
		if q.sel == nil && kind != "insert" {
			m.feed(q, nil)
			c.rows = q.rows(m, q.target)
		}
		m.fire(c, fit)
		return true
	}
	rules, instead := m.rulesOn(q.target, kind)
	if instead || kind != "insert" { // those of INSERT come after it
		m.rules(q, rules)
	}
	return instead
}

func (m *machine) insteadOf(r relref) []*schema.Trigger {
	if r.rel == nil {
		return nil
	}
	var out []*schema.Trigger
	for _, t := range m.allTriggers(r) {
		if t.Timing == "instead of" && !t.Disabled {
			out = append(out, t)
		}
	}
	return out
}

func has(list []string, s string) bool { return indexOf(list, s) >= 0 }

// A ruleOn is a rewrite rule of the relation that a change names, or of one
// below that view.
type ruleOn struct {
	*pgsql.RuleStmt
	text     string
	relation string
}

// rulesOn lists the rules that apply to a change and reports whether one
// takes its place (R3.4).
func (m *machine) rulesOn(target *rte, kind string) (list []ruleOn, instead bool) {
	for t := target; t != nil && t.ref.rel != nil && !instead; t = t.base {
		for _, text := range t.ref.rel.Rules {
			for _, st := range pgsql.Parse(text) {
				if r := st.Tree.GetRuleStmt(); r != nil && r.GetEvent() == commands[kind] {
					list = append(list, ruleOn{r, text, t.ref.name})
					instead = instead || r.GetInstead() && r.GetWhereClause() == nil
				}
			}
		}
	}
	return list, instead
}

// rules plays rewrite rules, each action as a statement of its own (R3.4).
func (m *machine) rules(q *query, list []ruleOn) {
	for _, r := range list {
		m.rule(q, r)
	}
}

var commands = map[string]pgsql.CmdType{"insert": pgsql.CmdType_CMD_INSERT, "update": pgsql.CmdType_CMD_UPDATE, "delete": pgsql.CmdType_CMD_DELETE}

func (m *machine) rule(q *query, r ruleOn) {
	if indexOf(m.calls, "rule "+r.GetRulename()) >= 0 {
		return
	}
	m.calls = append(m.calls, "rule "+r.GetRulename())
	e := &env{names: map[string]*prog.Val{}, cols: map[string]string{"old": r.relation, "new": r.relation}, set: map[string]bool{}}
	at := m.at.through("rule " + r.GetRulename())
	if r.GetWhereClause() != nil {
		at = at.also(pgsql.Expr(r.GetWhereClause()))
	}
	if !q.one() {
		at.many, at.order, at.source = true, "plan", "all"
	}
	m.in(at, e, func() {
		for _, n := range r.GetActions() {
			m.statement(func() {
				a := m.analysis()
				body, _ := a.body(n, nil)
				a.finish()
				m.exec(body)
			})
		}
	})
	m.calls = m.calls[:len(m.calls)-1]
}
