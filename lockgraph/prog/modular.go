package prog

import "strconv"

// LeaveHoles makes the walker follow calls of interface methods only to what
// a value proves. Where one package after another is analysed, the
// implementers that happen to be in sight are no answer: some of them never
// reach the call, and others are not seen yet.
func (p *Program) LeaveHoles() {
	for _, key := range p.keys {
		visit(p.Funcs[key].Body, func(o *Op) {
			if o.Kind == OpCall || o.Kind == OpGo {
				at := key + ":" + strconv.Itoa(o.ID)
				if _, ok := p.Dynamic[at]; !ok {
					p.Dynamic[at] = nil
				}
			}
		})
	}
}

// Unresolved returns a copy of p without what its statements do where their
// text tells it.
func Unresolved(p *Package) *Package {
	return withFuncs(p, func(ops []Op) {
		for i := range ops {
			if o := &ops[i]; o.Kind == OpSQL {
				if _, known := o.Val.AsText(); known {
					o.Body = nil
				}
			}
		}
	})
}

// Resolved returns a copy of p with what its statements do, by their text.
func Resolved(p *Package, res Resolver) *Package {
	return withFuncs(p, func(ops []Op) {
		for i := range ops {
			if o := &ops[i]; o.Kind == OpSQL && len(o.Body) == 0 {
				if text, known := o.Val.AsText(); known {
					o.Body = res.Effect(text)
				}
			}
		}
	})
}

// withFuncs returns a copy of p in which change has seen every list of ops.
func withFuncs(p *Package, change func([]Op)) *Package {
	var deep func(ops []Op) []Op
	deep = func(ops []Op) []Op {
		if len(ops) == 0 {
			return ops
		}
		out := append([]Op{}, ops...)
		for i := range out {
			o := &out[i]
			if o.Kind != OpSQL { // what a statement does is shared between places
				o.Body = deep(o.Body)
			}
			if len(o.Arms) > 0 {
				arms := append([]Arm{}, o.Arms...)
				for j := range arms {
					arms[j].Body = deep(arms[j].Body)
				}
				o.Arms = arms
			}
		}
		change(out)
		return out
	}
	q := *p
	q.Funcs = make([]*Func, len(p.Funcs))
	for i, f := range p.Funcs {
		g := *f
		g.Body = deep(f.Body)
		q.Funcs[i] = &g
	}
	return &q
}
