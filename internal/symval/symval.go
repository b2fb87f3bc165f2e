package symval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

const (
	maxDepth  = 40
	maxStores = 8
	maxErrors = 32 // values of one error variable: a function gives it the error of each of its calls
)

// A Func evaluates the values of one function.
type Func struct {
	Fn  *ssa.Function
	IDs map[ssa.CallInstruction]int // numbers of calls, in order of position

	memo    map[ssa.Value]*prog.Val
	busy    map[ssa.Value]bool
	exprs   map[ast.Expr]ssa.Value
	texts   map[string]string     // embedded files: pkg.var → text
	known   map[string]dbapi.Call // what the configuration says of functions, by symbol
	inSight func(*types.Func) bool
	depth   int
	calls   map[ssa.CallInstruction]*Call
	sorted  []sorting
	changes []change // of chains, in place
	defers  bool     // some call is deferred
}

// New returns the evaluator of fn; embedded maps package variables to the
// text that //go:embed puts in them, known the symbols of functions to what
// the configuration says of them; inSight reports whether the program holds
// what a function does.
func New(fn *ssa.Function, embedded map[string]string, known map[string]dbapi.Call, inSight func(*types.Func) bool) *Func {
	f := &Func{known: known, inSight: inSight, Fn: fn, IDs: map[ssa.CallInstruction]int{}, memo: map[ssa.Value]*prog.Val{}, busy: map[ssa.Value]bool{},
		exprs: map[ast.Expr]ssa.Value{}, texts: embedded, calls: map[ssa.CallInstruction]*Call{}}
	f.scan(fn)
	return f
}

// scan numbers the calls and notes which expression has which value. Bodies
// of range-over-func loops are functions of their own in SSA, but part of
// this one in the source.
func (f *Func) scan(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case ssa.CallInstruction:
				_, deferred := in.(*ssa.Defer)
				f.defers = f.defers || deferred
				f.IDs[in] = len(f.IDs) + 1
				f.noteSort(in)
			case *ssa.DebugRef:
				if !in.IsAddr {
					if _, ok := f.exprs[in.Expr]; !ok {
						f.exprs[in.Expr] = in.X
					}
				}
			}
		}
	}
	for _, anon := range fn.AnonFuncs {
		if anon.Synthetic != "" && strings.Contains(anon.Synthetic, "range-over-func") {
			f.scan(anon)
		}
	}
}

// Expr returns the value of an expression of the source, nil when SSA has
// none for it.
func (f *Func) Expr(e ast.Expr, info *types.Info) *prog.Val {
	e = ast.Unparen(e)
	if tv, ok := info.Types[e]; ok {
		if tv.Value != nil {
			return constVal(tv.Value)
		}
		if tv.IsNil() {
			return prog.Nil
		}
	}
	if v, ok := f.exprs[e]; ok {
		return f.Val(v)
	}
	return nil
}

// Val returns v as a symbolic value over the function's parameters, captured
// variables and the results of its calls.
func (f *Func) Val(v ssa.Value) *prog.Val {
	if v == nil {
		return prog.Hole("none")
	}
	if r, ok := f.memo[v]; ok {
		return r
	}
	if f.busy[v] || f.depth > maxDepth {
		return prog.Hole("loop")
	}
	f.busy[v] = true
	f.depth++
	r := f.handle(v, f.value(v))
	if r.Large() {
		r = prog.Hole("large value " + v.Name())
	}
	f.depth--
	delete(f.busy, v)
	if f.depth == 0 || complete(r) {
		f.memo[v] = r
	}
	return r
}

func complete(v *prog.Val) bool {
	if v.Kind == prog.VHole && v.Str == "loop" {
		return false
	}
	for _, o := range v.Of {
		if o != nil && !complete(o) {
			return false
		}
	}
	return true
}

// handle marks a value whose Go type says that it is a connection.
func (f *Func) handle(v ssa.Value, r *prog.Val) *prog.Val {
	kind := HandleKind(v.Type())
	if kind == "" {
		kind = embeddedHandle(v)
	}
	if kind == "" && poolShaped(v.Type()) {
		kind = "pool"
	}
	switch kind {
	case "pool", "conn", "tx", "gorm":
		if r.Kind == prog.VHandle && r.Str == kind || r.IsNil() {
			return r
		}
		if kind == "gorm" && (r.Kind == prog.VMod || r.Kind == prog.VHandle) {
			return r
		}
		return prog.New(prog.VHandle, kind, r)
	}
	return r
}

// HandleKind is dbapi.HandleKind of a type.
func HandleKind(t types.Type) string {
	named := types.Unalias(t)
	if p, ok := named.(*types.Pointer); ok {
		named = types.Unalias(p.Elem())
	}
	if _, ok := named.(*types.Named); !ok {
		return "" // most values are no handles: their types need not be written
	}
	return dbapi.HandleKind(TypeString(t))
}

// embeddedHandle returns what a value is when it is the embedded part of a
// handle of a library, on which that keeps its methods.
func embeddedHandle(v ssa.Value) string {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return ofEmbedded(v.X.Type(), v.Field)
	case *ssa.Field:
		return ofEmbedded(v.X.Type(), v.Field)
	}
	return ""
}

func ofEmbedded(t types.Type, i int) string {
	st, ok := types.Unalias(t).Underlying().(*types.Struct)
	if p, isPointer := types.Unalias(t).Underlying().(*types.Pointer); isPointer {
		st, ok = p.Elem().Underlying().(*types.Struct)
	}
	if !ok || !st.Field(i).Embedded() {
		return ""
	}
	return HandleKind(t)
}

// poolShaped reports an interface that only a pool satisfies by what it says:
// it runs statements, begins transactions and is none, and it is called a
// pool or has what only pools have.
func poolShaped(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	face, ok := named.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	begins, runs := false, false
	pool := strings.Contains(named.Obj().Name(), "Pool")
	for m := range face.Methods() {
		switch name := m.Name(); {
		case name == "Commit" || name == "Rollback":
			return false
		case strings.HasPrefix(name, "Begin"):
			begins = true
		case strings.HasPrefix(name, "Exec") || strings.HasPrefix(name, "Query"):
			runs = true
		case name == "SetMaxOpenConns" || name == "Acquire" || name == "Stat":
			pool = true
		}
	}
	return begins && runs && pool
}

// TypeString returns a type with full package paths and without type
// arguments.
func TypeString(t types.Type) string {
	switch t := t.(type) { // most are one of these, and asked for again and again
	case *types.Named:
		if o := t.Obj(); o.Pkg() != nil {
			return o.Pkg().Path() + "." + o.Name()
		}
		return t.Obj().Name()
	case *types.Pointer:
		if n, ok := types.Unalias(t.Elem()).(*types.Named); ok {
			return "*" + TypeString(n)
		}
	case *types.Alias:
		switch n := types.Unalias(t).(type) {
		case *types.Named, *types.Pointer:
			return TypeString(n)
		}
	}
	s := types.TypeString(t, nil)
	if i := strings.IndexByte(s, '['); i > 0 && !strings.HasPrefix(strings.TrimLeft(s, "*"), "[") && !strings.HasPrefix(s, "map[") && !strings.HasPrefix(s, "func") {
		s = s[:i]
	}
	return s
}

func constVal(c constant.Value) *prog.Val {
	switch c.Kind() {
	case constant.String:
		return prog.Text(constant.StringVal(c))
	case constant.Int:
		return prog.New(prog.VConst, "i:"+c.ExactString())
	case constant.Bool:
		return prog.Bool(constant.BoolVal(c))
	case constant.Float:
		return prog.New(prog.VConst, "f:"+c.String())
	}
	return prog.Hole("constant")
}

func (f *Func) value(v ssa.Value) *prog.Val {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			if _, ok := v.Type().Underlying().(*types.Struct); ok {
				return prog.New(prog.VRecord, TypeString(v.Type()))
			}
			return prog.Nil
		}
		return constVal(v.Value)
	case *ssa.Parameter:
		return f.param(v)
	case *ssa.FreeVar:
		return f.free(v)
	case *ssa.MakeClosure:
		return f.closure(v)
	case *ssa.Function:
		return f.funcVal(v)
	case *ssa.Alloc:
		return f.content(v)
	case *ssa.Global:
		return f.global(v)
	case *ssa.UnOp:
		return f.unop(v)
	case *ssa.FieldAddr:
		return f.field(v.X, v.Field)
	case *ssa.Field:
		return f.field(v.X, v.Field)
	case *ssa.IndexAddr:
		return f.elem(v.X, v.Index)
	case *ssa.Index:
		return f.elem(v.X, v.Index)
	case *ssa.Lookup:
		return f.elem(v.X, v.Index)
	case *ssa.Extract:
		return f.changed(v, f.extract(v))
	case *ssa.Call:
		return f.changed(v, f.Result(v, 0))
	case *ssa.Phi:
		return f.phi(v)
	case *ssa.MakeInterface:
		return f.iface(v)
	case *ssa.ChangeInterface:
		return f.Val(v.X)
	case *ssa.ChangeType:
		return f.Val(v.X)
	case *ssa.Convert:
		return f.convert(v)
	case *ssa.MultiConvert:
		return f.Val(v.X)
	case *ssa.SliceToArrayPointer:
		return f.Val(v.X)
	case *ssa.TypeAssert:
		return f.Val(v.X)
	case *ssa.Slice:
		return f.slice(v)
	case *ssa.BinOp:
		return f.binop(v)
	case *ssa.Next:
		return prog.New(prog.VElem, v.Name(), f.Val(v.Iter.(*ssa.Range).X))
	case *ssa.MakeMap:
		return f.mapLiteral(v)
	case *ssa.MakeSlice:
		if v := f.filled(v); v != nil {
			return v
		}
		return prog.Hole("slice")
	}
	return prog.Hole(strings.TrimPrefix(strings.ToLower(typeName(v)), "ssa."))
}

func typeName(v ssa.Value) string {
	switch v.(type) {
	case *ssa.MakeChan:
		return "channel"
	case *ssa.Select:
		return "select"
	}
	return "value"
}

func (f *Func) param(v *ssa.Parameter) *prog.Val {
	for i, p := range v.Parent().Params {
		if p == v {
			if v.Parent() != f.Fn {
				return f.turned(v, i)
			}
			return prog.New(prog.VParam, strconv.Itoa(i))
		}
	}
	return prog.Hole("parameter")
}

func (f *Func) free(v *ssa.FreeVar) *prog.Val {
	fn := v.Parent()
	for i, p := range fn.FreeVars {
		if p != v {
			continue
		}
		if fn == f.Fn {
			return prog.New(prog.VFree, strconv.Itoa(i))
		}
		// the body of a range-over-func loop: what it captures is ours
		if b := f.binding(fn, i); b != nil {
			return f.Val(b)
		}
	}
	return prog.Hole("captured variable")
}

// binding finds what fn's captured variable i is bound to.
func (f *Func) binding(fn *ssa.Function, i int) ssa.Value {
	if fn.Parent() == nil {
		return nil
	}
	for _, b := range fn.Parent().Blocks {
		for _, in := range b.Instrs {
			if mc, ok := in.(*ssa.MakeClosure); ok && mc.Fn == fn && i < len(mc.Bindings) {
				return mc.Bindings[i]
			}
		}
	}
	return nil
}

func (f *Func) closure(v *ssa.MakeClosure) *prog.Val {
	fn := v.Fn.(*ssa.Function)
	if isBound(v) {
		if f.BoundCall(v) != nil {
			return prog.New(prog.VClosure, BoundSymbol(v), f.Val(v.Bindings[0]))
		}
		return methodVal(fn.Object().(*types.Func), f.Val(v.Bindings[0]), v.Bindings[0].Type())
	}
	out := prog.New(prog.VClosure, Symbol(fn))
	for _, b := range v.Bindings {
		out.Of = append(out.Of, f.InOrder(b, fn.Pos()))
	}
	out.Of = append(out.Of, f.typeParams()...)
	return out
}

// methodVal returns method m bound to a receiver.
func methodVal(m *types.Func, recv *prog.Val, t types.Type) *prog.Val {
	name := TypeString(t) + "." + m.Name() + "|" + Signature(m.Type().(*types.Signature))
	if !types.IsInterface(t) && recv.Kind != prog.VIface {
		recv = prog.New(prog.VIface, receiverType(m, t), recv)
	}
	return prog.New(prog.VMethod, name, recv)
}

// receiverType returns the type that declares m, as Impl writes it.
func receiverType(m *types.Func, t types.Type) string {
	if r := m.Type().(*types.Signature).Recv(); r != nil {
		return TypeString(r.Type())
	}
	return TypeString(t)
}

// Signature returns a signature as Impl compares them: parameter and result
// types, the same for identical ones whatever their parameters are called.
func Signature(s *types.Signature) string {
	var b strings.Builder
	for v := range s.Params().Variables() {
		b.WriteString(types.TypeString(nameless(v.Type()), nil))
		b.WriteByte(',')
	}
	b.WriteString("->")
	for v := range s.Results().Variables() {
		b.WriteString(types.TypeString(nameless(v.Type()), nil))
		b.WriteByte(',')
	}
	return b.String()
}

// nameless returns t without aliases and without the names of the parameters
// of functions in it.
func nameless(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return types.NewPointer(nameless(t.Elem()))
	case *types.Slice:
		return types.NewSlice(nameless(t.Elem()))
	case *types.Array:
		return types.NewArray(nameless(t.Elem()), t.Len())
	case *types.Map:
		return types.NewMap(nameless(t.Key()), nameless(t.Elem()))
	case *types.Chan:
		return types.NewChan(t.Dir(), nameless(t.Elem()))
	case *types.Signature:
		tuple := func(in *types.Tuple) *types.Tuple {
			var out []*types.Var
			for v := range in.Variables() {
				out = append(out, types.NewParam(token.NoPos, nil, "", nameless(v.Type())))
			}
			return types.NewTuple(out...)
		}
		return types.NewSignatureType(nil, nil, nil, tuple(t.Params()), tuple(t.Results()), t.Variadic())
	case *types.Interface:
		if t.Empty() {
			return types.Universe.Lookup("any").Type().Underlying()
		}
		return t
	default:
		return t
	}
}

// Symbol returns the key of a function: pkg.F, pkg.(*T).M, pkg.F$1; wrappers
// and instances have the key of what they wrap.
func Symbol(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if fn.Parent() != nil {
		name := fn.Name()
		if i := strings.LastIndexByte(name, '$'); i >= 0 {
			name = name[i:]
		}
		return Symbol(fn.Parent()) + name
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return ObjectSymbol(obj)
	}
	if fn.Pkg != nil {
		return fn.Pkg.Pkg.Path() + "." + fn.Name()
	}
	return fn.String()
}

// ObjectSymbol returns the key of a declared function or method.
func ObjectSymbol(obj *types.Func) string {
	obj = obj.Origin()
	pkg := ""
	if obj.Pkg() != nil {
		pkg = obj.Pkg().Path() + "."
	}
	recv := obj.Type().(*types.Signature).Recv()
	if recv == nil {
		return pkg + obj.Name()
	}
	t := recv.Type()
	star := ""
	if p, ok := t.(*types.Pointer); ok {
		t, star = p.Elem(), "*"
	}
	name := "?"
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name = t.Obj().Name()
	default:
		name = TypeString(t)
	}
	return pkg + "(" + star + name + ")." + obj.Name()
}

// elem returns an element of x. Which entry of a table in a variable it is, the
// caller may tell.
func (f *Func) elem(x, index ssa.Value) *prog.Val {
	of := f.Val(x)
	if of.Kind == prog.VGlobal || of.Kind == prog.VRecord || of.Kind == prog.VList {
		if i := prog.Bare(f.Val(index)); i != nil && (i.Kind == prog.VParam || i.Kind == prog.VFree) {
			return prog.New(prog.VElem, f.at(index), of, i)
		}
	}
	return prog.New(prog.VElem, f.at(index), of)
}

// at names an index: a constant, or the value of this function it is.
func (f *Func) at(v ssa.Value) string {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil {
		if c.Value.Kind() == constant.Int {
			return c.Value.ExactString()
		}
		return "s:" + c.Value.String()
	}
	return v.Name()
}

func (f *Func) unop(v *ssa.UnOp) *prog.Val {
	switch v.Op {
	case token.MUL:
		if f.variable(v.X) {
			if stored := lastStore(v.X, v); stored != nil {
				return f.Val(stored)
			}
		}
		return f.Val(v.X)
	case token.NOT:
		return prog.New(prog.VNot, "", f.Val(v.X))
	case token.ARROW:
		return prog.Hole("received from a channel")
	}
	return prog.New(prog.VApply, v.Op.String(), f.Val(v.X))
}

// variable reports the address of a variable of the function, or of one that
// it captures and sets.
func (f *Func) variable(addr ssa.Value) bool {
	switch v := addr.(type) {
	case *ssa.Alloc:
		return true
	case *ssa.FreeVar:
		return v.Parent() == f.Fn && storedIn(v)
	}
	return false
}

func (f *Func) field(x ssa.Value, i int) *prog.Val {
	name, base := FieldName(x.Type(), i), f.Val(x)
	if dbapi.TxField(name) {
		return prog.New(prog.VApply, prog.TxOf, base)
	}
	if name == "gorm.io/gorm.DB.Error" { // the error of the last step of a chain
		in := base
		for in.Kind == prog.VHandle {
			in = in.Of[0]
		}
		if in.Kind == prog.VResult && strings.HasSuffix(in.Str, ".0") {
			return prog.New(prog.VResult, strings.TrimSuffix(in.Str, ".0")+".1")
		}
	}
	if base.Kind == prog.VMod && base.Str == "stmt" { // a prepared statement embedded in another
		return base
	}
	return part(base, name)
}

// FieldName returns the name of field i of struct type t (or a pointer to
// it): pkg.Type.field.
func FieldName(t types.Type, i int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || i >= st.NumFields() {
		return "?"
	}
	name := "struct"
	if n, ok := types.Unalias(t).(*types.Named); ok {
		name = TypeString(n)
	}
	return name + "." + st.Field(i).Name()
}

func (f *Func) phi(v *ssa.Phi) *prog.Val {
	if first, turns := perTurn(v); first != nil {
		return f.stores(first, turns...)
	}
	if app := f.collected(v); app != nil {
		return app
	}
	if v := f.extreme(v); v != nil {
		return v
	}
	if v := f.decided(v); v != nil {
		return v
	}
	if v := f.flag(v); v != nil {
		return v
	}
	var all []*prog.Val
	for _, e := range v.Edges {
		r := f.Val(e)
		if looped(r) {
			continue
		}
		if sum := summed(v.Type(), r); sum != nil {
			return sum
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return prog.Hole("loop")
	}
	if textual(v.Type()) {
		if base, more := grown(all); base != nil {
			return prog.New(prog.VConcat, "", base, &prog.Val{Kind: prog.VChoice, Str: v.Name(), Of: more})
		}
		if chain := grownChain(v.Name(), all); chain != nil {
			return chain
		}
	}
	out := prog.Choose(maxStores, all...)
	if out.Kind == prog.VChoice {
		out = &prog.Val{Kind: prog.VChoice, Str: v.Name(), Of: out.Of}
	}
	return out
}

// looped reports a value that leads back to itself.
func looped(v *prog.Val) bool {
	for v.Kind == prog.VHandle || v.Kind == prog.VIface {
		v = v.Of[0]
	}
	return v.Kind == prog.VHole && v.Str == "loop"
}

// collected recognises a slice that a loop builds from the rows of a query,
// or from the elements of another slice: it has their order.
func (f *Func) collected(v *ssa.Phi) *prog.Val {
	for _, e := range v.Edges {
		if _, nested := e.(*ssa.Phi); nested { // an outer loop goes on with it: the order is of both
			return nil
		}
	}
	for _, e := range v.Edges {
		call, ok := e.(*ssa.Call)
		if !ok {
			continue
		}
		if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != "append" || len(call.Call.Args) < 2 || call.Call.Args[0] != v {
			continue
		}
		if rows := f.rowsOf(call.Call.Args[1], 0); rows != nil {
			return prog.New(prog.VApply, "collected", f.asSorted(rows, call.Pos()))
		}
	}
	return nil
}

// filled recognises a slice that a loop over another one fills at the same
// index: it has the order of that.
func (f *Func) filled(v *ssa.MakeSlice) *prog.Val {
	var out *prog.Val
	for _, r := range *v.Referrers() {
		at, ok := r.(*ssa.IndexAddr)
		if !ok || at.X != v {
			continue
		}
		for _, r := range *at.Referrers() {
			store, ok := r.(*ssa.Store)
			if !ok || store.Addr != at {
				continue
			}
			rows := f.rowsOf(store.Val, 0)
			if rows == nil || !rangeIndex(at.Index) || out != nil && !prog.Equal(rows, out) {
				return nil
			}
			out = rows
		}
	}
	if out == nil {
		return nil
	}
	return prog.New(prog.VApply, "collected", f.asSorted(out, v.Pos()))
}

// rangeIndex reports the index of a loop over a slice.
func rangeIndex(v ssa.Value) bool {
	if add, ok := v.(*ssa.BinOp); ok {
		v = add.X
	}
	phi, ok := v.(*ssa.Phi)
	return ok && phi.Comment == "rangeindex"
}

// constIndex reports the name of a constant index, as at has it.
func constIndex(s string) bool {
	return s == "" || strings.HasPrefix(s, "s:") || strings.TrimLeft(s, "-0123456789") == ""
}

// rowsOf returns the rows or the slice that a value was read from.
func (f *Func) rowsOf(v ssa.Value, depth int) *prog.Val {
	if depth > 4 {
		return nil
	}
	var found *prog.Val
	var look func(x *prog.Val, d int)
	look = func(x *prog.Val, d int) {
		if x == nil || d > 8 || found != nil {
			return
		}
		if x.Kind == prog.VScan && len(x.Of) == 1 || x.Kind == prog.VElem && !constIndex(x.Str) {
			found = x.Of[0]
			return
		}
		for _, o := range x.Of {
			look(o, d+1)
		}
	}
	look(f.Val(v), 0)
	return found
}

func (f *Func) iface(v *ssa.MakeInterface) *prog.Val {
	var in *prog.Val
	if a, ok := v.X.(*ssa.Alloc); ok {
		in = f.handed(a, v)
	} else {
		in = f.Val(v.X)
	}
	if _, basic := v.X.Type().Underlying().(*types.Basic); basic && !printable(v.X.Type()) && !dbapi.Verbatim(TypeString(types.Unalias(v.X.Type()))) {
		return in
	}
	switch t := types.Unalias(v.X.Type()).(type) {
	case *types.Slice:
		in = f.inOrder(in, v)
		if in.Kind == prog.VList || in.Kind == prog.VConst {
			return in
		}
	case *types.Pointer:
		if _, ok := t.Elem().Underlying().(*types.Slice); ok {
			in = f.inOrder(in, v)
		}
	}
	return f.typed(v.X.Type(), in)
}

// printable reports a type that says itself how it is printed.
func printable(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	for m := range n.Methods() {
		if m.Name() == "String" && !types.IsInterface(m.Signature().Recv().Type()) {
			_, pointer := m.Signature().Recv().Type().(*types.Pointer)
			return !pointer
		}
	}
	return false
}

func (f *Func) convert(v *ssa.Convert) *prog.Val {
	in := f.Val(v.X)
	to, ok := v.Type().Underlying().(*types.Basic)
	from, ok2 := v.X.Type().Underlying().(*types.Basic)
	if ok && ok2 && to.Info()&types.IsInteger != 0 && from.Info()&types.IsInteger != 0 && narrower(to, from) && in.Kind != prog.VConst {
		return prog.New(prog.VApply, "go:"+to.Name(), in)
	}
	return in
}

// narrower reports whether a conversion to integer type a can lose part of
// a value of type b.
func narrower(a, b *types.Basic) bool {
	size := map[types.BasicKind]int{types.Int8: 8, types.Uint8: 8, types.Int16: 16, types.Uint16: 16, types.Int32: 32, types.Uint32: 32}
	as, bs := size[a.Kind()], size[b.Kind()]
	if as == 0 {
		return false
	}
	return bs == 0 || as < bs
}

func (f *Func) slice(v *ssa.Slice) *prog.Val {
	if b, ok := v.X.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 && (v.Low != nil || v.High != nil) {
		return prog.New(prog.VApply, "go:slice", f.Val(v.X))
	}
	return f.Val(v.X)
}

func (f *Func) binop(v *ssa.BinOp) *prog.Val {
	x, y := f.Val(v.X), f.Val(v.Y)
	switch v.Op {
	case token.ADD:
		if b, ok := v.X.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return prog.New(prog.VConcat, "", x, y)
		}
	case token.EQL, token.NEQ:
		g := equal(x, y)
		if is := f.noError(v.X, v.Y); is != nil {
			g = is
		}
		if v.Op == token.NEQ {
			return prog.New(prog.VNot, "", g)
		}
		return g
	}
	return prog.New(prog.VApply, v.Op.String(), x, y)
}

func equal(x, y *prog.Val) *prog.Val {
	switch {
	case y.IsNil():
		return prog.New(prog.VIsNil, "", x)
	case x.IsNil():
		return prog.New(prog.VIsNil, "", y)
	}
	if b, ok := boolean(y); ok {
		if b {
			return x
		}
		return prog.New(prog.VNot, "", x)
	}
	return prog.New(prog.VEq, "", x, y)
}

func boolean(v *prog.Val) (b, ok bool) {
	if v.Kind == prog.VConst && strings.HasPrefix(v.Str, "b:") {
		return v.Str == "b:true", true
	}
	return false, false
}

func (f *Func) mapLiteral(v *ssa.MakeMap) *prog.Val {
	out := prog.New(prog.VRecord, TypeString(v.Type()))
	for _, r := range *v.Referrers() {
		if u, ok := r.(*ssa.MapUpdate); ok {
			out.Of = append(out.Of, prog.New(prog.VInit, f.at(u.Key), f.Val(u.Value)))
		}
	}
	return out
}

// SSA returns the SSA value of an expression, nil when there is none.
func (f *Func) SSA(e ast.Expr) ssa.Value { return f.exprs[ast.Unparen(e)] }

// Numbers returns the numbers of fn's calls, as a Func of it has them.
func Numbers(fn *ssa.Function) map[ssa.CallInstruction]int {
	return New(fn, nil, nil, nil).IDs
}
