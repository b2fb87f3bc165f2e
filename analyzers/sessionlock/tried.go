package sessionlock

import (
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// tried returns a try lock that may be held on the connection which n gives
// back to its pool however the try has ended, in code that never unlocks the
// session; nil when there is none.
func tried(tr *prog.Trace, n *prog.Node) *prog.Take {
	root := n.Conn.Root()
	if root.Kept || anyUnlock(tr, root) {
		return nil
	}
	for _, held := range n.Held {
		for _, t := range held {
			if session(t) && t.Wait == lockgraph.Try && t.Conn.Root() == root && whatever(n, t.Node) {
				return t
			}
		}
	}
	return nil
}

// anyUnlock reports whether something that may run on the session gives a
// lock back.
func anyUnlock(tr *prog.Trace, root *prog.Conn) bool {
	found := false
	tr.Each(func(n *prog.Node) {
		if t := n.Take; t == nil || t.Acq.Family != lockgraph.Mutex {
			found = found || n.Conn == nil || n.Conn.Root() == root || n.Conn.How == "unknown" || n.Conn.How == "param"
		}
	}, prog.OpRelease)
	return found
}

// whatever reports whether n runs however what came before it, the try at, has
// ended: no condition leads to n alone, but that there is a connection.
func whatever(n, at *prog.Node) bool {
	above := map[*prog.Node]bool{}
	for a := at; a != nil; a = a.Up() {
		above[a] = true
	}
	for a := n; a != nil; a = a.Up() {
		up := a.Up()
		if up != nil && up.Kind == prog.OpBranch && !above[a] && !connected(a.Val) {
			return false
		}
	}
	return true
}

// connected reports a condition that only asks whether there is a connection.
func connected(guard *prog.Val) bool {
	if guard == nil || guard.Kind != prog.VNot || guard.Of[0].Kind != prog.VIsNil {
		return false
	}
	c := prog.Bare(guard.Of[0].Of[0])
	return c != nil && c.Kind == prog.VConn
}
