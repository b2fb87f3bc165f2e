package schema

import (
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

func itoa(n int) string { return strconv.Itoa(n) }

// do applies the statements of a DO block that run when a migration is
// applied for the first time: those at its top level and in the first arm of
// an IF ("if it is not there yet"). Loops and computed statements are not
// followed.
func (a *applier) do(s *pgsql.DoStmt) {
	body, language := "", "plpgsql"
	for _, n := range s.Args {
		d := n.GetDefElem()
		switch d.GetDefname() {
		case "as":
			body = d.Arg.GetString_().GetSval()
		case "language":
			language = strings.ToLower(d.Arg.GetString_().GetSval())
		}
	}
	if language != "plpgsql" || a.depth > 3 {
		return
	}
	block, err := pgsql.ParseBody(body)
	if block == nil {
		a.fail("DO: " + err.Error())
		return
	}
	line := a.line
	for _, t := range significant(a.st.Text) {
		if t.Kind == pgsql.Literal && t.Value() == body {
			line = a.lineAt(t.ValueStart())
			break
		}
	}
	inner := applier{Catalog: a.Catalog, file: a.file, depth: a.depth + 1, quiet: true}
	inner.steps(block.Body, body, line)
}

func (a *applier) steps(list []pgsql.PL, body string, line int) {
	for _, s := range list {
		switch s.Kind {
		case pgsql.PLSQL:
			a.text(s.Text, body, s.TextOffset, line)
		case pgsql.PLExecute:
			toks := significant(s.Expr)
			if len(toks) == 1 && toks[0].Kind == pgsql.Literal {
				a.text(toks[0].Value(), body, s.ExprOffset, line)
			}
		case pgsql.PLIf:
			if len(s.Arms) > 0 {
				a.steps(s.Arms[0].Body, body, line)
			}
		case pgsql.PLBlock:
			a.steps(s.Block.Body, body, line)
		}
	}
}

// text applies statements that stand at an offset of a body which starts on
// a line. Only DDL counts: a query of a DO block changes no schema.
func (a *applier) text(text, body string, offset, line int) {
	line += strings.Count(body[:offset], "\n")
	for _, st := range pgsql.Parse(text) {
		if st.Err != nil || st.Tree.GetSelectStmt() != nil {
			continue
		}
		a.stmt(st, line+st.Line-1)
	}
}
