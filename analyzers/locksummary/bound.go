package locksummary

import (
	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// bound adds the lock programs of the method values in fn whose method is
// that of a library, such as tx.Rollback handed to a helper: each is a closure
// over the receiver that does what the method does.
func (u *unit) bound(fn *ssa.Function, in *prog.Func) {
	for _, blk := range fn.Blocks {
		for _, instr := range blk.Instrs {
			if mc, ok := instr.(*ssa.MakeClosure); ok {
				u.methodValue(mc, in)
			}
		}
	}
}

func (u *unit) methodValue(mc *ssa.MakeClosure, in *prog.Func) {
	wrapper := mc.Fn.(*ssa.Function)
	b := newBuilder(u, wrapper)
	call := b.f.BoundCall(mc)
	if call == nil {
		return
	}
	at := u.pos(mc.Pos())
	f := &prog.Func{Key: symval.BoundSymbol(mc), Pos: at, Params: len(wrapper.Params), Results: wrapper.Signature.Results().Len(),
		Parent: in.Key, Test: in.Test}
	f.Body = b.apiOps(b.f.Call(call), at)
	exit := prog.Op{Kind: prog.OpExit, Pos: at}
	for i := range f.Results {
		exit.Args = append(exit.Args, b.f.Result(call.(*ssa.Call), i))
	}
	f.Body = append(f.Body, exit)
	u.out.Funcs = append(u.out.Funcs, f)
}
