package effect

import (
	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A query is one level of a statement after analysis: its names resolved,
// its table locks already taken.
type query struct {
	up       *query
	sel      *pgsql.SelectStmt
	left     *query // set operations
	right    *query
	ctes     []*cte
	rtes     []*rte // what its names can mean; the target of a change first
	quals    []*pgsql.Node
	joins    map[*pgsql.Node]bool // quals that stand in a JOIN
	marks    []*mark
	pushed   bool // marks come from a locking clause outside
	target   *rte
	ret      []*pgsql.Node // RETURNING list of a data-modifying CTE
	run      func()        // data-modifying statements
	one1     func() bool   // data-modifying statements: whether one row at most is changed
	joined   bool          // its marks are taken with those of the query outside
	machine  *machine
	pushedEq map[*rte][]prog.Col
	of       *query // of a subquery in FROM: the query, and its entry there
	within   *rte
	bound    map[*rte]bindings // remembered; conditions are complete when first asked for
	single1  map[*rte]bool
	subs     map[*pgsql.SubLink]*query
	done     map[*pgsql.FuncCall]bool // calls that planning has run
	policies []*pgsql.Node
}

type rteKind uint8

const (
	rteRelation rteKind = iota
	rteSub
	rteFunc
	rteValues
	rteCTE
)

// An rte is one entry of FROM.
type rte struct {
	kind    rteKind
	alias   string
	cols    []string // column aliases
	ref     relref
	sub     *query // subquery, view, CTE
	view    bool
	base    *rte // of a view that is changed through
	cte     *cte
	fn      *pgsql.RangeFunction
	only    bool
	vals    map[string]*prog.Val // columns whose values are known
	outer   bool                 // on the nullable side of an outer join
	lateral bool
}

// A mark is a locking clause applied to one entry.
type mark struct {
	rte      *rte
	mode     string
	wait     string
	noOf     bool
	explicit bool
}

// An analysis takes the locks of one statement's names in the order of the
// parser, then of the rewriter, then of the planner (R3.3 to R3.5).
type analysis struct {
	m         *machine
	subs      map[*pgsql.SubLink]*query
	done      map[*pgsql.FuncCall]bool
	rewrite   []func()
	plan      []func()
	depth     int
	parseOnly bool // neither planned nor run
}

func (m *machine) analysis() *analysis {
	return &analysis{m: m, subs: map[*pgsql.SubLink]*query{}, done: map[*pgsql.FuncCall]bool{}}
}

// finish takes what rewriting and planning lock.
func (a *analysis) finish() {
	// Views are opened breadth-wise: those found meanwhile come after (R3.4).
	for len(a.rewrite) > 0 && a.m.left > 0 {
		next := a.rewrite[0]
		a.rewrite = a.rewrite[1:]
		next()
	}
	for _, f := range a.plan {
		if !a.parseOnly {
			f()
		}
	}
	a.plan = nil
}

// sel analyzes a SELECT or VALUES. mode is what a locking clause or a change
// outside asks of the tables in its FROM, or "".
func (a *analysis) sel(s *pgsql.SelectStmt, up *query, mode string) *query {
	q := &query{up: up, sel: s, joins: map[*pgsql.Node]bool{}, machine: a.m, subs: a.subs, done: a.done}
	if s == nil {
		return q
	}
	a.depth++
	defer func() { a.depth-- }()
	a.with(s.GetWithClause(), q)
	if s.GetLarg() != nil {
		q.left = a.sel(s.GetLarg(), q, "")
		q.right = a.sel(s.GetRarg(), q, "")
		a.exprs(q, s.GetSortClause())
		a.exprs(q, []*pgsql.Node{s.GetLimitOffset(), s.GetLimitCount()})
		return q
	}
	for _, n := range s.GetFromClause() {
		a.from(n, q, s.GetLockingClause(), mode, false)
	}
	for _, row := range s.GetValuesLists() {
		a.exprs(q, row.GetList().GetItems())
	}
	a.exprs(q, s.GetTargetList())
	a.where(q, s.GetWhereClause(), false)
	a.expr(q, s.GetHavingClause())
	a.exprs(q, s.GetSortClause())
	a.exprs(q, s.GetGroupClause())
	a.exprs(q, []*pgsql.Node{s.GetLimitOffset(), s.GetLimitCount()})
	for _, c := range s.GetLockingClause() {
		a.locking(q, c.GetLockingClause())
	}
	return q
}

func (a *analysis) with(w *pgsql.WithClause, q *query) {
	for _, n := range w.GetCtes() {
		c := n.GetCommonTableExpr()
		if c == nil {
			continue
		}
		e := &cte{name: c.GetCtename(), self: true}
		if w.GetRecursive() {
			q.ctes = append(q.ctes, e)
		}
		e.q, e.change = a.body(c.GetCtequery(), q)
		e.self = false
		if !w.GetRecursive() {
			q.ctes = append(q.ctes, e)
		}
	}
}

// body analyzes the statement of a CTE, a cursor or a prepared statement.
func (a *analysis) body(n *pgsql.Node, up *query) (q *query, change bool) {
	switch s := n.GetNode().(type) {
	case *pgsql.Node_SelectStmt:
		return a.sel(s.SelectStmt, up, ""), false
	case *pgsql.Node_InsertStmt:
		return a.insert(s.InsertStmt, up), true
	case *pgsql.Node_UpdateStmt:
		return a.update(s.UpdateStmt, up), true
	case *pgsql.Node_DeleteStmt:
		return a.delete(s.DeleteStmt, up), true
	case *pgsql.Node_MergeStmt:
		return a.merge(s.MergeStmt, up), true
	}
	return nil, false
}

// where splits a condition at AND and analyzes it.
func (a *analysis) where(q *query, n *pgsql.Node, join bool) {
	if n == nil {
		return
	}
	a.expr(q, n)
	for _, c := range conjuncts(n) {
		q.quals = append(q.quals, c)
		if join {
			q.joins[c] = true
		}
	}
}

func conjuncts(n *pgsql.Node) []*pgsql.Node {
	b := n.GetBoolExpr()
	if b == nil || b.GetBoolop() != pgsql.BoolExprType_AND_EXPR {
		if n == nil {
			return nil
		}
		return []*pgsql.Node{n}
	}
	var out []*pgsql.Node
	for _, x := range b.GetArgs() {
		out = append(out, conjuncts(x)...)
	}
	return out
}
