package symval

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// global returns a package variable: the text embedded in it, or the
// variable itself, to be bound to what the program keeps in it.
func (f *Func) global(v *ssa.Global) *prog.Val {
	name := v.Pkg.Pkg.Path() + "." + v.Name()
	if t, ok := f.texts[name]; ok {
		return prog.Text(t)
	}
	return prog.New(prog.VGlobal, name)
}

// content returns what a local variable holds, by what is stored in it
// anywhere in the function.
func (f *Func) content(a *ssa.Alloc) *prog.Val {
	if i := f.namedResult(a); i >= 0 {
		return prog.New(prog.VNamed, itoa(i))
	}
	return f.stores(a)
}

// Stored returns what the variable that v is read from can hold by what is
// stored in it, nil when that is not known or v is read from none.
func (f *Func) Stored(v ssa.Value) *prog.Val {
	a := loaded(v)
	if a == nil {
		return nil
	}
	var all []*prog.Val
	for _, o := range prog.Alternatives(f.stores(a)) {
		if o.Kind != prog.VNamed {
			all = append(all, o)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return prog.Choose(maxStores, all...)
}

// namedResult returns the index of the named result that lives in a because
// a deferred closure reads it, -1 if it is none.
func (f *Func) namedResult(a *ssa.Alloc) int {
	if a.Parent() != f.Fn || f.Fn.Signature == nil || !f.defers {
		return -1
	}
	rs := f.Fn.Signature.Results()
	for i := 0; i < rs.Len(); i++ {
		if rs.At(i).Pos() == a.Pos() && a.Pos() != token.NoPos && rs.At(i).Name() == a.Comment {
			return i
		}
	}
	return -1
}

// stores returns the value a variable can have, from its stores. turns are
// the other addresses that it has, as perTurn returns them.
func (f *Func) stores(a *ssa.Alloc, turns ...ssa.Value) *prog.Val {
	return f.storesOf(a, func(ssa.Instruction) bool { return true }, turns...)
}

// handed returns what the struct in a holds where a library is given its
// address: what is stored on ways that do not lead there is left out. Whoever
// else is given it may keep it, and see what is stored later.
func (f *Func) handed(a *ssa.Alloc, at *ssa.MakeInterface) *prog.Val {
	if plain(a) || f.namedResult(a) >= 0 || !f.forLibrary(at) {
		return f.Val(a)
	}
	leads, all := map[*ssa.BasicBlock]bool{at.Block(): true}, true
	for _, s := range fills(a) {
		if _, asked := leads[s.Block()]; !asked {
			leads[s.Block()] = comesBefore([]ssa.Instruction{s}, []ssa.Instruction{at}, a)
			all = all && leads[s.Block()]
		}
	}
	if all {
		return f.Val(a)
	}
	return f.storesOf(a, func(s ssa.Instruction) bool { return leads[s.Block()] })
}

// forLibrary reports whether steps of a query library are all that an
// interface is made for.
func (f *Func) forLibrary(mi *ssa.MakeInterface) bool {
	steps := 0
	for _, r := range *mi.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case ssa.CallInstruction:
			if c := f.Call(r); !c.Known || c.API.Does != dbapi.Finisher && c.API.Does != dbapi.Builder {
				return false
			}
			steps++
		default:
			return false
		}
	}
	return steps > 0
}

// fills returns the instructions by which a struct gets what it holds.
func fills(a *ssa.Alloc) (out []ssa.Instruction) {
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store, *ssa.MakeInterface:
			out = append(out, r)
		case *ssa.FieldAddr:
			for _, rr := range *r.Referrers() {
				if s, ok := rr.(*ssa.Store); ok && s.Addr == r {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// storesOf is stores of those instructions that count.
func (f *Func) storesOf(a *ssa.Alloc, counts func(ssa.Instruction) bool, turns ...ssa.Value) *prog.Val {
	var whole []ssa.Value
	var scanned *prog.Val
	elsewhere := outside(a)
	fields := map[int][]ssa.Value{}
	elems := map[int64]ssa.Value{}
	var some []ssa.Value // stored in elements of which it is not known which
	var look func(addr ssa.Value, refs []ssa.Instruction)
	look = func(addr ssa.Value, refs []ssa.Instruction) {
		for _, r := range refs {
			switch r := r.(type) {
			case *ssa.Store:
				if r.Addr == addr && counts(r) && !copies(r.Val, turns) {
					whole = append(whole, r.Val)
				}
			case *ssa.FieldAddr:
				for _, rr := range *r.Referrers() {
					if s, ok := rr.(*ssa.Store); ok && s.Addr == r && counts(s) {
						fields[r.Field] = append(fields[r.Field], s.Val)
					}
				}
			case *ssa.IndexAddr:
				c, known := r.Index.(*ssa.Const)
				known = known && c.Value != nil && c.Value.Kind() == constant.Int
				for _, rr := range *r.Referrers() {
					if s, ok := rr.(*ssa.Store); ok && s.Addr == r && known {
						i, _ := constant.Int64Val(c.Value)
						elems[i] = s.Val
					} else if ok && s.Addr == r {
						some = append(some, s.Val)
					}
				}
			case *ssa.MakeInterface:
				if !counts(r) {
					continue
				}
				if s := f.scannedInto(r); s != nil {
					scanned = s
				} else if s := f.decodedInto(r); s != nil && plain(a) {
					scanned = s
				}
			case *ssa.MakeClosure:
				if fn, ok := r.Fn.(*ssa.Function); ok && rangeFunc(fn) {
					for i, b := range r.Bindings {
						if b == addr && i < len(fn.FreeVars) {
							look(fn.FreeVars[i], *fn.FreeVars[i].Referrers())
						}
					}
				}
			}
		}
	}
	look(a, *a.Referrers())
	for _, t := range turns {
		look(t, *t.Referrers())
		elsewhere = elsewhere || outside(t)
	}
	if elsewhere && len(whole) == 0 && len(turns) == 0 {
		if v := f.setByClosure(a); v != nil {
			return v
		}
	}
	switch t := deref(a.Type()).Underlying().(type) {
	case *types.Struct:
		if len(fields) > 0 || len(whole) == 0 {
			return f.record(a, t, fields, whole, scanned)
		}
	case *types.Array:
		if allZero(whole) {
			return f.array(t.Len(), elems, some)
		}
	}
	if scanned != nil && len(whole) <= 1 {
		return scanned
	}
	if len(whole) == 0 {
		if elsewhere {
			return prog.Choose(maxStores, zero(deref(a.Type())), prog.Hole("set elsewhere"))
		}
		return zero(deref(a.Type()))
	}
	most := maxStores
	if isError(deref(a.Type())) {
		most = maxErrors
	}
	if len(whole) > most {
		return prog.Hole("set in many places")
	}
	if len(whole) == 2 && !elsewhere {
		if v := f.swapped(a); v != nil {
			return v
		}
	}
	var all []*prog.Val
	for _, w := range whole {
		r := f.Val(w)
		if looped(r) {
			continue
		}
		all = append(all, r)
	}
	if scanned != nil {
		all = append(all, scanned)
	}
	if elsewhere {
		all = append(all, prog.Hole("set elsewhere"))
	}
	if len(all) == 0 {
		return prog.Hole("loop")
	}
	return prog.Choose(most, all...)
}

// perTurn returns the addresses of a variable of a for clause whose address is
// taken: each turn of the loop has a copy of its own, and v is that of the
// turn at hand. The first one is the variable before the loop; nil when v is
// none.
func perTurn(v *ssa.Phi) (first *ssa.Alloc, turns []ssa.Value) {
	if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
		return nil, nil
	}
	for _, e := range v.Edges {
		a, ok := e.(*ssa.Alloc)
		if !ok || a.Comment != v.Comment {
			return nil, nil
		}
		if first == nil {
			first = a
		} else {
			turns = append(turns, a)
		}
	}
	return first, append(turns, v)
}

// copies reports whether v is read from one of the addresses.
func copies(v ssa.Value, from []ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	return ok && load.Op == token.MUL && slices.Contains(from, load.X)
}

// allZero reports whether every value is the zero value of its type.
func allZero(of []ssa.Value) bool {
	for _, v := range of {
		if c, ok := v.(*ssa.Const); !ok || c.Value != nil {
			return false
		}
	}
	return true
}

// array returns an array by what is stored in its elements; each can also hold
// what is stored in some of them.
func (f *Func) array(n int64, elems map[int64]ssa.Value, some []ssa.Value) *prog.Val {
	var others []*prog.Val
	for _, v := range some {
		others = append(others, f.Val(v))
	}
	if len(others) > maxStores {
		others = []*prog.Val{prog.Hole("set in many places")}
	}
	out := prog.New(prog.VList, "")
	for i := int64(0); i < n && i < 64; i++ {
		all := others
		if v, ok := elems[i]; ok {
			all = append([]*prog.Val{f.Val(v)}, others...)
		}
		if len(all) == 0 {
			all = []*prog.Val{prog.Hole("element")}
		}
		out.Of = append(out.Of, prog.Choose(maxStores, all...))
	}
	return out
}

// outside reports whether a plain variable is also set where this function's
// stores do not show: in a closure that captures it, or through its address.
func outside(a ssa.Value) bool {
	if !plain(a) {
		return false // their fields are told one by one
	}
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.MakeClosure:
			fn, ok := r.Fn.(*ssa.Function)
			if !ok || rangeFunc(fn) {
				continue
			}
			for i, b := range r.Bindings {
				if b == a && i < len(fn.FreeVars) && sets(fn.FreeVars[i], 0) {
					return true
				}
			}
		case ssa.CallInstruction:
			for _, arg := range r.Common().Args {
				if arg == a {
					return true
				}
			}
		}
	}
	return false
}

// plain reports whether the variable at a is neither a struct nor an array.
func plain(a ssa.Value) bool {
	switch deref(a.Type()).Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	}
	return true
}

// decodedInto returns what a function of the standard library makes of its
// other arguments and puts where the address in mi points, as binary.Read
// and json.Unmarshal do; nil when none is given it.
func (f *Func) decodedInto(mi *ssa.MakeInterface) *prog.Val {
	for _, r := range *mi.Referrers() {
		in, ok := r.(*ssa.Call)
		if !ok {
			continue
		}
		c := f.Call(in)
		if c.Method == nil || c.Method.Pkg() == nil || !strings.HasPrefix(c.Method.Pkg().Path(), "encoding/") {
			continue
		}
		out := prog.New(prog.VApply, c.Symbol)
		for _, arg := range c.Args {
			if arg != ssa.Value(mi) {
				out.Of = append(out.Of, f.Val(arg))
			}
		}
		return out
	}
	return nil
}

// sets reports whether the function that captures a variable sets it.
func sets(v *ssa.FreeVar, depth int) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == v {
				return true
			}
		case *ssa.MakeInterface:
			return true
		case *ssa.MakeClosure:
			fn, ok := r.Fn.(*ssa.Function)
			if !ok || depth > 8 {
				continue
			}
			for i, b := range r.Bindings {
				if b == v && i < len(fn.FreeVars) && sets(fn.FreeVars[i], depth+1) {
					return true
				}
			}
		case ssa.CallInstruction:
			for _, arg := range r.Common().Args {
				if arg == v {
					return true
				}
			}
		}
	}
	return false
}

func rangeFunc(fn *ssa.Function) bool {
	return len(fn.Synthetic) > 10 && fn.Synthetic[:10] == "range-over"
}

func zero(t types.Type) *prog.Val {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return prog.Text("")
		case u.Info()&types.IsBoolean != 0:
			return prog.Bool(false)
		case u.Info()&types.IsInteger != 0:
			return prog.Int(0)
		}
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map, *types.Signature, *types.Chan:
		return prog.Nil
	}
	return prog.Hole("zero")
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// changed returns a struct that a call returned, with the handles that the
// function then puts into it.
func (f *Func) changed(v ssa.Value, r *prog.Val) *prog.Val {
	t, ok := v.Type().Underlying().(*types.Pointer)
	if !ok || v.Referrers() == nil {
		return r
	}
	st, ok := t.Elem().Underlying().(*types.Struct)
	if !ok {
		return r
	}
	put := map[int]*prog.Val{}
	for _, ref := range *v.Referrers() {
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok || HandleKind(st.Field(fa.Field).Type()) == "" && !flag(st.Field(fa.Field).Type()) {
			continue
		}
		for _, rr := range *fa.Referrers() {
			s, ok := rr.(*ssa.Store)
			if !ok || s.Addr != fa {
				continue
			}
			x := f.Val(s.Val)
			if old := put[fa.Field]; old != nil {
				x = prog.Choose(maxStores, old, x)
			}
			if in, ok := v.(ssa.Instruction); ok && !always(in, s) && flag(st.Field(fa.Field).Type()) {
				x = prog.Choose(maxStores, x, prog.New(prog.VField, FieldName(v.Type(), fa.Field), r))
			}
			put[fa.Field] = x
		}
	}
	if len(put) == 0 {
		return r
	}
	out := prog.New(prog.VRecord, TypeString(t.Elem()))
	for i := 0; i < st.NumFields() && i < 64; i++ {
		name := FieldName(v.Type(), i)
		in := put[i]
		if in == nil {
			in = prog.New(prog.VField, name, r)
		}
		out.Of = append(out.Of, prog.New(prog.VInit, name, in))
	}
	return out
}

// always reports whether each way on which the function returns once it has
// run v leads through s.
func always(v, s ssa.Instruction) bool {
	for _, r := range exitsOf(v.Parent()) {
		if v.Block().Dominates(r.Block()) && !s.Block().Dominates(r.Block()) {
			return false
		}
	}
	return v.Block().Dominates(s.Block())
}

// flag reports the type of fields that decide what a text holds.
func flag(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// fieldScanned returns the column that field i of a is scanned from.
func (f *Func) fieldScanned(a *ssa.Alloc, i int) *prog.Val {
	for _, r := range *a.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok || fa.Field != i {
			continue
		}
		for _, rr := range *fa.Referrers() {
			if mi, ok := rr.(*ssa.MakeInterface); ok {
				if s := f.scannedInto(mi); s != nil {
					return s
				}
			}
		}
	}
	return nil
}

// scannedInto returns the value that a Scan call puts where the address in
// mi points, nil when no Scan takes it.
func (f *Func) scannedInto(mi *ssa.MakeInterface) *prog.Val {
	for _, r := range *mi.Referrers() {
		switch r := r.(type) {
		case *ssa.Store: // into the array of the variadic arguments
			ia, ok := r.Addr.(*ssa.IndexAddr)
			if !ok {
				continue
			}
			arr, ok := ia.X.(*ssa.Alloc)
			if !ok {
				continue
			}
			col := f.at(ia.Index)
			for _, rr := range *arr.Referrers() {
				sl, ok := rr.(*ssa.Slice)
				if !ok {
					continue
				}
				for _, use := range *sl.Referrers() {
					if c, ok := use.(ssa.CallInstruction); ok {
						if v := f.scan1(c, col); v != nil {
							return v
						}
					}
				}
			}
		case ssa.CallInstruction:
			if v := f.scan1(r, "0"); v != nil {
				return v
			}
		}
	}
	return nil
}

// lastStore returns the value that a variable was last given before load,
// on the one way that leads there; nil when several ways meet first. A
// closure that sets the variable meanwhile is not seen.
func lastStore(a ssa.Value, load *ssa.UnOp) ssa.Value {
	if _, ok := deref(a.Type()).Underlying().(*types.Struct); ok {
		return nil // fields are set one by one
	}
	b := load.Block()
	at := len(b.Instrs)
	for i, in := range b.Instrs {
		if in == ssa.Instruction(load) {
			at = i
		}
	}
	for range 32 {
		for i := at - 1; i >= 0; i-- {
			switch in := b.Instrs[i].(type) {
			case *ssa.Store:
				if in.Addr == a {
					return in.Val
				}
			case ssa.CallInstruction:
				if passes(in, a) {
					return nil
				}
			}
		}
		if len(b.Preds) != 1 {
			return nil
		}
		b = b.Preds[0]
		at = len(b.Instrs)
	}
	return nil
}

// passes reports whether a call is given the address of a variable, itself
// or in a closure, and may set it.
func passes(call ssa.CallInstruction, a ssa.Value) bool {
	if _, deferred := call.(*ssa.Defer); deferred {
		return false
	}
	c := call.Common()
	for _, v := range append([]ssa.Value{c.Value}, c.Args...) {
		switch v := v.(type) {
		case *ssa.MakeClosure:
			for _, b := range v.Bindings {
				if b == a {
					return true
				}
			}
		case *ssa.MakeInterface:
			if v.X == a {
				return true
			}
		default:
			if v == a {
				return true
			}
		}
	}
	return holdsVariadic(c, a)
}

// holdsVariadic reports whether the variadic arguments hold the address.
func holdsVariadic(c *ssa.CallCommon, a ssa.Value) bool {
	for _, r := range *a.Referrers() {
		mi, ok := r.(*ssa.MakeInterface)
		if !ok {
			continue
		}
		for _, rr := range *mi.Referrers() {
			s, ok := rr.(*ssa.Store)
			if !ok {
				continue
			}
			ia, ok := s.Addr.(*ssa.IndexAddr)
			if !ok {
				continue
			}
			for _, arg := range c.Args {
				if sl, ok := arg.(*ssa.Slice); ok && sl.X == ia.X {
					return true
				}
			}
		}
	}
	return false
}
