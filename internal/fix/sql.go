package fix

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
)

// untilCommit names, for each function that locks until the session ends, the
// one that locks until the transaction does (manual, 9.28.10).
var untilCommit = map[string]string{
	"pg_advisory_lock":            "pg_advisory_xact_lock",
	"pg_advisory_lock_shared":     "pg_advisory_xact_lock_shared",
	"pg_try_advisory_lock":        "pg_try_advisory_xact_lock",
	"pg_try_advisory_lock_shared": "pg_try_advisory_xact_lock_shared",
}

// sessionForm returns the place of the one session lock function in text and
// the name to put there.
func sessionForm(text string) (start, end int, name string, ok bool) {
	toks, err := pgsql.Scan(text)
	if err != nil {
		return 0, 0, "", false
	}
	for _, t := range toks {
		xact := untilCommit[strings.ToLower(t.Text)]
		if xact == "" {
			continue
		}
		if ok {
			return 0, 0, "", false
		}
		start, end, name, ok = t.Start, t.End, xact, true
	}
	return start, end, name, ok
}

// orderBy returns where in text the locking clause begins, and the ORDER BY
// clause to put before it: for one SELECT over one table that locks several
// rows, keeps all of them apart and orders them by nothing.
func orderBy(text string, cat *schema.Catalog) (at int, clause string, ok bool) {
	stmts := pgsql.Parse(text)
	if len(stmts) != 1 || stmts[0].Err != nil || cat == nil {
		return 0, "", false
	}
	sel := stmts[0].Tree.GetSelectStmt()
	if sel == nil || len(sel.GetLockingClause()) != 1 || len(sel.GetFromClause()) != 1 || len(sel.GetSortClause())+len(sel.GetGroupClause())+len(sel.GetDistinctClause()) > 0 ||
		sel.GetLimitCount() != nil || sel.GetLimitOffset() != nil || sel.GetLarg() != nil || sel.GetWithClause() != nil || sel.GetHavingClause() != nil {
		return 0, "", false
	}
	from := sel.GetFromClause()[0].GetRangeVar()
	if from == nil {
		return 0, "", false
	}
	key := primaryKey(cat.Relation(from.GetSchemaname(), from.GetRelname()))
	at, gap, found := lockingClause(text)
	if len(key) == 0 || !found {
		return 0, "", false
	}
	for i, col := range key {
		key[i] = pgsql.QuoteIdent(col)
	}
	if renames(sel.GetTargetList(), key) {
		of := from.GetAlias().GetAliasname()
		if of == "" {
			of = from.GetRelname()
		}
		for i := range key {
			key[i] = pgsql.QuoteIdent(of) + "." + key[i]
		}
	}
	return at, "ORDER BY " + strings.Join(key, ", ") + gap, true
}

// primaryKey returns the columns of a table's primary key.
func primaryKey(r *schema.Relation) []string {
	if r == nil || r.Kind != "r" && r.Kind != "p" {
		return nil
	}
	for _, ix := range r.Indexes {
		if ix.Primary && !slices.Contains(ix.Columns, "") {
			return slices.Clone(ix.Columns)
		}
	}
	return nil
}

// renames reports whether a column of the result bears the name of one of the
// key: ORDER BY would sort by it (manual, SELECT, ORDER BY clause).
func renames(targets []*pgsql.Node, key []string) bool {
	for _, t := range targets {
		if name := t.GetResTarget().GetName(); name != "" && slices.Contains(key, pgsql.QuoteIdent(name)) {
			return true
		}
	}
	return false
}

// lockingClause returns where the locking clause of a SELECT begins, and the
// white space before it.
func lockingClause(text string) (at int, gap string, ok bool) {
	toks, err := pgsql.Scan(text)
	if err != nil {
		return 0, "", false
	}
	depth := 0
	for i, t := range toks {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && i > 0 && i+1 < len(toks) && t.Is("for") && (toks[i+1].Is("update") || toks[i+1].Is("no") || toks[i+1].Is("share") || toks[i+1].Is("key")):
			if ok || toks[i-1].Kind == pgsql.Comment {
				return 0, "", false
			}
			at, gap, ok = t.Start, text[toks[i-1].End:t.Start], true
		}
	}
	if gap == "" {
		gap = " "
	}
	return at, gap, ok
}
