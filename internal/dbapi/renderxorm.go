package dbapi

import "strings"

// xormFinishers are the steps that send a statement, and its verb.
var xormFinishers = map[string]string{"Get": "select", "Find": "select", "FindAndCount": "select", "Exist": "select", "Count": "select",
	"Sum": "select", "SumInt": "select", "Sums": "select", "SumsInt": "select", "Rows": "select", "Iterate": "select",
	"Insert": "insert", "InsertOne": "insert", "InsertMulti": "insert", "Update": "update", "Delete": "delete",
	"Exec": "raw", "Query": "raw", "QueryString": "raw", "QueryInterface": "raw", "QuerySliceString": "raw"}

// xorm renders a chain of xorm.io/xorm.
func (w *writer) xorm(steps []Step) ([]string, string) {
	b := &bunChain{query: query{w: w, verb: "select"}}
	var texts []string
	for _, s := range steps {
		if verb := xormFinishers[s.Method]; verb != "" {
			b.verb = verb
			texts = b.xormFinish(s)
			continue
		}
		b.xormStep(s)
	}
	if b.why != "" {
		return nil, b.why
	}
	if texts == nil {
		return nil, "the chain sends nothing"
	}
	for i, t := range texts {
		texts[i] = strings.ReplaceAll(t, "`", `"`) // its quotes of names in any database
	}
	return texts, ""
}

// xormStep applies a step of a session.
func (b *bunChain) xormStep(s Step) {
	a := s.Args
	switch s.Method {
	case "Table":
		b.xormTable(a)
	case "SQL":
		b.xormRaw(a)
	case "Where", "And":
		b.and(b.xormCond(a))
	case "Or":
		b.where = append(b.where, cond{b.xormCond(a), true})
	case "ID":
		if len(a) == 1 {
			b.pk, b.key = true, a[0]
		}
	case "In", "NotIn":
		if len(a) > 1 && a[0].Known {
			b.and(ident(a[0].Text) + " " + b.w.in(xormValues(a[1:]), s.Method == "NotIn"))
		} else {
			b.w.note("condition not known")
		}
	case "Join":
		b.xormJoin(a)
	case "Cols", "MustCols":
		if t, ok := known(a); ok {
			b.cols = append(b.cols, t...)
		}
	case "Incr", "Decr", "SetExpr":
		if len(a) > 0 && a[0].Known {
			b.sets = append(b.sets, ident(a[0].Text)+" = "+b.w.ref(0))
		}
	case "OrderBy":
		b.order = append(b.order, b.bound("order", "?", a))
	case "Asc", "Desc":
		t, _ := known(a)
		for _, c := range t {
			b.order = append(b.order, strings.TrimSuffix(ident(c)+" "+strings.ToUpper(s.Method), " ASC"))
		}
	case "GroupBy":
		b.group = append(b.group, b.bound("group", "?", a))
	case "Having":
		b.having = append(b.having, b.bound("condition", "?", a))
	case "Limit":
		b.limit = b.number(a)
	case "Distinct":
		b.distinct = "DISTINCT "
	case "ForUpdate":
		b.locks = []string{"FOR UPDATE"}
	case "Unscoped":
		b.all = true
	}
}

// xormTable names the table, or gives a row of it.
func (b *bunChain) xormTable(a []Arg) {
	switch {
	case len(a) == 1 && a[0].Known:
		b.expr = ident(a[0].Text)
	case len(a) == 1 && (a[0].Model != nil || a[0].Table != ""):
		b.dest = Arg{Model: a[0].Model, Table: a[0].Table}
	default:
		b.fail("table not known")
	}
}

func (b *bunChain) xormRaw(a []Arg) {
	if len(a) == 0 || !a[0].Known {
		b.fail("SQL text not known")
		return
	}
	b.raw = b.w.bind(a[0].Text, "?", spreadArgs(a[1:]))
}

// xormValues returns the values of In: a list, or what one slice holds.
func xormValues(a []Arg) Arg {
	if a = spreadArgs(a); len(a) == 1 && a[0].List == nil {
		return Arg{Type: "[]any", Ref: a[0].Ref}
	} else if len(a) == 1 {
		return a[0]
	}
	return Arg{List: a}
}

func (b *bunChain) xormJoin(a []Arg) {
	if len(a) < 3 || !a[0].Known || !a[2].Known {
		b.fail("join not known")
		return
	}
	table := ""
	switch t := a[1]; {
	case t.Known:
		table = ident(t.Text)
	case t.Table != "":
		table = ident(t.Table)
	case len(t.List) > 1 && t.List[0].Known && t.List[1].Known:
		table = ident(t.List[0].Text) + " AS " + ident(t.List[1].Text)
	default:
		b.fail("join not known")
		return
	}
	b.joins = append(b.joins, a[0].Text+" JOIN "+table+" ON "+b.bound("join", "?", a[2:]))
}

// xormOps are the conditions of xorm.io/builder that are maps.
var xormOps = map[string]string{"Eq": "Eq", "Neq": "NotEq", "Lt": "Lt", "Lte": "LtOrEq", "Gt": "Gt", "Gte": "GtOrEq"}

// xormCond returns a condition: text with values, or one of xorm.io/builder.
func (b *bunChain) xormCond(a []Arg) string {
	if len(a) == 0 {
		return ""
	}
	c := a[0]
	kind := c.Type[strings.LastIndexByte(c.Type, '.')+1:]
	made := c.Call[strings.LastIndexByte(c.Call, '.')+1:]
	switch {
	case c.Fields != nil && xormOps[kind] != "":
		return b.squirrelPairs(xormOps[kind], c.Fields)
	case (made == "And" || made == "Or") && len(c.List) > 0:
		var parts []string
		for _, e := range c.List {
			if t := b.xormCond([]Arg{e}); t != "" {
				parts = append(parts, t)
			}
		}
		return "(" + strings.Join(parts, " "+strings.ToUpper(made)+" ") + ")"
	case (made == "In" || made == "NotIn") && len(c.List) > 1 && c.List[0].Known:
		return ident(c.List[0].Text) + " " + b.w.in(xormValues(c.List[1:]), made == "NotIn")
	}
	return b.bound("condition", "?", spreadArgs(a))
}

// xormFinish returns the statement of a finisher.
func (b *bunChain) xormFinish(s Step) []string {
	if b.verb == "raw" {
		if len(s.Args) > 0 {
			b.xormRaw(spreadArgs(s.Args))
			return []string{b.raw}
		}
		b.verb = "select"
	}
	b.xormRow(s)
	b.model = b.dest.Model
	b.from = b.modelTable()
	if b.raw != "" {
		return []string{b.raw}
	}
	if len(b.from) == 0 {
		b.fail("table not known")
		return []string{""}
	}
	if b.pk {
		b.and(ident(b.model.key()) + " = " + b.w.value(b.key))
	}
	switch s.Method {
	case "Insert", "InsertOne", "InsertMulti":
		b.insert()
	case "Update":
		b.update()
	case "Get", "Exist":
		b.limit = "1"
	case "Count", "Sum", "SumInt", "Sums", "SumsInt":
		b.query.cols, b.locks = []string{"count(*)"}, nil
	}
	if m := b.model; m != nil && m.Soft != "" && !b.all && b.verb != "insert" {
		b.and(ident(m.Soft) + " IS NULL")
		if b.verb == "delete" {
			b.verb, b.sets = "update", []string{ident(m.Soft) + " = now()"}
		}
	}
	return []string{b.text()}
}

// xormRow takes the row that a finisher is given: its table, where no step
// has named it, and, of what is read or deleted, what is set in it, which is
// a condition.
func (b *bunChain) xormRow(s Step) {
	if len(s.Args) == 0 {
		return
	}
	row := s.Args[0]
	if row.List != nil && row.Call == "" && len(row.List) > 0 && row.Model == nil {
		row = row.List[0]
	}
	if b.dest.Model == nil && b.dest.Table == "" || b.verb == "insert" || b.verb == "update" {
		if row.Model != nil || row.Table != "" {
			b.dest = row
		}
	}
	if row.Model == nil || b.verb == "insert" || b.verb == "update" || row.many() {
		return
	}
	for _, c := range row.Model.Columns {
		if v, ok := row.Fields[c.Field]; ok && !zero(v) {
			b.and(ident(c.Name) + " = " + b.w.value(v))
		}
	}
}

// zero reports a constant that xorm takes for no value.
func zero(a Arg) bool {
	return a.Known && (a.Text == "" || a.Text == "0" || a.Text == "false" || a.Text == "nil")
}
