package symval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Sets returns what the function, a closure, leaves in the variables that it
// captures and that can hold a connection.
func (f *Func) Sets() []prog.FreeSet {
	var out []prog.FreeSet
	for i, v := range f.Fn.FreeVars {
		if !mayHold(deref(v.Type())) {
			continue
		}
		var all []*prog.Val
		for _, r := range *v.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == ssa.Value(v) {
				all = append(all, f.Val(s.Val))
			}
		}
		if len(all) > 0 {
			out = append(out, prog.FreeSet{Free: i, Val: prog.Choose(maxStores, all...)})
		}
	}
	return out
}

// mayHold reports whether a value of the type can be or hold a connection.
func mayHold(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Struct:
		return true
	case *types.Interface:
		return !isError(t)
	}
	return false
}

// setByClosure returns what a variable holds that nothing but one closure
// sets, nil where more than that one may set it.
func (f *Func) setByClosure(a *ssa.Alloc) *prog.Val {
	if !mayHold(deref(a.Type())) {
		return nil
	}
	var by []*prog.Val
	var captured func(v ssa.Value, depth int) bool
	captured = func(v ssa.Value, depth int) bool {
		for _, r := range *v.Referrers() {
			switch r := r.(type) {
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.Store:
				if r.Addr != v {
					return false // its address is kept
				}
			case *ssa.MakeClosure:
				fn, ok := r.Fn.(*ssa.Function)
				if !ok || depth > 8 {
					return false
				}
				for i, b := range r.Bindings {
					if b != v {
						continue
					}
					if storedIn(fn.FreeVars[i]) {
						by = append(by, prog.SetBy(Symbol(fn), i, zero(deref(a.Type()))))
					}
					if !captured(fn.FreeVars[i], depth+1) {
						return false
					}
				}
			default:
				return false
			}
		}
		return true
	}
	if !captured(a, 0) || len(by) != 1 {
		return nil
	}
	return by[0]
}

func storedIn(v *ssa.FreeVar) bool {
	for _, r := range *v.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == ssa.Value(v) {
			return true
		}
	}
	return false
}
