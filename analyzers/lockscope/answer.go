package lockscope

import "github.com/pglockdep/pglockdep/lockgraph/prog"

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
