package effect

import (
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Session plays a text as one database session: autocommit until BEGIN, then
// in order, definitions, settings and prepared statements acting on what
// follows. The server is of version 15.
func Session(cat *schema.Catalog, text string) *Report { return SessionOn(cat, text, 15) }

// SessionOn is Session on a server of a major version, 15 to 18. Where the
// answer depends on it the rule says so.
func SessionOn(cat *schema.Catalog, text string, version int) *Report {
	m := newMachine(cat)
	m.ddl, m.version = true, version
	s := &session{m: m, text: text, classes: map[string]lockgraph.Class{}, report: &Report{Classes: []lockgraph.Class{}, Statements: []Statement{}}}
	for _, st := range pgsql.Parse(text) {
		s.statement(st)
	}
	var ids []string
	for id := range s.classes {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		s.report.Classes = append(s.report.Classes, s.classes[id])
	}
	return s.report
}

type session struct {
	m       *machine
	text    string
	report  *Report
	classes map[string]lockgraph.Class
	tx      bool
	points  []point
	held    []taken // in the transaction, in order
	reset   int
}

// A point is a savepoint.
type point struct {
	name string
	held int // acquisitions before it
}

type taken struct{ class string }

func (s *session) statement(st pgsql.Stmt) {
	out := Statement{SQL: st.Text, Acquisitions: []Taking{}, Waits: []Waiting{}, Releases: []Release{}, Settings: []Setting{}, Unknowns: []Unknown{}}
	if st.Err != nil {
		out.Error = &Error{Message: st.Err.Message, Line: st.Err.Line, Column: st.Err.Column, source: lineOf(s.text, st.Err.Line)}
		s.report.Statements = append(s.report.Statements, out)
		return
	}
	m := s.m
	m.left, m.full, m.cascades, m.fuel = maxOps, false, 0, 200000
	ops := s.play(st)
	f := &flattener{s: s, out: &out, tables: map[string]string{}, implicit: !s.tx}
	f.ops(ops, "")
	if defines(st.Tree) || prepares(st.Tree) {
		m.apply(st)
	}
	if !s.tx {
		m.pathAtEnd(false)
		s.held, s.points = nil, nil
		m.fresh, m.touched = map[string][]rowSet{}, map[string][]rowSet{}
	}
	s.report.Statements = append(s.report.Statements, out)
}

// play runs one statement and returns what it does; a fault of our own ends
// it there, and is listed.
func (s *session) play(st pgsql.Stmt) (ops []prog.Op) {
	m := s.m
	saved := *m
	m.ops = &ops
	defer func() {
		if p := recover(); p != nil {
			m.at, m.env, m.calls, m.after, m.readOnly = saved.at, saved.env, saved.calls, saved.after, saved.readOnly
			m.broken(p)
		}
		m.ops = saved.ops
	}()
	m.statement(func() { m.run(st.Tree) })
	if !s.tx && !opens(st.Tree) {
		m.settle(atEnd) // autocommit: the statement commits itself
	}
	return ops
}

func prepares(n *pgsql.Node) bool { return n.GetDoStmt() != nil }

func opens(n *pgsql.Node) bool {
	t := n.GetTransactionStmt()
	return t != nil && (t.GetKind() == pgsql.TransactionStmtKind_TRANS_STMT_BEGIN || t.GetKind() == pgsql.TransactionStmtKind_TRANS_STMT_START)
}

// A flattener turns the ops of one statement into its lines, conditions
// written out.
type flattener struct {
	s        *session
	out      *Statement
	tables   map[string]string // table → strongest mode named so far
	implicit bool              // autocommit
}

func (f *flattener) ops(ops []prog.Op, when string) {
	for i := range ops {
		f.op(&ops[i], when)
	}
}

func (f *flattener) op(op *prog.Op, when string) {
	switch op.Kind {
	case prog.OpAcquire:
		f.acquire(op.Acq)
	case prog.OpRelease:
		f.release(op.Acq)
	case prog.OpOpen:
		f.open(op)
	case prog.OpEnd:
		f.end(op)
	case prog.OpSet:
		value := ""
		if s, ok := op.Val.AsText(); ok {
			value = s
		}
		if op.Val.Kind != prog.VConst {
			value = (&renderer{}).expr(op.Val, 0)
		}
		f.out.Settings = append(f.out.Settings, Setting{Name: op.Str, Value: value, Local: op.How == "local"})
	case prog.OpWait:
		f.wait(op)
	case prog.OpUnknown:
		f.out.Unknowns = append(f.out.Unknowns, Unknown{Reason: op.Str})
	case prog.OpBranch:
		saved := copyModes(f.tables)
		for _, a := range op.Arms {
			f.tables = copyModes(saved)
			f.ops(a.Body, a.When)
		}
		f.tables = saved
	case prog.OpLoop:
		saved := copyModes(f.tables)
		f.ops(op.Body, when)
		f.tables = saved
	}
}

func copyModes(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func (f *flattener) acquire(a *prog.Acq) {
	if a.Fresh {
		return // a row no one else can see yet
	}
	c := gapped(ClassOf(a, a.Key))
	if a.Family == lockgraph.Table {
		have := f.tables[a.Relation]
		if have != "" && (have == a.Mode || covers(have, a.Mode)) {
			return
		}
		if a.When == "" {
			f.tables[a.Relation] = a.Mode
		}
	}
	f.s.classes[c.ID] = *c
	t := Taking{Class: c.ID, Mode: a.Mode, Scope: a.Scope, Wait: a.Wait, Implicit: a.Implicit, Many: a.Many, Order: a.Order, Rule: a.Rule, When: a.When, Via: a.Via}
	if t.Via == nil {
		t.Via = []string{}
	}
	if t.Scope == lockgraph.Transaction && f.implicit {
		t.Scope = lockgraph.Statement
	}
	f.out.Acquisitions = append(f.out.Acquisitions, t)
	if t.Scope == lockgraph.Transaction {
		f.s.held = append(f.s.held, taken{c.ID})
	}
}

// gapped writes what is put into a relation's name at run time as "?".
func gapped(c *lockgraph.Class) *lockgraph.Class {
	if !holeName.MatchString(c.Relation) {
		return c
	}
	d := *c
	d.ID, d.Name, d.Relation = holeName.ReplaceAllString(c.ID, "?"), holeName.ReplaceAllString(c.Name, "?"), holeName.ReplaceAllString(c.Relation, "?")
	return &d
}

// covers reports whether mode a of a table conflicts with all that b
// conflicts with (R1.1).
func covers(a, b string) bool {
	order := map[string]int{}
	for i, m := range tableModes {
		order[m] = i
	}
	if a == lockgraph.Share && (b == lockgraph.RowExclusive || b == lockgraph.ShareUpdateExclusive) {
		return false
	}
	return order[a] > order[b]
}

func (f *flattener) release(a *prog.Acq) {
	if a.Family == "" {
		f.out.Releases = append(f.out.Releases, Release{All: true})
		return
	}
	c := ClassOf(a, a.Key)
	f.s.classes[c.ID] = *c
	f.out.Releases = append(f.out.Releases, Release{Class: c.ID})
}

func (f *flattener) wait(op *prog.Op) {
	w := Waiting{For: op.Str}
	if op.Acq != nil {
		w.Rule = op.Acq.Rule
		if op.Acq.Relation != "" {
			w.For += " of " + op.Acq.Relation
		}
	}
	for _, o := range f.out.Waits {
		if o == w {
			return
		}
	}
	f.out.Waits = append(f.out.Waits, w)
}

func (f *flattener) open(op *prog.Op) {
	s := f.s
	switch op.How {
	case "tx":
		s.tx, f.implicit = true, false
	case "savepoint":
		s.points = append(s.points, point{op.Str, len(s.held)})
	}
}

func (f *flattener) end(op *prog.Op) {
	s := f.s
	switch op.How {
	case "commit", "rollback":
		f.out.Releases = append(f.out.Releases, Release{All: true})
		s.tx = false
		s.held, s.points = nil, nil
	case "release savepoint":
		if i := s.find(op.Str); i >= 0 {
			s.points = s.points[:i]
		}
	case "rollback to savepoint":
		i := s.find(op.Str)
		if i < 0 {
			return
		}
		s.points = s.points[:i+1]
		f.since(s.points[i].held)
		s.held = s.held[:s.points[i].held]
	}
}

// since releases what was first taken after a savepoint (R2.3).
func (f *flattener) since(n int) {
	s := f.s
	before := map[string]bool{}
	for _, t := range s.held[:n] {
		before[t.class] = true
	}
	for _, t := range s.held[n:] {
		if !before[t.class] {
			before[t.class] = true
			f.out.Releases = append(f.out.Releases, Release{Class: t.class})
		}
	}
}

func (s *session) find(name string) int {
	for i := len(s.points) - 1; i >= 0; i-- {
		if s.points[i].name == name {
			return i
		}
	}
	return -1
}

// lineOf returns a line of a text, counted from 1.
func lineOf(text string, n int) string {
	for ; n > 1; n-- {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return ""
		}
		text = rest
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimRight(line, "\r")
}
