package effect

import (
	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph"
)

type cte struct {
	name    string
	q       *query
	change  bool     // data-modifying
	by      []*query // that read it
	started bool
	self    bool // being analyzed: a recursive reference
}

// from analyzes one item of FROM, left to right and depth first (R3.3).
func (a *analysis) from(n *pgsql.Node, q *query, locking []*pgsql.Node, mode string, outer bool) {
	switch x := n.GetNode().(type) {
	case *pgsql.Node_RangeVar:
		a.relation(x.RangeVar, q, locking, mode, outer)
	case *pgsql.Node_RangeTableSample:
		a.from(x.RangeTableSample.GetRelation(), q, locking, mode, outer)
	case *pgsql.Node_RangeSubselect:
		s := x.RangeSubselect
		r := &rte{kind: rteSub, outer: outer, lateral: s.GetLateral()}
		name(r, s.GetAlias(), "")
		inner := mode
		if inner == "" && named(locking, r.alias) {
			inner = lockgraph.RowShare
		}
		r.sub = a.sel(s.GetSubquery().GetSelectStmt(), q, inner)
		r.sub.of, r.sub.within = q, r
		if len(r.sub.sel.GetValuesLists()) > 0 {
			r.kind = rteValues
		}
		q.rtes = append(q.rtes, r)
	case *pgsql.Node_RangeFunction:
		r := &rte{kind: rteFunc, fn: x.RangeFunction, outer: outer}
		name(r, x.RangeFunction.GetAlias(), functionName(rangeCall(x.RangeFunction)))
		a.exprs(q, rangeCalls(x.RangeFunction))
		q.rtes = append(q.rtes, r)
	case *pgsql.Node_JoinExpr:
		j := x.JoinExpr
		left := j.GetJointype() == pgsql.JoinType_JOIN_RIGHT || j.GetJointype() == pgsql.JoinType_JOIN_FULL
		right := j.GetJointype() == pgsql.JoinType_JOIN_LEFT || j.GetJointype() == pgsql.JoinType_JOIN_FULL
		n := len(q.rtes)
		a.from(j.GetLarg(), q, locking, mode, outer || left)
		k := len(q.rtes)
		a.from(j.GetRarg(), q, locking, mode, outer || right)
		a.where(q, j.GetQuals(), true)
		a.using(q, j, q.rtes[n:k], q.rtes[k:])
	case *pgsql.Node_RangeTableFunc:
		r := &rte{kind: rteFunc}
		name(r, x.RangeTableFunc.GetAlias(), "xmltable")
		a.expr(q, x.RangeTableFunc.GetDocexpr())
		a.expr(q, x.RangeTableFunc.GetRowexpr())
		q.rtes = append(q.rtes, r)
	}
}

func name(r *rte, alias *pgsql.Alias, other string) {
	r.alias = other
	if alias.GetAliasname() != "" {
		r.alias = alias.GetAliasname()
	}
	for _, c := range alias.GetColnames() {
		r.cols = append(r.cols, c.GetString_().GetSval())
	}
}

// named reports whether a locking clause applies to the entry so called.
func named(locking []*pgsql.Node, alias string) bool {
	for _, n := range locking {
		c := n.GetLockingClause()
		if len(c.GetLockedRels()) == 0 {
			return true
		}
		for _, r := range c.GetLockedRels() {
			if r.GetRangeVar().GetRelname() == alias {
				return true
			}
		}
	}
	return false
}

func (q *query) cte(name string) *cte {
	for ; q != nil; q = q.up {
		for _, c := range q.ctes {
			if c.name == name {
				return c
			}
		}
	}
	return nil
}

func (a *analysis) relation(v *pgsql.RangeVar, q *query, locking []*pgsql.Node, mode string, outer bool) {
	r := &rte{kind: rteRelation, only: !v.GetInh(), outer: outer}
	name(r, v.GetAlias(), v.GetRelname())
	if v.GetSchemaname() == "" {
		if c := q.cte(v.GetRelname()); c != nil {
			r.kind, r.cte = rteCTE, c
			c.by = append(c.by, q)
			q.rtes = append(q.rtes, r)
			return
		}
		if a.m.env.cols != nil && a.m.env.cols["table "+v.GetRelname()] != "" {
			r.kind = rteFunc // a transition table of the trigger
			q.rtes = append(q.rtes, r)
			return
		}
	}
	r.ref = a.m.rangeVar(v)
	switch {
	case mode != "":
	case named(locking, r.alias):
		mode = lockgraph.RowShare // taken at once, not ACCESS SHARE first (R3.1)
	default:
		mode = lockgraph.AccessShare
	}
	a.open(r, mode, q)
	q.rtes = append(q.rtes, r)
}

// open takes the table lock of an entry and leaves the rest of a view and of
// a partitioned table to rewriting and planning.
func (a *analysis) open(r *rte, mode string, q *query) {
	rule := "R3.1"
	a.m.table(r.ref, mode, rule)
	a.m.missing(r.ref)
	if r.ref.rel == nil {
		return
	}
	if r.ref.kind == "v" {
		r.view = true
		a.rewrite = append(a.rewrite, func() { a.view(r, mode) })
	}
	a.policies(r, q, "select")
	if !r.only {
		a.plan = append(a.plan, func() { a.partitions(r, mode, q) })
	}
}

// view opens the tables below a view, in its own mode only when a locking
// clause or a change reaches them (R3.4).
func (a *analysis) view(r *rte, mode string) {
	if a.depth > 30 {
		a.m.unknown("size", "views are nested too deep at "+r.ref.name)
		return
	}
	s := selectOf(r.ref.rel.View)
	if s == nil {
		a.m.unknown("view", "the text of view "+r.ref.name+" cannot be read")
		return
	}
	a.depth++
	if mode == lockgraph.AccessShare {
		mode = ""
	}
	r.sub = a.sel(s, nil, mode)
	if mode == lockgraph.RowExclusive && len(r.sub.rtes) == 1 {
		r.base = r.sub.rtes[0]
	}
	a.depth--
}

func selectOf(text string) *pgsql.SelectStmt {
	for _, s := range pgsql.Parse(text) {
		if s.Err == nil {
			return s.Tree.GetSelectStmt()
		}
	}
	return nil
}

// policies analyzes the row security of a table, which adds the tables of
// its subqueries (R3.4).
func (a *analysis) policies(r *rte, q *query, command string) {
	if !r.ref.rel.RowSecurity || len(r.ref.rel.Policies) == 0 {
		return
	}
	a.rewrite = append(a.rewrite, func() {
		for _, text := range r.ref.rel.Policies {
			for _, n := range policyConditions(text, command) {
				a.m.under(a.m.at.also(whenPolicy), func() { a.expr(q, n) })
				q.policies = append(q.policies, n)
			}
		}
	})
}

const whenPolicy = "row security applies to the role"

// policyConditions returns the conditions that a policy puts on a command.
func policyConditions(text, command string) []*pgsql.Node {
	var out []*pgsql.Node
	for _, s := range pgsql.Parse("CREATE POLICY p ON t " + text) {
		p := s.Tree.GetCreatePolicyStmt()
		if c := p.GetCmdName(); p == nil || c != "all" && c != command {
			continue
		}
		if n := p.GetQual(); n != nil && command != "insert" {
			out = append(out, n)
		}
		if n := p.GetWithCheck(); n != nil && (command == "insert" || command == "update") {
			out = append(out, n)
		}
	}
	return out
}

// using reads JOIN … USING and NATURAL as equalities between the two sides.
func (a *analysis) using(q *query, j *pgsql.JoinExpr, left, right []*rte) {
	for _, n := range j.GetUsingClause() {
		col := n.GetString_().GetSval()
		l, r := carrier(left, col), carrier(right, col)
		if l == nil || r == nil {
			continue
		}
		ref := func(e *rte) *pgsql.Node { return columnNode(e.alias, col) }
		q.quals = append(q.quals, equalsNode(ref(l), ref(r)))
	}
}

func carrier(rs []*rte, col string) *rte {
	var open *rte
	for _, r := range rs {
		known, has := r.has(col)
		if has {
			return r
		}
		if !known {
			open = r
		}
	}
	return open
}

func columnNode(alias, col string) *pgsql.Node {
	str := func(s string) *pgsql.Node {
		return &pgsql.Node{Node: &pgsql.Node_String_{String_: &pgsql.String{Sval: s}}}
	}
	return &pgsql.Node{Node: &pgsql.Node_ColumnRef{ColumnRef: &pgsql.ColumnRef{Fields: []*pgsql.Node{str(alias), str(col)}}}}
}

func equalsNode(l, r *pgsql.Node) *pgsql.Node {
	op := &pgsql.Node{Node: &pgsql.Node_String_{String_: &pgsql.String{Sval: "="}}}
	return &pgsql.Node{Node: &pgsql.Node_AExpr{AExpr: &pgsql.A_Expr{Kind: pgsql.A_Expr_Kind_AEXPR_OP, Name: []*pgsql.Node{op}, Lexpr: l, Rexpr: r}}}
}
