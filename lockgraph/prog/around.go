package prog

import (
	"slices"
	"strings"
)

// Values of one interface that wrap each other, each method calling the same
// method of what it wraps, can be any of them at each step where no value
// tells: a walk would go through all orders of them.

// unmet leaves, of several functions that a call of fn can reach, out those
// that are told on the way already, called alike, with nothing taken or opened
// since: those that take nothing by themselves, where such a call could reach
// them, and those that are on the way and are methods of what a field holds,
// for a value that wraps one of its own type is rare. Where none would be left
// only the latter are out, or none.
func (w *walker) unmet(fn *Val, cs []callee, args []*Val, sts []*state) []callee {
	fn = bare(fn)
	wrapped := fn.Kind == VMethod && bare(fn.Of[0]).Kind == VField
	for _, beside := range []bool{true, false} {
		out := slices.DeleteFunc(slices.Clone(cs), func(c callee) bool {
			wraps := w.p.wraps(c.key)
			return (wrapped || wraps) && w.around(c, args, sts, beside && wraps)
		})
		if len(out) > 0 {
			return out
		}
	}
	return cs
}

// around reports whether c is on the way, or with beside also whether a call
// on the way could reach it, called alike and in states that hold and have
// open what is held and open now.
func (w *walker) around(c callee, args []*Val, sts []*state, beside bool) bool {
	if slices.ContainsFunc(c.recv, func(v *Val) bool { return bare(v).Kind == VRecord }) {
		return false // it is known which value is meant
	}
	return slices.ContainsFunc(w.envs, func(e *env) bool {
		return (e.fn.Key == c.key || beside && slices.Contains(e.among, c.key)) && calledAlike(c.key, e.called, args) && covers(e.entered, sts)
	})
}

// calledAlike reports whether calls of a function differ in nothing that is
// known when they are made: constants and functions, other than closures of
// its own, in which it wraps what it is given.
func calledAlike(key string, before, now []*Val) bool {
	return slices.EqualFunc(before, now, func(x, y *Val) bool {
		x, y = bare(x), bare(y)
		if y != nil && y.Kind == VClosure && strings.HasPrefix(y.Str, key+"$") {
			return true
		}
		known := func(v *Val) bool { return v != nil && (v.Kind == VConst || v.Kind == VFunc || v.Kind == VClosure) }
		return !known(x) && !known(y) || Equal(x, y)
	})
}

// covers reports whether one of the states holds and has open what each of sts
// does.
func covers(states, sts []*state) bool {
	return !slices.ContainsFunc(sts, func(s *state) bool {
		return !slices.ContainsFunc(states, func(o *state) bool { return o.sameHeld(s) && o.sameOpen(s) })
	})
}

// wraps reports whether a function takes and opens nothing but through methods
// of interfaces and functions that it is given.
func (p *Program) wraps(key string) bool {
	does, ok := p.wrappers[key]
	if ok {
		return does
	}
	does = true
	seen := map[string]bool{key: true}
	for todo := []string{key}; does && len(todo) > 0; {
		f := p.Funcs[todo[0]]
		todo = todo[1:]
		if f == nil {
			continue
		}
		visit(f.Body, func(o *Op) {
			switch o.Kind {
			case OpSQL, OpAcquire, OpOpen, OpGo:
				does = false
			case OpCall:
				for _, v := range append([]*Val{o.Val}, o.Args...) {
					if b := bare(v); b != nil && (b.Kind == VFunc || b.Kind == VClosure) && p.bears[b.Str] && !seen[b.Str] {
						seen[b.Str] = true
						todo = append(todo, b.Str)
					}
				}
			}
		})
	}
	p.wrappers[key] = does
	return does
}
