package symval

import (
	"go/token"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// collectedText returns the text of a builder of the program's own, where a
// method returns what other methods have written to a strings.Builder in a
// field of the receiver; nil when the call is none of such a method. What the
// constructor writes comes first.
func (f *Func) collectedText(c *Call) *prog.Val {
	last := c.Common.StaticCallee()
	if last == nil || last.Signature.Recv() == nil || len(c.Args) == 0 {
		return nil
	}
	field := readField(last)
	if field < 0 {
		return nil
	}
	type write struct {
		pos token.Pos
		val *prog.Val
	}
	var writes []write
	add := func(w *Call, pos token.Pos, on func(fn *ssa.Function) ssa.Value, sure bool) {
		fn := w.Common.StaticCallee()
		if fn == nil || fn.Blocks == nil || fn == f.Fn {
			return
		}
		args := f.Args(w)
		for _, piece := range pieces(fn, on(fn), field) {
			v := substituted(piece, args, 0)
			if !sure {
				v = prog.Choose(maxStores, prog.Text(""), v)
			}
			writes = append(writes, write{pos, v})
		}
	}
	here := c.In.Block()
	for in := range f.IDs {
		w := f.Call(in)
		if w == c || w.Common.Signature().Recv() == nil || len(w.Args) == 0 || !sameAddr(w.Args[0], c.Args[0]) {
			continue
		}
		add(w, in.Pos(), func(fn *ssa.Function) ssa.Value { return fn.Params[0] }, dominates(in.Block(), here))
	}
	if made, ok := c.Args[0].(*ssa.Call); ok {
		add(f.Call(made), token.NoPos, returned, true)
	}
	if len(writes) == 0 {
		return nil
	}
	sort.SliceStable(writes, func(i, j int) bool { return writes[i].pos < writes[j].pos })
	out := prog.New(prog.VConcat, "")
	for _, w := range writes {
		out.Of = append(out.Of, w.val)
	}
	return out
}

// readField returns the field of the receiver whose strings.Builder the
// method returns as text, -1 when it does something else.
func readField(fn *ssa.Function) int {
	if len(fn.Blocks) != 1 || len(fn.Params) != 1 {
		return -1
	}
	for _, in := range fn.Blocks[0].Instrs {
		ret, ok := in.(*ssa.Return)
		if !ok || len(ret.Results) != 1 {
			continue
		}
		call, ok := ret.Results[0].(*ssa.Call)
		if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().String() != "(*strings.Builder).String" {
			return -1
		}
		if fa, ok := call.Call.Args[0].(*ssa.FieldAddr); ok && fa.X == ssa.Value(fn.Params[0]) {
			return fa.Field
		}
	}
	return -1
}

// pieces returns what fn writes to the builder in a field of v, over its own
// parameters, in order.
func pieces(fn *ssa.Function, v ssa.Value, field int) []*prog.Val {
	if v == nil {
		return nil
	}
	own := New(fn, nil, nil, nil)
	type at struct {
		pos token.Pos
		val *prog.Val
	}
	var list []at
	for in := range own.IDs {
		args := in.Common().Args
		if callee := in.Common().StaticCallee(); callee == nil || callee.String() != "(*strings.Builder).WriteString" || len(args) != 2 {
			continue
		}
		if fa, ok := args[0].(*ssa.FieldAddr); ok && fa.X == v && fa.Field == field {
			list = append(list, at{in.Pos(), own.Val(args[1])})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].pos < list[j].pos })
	var out []*prog.Val
	for _, x := range list {
		out = append(out, x.val)
	}
	return out
}

// returned returns the variable that a constructor returns the address of.
func returned(fn *ssa.Function) ssa.Value {
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(ret.Results) > 0 {
			if a, ok := ret.Results[0].(*ssa.Alloc); ok {
				return a
			}
		}
	}
	return nil
}

// substituted puts arguments in the place of parameters; what depends on the
// function's own calls is not known.
func substituted(v *prog.Val, args []*prog.Val, depth int) *prog.Val {
	if v == nil || depth > 12 {
		return prog.Hole("too deep")
	}
	switch v.Kind {
	case prog.VParam:
		for i, a := range args {
			if itoa(i) == v.Str {
				return a
			}
		}
		return prog.Hole("an argument")
	case prog.VResult, prog.VScan, prog.VConn, prog.VFree, prog.VClosure:
		return prog.Hole("computed by a builder")
	}
	if len(v.Of) == 0 {
		return v
	}
	out := &prog.Val{Kind: v.Kind, Str: v.Str}
	for _, o := range v.Of {
		out.Of = append(out.Of, substituted(o, args, depth+1))
	}
	return out
}
