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
	return f.chainIn(v, pos, f.blockAt(pos))
}

// chainIn is chainAt for who stands in block, nil where that is not known.
func (f *Func) chainIn(v ssa.Value, pos token.Pos, block *ssa.BasicBlock) *prog.Val {
	if len(f.inPlace()) == 0 {
		return f.Val(v)
	}
	source, since := f.sourceOf(v)
	base, path := unload(source)
	out := f.joined(v, since, base)
	for _, c := range f.inPlace() {
		if c.last.In.Pos() <= since || c.last.In.Pos() >= pos || !sameAddr(c.base, base) || len(c.path) < len(path) || !slices.Equal(c.path[:len(path)], path) {
			continue
		}
		if len(c.steps) == 0 {
			out = f.Val(f.beginOf(source))
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

// joined returns the value of v. Where ways join that left different steps in
// v, each is taken with what has changed the chain, which base holds, on it.
func (f *Func) joined(v ssa.Value, since token.Pos, base ssa.Value) *prog.Val {
	phi, ok := unwrap(v).(*ssa.Phi)
	if !ok || !slices.ContainsFunc(f.inPlace(), func(c change) bool { return c.last.In.Pos() <= since && sameAddr(c.base, base) }) {
		return f.Val(v)
	}
	var all []*prog.Val
	for i, e := range phi.Edges {
		if _, loop := unwrap(e).(*ssa.Phi); !loop {
			all = append(all, f.chainIn(e, since+1, phi.Block().Preds[i]))
		}
	}
	if len(all) == 0 {
		return f.Val(v)
	}
	return prog.Choose(maxStores, all...)
}

// sourceOf returns the variable that a chain in place begins with, of which its
// steps have made v, and where the newest of these stands.
func (f *Func) sourceOf(v ssa.Value) (source ssa.Value, since token.Pos) {
	return f.sourceFrom(v, map[ssa.Value]bool{})
}

func (f *Func) sourceFrom(v ssa.Value, seen map[ssa.Value]bool) (source ssa.Value, since token.Pos) {
	switch x := unwrap(v).(type) {
	case *ssa.Call:
		if c := f.Call(x); f.alters(c) {
			source, since = f.sourceFrom(c.Args[startArg(c)], seen)
			return source, max(since, x.Pos())
		}
	case *ssa.Phi:
		if seen[x] {
			return x, token.NoPos
		}
		seen[x] = true
		for _, e := range x.Edges {
			if seen[unwrap(e)] {
				continue
			}
			from, at := f.sourceFrom(e, seen)
			if from == x { // the steps of another turn of a loop
				since = max(since, at)
				continue
			}
			if source != nil && from != source {
				return x, token.NoPos
			}
			source, since = from, max(since, at)
		}
		if source != nil {
			return source, since
		}
	}
	return unwrap(v), token.NoPos
}

// beginOf returns what the chain that source holds was begun on.
func (f *Func) beginOf(source ssa.Value) ssa.Value {
	if in, ok := source.(*ssa.Call); ok {
		if c := f.Call(in); c.Known && c.API.Does == dbapi.Builder {
			if at := startArg(c); at >= 0 && at < len(c.Args) {
				return c.Args[at]
			}
		}
	}
	return source
}

// alters reports a step that changes the chain it is called on in place.
func (f *Func) alters(c *Call) bool {
	if !c.Known || c.API.Does != dbapi.Builder {
		return false
	}
	at := startArg(c)
	if at < 0 || at >= len(c.Args) {
		return false
	}
	return c.API.InPlace || c.API.InChain && f.begun(c.Args[at])
}

// begun reports a chain that has a step already: the first one made a chain of
// its own, which the others change.
func (f *Func) begun(v ssa.Value) bool {
	switch x := unwrap(v).(type) {
	case *ssa.Call:
		c := f.Call(x)
		return c.Known && c.API.Does == dbapi.Builder && c.API.InChain
	case *ssa.Phi:
		return slices.ContainsFunc(x.Edges, func(e ssa.Value) bool {
			in, ok := unwrap(e).(*ssa.Call)
			return ok && f.begun(in)
		})
	}
	return false
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
		at, ends := startArg(c), c.Known && c.API.Does == dbapi.Finisher && c.API.InPlace
		if at < 0 || at >= len(c.Args) || !ends && (uses(in) > 0 || !f.alters(c)) {
			continue
		}
		start, steps := f.startOf(c.Args[at])
		if ends {
			steps = nil
		} else {
			steps = append(steps, c)
		}
		source, _ := f.sourceOf(start)
		base, path := unload(source)
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
		if !f.alters(c) {
			break
		}
		v, steps = c.Args[startArg(c)], append(steps, c)
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
