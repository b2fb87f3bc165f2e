package effect

import (
	"slices"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// strengths are the row modes, weakest first (R1.2).
var strengths = []string{"", lockgraph.ForKeyShare, lockgraph.ForShare, lockgraph.ForNoKeyUpdate, lockgraph.ForUpdate}

func strength(s pgsql.LockClauseStrength) string {
	switch s {
	case pgsql.LockClauseStrength_LCS_FORKEYSHARE:
		return lockgraph.ForKeyShare
	case pgsql.LockClauseStrength_LCS_FORSHARE:
		return lockgraph.ForShare
	case pgsql.LockClauseStrength_LCS_FORNOKEYUPDATE:
		return lockgraph.ForNoKeyUpdate
	}
	return lockgraph.ForUpdate
}

func policy(p pgsql.LockWaitPolicy) string {
	switch p {
	case pgsql.LockWaitPolicy_LockWaitSkip:
		return lockgraph.SkipLocked
	case pgsql.LockWaitPolicy_LockWaitError:
		return lockgraph.NoWait
	}
	return lockgraph.Wait
}

var waits = []string{lockgraph.Wait, lockgraph.SkipLocked, lockgraph.NoWait}

// locking applies one locking clause to the entries of a query (R4.3 to R4.5).
func (a *analysis) locking(q *query, c *pgsql.LockingClause) {
	mode, wait := strength(c.GetStrength()), policy(c.GetWaitPolicy())
	if len(c.GetLockedRels()) == 0 {
		n := 0
		for _, r := range q.rtes {
			if r.kind == rteRelation || r.kind == rteSub {
				n++
			}
		}
		for _, r := range q.rtes {
			q.mark(mark{rte: r, mode: mode, wait: wait, noOf: n > 1, explicit: true})
		}
		return
	}
	for _, l := range c.GetLockedRels() {
		for _, r := range q.rtes {
			if r.alias == l.GetRangeVar().GetRelname() {
				q.mark(mark{rte: r, mode: mode, wait: wait, explicit: true})
			}
		}
	}
}

// mark adds a mark, or joins it with one on the same entry: the strongest
// mode wins, NOWAIT beats SKIP LOCKED beats waiting (R4.4).
func (q *query) mark(n mark) {
	switch n.rte.kind {
	case rteRelation:
	case rteSub:
		n.rte.sub.markAll(n)
		return
	default:
		return // CTEs, functions and VALUES are passed over silently (R4.5)
	}
	for _, o := range q.marks {
		if o.rte == n.rte {
			if slices.Index(strengths, n.mode) > slices.Index(strengths, o.mode) {
				o.mode = n.mode
			}
			if slices.Index(waits, n.wait) > slices.Index(waits, o.wait) {
				o.wait = n.wait
			}
			return
		}
	}
	q.marks = append(q.marks, &n)
}

// markAll carries a mark into every table of a subquery, not into its CTEs
// nor into sublinks (R4.5).
func (q *query) markAll(n mark) {
	if q == nil {
		return
	}
	if len(q.marks) == 0 {
		q.pushed = true
	}
	for _, r := range q.rtes {
		n.rte = r
		n.noOf = false
		q.mark(n)
	}
	if q.left != nil {
		q.left.markAll(n)
		q.right.markAll(n)
	}
}

// lockRows takes the row locks of a query: per joined row, in the order of
// the clauses, else of FROM (R4.3); then those of subqueries and views that
// are planned as part of it.
func (m *machine) lockRows(q *query) {
	for _, k := range q.marks {
		if !k.rte.view {
			m.lockMark(q, k)
		}
	}
	for _, r := range q.rtes {
		if s := r.query(); s != nil && s.joined {
			m.lockRows(s)
		}
	}
}

func (m *machine) lockMark(q *query, k *mark) {
	rows := q.rows(m, k.rte)
	if m.at.first {
		rows.many = false
	}
	a := prog.Acq{Mode: k.mode, Wait: k.wait, Rule: "R4.1", NoOf: k.noOf}
	a.ByKey = k.wait == lockgraph.SkipLocked && rows.unique
	m.row(m.leaf(q, k.rte), rows, a)
	for _, child := range m.heirs(k.rte) {
		m.under(m.at.also("it is a row of "+child.name), func() { m.row(child, rows, a) })
	}
}

// simple reports whether the planner merges a subquery into the query
// outside, so that its rows are locked together with the outer ones.
func (q *query) simple() bool {
	s := q.sel
	return q.left == nil && s != nil && !q.limit() && len(s.GetSortClause()) == 0 && len(s.GetGroupClause()) == 0 &&
		len(s.GetDistinctClause()) == 0 && len(q.ctes) == 0
}
