package dbapi

import "strings"

// A jetChain is a statement of go-jet.
type jetChain struct {
	query
	lock    string // mode of LOCK
	nowait  bool
	changed []Arg // columns that UPDATE and INSERT name
}

// jet renders a chain of go-jet: it begins with SELECT, LOCK or RawStatement,
// or with the table that a statement is made of.
func (w *writer) jet(steps []Step) ([]string, string) {
	j := &jetChain{query: query{w: w}}
	for _, s := range steps {
		j.step(s)
	}
	switch {
	case j.verb == "":
		j.fail("no statement in the chain")
	case j.verb == "lock":
		j.raw = "LOCK TABLE " + strings.Join(j.from, ", ")
		if j.lock != "" {
			j.raw += " IN " + j.lock + " MODE"
		}
		if j.nowait {
			j.raw += " NOWAIT"
		}
	case j.verb != "select" && j.verb != "raw" && len(j.from) == 0:
		j.fail("table not known")
	case j.verb == "update" && len(j.sets) == 0:
		j.fail("columns that are set not known")
	}
	if j.why != "" {
		return nil, j.why
	}
	return []string{j.text()}, ""
}

func (j *jetChain) step(s Step) {
	a := s.Args
	switch s.Method {
	case "SELECT":
		j.verb = "select"
		for _, e := range a {
			j.cols = append(j.cols, j.columns(e)...)
		}
	case "DISTINCT":
		j.distinct = "DISTINCT "
	case "RawStatement":
		j.verb = "raw"
		if len(a) == 0 || !a[0].Known {
			j.fail("SQL text not known")
			return
		}
		j.raw = j.w.bind(jetNames(a[0].Text, a[1:]), "@name", jetArgs(a[1:]))
	case "LOCK":
		j.verb = "lock"
		j.tables(a)
	case "INSERT", "UPDATE", "DELETE":
		j.verb, j.changed = strings.ToLower(s.Method), a
	case "NewTable":
		j.from = append(j.from, tableOf(s))
	case "FROM", "USING":
		if s.Method == "FROM" && j.verb == "select" {
			j.from = nil
		}
		j.tables(a)
	case "INNER_JOIN", "LEFT_JOIN", "RIGHT_JOIN", "FULL_JOIN", "CROSS_JOIN":
		j.join(s)
	case "WHERE":
		for _, e := range a {
			j.and(j.expr(e))
		}
	case "SET", "MODEL":
		j.set(s)
	case "VALUES", "MODELS", "QUERY":
		j.values(s)
	case "FOR":
		j.locks = append(j.locks, j.locking(a))
	case "IN":
		j.lock = first(textsOf(a))
		if j.lock == "" {
			j.fail("mode of LOCK not known")
		}
	case "NOWAIT":
		j.nowait = true
	case "ORDER_BY", "GROUP_BY":
		for _, e := range a {
			if s.Method == "GROUP_BY" {
				j.group = append(j.group, j.expr(e))
			} else {
				j.order = append(j.order, j.expr(e))
			}
		}
	case "HAVING":
		for _, e := range a {
			j.having = append(j.having, j.expr(e))
		}
	case "LIMIT":
		j.limit = j.number(a)
	case "OFFSET":
		j.offset = j.number(a)
	case "ON_CONFLICT":
		j.conflict = "ON CONFLICT"
		if cols := j.list(a); cols != "" {
			j.conflict += " (" + cols + ")"
		}
	case "DO_NOTHING":
		j.conflict += " DO NOTHING"
	case "DO_UPDATE", "UNION", "UNION_ALL", "INTERSECT", "EXCEPT", "WITH", "WITH_RECURSIVE":
		j.fail(s.Method + " is not rendered")
	}
}

// textsOf returns the constant texts of args, leaving the others out.
func textsOf(args []Arg) []string {
	t, _ := known(args)
	return t
}

// tableOf returns the name that NewTable is given, with its alias.
func tableOf(s Step) string {
	t := textsOf(s.Args)
	if len(t) < 3 {
		return ""
	}
	name := ident(t[1])
	if t[0] != "" {
		name = ident(t[0]) + "." + name
	}
	if t[2] != "" {
		name += " AS " + ident(t[2])
	}
	return name
}

// table returns the table that a generated variable stands for.
func (j *jetChain) table(a Arg, depth int) string {
	for _, s := range a.Chain {
		if s.Method == "NewTable" {
			return tableOf(s)
		}
	}
	for _, k := range sortedKeys(a.Fields) {
		if k != "EXCLUDED" && depth < 4 {
			if t := j.table(a.Fields[k], depth+1); t != "" {
				return t
			}
		}
	}
	return ""
}

func (j *jetChain) tables(a []Arg) {
	for _, t := range a {
		name := j.table(t, 0)
		if name == "" {
			j.fail("table not known")
			return
		}
		j.from = append(j.from, name)
		for _, s := range t.Chain { // a table with its joins
			if strings.HasSuffix(s.Method, "_JOIN") {
				j.join(s)
			}
		}
	}
}

func (j *jetChain) join(s Step) {
	if len(s.Args) == 0 || j.table(s.Args[0], 0) == "" {
		j.fail("join not known")
		return
	}
	t := strings.ReplaceAll(s.Method, "_", " ") + " " + j.table(s.Args[0], 0)
	if len(s.Args) > 1 {
		t += " ON " + j.expr(s.Args[1])
	}
	j.joins = append(j.joins, t)
}

// columns returns the columns of a projection; a list of them is all.
func (j *jetChain) columns(e Arg) []string {
	if e.List != nil && e.Call == "" {
		var out []string
		for _, o := range e.List {
			out = append(out, j.columns(o)...)
		}
		return out
	}
	if len(e.Chain) == 0 {
		return []string{"*"}
	}
	return []string{j.expr(e)}
}

func (j *jetChain) list(a []Arg) string {
	var out []string
	for _, e := range a {
		out = append(out, j.expr(e))
	}
	return strings.Join(out, ", ")
}

// set adds the assignments of SET, or those of the columns that UPDATE named.
func (j *jetChain) set(s Step) {
	if j.verb != "update" {
		j.values(s)
		return
	}
	for i, e := range s.Args {
		n := len(e.Chain)
		switch {
		case s.Method == "SET" && n > 0 && e.Chain[n-1].Method == "SET" && len(e.Chain[n-1].Args) == 1:
			j.sets = append(j.sets, j.expr(Arg{Chain: e.Chain[:n-1]})+" = "+j.expr(e.Chain[n-1].Args[0]))
		case s.Method == "SET" && i < len(j.changed):
			j.sets = append(j.sets, j.expr(j.changed[i])+" = "+j.expr(e))
		}
	}
	if s.Method == "MODEL" {
		for _, c := range j.changed {
			for _, name := range j.columns(c) {
				j.sets = append(j.sets, name+" = "+j.w.ref(0))
			}
		}
	}
}

// values adds the rows of INSERT, whose values are what locks do not depend
// on.
func (j *jetChain) values(s Step) {
	if s.Method == "QUERY" {
		if len(s.Args) == 1 && len(s.Args[0].Chain) > 0 {
			j.source = j.sub(s.Args[0].Chain)
		} else {
			j.fail("inserted query not known")
		}
		return
	}
	if len(j.names) == 0 {
		for _, c := range j.changed {
			j.names = append(j.names, j.columns(c)...)
		}
	}
	row := make([]string, len(j.names))
	for i := range row {
		row[i] = j.w.ref(0)
	}
	if s.Method == "VALUES" && len(s.Args) == len(row) {
		for i, e := range s.Args {
			row[i] = j.expr(e)
		}
	}
	if len(row) > 0 {
		j.rows = append(j.rows, row)
	}
}

func (j *jetChain) sub(steps []Step) string {
	texts, why := j.w.jet(steps)
	if why != "" || len(texts) != 1 {
		j.w.couldLock("sub-query not known: " + why)
		return "SELECT " + j.w.ref(0)
	}
	return texts[0]
}

// locking returns a locking clause: UPDATE().OF(t).SKIP_LOCKED().
func (j *jetChain) locking(a []Arg) string {
	if len(a) != 1 || len(a[0].Chain) == 0 {
		j.fail("locking clause not known")
		return ""
	}
	t := "FOR"
	for i, s := range a[0].Chain {
		switch {
		case i == 0 || s.Method == "NOWAIT" || s.Method == "SKIP_LOCKED":
			t += " " + strings.ReplaceAll(s.Method, "_", " ")
		case s.Method == "OF":
			var of []string
			for _, o := range s.Args {
				of = append(of, j.table(o, 0))
			}
			t += " OF " + strings.Join(of, ", ")
		}
	}
	return t
}

var jetOps = map[string]string{"EQ": " = ", "NOT_EQ": " <> ", "LT": " < ", "LT_EQ": " <= ", "GT": " > ", "GT_EQ": " >= ", "LIKE": " LIKE ",
	"AND": " AND ", "OR": " OR ", "ADD": " + ", "SUB": " - ", "MUL": " * ", "DIV": " / ", "IS_DISTINCT_FROM": " IS DISTINCT FROM "}

var jetWords = map[string]string{"IS_NULL": " IS NULL", "IS_NOT_NULL": " IS NOT NULL", "IS_TRUE": " IS TRUE", "IS_FALSE": " IS FALSE",
	"ASC": " ASC", "DESC": " DESC", "NULLS_FIRST": " NULLS FIRST", "NULLS_LAST": " NULLS LAST"}

// expr returns an expression: a column, a literal, or what is made of them.
func (j *jetChain) expr(e Arg) string {
	if len(e.Chain) == 0 {
		return j.w.value(e)
	}
	s := e.Chain[0]
	t := ""
	switch {
	case strings.HasSuffix(s.Method, "Column") && len(textsOf(s.Args)) == 1:
		t = ident(textsOf(s.Args)[0])
	case s.Method == "SELECT" || s.Method == "NewTable":
		return "(" + j.sub(e.Chain) + ")"
	case (s.Method == "AND" || s.Method == "OR") && len(s.Args) > 0:
		var parts []string
		for _, x := range s.Args {
			parts = append(parts, j.expr(x))
		}
		t = "(" + strings.Join(parts, jetOps[s.Method]) + ")"
	case strings.HasPrefix(s.Method, "Raw") && len(textsOf(s.Args[:min(1, len(s.Args))])) == 1:
		t = j.w.bind(jetNames(s.Args[0].Text, s.Args[1:]), "@name", jetArgs(s.Args[1:]))
	case s.Method == "COUNT" && len(e.Chain) == 1:
		return "count(*)"
	case len(s.Args) == 1 && !strings.ContainsAny(s.Method, "_"): // a literal
		t = j.w.value(s.Args[0])
	default:
		j.w.note("expression " + s.Method + " not known")
		return j.w.ref(0)
	}
	for _, s := range e.Chain[1:] {
		t = j.operator(t, s)
	}
	return t
}

// operator applies one step to the text of its operand.
func (j *jetChain) operator(t string, s Step) string {
	switch {
	case jetWords[s.Method] != "":
		return t + jetWords[s.Method]
	case jetOps[s.Method] != "" && len(s.Args) == 1:
		t += jetOps[s.Method] + j.expr(s.Args[0])
		if s.Method == "AND" || s.Method == "OR" {
			return "(" + t + ")"
		}
		return t
	case s.Method == "BETWEEN" && len(s.Args) == 2:
		return t + " BETWEEN " + j.expr(s.Args[0]) + " AND " + j.expr(s.Args[1])
	case s.Method == "IN" || s.Method == "NOT_IN":
		op := " " + strings.ReplaceAll(s.Method, "_", " ") + " "
		if len(s.Args) == 1 && len(s.Args[0].Chain) > 0 && s.Args[0].Chain[0].Method == "SELECT" {
			return t + op + j.expr(s.Args[0])
		}
		if len(s.Args) == 0 || len(s.Args) == 1 && len(s.Args[0].Chain) == 0 { // a list made elsewhere
			return t + map[string]string{"IN": " = ANY (", "NOT_IN": " <> ALL ("}[s.Method] + j.w.ref(0) + ")"
		}
		return t + op + "(" + j.list(s.Args) + ")"
	case s.Method == "AS" || s.Method == "From" || s.Method == "FROM":
		return t
	}
	j.w.note("operator " + s.Method + " not known")
	return "(" + t + " IS NOT DISTINCT FROM " + j.w.ref(0) + ")"
}

// jetNames writes the names of raw text, which are whole keys of the map that
// comes with it, as @name; jetArgs gives the values under those.
func jetNames(text string, args []Arg) string {
	for _, a := range args {
		for _, k := range sortedKeys(a.Fields) {
			text = strings.ReplaceAll(text, k, "@"+strings.TrimLeft(k, "#:@$"))
		}
	}
	return text
}

func jetArgs(args []Arg) []Arg {
	var out []Arg
	for _, a := range args {
		b := Arg{Fields: map[string]Arg{}}
		for k, v := range a.Fields {
			b.Fields[strings.TrimLeft(k, "#:@$")] = v
		}
		out = append(out, b)
	}
	return out
}
