package sessionlock

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

//go:embed doc.md
var doc string

// Check is the check.
var Check = &pass.Check{Name: "sessionlock", Doc: doc, Kinds: []string{"session-lock-via-pool", "unlock-other-conn", "unlock-result-ignored",
	"session-lock-leak", "unlock-cancelable-ctx", "lock-conn-leak", "session-lock-in-tx", "session-lock-txn-pooler", "reentrant-imbalance",
	"void-result-scanned", "leader-no-liveness"}, Run: run}

// Analyzer is the check as a go/analysis Analyzer.
var Analyzer = Check.Analyzer()

func run(v *prog.View) []lockgraph.Finding {
	c := pass.Collect("sessionlock", v)
	for _, tr := range v.Traces {
		tr.Each(func(n *prog.Node) {
			switch {
			case n.Kind == prog.OpAcquire && session(n.Take):
				acquired(c, v, tr, n.Take)
			case n.Kind == prog.OpRelease && n.Take != nil && n.Take.Acq.Family != lockgraph.Mutex:
				released(c, v, tr, n)
			case n.Kind == prog.OpEnd:
				ended(c, tr, n)
			case n.Kind == prog.OpExit && n.Outcome != "panic":
				lost(c, tr, n)
			case n.Kind == prog.OpCheck && n.Op.How == prog.Work:
				unwatched(c, v, tr, n)
			case n.Kind == prog.OpLoop && n.Op.Kind == prog.OpLoop:
				lostEachTurn(c, tr, n)
				if endless(n) {
					unwatched(c, v, tr, n)
				}
			}
		}, prog.OpAcquire, prog.OpRelease, prog.OpEnd, prog.OpExit, prog.OpCheck, prog.OpLoop)
		pass.Takes(&prog.View{Traces: []*prog.Trace{tr}}, func(tr *prog.Trace, t *prog.Take) { void(c, tr, t) })
		for _, x := range tr.Exits {
			left(c, tr, x)
		}
	}
	givers(c, v)
	return c.Findings()
}

// session reports a session-level advisory lock that the code asks for.
func session(t *prog.Take) bool {
	return t != nil && t.Scope == lockgraph.Session && t.Class.Family == lockgraph.Advisory
}

func acquired(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) {
	name := t.Class.Display()
	add := func(kind, message, hint string) {
		cut := t.Cut
		if cut == "" && t.Conn.Static == "gorm" && t.Conn.Opener == nil {
			cut = lockgraph.CutHandle
		}
		c.Add(tr, t.Node, pass.Fault{Kind: kind, Message: message, Hint: hint, Names: []string{name}, Cut: cut, Related: t.Witness()})
	}
	pooled(c, v, tr, t)
	if t.Conn.InText() {
		return
	}
	switch {
	case v.Program.SingleConn(t.Conn):
	case t.Conn.How == "pool":
		add("session-lock-via-pool", fmt.Sprintf("session lock %s is taken on a pool (its session goes back to the pool at once, and the unlock may reach another one)", name),
			"pin one connection for lock, work and unlock, or take "+xact(t)+" in a transaction")
	case loose(v, tr, t.Conn):
		add("session-lock-via-pool", fmt.Sprintf("session lock %s is taken on a gorm handle that pins no connection (its session goes back to the pool at once, or keeps the lock after the transaction)", name),
			"take "+xact(t)+" in a transaction, or pin a connection with db.Connection")
	case pass.InTransaction(t.Conn):
		add("session-lock-in-tx", fmt.Sprintf("session lock %s is taken inside a transaction (neither commit nor rollback releases it)", name),
			"take "+xact(t)+", which ends with the transaction")
	}
	imbalance(c, tr, t)
	twice(c, tr, t)
	cached(c, v, tr, t)
}

// pooled reports a session lock behind a pooler that does not keep sessions:
// the configuration says so, or where it says nothing the connection string.
func pooled(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) {
	name := t.Class.Display()
	f := pass.Fault{Kind: "session-lock-txn-pooler", Names: []string{name}, Cut: t.Cut, Related: t.Witness(),
		Hint: "hold a transaction open around the work and take " + xact(t) + " in it, or connect to the server itself for the lock"}
	switch v.Pooler {
	case "transaction", "statement":
		f.Message = fmt.Sprintf("session lock %s is taken through a pooler in %s mode (the lock stays on a server session that others use next)", name, v.Pooler)
	case "":
		told := v.Program.Pooler(t.Conn)
		if len(told.Signs) == 0 {
			return
		}
		signs := strings.Join(told.Signs, ", ")
		f.Message = fmt.Sprintf("session lock %s is taken through a pooler in transaction mode, as the connection string tells (%s): the lock stays on a server session that others use next", name, signs)
		if !told.Sure {
			f.Severity = lockgraph.SeverityWarning
			f.Message = fmt.Sprintf("session lock %s is taken through a pooler, as the connection string tells (%s): in transaction mode the lock stays on a server session that others use next", name, signs)
		}
	default:
		return
	}
	c.Add(tr, t.Node, f)
}

// loose reports a gorm handle that only somebody out of sight can have opened:
// a pool, or a transaction, but hardly a pinned connection.
func loose(v *prog.View, tr *prog.Trace, c *prog.Conn) bool {
	return c.Static == "gorm" && c.Opener == nil && (c.How == "param" || c.How == "unknown") && (len(tr.ReachedBy) == 0 || v.Program.FromOutside(c))
}

// xact names the function that takes the lock until the transaction ends.
func xact(t *prog.Take) string {
	name := "pg_advisory_xact_lock"
	if t.Wait == lockgraph.Try {
		name = "pg_try_advisory_xact_lock"
	}
	if t.Mode == lockgraph.Shared {
		name += "_shared"
	}
	return name
}

func released(c *pass.Collector, v *prog.View, tr *prog.Trace, n *prog.Node) {
	t := n.Take
	what, names := "all session locks", []string{"all"}
	if t.Class != nil {
		what, names = t.Class.Display(), []string{t.Class.Display()}
	}
	if t.Scope != lockgraph.Session && t.Class != nil {
		return
	}
	s := n.Statement()
	if s == nil {
		return
	}
	related := n.Witness("releases " + what)
	if n.Conn != nil && loose(v, tr, n.Conn) {
		c.Add(tr, n, pass.Fault{Kind: "unlock-other-conn", Names: names, Cut: lockgraph.CutHandle, Related: related,
			Message: fmt.Sprintf("%s is released on a gorm handle that pins no connection (the unlock may run in another session than the lock, and then releases nothing)", what),
			Hint:    "unlock on the connection that took the lock"})
	} else if n.Conn != nil && n.Conn.How == "pool" && !v.Program.SingleConn(n.Conn) {
		c.Add(tr, n, pass.Fault{Kind: "unlock-other-conn", Names: names, Related: related,
			Message: fmt.Sprintf("%s is released on a pool (the unlock may run in another session than the lock, and then releases nothing)", what),
			Hint:    "unlock on the connection that took the lock"})
	} else if h := elsewhere(n); h != nil {
		c.Add(tr, n, pass.Fault{Kind: "unlock-other-conn", Names: names, Related: pass.Join(h.Witness(), related),
			Message: fmt.Sprintf("%s is released on another connection than it was taken on (the lock stays held)", what),
			Hint:    "unlock on the connection that took the lock"})
	}
	deferred := isDeferred(n)
	if t.Class != nil && s.Op.Use.ResultIgnored {
		f := pass.Fault{Kind: "unlock-result-ignored", Names: names, Related: related,
			Message: fmt.Sprintf("the result of unlocking %s is dropped (a lock that was lost goes unseen)", what),
			Hint:    "scan the boolean of pg_advisory_unlock and report false"}
		if deferred || n.Conn != nil && n.Conn.How == "pool" { // on a pool the handle is the fault
			f.Severity = lockgraph.SeverityNote
		}
		c.Add(tr, n, f)
	}
	if (s.Ctx == "cancelable" || s.Ctx == "caller") && (deferred || over(tr, n, s) || handedOut(v, n, s) || deferredAbove(v, tr, s)) {
		c.Add(tr, n, pass.Fault{Kind: "unlock-cancelable-ctx", Names: names, Related: related,
			Message: fmt.Sprintf("%s is released under a context that may be cancelled by then (the unlock is not sent and the lock stays held)", what),
			Hint:    "unlock under context.WithTimeout(context.WithoutCancel(ctx), …)"})
	}
}

// handedOut reports an unlock in a closure that the function which took the
// lock returns, under the context of that function: whoever calls it does so
// when that context may have ended.
func handedOut(v *prog.View, n, s *prog.Node) bool {
	if s.Op.Use.CtxVal == nil || s.Op.Use.CtxVal.Kind != prog.VFree || s.Fn == nil || s.Fn.Parent == "" || v.Program.Funcs[s.Fn.Parent] == nil {
		return false
	}
	found := false
	prog.Visit(v.Program.Funcs[s.Fn.Parent].Body, func(o *prog.Op) {
		for _, a := range o.Args {
			a = prog.Bare(a)
			found = found || o.Kind == prog.OpExit && a != nil && a.Kind == prog.VClosure && a.Str == s.Fn.Key
		}
	})
	return found
}

// deferredAbove reports an unlock, seen by itself, under a context that the
// function is given, where a caller defers the call and gives it a context
// that may have ended by then.
func deferredAbove(v *prog.View, tr *prog.Trace, s *prog.Node) bool {
	ctx := s.Op.Use.CtxVal
	if s.Fn != tr.Entry || ctx == nil || ctx.Kind != prog.VParam {
		return false
	}
	i, err := strconv.Atoi(ctx.Str)
	if err != nil {
		return false
	}
	found := false
	for _, f := range v.Program.Funcs {
		prog.Visit(f.Body, func(d *prog.Op) {
			if d.Kind != prog.OpDefer || found {
				return
			}
			prog.Visit(d.Body, func(o *prog.Op) {
				if o.Kind == prog.OpCall && o.Val != nil && o.Val.Kind == prog.VFunc && o.Val.Str == s.Fn.Key && i < len(o.Args) {
					kind := prog.CtxKind(o.Args[i])
					found = found || kind == "cancelable" || kind == "caller"
				}
			})
		})
	}
	return found
}

// over reports whether the context of a statement has ended before n on the
// way to it, or may have ended in work that the caller gives and that comes to
// n however it ends.
func over(tr *prog.Trace, n, s *prog.Node) bool {
	found, passed := false, false
	tr.Each(func(k *prog.Node) {
		passed = passed || k == n
		if passed || k.Kind != prog.OpCheck {
			return
		}
		switch k.Op.How {
		case prog.CtxDone:
			found = found || s.CtxVal != nil && prog.Equal(k.Val, s.CtxVal) && leadsTo(k, n)
		case prog.Work:
			given := func(a *prog.Val) bool { return s.Op.Use.CtxVal != nil && prog.Equal(a, s.Op.Use.CtxVal) }
			found = found || len(k.Held) > 0 && slices.ContainsFunc(k.Op.Args, given) && anyway(tr, k, s)
		}
	})
	return found
}

// anyway reports whether the steps after a lead to the statement s of the same
// body, whatever a has come to.
func anyway(tr *prog.Trace, a, s *prog.Node) bool {
	if a.Up() != s.Up() {
		return false
	}
	after := false
	for _, k := range tr.Beside(a) {
		switch {
		case k == s:
			return after
		case k == a:
			after = true
		case after && k.Kind == prog.OpBranch && slices.ContainsFunc(k.Kids, func(arm *prog.Node) bool { return arm.Dead }):
			return false
		}
	}
	return false
}

// leadsTo reports whether a lies on the way to b: no arm of a branch that b
// is not in.
func leadsTo(a, b *prog.Node) bool {
	above := map[*prog.Node]bool{}
	for n := b; n != nil; n = n.Up() {
		above[n] = true
	}
	for n := a; n != nil; n = n.Up() {
		if up := n.Up(); up != nil && up.Kind == prog.OpBranch && !above[n] && (len(up.Kids) > 1 || above[up]) {
			return false
		}
	}
	return true
}

// elsewhere returns the lock that n releases where every state holds it, and
// holds it on another session only.
func elsewhere(n *prog.Node) *prog.Take {
	if n.Conn == nil || n.Take.Class == nil || n.Conn.How == "unknown" || len(n.Held) == 0 {
		return nil
	}
	var other *prog.Take
	for _, held := range n.Held {
		here := false
		var far *prog.Take
		for _, h := range held {
			if h.Scope != lockgraph.Session || !prog.Unlocks(n.Take, h) {
				continue
			}
			if h.Conn.Root() == n.Conn.Root() || h.Conn.How == "unknown" || h.Conn.How == "pool" || neighbours(h.Conn.Root(), n.Conn.Root()) {
				here = true
			} else if far == nil {
				far = h
			}
		}
		if here || far == nil {
			return nil
		}
		other = far
	}
	return other
}

// neighbours reports connections of one list, which may be the same element.
func neighbours(a, b *prog.Conn) bool {
	x, y := prog.Bare(a.Val), prog.Bare(b.Val)
	if x == nil || y == nil || x.Kind != prog.VElem || y.Kind != prog.VElem || len(x.Of) == 0 || len(y.Of) == 0 {
		return false
	}
	return prog.Equal(x.Of[0], y.Of[0]) && (x.Str != y.Str || x.Str == "")
}

// isDeferred reports whether n runs when its function, or one that called
// it, exits.
func isDeferred(n *prog.Node) bool {
	for ; n != nil; n = n.Up() {
		if n.Kind == prog.OpExit || n.Op != nil && n.Op.Use.Deferred {
			return true
		}
	}
	return false
}

// ended reports session locks held on a connection that goes back to its
// pool.
func ended(c *pass.Collector, tr *prog.Trace, n *prog.Node) {
	if n.Conn == nil || n.Conn.Opener == nil {
		return
	}
	back := n.Conn.How == "conn" && n.Ends == "release" // a close ends the session, and with it its locks
	if n.Conn.How == "tx" && n.Conn.Root() == n.Conn && n.Conn.Parent != nil && n.Conn.Parent.How == "pool" {
		back = true
	}
	if !back {
		return
	}
	t := surely(n.Held, n.Conn.Root())
	if t == nil {
		t = tried(tr, n)
	}
	if t != nil && !unsure(tr, t) {
		leak(c, tr, t, n.Witness("gives the connection back to its pool"))
	}
}

// surely returns a session lock of the connection that is held in every
// state: where one state lacks it, the code may know which it is in.
func surely(sets []prog.Held, root *prog.Conn) *prog.Take {
	var found *prog.Take
	for _, held := range sets {
		var here *prog.Take
		for _, t := range held {
			if session(t) && t.Conn.Root() == root && t.Conn.How != "pool" {
				here = t
			}
		}
		if here == nil {
			return nil
		}
		found = here
	}
	return found
}

// unsure reports whether the trace releases something on the same session
// that may be t under another name.
func unsure(tr *prog.Trace, t *prog.Take) bool {
	found := false
	tr.Each(func(n *prog.Node) {
		r := n.Take
		if n.Kind != prog.OpRelease || r == nil || r.Acq.Family == lockgraph.Mutex || n.Conn == nil || r.Class == nil {
			return
		}
		if n.Conn.Root() != t.Conn.Root() && n.Conn.How != "unknown" && n.Conn.How != "param" {
			return
		}
		found = found || !prog.Unlocks(r, t) && !otherKey(r.Class.Key, t.Class.Key) && r.Mode == t.Mode
	}, prog.OpRelease)
	return found
}

// otherKey reports two keys that are surely not the same: two constants, or
// two texts that begin differently and are made into a key in one way.
func otherKey(a, b *lockgraph.Key) bool {
	if a == nil || b == nil {
		return false
	}
	if a.Constant != "" && b.Constant != "" {
		return true
	}
	x, y := a.Prefix, b.Prefix
	return a.Space == b.Space && a.Derivation == b.Derivation && x != "" && y != "" && !strings.HasPrefix(x, y) && !strings.HasPrefix(y, x)
}

func leak(c *pass.Collector, tr *prog.Trace, t *prog.Take, end []lockgraph.Frame) {
	name := t.Class.Display()
	related, hint := t.Witness(), "unlock on the same connection before it is given back, on every path; end the session when the unlock fails"
	if r := mistaken(tr, t); r != nil {
		related = pass.Join(related, r.Witness("releases "+r.Take.Class.Display()))
		hint = "what is released is " + r.Take.Class.Display() + ", another key: make the key once and use it for both"
	}
	c.Add(tr, t.Node, pass.Fault{Kind: "session-lock-leak", Names: []string{name}, Cut: t.Cut, Related: pass.Join(related, end),
		Message: fmt.Sprintf("session lock %s is still held when its connection goes back to the pool (nobody else gets it while that connection lives)", name),
		Hint:    hint})
}

// mistaken returns the release of another key on the session of t.
func mistaken(tr *prog.Trace, t *prog.Take) *prog.Node {
	var found *prog.Node
	tr.Each(func(n *prog.Node) {
		if r := n.Take; found == nil && n.Kind == prog.OpRelease && r != nil && r.Class != nil && n.Conn != nil && n.Conn.Root() == t.Conn.Root() &&
			!prog.Unlocks(r, t) && otherKey(r.Class.Key, t.Class.Key) {
			found = n
		}
	}, prog.OpRelease)
	return found
}

// left reports what an exit of the entry leaves behind: a pinned connection
// that nobody owns.
func left(c *pass.Collector, tr *prog.Trace, x *prog.Exit) {
	if x.Outcome == "panic" {
		return
	}
	for _, conn := range x.Open {
		if conn.How == "conn" && conn.Handed && !conn.Outlives() && !returned(conn, x.Vals) {
			handed(c, tr, x, conn)
			continue
		}
		if conn.How != "conn" || conn.Outlives() || conn.Handed || conn.Opener == nil || conn.Parent == nil || conn.Parent.How != "pool" || returned(conn, x.Vals) {
			continue
		}
		var held, used *prog.Take
		pass.Takes(&prog.View{Traces: []*prog.Trace{tr}}, func(_ *prog.Trace, t *prog.Take) {
			if session(t) && t.Conn.Root() == conn && used == nil {
				used = t
			}
		})
		for _, t := range x.Held {
			if session(t) && t.Conn.Root() == conn {
				held = t
			}
		}
		if used == nil || tr.Entry.Main {
			continue
		}
		end := lockgraph.Frame{Func: tr.Entry.Key, File: x.Pos.File, Line: x.Pos.Line, Does: "returns without closing the connection"}
		if held != nil {
			if !alike(tr, x, conn) || unsure(tr, held) {
				continue
			}
			leak(c, tr, held, []lockgraph.Frame{end})
			continue
		}
		if !everOpen(tr, x, conn) {
			continue
		}
		unclosed(c, tr, &prog.Node{Pos: x.Pos, Fn: tr.Entry}, conn, used, []lockgraph.Frame{end})
	}
}

// everOpen reports whether every way out at x leaves the connection open.
func everOpen(tr *prog.Trace, x *prog.Exit, conn *prog.Conn) bool {
	for _, o := range tr.Exits {
		if o.Pos != x.Pos {
			continue
		}
		found := false
		for _, c := range o.Open {
			found = found || c == conn
		}
		if !found {
			return false
		}
	}
	return true
}

// alike reports whether every way out at x holds a session lock of the
// connection.
func alike(tr *prog.Trace, x *prog.Exit, conn *prog.Conn) bool {
	var sets []prog.Held
	for _, o := range tr.Exits {
		if o.Pos == x.Pos {
			sets = append(sets, o.Held)
		}
	}
	return surely(sets, conn) != nil
}

// returned reports whether the values hold the connection.
func returned(conn *prog.Conn, vals []*prog.Val) bool {
	id := fmt.Sprintf("#%d", conn.N)
	var in func(v *prog.Val, depth int) bool
	in = func(v *prog.Val, depth int) bool {
		if v == nil || depth > 16 {
			return false
		}
		if v.Kind == prog.VConn && v.Str == id {
			return true
		}
		for _, o := range v.Of {
			if in(o, depth+1) {
				return true
			}
		}
		return false
	}
	for _, v := range vals {
		if in(v, 0) {
			return true
		}
	}
	return false
}

// selectsLock matches a statement that returns nothing but a blocking lock
// function's void.
var selectsLock = lazyregexp.New(`(?is)^\s*select\s+(pg_catalog\.)?pg_advisory_(xact_)?lock(_shared)?\s*\(`)

// void reports a blocking lock whose result, of type void, is scanned into a
// type that has no such value.
func void(c *pass.Collector, tr *prog.Trace, t *prog.Take) {
	if t.Class.Family != lockgraph.Advisory || !pass.Blocks(t) || len(t.Acq.SQLFunc) > 0 {
		return
	}
	s := t.Node.Statement()
	if s == nil || len(s.Op.Use.Scans) != 1 || !selectsLock.MatchString(s.SQL) {
		return
	}
	typ := s.Op.Use.Scans[0]
	switch {
	case typ == "bool" || typ == "time.Time", strings.HasPrefix(typ, "int"), strings.HasPrefix(typ, "uint"), strings.HasPrefix(typ, "float"):
	default:
		return
	}
	name := t.Class.Display()
	c.Add(tr, t.Node, pass.Fault{Kind: "void-result-scanned", Names: []string{name}, Cut: t.Cut, Related: t.Witness(),
		Message: fmt.Sprintf("the void result of locking %s is scanned into %s (the call fails after the lock was granted)", name, typ),
		Hint:    "run it with Exec; only the try functions return a boolean"})
}
