package poolintx

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

//go:embed doc.md
var doc string

// Check is the check.
var Check = &pass.Check{Name: "poolintx", Doc: doc, Kinds: []string{"pool-in-tx", "pool-nested-acquire", "self-deadlock"}, Run: run}

// Analyzer is the check as a go/analysis Analyzer.
var Analyzer = Check.Analyzer()

func run(v *prog.View) []lockgraph.Finding {
	c := &causes{Collector: pass.Collect("poolintx", v), program: v.Program, at: map[string]*cause{}}
	for _, tr := range v.Traces {
		goroutines(c, tr)
		tr.Each(func(n *prog.Node) {
			second(c, tr, n, n)
			switch {
			case n.Kind == prog.OpSQL && n.Conn != nil && n.Conn.Opener == nil && n.Conn.Static == "gorm":
				beside(c, tr, n)
			case n.Kind == prog.OpAcquire && n.Take != nil:
				against(c, tr, n.Take)
			}
		}, prog.OpSQL, prog.OpOpen, prog.OpAcquire)
	}
	return c.findings()
}

// second looks at what needs a connection of a pool; at is n with the
// connections that are held meanwhile.
func second(c *causes, tr *prog.Trace, n, at *prog.Node) {
	switch {
	case n.Conn == nil:
	case n.Kind == prog.OpSQL && n.Conn.How == "pool" && (n.SQL != "" || len(n.Kids) > 0):
		statement(c, tr, at, n.Conn)
	case n.Kind == prog.OpOpen && n.Conn.Opener == n && n.Conn.Parent != nil && n.Conn.Parent.How == "pool":
		if n.Conn.OfBatch() {
			statement(c, tr, at, n.Conn.Parent)
		} else {
			nested(c, tr, at)
		}
	}
}

// relation tells how sure it is that two pools are one.
type relation int

const (
	other relation = iota
	maybe
	same
)

// compare tells whether two pools are the same: by what opens or gives them,
// where the program shows that. Else two fields of one struct, two variables
// and fields whose names tell them apart are two pools: that is how programs
// keep locks and work apart.
func compare(p *prog.Program, a, b *prog.Conn) relation {
	if a == b {
		return same
	}
	if one, known := p.SamePool(a, b); known {
		if one {
			return same
		}
		return other
	}
	x, y := prog.Bare(a.Val), prog.Bare(b.Val)
	if x == nil || y == nil || x.Kind == prog.VHole || y.Kind == prog.VHole {
		return maybe
	}
	if prog.Equal(x, y) {
		return same
	}
	if x.Kind == y.Kind && (x.Kind != prog.VField || toldApart(x.Str, y.Str)) {
		return other
	}
	return maybe
}

// toldApart reports whether two fields, pkg.Type.field, tell that they hold
// different things: both are of one type, or one name adds to the other, as
// lockPool does to pool. Who gave the fields their values is out of sight.
func toldApart(a, b string) bool {
	i, j := strings.LastIndexByte(a, '.'), strings.LastIndexByte(b, '.')
	if a[:i+1] == b[:j+1] {
		return a != b
	}
	x, y := strings.ToLower(a[i+1:]), strings.ToLower(b[j+1:])
	return x != y && (strings.Contains(x, y) || strings.Contains(y, x))
}

// holder returns the connection of a pool that is open where n runs, the
// surest and outermost one.
func holder(p *prog.Program, n *prog.Node, pool *prog.Conn, want func(*prog.Conn) bool) (*prog.Conn, relation) {
	var found *prog.Conn
	best := other
	for _, o := range n.Open {
		if o == n.Conn || !want(o) || o.Parent == nil || o.Parent.How != "pool" {
			continue
		}
		if r := compare(p, o.Parent, pool); r > best {
			found, best = o, r
		}
	}
	return found, best
}

// statement reports a statement or a batch on the pool while a connection of
// it is held.
func statement(c *causes, tr *prog.Trace, n *prog.Node, pool *prog.Conn) {
	if carried(n) {
		return
	}
	if o, r := holder(c.program, n, pool, func(o *prog.Conn) bool { return o.How == "tx" }); o != nil {
		f := pass.Fault{Kind: "pool-in-tx", Severity: lockgraph.SeverityWarning, Names: []string{"pool"}, Cut: guessed(n),
			Related: pass.Join(o.Opener.Witness("begins a transaction"), n.Witness("runs a statement on the pool")),
			Hint:    "run the statement on the transaction, or before it begins"}
		holds := o.Opener.Fn.Key
		f.Message = fmt.Sprintf("a statement runs on the pool while %s has a transaction open (it sees other data, and waits for a second connection)", lockgraph.Short(holds))
		if r == same {
			holds = user(n, o)
			f.Severity = lockgraph.SeverityError
			f.Message = fmt.Sprintf("a statement runs on the pool while %s has a transaction of the same pool open (it sees other data, and waits for a second connection)", lockgraph.Short(holds))
			if oneAtATime(tr, o, n) {
				f.Severity = lockgraph.SeverityWarning
			}
		}
		c.add(tr, n, o, holds, f)
		return
	}
	if o, r := holder(c.program, n, pool, func(c *prog.Conn) bool { return c.How == "conn" }); o != nil && r == same {
		asked(c, tr, n, o, "a statement on the pool needs a connection", "runs a statement on the pool")
	}
}

// carried reports a step that runs on the pool only where a context carries
// no transaction, and what the context carries is out of sight.
func carried(n *prog.Node) bool {
	for ; n != nil; n = n.Up() {
		if n.Kind == prog.OpNone && fromContext(n.Val) {
			return true
		}
	}
	return false
}

// fromContext reports a condition on what a context carries.
func fromContext(v *prog.Val) bool {
	return v != nil && (v.Kind == prog.VCtxGet || slices.ContainsFunc(v.Of, fromContext))
}

func nested(c *causes, tr *prog.Trace, n *prog.Node) {
	o, r := holder(c.program, n, n.Conn.Parent, func(c *prog.Conn) bool { return c.How == "tx" || c.How == "conn" })
	if o == nil || r != same {
		return
	}
	what, does := "a transaction is begun on the pool", "begins a transaction"
	if n.Conn.How == "conn" {
		what, does = "a connection is asked of the pool", "pins a connection"
	}
	asked(c, tr, n, o, what, does)
}

func asked(c *causes, tr *prog.Trace, n *prog.Node, o *prog.Conn, what, does string) {
	who, holds := user(n, o), "a connection of it pinned"
	if o.How == "tx" {
		holds = "a transaction of it open"
	}
	f := pass.Fault{Kind: "pool-nested-acquire", Names: []string{o.How}, Cut: cmp.Or(guessed(n), outOfSight(tr, o)), Related: pass.Join(o.Opener.Witness(does1(o)), n.Witness(does)),
		Message: fmt.Sprintf("%s while %s has %s (when all connections are held this way, each waits for another)", what, lockgraph.Short(who), holds),
		Hint:    "run the work on the connection that is held, or give the locks a pool of their own"}
	if oneAtATime(tr, o, n) {
		f.Severity = lockgraph.SeverityWarning
		f.Message = fmt.Sprintf("%s while %s has %s (in a pool of one connection it waits for itself)", what, lockgraph.Short(who), holds)
	}
	c.add(tr, n, o, who, f)
}

// guessed returns why it is not sure on what n runs.
func guessed(n *prog.Node) string {
	if n.Cut == lockgraph.CutCallee {
		return n.Cut
	}
	return ""
}

// oneCall finds the statements that do nothing but call a function.
var oneCall = lazyregexp.New(`(?is)^\s*SELECT\s+[\w.]+\s*\([^()]*\)[\s;]*$`)

// outOfSight returns why it is not sure that many sessions have such a
// connection pinned: it calls a function that is not in the schema, as one of
// an extension, which may take the lock of a leader.
func outOfSight(tr *prog.Trace, o *prog.Conn) string {
	cut := ""
	if o.How == "conn" {
		tr.Each(func(n *prog.Node) {
			if s := n.Up(); n.Op.How == "function" && s != nil && s.Kind == prog.OpSQL && s.Conn.Root() == o && oneCall.MatchString(s.SQL) {
				cut = lockgraph.CutCallee
			}
		}, prog.OpUnknown)
	}
	return cut
}

func does1(o *prog.Conn) string {
	if o.How == "tx" {
		return "begins a transaction"
	}
	return "pins a connection"
}

// against reports a wait for what the same call chain holds on another
// connection. PostgreSQL sees an idle session and a waiter, no cycle (manual
// of version 16, section 13.3.4).
func against(c *causes, tr *prog.Trace, t *prog.Take) {
	if !pass.Blocks(t) || t.Acq.Fresh || len(t.Node.Held) == 0 || t.Class.Family == lockgraph.Mutex {
		return
	}
	var found *prog.Take
	for _, held := range t.Node.Held {
		hit := false
		for _, h := range held {
			if h.Class.ID == t.Class.ID && h.Conn.Root() != t.Conn.Root() && apart(h.Conn.Root(), t.Conn.Root()) && open(t, h) &&
				lockgraph.Conflicts(t.Class.Family, h.Mode, t.Mode) && (prog.SameInstance(h, t) && t.Class.Family != lockgraph.Table) {
				hit, found = true, h
			}
		}
		if !hit {
			return
		}
	}
	if found == nil {
		return
	}
	name := t.Class.Display()
	c.Add(tr, t.Node, pass.Fault{Kind: "self-deadlock", Names: []string{name}, Cut: t.Cut, Related: pass.Join(found.Witness(), t.Witness()),
		Message: fmt.Sprintf("%s (%s) is wanted on a second connection while the same call chain holds it (%s) on the first (it waits for itself, and PostgreSQL cannot see it)", name, t.Mode, found.Mode),
		Hint:    "run both on one connection"})
}

// apart reports two handles that are surely two sessions.
func apart(a, b *prog.Conn) bool {
	own := func(c *prog.Conn) bool { return c.Opener != nil }
	switch {
	case own(a) && own(b):
		return true
	case own(a):
		return b.How == "pool"
	case own(b):
		return a.How == "pool"
	}
	return false
}

// open reports whether h is still held while t's statement runs: a lock of
// the same statement on a pool is no other.
func open(t, h *prog.Take) bool {
	return h.Scope != lockgraph.Statement && h.Conn.How != "pool"
}
