package effect

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// Order returns the order of the rows that text's last SELECT gives, or that
// the query its target list reads from gives: "by COLUMN, …" as ORDER BY has
// it, "" when it has none or it cannot be read.
func Order(text string) string {
	stmts := pgsql.Parse(text)
	for i := len(stmts) - 1; i >= 0; i-- {
		if stmts[i].Tree == nil {
			return ""
		}
		sel := stmts[i].Tree.GetSelectStmt()
		if sel == nil {
			return ""
		}
		var cols []string
		for _, n := range sel.GetSortClause() {
			sb := n.GetSortBy()
			if sb == nil {
				return ""
			}
			col := pgsql.Expr(sb.GetNode())
			if k := strings.LastIndexByte(col, '.'); k >= 0 && !strings.ContainsAny(col, "( ") {
				col = col[k+1:]
			}
			cols = append(cols, col)
		}
		if len(cols) == 0 {
			return ""
		}
		return "by " + strings.Join(cols, ", ")
	}
	return ""
}
