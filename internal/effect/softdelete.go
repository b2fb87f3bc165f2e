package effect

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// deletion finds the names of columns that say of a row that it is deleted
// (deleted_at, is_deleted, removedAt), rather than that it shall be.
var deletion = lazyregexp.New(`(?i)(^|_|is)(deleted|removed|trashed|discarded)(_?(at|on|time|date|ts))?$`)

// softDeleted returns the column by which the conditions of a query take only
// what is soft-deleted: a row that is kept, and marked. It returns "" where
// none does.
func (q *query) softDeleted() string {
	for _, n := range q.quals {
		if col := asksDeleted(n); col != "" {
			return col
		}
	}
	return ""
}

// asksDeleted returns the column of the condition n that holds for nothing
// but what is soft-deleted, as it is written.
func asksDeleted(n *pgsql.Node) string {
	if b := n.GetBoolExpr(); b != nil {
		return eachAsksDeleted(b)
	}
	if t := n.GetNullTest(); t != nil {
		if t.GetNulltesttype() == pgsql.NullTestType_IS_NULL {
			return ""
		}
		return deletionColumn(t.GetArg())
	}
	x := n.GetAExpr()
	if x == nil {
		return deletionColumn(n)
	}
	for _, side := range [][2]*pgsql.Node{{x.GetLexpr(), x.GetRexpr()}, {x.GetRexpr(), x.GetLexpr()}} {
		col := deletionColumn(side[0])
		if col == "" {
			continue
		}
		switch operatorName(x) {
		case "<", "<=", ">", ">=": // of NULL: not true
			return col
		case "=":
			if side[1].GetAConst().GetBoolval().GetBoolval() {
				return col
			}
		}
	}
	return ""
}

// eachAsksDeleted is asksDeleted of conditions joined by AND or OR.
func eachAsksDeleted(b *pgsql.BoolExpr) string {
	first := ""
	for _, n := range b.GetArgs() {
		col := asksDeleted(n)
		switch b.GetBoolop() {
		case pgsql.BoolExprType_AND_EXPR:
			if col != "" {
				return col
			}
		case pgsql.BoolExprType_OR_EXPR:
			if col == "" {
				return ""
			}
			if first == "" {
				first = col
			}
		}
	}
	return first
}

func deletionColumn(n *pgsql.Node) string {
	fs := fields(n.GetColumnRef())
	if len(fs) == 0 || !deletion.MatchString(fs[len(fs)-1]) {
		return ""
	}
	return strings.Join(fs, ".")
}
