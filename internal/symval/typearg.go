package symval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Functions are summarized once, not once for each instance. What a type
// parameter stands for comes with the callee: as captured values, behind those
// that a closure captures.

// funcVal returns a declared function with what its type parameters stand for.
func (f *Func) funcVal(fn *ssa.Function) *prog.Val {
	return prog.New(prog.VFunc, Symbol(fn), f.typeArgs(fn)...)
}

// Callee returns the declared function that c calls.
func (f *Func) Callee(c *Call) *prog.Val {
	out := prog.New(prog.VFunc, ObjectSymbol(c.Method))
	if fn := c.Common.StaticCallee(); fn != nil {
		out.Of = f.typeArgs(fn)
	}
	return out
}

func (f *Func) typeArgs(fn *ssa.Function) []*prog.Val {
	var out []*prog.Val
	for _, t := range fn.TypeArgs() {
		if p, ok := types.Unalias(t).(*types.TypeParam); ok {
			out = append(out, f.typeParam(p))
		} else {
			out = append(out, prog.Text(TypeString(t)))
		}
	}
	return out
}

// typeParams returns the type parameters in force, as a closure captures them.
func (f *Func) typeParams() []*prog.Val {
	var out []*prog.Val
	for p := range root(f.Fn).TypeParams().TypeParams() {
		out = append(out, f.typeParam(p))
	}
	return out
}

// typeParam returns what a type parameter of the function stands for.
func (f *Func) typeParam(p *types.TypeParam) *prog.Val {
	list := root(f.Fn).TypeParams()
	for i := range list.Len() {
		if list.At(i) == p {
			return prog.New(prog.VFree, itoa(len(f.Fn.FreeVars)+i))
		}
	}
	return prog.Hole("type parameter")
}

// root returns the declared function that fn stands in.
func root(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// typed returns a value of type t in an interface. Of a type parameter, or a
// pointer or slice of it, the name of the type is what it stands for.
func (f *Func) typed(t types.Type, in *prog.Val) *prog.Val {
	t = types.Unalias(t)
	before := ""
	for at := t; ; {
		switch u := types.Unalias(at).(type) {
		case *types.Pointer:
			before, at = before+"*", u.Elem()
			continue
		case *types.Slice:
			before, at = before+"[]", u.Elem()
			continue
		case *types.TypeParam:
			return prog.New(prog.VIface, before, in, f.typeParam(u))
		}
		return prog.New(prog.VIface, TypeString(t), in)
	}
}
