package sessionlock

import (
	"fmt"
	"slices"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// imbalance reports a lock that each turn of a loop takes once more, while
// one unlock after the loop takes one of them back: session locks stack
// (manual of version 16, section 13.3.5).
func imbalance(c *pass.Collector, tr *prog.Trace, t *prog.Take) {
	if t.Conn.How == "pool" || t.Conn.How == "unknown" || t.Inst == nil || !prog.Stable(t.Inst) || perTurn(t.Inst) {
		return
	}
	loops := t.Node.Loops
	if n := len(t.Conn.Root().Loops); n < len(loops) {
		loops = loops[n:]
	} else {
		return
	}
	l := loops[len(loops)-1]
	if conditional(t.Node, l) || leavesOnSuccess(t, l) {
		return
	}
	var one *prog.Node
	within, all := false, false
	tr.Each(func(n *prog.Node) {
		if n.Kind != prog.OpRelease || n.Take == nil || n.Conn == nil || n.Conn.Root() != t.Conn.Root() {
			return
		}
		if n.Take.Class == nil {
			all = true
			return
		}
		if !prog.Unlocks(n.Take, t) || n.Take.Mode != t.Mode {
			return
		}
		for _, o := range n.Loops {
			within = within || o == l && !isDeferred(n) && !returns(n, l)
		}
		if one == nil {
			one = n
		}
	}, prog.OpRelease)
	if one == nil || within || all {
		return
	}
	name := t.Class.Display()
	c.Add(tr, t.Node, pass.Fault{Kind: "reentrant-imbalance", Names: []string{name}, Cut: t.Cut, Related: append(pass.Join(l.Witness("loops"), t.Witness()), last(one.Witness("releases "+name+" once"))),
		Message: fmt.Sprintf("session lock %s is taken again in each turn of a loop and released once (session locks stack: it stays held)", name),
		Hint:    "do not take the lock while it is held, or release with pg_advisory_unlock_all"})
}

// returns reports whether n stands on a branch within the loop that leaves the
// function.
func returns(n, l *prog.Node) bool {
	for ; n != nil && n != l; n = n.Up() {
		if n.Kind == prog.OpNone && n.Dead && slices.ContainsFunc(n.Kids, func(k *prog.Node) bool { return k.Kind == prog.OpExit }) {
			return true
		}
	}
	return false
}

func last(f []lockgraph.Frame) lockgraph.Frame { return f[len(f)-1] }

// perTurn reports whether the instance can be another one in each turn.
func perTurn(v *prog.Val) bool {
	if v == nil {
		return false
	}
	switch v.Kind {
	case prog.VElem, prog.VScan, prog.VResult, prog.VHole:
		return true
	}
	for _, o := range v.Of {
		if perTurn(o) {
			return true
		}
	}
	return false
}

// conditional reports whether something other than the fate of a call
// decides, within the loop, whether n runs: the code may know that it holds
// the lock already.
func conditional(n, l *prog.Node) bool {
	for at := n; at != nil && at != l; at = at.Up() {
		up := at.Up()
		if up == nil {
			return true
		}
		if state(at) {
			return true
		}
		for _, k := range up.Kids {
			if k == at {
				break
			}
			if k.Kind == prog.OpBranch {
				for _, arm := range k.Kids {
					if arm.Dead && state(arm) {
						return true
					}
				}
			}
		}
	}
	return false
}

// state reports an arm whose condition looks at something kept.
func state(arm *prog.Node) bool {
	if arm.Kind != prog.OpNone || arm.Val == nil {
		return false
	}
	var keeps func(v *prog.Val) bool
	keeps = func(v *prog.Val) bool {
		if v == nil {
			return false
		}
		switch v.Kind {
		case prog.VField, prog.VGlobal, prog.VHole, prog.VElem, prog.VFree:
			return true
		}
		for _, o := range v.Of {
			if keeps(o) {
				return true
			}
		}
		return false
	}
	return keeps(arm.Val)
}

// leavesOnSuccess reports whether the loop is over once the lock is held: a
// loop that tries until it gets it takes it once.
func leavesOnSuccess(t *prog.Take, l *prog.Node) bool {
	found := false
	for _, a := range l.Args {
		found = found || a != nil && a.Kind == prog.VNot && t.Answers(a) // for !ok
	}
	var visit func(n *prog.Node)
	visit = func(n *prog.Node) {
		if n.Kind == prog.OpNone && n.Dead && holdsIn(n, t) {
			found = true
		}
		for _, k := range n.Kids {
			visit(k)
		}
	}
	visit(l)
	return found
}

// holdsIn reports an arm that leaves the turn while holding t: its guard is
// the answer of the try.
func holdsIn(arm *prog.Node, t *prog.Take) bool {
	return arm.Val != nil && arm.Val.Kind != prog.VNot && t.Answers(arm.Val)
}

// twice reports a lock that is taken while the session holds it, on one way,
// and released once.
func twice(c *pass.Collector, tr *prog.Trace, t *prog.Take) {
	if t.Again != "same" || t.Carried || len(t.Node.Held) == 0 {
		return
	}
	var first *prog.Take
	for _, held := range t.Node.Held {
		first = nil
		for _, h := range held {
			if session(h) && !h.Carried && h.Class.ID == t.Class.ID && h.Mode == t.Mode && h.Conn.Root() == t.Conn.Root() && prog.SameInstance(h, t) {
				first = h
			}
		}
		if first == nil {
			return
		}
	}
	var releases []*prog.Node
	tr.Each(func(n *prog.Node) {
		if n.Kind == prog.OpRelease && n.Take != nil && n.Conn != nil && n.Conn.Root() == t.Conn.Root() && (n.Take.Class == nil || prog.Unlocks(n.Take, t)) {
			releases = append(releases, n)
		}
	}, prog.OpRelease)
	if len(releases) != 1 || releases[0].Take.Class == nil {
		return
	}
	name := t.Class.Display()
	c.Add(tr, t.Node, pass.Fault{Kind: "reentrant-imbalance", Names: []string{name}, Cut: t.Cut, Related: append(pass.Join(first.Witness(), t.Witness()), last(releases[0].Witness("releases "+name+" once"))),
		Message: fmt.Sprintf("session lock %s is taken while it is held, and released once (session locks stack: it stays held)", name),
		Hint:    "do not take the lock while it is held, or release with pg_advisory_unlock_all"})
}
