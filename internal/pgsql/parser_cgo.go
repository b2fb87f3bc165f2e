//go:build cgo && !purego

package pgsql

import (
	"errors"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pganalyze/pg_query_go/v5/parser"
)

const (
	parserName = "pg_query_go v5"
	grammar    = 16 // major version of PostgreSQL
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

// Returning lists what RETURNING gives back; this grammar has none for MERGE.
func Returning(n interface{ GetReturningList() []*Node }) []*Node { return n.GetReturningList() }

// MergeReturning is Returning of a MERGE.
func MergeReturning(*MergeStmt) []*Node { return nil }

// MergeMatch tells which rows an action of MERGE is for: "matched",
// "not matched" or "not matched by source".
func MergeMatch(w *MergeWhenClause) string {
	if w.GetMatched() {
		return "matched"
	}
	return "not matched"
}

// AlteredConstraint reads what ALTER CONSTRAINT names; changes says whether it
// sets when the constraint is checked.
func AlteredConstraint(n *Node) (name string, deferrable, deferred, changes bool) {
	c := n.GetConstraint()
	return c.GetConname(), c.GetDeferrable() || c.GetInitdeferred(), c.GetInitdeferred(), c != nil
}

// NotEnforced reports a constraint that is NOT ENFORCED, which this grammar
// does not know.
func NotEnforced(*Constraint) bool { return false }
