package pgsql

import (
	"fmt"
	"strconv"
	"strings"
)

// Expr writes an expression in its one normal form: one space around
// operators, casts as x::type, functions and types in lower case, keywords
// in upper case, strings quoted, parameters as $n. Two expressions that
// differ only in spelling have one form. One that cannot be written is a
// comment that says why, which reads as no expression at all.
func Expr(n *Node) (text string) {
	if n == nil || n.Node == nil {
		return ""
	}
	defer func() {
		if p := recover(); p != nil {
			text = "/* the expression cannot be written: " + strings.ReplaceAll(fmt.Sprint(p), "*/", "") + " */"
		}
	}()
	var p printer
	p.expr(n, 0)
	return p.String()
}

// Binding strengths, weakest first (PostgreSQL 16 manual, 4.1.6).
const (
	bindOr = iota + 1
	bindAnd
	bindNot
	bindIs
	bindCompare
	bindLike
	bindOther
	bindAdd
	bindMultiply
	bindPower
	bindAt
	bindUnary
	bindCast
)

func binding(op string) int {
	switch op {
	case "<", ">", "=", "<=", ">=", "<>":
		return bindCompare
	case "+", "-":
		return bindAdd
	case "*", "/", "%":
		return bindMultiply
	case "^":
		return bindPower
	}
	return bindOther
}

type printer struct{ strings.Builder }

func (p *printer) put(s ...string) {
	for _, x := range s {
		p.WriteString(x)
	}
}

// group writes what f writes, in parentheses when it binds weaker than its
// surroundings.
func (p *printer) group(own, around int, f func()) {
	if own < around {
		p.put("(")
		defer p.put(")")
	}
	f()
}

func (p *printer) list(ns []*Node) {
	for i, n := range ns {
		if i > 0 {
			p.put(", ")
		}
		p.expr(n, 0)
	}
}

func (p *printer) expr(n *Node, around int) {
	if n == nil {
		return
	}
	switch x := n.Node.(type) {
	case *Node_AConst:
		p.constant(x.AConst, around)
	case *Node_ParamRef:
		p.put("$", strconv.Itoa(int(x.ParamRef.Number)))
	case *Node_ColumnRef:
		p.names(x.ColumnRef.Fields)
	case *Node_AStar:
		p.put("*")
	case *Node_TypeCast:
		p.group(bindCast, around, func() {
			p.expr(x.TypeCast.Arg, bindCast)
			p.put("::", TypeName(x.TypeCast.TypeName))
		})
	case *Node_FuncCall:
		p.call(x.FuncCall)
	case *Node_AExpr:
		p.operator(x.AExpr, around)
	case *Node_BoolExpr:
		p.boolean(x.BoolExpr, around)
	case *Node_NullTest:
		p.group(bindIs, around, func() {
			p.expr(x.NullTest.Arg, bindIs+1)
			p.put(map[NullTestType]string{NullTestType_IS_NULL: " IS NULL"}[x.NullTest.Nulltesttype])
			if x.NullTest.Nulltesttype != NullTestType_IS_NULL {
				p.put(" IS NOT NULL")
			}
		})
	case *Node_List:
		p.put("(")
		p.list(x.List.Items)
		p.put(")")
	case *Node_ResTarget:
		p.expr(x.ResTarget.Val, around)
	default:
		p.rare(n, around)
	}
}

// rare writes the expressions that lock statements seldom hold.
func (p *printer) rare(n *Node, around int) {
	switch x := n.Node.(type) {
	case *Node_CaseExpr:
		p.caseExpr(x.CaseExpr)
	case *Node_CoalesceExpr:
		p.put("coalesce(")
		p.list(x.CoalesceExpr.Args)
		p.put(")")
	case *Node_MinMaxExpr:
		p.put(map[bool]string{true: "greatest(", false: "least("}[x.MinMaxExpr.Op == MinMaxOp_IS_GREATEST])
		p.list(x.MinMaxExpr.Args)
		p.put(")")
	case *Node_RowExpr:
		p.put(map[bool]string{true: "", false: "ROW"}[x.RowExpr.RowFormat == CoercionForm_COERCE_IMPLICIT_CAST], "(")
		p.list(x.RowExpr.Args)
		p.put(")")
	case *Node_AArrayExpr:
		p.put("ARRAY[")
		p.list(x.AArrayExpr.Elements)
		p.put("]")
	case *Node_NamedArgExpr:
		p.put(QuoteIdent(x.NamedArgExpr.Name), " => ")
		p.expr(x.NamedArgExpr.Arg, 0)
	case *Node_CollateClause:
		p.group(bindCast, around, func() {
			p.expr(x.CollateClause.Arg, bindCast)
			p.put(" COLLATE ")
			p.names(x.CollateClause.Collname)
		})
	case *Node_AIndirection:
		p.indirection(x.AIndirection)
	case *Node_SetToDefault:
		p.put("DEFAULT")
	case *Node_SqlvalueFunction:
		p.put(sqlValue(x.SqlvalueFunction))
	case *Node_BooleanTest:
		p.group(bindIs, around, func() {
			p.expr(x.BooleanTest.Arg, bindIs+1)
			name := strings.TrimPrefix(x.BooleanTest.Booltesttype.String(), "IS_")
			p.put(" IS ", strings.ReplaceAll(name, "_", " "))
		})
	case *Node_String_:
		p.put(QuoteIdent(x.String_.Sval))
	default:
		p.put(deparse(n))
	}
}

func (p *printer) constant(c *A_Const, around int) {
	if c.Isnull {
		p.put("NULL")
		return
	}
	var s string
	switch v := c.Val.(type) {
	case *A_Const_Ival:
		s = strconv.Itoa(int(v.Ival.GetIval()))
	case *A_Const_Fval:
		s = v.Fval.GetFval()
	case *A_Const_Boolval:
		p.put(strconv.FormatBool(v.Boolval.GetBoolval()))
		return
	case *A_Const_Sval:
		p.put(QuoteLiteral(v.Sval.GetSval()))
		return
	case *A_Const_Bsval:
		b := v.Bsval.GetBsval()
		if b != "" {
			p.put(b[:1], QuoteLiteral(b[1:]))
		}
		return
	default:
		s = "0" // protobuf leaves an integer that is 0 out
	}
	own := bindCast
	if strings.HasPrefix(s, "-") {
		own = bindUnary
	}
	p.group(own, around, func() { p.put(s) })
}

func (p *printer) names(fields []*Node) {
	for i, f := range fields {
		if i > 0 {
			p.put(".")
		}
		p.expr(f, 0)
	}
}

// special writes the calls whose SQL spelling cannot be written as a list of
// arguments.
func (p *printer) special(f *FuncCall) bool {
	if f.Funcformat != CoercionForm_COERCE_SQL_SYNTAX || len(f.Args) != 2 {
		return false
	}
	switch name := FuncName(f.Funcname); name {
	case "extract":
		p.put("extract(")
		p.expr(f.Args[0], 0)
		p.put(" FROM ")
		p.expr(f.Args[1], 0)
	case "position":
		p.put("position(")
		p.expr(f.Args[1], bindOther)
		p.put(" IN ")
		p.expr(f.Args[0], bindOther)
	default:
		return false
	}
	p.put(")")
	return true
}

func (p *printer) call(f *FuncCall) {
	if p.special(f) {
		return
	}
	p.put(FuncName(f.Funcname), "(")
	if f.AggDistinct {
		p.put("DISTINCT ")
	}
	if f.AggStar {
		p.put("*")
	}
	for i, a := range f.Args {
		if i > 0 {
			p.put(", ")
		}
		if f.FuncVariadic && i == len(f.Args)-1 {
			p.put("VARIADIC ")
		}
		p.expr(a, 0)
	}
	if len(f.AggOrder) > 0 && !f.AggWithinGroup {
		p.put(" ORDER BY ")
		p.sort(f.AggOrder)
	}
	p.put(")")
	if f.AggWithinGroup {
		p.put(" WITHIN GROUP (ORDER BY ")
		p.sort(f.AggOrder)
		p.put(")")
	}
	if f.AggFilter != nil {
		p.put(" FILTER (WHERE ")
		p.expr(f.AggFilter, 0)
		p.put(")")
	}
	if f.Over != nil {
		p.over(f.Over)
	}
}

func (p *printer) over(w *WindowDef) {
	if w.Name != "" {
		p.put(" OVER ", QuoteIdent(w.Name))
		return
	}
	p.put(" OVER (")
	if len(w.PartitionClause) > 0 {
		p.put("PARTITION BY ")
		p.list(w.PartitionClause)
	}
	if len(w.OrderClause) > 0 {
		if len(w.PartitionClause) > 0 {
			p.put(" ")
		}
		p.put("ORDER BY ")
		p.sort(w.OrderClause)
	}
	p.put(")")
}

func (p *printer) sort(ns []*Node) {
	for i, n := range ns {
		if i > 0 {
			p.put(", ")
		}
		by := n.GetSortBy()
		if by == nil {
			p.expr(n, 0)
			continue
		}
		p.expr(by.Node, 0)
		if by.SortbyDir == SortByDir_SORTBY_DESC {
			p.put(" DESC")
		}
		switch by.SortbyNulls {
		case SortByNulls_SORTBY_NULLS_FIRST:
			p.put(" NULLS FIRST")
		case SortByNulls_SORTBY_NULLS_LAST:
			p.put(" NULLS LAST")
		}
	}
}

func (p *printer) boolean(b *BoolExpr, around int) {
	own, word := bindOr, " OR "
	switch b.Boolop {
	case BoolExprType_NOT_EXPR:
		p.group(bindNot, around, func() {
			p.put("NOT ")
			if len(b.Args) > 0 {
				p.expr(b.Args[0], bindNot)
			}
		})
		return
	case BoolExprType_AND_EXPR:
		own, word = bindAnd, " AND "
	}
	p.group(own, around, func() {
		for i, a := range b.Args {
			if i > 0 {
				p.put(word)
			}
			p.expr(a, own+1)
		}
	})
}

func (p *printer) caseExpr(c *CaseExpr) {
	p.put("CASE")
	if c.Arg != nil {
		p.put(" ")
		p.expr(c.Arg, 0)
	}
	for _, a := range c.Args {
		w := a.GetCaseWhen()
		p.put(" WHEN ")
		p.expr(w.GetExpr(), 0)
		p.put(" THEN ")
		p.expr(w.GetResult(), 0)
	}
	if c.Defresult != nil {
		p.put(" ELSE ")
		p.expr(c.Defresult, 0)
	}
	p.put(" END")
}

func (p *printer) indirection(a *A_Indirection) {
	switch a.Arg.GetNode().(type) {
	case *Node_ParamRef:
		p.expr(a.Arg, 0)
	case *Node_ColumnRef:
		if a.Indirection[0].GetAIndices() == nil {
			p.put("(")
			p.expr(a.Arg, 0)
			p.put(")")
			break
		}
		p.expr(a.Arg, 0)
	default:
		p.put("(")
		p.expr(a.Arg, 0)
		p.put(")")
	}
	for _, n := range a.Indirection {
		ix := n.GetAIndices()
		if ix == nil {
			p.put(".")
			p.expr(n, 0)
			continue
		}
		p.put("[")
		if ix.IsSlice {
			p.expr(ix.Lidx, 0)
			p.put(":")
		}
		p.expr(ix.Uidx, 0)
		p.put("]")
	}
}

func sqlValue(f *SQLValueFunction) string {
	name := strings.ToLower(strings.TrimPrefix(f.Op.String(), "SVFOP_"))
	if base, ok := strings.CutSuffix(name, "_n"); ok {
		return base + "(" + strconv.Itoa(int(f.Typmod)) + ")"
	}
	return name
}

// deparse leaves what is rare to the parser's own printer.
func deparse(n *Node) (text string) {
	defer func() {
		if recover() != nil {
			text = "…"
		}
	}()
	target := &Node{Node: &Node_ResTarget{ResTarget: &ResTarget{Val: n}}}
	sel := &Node{Node: &Node_SelectStmt{SelectStmt: &SelectStmt{
		TargetList:  []*Node{target},
		LimitOption: LimitOption_LIMIT_OPTION_DEFAULT,
		Op:          SetOperation_SETOP_NONE,
	}}}
	s, err := write(sel)
	if err != nil {
		return "…"
	}
	return strings.TrimPrefix(s, "SELECT ")
}
