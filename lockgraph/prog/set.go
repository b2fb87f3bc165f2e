package prog

import (
	"slices"
	"strconv"
	"strings"
)

// SetBy returns what closure key leaves in its captured variable free, once it
// has run; before that the variable is one of otherwise.
func SetBy(key string, free int, otherwise ...*Val) *Val {
	return New(VSet, key+"#"+strconv.Itoa(free), otherwise...)
}

// setter returns the closure of a VSet.
func (v *Val) setter() string { return v.Str[:strings.LastIndexByte(v.Str, '#')] }

// leftBy binds a variable that a closure sets: it may have what the closure
// left there, and what it had before.
func (x *evaluator) leftBy(v *Val, e *env, depth int) *Val {
	left := e.sets[v.Str]
	if left == nil {
		left = Hole("set elsewhere")
	}
	all := []*Val{left}
	for _, o := range v.Of {
		all = append(all, x.bind(o, e, depth+1))
	}
	return Choose(maxChoice, all...)
}

// leaveSet notes, in the functions around a closure that exits, what it leaves
// in the variables that it captures.
func (w *walker) leaveSet(inner *env) {
	for _, s := range inner.fn.Sets {
		name := SetBy(inner.fn.Key, s.Free).Str
		v := w.x.eval(s.Val, inner)
		for up := w.p.Funcs[inner.fn.Parent]; up != nil; up = w.p.Funcs[up.Parent] {
			e := w.running(up)
			if e == nil {
				continue
			}
			if e.sets == nil {
				e.sets = map[string]*Val{}
			}
			if old := e.sets[name]; old != nil {
				v = Choose(maxChoice, old, v)
			}
			e.sets[name] = v
		}
	}
}

// setAround reports whether a variable of a function around the one that exits
// holds the connection.
func (w *walker) setAround(c *Conn) bool {
	for _, e := range w.envs[:len(w.envs)-1] {
		for _, v := range e.sets {
			if slices.Contains(w.connsIn(v, 0), c) {
				return true
			}
		}
	}
	return false
}

// running returns the innermost activation of f, nil when there is none.
func (w *walker) running(f *Func) *env {
	for i := len(w.envs) - 1; i >= 0 && f != nil; i-- {
		if w.envs[i].fn == f {
			return w.envs[i]
		}
	}
	return nil
}
