package symval

import (
	"go/token"
	"go/types"
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A change is a statement that adds steps to a builder's chain in place, or one
// that runs the chain, after which it begins anew.
type change struct {
	steps []*Call   // none where the chain begins anew
	last  *Call     // of the statement
	base  ssa.Value // the variable that holds the chain,
	path  []int     // and where in it
}

// chainAt returns the chain v as the calls before pos have changed it in
// place: a step whose result nobody uses is part of no other value.
func (f *Func) chainAt(v ssa.Value, pos token.Pos) *prog.Val {
	out := f.Val(v)
	changes := f.inPlace()
	if len(changes) == 0 {
		return out
	}
	base, path := unload(unwrap(v))
	block := f.blockAt(pos)
	for _, c := range changes {
		if c.last.In.Pos() >= pos || !sameAddr(c.base, base) || len(c.path) < len(path) || !slices.Equal(c.path[:len(path)], path) {
			continue
		}
		if len(c.steps) == 0 {
			out = f.Val(v)
			continue
		}
		next := f.changedBy(c, v.Type(), c.path[len(path):], out)
		if block != nil && !dominates(c.last.In.Block(), block) {
			next = prog.Choose(maxStores, out, next)
		}
		out = next
	}
	return out
}

// changedBy returns v, of type t, with the steps of a change added to the chain
// that it is, or that the fields at path lead to.
func (f *Func) changedBy(c change, t types.Type, path []int, v *prog.Val) *prog.Val {
	if len(path) == 0 {
		for _, call := range c.steps {
			v = f.step(call, v, startArg(call))
		}
		return v
	}
	st, ok := deref(t).Underlying().(*types.Struct)
	if !ok {
		return v
	}
	out := prog.New(prog.VRecord, TypeString(deref(t)))
	for i := range st.NumFields() {
		name := FieldName(t, i)
		in := prog.New(prog.VField, name, v)
		if i == path[0] {
			in = f.changedBy(c, st.Field(i).Type(), path[1:], in)
		}
		out.Of = append(out.Of, prog.New(prog.VInit, name, in))
	}
	return out
}

// inPlace returns the changes of chains in place, in order.
func (f *Func) inPlace() []change {
	if f.changes != nil {
		return f.changes
	}
	f.changes = []change{}
	for in := range f.IDs {
		c := f.Call(in)
		if !c.Known || !c.API.InPlace || c.API.Does != dbapi.Finisher && (c.API.Does != dbapi.Builder || uses(in) > 0) {
			continue
		}
		at := startArg(c)
		if at < 0 || at >= len(c.Args) {
			continue
		}
		start, steps := f.startOf(c.Args[at])
		if c.API.Does == dbapi.Finisher {
			steps = nil
		} else {
			steps = append(steps, c)
		}
		base, path := unload(unwrap(start))
		f.changes = append(f.changes, change{steps, c, base, path})
	}
	sort.Slice(f.changes, func(i, j int) bool { return f.changes[i].last.In.Pos() < f.changes[j].last.In.Pos() })
	return f.changes
}

// uses returns how often the result of a call is used.
func uses(in ssa.CallInstruction) int {
	n := 0
	if v := in.Value(); v != nil && v.Referrers() != nil {
		for _, r := range *v.Referrers() {
			if _, debug := r.(*ssa.DebugRef); !debug {
				n++
			}
		}
	}
	return n
}

// startOf returns the value that a chain of steps in place, each called on the
// one before, starts with, and the steps, oldest first.
func (f *Func) startOf(v ssa.Value) (start ssa.Value, steps []*Call) {
	for {
		in, ok := unwrap(v).(*ssa.Call)
		if !ok || uses(in) > 1 { // a variable that holds the chain
			break
		}
		c := f.Call(in)
		at := startArg(c)
		if !c.Known || c.API.Does != dbapi.Builder || !c.API.InPlace || at < 0 || at >= len(c.Args) {
			break
		}
		v, steps = c.Args[at], append(steps, c)
	}
	slices.Reverse(steps)
	return v, steps
}

// blockAt returns the block of the instruction at pos, nil when there is none.
func (f *Func) blockAt(pos token.Pos) *ssa.BasicBlock {
	for _, b := range f.Fn.Blocks {
		if slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool { return in.Pos() == pos }) {
			return b
		}
	}
	return nil
}
