package effect

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// expr analyzes the sublinks of an expression, in the order of the parser.
func (a *analysis) expr(q *query, n *pgsql.Node) {
	if n == nil {
		return
	}
	if s := n.GetSubLink(); s != nil {
		a.expr(q, s.GetTestexpr())
		a.subs[s] = a.sel(s.GetSubselect().GetSelectStmt(), q, "")
		return
	}
	for _, c := range children(n) {
		a.expr(q, c)
	}
	if f := n.GetFuncCall(); f != nil {
		a.early(q, f)
	}
}

// early leaves a call of an immutable function with constant arguments to
// planning, which runs it even where no row would reach it (R8.5).
func (a *analysis) early(q *query, f *pgsql.FuncCall) {
	if len(a.m.cat.Functions) == 0 {
		return
	}
	args := a.m.vals(q, f.GetArgs())
	fn := a.m.function(f, args)
	if fn == nil || !strings.EqualFold(fn.Volatility, "immutable") || fn.SetOf {
		return
	}
	for _, v := range args {
		if _, ok := evaluate(v); !ok && !isNull(v) {
			return
		}
	}
	a.done[f] = true
	a.plan = append(a.plan, func() {
		saved := a.m.readOnly
		a.m.readOnly = false // EXPLAIN plans too
		a.m.invoke(fn, a.m.arguments(fn, f, args))
		a.m.readOnly = saved
	})
}

func (a *analysis) exprs(q *query, ns []*pgsql.Node) {
	for _, n := range ns {
		a.expr(q, n)
	}
}

// children returns the parts of an expression in the order in which they are
// evaluated. Sublinks are not entered.
func children(n *pgsql.Node) []*pgsql.Node {
	switch x := n.GetNode().(type) {
	case *pgsql.Node_AExpr:
		return []*pgsql.Node{x.AExpr.GetLexpr(), x.AExpr.GetRexpr()}
	case *pgsql.Node_BoolExpr:
		return x.BoolExpr.GetArgs()
	case *pgsql.Node_FuncCall:
		return callParts(x.FuncCall)
	case *pgsql.Node_TypeCast:
		return []*pgsql.Node{x.TypeCast.GetArg()}
	case *pgsql.Node_CaseExpr:
		return caseParts(x.CaseExpr)
	case *pgsql.Node_CaseWhen:
		return []*pgsql.Node{x.CaseWhen.GetExpr(), x.CaseWhen.GetResult()}
	case *pgsql.Node_CoalesceExpr:
		return x.CoalesceExpr.GetArgs()
	case *pgsql.Node_MinMaxExpr:
		return x.MinMaxExpr.GetArgs()
	case *pgsql.Node_NullTest:
		return []*pgsql.Node{x.NullTest.GetArg()}
	case *pgsql.Node_BooleanTest:
		return []*pgsql.Node{x.BooleanTest.GetArg()}
	case *pgsql.Node_AArrayExpr:
		return x.AArrayExpr.GetElements()
	case *pgsql.Node_AIndirection:
		return append([]*pgsql.Node{x.AIndirection.GetArg()}, x.AIndirection.GetIndirection()...)
	case *pgsql.Node_AIndices:
		return []*pgsql.Node{x.AIndices.GetLidx(), x.AIndices.GetUidx()}
	case *pgsql.Node_RowExpr:
		return x.RowExpr.GetArgs()
	case *pgsql.Node_CollateClause:
		return []*pgsql.Node{x.CollateClause.GetArg()}
	case *pgsql.Node_NamedArgExpr:
		return []*pgsql.Node{x.NamedArgExpr.GetArg()}
	case *pgsql.Node_ResTarget:
		return []*pgsql.Node{x.ResTarget.GetVal()}
	case *pgsql.Node_MultiAssignRef:
		if x.MultiAssignRef.GetColno() == 1 {
			return []*pgsql.Node{x.MultiAssignRef.GetSource()}
		}
	case *pgsql.Node_SortBy:
		return []*pgsql.Node{x.SortBy.GetNode()}
	case *pgsql.Node_List:
		return x.List.GetItems()
	case *pgsql.Node_GroupingSet:
		return x.GroupingSet.GetContent()
	case *pgsql.Node_WindowDef:
		return append(append([]*pgsql.Node{}, x.WindowDef.GetPartitionClause()...), x.WindowDef.GetOrderClause()...)
	case *pgsql.Node_XmlExpr:
		return append(append([]*pgsql.Node{}, x.XmlExpr.GetNamedArgs()...), x.XmlExpr.GetArgs()...)
	case *pgsql.Node_XmlSerialize:
		return []*pgsql.Node{x.XmlSerialize.GetExpr()}
	}
	return jsonParts(n)
}

func jsonParts(n *pgsql.Node) []*pgsql.Node {
	switch x := n.GetNode().(type) {
	case *pgsql.Node_JsonObjectConstructor:
		return x.JsonObjectConstructor.GetExprs()
	case *pgsql.Node_JsonArrayConstructor:
		return x.JsonArrayConstructor.GetExprs()
	case *pgsql.Node_JsonKeyValue:
		return []*pgsql.Node{x.JsonKeyValue.GetKey(), x.JsonKeyValue.GetValue().GetRawExpr()}
	case *pgsql.Node_JsonValueExpr:
		return []*pgsql.Node{x.JsonValueExpr.GetRawExpr()}
	case *pgsql.Node_JsonIsPredicate:
		return []*pgsql.Node{x.JsonIsPredicate.GetExpr()}
	case *pgsql.Node_JsonObjectAgg:
		return []*pgsql.Node{x.JsonObjectAgg.GetArg().GetKey(), x.JsonObjectAgg.GetArg().GetValue().GetRawExpr()}
	case *pgsql.Node_JsonArrayAgg:
		return []*pgsql.Node{x.JsonArrayAgg.GetArg().GetRawExpr()}
	}
	return nil
}

func callParts(f *pgsql.FuncCall) []*pgsql.Node {
	out := append([]*pgsql.Node{}, f.GetArgs()...)
	out = append(out, f.GetAggOrder()...)
	out = append(out, f.GetAggFilter())
	if w := f.GetOver(); w != nil {
		out = append(out, w.GetPartitionClause()...)
		out = append(out, w.GetOrderClause()...)
	}
	return out
}

func caseParts(c *pgsql.CaseExpr) []*pgsql.Node {
	out := []*pgsql.Node{c.GetArg()}
	out = append(out, c.GetArgs()...)
	return append(out, c.GetDefresult())
}

// functionName returns the name of a call as written, without pg_catalog.
func functionName(f *pgsql.FuncCall) string {
	names := f.GetFuncname()
	s := ""
	for i, n := range names {
		v := n.GetString_().GetSval()
		if i == 0 && v == "pg_catalog" && len(names) > 1 {
			continue
		}
		if s != "" {
			s += "."
		}
		s += v
	}
	return s
}

// rangeCalls returns the calls of a function in FROM.
func rangeCalls(r *pgsql.RangeFunction) []*pgsql.Node {
	var out []*pgsql.Node
	for _, f := range r.GetFunctions() {
		if items := f.GetList().GetItems(); len(items) > 0 {
			out = append(out, items[0])
		}
	}
	return out
}

func rangeCall(r *pgsql.RangeFunction) *pgsql.FuncCall {
	for _, n := range rangeCalls(r) {
		return n.GetFuncCall()
	}
	return nil
}
