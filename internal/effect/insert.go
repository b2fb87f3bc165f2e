package effect

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// An insert is an INSERT after analysis.
type insert struct {
	q        *query
	src      *query
	stmt     *pgsql.InsertStmt
	conflict *query // scope of DO UPDATE
	excluded *rte
}

func (m *machine) insert(ins *insert) {
	q := ins.q
	if m.instead(q, "insert") {
		return
	}
	base := q.target.baseTable()
	c := &change{kind: "insert", ref: base.ref, rule: "R5.6"}
	c.given, c.several = m.given(ins, base)
	if c.several {
		c.rows.order = m.handedOut(ins, base)
	}
	done := m.statementTriggers(c)
	also := m.statementTriggers(ins.updates(c.ref))
	m.exec(ins.src)
	m.under(m.perRow(c), func() { m.defaults(c.ref, c.given, ins.src == nil) })
	m.domains(c)
	m.fire(c, m.triggers(c, "before", true))
	m.checkRow(c)
	m.bound(c.ref)
	m.applyPolicies(q)
	m.newRow(c, ins.stmt.GetOnConflictClause() != nil)
	m.under(m.perRow(c), func() { m.destination(c) })
	m.upsert(ins, c)
	m.under(m.perRow(c), func() { m.evals(q, q.ret) })
	m.afterInsert(ins, c)
	also()
	done()
	if rules, _ := m.rulesOn(q.target, "insert"); len(rules) > 0 {
		m.later(func() { m.rules(q, rules) })
	}
}

// updates is what DO UPDATE is to statement triggers: they fire whether or
// not a row conflicts (R7.1).
func (ins *insert) updates(ref relref) *change {
	u := &change{ref: ref}
	if ins.conflict != nil {
		u.kind = "update"
		for _, n := range ins.stmt.GetOnConflictClause().GetTargetList() {
			u.set = append(u.set, assign{col: n.GetResTarget().GetName()})
		}
	}
	return u
}

// afterInsert queues the checks of the new row; where ON CONFLICT can take
// its place they depend on that.
func (m *machine) afterInsert(ins *insert, c *change) {
	if ins.stmt.GetOnConflictClause() != nil {
		c.when = prog.NoConflict
	}
	m.queueAfter(c)
	c.when = ""
}

// columns lists the columns that an INSERT fills, by the names of the table.
func (ins *insert) columns(base *rte) []string {
	var cols []string
	for _, n := range ins.stmt.GetCols() {
		cols = append(cols, base0(ins.q.target, n.GetResTarget().GetName()))
	}
	if len(cols) == 0 && base.ref.rel != nil {
		for _, c := range base.ref.rel.Columns {
			cols = append(cols, c.Name)
		}
	}
	return cols
}

// handedOut is the order in which the query of an INSERT hands out its rows,
// in columns of the table: they are inserted, and conflicting ones locked, in
// it (R5.8).
func (m *machine) handedOut(ins *insert, base *rte) string {
	order, ok := strings.CutPrefix(ins.src.order(nil), "by ")
	if !ok {
		return "plan"
	}
	first := ins.src
	for first.left != nil {
		first = first.left
	}
	to, cols := map[string]string{}, ins.columns(base)
	for i, n := range first.sel.GetTargetList() {
		if t := n.GetResTarget(); i < len(cols) {
			f := fields(t.GetVal().GetColumnRef())
			for _, name := range []string{t.GetName(), pgsql.Expr(t.GetVal())} {
				to[name] = cols[i]
			}
			if len(f) > 0 {
				to[f[len(f)-1]] = cols[i]
			}
		}
	}
	parts := strings.Split(order, ", ")
	for i, p := range parts {
		name, down := strings.CutSuffix(p, " desc")
		if col := to[name]; col != "" {
			if parts[i] = col; down {
				parts[i] += " desc"
			}
		}
	}
	return "by " + strings.Join(parts, ", ")
}

// given maps the columns of an INSERT to their values, as far as they are
// the same for all rows, and tells whether there can be several rows.
func (m *machine) given(ins *insert, base *rte) (given map[string]*prog.Val, several bool) {
	cols := ins.columns(base)
	given = map[string]*prog.Val{}
	if ins.src == nil {
		return given, false
	}
	several = !ins.src.one()
	rows := ins.src.sel.GetValuesLists()
	for i, col := range cols {
		v := prog.New(prog.VSQLCol, base.ref.name+"."+col)
		switch {
		case len(rows) == 1:
			items := rows[0].GetList().GetItems()
			if i >= len(items) {
				continue
			}
			if items[i].GetSetToDefault() != nil {
				v = m.defaultOf(base.ref, col)
			} else {
				v = m.val(ins.src, items[i])
			}
		case len(rows) > 1:
			if i >= len(rows[0].GetList().GetItems()) {
				continue
			}
			v = m.common(ins.src, rows, i, v)
		case ins.src.left == nil && ins.src.sel != nil:
			list := ins.src.sel.GetTargetList()
			if i < len(list) {
				if ins.src.differs(list[i].GetResTarget().GetVal()) {
					break // the column stands for the value of each row
				}
				if f := fields(list[i].GetResTarget().GetVal().GetColumnRef()); len(f) == 0 || f[len(f)-1] != "*" {
					v = m.val(ins.src, list[i].GetResTarget().GetVal())
				}
			} else if !starred(list) {
				continue
			}
		}
		given[col] = v
	}
	return given, several
}

func starred(list []*pgsql.Node) bool {
	for _, n := range list {
		if f := fields(n.GetResTarget().GetVal().GetColumnRef()); len(f) > 0 && f[len(f)-1] == "*" {
			return true
		}
	}
	return false
}

func base0(r *rte, col string) string {
	if r.base == nil {
		return col
	}
	return r.through(col)
}

// common returns the value that a column has in every row of VALUES, or the
// column itself.
func (m *machine) common(q *query, rows []*pgsql.Node, i int, column *prog.Val) *prog.Val {
	var v *prog.Val
	for _, r := range rows {
		items := r.GetList().GetItems()
		if i >= len(items) {
			return column
		}
		w := m.val(q, items[i])
		if v != nil && !prog.Equal(v, w) {
			return column
		}
		v = w
	}
	return v
}

// defaults plays the defaults of the columns that an INSERT leaves out:
// sequences are locked to the end of the transaction (R3.7).
func (m *machine) defaults(r relref, given map[string]*prog.Val, all bool) {
	if r.rel == nil {
		return
	}
	for _, c := range r.rel.Columns {
		if !all && given[c.Name] != nil {
			continue
		}
		m.under(m.at.through("default of "+r.name+"."+c.Name), func() {
			switch {
			case c.Sequence != "":
				s := m.exact(c.Sequence)
				s.kind = "S"
				m.table(s, lockgraph.RowExclusive, "R3.7")
			case c.Default != "":
				m.value(c.Default)
			}
		})
	}
}

// checkRow plays generated columns, then CHECK constraints that call
// functions (R7.5).
func (m *machine) checkRow(c *change) {
	if c.ref.rel == nil {
		return
	}
	for _, g := range c.ref.rel.Columns {
		if g.Generated != "" && strings.Contains(g.Generated, "(") && m.generates(c, g.Generated) {
			m.in(m.perRow(c).through("generated column "+g.Name), m.newImage(c), func() { m.value(g.Generated) })
		}
	}
	for _, k := range c.ref.rel.Checks {
		if strings.Contains(k.Expr, "(") {
			m.in(m.perRow(c).through("check "+k.Name), m.newImage(c), func() { m.value(k.Expr) })
		}
	}
}

// generates reports whether a change computes a generated column anew: an
// UPDATE only when it sets a column that it is made of, or a BEFORE ROW
// trigger may.
func (m *machine) generates(c *change, expr string) bool {
	if c.kind != "update" || len(m.present(c, "before")) > 0 {
		return true
	}
	return slices.ContainsFunc(c.set, func(s assign) bool { return mentions(expr, s.col) })
}

// newImage lets the columns of a row stand for its new values.
func (m *machine) newImage(c *change) *env {
	e := &env{names: map[string]*prog.Val{}, cols: map[string]string{}, set: map[string]bool{}}
	m.images(e, c)
	for name, v := range e.names {
		if col, ok := strings.CutPrefix(name, "new."); ok {
			e.names[col] = v
		}
	}
	return e
}

// indexRow plays the expressions and predicates of indexes that call
// functions, when the row is in the table (R7.5). An UPDATE that sets no
// column of an index most often adds no entry to any.
func (m *machine) indexRow(c *change) {
	if c.ref.rel == nil || len(m.cat.Functions) == 0 {
		return
	}
	list := c.ref.indexes()
	if c.kind == "update" && !slices.ContainsFunc(list, func(x *schema.Index) bool { return c.moves(x) }) {
		return
	}
	for _, x := range list {
		for _, text := range append(x.Exprs[:len(x.Exprs):len(x.Exprs)], x.Where) {
			if strings.Contains(text, "(") {
				m.in(m.perRow(c).through("index "+x.Name), m.newImage(c), func() { m.value(text) })
			}
		}
	}
}

// moves reports whether an update sets a column that the index is made of.
func (c *change) moves(x *schema.Index) bool {
	for _, s := range c.set {
		if s.same {
			continue
		}
		if slices.Contains(x.Columns, s.col) || slices.Contains(x.Include, s.col) || mentions(x.Where, s.col) ||
			slices.ContainsFunc(x.Exprs, func(e string) bool { return mentions(e, s.col) }) {
			return true
		}
	}
	return false
}

// newRow writes down the row an INSERT adds, and the waits for others that
// have the same key and have not ended (R5.6, R5.7).
func (m *machine) newRow(c *change, conflict bool) {
	rows := rowSet{unique: true, many: c.several, order: c.rows.order, source: "values"}
	for col, v := range c.given {
		rows.eq = append(rows.eq, prog.Col{Name: col, Val: v})
	}
	sortCols(rows.eq)
	if !c.several {
		rows.order, rows.source = "", ""
	}
	put(&m.fresh, c.ref.name, append(m.fresh[c.ref.name], rows))
	m.under(m.perRow(c), func() {
		a := prog.Acq{Mode: lockgraph.ForUpdate, Implicit: true, Rule: "R5.6", Fresh: true}
		if conflict {
			a.When = prog.NoConflict
		}
		m.row(c.ref, rows, a)
	})
	m.indexRow(c)
	m.under(m.perRow(c), func() { m.duplicates(c, rows) })
}

func (m *machine) duplicates(c *change, rows rowSet) {
	if c.ref.rel == nil {
		return
	}
	for _, x := range c.ref.indexes() {
		if !x.Unique && !x.Exclusion || generatedKey(c, x) {
			continue
		}
		a := m.stamp(prog.Acq{Family: lockgraph.Row, Relation: c.ref.name, Relkind: c.ref.kind, PartitionOf: c.ref.root, Rule: "R5.6", Implicit: true, Many: rows.many, Order: rows.order, Unique: true})
		for _, col := range x.Columns {
			if v := c.given[col]; v != nil {
				a.Row = append(a.Row, prog.Col{Name: col, Val: v})
			}
		}
		m.emit(prog.Op{Kind: prog.OpWait, Str: "an uncommitted duplicate in unique index " + x.Name, Acq: a})
	}
}

// generatedKey reports whether the key of an index comes from a sequence or
// is NULL, so that no other row has it.
func generatedKey(c *change, x *schema.Index) bool {
	for _, col := range x.Columns {
		k := c.ref.column(col)
		if k == nil || c.given[col] != nil && !isNull(c.given[col]) {
			continue
		}
		if k.Sequence != "" || k.Default == "" && k.Generated == "" {
			return true
		}
	}
	return false
}

// upsert plays ON CONFLICT DO UPDATE: the row that is there is locked by the
// SET list, and stays so when WHERE is false (R5.2, R5.8).
func (m *machine) upsert(ins *insert, c *change) {
	oc := ins.stmt.GetOnConflictClause()
	if ins.conflict == nil {
		return
	}
	ins.excluded.vals = c.given
	u := &change{kind: "update", ref: c.ref, rule: "R5.8", early: true, upsert: true, when: prog.IsThere}
	u.rows = rowSet{many: c.several, order: c.rows.order, source: "values", unique: true}
	arbiter := map[string]bool{}
	for _, n := range oc.GetInfer().GetIndexElems() {
		arbiter[n.GetIndexElem().GetName()] = true
	}
	if name := oc.GetInfer().GetConname(); name != "" && c.ref.rel != nil {
		for _, x := range c.ref.indexes() {
			if x.Name == name {
				for _, col := range x.Columns {
					arbiter[col] = true
				}
			}
		}
	}
	for col := range arbiter {
		if v := c.given[col]; v != nil {
			u.rows.eq = append(u.rows.eq, prog.Col{Name: col, Val: v})
		}
	}
	sortCols(u.rows.eq)
	u.set = m.setList(ins.conflict, oc.GetTargetList(), u.rows)
	u.values = func() {
		m.under(m.perRow(u), func() {
			m.eval(ins.conflict, oc.GetWhereClause())
			m.evals(ins.conflict, oc.GetTargetList())
		})
		m.domains(u)
	}
	m.rowChange(u)
	m.indexRow(u)
}
