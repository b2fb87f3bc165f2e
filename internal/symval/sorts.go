package symval

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A sorting is a slice that is sorted in place: what base is, or the field of
// it that path leads to.
type sorting struct {
	base ssa.Value
	path []int
	pos  token.Pos
	in   ssa.Instruction
	val  ssa.Value // the slice as the call is given it, nil for a field of what it is given
	keys string    // what it is sorted by; see prog.SortKeys
}

// unknownKeys says that a comparison was not understood.
const unknownKeys = "?"

// noteSort notes the slices that a call sorts, itself or in a function of
// this package that does nothing further away.
func (f *Func) noteSort(in ssa.CallInstruction) {
	f.sorted = append(f.sorted, sortings(in, false)...)
}

func sortings(in ssa.CallInstruction, inner bool) []sorting {
	fn := in.Common().StaticCallee()
	if fn == nil || len(in.Common().Args) == 0 {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return nil
	}
	switch obj.Pkg().Path() {
	case "slices", "sort", "golang.org/x/exp/slices":
		if keys, ok := sorts(obj, in.Common().Args); ok {
			base, path := unload(unwrap(in.Common().Args[0]))
			return []sorting{{base, path, in.Pos(), in, unwrap(in.Common().Args[0]), keys}}
		}
		return nil
	}
	if inner || in.Parent() == nil || fn.Pkg == nil || in.Parent().Pkg != fn.Pkg {
		return nil
	}
	return sortedFor(in, fn)
}

// sortedFor returns what a function of the package sorts of its arguments.
func sortedFor(in ssa.CallInstruction, fn *ssa.Function) []sorting {
	var out []sorting
	for _, b := range fn.Blocks {
		for _, inner := range b.Instrs {
			c, ok := inner.(ssa.CallInstruction)
			if !ok {
				continue
			}
			for _, s := range sortings(c, true) {
				for i, p := range fn.Params {
					if holds(s.base, p) && i < len(in.Common().Args) {
						base, path := unload(unwrap(in.Common().Args[i]))
						out = append(out, sorting{base, append(append([]int{}, path...), s.path...), in.Pos(), in, nil, s.keys})
					}
				}
			}
		}
	}
	return out
}

// holds reports whether v is the parameter, or the variable that SSA keeps
// it in.
func holds(v ssa.Value, p *ssa.Parameter) bool {
	if v == p {
		return true
	}
	a, ok := v.(*ssa.Alloc)
	if !ok || a.Referrers() == nil {
		return false
	}
	stores, given := 0, false
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == a {
			stores++
			given = s.Val == p
		}
	}
	return stores == 1 && given
}

// sorts reports whether a function of the standard library sorts its first
// argument in place, and by what.
func sorts(fn *types.Func, args []ssa.Value) (keys string, ok bool) {
	switch name := fn.Name(); {
	case fn.Pkg().Path() == "sort" && (name == "Ints" || name == "Strings" || name == "Float64s"), name == "Sort" && fn.Pkg().Path() != "sort":
		return ".", true
	case fn.Pkg().Path() == "sort" && (name == "Sort" || name == "Stable"):
		return byMethod(unwrap(args[0])), true
	case fn.Pkg().Path() == "sort" && (name == "Slice" || name == "SliceStable") && len(args) == 2:
		return keysOf(args[1], true), true
	case (name == "SortFunc" || name == "SortStableFunc") && len(args) == 2:
		return keysOf(args[1], false), true
	}
	return "", false
}

// keysOf returns what a comparison function sorts by.
func keysOf(v ssa.Value, indexes bool) string {
	switch x := v.(type) {
	case *ssa.MakeClosure:
		v = x.Fn
	case *ssa.ChangeType:
		return keysOf(x.X, indexes)
	}
	fn, ok := v.(*ssa.Function)
	if !ok {
		return unknownKeys
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() != nil {
		switch obj.FullName() {
		case "cmp.Compare", "strings.Compare", "bytes.Compare":
			return "."
		}
	}
	return keysIn(fn.Syntax(), indexes)
}

func keysIn(syntax ast.Node, indexes bool) string {
	var keys []string
	switch s := syntax.(type) {
	case *ast.FuncLit:
		keys = comparedBy(s.Type.Params, s.Body, indexes)
	case *ast.FuncDecl:
		keys = comparedBy(s.Type.Params, s.Body, indexes)
	}
	if keys == nil {
		return unknownKeys
	}
	return strings.Join(keys, ", ")
}

// byMethod returns what the method Less of a value sorts by.
func byMethod(v ssa.Value) string {
	named, ok := types.Unalias(v.Type()).(*types.Named)
	if !ok || v.Parent() == nil {
		return unknownKeys
	}
	if o := named.Obj(); o.Pkg() != nil && o.Pkg().Path() == "sort" {
		return "."
	}
	less := v.Parent().Prog.LookupMethod(named, named.Obj().Pkg(), "Less")
	if less == nil {
		return unknownKeys
	}
	return keysIn(less.Syntax(), true)
}

// unload follows a value to the variable it is loaded from, or the value
// that it is a field of.
func unload(v ssa.Value) (ssa.Value, []int) {
	var path []int
	for {
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return v, path
			}
			v = x.X
		case *ssa.FieldAddr:
			path = append([]int{x.Field}, path...)
			v = x.X
		case *ssa.Field:
			path = append([]int{x.Field}, path...)
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		default:
			return v, path
		}
	}
}

// whole follows a part of a slice to the slice, which has its order.
func whole(v ssa.Value) ssa.Value {
	for {
		s, ok := v.(*ssa.Slice)
		if !ok {
			return v
		}
		if _, ok := s.X.Type().Underlying().(*types.Slice); !ok {
			return v
		}
		v = s.X
	}
}

// InOrder returns v as it is at pos: a slice that is sorted in place before
// says so, and by what; a builder's chain has the steps of the calls before.
func (f *Func) InOrder(v ssa.Value, pos token.Pos) *prog.Val {
	r := f.chainAt(v, pos)
	if keys, ok := f.Sorted(v, pos); ok {
		return prog.New(prog.VApply, "sorted", r, prog.Text(keys))
	}
	return r
}

// Sorted reports whether a slice is sorted before pos, and by what.
func (f *Func) Sorted(v ssa.Value, pos token.Pos) (keys string, ok bool) {
	base, path := unload(whole(v))
	for _, s := range f.sorted {
		if s.pos < pos && sameAddr(s.base, base) && slices.Equal(s.path, path) {
			keys, ok = s.keys, true
		}
	}
	return keys, ok
}

// inOrder returns what a value put into an interface holds, with the order
// that it has there: such a conversion often has no position.
func (f *Func) inOrder(in *prog.Val, v *ssa.MakeInterface) *prog.Val {
	base, path := unload(whole(v.X))
	for i := len(f.sorted) - 1; i >= 0; i-- {
		if s := f.sorted[i]; before(s.in, v) && sameAddr(s.base, base) && slices.Equal(s.path, path) {
			return prog.New(prog.VApply, "sorted", in, prog.Text(s.keys))
		}
	}
	return in
}

// before reports whether a comes before b in the text of one function.
func before(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	if a.Block() != b.Block() {
		return a.Block().Index < b.Block().Index
	}
	for _, in := range a.Block().Instrs {
		switch in {
		case a:
			return true
		case b:
			return false
		}
	}
	return false
}

// asSorted returns the slice that r stands for as it is at pos.
func (f *Func) asSorted(r *prog.Val, pos token.Pos) *prog.Val {
	for i := len(f.sorted) - 1; i >= 0; i-- {
		if s := f.sorted[i]; s.val != nil && s.pos < pos && prog.Equal(f.Val(s.val), r) {
			return prog.New(prog.VApply, "sorted", r, prog.Text(s.keys))
		}
	}
	return r
}
