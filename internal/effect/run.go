package effect

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// run plays one statement and returns its query, if it is one.
func (m *machine) run(n *pgsql.Node) *query {
	if m.fuel--; m.fuel <= 0 {
		m.left = 0
		return nil
	}
	switch s := n.GetNode().(type) {
	case *pgsql.Node_SelectStmt:
		return m.selectInto(s.SelectStmt)
	case *pgsql.Node_InsertStmt, *pgsql.Node_UpdateStmt, *pgsql.Node_DeleteStmt, *pgsql.Node_MergeStmt:
		return m.query(n)
	case *pgsql.Node_TransactionStmt:
		m.transaction(s.TransactionStmt)
	case *pgsql.Node_VariableSetStmt:
		m.variable(s.VariableSetStmt)
	case *pgsql.Node_LockStmt:
		m.lockTable(s.LockStmt)
	case *pgsql.Node_TruncateStmt:
		m.truncate(s.TruncateStmt)
	case *pgsql.Node_CopyStmt:
		m.copy(s.CopyStmt)
	case *pgsql.Node_ExplainStmt:
		m.explain(s.ExplainStmt)
	case *pgsql.Node_PrepareStmt:
		m.prepare(s.PrepareStmt)
	case *pgsql.Node_ExecuteStmt:
		m.execute(s.ExecuteStmt)
	case *pgsql.Node_DeallocateStmt:
		if s.DeallocateStmt.GetName() == "" {
			m.prepared = map[string]prepared{}
		}
		delete(m.prepared, s.DeallocateStmt.GetName())
	case *pgsql.Node_DeclareCursorStmt:
		m.declare(s.DeclareCursorStmt)
	case *pgsql.Node_FetchStmt:
		m.fetch(s.FetchStmt)
	case *pgsql.Node_ClosePortalStmt:
		delete(m.cursors, s.ClosePortalStmt.GetPortalname())
	case *pgsql.Node_CallStmt:
		m.callStmt(s.CallStmt)
	case *pgsql.Node_DoStmt:
		m.do(s.DoStmt)
	case *pgsql.Node_ConstraintsSetStmt:
		m.constraints(s.ConstraintsSetStmt)
	case *pgsql.Node_DiscardStmt:
		m.discard(s.DiscardStmt)
	case *pgsql.Node_NotifyStmt:
		m.atCommit("", func() {
			m.emit(prog.Op{Kind: prog.OpWait, Str: "other transactions that notify", Acq: m.stamp(prog.Acq{Rule: "R5.13"})})
		})
	case *pgsql.Node_ReturnStmt:
		if q := m.expression(pgsql.Expr(s.ReturnStmt.GetReturnval())); q != nil {
			m.exec(q)
		}
	default:
		m.define(n)
	}
	return nil
}

// query analyzes a statement, runs it, then the data-modifying CTEs that
// nothing has read.
func (m *machine) query(n *pgsql.Node) *query {
	a := m.analysis()
	q, _ := a.body(n, nil)
	a.finish()
	m.play(q)
	return q
}

func (m *machine) play(q *query) {
	if q == nil || m.readOnly {
		return
	}
	m.exec(q)
	m.rest(q)
}

// selectInto plays SELECT; with INTO the new table is locked too (R5.11).
func (m *machine) selectInto(s *pgsql.SelectStmt) *query {
	q := m.query(&pgsql.Node{Node: &pgsql.Node_SelectStmt{SelectStmt: s}})
	if v := s.GetIntoClause().GetRel(); v != nil {
		m.created(v, "r", "R5.11")
	}
	return q
}

// created locks a relation that the statement itself makes.
func (m *machine) created(v *pgsql.RangeVar, kind, rule string) {
	name := qualified(v.GetSchemaname(), v.GetRelname())
	if v.GetSchemaname() == "" {
		name = qualified(m.creation(), v.GetRelname())
	}
	if v.GetRelpersistence() == "t" {
		name = "pg_temp." + v.GetRelname()
	}
	m.table(relref{name: name, kind: kind}, lockgraph.AccessExclusive, rule)
}

// creation is the schema that unqualified names are created in.
func (m *machine) creation() string {
	for _, s := range m.path() {
		if s != "$user" && s != "pg_temp" && s != "pg_catalog" {
			return s
		}
	}
	return "public"
}

// copy plays COPY: FROM is an INSERT of many rows, TO a SELECT (R5.11).
func (m *machine) copy(s *pgsql.CopyStmt) {
	if s.GetQuery() != nil {
		m.query(s.GetQuery())
		return
	}
	ref := m.rangeVar(s.GetRelation())
	if !s.GetIsFrom() {
		m.table(ref, lockgraph.AccessShare, "R5.11")
		m.missing(ref)
		return
	}
	m.table(ref, lockgraph.RowExclusive, "R5.11")
	m.missing(ref)
	c := &change{kind: "insert", ref: ref, rule: "R5.11", several: true, given: map[string]*prog.Val{}}
	cols := pgsql.Strings(s.GetAttlist())
	if len(cols) == 0 && ref.rel != nil {
		for _, col := range ref.rel.Columns {
			cols = append(cols, col.Name)
		}
	}
	for _, col := range cols {
		c.given[col] = prog.New(prog.VSQLCol, ref.name+"."+col)
	}
	done := m.statementTriggers(c)
	m.under(m.perRow(c), func() { m.defaults(ref, c.given, false) })
	m.domains(c)
	m.fire(c, m.triggers(c, "before", true))
	m.checkRow(c)
	m.newRow(c, false)
	m.queueAfter(c)
	done()
}

// explain takes the table locks; only ANALYZE runs the statement (R3.2, R8.5).
func (m *machine) explain(s *pgsql.ExplainStmt) {
	analyze := false
	for _, o := range s.GetOptions() {
		d := o.GetDefElem()
		if d.GetDefname() == "analyze" {
			analyze = offOption(d.GetArg())
		}
	}
	saved := m.readOnly
	m.readOnly = m.readOnly || !analyze
	m.run(s.GetQuery())
	m.readOnly = saved
}

// offOption reads the value of a boolean option, which is on when it has none.
func offOption(n *pgsql.Node) bool {
	if n == nil {
		return true
	}
	v := strings.ToLower(n.GetString_().GetSval())
	if b := n.GetBoolean(); b != nil {
		return b.GetBoolval()
	}
	if i := n.GetInteger(); i != nil {
		return i.GetIval() != 0
	}
	return v != "off" && v != "false" && v != "0"
}

// prepare takes the table locks of parse analysis (R2.8).
func (m *machine) prepare(s *pgsql.PrepareStmt) {
	put(&m.prepared, s.GetName(), prepared{query: s.GetQuery()})
	a := m.analysis()
	a.parseOnly = true
	a.body(s.GetQuery(), nil)
	a.finish()
}

// execute plays a prepared statement with its parameters (R3.6).
func (m *machine) execute(s *pgsql.ExecuteStmt) *query {
	p, ok := m.prepared[s.GetName()]
	if !ok {
		m.unknown("statement", "prepared statement "+s.GetName()+" is not known")
		return nil
	}
	args := m.vals(nil, s.GetParams())
	e := &env{args: args, names: map[string]*prog.Val{}}
	p.uses++
	put(&m.prepared, s.GetName(), p)
	// Five custom plans are tried before a generic one, which locks every
	// partition (R3.5).
	mode := m.settings["plan_cache_mode"]
	m.generic = mode == "force_generic_plan" || mode != "force_custom_plan" && p.uses > 5
	m.in(m.at, e, func() { m.run(p.query) })
	m.generic = false
	return nil
}

// declare takes the table locks of a cursor; FETCH takes the row locks (R2.8).
func (m *machine) declare(s *pgsql.DeclareCursorStmt) {
	a := m.analysis()
	q, _ := a.body(s.GetQuery(), nil)
	a.finish()
	put(&m.cursors, s.GetPortalname(), &cursor{query: q})
}

func (m *machine) fetch(s *pgsql.FetchStmt) {
	c := m.cursors[s.GetPortalname()]
	if c == nil {
		m.unknown("statement", "cursor "+s.GetPortalname()+" is not known")
		return
	}
	p := m.at
	p.first = s.GetHowMany() == 1
	for _, e := range c.query.ctes {
		e.started = false
	}
	m.under(p, func() { m.play(c.query) })
}

func (m *machine) callStmt(s *pgsql.CallStmt) {
	f := s.GetFunccall()
	a := m.analysis()
	q := &query{machine: m, subs: a.subs, done: a.done, joins: map[*pgsql.Node]bool{}, sel: &pgsql.SelectStmt{}}
	for _, n := range f.GetArgs() {
		a.expr(q, n)
	}
	a.finish()
	m.call(q, f)
}

// do plays a DO block.
func (m *machine) do(s *pgsql.DoStmt) {
	body, language := "", "plpgsql"
	for _, n := range s.GetArgs() {
		d := n.GetDefElem()
		switch d.GetDefname() {
		case "as":
			body = d.GetArg().GetString_().GetSval()
		case "language":
			language = d.GetArg().GetString_().GetSval()
		}
	}
	if language != "plpgsql" {
		m.unknown("language", "a DO block is written in "+language)
		return
	}
	e := &env{names: map[string]*prog.Val{}, cols: map[string]string{}, set: map[string]bool{}}
	at := m.at
	if m.script != "" {
		at.line += linesBefore(m.script, body)
	}
	m.in(at, e, func() { m.plBody(body) })
}

// linesBefore counts the lines of a statement before the literal that holds a
// body.
func linesBefore(text, body string) int {
	toks, _ := pgsql.Scan(text)
	for _, t := range toks {
		if t.Kind == pgsql.Literal && t.Value() == body {
			return strings.Count(text[:t.ValueStart()], "\n")
		}
	}
	return 0
}

// constraints plays SET CONSTRAINTS; IMMEDIATE checks at once what was
// deferred (R6.4).
func (m *machine) constraints(s *pgsql.ConstraintsSetStmt) {
	if len(s.GetConstraints()) == 0 {
		m.deferred = map[string]bool{"": s.GetDeferred()}
	}
	for _, n := range s.GetConstraints() {
		put(&m.deferred, n.GetRangeVar().GetRelname(), s.GetDeferred())
	}
	if !s.GetDeferred() {
		m.settle(func(w waiting) bool { return w.constraint != "" && !m.isDeferred(w.constraint, true, true) })
	}
}

// settle runs what waits for COMMIT, as far as its time has come.
func (m *machine) settle(due func(waiting) bool) {
	for i := 0; i < len(m.commit) && m.left > 0; {
		next := m.commit[i]
		if !due(next) {
			i++
			continue
		}
		m.commit = slices.Delete(m.commit, i, i+1)
		m.statement(next.run)
	}
}

// atEnd says that the time has come for all.
func atEnd(waiting) bool { return true }

func (m *machine) discard(s *pgsql.DiscardStmt) {
	if s.GetTarget() == pgsql.DiscardMode_DISCARD_ALL {
		m.setPath(m.home)
		m.prepared, m.cursors, m.settings = map[string]prepared{}, map[string]*cursor{}, map[string]string{}
		m.emit(prog.Op{Kind: prog.OpRelease, Acq: m.stamp(prog.Acq{Scope: lockgraph.Session, Rule: "R2.5"})})
	}
}
