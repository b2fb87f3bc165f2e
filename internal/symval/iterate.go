package symval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Iterated returns the container that an iterator of the standard library
// goes through from its beginning, and the function that makes the iterator:
// slices.Values for one.
func Iterated(it ssa.Value) (of ssa.Value, by string) {
	c, ok := it.(*ssa.Call)
	if !ok || c.Call.StaticCallee() == nil || len(c.Call.Args) == 0 {
		return nil, ""
	}
	switch name := Symbol(c.Call.StaticCallee()); name {
	case "slices.Values", "slices.All", "slices.Chunk", "maps.Keys", "maps.Values", "maps.All":
		return c.Call.Args[0], name
	}
	return nil, ""
}

// turned returns what variable i of a range-over-func loop is in each turn.
func (f *Func) turned(v *ssa.Parameter, i int) *prog.Val {
	of, by := Iterated(iterator(v.Parent()))
	switch {
	case by == "slices.Chunk":
		return f.InOrder(of, v.Parent().Pos())
	case by != "" && (by != "slices.All" || i == 1):
		return prog.New(prog.VElem, v.Name(), f.Val(of))
	}
	return prog.Hole("loop variable")
}

// iterator returns the iterator that calls a loop's body.
func iterator(body *ssa.Function) ssa.Value {
	for _, b := range body.Parent().Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Call); ok && len(c.Call.Args) == 1 && made(c.Call.Args[0]) == body {
				return c.Call.Value
			}
		}
	}
	return nil
}

// made returns the function that a value is, with what it captures or
// without.
func made(v ssa.Value) *ssa.Function {
	if mc, ok := v.(*ssa.MakeClosure); ok {
		v = mc.Fn
	}
	fn, _ := v.(*ssa.Function)
	return fn
}
