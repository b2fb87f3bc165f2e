package dbapi

import (
	"strconv"
	"strings"
)

// gormFinishers are the steps that send a statement.
var gormFinishers = map[string]bool{"First": true, "Take": true, "Last": true, "Find": true, "Scan": true, "Row": true, "Rows": true,
	"Pluck": true, "Count": true, "Create": true, "CreateInBatches": true, "Save": true, "Update": true, "Updates": true,
	"UpdateColumn": true, "UpdateColumns": true, "Delete": true, "FirstOrCreate": true, "FirstOrInit": true, "FindInBatches": true, "Exec": true}

// modelFinishers are those whose first argument may name the model.
var modelFinishers = map[string]bool{"First": true, "Take": true, "Last": true, "Find": true, "Scan": true, "Create": true,
	"CreateInBatches": true, "Save": true, "Updates": true, "UpdateColumns": true, "Delete": true, "FirstOrCreate": true,
	"FirstOrInit": true, "FindInBatches": true}

// A gormChain is a query and what only gorm has.
type gormChain struct {
	query
	dest     Arg // the model argument of Model, or of the finisher
	hasModel bool
	unscoped bool
	omit     map[string]bool
	only     map[string]bool // columns of Select, for writes
	selected []string
}

// gorm renders a chain of gorm.io/gorm.
func (w *writer) gorm(steps []Step) ([]string, string) {
	g := &gormChain{query: query{w: w, verb: "select"}, omit: map[string]bool{}, only: map[string]bool{}}
	g.target(steps)
	var texts []string
	for _, s := range steps {
		if !gormFinishers[s.Method] {
			g.step(s)
			continue
		}
		texts = g.finish(s)
	}
	if g.why != "" {
		return nil, g.why
	}
	if texts == nil {
		return nil, "the chain sends nothing"
	}
	return texts, ""
}

// target finds the chain's model and table first: conditions are written for
// it wherever it is named.
func (g *gormChain) target(steps []Step) {
	for _, s := range steps {
		switch {
		case len(s.Args) == 0:
		case s.Method == "Model" || s.Method == "G":
			g.dest, g.hasModel = s.Args[0], true
		case s.Method == "Table" && len(s.Args) == 1 && s.Args[0].Known:
			g.from = []string{ident(s.Args[0].Text)}
		case modelFinishers[s.Method]:
			g.take(s.Args)
		}
	}
}

// step applies a builder step. What loads related rows afterwards, hooks and
// settings is left out: Preload, Session, Debug, Set and the like.
func (g *gormChain) step(s Step) {
	a := s.Args
	switch s.Method {
	case "Table":
		g.table(a)
	case "Raw":
		g.raw = g.rawText(a)
	case "Clauses":
		for _, c := range a {
			g.clause(c)
		}
	case "Where":
		g.and(g.cond(a))
	case "Or":
		if t := g.cond(a); t != "" {
			g.where = append(g.where, cond{t, true})
		}
	case "Not":
		if t := g.cond(a); t != "" {
			g.and("NOT (" + t + ")")
		}
	case "Select":
		g.selectColumns(a)
	case "Distinct":
		g.distinct = "DISTINCT "
		if len(a) > 0 {
			g.selectColumns(a)
		}
	case "Omit":
		t, _ := known(a)
		for _, c := range t {
			g.omit[c] = true
		}
	case "Joins", "InnerJoins":
		g.join(s.Method, a)
	case "Group":
		if t, ok := known(a); ok {
			g.group = append(g.group, t...)
		}
	case "Having":
		g.having = append(g.having, g.cond(a))
	case "Order":
		g.orderBy(a)
	case "Limit":
		if len(a) > 0 && a[0].Text != "-1" {
			g.limit = g.number(a)
		}
	case "Offset":
		g.offset = g.number(a)
	case "Scopes":
		for _, f := range a {
			if len(f.Chain) == 0 {
				g.w.couldLock("scope not known")
			}
			for _, s := range f.Chain {
				g.step(s)
			}
		}
	case "Unscoped":
		g.unscoped = true
	}
}

func (g *gormChain) rawText(a []Arg) string {
	if len(a) == 0 || !a[0].Known {
		g.fail("SQL text not known")
		return ""
	}
	return g.w.bind(a[0].Text, "gorm", a[1:])
}

func (g *gormChain) table(a []Arg) {
	switch {
	case len(a) == 0 || !a[0].Known:
		g.fail("table not known")
	case len(a) > 1:
		g.from = []string{g.w.bind(a[0].Text, "gorm", a[1:])}
	default:
		g.from = []string{ident(a[0].Text)}
	}
}

func (g *gormChain) selectColumns(a []Arg) {
	if len(a) == 0 {
		return
	}
	if len(a) > 1 && a[0].Known && strings.Contains(a[0].Text, "?") {
		g.selected = append(g.selected, g.w.bind(a[0].Text, "gorm", a[1:]))
		return
	}
	t, ok := known(a)
	if !ok {
		g.w.note("columns not known")
	}
	for _, c := range t {
		g.selected = append(g.selected, c)
		g.only[c] = true
	}
}

func (g *gormChain) join(method string, a []Arg) {
	switch {
	case len(a) == 0 || !a[0].Known:
		g.fail("join not known")
	case strings.Contains(a[0].Text, " "):
		g.joins = append(g.joins, g.w.bind(a[0].Text, "gorm", a[1:]))
	default:
		// A join by the name of an association: its table is in the model.
		g.w.note("join of association " + a[0].Text + " left out")
	}
}

func (g *gormChain) orderBy(a []Arg) {
	if len(a) == 0 {
		return
	}
	switch {
	case a[0].Known:
		if a[0].Text != "" {
			g.order = append(g.order, a[0].Text)
		}
	case a[0].Fields["Column"].Fields["Name"].Known:
		t := ident(a[0].Fields["Column"].Fields["Name"].Text)
		if a[0].Fields["Desc"].Text == "true" {
			t += " DESC"
		}
		g.order = append(g.order, t)
	default:
		g.w.note("order not known")
	}
}

// clause applies one argument of Clauses.
func (g *gormChain) clause(c Arg) {
	kind := c.Type[strings.LastIndexByte(c.Type, '.')+1:]
	switch {
	case kind == "Locking":
		g.locking(c)
	case kind == "OnConflict":
		g.onConflict(c)
	case kind == "Returning":
		g.ret = "*"
		if cols := c.Fields["Columns"].List; len(cols) > 0 {
			g.ret = strings.Join(columnNames(cols), ", ")
		}
	case kind == "Expr" || kind == "NamedExpr" || exprCalls[c.Call] || strings.HasPrefix(c.Type, "gorm.io/hints"):
		if kind != "Expr" && kind != "NamedExpr" && !exprCalls[c.Call] {
			return
		}
		g.and(g.clauseExpr(c))
	case c.Type == "" || !strings.Contains(c.Type, "clause.") || c.Fields == nil:
		// It may lock: a text without it would say that nothing is locked.
		g.fail("clause not known")
	default:
		if t := g.clauseCond(c); t != "" {
			g.and(t)
		} else {
			g.w.note("clause " + kind + " left out")
		}
	}
}

func (g *gormChain) locking(c Arg) {
	if c.Fields == nil || !c.Fields["Strength"].Known {
		g.fail("strength of the locking clause not known")
		return
	}
	t := "FOR " + c.Fields["Strength"].Text
	if tab, ok := c.Fields["Table"]; ok {
		name := tab.Fields["Name"]
		switch {
		case tab.Fields != nil && !name.Known && name.Ref == 0 && len(tab.Fields) == 0:
		case !name.Known:
			g.fail("table of the locking clause not known")
			return
		case name.Text == "~~~ct~~~": // clause.CurrentTable
			t += " OF " + g.tableName()
		case name.Text != "":
			t += " OF " + ident(name.Text)
		}
	}
	if o, ok := c.Fields["Options"]; ok {
		if !o.Known {
			g.fail("options of the locking clause not known")
			return
		}
		if o.Text != "" {
			t += " " + o.Text
		}
	}
	g.locks = append(g.locks, t)
}

func (g *gormChain) onConflict(c Arg) {
	t := "ON CONFLICT"
	if cols := c.Fields["Columns"].List; len(cols) > 0 {
		t += " (" + strings.Join(columnNames(cols), ", ") + ")"
	} else if n := c.Fields["OnConstraint"]; n.Known {
		t += " ON CONSTRAINT " + ident(n.Text)
	} else if c.Fields["UpdateAll"].Text == "true" || len(c.Fields["DoUpdates"].List) > 0 || c.Fields["DoUpdates"].Call != "" {
		t += " (" + ident(g.mod().key()) + ")"
	}
	switch up := c.Fields["DoUpdates"]; {
	case c.Fields["DoNothing"].Text == "true":
		t += " DO NOTHING"
	case c.Fields["UpdateAll"].Text == "true":
		t += " DO UPDATE SET " + g.excluded()
	case strings.HasSuffix(up.Call, "clause.AssignmentColumns") && len(up.List) == 1:
		names, ok := known(up.List)
		if !ok || len(names) == 0 {
			g.w.note("columns of the conflict clause not known")
			t += " DO UPDATE SET " + g.excluded()
			break
		}
		for i, n := range names {
			names[i] = ident(n) + ` = "excluded".` + ident(n)
		}
		t += " DO UPDATE SET " + strings.Join(names, ", ")
	case strings.HasSuffix(up.Call, "clause.Assignments") && len(up.List) == 1 && len(up.List[0].Fields) > 0:
		var sets []string
		for _, k := range sortedKeys(up.List[0].Fields) {
			sets = append(sets, ident(k)+" = "+g.w.value(up.List[0].Fields[k]))
		}
		t += " DO UPDATE SET " + strings.Join(sets, ", ")
	default:
		g.w.note("columns of the conflict clause not known")
		t += " DO UPDATE SET " + g.excluded()
	}
	g.conflict = t
}

// excluded sets each column but the key from the row that was refused.
func (g *gormChain) excluded() string {
	var sets []string
	for _, c := range g.writable() {
		sets = append(sets, ident(c)+` = "excluded".`+ident(c))
	}
	if len(sets) == 0 {
		g.w.note("columns not known")
		return `"updated_at" = "excluded"."updated_at"`
	}
	return strings.Join(sets, ", ")
}

// columnNames returns the names of clause.Column values, quoted.
func columnNames(list []Arg) []string {
	var out []string
	for _, c := range list {
		if n := c.Fields["Name"]; n.Known {
			out = append(out, ident(n.Text))
		}
	}
	return out
}

// mod returns the chain's model, nil when it is not known.
func (g *gormChain) mod() *Model { return g.dest.Model }

// tableName returns the quoted table of the chain.
func (g *gormChain) tableName() string {
	if len(g.from) > 0 {
		t := g.from[0]
		if i := strings.LastIndexByte(t, ' '); i >= 0 {
			t = ident(t[i+1:])
		}
		return t
	}
	switch {
	case g.dest.Table != "":
		return ident(g.dest.Table)
	case g.mod() != nil && g.mod().Table != "":
		return ident(g.mod().Table)
	}
	g.fail("table not known")
	return ""
}

// col returns a column of the chain's table, quoted and qualified.
func (g *gormChain) col(name string) string {
	if strings.Contains(name, ".") {
		return ident(name)
	}
	if t := g.tableName(); t != "" {
		return t + "." + ident(name)
	}
	return ident(name)
}

// integer reports whether a constant or type is a whole number, which gorm
// takes as a primary key.
func integer(a Arg) bool {
	if a.Known && strings.Contains(a.Type, "string") {
		_, err := strconv.Atoi(a.Text)
		return err == nil
	}
	return strings.HasPrefix(a.Type, "int") || strings.HasPrefix(a.Type, "uint")
}
