package lockscope

import (
	"slices"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// returned reports whether the function of a try lock returns its answer.
func returned(tr *prog.Trace, t *prog.Take) bool {
	found := false
	tr.Each(func(n *prog.Node) {
		if n.Kind == prog.OpExit && n.Fn == t.Node.Fn {
			for _, a := range n.Args {
				found = found || answer(a, t)
			}
		}
	}, prog.OpExit)
	return found
}

// answer reports whether v is the answer itself.
func answer(v *prog.Val, t *prog.Take) bool {
	v = prog.Bare(v)
	return v != nil && (v.Kind == prog.VScan || v.Kind == prog.VNot || v.Kind == prog.VChoice) && t.Answers(v)
}

// decidesAbove reports whether the answer that a function returned decides
// something in its callers, or goes where that cannot be told.
func decidesAbove(tr *prog.Trace, t *prog.Take) bool {
	found := false
	tr.Each(func(n *prog.Node) {
		if n.Kind == prog.OpNone && t.Answers(n.Val) {
			found = true
		}
		if n.Fn == t.Node.Fn {
			return
		}
		for _, a := range n.Args {
			switch n.Kind {
			case prog.OpCall, prog.OpGo, prog.OpSQL:
				found = found || t.Answers(a)
			case prog.OpExit:
				found = found || n.Fn == tr.Entry && t.Answers(a)
			}
		}
	})
	return found
}

// droppedAbove reports whether the function that tries t, or one that it
// returns to, says by a result that the lock was not taken, and its caller
// drops that result and goes on to write.
func droppedAbove(tr *prog.Trace, t *prog.Take, rest []*prog.Node) bool {
	for at := call(t.Node); at != nil && at.Op != nil; at = call(at) {
		for _, i := range at.Op.Use.Dropped {
			if refuses(tr, at, i) && writesUnder(t, at, rest) {
				return true
			}
		}
	}
	return false
}

// refuses reports whether the function that is called at a node returns false
// as its result i on some way, without an error.
func refuses(tr *prog.Trace, at *prog.Node, i int) bool {
	found := false
	tr.Each(func(n *prog.Node) {
		if n.Kind == prog.OpExit && n.Outcome != "error" && i < len(n.Args) && call(n) == at {
			found = found || mayBeFalse(n.Args[i])
		}
	}, prog.OpExit)
	return found
}

func mayBeFalse(v *prog.Val) bool {
	v = prog.Bare(v)
	if v != nil && v.Kind == prog.VChoice {
		return slices.ContainsFunc(v.Of, mayBeFalse)
	}
	return prog.Equal(v, prog.Bool(false))
}

// writesUnder reports a write, on any session, that t may protect once a call
// has returned.
func writesUnder(t *prog.Take, at *prog.Node, rest []*prog.Node) bool {
	return slices.ContainsFunc(rest, func(n *prog.Node) bool {
		return n.Kind == prog.OpAcquire && n.Take != nil && writes(n.Take) && !under(n, at) &&
			slices.ContainsFunc(n.Held, func(set prog.Held) bool { return slices.Contains(set, t) })
	})
}
