package dbapi

import "strings"

// cond returns the condition that the arguments of Where, or the conditions
// of a finisher, make.
func (g *gormChain) cond(a []Arg) string {
	if len(a) == 0 {
		return ""
	}
	q := a[0]
	switch {
	case len(q.Chain) > 0:
		return g.groupCond(q.Chain)
	case exprCalls[q.Call] || strings.HasSuffix(q.Type, "clause.Expr"):
		return g.clauseExpr(q)
	case strings.Contains(q.Type, "clause.") && q.Fields != nil:
		if t := g.clauseCond(q); t != "" {
			return t
		}
	case integer(q):
		return g.col(g.mod().key()) + " = " + g.w.value(q)
	case q.Known && len(a) == 2 && q.Text != "" && wordLen(q.Text) == len(q.Text):
		// A bare column name compares for equality.
		if a[1].many() {
			return g.col(q.Text) + " " + g.w.in(a[1], false)
		}
		return g.col(q.Text) + " = " + g.w.value(a[1])
	case q.Known:
		return g.w.bind(q.Text, "gorm", a[1:])
	case q.Fields != nil:
		return g.fieldConds(q.Fields)
	case q.many():
		return g.col(g.mod().key()) + " " + g.w.in(q, false)
	}
	g.w.note("condition not known")
	return g.w.ref(q.Ref)
}

// inline returns the condition of a finisher: a single value of a basic type
// that is not known is the key. (It may be text with a condition; such text
// is mostly constant.)
func (g *gormChain) inline(a []Arg) string {
	if q := a[0]; len(a) == 1 && q.Ref != 0 && q.Type == "" && q.Call == "" && !q.Known && q.List == nil && q.Fields == nil && len(q.Chain) == 0 && g.mod() != nil {
		return g.col(g.mod().key()) + " = " + g.w.value(q)
	}
	return g.cond(a)
}

// groupCond returns the conditions of a chain used as one.
func (g *gormChain) groupCond(steps []Step) string {
	n := &gormChain{query: query{w: g.w, verb: g.verb, from: g.from, joins: g.joins}, dest: g.dest, hasModel: g.hasModel,
		omit: map[string]bool{}, only: map[string]bool{}}
	for _, s := range steps {
		n.step(s)
	}
	if n.why != "" {
		g.fail(n.why)
	}
	return n.conditions()
}

func (g *gormChain) fieldConds(fields map[string]Arg) string {
	var parts []string
	for _, k := range sortedKeys(fields) {
		v, col := fields[k], g.col(g.mod().columnOrName(k))
		switch {
		case v.Type == "untyped nil":
			parts = append(parts, col+" IS NULL")
		case v.many() || len(v.Chain) > 0:
			parts = append(parts, col+" "+g.w.in(v, false))
		default:
			parts = append(parts, col+" = "+g.w.value(v))
		}
	}
	return strings.Join(parts, " AND ")
}

// columnOrName is column, but keeps a name with a dot.
func (m *Model) columnOrName(name string) string {
	if strings.Contains(name, ".") {
		return name
	}
	return m.column(name)
}

// clauseExpr returns clause.Expr{SQL, Vars} or gorm.Expr(sql, vars…).
func (g *gormChain) clauseExpr(c Arg) string {
	if exprCalls[c.Call] {
		return g.w.expr(c)
	}
	if t := c.Fields["SQL"]; t.Known {
		return g.w.bind(t.Text, "gorm", c.Fields["Vars"].List)
	}
	g.w.note("expression not known")
	return g.w.ref(0)
}

// clauseCond returns the condition of a value of package clause, "" when it
// is none that is read.
func (g *gormChain) clauseCond(c Arg) string {
	kind := c.Type[strings.LastIndexByte(c.Type, '.')+1:]
	op := map[string]string{"Eq": "=", "Neq": "<>", "Gt": ">", "Gte": ">=", "Lt": "<", "Lte": "<=", "Like": "LIKE"}[kind]
	if kind == "Where" {
		var parts []string
		for _, e := range c.Fields["Exprs"].List {
			if t := g.cond([]Arg{e}); t != "" {
				parts = append(parts, guard(t, len(c.Fields["Exprs"].List) > 1))
			}
		}
		return strings.Join(parts, " AND ")
	}
	col := c.Fields["Column"]
	name := col.Text
	if n := col.Fields["Name"]; n.Known {
		name = n.Text
	}
	if name == "" || op == "" && kind != "IN" {
		return ""
	}
	if name == "~~~py~~~" { // clause.PrimaryKey
		name = g.mod().key()
	}
	switch {
	case kind == "IN":
		return g.col(name) + " " + g.w.in(c.Fields["Values"], false)
	case c.Fields["Value"].many():
		return g.col(name) + " " + g.w.in(c.Fields["Value"], kind == "Neq")
	}
	return g.col(name) + " " + op + " " + g.w.value(c.Fields["Value"])
}
