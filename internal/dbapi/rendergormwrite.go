package dbapi

import "strings"

// finish returns the statements of a finisher.
func (g *gormChain) finish(s Step) []string {
	a := s.Args
	switch s.Method {
	case "Exec":
		return []string{g.rawText(a)}
	case "Create", "CreateInBatches", "Save":
		if s.Method == "Save" && !g.dest.many() {
			return g.save()
		}
		if s.Method == "Save" && g.conflict == "" {
			g.conflict = "ON CONFLICT (" + ident(g.mod().key()) + ") DO UPDATE SET " + g.excluded()
		}
		return g.insert()
	case "Update", "UpdateColumn", "Updates", "UpdateColumns":
		return g.update(s)
	case "Delete":
		return g.delete(a)
	}
	return g.read(s)
}

// take uses the first argument as model when Model named none.
func (g *gormChain) take(a []Arg) {
	if len(a) > 0 && (!g.hasModel || g.dest.Model == nil && g.dest.Table == "") {
		g.dest = a[0]
	}
}

// read returns the statements of a finisher that reads.
func (g *gormChain) read(s Step) []string {
	a := s.Args
	switch s.Method {
	case "First", "Take", "Last", "Find", "FirstOrCreate", "FirstOrInit":
		if len(a) > 1 {
			g.and(g.inline(a[1:]))
		}
	}
	if g.raw != "" {
		return []string{g.raw}
	}
	table := g.tableName()
	if len(g.from) == 0 {
		g.from = []string{table}
	}
	g.readColumns(s)
	g.soft()
	key := ""
	if m := g.mod(); m != nil {
		key = g.col(m.key())
	}
	switch s.Method {
	case "First", "FirstOrCreate", "FirstOrInit":
		if key != "" {
			g.order = append(g.order, key)
		}
		g.limit = "1"
	case "Last":
		if key != "" {
			g.order = append(g.order, key+" DESC")
		}
		g.limit = "1"
	case "Take":
		g.limit = "1"
	case "FindInBatches":
		if key != "" {
			g.order = append(g.order, key)
		}
		if len(a) > 1 {
			g.limit = g.number(a[1:])
		}
	}
	texts := []string{g.text()}
	if s.Method == "FirstOrCreate" {
		n := &gormChain{query: query{w: g.w, verb: "insert"}, dest: g.dest}
		texts = append(texts, n.insert()...)
	}
	return texts
}

func (g *gormChain) readColumns(s Step) {
	for _, c := range g.selected {
		if g.mod().has(c) {
			c = ident(c)
		}
		g.cols = append(g.cols, c)
	}
	switch s.Method {
	case "Count":
		what := "*"
		if len(g.cols) == 1 && g.distinct != "" {
			what = "DISTINCT(" + g.cols[0] + ")"
			g.distinct = ""
		}
		g.cols = []string{"count(" + what + ")"}
	case "Pluck":
		if t, ok := known(s.Args[:min(1, len(s.Args))]); ok && len(t) == 1 {
			g.cols = []string{ident(t[0])}
		}
	}
	if len(g.cols) == 0 && len(g.joins) > 0 && len(g.from) > 0 && g.mod() != nil {
		g.cols = []string{g.tableName() + ".*"}
	}
}

// soft adds the condition that leaves deleted rows out.
func (g *gormChain) soft() {
	if m := g.mod(); m != nil && m.Soft != "" && !g.unscoped {
		g.and(g.col(m.Soft) + " IS NULL")
	}
}

// writable returns the model's columns but its key, after Select and Omit.
func (g *gormChain) writable() []string {
	var out []string
	m := g.mod()
	if m == nil {
		return nil
	}
	for _, c := range m.Columns {
		isKey := false
		for _, k := range m.Keys {
			isKey = isKey || k == c.Name
		}
		if isKey || g.omit[c.Name] || g.omit[c.Field] {
			continue
		}
		if len(g.only) > 0 && !g.only[c.Name] && !g.only[c.Field] && !g.only["*"] {
			continue
		}
		out = append(out, c.Name)
	}
	return out
}

func (g *gormChain) insert() []string {
	g.verb = "insert"
	g.from = []string{g.tableName()}
	switch cols := g.writable(); {
	case g.dest.Fields != nil && g.mod() == nil || len(cols) == 0 && len(g.dest.Fields) > 0:
		var row []string
		for _, k := range sortedKeys(g.dest.Fields) {
			g.names = append(g.names, ident(g.mod().column(k)))
			row = append(row, g.w.value(g.dest.Fields[k]))
		}
		if row != nil {
			g.rows = [][]string{row}
		}
	case len(cols) > 0:
		var row []string
		for _, c := range cols {
			g.names = append(g.names, ident(c))
			row = append(row, g.fieldValue(g.dest, c))
		}
		if k := g.mod().key(); g.keyGiven() {
			g.names, row = append(g.names, ident(k)), append(row, g.fieldValue(g.dest, k))
		}
		g.rows = [][]string{row}
		if g.dest.many() {
			g.rows = g.w.severalRows(g.dest, len(row))
		}
	}
	if g.mod() != nil && len(g.mod().Keys) > 0 && g.ret == "" {
		g.ret = ident(g.mod().key())
	}
	return []string{g.text()}
}

// keyGiven reports whether the model sets the key: as far as a literal tells,
// or because an existing row is to be found by it.
func (g *gormChain) keyGiven() bool {
	if g.dest.Fields == nil && g.conflict != "" {
		return true
	}
	for k := range g.dest.Fields {
		if g.mod().column(k) == g.mod().key() {
			return true
		}
	}
	return false
}

// fieldValue returns the value that a model literal gives a column.
func (g *gormChain) fieldValue(a Arg, col string) string {
	for _, k := range sortedKeys(a.Fields) {
		if g.mod().column(k) == col {
			return g.w.value(a.Fields[k])
		}
	}
	return g.w.ref(0)
}

// rowValue returns the value that writing a whole row gives a column: what a
// model literal or an assignment says, else the column itself. Such a write mostly leaves a
// column as it was, and PostgreSQL locks a row by whether a key changes, not
// by the SET list.
func (g *gormChain) rowValue(col string) string {
	for _, k := range sortedKeys(g.dest.Fields) {
		if g.mod().column(k) == col && !g.dest.Same[k] {
			return g.w.value(g.dest.Fields[k])
		}
	}
	return ident(col)
}

func (g *gormChain) save() []string {
	g.verb = "update"
	g.from = []string{g.tableName()}
	for _, c := range g.writable() {
		g.sets = append(g.sets, ident(c)+" = "+g.rowValue(c))
	}
	g.unknownSets()
	g.soft()
	g.and(g.keyCond())
	return []string{g.text()}
}

func (g *gormChain) unknownSets() {
	if len(g.sets) == 0 {
		g.w.note("columns that are set not known")
		g.sets = []string{`"updated_at" = ` + g.w.ref(0)}
	}
}

// keyCond compares the key with that of the model value.
func (g *gormChain) keyCond() string {
	ref := g.dest.Key
	for _, k := range sortedKeys(g.dest.Fields) {
		if g.mod().column(k) == g.mod().key() {
			return ident(g.mod().key()) + " = " + g.w.value(g.dest.Fields[k])
		}
	}
	if g.dest.many() {
		return ident(g.mod().key()) + " = ANY (" + g.w.ref(ref) + ")"
	}
	return ident(g.mod().key()) + " = " + g.w.ref(ref)
}

// needKey adds the model's own key when the chain has no other condition:
// gorm refuses to write without one, so the value must have a key.
func (g *gormChain) needKey() {
	if len(g.where) == 0 {
		g.and(g.keyCond())
	}
}

func (g *gormChain) update(s Step) []string {
	g.verb = "update"
	single := s.Method == "Update" || s.Method == "UpdateColumn"
	g.from = []string{g.tableName()}
	switch {
	case single && len(s.Args) == 2 && s.Args[0].Known:
		g.sets = append(g.sets, ident(g.mod().column(s.Args[0].Text))+" = "+g.w.value(s.Args[1]))
	case !single && len(s.Args) == 1:
		for _, k := range sortedKeys(s.Args[0].Fields) {
			switch c := g.mod().column(k); {
			case c == g.mod().key():
			case s.Args[0].Same[k]:
				g.sets = append(g.sets, ident(c)+" = "+ident(c))
			default:
				g.sets = append(g.sets, ident(c)+" = "+g.w.value(s.Args[0].Fields[k]))
			}
		}
		if s.Args[0].Fields == nil && (s.Args[0].Model != nil || len(g.only) > 0) {
			for _, c := range g.writable() {
				g.sets = append(g.sets, ident(c)+" = "+ident(c))
			}
		}
	}
	g.unknownSets()
	// The model's update time is set as well, but not by UpdateColumn(s).
	if strings.HasPrefix(s.Method, "Update") && !strings.HasPrefix(s.Method, "UpdateColumn") {
		g.touch()
	}
	g.soft1()
	return []string{g.text()}
}

func (g *gormChain) touch() {
	if m := g.mod(); m != nil {
		for _, c := range m.Columns {
			if c.Field == "UpdatedAt" && !strings.Contains(strings.Join(g.sets, ","), ident(c.Name)+" =") {
				g.sets = append(g.sets, ident(c.Name)+" = now()")
			}
		}
	}
}

// soft1 adds the key where it is needed, then the mark of deleted rows.
func (g *gormChain) soft1() {
	g.needKey()
	g.soft()
}

func (g *gormChain) delete(a []Arg) []string {
	g.verb = "delete"
	if m := g.mod(); m != nil && m.Soft != "" && !g.unscoped {
		g.verb = "update"
		g.sets = []string{ident(m.Soft) + " = now()"}
	}
	g.from = []string{g.tableName()}
	if len(a) > 1 {
		g.and(g.inline(a[1:]))
	}
	g.soft1()
	return []string{g.text()}
}
