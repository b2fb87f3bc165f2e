package effect

import (
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// vals returns what the expressions are made of.
func (m *machine) vals(q *query, ns []*pgsql.Node) []*prog.Val {
	out := make([]*prog.Val, len(ns))
	for i, n := range ns {
		out[i] = m.val(q, n)
	}
	return out
}

// val returns what an expression is made of: constants, parameters, holes,
// columns, and functions and operators over them.
func (m *machine) val(q *query, n *pgsql.Node) *prog.Val {
	switch x := n.GetNode().(type) {
	case *pgsql.Node_AConst:
		return constant(x.AConst)
	case *pgsql.Node_ParamRef:
		return m.env.param(x.ParamRef.GetNumber())
	case *pgsql.Node_ColumnRef:
		return m.column(q, fields(x.ColumnRef))
	case *pgsql.Node_TypeCast:
		return cast(m.val(q, x.TypeCast.GetArg()), pgsql.TypeName(x.TypeCast.GetTypeName()))
	case *pgsql.Node_AExpr:
		return m.operator(q, x.AExpr)
	case *pgsql.Node_FuncCall:
		return m.applied(q, x.FuncCall)
	case *pgsql.Node_CollateClause:
		return m.val(q, x.CollateClause.GetArg())
	case *pgsql.Node_NamedArgExpr:
		return m.val(q, x.NamedArgExpr.GetArg())
	case *pgsql.Node_CoalesceExpr:
		return prog.New(prog.VApply, "coalesce", m.vals(q, x.CoalesceExpr.GetArgs())...)
	case *pgsql.Node_MinMaxExpr:
		f := "greatest"
		if x.MinMaxExpr.GetOp() == pgsql.MinMaxOp_IS_LEAST {
			f = "least"
		}
		return prog.New(prog.VApply, f, m.vals(q, x.MinMaxExpr.GetArgs())...)
	case *pgsql.Node_AArrayExpr:
		return prog.New(prog.VList, "", m.vals(q, x.AArrayExpr.GetElements())...)
	case *pgsql.Node_RowExpr:
		return prog.New(prog.VApply, "row", m.vals(q, x.RowExpr.GetArgs())...)
	case *pgsql.Node_AIndirection:
		return m.indirection(q, x.AIndirection)
	case *pgsql.Node_SqlvalueFunction:
		return prog.New(prog.VApply, strings.ToLower(strings.TrimPrefix(x.SqlvalueFunction.GetOp().String(), "SVFOP_")))
	case *pgsql.Node_CaseExpr:
		return m.cases(q, x.CaseExpr)
	case *pgsql.Node_SubLink:
		return m.scalar(q, x.SubLink)
	}
	return prog.Hole("expression")
}

func constant(c *pgsql.A_Const) *prog.Val {
	switch v := c.GetVal().(type) {
	case *pgsql.A_Const_Ival:
		return prog.Int(int64(v.Ival.GetIval()))
	case *pgsql.A_Const_Sval:
		return prog.Text(v.Sval.GetSval())
	case *pgsql.A_Const_Boolval:
		return prog.Bool(v.Boolval.GetBoolval())
	case *pgsql.A_Const_Fval:
		if n, err := strconv.ParseInt(v.Fval.GetFval(), 10, 64); err == nil {
			return prog.Int(n)
		}
		return prog.New(prog.VConst, "f:"+v.Fval.GetFval())
	case *pgsql.A_Const_Bsval:
		return prog.New(prog.VApply, "bit", prog.Text(v.Bsval.GetBsval()))
	}
	if c.GetIsnull() {
		return prog.Nil
	}
	return prog.Int(0) // the parser leaves out an integer of zero
}

func cast(v *prog.Val, to string) *prog.Val {
	if s, ok := v.AsText(); ok && to == "text" {
		return prog.Text(s)
	}
	return prog.New(prog.VApply, "::"+to, v)
}

func fields(c *pgsql.ColumnRef) []string {
	if len(c.GetFields()) == 0 {
		return nil
	}
	out := make([]string, len(c.GetFields()))
	for i, n := range c.GetFields() {
		out[i] = field(n)
	}
	return out
}

func field(n *pgsql.Node) string {
	if n.GetAStar() != nil {
		return "*"
	}
	return n.GetString_().GetSval()
}

// column returns the last field of a reference, and the one before it.
func column(c *pgsql.ColumnRef) (of, name string) {
	fs := c.GetFields()
	if n := len(fs); n > 0 {
		name = field(fs[n-1])
		if n > 1 {
			of = field(fs[n-2])
		}
	}
	return of, name
}

func operatorName(x *pgsql.A_Expr) string {
	names := x.GetName()
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1].GetString_().GetSval()
}

func (m *machine) operator(q *query, x *pgsql.A_Expr) *prog.Val {
	op := operatorName(x)
	if x.GetKind() == pgsql.A_Expr_Kind_AEXPR_NULLIF {
		return prog.New(prog.VApply, "nullif", m.val(q, x.GetLexpr()), m.val(q, x.GetRexpr()))
	}
	if x.GetKind() != pgsql.A_Expr_Kind_AEXPR_OP {
		return prog.Hole("condition")
	}
	right := m.val(q, x.GetRexpr())
	if x.GetLexpr() == nil {
		if op == "-" && right.Kind == prog.VConst {
			if n, ok := strings.CutPrefix(right.Str, "i:"); ok && !strings.HasPrefix(n, "-") {
				return prog.New(prog.VConst, "i:-"+n)
			}
			if right.Str == "f:9223372036854775808" {
				return prog.New(prog.VConst, "i:-9223372036854775808")
			}
		}
		return prog.New(prog.VApply, op, right)
	}
	left := m.val(q, x.GetLexpr())
	if op == "||" {
		return concat(left, right)
	}
	return prog.New(prog.VApply, op, left, right)
}

// concat joins texts, flat, neighbouring constants as one.
func concat(vs ...*prog.Val) *prog.Val {
	var out []*prog.Val
	for _, v := range vs {
		parts := []*prog.Val{v}
		if v.Kind == prog.VConcat {
			parts = v.Of
		}
		for _, p := range parts {
			if s, ok := p.AsText(); ok && len(out) > 0 {
				if before, ok := out[len(out)-1].AsText(); ok {
					out[len(out)-1] = prog.Text(before + s)
					continue
				}
			}
			out = append(out, p)
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return prog.New(prog.VConcat, "", out...)
}

func (m *machine) applied(q *query, f *pgsql.FuncCall) *prog.Val {
	if name := functionName(f); strings.HasPrefix(name, "sqlc.") && len(f.GetArgs()) == 1 {
		return prog.Hole(sqlcName(f.GetArgs()[0])) // a parameter, as sqlc's query files write it
	}
	args := m.vals(q, f.GetArgs())
	if fn := m.function(f, args); fn != nil {
		if v := m.result(fn, m.arguments(fn, f, args)); v != nil {
			return v
		}
	}
	return prog.New(prog.VApply, functionName(f), args...)
}

func sqlcName(n *pgsql.Node) string {
	if f := fields(n.GetColumnRef()); len(f) == 1 {
		return f[0]
	}
	return n.GetAConst().GetSval().GetSval()
}

func (m *machine) indirection(q *query, x *pgsql.A_Indirection) *prog.Val {
	if list := x.GetIndirection(); len(list) == 1 && list[0].GetString_() != nil {
		if v := m.rowField(q, x.GetArg(), field(list[0])); v != nil {
			return v
		}
	}
	v := m.val(q, x.GetArg())
	for _, n := range x.GetIndirection() {
		if i := n.GetAIndices(); i != nil && !i.GetIsSlice() {
			index := m.val(q, i.GetUidx())
			if k, err := strconv.Atoi(strings.TrimPrefix(index.Str, "i:")); err == nil && v.Kind == prog.VList {
				if v.Str != "tg_argv" {
					k-- // TG_ARGV alone counts from 0
				}
				if k >= 0 && k < len(v.Of) {
					v = v.Of[k]
					continue
				}
			}
			v = prog.New(prog.VElem, strings.TrimPrefix(index.Str, "i:"), v)
			continue
		}
		return prog.Hole("indirection")
	}
	return v
}

func (m *machine) cases(q *query, c *pgsql.CaseExpr) *prog.Val {
	var vs []*prog.Val
	for _, w := range c.GetArgs() {
		vs = append(vs, m.val(q, w.GetCaseWhen().GetResult()))
	}
	if c.GetDefresult() != nil {
		vs = append(vs, m.val(q, c.GetDefresult()))
	} else {
		vs = append(vs, prog.Nil)
	}
	return prog.Choose(4, vs...)
}

// scalar returns the value of a subquery in an expression: that of its only
// column.
func (m *machine) scalar(q *query, s *pgsql.SubLink) *prog.Val {
	sel := s.GetSubselect().GetSelectStmt()
	if s.GetSubLinkType() != pgsql.SubLinkType_EXPR_SUBLINK || len(sel.GetTargetList()) != 1 {
		return prog.Hole("subquery")
	}
	sub := m.subquery(q, s)
	if sub == nil {
		return prog.Hole("subquery")
	}
	return m.val(sub, sel.GetTargetList()[0].GetResTarget().GetVal())
}
