package symval

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// maxPart bounds the size of one argument in a chain: what only fills a
// column need not be told whole.
const maxPart = 24

// chain returns the value of a builder after the call: the chain it was
// called on with one more step, VMod "library method"(base, args…). A step
// that binds the chain to what it runs on has a third word, the index of
// that argument among the parts.
func (f *Func) chain(c *Call) *prog.Val {
	base, skip := f.start(c)
	return f.step(c, base, skip)
}

// step adds the step of a call to the chain base, which argument skip is.
func (f *Func) step(c *Call, base *prog.Val, skip int) *prog.Val {
	if c.API.Lib == "gen" {
		base = f.genStart(c, base)
	}
	out := prog.New(prog.VMod, c.API.Lib+" "+c.Symbol[strings.LastIndexByte(c.Symbol, '.')+1:], base)
	if t := typeArg(c); t != nil && len(c.Args) > 0 { // G[T]: the model is the type argument
		out.Of = append(out.Of, f.typed(types.NewPointer(t), prog.Hole("row")))
	}
	for i, a := range c.Args {
		if i == skip || TypeString(a.Type()) == "context.Context" {
			continue
		}
		if i == c.API.Binds && i != skip {
			out.Str += " " + itoa(len(out.Of))
			out.Of = append(out.Of, f.Val(a))
			continue
		}
		v := rowType(a, f.Val(a))
		if i == c.API.Scans && c.API.Does == dbapi.Finisher && (c.API.Row || c.API.Rows) {
			v = f.into(v)
		}
		if i == len(c.Args)-1 && spelled(a) && v.Kind == prog.VList { // each argument by itself, not their slice
			for _, o := range v.Of {
				out.Of = append(out.Of, f.part(o, c))
			}
			continue
		}
		if i == len(c.Args)-1 && spelled(a) && v.IsNil() {
			continue
		}
		out.Of = append(out.Of, f.part(v, c))
	}
	if c.API.Lib == "ent" && c.Method != nil {
		f.entStep(c, out)
	}
	return out
}

// start returns what a chain's step is called on, and the index of that
// argument.
func (f *Func) start(c *Call) (base *prog.Val, at int) {
	if at = startArg(c); at < 0 || at >= len(c.Args) {
		return prog.Hole("start"), -1
	}
	return f.chainAt(c.Args[at], c.In.Pos()), at
}

// startArg returns the index of the argument that a chain's step is called on.
func startArg(c *Call) int {
	switch {
	case c.Common.IsInvoke() || c.Method != nil && c.Method.Type().(*types.Signature).Recv() != nil:
		return max(c.API.Handle, 0)
	case c.API.Handle >= 0:
		return c.API.Handle
	}
	return c.API.Binds // a function that starts a chain on a handle
}

// Raw returns the step of c's chain that gives the whole text of the statement
// and its parameters, nil when the chain has none.
func (f *Func) Raw(c *Call) *Call {
	for range maxDepth {
		at := startArg(c)
		if at < 0 || at >= len(c.Args) {
			return nil
		}
		in, ok := c.Args[at].(*ssa.Call)
		if !ok {
			return nil
		}
		if c = f.Call(in); !c.Known {
			return nil
		}
		if c.API.SQL >= 0 && c.API.Args >= 0 {
			return c
		}
	}
	return nil
}

// typeArg returns the type argument of a generic function, nil when it has
// none.
func typeArg(c *Call) types.Type {
	fn := c.Common.StaticCallee()
	if fn == nil || fn.Signature.Recv() != nil || len(fn.TypeArgs()) == 0 {
		return nil
	}
	return fn.TypeArgs()[0]
}

// part returns an argument of a step without what the text of a statement
// does not show: rows that this very call reads, and values so large that
// the chain would be given up for them.
func (f *Func) part(v *prog.Val, c *Call) *prog.Val {
	switch v.Kind {
	case prog.VScan:
		if len(v.Of) == 1 && v.Of[0].Kind == prog.VResult && v.Of[0].Str == itoa(c.ID)+".0" {
			return prog.Hole("row")
		}
	case prog.VMod, prog.VClosure, prog.VFunc, prog.VMethod, prog.VHandle, prog.VConcat, prog.VApply:
		return v
	}
	if len(v.Of) == 0 {
		return v
	}
	out := &prog.Val{Kind: v.Kind, Str: v.Str}
	for _, o := range v.Of {
		if o == nil {
			continue
		}
		o = f.part(o, c)
		if v.Kind == prog.VInit && size(o, 0) > maxPart {
			o = prog.Hole("value")
		}
		out.Of = append(out.Of, o)
	}
	if out.Kind == prog.VRecord && size(out, 0) > 4*maxPart {
		for i, in := range out.Of {
			if in.Of[0].Kind != prog.VConst && in.Of[0].Kind != prog.VParam {
				out.Of[i] = prog.New(prog.VInit, in.Str, prog.Hole("value"))
			}
		}
	}
	return out
}

// into returns what a statement reads into: its type, and what is set in it
// beforehand.
func (f *Func) into(v *prog.Val) *prog.Val {
	switch v.Kind {
	case prog.VIface, prog.VHandle:
		return prog.New(v.Kind, v.Str, append([]*prog.Val{f.into(v.Of[0])}, v.Of[1:]...)...)
	case prog.VList: // variadic
		out := prog.New(prog.VList, "")
		for _, o := range v.Of {
			out.Of = append(out.Of, f.into(o))
		}
		return out
	case prog.VRecord:
		out := prog.New(prog.VRecord, v.Str)
		for _, in := range v.Of {
			x := in.Of[0]
			for x.Kind == prog.VField || x.Kind == prog.VIface || x.Kind == prog.VHandle {
				x = x.Of[0]
			}
			if x.Kind == prog.VConst || x.Kind == prog.VParam || x.Kind == prog.VFree {
				out.Of = append(out.Of, in)
			}
		}
		return out
	case prog.VParam, prog.VFree, prog.VResult, prog.VField:
		return v
	}
	return prog.Hole("row")
}

// RunsOn returns what the chain that a finisher ends runs on: what its newest
// step that names a handle says, else what it begins with.
func (f *Func) RunsOn(c *Call) *prog.Val {
	return prog.RunsOn(f.chain(c))
}

// rowType returns an argument whose type is a named slice of structs as the
// slice that it is: libraries know the structs.
func rowType(a ssa.Value, v *prog.Val) *prog.Val {
	mi, ok := a.(*ssa.MakeInterface)
	if !ok || v.Kind != prog.VIface {
		return v
	}
	t := types.Unalias(deref(mi.X.Type()))
	list, ok := t.Underlying().(*types.Slice)
	if _, named := t.(*types.Named); !ok || !named {
		return v
	}
	if _, ok := deref(list.Elem()).Underlying().(*types.Struct); !ok {
		return v
	}
	return prog.New(prog.VIface, TypeString(list), v.Of...)
}

// size counts the nodes of a value, roughly past a few hundred.
func size(v *prog.Val, so int) int {
	if v == nil {
		return so
	}
	so++
	for _, o := range v.Of {
		if so > 1<<9 {
			break
		}
		so = size(o, so)
	}
	return so
}

// spelled reports the slice that the compiler makes of variadic arguments,
// as opposed to one that the source hands on with "...".
func spelled(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Slice:
		a, ok := v.X.(*ssa.Alloc)
		return ok && a.Comment == "varargs"
	case *ssa.Const: // no argument at all
		_, ok := v.Type().Underlying().(*types.Slice)
		return ok && v.Value == nil
	}
	return false
}

// Chain returns the chain that a finisher ends.
func (f *Func) Chain(c *Call) *prog.Val { return f.chain(c) }

// chainResult returns a result of a chain's last step; errors of gorm live
// in the value it returns.
func (f *Func) chainResult(c *Call, i int) *prog.Val {
	id := itoa(c.ID)
	if i == c.API.ErrResult && c.API.ErrResult >= 0 {
		return prog.New(prog.VResult, id+".1")
	}
	return prog.New(prog.VResult, id+".0")
}

// Styled returns the text of a statement with the library's placeholders and
// the values that stand for them: VMod "bind STYLE"(start, text, args…).
func (f *Func) Styled(c *Call) *prog.Val {
	out := prog.New(prog.VMod, "bind "+c.API.Style, prog.Hole("start"), f.Arg(c, c.API.SQL))
	if c.API.Args >= 0 {
		for i := c.API.Args; i < len(c.Args); i++ {
			v := f.Val(c.Args[i])
			if i == len(c.Args)-1 && spelled(c.Args[i]) {
				if v.Kind == prog.VList {
					for _, o := range v.Of {
						out.Of = append(out.Of, f.part(o, c))
					}
				}
				continue
			}
			out.Of = append(out.Of, f.part(v, c))
		}
	}
	return out
}

// rebound returns result i of a function that rewrites text and its
// parameters, such as sqlx.In.
func (f *Func) rebound(c *Call, i int) *prog.Val {
	v := f.Styled(c)
	if i == c.API.ArgsResult {
		return prog.New(prog.VApply, "chain args", v)
	}
	return v
}

// ModelTypes returns the struct types among the arguments of a chain's step,
// and those that a type parameter of the program's own stands for.
func ModelTypes(c *Call) []*types.Named {
	var out []*types.Named
	step := c.Known && (c.API.Does == dbapi.Builder || c.API.Does == dbapi.Finisher)
	if c.Known && !step {
		return nil
	}
	var add func(t types.Type)
	add = func(t types.Type) {
		for {
			switch u := types.Unalias(t).(type) {
			case *types.Pointer:
				t = u.Elem()
				continue
			case *types.Slice:
				t = u.Elem()
				continue
			case *types.Named:
				switch x := u.Underlying().(type) {
				case *types.Struct:
					out = append(out, u)
				case *types.Slice:
					t = x.Elem()
					continue
				}
			}
			return
		}
	}
	for _, a := range c.Args {
		if !step {
			break
		}
		if mi, ok := a.(*ssa.MakeInterface); ok {
			add(mi.X.Type())
			continue
		}
		if sl, ok := a.(*ssa.Slice); ok {
			for _, t := range elemTypes(sl) {
				add(t)
			}
		}
	}
	if fn := c.Common.StaticCallee(); fn != nil {
		for _, t := range fn.TypeArgs() {
			add(t)
		}
	}
	return out
}

// elemTypes returns the concrete types that are put into a slice literal.
func elemTypes(sl *ssa.Slice) []types.Type {
	a, ok := sl.X.(*ssa.Alloc)
	if !ok || a.Referrers() == nil {
		return nil
	}
	var out []types.Type
	for _, r := range *a.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, rr := range *ia.Referrers() {
			if s, ok := rr.(*ssa.Store); ok {
				if mi, ok := s.Val.(*ssa.MakeInterface); ok {
					out = append(out, mi.X.Type())
				}
			}
		}
	}
	return out
}
