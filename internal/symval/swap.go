package symval

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// extreme recognises the lesser or the greater of two values, as code has it
// that swaps them when they stand the wrong way round: go:min or go:max of
// the two. nil when v is none.
func (f *Func) extreme(v *ssa.Phi) *prog.Val {
	then, other, cond := ways(v)
	if cond == nil {
		return nil
	}
	lo, hi := lesser(cond.Cond)
	name := ""
	switch {
	case lo == nil:
	case then == lo && other == hi:
		name = "go:min"
	case then == hi && other == lo:
		name = "go:max"
	}
	if name == "" {
		return nil
	}
	x, y := f.Val(lo), f.Val(hi)
	if looped(x) || looped(y) {
		return nil
	}
	return prog.New(prog.VApply, name, x, y)
}

// lesser returns the values of which a condition says that the first is less
// than the second, or not more; nil for another condition.
func lesser(cond ssa.Value) (lo, hi ssa.Value) {
	b, ok := cond.(*ssa.BinOp)
	if !ok {
		return nil, nil
	}
	x, y := b.X, b.Y
	if c, ok := y.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.Int && constant.Sign(c.Value) == 0 {
		if p, q := compares(x); p != nil {
			x, y = p, q
		}
	}
	switch b.Op {
	case token.LSS, token.LEQ:
		return x, y
	case token.GTR, token.GEQ:
		return y, x
	}
	return nil, nil
}

// compares returns the arguments of a call that compares its two arguments,
// of the standard library.
func compares(v ssa.Value) (x, y ssa.Value) {
	c, ok := v.(*ssa.Call)
	if !ok || c.Call.StaticCallee() == nil || len(c.Call.Args) != 2 {
		return nil, nil
	}
	fn := c.Call.StaticCallee()
	if o := fn.Origin(); o != nil {
		fn = o
	}
	switch Symbol(fn) {
	case "strings.Compare", "bytes.Compare", "cmp.Compare":
		return c.Call.Args[0], c.Call.Args[1]
	}
	return nil, nil
}

// swapped recognises the lesser or the greater of two variables that code
// swaps when they stand the wrong way round, as extreme does, where closures
// use them so that they live in memory.
func (f *Func) swapped(a *ssa.Alloc) *prog.Val {
	first, swap, b := assigned(a)
	if b == nil {
		return nil
	}
	other, back, c := assigned(b)
	if c != a || swap.Block() != back.Block() || len(swap.Block().Preds) != 1 {
		return nil
	}
	top := swap.Block().Preds[0]
	cond, ok := top.Instrs[len(top.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	lo, hi := lesser(cond.Cond)
	if top.Succs[0] != swap.Block() {
		lo, hi = hi, lo
	}
	name := ""
	switch {
	case lo == nil:
	case loaded(lo) == b && loaded(hi) == a:
		name = "go:min"
	case loaded(lo) == a && loaded(hi) == b:
		name = "go:max"
	}
	if name == "" {
		return nil
	}
	return prog.New(prog.VApply, name, f.Val(first.Val), f.Val(other.Val))
}

// assigned returns the two assignments of a variable that is set once and then
// to what another one holds, and that other one; nil for any other variable.
func assigned(a *ssa.Alloc) (first, swap *ssa.Store, other *ssa.Alloc) {
	for _, r := range *a.Referrers() {
		s, ok := r.(*ssa.Store)
		switch {
		case !ok || s.Addr != a:
		case loaded(s.Val) != nil && swap == nil:
			swap = s
		case first == nil:
			first = s
		default:
			return nil, nil, nil
		}
	}
	if first == nil || swap == nil {
		return nil, nil, nil
	}
	return first, swap, loaded(swap.Val)
}

// loaded returns the variable that a value is read from.
func loaded(v ssa.Value) *ssa.Alloc {
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		if a, ok := u.X.(*ssa.Alloc); ok {
			return a
		}
	}
	return nil
}
