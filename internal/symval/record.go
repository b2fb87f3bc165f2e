package symval

import (
	"go/types"
	"slices"
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
	literal := len(whole) == 0 && scanned == nil && listElement(a)
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
		case literal && flag(t.Field(i).Type()):
			out.Of = append(out.Of, prog.New(prog.VInit, FieldName(a.Type(), i), prog.Bool(false)))
		}
	}
	return out
}

// listElement reports a struct that the literal of a list makes for one of its
// elements: what it does not name is zero.
func listElement(a *ssa.Alloc) bool {
	copied := false
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.FieldAddr:
			for _, rr := range *r.Referrers() {
				switch rr := rr.(type) {
				case *ssa.DebugRef:
				case *ssa.Store:
					if rr.Addr != ssa.Value(r) {
						return false
					}
				default:
					return false
				}
			}
		case *ssa.UnOp:
			for _, rr := range *r.Referrers() {
				switch rr := rr.(type) {
				case *ssa.DebugRef:
				case *ssa.Store:
					if _, ok := rr.Addr.(*ssa.IndexAddr); !ok {
						return false
					}
					copied = true
				default:
					return false
				}
			}
		default:
			return false
		}
	}
	return copied
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

// whole reports a struct of which all that a database library sees in it is
// told by stores in its fields: nobody else is given its address before the
// library is, which neither takes a reference from another model in it nor
// runs a hook, and it is copied only into variables of which the same is true.
func (f *Func) whole(a *ssa.Alloc, t *types.Struct, depth int) bool {
	var seen, given []ssa.Instruction // by the library, to others
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			for _, rr := range *r.Referrers() {
				switch rr := rr.(type) {
				case *ssa.UnOp, *ssa.DebugRef:
				case *ssa.Store:
					if rr.Val == ssa.Value(r) {
						given = append(given, rr)
					} else if relation(t.Field(r.Field).Type()) {
						return false
					}
				default:
					given = append(given, rr)
				}
			}
		case *ssa.DebugRef:
		case *ssa.Store:
			if r.Val == ssa.Value(a) {
				given = append(given, r)
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
				seen = append(seen, rr)
			}
		case *ssa.Phi:
			return false
		default:
			given = append(given, r)
		}
	}
	if len(seen) == 0 && len(given) > 0 || comesBefore(given, seen, a) {
		return false
	}
	for _, hook := range []string{"BeforeCreate", "BeforeSave", "BeforeUpdate", "BeforeInsert", "BeforeAppendModel"} {
		if m, _, _ := types.LookupFieldOrMethod(a.Type(), true, nil, hook); m != nil {
			return false
		}
	}
	return true
}

// comesBefore reports whether a way leads from one of the instructions first
// to one of then, which does not make the variable a anew.
func comesBefore(first, then []ssa.Instruction, a *ssa.Alloc) bool {
	for _, x := range first {
		for _, y := range then {
			from, to := x.Block(), y.Block()
			if from == to && slices.Index(from.Instrs, x) < slices.Index(from.Instrs, y) || reachesWithout(from, to, a.Block()) {
				return true
			}
		}
	}
	return false
}

// relation reports the type of a field that can be another model: its key may
// become a reference of this one.
func relation(t types.Type) bool {
	for _, column := range []string{"Value", "GormDataType"} { // driver.Valuer: it is written as one value
		m, _, _ := types.LookupFieldOrMethod(t, true, nil, column)
		if _, ok := m.(*types.Func); ok {
			return false
		}
	}
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
