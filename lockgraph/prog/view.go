package prog

import (
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A View is a linked program with its traces and its graph: what checks
// look at.
type View struct {
	Program  *Program
	Traces   []*Trace
	Graph    *lockgraph.Graph
	Manifest *lockgraph.Manifest // classes, acquisitions, edges, cycles, paths, rules, unknowns; findings are added by checks
	Modular  bool                // some callers and callees are out of sight
	Pooler   string
	Order    *lockgraph.Order // declared; nil for none
	Idle     []string         // places, file:line, of directives that name no lock

	replicas map[string]bool
	classes  map[string]*lockgraph.Class
	explic   map[string]bool
	tables   map[string]bool
	keys     map[string]keyUse
	reads    map[string][]string
	under    map[string]map[string]bool // of rows changed under an explicit lock on their parent's row: the paths that do
	relate   lockgraph.Relations
	blind    []lockgraph.Unknown // in traces that are not told
	show     func(*Take) bool
	hands    map[string]bool
}

// Options choose what a view shows.
type Options struct {
	Module    string
	Tool      lockgraph.Tool
	Implicit  string // none, relevant, all
	Relations lockgraph.Relations
	// Foreign returns the relations in their place, where making them is
	// not free: it is asked only when locks are found.
	Foreign  func() lockgraph.Relations
	Modular  bool
	Pooler   string
	Replicas []string // variables and fields that hold a connection to a read replica
	Tests    bool
	Progress func(done, of int)
	// Migrations are the traces of migrations, which are paths too.
	Unknowns []lockgraph.Unknown
	Order    *lockgraph.Order // declared; nil for none
	// Names are what directives and the configuration call classes.
	Names []Name
	// Named returns them in their place, asked only when locks are found.
	Named func() []Name
}

// NewView walks every entry of the program and builds its graph.
func NewView(p *Program, opt Options) *View {
	v := &View{Program: p, Modular: opt.Modular, Pooler: opt.Pooler, Order: opt.Order,
		classes: map[string]*lockgraph.Class{}, explic: map[string]bool{}, tables: map[string]bool{}, keys: map[string]keyUse{}, reads: map[string][]string{}, under: map[string]map[string]bool{}}
	p.Tests, p.All = opt.Tests, opt.Implicit == "all"
	v.replicas = map[string]bool{}
	for _, s := range opt.Replicas {
		v.replicas[s] = true
	}
	entries, callers := p.entries()
	known := map[string]bool{}
	for _, e := range entries {
		known[e] = true
	}
	all := union(entries, callers)
	told, again := map[string]bool{}, map[string]bool{}
	var later []*Trace // whose keys only their callers know
	for i := 0; i < len(all); i++ {
		e := all[i]
		if told[e] {
			continue
		}
		if opt.Progress != nil {
			opt.Progress(i, len(all))
		}
		tr := p.Walk(e)
		if !known[e] && !tr.locksForCaller() && !tr.locksAlone() || p.Foreign[packageOf(e)] && !tr.takes() {
			v.unread(tr)
			continue
		}
		if up := p.runners(e); known[e] && len(up) > 0 && (tr.runsTextOfCaller() || again[e] && !p.Funcs[e].Exported && tr.locksForCallerOnly()) {
			for _, c := range up { // only they know what it runs
				known[c] = true
				if !again[c] {
					again[c] = true
					all = append(all, c)
				}
			}
			continue
		}
		told[e] = true
		if len(p.runners(e)) > 0 && tr.keyOfCaller() {
			later = append(later, tr)
			continue
		}
		v.tell(tr)
	}
	v.byCallers(later)
	for _, tr := range v.missed() {
		v.tell(tr)
	}
	v.blind = append(v.blind, v.unrun()...)
	v.guess()
	for _, tr := range p.routines(v.Traces) {
		link(tr.Nodes, nil)
		v.Traces = append(v.Traces, tr)
	}
	v.unify()
	v.lead()
	v.nameConstants()
	if opt.Named != nil && v.takes() {
		opt.Names = opt.Named()
	}
	v.name(opt.Names)
	v.note()
	var classes []lockgraph.Class
	for _, c := range v.classes {
		classes = append(classes, *c)
	}
	sort.Slice(classes, func(i, j int) bool { return classes[i].ID < classes[j].ID })
	rel := opt.Relations
	if opt.Foreign != nil {
		for range v.proposals { // the first will do
			rel = opt.Foreign()
			break
		}
	}
	v.relate = rel
	v.noteUnder()
	v.Graph = lockgraph.BuildFrom(classes, v.proposals, rel)
	v.Graph.Solve()
	v.manifest(opt, classes)
	return v
}

// unread notes the texts of a trace that is not told, for it shows no lock,
// but that could not be read, and the functions that the schema does not have.
// What another module could run by itself is none of the program's.
func (v *View) unread(tr *Trace) {
	if v.Program.Foreign[packageOf(tr.Entry.Key)] {
		return
	}
	v.blind = append(v.blind, tr.Hidden...)
	tr.Each(func(n *Node) {
		if n.Kind == OpUnknown && (n.Op.How == "text" || n.Op.How == "function") && (n.Op.Val == nil || bare(n.Op.Val).Kind != VParam) {
			v.blind = append(v.blind, lockgraph.Unknown{File: n.Pos.File, Line: n.Pos.Line, Func: n.Fn.Key, Kind: "text", Reason: n.Op.Str})
		}
	}, OpUnknown)
}

// tell adds a trace to the view.
func (v *View) tell(tr *Trace) {
	link(tr.Nodes, nil)
	tr.ReachedBy = v.Program.ReachedBy(tr.Entry.Key, 60)
	tr.Uncalled = v.Program.Uncalled[tr.Entry.Key]
	v.Traces = append(v.Traces, tr)
}

// guess marks what an entry takes that some walk should have entered and did
// not, for there were too many others: what its callers hold is not known.
func (v *View) guess() {
	for _, tr := range v.Traces {
		if !v.Program.beyond[tr.Entry.Key] {
			continue
		}
		tr.Each(func(n *Node) {
			if n.Cut == "" {
				n.Cut = lockgraph.CutCallee
			}
			if n.Take != nil && n.Take.Cut == "" {
				n.Take.Cut = lockgraph.CutCallee
			}
		})
	}
}

// takes reports whether some trace takes a lock that a statement asks for.
func (v *View) takes() bool {
	found := false
	for _, tr := range v.Traces {
		tr.Each(func(n *Node) { found = found || n.Kind == OpAcquire && n.Take != nil && !n.Take.Acq.Implicit }, OpAcquire)
	}
	return found
}

// runsTextOfCaller reports whether a statement of the entry is a text that it
// is given.
func (t *Trace) runsTextOfCaller() bool {
	given := false
	t.Each(func(n *Node) {
		if n.Kind != OpUnknown || n.Op.How != "text" || n.Op.Val == nil {
			return
		}
		v := n.Op.Val
		for v.Kind == VElem || v.Kind == VField && (v.Str == StmtText || bare(v.Of[0]).Kind == VElem) { // of a statement, or one of a list, that it is given
			v = bare(v.Of[0])
		}
		given = given || v.Kind == VParam && strings.HasPrefix(v.Str, t.Entry.Key+"#")
	}, OpUnknown)
	return given
}

// takes reports whether a lock is taken in the trace.
func (t *Trace) takes() bool {
	found := false
	t.Each(func(n *Node) { found = found || n.Take != nil }, OpAcquire)
	return found
}

// locksAlone reports whether the entry runs a statement, itself or by the
// wrapper of a query, that locks on a pool: a transaction of one statement.
func (t *Trace) locksAlone() bool {
	alone := false
	t.Each(func(n *Node) {
		k := n.Take
		alone = alone || n.Kind == OpAcquire && k != nil && n.Conn.How == "pool" && (n.Stack == nil || n.Stack.Up == nil) &&
			(!k.Acq.Implicit || k.Class.Family == lockgraph.Row)
	}, OpAcquire)
	return alone
}

// locksForCaller reports whether the trace takes a lock on a handle that it
// was given, and notes it.
func (t *Trace) locksForCaller() bool {
	t.Each(func(n *Node) {
		if k := n.Take; n.Kind == OpAcquire && k != nil && n.Conn.Root().Opener == nil && n.Conn.How != "pool" &&
			(!k.Acq.Implicit || k.Class.Family == lockgraph.Row) {
			t.Caller = true
		}
	}, OpAcquire)
	return t.Caller
}

// locksForCallerOnly reports whether the trace takes all of its locks on
// handles that it was given.
func (t *Trace) locksForCallerOnly() bool {
	only := t.locksForCaller()
	t.Each(func(n *Node) {
		only = only && (n.Take == nil || n.Conn.Root().Opener == nil && n.Conn.How != "pool")
	}, OpAcquire)
	return only
}

// link sets the parents of nodes.
func link(nodes []*Node, up *Node) {
	for _, n := range nodes {
		n.up = up
		link(n.Kids, n)
	}
}

// note finds the classes, which of them some path takes explicitly, and
// which tables are locked so strongly that implicit table locks matter.
func (v *View) note() {
	for _, tr := range v.Traces {
		tr.Each(func(n *Node) {
			t := n.Take
			if n.Kind != OpAcquire || t == nil {
				return
			}
			if v.classes[t.Class.ID] == nil {
				v.classes[t.Class.ID] = t.Class
			}
			if !t.Acq.Implicit {
				v.explic[t.Class.ID] = true
			}
			v.noteKey(t)
			if t.Class.Family == lockgraph.Table && !n.once() && lockgraph.Conflicts(lockgraph.Table, t.Mode, lockgraph.RowExclusive) {
				v.tables[t.Class.ID] = true
			}
		}, OpAcquire)
	}
}

// A keyUse says what is done to the keys of a table's rows: whether they are
// changed or deleted, and whether foreign keys lock them meanwhile. Either
// waits for the other (PostgreSQL 15, 13.3.2 Row-Level Locks).
type keyUse struct{ changed, referenced bool }

func (v *View) noteKey(t *Take) {
	if t.Class.Family != lockgraph.Row || !t.Acq.Implicit || t.Acq.Fresh || t.Node.once() {
		return
	}
	use := v.keys[t.Class.ID]
	use.changed = use.changed || t.Mode == lockgraph.ForUpdate
	use.referenced = use.referenced || t.Acq.FKFrom != ""
	v.keys[t.Class.ID] = use
}

// noteUnder notes the rows that are changed while the row they refer to is
// locked on purpose: what such a lock protects.
func (v *View) noteUnder() {
	if len(v.relate) == 0 {
		return
	}
	for _, tr := range v.Traces {
		tr.Each(func(n *Node) {
			if n.Kind == OpAcquire && n.Take != nil {
				v.noteIfUnder(tr, n.Take)
			}
		}, OpAcquire)
	}
}

func (v *View) noteIfUnder(tr *Trace, t *Take) {
	if t.Class.Family != lockgraph.Row || !t.Acq.Implicit || t.Acq.Fresh || len(t.Node.Held) == 0 ||
		!lockgraph.AtLeast(lockgraph.Row, t.Mode, lockgraph.ForNoKeyUpdate) {
		return
	}
	for _, held := range t.Node.Held {
		found := false
		for _, h := range held {
			found = found || h.Class.Family == lockgraph.Row && !h.Acq.Implicit && lockgraph.AtLeast(lockgraph.Row, h.Mode, lockgraph.ForNoKeyUpdate) &&
				v.refers(t.Class.Relation, h.Class.Relation)
		}
		if !found {
			return
		}
	}
	if v.under[t.Class.ID] == nil {
		v.under[t.Class.ID] = map[string]bool{}
	}
	v.under[t.Class.ID][tr.Entry.Key] = true
}

// Below reports whether foreign keys, at most three in a row, lead from the
// rows of one relation to those of the other.
func (v *View) Below(child, parent string) bool { return v.below(child, parent, 3) }

func (v *View) below(child, parent string, left int) bool {
	if left == 0 {
		return false
	}
	for _, fk := range v.relate {
		if fk.Child == child && fk.Child != fk.Parent && (fk.Parent == parent || v.below(fk.Parent, parent, left-1)) {
			return true
		}
	}
	return false
}

// refers reports whether a foreign key leads from child to parent.
func (v *View) refers(child, parent string) bool {
	for _, fk := range v.relate {
		if fk.Child == child && fk.Parent == parent {
			return true
		}
	}
	return false
}

// counts reports whether the graph sees t: implicit table locks do only
// where somebody locks that table against them.
func (v *View) counts(t *Take) bool {
	if t.Acq.Implicit && t.Node.once() {
		return false
	}
	if strings.Contains(t.Class.Relation, "?") {
		return false // which rows these are is an unknown, told as one
	}
	if t.Class.Family == lockgraph.Table && t.Acq.Implicit {
		return v.tables[t.Class.ID]
	}
	return true
}

// manifest fills the manifest, findings left out.
func (v *View) manifest(opt Options, classes []lockgraph.Class) {
	m := &lockgraph.Manifest{Version: lockgraph.Version, Module: opt.Module, Tool: opt.Tool}
	v.Manifest = m
	cyclic := map[string]bool{}
	for _, c := range v.Graph.Cycles {
		if c.Verdict != "possible" {
			for _, id := range c.Classes {
				cyclic[id] = true
			}
		}
	}
	shown := func(c *lockgraph.Class) bool {
		if c.Family == lockgraph.Mutex {
			return cyclic[c.ID]
		}
		switch opt.Implicit {
		case "all":
			return true
		case "none":
			return v.explic[c.ID]
		}
		use := v.keys[c.ID]
		return v.explic[c.ID] || cyclic[c.ID] || use.changed && use.referenced || len(v.under[c.ID]) > 1
	}
	show := func(t *Take) bool {
		if opt.Implicit == "none" && t.Acq.Implicit {
			return false
		}
		if t.Class.Family == lockgraph.Table && t.Acq.Implicit && opt.Implicit != "all" && !v.tables[t.Class.ID] {
			return false
		}
		return shown(t.Class)
	}
	for i := range classes {
		if shown(&classes[i]) {
			m.Classes = append(m.Classes, classes[i])
		}
	}
	m.Acquisitions = acquisitions(v.Traces, show)
	v.edges(m, shown)
	v.show, v.hands = show, v.Program.handing()
	for _, tr := range v.Traces {
		if p := path(tr, v.show, v.hands, v.Program); p != nil {
			m.Paths = append(m.Paths, *p)
		}
	}
	m.Unknowns = append(m.Unknowns, opt.Unknowns...)
	m.Unknowns = append(m.Unknowns, v.unknowns()...)
	m.Rules, m.Differences = lockgraph.Rules(m, opt.Order)
	// An inserted row is written, which rules are about, but not locked for
	// anybody: nobody else can see it.
	m.Acquisitions = acquisitions(v.Traces, func(t *Take) bool { return show(t) && !t.Acq.Fresh })
	m.Paths = append(m.Paths, v.lockless(m.Paths)...)
}

// edges copies the edges and cycles of the graph between classes shown.
func (v *View) edges(m *lockgraph.Manifest, shown func(*lockgraph.Class) bool) {
	at := map[int]int{}
	for i, e := range v.Graph.Edges {
		if shown(v.classes[e.From]) && shown(v.classes[e.To]) {
			at[i] = len(m.Edges)
			m.Edges = append(m.Edges, e)
		}
	}
	for _, c := range v.Graph.Cycles {
		k := c
		k.Edges = nil
		for _, e := range c.Edges {
			if n, ok := at[e]; ok {
				k.Edges = append(k.Edges, n)
			}
		}
		if len(k.Edges) == len(c.Edges) {
			m.Cycles = append(m.Cycles, k)
		}
	}
}

// unknowns lists what the walks could not see, each place once.
func (v *View) unknowns() []lockgraph.Unknown {
	out := v.blind
	for _, tr := range v.Traces {
		out = append(append(out, tr.Cuts...), tr.Hidden...)
		tr.Each(func(n *Node) {
			if t := n.Take; n.Kind == OpAcquire && t != nil && strings.Contains(t.Class.Relation, "?") {
				out = append(out, lockgraph.Unknown{File: n.Pos.File, Line: n.Pos.Line, Func: n.Fn.Key, Kind: "text",
					Reason: "the relation that this statement locks is not known: its name is made when the program runs"})
			}
			if n.Kind == OpUnknown {
				kind := n.Op.How
				if kind == "" {
					kind = "statement"
				}
				out = append(out, lockgraph.Unknown{File: n.Pos.File, Line: n.Pos.Line, Func: n.Fn.Key, Kind: kind, Reason: n.Op.Str})
			}
		}, OpAcquire, OpUnknown)
	}
	return lockgraph.SortUnknowns(out)
}
