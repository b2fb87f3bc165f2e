package pgsql

func (p *printer) operator(e *A_Expr, around int) {
	op := ""
	if k := len(e.Name); k > 0 {
		op = e.Name[k-1].GetString_().GetSval()
	}
	switch e.Kind {
	case A_Expr_Kind_AEXPR_OP:
		p.plainOperator(e, op, around)
	case A_Expr_Kind_AEXPR_OP_ANY, A_Expr_Kind_AEXPR_OP_ALL:
		word := " ANY ("
		if e.Kind == A_Expr_Kind_AEXPR_OP_ALL {
			word = " ALL ("
		}
		p.group(bindOther, around, func() {
			p.expr(e.Lexpr, bindOther+1)
			p.put(" ", op, word)
			p.expr(e.Rexpr, 0)
			p.put(")")
		})
	case A_Expr_Kind_AEXPR_DISTINCT:
		p.infix(e, " IS DISTINCT FROM ", bindIs, around)
	case A_Expr_Kind_AEXPR_NOT_DISTINCT:
		p.infix(e, " IS NOT DISTINCT FROM ", bindIs, around)
	case A_Expr_Kind_AEXPR_NULLIF:
		p.put("nullif(")
		p.expr(e.Lexpr, 0)
		p.put(", ")
		p.expr(e.Rexpr, 0)
		p.put(")")
	case A_Expr_Kind_AEXPR_IN:
		p.infix(e, map[bool]string{true: " IN ", false: " NOT IN "}[op == "="], bindLike, around)
	case A_Expr_Kind_AEXPR_LIKE:
		p.infix(e, map[bool]string{true: " LIKE ", false: " NOT LIKE "}[op == "~~"], bindLike, around)
	case A_Expr_Kind_AEXPR_ILIKE:
		p.infix(e, map[bool]string{true: " ILIKE ", false: " NOT ILIKE "}[op == "~~*"], bindLike, around)
	case A_Expr_Kind_AEXPR_BETWEEN, A_Expr_Kind_AEXPR_NOT_BETWEEN,
		A_Expr_Kind_AEXPR_BETWEEN_SYM, A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		p.between(e, op, around)
	default:
		p.put(deparse(&Node{Node: &Node_AExpr{AExpr: e}}))
	}
}

func (p *printer) plainOperator(e *A_Expr, op string, around int) {
	if len(e.Name) > 1 && e.Name[0].GetString_().GetSval() != "pg_catalog" {
		op = "OPERATOR(" + QuoteIdent(e.Name[0].GetString_().GetSval()) + "." + op + ")"
	}
	if e.Lexpr == nil {
		p.group(bindUnary, around, func() {
			p.put(op)
			if op != "-" && op != "+" {
				p.put(" ")
			}
			p.expr(e.Rexpr, bindUnary+1)
		})
		return
	}
	p.infix(e, " "+op+" ", binding(op), around)
}

func (p *printer) infix(e *A_Expr, op string, own, around int) {
	p.group(own, around, func() {
		left := own
		if own == bindCompare || own == bindIs || own == bindLike {
			left++ // these do not associate
		}
		p.expr(e.Lexpr, left)
		p.put(op)
		p.expr(e.Rexpr, own+1)
	})
}

func (p *printer) between(e *A_Expr, op string, around int) {
	p.group(bindLike, around, func() {
		p.expr(e.Lexpr, bindLike+1)
		p.put(" ", op, " ")
		if ends := e.Rexpr.GetList().GetItems(); len(ends) == 2 {
			p.expr(ends[0], bindLike+1)
			p.put(" AND ")
			p.expr(ends[1], bindLike+1)
		}
	})
}
