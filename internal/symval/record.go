package symval

import (
	"go/types"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// record returns a struct by what is stored in its fields.
func (f *Func) record(a *ssa.Alloc, t *types.Struct, fields map[int][]ssa.Value, whole []ssa.Value, scanned *prog.Val) *prog.Val {
	out := prog.New(prog.VRecord, TypeString(deref(a.Type())))
	var idx []int
	for i := range fields {
		idx = append(idx, i)
	}
	sort.Ints(idx)
	var base *prog.Val
	if len(whole) == 1 {
		base = f.Val(whole[0])
	}
	for _, i := range idx {
		var all []*prog.Val
		for _, v := range fields[i] {
			all = append(all, f.Val(v))
		}
		if base != nil {
			all = append(all, prog.New(prog.VField, FieldName(a.Type(), i), base))
		}
		out.Of = append(out.Of, prog.New(prog.VInit, FieldName(a.Type(), i), prog.Choose(maxStores, all...)))
	}
	told := len(whole) == 0 && scanned == nil && f.whole(a, t, 0)
	for i := 0; i < t.NumFields() && i < 64; i++ {
		if _, ok := fields[i]; ok {
			continue
		}
		switch {
		case base != nil:
			out.Of = append(out.Of, prog.New(prog.VInit, FieldName(a.Type(), i), prog.New(prog.VField, FieldName(a.Type(), i), base)))
		case scanned != nil:
			out.Of = append(out.Of, prog.New(prog.VInit, FieldName(a.Type(), i), prog.New(prog.VField, FieldName(a.Type(), i), scanned)))
		case f.fieldScanned(a, i) != nil:
			out.Of = append(out.Of, prog.New(prog.VInit, FieldName(a.Type(), i), f.fieldScanned(a, i)))
		case told && reference(t.Field(i).Type()):
			out.Of = append(out.Of, prog.New(prog.VInit, FieldName(a.Type(), i), prog.Nil))
		}
	}
	return out
}

// reference reports the type of a field that is NULL in the database while
// nothing is put into it: a pointer to a text, a number or a UUID.
func reference(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	switch p.Elem().Underlying().(type) {
	case *types.Basic, *types.Array:
		return true
	}
	return false
}

// whole reports a struct of which all that is ever put into it is told by
// stores in its fields: nobody is given its address but a database library,
// which neither takes a reference from another model in it nor runs a hook, and
// it is copied only into variables of which the same is true.
func (f *Func) whole(a *ssa.Alloc, t *types.Struct, depth int) bool {
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			for _, rr := range *r.Referrers() {
				switch rr := rr.(type) {
				case *ssa.Store:
					if rr.Addr != ssa.Value(r) || relation(t.Field(r.Field).Type()) {
						return false
					}
				case *ssa.UnOp, *ssa.DebugRef:
				default:
					return false
				}
			}
		case *ssa.DebugRef:
		case *ssa.Store:
			if r.Val == ssa.Value(a) {
				return false
			}
		case *ssa.UnOp:
			for _, rr := range *r.Referrers() {
				switch rr := rr.(type) {
				case *ssa.Store:
					if to, ok := rr.Addr.(*ssa.Alloc); !ok || depth > 4 || !f.whole(to, t, depth+1) {
						return false
					}
				case *ssa.Return, *ssa.Phi, *ssa.MapUpdate, *ssa.Send:
					return false
				}
			}
		case *ssa.MakeInterface:
			for _, rr := range *r.Referrers() {
				if c, ok := rr.(ssa.CallInstruction); !ok || !f.Call(c).Known {
					return false
				}
			}
		default:
			return false
		}
	}
	for _, hook := range []string{"BeforeCreate", "BeforeSave", "BeforeUpdate", "BeforeInsert", "BeforeAppendModel"} {
		if m, _, _ := types.LookupFieldOrMethod(a.Type(), true, nil, hook); m != nil {
			return false
		}
	}
	return true
}

// relation reports the type of a field that can be another model: its key may
// become a reference of this one.
func relation(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return relation(u.Elem())
	case *types.Slice:
		return relation(u.Elem())
	case *types.Struct:
		return TypeString(t) != "time.Time"
	}
	return false
}
