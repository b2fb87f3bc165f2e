package schema

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

func (a *applier) createView(s *pgsql.ViewStmt) {
	cols := a.columnsOf(s.Query.GetSelectStmt(), 0)
	r, fresh := a.add(s.View, "v", s.Replace)
	if !fresh {
		a.fail("relation \"" + r.Name + "\" already exists")
		return
	}
	r.Columns = alias(cols, pgsql.Strings(s.Aliases))
	r.View = queryText(a.st.Text)
}

func (a *applier) createTableAs(s *pgsql.CreateTableAsStmt) {
	kind := "r"
	if s.Objtype == pgsql.ObjectType_OBJECT_MATVIEW {
		kind = "m"
	}
	a.tableFromQuery(s.Into, s.Query, kind, s.IfNotExists)
}

func (a *applier) tableFromQuery(into *pgsql.IntoClause, query *pgsql.Node, kind string, ifNotExists bool) {
	cols := a.columnsOf(query.GetSelectStmt(), 0)
	r, fresh := a.add(into.GetRel(), kind, false)
	if !fresh {
		if !ifNotExists {
			a.fail("relation \"" + r.Name + "\" already exists")
		}
		return
	}
	r.Columns = alias(cols, pgsql.Strings(into.GetColNames()))
	if kind == "m" {
		r.View = queryText(a.st.Text)
	}
}

// queryText is what follows the AS of CREATE VIEW, without its options.
func queryText(text string) string {
	toks := significant(text)
	start, parens := -1, 0
	for _, t := range toks {
		switch {
		case t.Is("("):
			parens++
		case t.Is(")"):
			parens--
		case parens == 0 && t.Is("as"):
			start = t.End
		}
		if start >= 0 {
			break
		}
	}
	if start < 0 {
		return ""
	}
	end := len(text)
	n := len(toks)
	is := func(back int, w string) bool { return n >= back && toks[n-back].Is(w) }
	switch {
	case is(1, "data") && is(2, "with"):
		end = toks[n-2].Start
	case is(1, "data") && is(2, "no") && is(3, "with"):
		end = toks[n-3].Start
	case is(1, "option") && is(2, "check") && is(3, "with"):
		end = toks[n-3].Start
	case is(1, "option") && is(2, "check") && is(4, "with"):
		end = toks[n-4].Start
	}
	return strings.TrimSpace(text[start:end])
}

func alias(cols []*Column, names []string) []*Column {
	for i, n := range names {
		if i < len(cols) {
			cols[i].Name = n
		} else {
			cols = append(cols, &Column{Name: n})
		}
	}
	return cols
}

// columnsOf are the names and, where a column or cast tells, the types that
// a query gives. depth bounds subqueries.
func (a *applier) columnsOf(s *pgsql.SelectStmt, depth int) []*Column {
	if s == nil || depth > 20 {
		return nil
	}
	if s.Larg != nil {
		return a.columnsOf(s.Larg, depth+1)
	}
	if len(s.ValuesLists) > 0 {
		var out []*Column
		for range s.ValuesLists[0].GetList().GetItems() {
			out = append(out, &Column{Name: "column" + itoa(len(out)+1)})
		}
		return out
	}
	sources := a.sources(s, depth)
	var out []*Column
	for _, t := range s.TargetList {
		out = append(out, target(t.GetResTarget(), sources)...)
	}
	return out
}

// A source is an entry of FROM under its name.
type source struct {
	name string
	cols []*Column
}

func (a *applier) sources(s *pgsql.SelectStmt, depth int) []source {
	ctes := make(map[string][]*Column)
	for _, n := range s.WithClause.GetCtes() {
		cte := n.GetCommonTableExpr()
		ctes[cte.GetCtename()] = alias(a.columnsOf(cte.GetCtequery().GetSelectStmt(), depth+1), pgsql.Strings(cte.GetAliascolnames()))
	}
	var out []source
	var visit func(n *pgsql.Node)
	visit = func(n *pgsql.Node) {
		switch x := n.GetNode().(type) {
		case *pgsql.Node_RangeVar:
			src := source{name: x.RangeVar.Relname}
			if cols, ok := ctes[src.name]; ok && x.RangeVar.Schemaname == "" {
				src.cols = cols
			} else if r := a.find(x.RangeVar); r != nil {
				src.cols = r.Columns
			}
			if x.RangeVar.Alias != nil {
				src.name = x.RangeVar.Alias.Aliasname
			}
			out = append(out, src)
		case *pgsql.Node_RangeSubselect:
			al := x.RangeSubselect.Alias
			cols := a.columnsOf(x.RangeSubselect.Subquery.GetSelectStmt(), depth+1)
			out = append(out, source{al.GetAliasname(), alias(cols, pgsql.Strings(al.GetColnames()))})
		case *pgsql.Node_RangeFunction:
			al := x.RangeFunction.Alias
			out = append(out, source{al.GetAliasname(), alias(nil, pgsql.Strings(al.GetColnames()))})
		case *pgsql.Node_JoinExpr:
			visit(x.JoinExpr.Larg)
			visit(x.JoinExpr.Rarg)
		}
	}
	for _, n := range s.FromClause {
		visit(n)
	}
	return out
}

func target(t *pgsql.ResTarget, sources []source) []*Column {
	val := t.GetVal()
	if ref := val.GetColumnRef(); ref != nil {
		parts := pgsql.Strings(ref.Fields)
		if len(parts) == 0 {
			return nil
		}
		last, qualifier := parts[len(parts)-1], ""
		if len(parts) > 1 {
			qualifier = parts[len(parts)-2]
		}
		var out []*Column
		for _, src := range sources {
			if qualifier != "" && src.name != qualifier {
				continue
			}
			for _, col := range src.cols {
				if last == "*" || col.Name == last && len(out) == 0 {
					out = append(out, &Column{Name: col.Name, Type: col.Type})
				}
			}
		}
		if last == "*" {
			return out
		}
		if len(out) == 0 {
			out = []*Column{{Name: last}}
		}
		if t.Name != "" {
			out[0].Name = t.Name
		}
		return out[:1]
	}
	col := &Column{Name: t.GetName()}
	if cast := val.GetTypeCast(); cast != nil {
		col.Type = pgsql.TypeName(cast.TypeName)
	}
	if col.Name == "" {
		if col.Name = figure(val); col.Name == "expr" {
			col.Name = "?column?"
		}
	}
	return []*Column{col}
}
