//go:build !cgo || purego

package pgsql

import (
	"errors"

	pg_query "github.com/sqlc-dev/oliphant"
	"github.com/sqlc-dev/oliphant/parser"
)

const (
	parserName = "oliphant"
	grammar    = 18 // major version of PostgreSQL
)

// enter runs the parser; on an error cursor is its place in characters, from
// 1, or 0.
func enter(text string) (stmts []*RawStmt, cursor int, err error) {
	res, err := pg_query.Parse(text)
	if err != nil {
		if pe := (*parser.Error)(nil); errors.As(err, &pe) {
			cursor = pe.Cursorpos
		}
		return nil, cursor, err
	}
	return res.Stmts, 0, nil
}

// write is the parser's own printer.
func write(n *Node) (string, error) {
	return pg_query.Deparse(&pg_query.ParseResult{Stmts: []*RawStmt{{Stmt: n}}})
}

// Returning lists what RETURNING gives back.
func Returning(n interface {
	GetReturningClause() *pg_query.ReturningClause
}) []*Node {
	return n.GetReturningClause().GetExprs()
}

// MergeReturning is Returning of a MERGE.
func MergeReturning(s *MergeStmt) []*Node { return s.GetReturningClause().GetExprs() }

// MergeMatch tells which rows an action of MERGE is for: "matched",
// "not matched" or "not matched by source".
func MergeMatch(w *MergeWhenClause) string {
	switch w.GetMatchKind() {
	case pg_query.MergeMatchKind_MERGE_WHEN_MATCHED:
		return "matched"
	case pg_query.MergeMatchKind_MERGE_WHEN_NOT_MATCHED_BY_SOURCE:
		return "not matched by source"
	}
	return "not matched"
}

// AlteredConstraint reads what ALTER CONSTRAINT names; changes says whether it
// sets when the constraint is checked.
func AlteredConstraint(n *Node) (name string, deferrable, deferred, changes bool) {
	c := n.GetAtalterConstraint()
	return c.GetConname(), c.GetDeferrable() || c.GetInitdeferred(), c.GetInitdeferred(), c.GetAlterDeferrability()
}

// NotEnforced reports a constraint that is NOT ENFORCED.
func NotEnforced(c *Constraint) bool {
	return c.GetContype() == pg_query.ConstrType_CONSTR_ATTR_NOT_ENFORCED ||
		c.GetContype() == pg_query.ConstrType_CONSTR_FOREIGN && !c.GetIsEnforced()
}
