package symval

import (
	"go/types"
	"sort"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A step changes fields of a struct that texts are made of: a store into
// one, or a call that is given the struct.
type step struct {
	in    ssa.Instruction
	field int // of a store
	val   ssa.Value
	call  *ssa.Call
	arg   int // of the call
}

// maxSteps bounds the steps that are followed; those of more are the
// program's: what any function leaves there.
const maxSteps = 12

// Left returns how the function leaves the structs that it is given by
// pointers, as far as texts are made of them.
func (f *Func) Left() []prog.ParamSet {
	exits := exitsOf(f.Fn)
	var out []prog.ParamSet
	for i, p := range f.Fn.Params {
		if v := f.Val(p); len(exits) > 0 {
			if left := f.After(p, v, exits...); left != v {
				out = append(out, prog.ParamSet{Param: i, Val: left})
			}
		}
	}
	return out
}

// exitsOf returns where a function returns.
func exitsOf(fn *ssa.Function) []ssa.Instruction {
	var out []ssa.Instruction
	for _, b := range fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			out = append(out, r)
		}
	}
	return out
}

// After returns the struct that pointer v leads to, which is base where v is
// made, as it is where one of the instructions runs.
func (f *Func) After(v ssa.Value, base *prog.Val, uses ...ssa.Instruction) *prog.Val {
	if !makesTexts(v.Type()) {
		return base
	}
	_, param := v.(*ssa.Parameter)
	if param && !mayChange(v, 0) {
		return base
	}
	steps, told := f.stepsOf(v)
	switch {
	case told && len(steps) <= maxSteps:
	case param || len(steps) > 0:
		return prog.New(prog.VApply, prog.Untold, base)
	default:
		return base
	}
	out := base
	if !param {
		out = prog.New(prog.VApply, prog.Told, base)
	}
	for _, s := range steps {
		if some, always := runs(s.in, uses); some {
			out = f.apply(s, v, out, always, uses)
		}
	}
	return out
}

// apply returns the struct after the step, or perhaps after it.
func (f *Func) apply(s step, v ssa.Value, base *prog.Val, always bool, uses []ssa.Instruction) *prog.Val {
	var when *prog.Val
	if !always {
		when = f.onlyIf(s.in, uses)
	}
	if s.call != nil {
		id, ok := f.IDs[s.call]
		switch {
		case !ok:
			return base
		case always:
			return prog.After(id, s.arg, base)
		}
		return prog.PerhapsAfter(id, s.arg, base, when)
	}
	name, x := FieldName(v.Type(), s.field), f.Val(s.val)
	switch old := prog.New(prog.VField, name, base); {
	case always:
	case when != nil:
		x = prog.New(prog.VApply, prog.If+"b"+strconv.Itoa(s.in.Block().Index)+"."+strconv.Itoa(s.field), when, x, old)
	default:
		x = prog.Choose(maxStores, x, old)
	}
	return prog.New(prog.VApply, prog.With, base, prog.New(prog.VInit, name, x))
}

// onlyIf returns the condition under which an instruction runs before the
// uses, nil where it is not one that the code decides just before.
func (f *Func) onlyIf(in ssa.Instruction, uses []ssa.Instruction) *prog.Val {
	var all []*prog.Val
	for b := in.Block(); len(all) < 3 && len(b.Preds) == 1; {
		up := b.Preds[0]
		last, ok := up.Instrs[len(up.Instrs)-1].(*ssa.If)
		if !ok {
			return nil
		}
		cond := small(f.Val(last.Cond), maxCondition)
		if cond.Kind == prog.VHole {
			return nil
		}
		if b == up.Succs[1] {
			cond = prog.New(prog.VNot, "", cond)
		}
		all = append(all, cond)
		if _, always := runs(last, uses); always {
			if len(all) == 1 {
				return all[0]
			}
			return prog.New(prog.VAnd, "", all...)
		}
		b = up
	}
	return nil
}

// runs reports whether an instruction runs before one of the uses on some
// way, and on each way to all of them.
func runs(in ssa.Instruction, uses []ssa.Instruction) (some, always bool) {
	always = true
	for _, u := range uses {
		if in == u || in.Block() == u.Block() && !before(in, u) {
			always = false
			continue
		}
		if in.Block() != u.Block() && !reaches(in.Block(), u.Block()) {
			always = false
			continue
		}
		some = true
		always = always && dominates(in.Block(), u.Block())
	}
	return some, always && some
}

// stepsOf returns the steps that change what v leads to, in the order of the
// code, and whether nothing else can.
func (f *Func) stepsOf(v ssa.Value) (out []step, told bool) {
	made := false
	switch v.(type) {
	case *ssa.Parameter, *ssa.Call, *ssa.Extract:
	case *ssa.Alloc: // what is stored in what the function makes is part of its value
		made = true
	default:
		return nil, false
	}
	told = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			if !ofText(deref(r.Type())) {
				continue
			}
			for _, rr := range *r.Referrers() {
				switch rr := rr.(type) {
				case *ssa.Store:
					told = told && rr.Addr == ssa.Value(r)
					if !made {
						out = append(out, step{in: rr, field: r.Field, val: rr.Val})
					}
				case *ssa.UnOp, *ssa.DebugRef:
				default:
					told = false
				}
			}
		case *ssa.Call:
			if arg := argument(r.Common(), v); arg < 0 {
				told = false
			} else if changes(r.Common().StaticCallee(), arg, 0) {
				out = append(out, step{in: r, call: r, arg: arg})
			}
		case *ssa.Store:
			told = told && r.Addr == v
		case *ssa.Return, *ssa.DebugRef, *ssa.UnOp, *ssa.BinOp:
		default:
			told = false
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return before(out[i].in, out[j].in) })
	return out, told
}

// argument returns which argument of a call of a known function v is, -1
// where it is none or several.
func argument(c *ssa.CallCommon, v ssa.Value) int {
	at := -1
	if c.StaticCallee() == nil {
		return -1
	}
	for i, a := range c.Args {
		if a == v {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// changes reports whether a function may change the struct that its parameter
// leads to. One out of sight may.
func changes(fn *ssa.Function, param, depth int) bool {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.Blocks == nil || depth > 3 || param >= len(fn.Params) || mayChange(fn.Params[param], depth)
}

// mayChange reports whether the function of pointer v may change the struct
// that it leads to, or give it away.
func mayChange(v ssa.Value, depth int) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			if !ofText(deref(r.Type())) {
				continue
			}
			for _, rr := range *r.Referrers() {
				switch rr.(type) {
				case *ssa.UnOp, *ssa.DebugRef:
				default:
					return true
				}
			}
		case *ssa.Call:
			if arg := argument(r.Common(), v); arg < 0 || changes(r.Common().StaticCallee(), arg, depth+1) {
				return true
			}
		case *ssa.Return, *ssa.DebugRef, *ssa.UnOp, *ssa.BinOp:
		default:
			return true
		}
	}
	return false
}

// makesTexts reports a pointer to a struct that has fields for texts and a
// method that returns one: a builder. Models name their tables.
func makesTexts(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok || HandleKind(t) != "" { // a library's handle
		return false
	}
	st, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	has := false
	for i := range st.NumFields() {
		has = has || ofText(st.Field(i).Type())
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	for i := 0; ok && has && i < named.NumMethods(); i++ {
		m := named.Method(i)
		if res := m.Signature().Results(); res.Len() > 0 && m.Name() != "Error" && m.Name() != "TableName" {
			if b, ok := res.At(0).Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				return true
			}
		}
	}
	return false
}

// ofText reports the type of fields that texts and their parameters are made
// of, or that decide what they hold: texts, flags, and lists.
func ofText(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsBoolean) != 0
	case *types.Slice:
		switch e := u.Elem().Underlying().(type) {
		case *types.Basic:
			return e.Info()&types.IsString != 0
		case *types.Interface: // parameters
			return e.NumMethods() == 0
		}
	}
	return false
}

// Zero returns what a field of a type holds at first, nil where no text is
// made of it.
func Zero(t types.Type) *prog.Val {
	if !ofText(t) {
		return nil
	}
	return zero(t)
}
