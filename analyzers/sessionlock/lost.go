package sessionlock

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// lost reports what was opened for a lock and a way out of its function
// neither ends nor hands on: a transaction that another way ends, and a
// connection that another way returns inside something.
func lost(c *pass.Collector, tr *prog.Trace, n *prog.Node) {
	for _, conn := range n.Left {
		// An entry's own are told by left; what a callee has opened may be ended
		// by what that has returned beside it.
		if conn.How == "conn" && (conn.Outlives() || n.Fn != tr.Entry && n.Fn == conn.Opener.Fn) {
			dropped(c, tr, n, conn)
			continue
		}
		if conn.How != "tx" || conn.Parent == nil || conn.Parent.How != "pool" || !endedElsewhere(tr, conn) {
			continue
		}
		lock := asked(tr, conn)
		if lock == nil {
			continue
		}
		name := lock.Class.Display()
		end := n.Witness("returns without ending the transaction")
		c.Add(tr, n, pass.Fault{Kind: "lock-conn-leak", Names: []string{name}, Related: append(conn.Opener.Witness("begins a transaction"), end[len(end)-1]),
			Message: fmt.Sprintf("the transaction begun for %s is neither committed nor rolled back here (it keeps its locks, and its connection is lost to the pool)", name),
			Hint:    "defer the rollback right after the transaction has begun"})
	}
}

// dropped reports a pinned connection that is open at the way out n, where
// its function returns nothing that has it.
func dropped(c *pass.Collector, tr *prog.Trace, n *prog.Node, conn *prog.Conn) {
	lock := asked(tr, conn)
	if lock == nil || !session(lock) || conn.Parent == nil || conn.Parent.How != "pool" {
		return
	}
	end := n.Witness("returns without closing the connection")
	end = end[len(end)-1:]
	if held := surely(n.Held, conn); held != nil {
		if !unsure(tr, held) {
			leak(c, tr, held, end)
		}
		return
	}
	unclosed(c, tr, n, conn, lock, end)
}

// unclosed reports the connection pinned for lock, which is lost at n.
func unclosed(c *pass.Collector, tr *prog.Trace, n *prog.Node, conn *prog.Conn, lock *prog.Take, end []lockgraph.Frame) {
	name := lock.Class.Display()
	c.Add(tr, n, pass.Fault{Kind: "lock-conn-leak", Names: []string{name}, Related: append(pass.Join(conn.Opener.Witness("pins a connection"), lock.Witness()), end...),
		Message: fmt.Sprintf("the connection pinned for %s is neither closed nor returned here (each failure takes one connection from the pool)", name),
		Hint:    "close the connection on this path"})
}

// lostEachTurn reports a connection that a turn of the loop pins for a lock,
// and that the next turn does not have any more.
func lostEachTurn(c *pass.Collector, tr *prog.Trace, loop *prog.Node) {
	for _, conn := range loop.Left {
		lock := asked(tr, conn)
		if conn.How != "conn" || lock == nil || !session(lock) || conn.Parent == nil || conn.Parent.How != "pool" {
			continue
		}
		name := lock.Class.Display()
		c.Add(tr, conn.Opener, pass.Fault{Kind: "lock-conn-leak", Names: []string{name},
			Related: pass.Join(pass.Join(loop.Witness("loops"), conn.Opener.Witness("pins a connection")), lock.Witness()),
			Message: fmt.Sprintf("each turn of the loop pins another connection for %s, and the last one is not closed (each turn takes one connection from the pool)", name),
			Hint:    "close the connection before the next turn, or pin it before the loop"})
	}
}

func endedElsewhere(tr *prog.Trace, conn *prog.Conn) bool {
	found := false
	tr.Each(func(n *prog.Node) { found = found || n.Kind == prog.OpEnd && n.Conn == conn }, prog.OpEnd)
	return found
}

// asked returns the first lock that a statement asks for on the connection.
func asked(tr *prog.Trace, conn *prog.Conn) *prog.Take {
	var found *prog.Take
	tr.Each(func(n *prog.Node) {
		if t := n.Take; found == nil && n.Kind == prog.OpAcquire && t != nil && !t.Acq.Implicit && t.Conn == conn {
			found = t
		}
	}, prog.OpAcquire)
	return found
}

// handed reports a connection pinned for a session lock that only a goroutine
// has, which does not close it.
func handed(c *pass.Collector, tr *prog.Trace, x *prog.Exit, conn *prog.Conn) {
	var used *prog.Take
	var goes *prog.Node
	closed := false
	tr.Each(func(n *prog.Node) {
		switch {
		case n.Kind == prog.OpAcquire && session(n.Take) && n.Take.Conn.Root() == conn && used == nil:
			used = n.Take
		case n.Conn != nil && n.Conn.Root() == conn && within(n) != nil:
			goes = within(n)
			closed = closed || n.Kind == prog.OpEnd
		}
	})
	if used == nil || goes == nil || closed || conn.Parent == nil || conn.Parent.How != "pool" {
		return
	}
	name := used.Class.Display()
	c.Add(tr, goes, pass.Fault{Kind: "lock-conn-leak", Names: []string{name}, Related: pass.Join(conn.Opener.Witness("pins a connection"), goes.Witness("starts the goroutine that keeps it")),
		Message: fmt.Sprintf("the connection pinned for %s is left to a goroutine that does not close it (each use takes one connection from the pool for good)", name),
		Hint:    "close the connection when the goroutine ends"})
}

// within returns the go statement that n runs under.
func within(n *prog.Node) *prog.Node {
	for ; n != nil; n = n.Up() {
		if n.Kind == prog.OpGo {
			return n
		}
	}
	return nil
}

// givers reports a method that gives a connection kept in a field back to
// its pool, while other methods leave session locks on it: they stay held on
// a connection that anybody gets next.
func givers(c *pass.Collector, v *prog.View) {
	fields := map[prog.Pos]string{} // of the statements that take session locks on a connection in a field
	for _, f := range v.Program.Funcs {
		prog.Visit(f.Body, func(o *prog.Op) {
			if k := fieldOf(o.Conn); o.Kind == prog.OpSQL && k != "" {
				fields[o.Pos] = k
			}
		})
	}
	taken := map[string]*prog.Take{}
	pass.Takes(v, func(_ *prog.Trace, t *prog.Take) {
		if !session(t) {
			return
		}
		kept := v.Program.KeptIn(t.Conn.Root())
		if f := fields[t.Node.Pos]; f != "" {
			kept = append(kept, f)
		}
		for _, f := range kept {
			if taken[f] == nil || lessTake(t, taken[f]) {
				taken[f] = t
			}
		}
	})
	if len(taken) == 0 {
		return
	}
	keys := make([]string, 0, len(v.Program.Funcs))
	for k := range v.Program.Funcs {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		f := v.Program.Funcs[k]
		if f.Test && !v.Program.Tests {
			continue
		}
		for _, o := range givesBack(f.Body) {
			lock := taken[fieldOf(o.Conn)]
			if lock == nil || unlocks(f) || v.Program.CalledAfter(k, unlocks) {
				continue
			}
			n := &prog.Node{Pos: o.Pos, Fn: f}
			name := lock.Class.Display()
			c.Add(&prog.Trace{}, n, pass.Fault{Kind: "session-lock-leak", Severity: lockgraph.SeverityWarning, Names: []string{name},
				Related: append(lock.Witness(), n.Witness("gives the connection back to its pool")...),
				Message: fmt.Sprintf("the connection that %s is taken on goes back to its pool here without an unlock (a lock still held stays on it, and nobody else gets it)", name),
				Hint:    "run SELECT pg_advisory_unlock_all() on the connection first, or end its session"})
		}
	}
}

// givesBack returns the ops that give a connection back to its pool whatever
// happens, but that there may be none.
func givesBack(ops []prog.Op) []*prog.Op {
	var out []*prog.Op
	for i := range ops {
		o := &ops[i]
		switch {
		case o.Kind == prog.OpEnd && o.How == "release":
			out = append(out, o)
		case o.Kind == prog.OpBranch:
			for _, a := range o.Arms {
				if g := a.Guard; g != nil && g.Kind == prog.VNot && g.Of[0].Kind == prog.VIsNil && fieldOf(g.Of[0].Of[0]) != "" {
					out = append(out, givesBack(a.Body)...)
				}
			}
		}
	}
	return out
}

func lessTake(a, b *prog.Take) bool {
	x, y := a.Node.Pos, b.Node.Pos
	return x.File < y.File || x.File == y.File && x.Line < y.Line
}

// unlocks reports whether a statement of f gives session locks back, or f
// calls something that may.
func unlocks(f *prog.Func) bool {
	found := false
	prog.Visit(f.Body, func(o *prog.Op) {
		found = found || o.Kind == prog.OpRelease || o.Kind == prog.OpCall && o.Val != nil && o.Val.Kind == prog.VFunc && strings.Contains(strings.ToLower(o.Val.Str), "unlock")
	})
	return found
}
