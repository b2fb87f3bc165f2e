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

// A change is a call that adds a step to a builder's chain in place, or one
// that runs the chain, after which it begins anew.
type change struct {
	call *Call
	base ssa.Value // the variable that holds the chain,
	path []int     // and where in it
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
		if c.call.In.Pos() >= pos || !sameAddr(c.base, base) || len(c.path) < len(path) || !slices.Equal(c.path[:len(path)], path) {
			continue
		}
		if c.call.API.Does == dbapi.Finisher {
			out = f.Val(v)
			continue
		}
		next := f.changedBy(c, v.Type(), c.path[len(path):], out)
		if block != nil && !dominates(c.call.In.Block(), block) {
			next = prog.Choose(maxStores, out, next)
		}
		out = next
	}
	return out
}

// changedBy returns v, of type t, with the step of a call added to the chain
// that it is, or that the fields at path lead to.
func (f *Func) changedBy(c change, t types.Type, path []int, v *prog.Val) *prog.Val {
	if len(path) == 0 {
		return f.step(c.call, v, startArg(c.call))
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

// inPlace returns the calls that change a chain in place, in order.
func (f *Func) inPlace() []change {
	if f.changes != nil {
		return f.changes
	}
	f.changes = []change{}
	for in := range f.IDs {
		c := f.Call(in)
		if !c.Known || !c.API.InPlace {
			continue
		}
		at := startArg(c)
		if at < 0 || at >= len(c.Args) {
			continue
		}
		v := c.Args[at]
		switch c.API.Does {
		case dbapi.Builder:
			if used(in) {
				continue
			}
		case dbapi.Finisher:
			v = f.startOf(v)
		}
		base, path := unload(unwrap(v))
		f.changes = append(f.changes, change{c, base, path})
	}
	sort.Slice(f.changes, func(i, j int) bool { return f.changes[i].call.In.Pos() < f.changes[j].call.In.Pos() })
	return f.changes
}

// used reports whether something uses the result of a call.
func used(in ssa.CallInstruction) bool {
	v := in.Value()
	if v == nil || v.Referrers() == nil {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool { _, debug := r.(*ssa.DebugRef); return !debug })
}

// startOf returns the value that a chain of steps, each called on the one
// before, starts with.
func (f *Func) startOf(v ssa.Value) ssa.Value {
	for {
		in, ok := unwrap(v).(*ssa.Call)
		if !ok {
			return v
		}
		c := f.Call(in)
		at := startArg(c)
		if !c.Known || c.API.Does != dbapi.Builder || !c.API.InPlace || at < 0 || at >= len(c.Args) {
			return v
		}
		v = c.Args[at]
	}
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
