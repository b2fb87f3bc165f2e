package symval

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A method value is, in SSA, a closure over its receiver: a wrapper whose
// body is the call of the method.

// isBound reports whether a closure is a method value.
func isBound(v *ssa.MakeClosure) bool {
	fn := v.Fn.(*ssa.Function)
	return len(v.Bindings) == 1 && fn.Object() != nil && strings.HasPrefix(fn.Synthetic, "bound method wrapper")
}

// BoundCall returns the call in the wrapper of a method value, when a library
// or the configuration tells what it does; nil otherwise.
func (f *Func) BoundCall(v *ssa.MakeClosure) ssa.CallInstruction {
	if !isBound(v) {
		return nil
	}
	fn := v.Fn.(*ssa.Function)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if c := New(fn, f.texts, f.known, f.inSight).Call(call); c.Known {
				return call
			}
			return nil
		}
	}
	return nil
}

// BoundSymbol returns the key of the lock program of a method value: that of
// a closure of the function it stands in, numbered apart from those written
// as function literals.
func BoundSymbol(v *ssa.MakeClosure) string {
	n := 0
	for _, b := range v.Parent().Blocks {
		for _, in := range b.Instrs {
			if mc, ok := in.(*ssa.MakeClosure); ok && isBound(mc) {
				n++
				if mc == v {
					return Symbol(v.Parent()) + "$0" + itoa(n)
				}
			}
		}
	}
	return ""
}
