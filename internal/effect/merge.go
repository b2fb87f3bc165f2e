package effect

import (
	"sort"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// merge plays MERGE: each action locks as the statement of its kind does;
// DO NOTHING locks nothing (R5.9).
func (m *machine) merge(q *query, whens []*pgsql.Node) {
	m.readFrom(q)
	m.conditions(q)
	ref, rows := m.targetRows(q)
	rows.many, rows.order = true, "plan"
	if q.single(q.target) {
		rows.many, rows.order = false, ""
	}
	var done []func()
	for _, n := range whens {
		w := n.GetMergeWhenClause()
		cond := mergeWhen[pgsql.MergeMatch(w)]
		if w.GetCondition() != nil {
			cond += " and " + pgsql.Expr(w.GetCondition())
			m.eval(q, w.GetCondition())
		}
		c := &change{ref: ref, rows: rows, when: cond}
		switch w.GetCommandType() {
		case pgsql.CmdType_CMD_UPDATE:
			c.kind, c.rule = "update", "R5.1"
			c.set = m.setList(q, w.GetTargetList(), rows)
			done = append(done, m.statementTriggers(c))
			m.under(m.perRow(c), func() { m.evals(q, w.GetTargetList()) })
			m.domains(c)
			m.changeRow(q, c)
		case pgsql.CmdType_CMD_DELETE:
			c.kind, c.rule = "delete", "R5.3"
			done = append(done, m.statementTriggers(c))
			m.rowChange(c)
		case pgsql.CmdType_CMD_INSERT:
			done = append(done, m.mergeInsert(q, w, c))
		}
	}
	m.evals(q, q.ret)
	for _, f := range done {
		f()
	}
}

var mergeWhen = map[string]string{"matched": "a row matches", "not matched": "no row matches", "not matched by source": "no row of the source matches"}

func (m *machine) mergeInsert(q *query, w *pgsql.MergeWhenClause, c *change) func() {
	c.kind, c.rule, c.several = "insert", "R5.6", c.rows.many
	c.rows, c.given = rowSet{}, map[string]*prog.Val{}
	var cols []string
	for _, t := range w.GetTargetList() {
		cols = append(cols, t.GetResTarget().GetName())
	}
	if len(cols) == 0 && c.ref.rel != nil {
		for _, x := range c.ref.rel.Columns {
			cols = append(cols, x.Name)
		}
	}
	for i, v := range w.GetValues() {
		if i < len(cols) {
			c.given[cols[i]] = m.val(q, v)
		}
	}
	done := m.statementTriggers(c)
	m.under(m.perRow(c), func() {
		m.evals(q, w.GetValues())
		m.defaults(c.ref, c.given, false)
	})
	m.domains(c)
	m.fire(c, m.triggers(c, "before", true))
	m.checkRow(c)
	m.newRow(c, false)
	m.queueAfter(c)
	return done
}

func sortCols(cols []prog.Col) {
	sort.Slice(cols, func(i, j int) bool { return cols[i].Name < cols[j].Name })
}

func sorted(list []string) []string {
	sort.Strings(list)
	return list
}
