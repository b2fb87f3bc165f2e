package effect

import (
	"slices"
	"strconv"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

const (
	maxOps   = 4000 // ops of one text
	maxCalls = 12   // nested SQL functions and triggers
)

// A machine plays statements against a catalog and writes down what they
// lock. It is the state of one session as far as that decides locks.
type machine struct {
	cat   *schema.Catalog
	ops   *[]prog.Op // where ops go
	at    place
	env   *env
	calls []string // functions being run, outermost first
	left  int      // ops that may still be made
	whole int      // of the ops when the outermost collect began

	collecting int    // calls of collect around
	after      *queue // AFTER triggers of the running statement
	ddl        bool   // definitions change the catalog for what follows

	commit   []waiting           // for COMMIT
	deferred map[string]bool     // SET CONSTRAINTS: by name, "" for all
	fresh    map[string][]rowSet // rows inserted in the transaction
	touched  map[string][]rowSet // rows updated in it
	prepared map[string]prepared
	cursors  map[string]*cursor
	settings map[string]string
	owned    bool // cat is a copy of our own
	full     bool // the limit of ops was reached and said
	readOnly bool // EXPLAIN: nothing runs
	cascades int
	reading  int             // expressions of PL/pgSQL around
	turns    int             // loops of PL/pgSQL around
	follows  []string        // foreign keys whose child follows its parent: not checked again
	off      map[string]bool // tables whose triggers are disabled
	generic  bool            // a prepared statement runs
	fuel     int             // steps left
	version  int             // of the server; 0 is any
	points   []schemaPoint   // of the transaction and its savepoints, outermost first
	home     []string        // search path of a new session
	began    []string        // search path when the transaction began, once it was set in it
	local    bool            // it was set for the transaction only
	script   string          // the statement of a file that is played, to give the parts of a DO block their line
}

// A place is what an acquisition inherits from where its statement stands.
type place struct {
	via       []string
	fn        []string
	file      string // of the function whose body is running, to give statements their line
	line      int
	where     string // "file:line" of the statement
	when      string
	many      bool
	order     string
	source    string
	predicate bool
	limited   bool // an enclosing LIMIT bounds the rows
	first     bool // only the first row is fetched
}

func (p place) through(via string) place {
	p.via = append(p.via[:len(p.via):len(p.via)], via)
	return p
}

// also adds a condition to those of the place.
func (p place) also(when string) place {
	switch {
	case when == "":
	case p.when == "":
		p.when = when
	default:
		p.when += " and " + when
	}
	return p
}

// A queue holds what runs after the rows of a statement are through.
type queue struct{ fns []func() }

func newMachine(cat *schema.Catalog) *machine {
	if cat == nil {
		cat = &schema.Catalog{}
	}
	return &machine{
		home: cat.SearchPath, cat: cat, ops: new([]prog.Op), left: maxOps, after: &queue{}, env: &env{top: true}, fuel: 200000,
	}
}

// put stores a value in a map that is made with the first one.
func put[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}

// under runs f at another place.
func (m *machine) under(p place, f func()) {
	saved := m.at
	m.at = p
	f()
	m.at = saved
}

// collect runs f and returns the ops it made instead of writing them.
func (m *machine) collect(f func()) []prog.Op {
	n := len(*m.ops)
	if m.collecting == 0 {
		m.whole = n
	}
	m.collecting++
	f()
	m.collecting--
	return m.cut(n)
}

// cut takes the ops from the n-th on off those that were written.
func (m *machine) cut(n int) []prog.Op {
	made := (*m.ops)[n:]
	*m.ops = (*m.ops)[:n]
	if len(made) == 0 {
		return nil
	}
	out := slices.Clone(made)
	clear(made)
	return out
}

// broken ends what a fault of our own has ended, and says so.
func (m *machine) broken(p any) {
	if m.collecting > 0 {
		m.collecting = 0
		m.cut(m.whole)
	}
	*m.ops = append(*m.ops, failed(p))
}

// statement runs f as one statement of its own: AFTER triggers queued by it
// run before it returns (R7.4).
func (m *machine) statement(f func()) {
	saved := m.after
	m.after = &queue{}
	f()
	m.drain()
	m.after = saved
}

func (m *machine) drain() {
	for len(m.after.fns) > 0 && m.left > 0 {
		next := m.after.fns[0]
		m.after.fns = m.after.fns[1:]
		next()
	}
}

// later queues f to run after the rows of the statement, at this place.
func (m *machine) later(f func()) {
	at, e := m.at, m.env
	m.after.fns = append(m.after.fns, func() { m.in(at, e, f) })
}

// A waiting is what runs at COMMIT, or when its constraint is set IMMEDIATE.
type waiting struct {
	constraint string
	run        func()
}

// atCommit queues f for COMMIT.
func (m *machine) atCommit(constraint string, f func()) {
	at, e := m.at.also("at commit"), m.env
	m.commit = append(m.commit, waiting{constraint, func() { m.in(at, e, f) }})
}

func (m *machine) in(at place, e *env, f func()) {
	saved := m.env
	m.env = e
	m.under(at, f)
	m.env = saved
}

func (m *machine) emit(op prog.Op) {
	if m.left <= 0 {
		if !m.full {
			m.full = true
			*m.ops = append(*m.ops, prog.Op{Kind: prog.OpUnknown, How: "size", Str: "the statement does more than " + strconv.Itoa(maxOps) + " steps", Cut: lockgraph.CutSize})
		}
		return
	}
	m.left--
	*m.ops = append(*m.ops, op)
}

func (m *machine) unknown(kind, reason string) {
	m.emit(prog.Op{Kind: prog.OpUnknown, How: kind, Str: reason, Acq: m.stamp(prog.Acq{})})
}

// stamp gives an acquisition what it inherits from its place.
func (m *machine) stamp(a prog.Acq) *prog.Acq {
	p := m.at
	a.Via = append(p.via[:len(p.via):len(p.via)], a.Via...)
	a.SQLFunc, a.SQLFile = p.fn, p.where
	switch {
	case a.When == "":
		a.When = p.when
	case p.when != "":
		a.When = p.when + " and " + a.When
	}
	if a.Scope == "" {
		a.Scope = lockgraph.Transaction
	}
	if a.Wait == "" {
		a.Wait = lockgraph.Wait
	}
	return &a
}

func (m *machine) take(a prog.Acq, cut string) {
	m.emit(prog.Op{Kind: prog.OpAcquire, Acq: m.stamp(a), Cut: cut})
}

// table takes a relation lock.
func (m *machine) table(r relref, mode, rule string) { m.tableAs(r, mode, rule, true, "") }

func (m *machine) tableAs(r relref, mode, rule string, implicit bool, wait string) {
	if r.system() {
		return
	}
	m.take(prog.Acq{
		Family: lockgraph.Table, Relation: r.name, Relkind: r.kind, PartitionOf: r.root,
		Mode: mode, Wait: wait, Implicit: implicit, Rule: rule,
	}, r.cut)
}

// row takes row locks on the rows of a set.
func (m *machine) row(r relref, rows rowSet, a prog.Acq) {
	if r.system() || r.kind == "S" {
		return
	}
	a.Family, a.Relation, a.Relkind, a.PartitionOf = lockgraph.Row, r.name, r.kind, r.root
	a.Among, a.SoftDeleted = rows.among, rows.gone
	a.Row, a.Unique, a.Many, a.Order, a.Source = rows.eq, rows.unique, rows.many, rows.order, rows.source
	a.Held = rows.held != "" && slices.Index(strengths, rows.held) >= slices.Index(strengths, a.Mode)
	if m.at.many && !a.Many && rows.loose() {
		a.Many, a.Order, a.Source = true, m.at.order, m.at.source
	}
	if a.Many && a.Order == "" {
		a.Order = "plan"
	}
	if !a.Many {
		a.Order, a.Source = "", ""
	}
	m.take(a, r.cut)
}

// An env says what the names and parameters of a function body stand for.
type env struct {
	top   bool
	fn    string // bare name, which qualifies its parameters
	names map[string]*prog.Val
	args  []*prog.Val
	cols  map[string]string // record variables: relation their columns come from
	set   map[string]bool   // fields assigned: "new.email"
}

func (e *env) param(n int32) *prog.Val {
	switch {
	case e.top && n > behind:
		return prog.Hole("a placeholder behind a piece that is not known")
	case e.top:
		return prog.New(prog.VSQLParam, strconv.Itoa(int(n)))
	case n >= 1 && int(n) <= len(e.args):
		return e.args[n-1]
	}
	return prog.Hole("$" + strconv.Itoa(int(n)))
}

type prepared struct {
	query *pgsql.Node
	uses  int
}

type cursor struct {
	query *query
	a     *analysis
}
