package locksummary

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A registrar reads what the functions of a package register to be entered
// by: routes, commands, jobs.
type registrar struct {
	u   *unit
	fn  *ssa.Function
	f   *symval.Func
	out []prog.Route
}

// routes notes what the package registers.
func (u *unit) routes() {
	for _, fn := range append(u.functions(), u.in.SSA.Func("init")) {
		if fn == nil || strings.HasSuffix(u.fset.Position(fn.Pos()).Filename, "_test.go") {
			continue
		}
		r := &registrar{u: u, fn: fn}
		for _, blk := range fn.Blocks {
			for _, in := range blk.Instrs {
				r.instr(in)
			}
		}
		u.out.Routes = append(u.out.Routes, r.out...)
	}
}

func (r *registrar) instr(in ssa.Instruction) {
	switch in := in.(type) {
	case ssa.CallInstruction:
		r.call(in)
	case *ssa.Store:
		switch addr := in.Addr.(type) {
		case *ssa.FieldAddr:
			r.field(addr, in.Val)
			r.keep(symval.FieldName(addr.X.Type(), addr.Field), in.Val)
		case *ssa.Global:
			r.keep(addr.Pkg.Pkg.Path()+"."+addr.Name(), in.Val)
		}
	case *ssa.Return:
		for _, v := range in.Results {
			if isRouter(bareValue(v).Type()) {
				r.same(r.router(v), "result "+symval.Symbol(r.fn))
			}
		}
	}
}

// val evaluates a value of the function.
func (r *registrar) val(v ssa.Value) *prog.Val {
	if r.f == nil {
		r.f = symval.New(r.fn, r.u.texts, r.u.in.Known, r.u.inProgram)
	}
	return r.f.Val(v)
}

func (r *registrar) link(to, on, kind, name string) {
	if to != "" && to != on {
		r.out = append(r.out, prog.Route{On: on, To: to, Kind: kind, Name: name})
	}
}

// call reads a call: of a library that registers, of a generated function
// that does, or of a function that is given a router.
func (r *registrar) call(in ssa.CallInstruction) {
	c := in.Common()
	m := callee(c)
	if m == nil || m.Pkg() == nil {
		return
	}
	args := c.Args
	if c.IsInvoke() {
		args = append([]ssa.Value{c.Value}, c.Args...)
	}
	if dbapi.RegistersIn(m.Pkg().Path()) {
		if reg, ok := dbapi.Register(m.FullName()); ok {
			r.registration(in, reg, m, args)
			return
		}
	}
	if m.Pkg().Path() == cobra && m.Name() == "AddCommand" {
		for _, child := range elements(args[len(args)-1]) {
			r.link(r.router(child), r.router(args[0]), "command", "")
		}
		return
	}
	if r.service(m, args) {
		return
	}
	for i, a := range args {
		if !isRouter(a.Type()) || c.IsInvoke() && i == 0 {
			continue
		}
		if c.IsInvoke() { // of whatever implements it
			r.link("parameter ."+m.Name()+"#"+itoa(i), r.router(a), "", "")
		} else if r.u.inProgram(m) {
			r.link("parameter "+symval.ObjectSymbol(m)+"#"+itoa(i), r.router(a), "", "")
		}
	}
}

func callee(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	m, _ := fn.Object().(*types.Func)
	return m
}

// registration reads a call that a table knows.
func (r *registrar) registration(in ssa.CallInstruction, reg dbapi.Registration, m *types.Func, args []ssa.Value) {
	arg := func(i int) ssa.Value {
		if i < 0 || i >= len(args) {
			return nil
		}
		return args[i]
	}
	on := ""
	if h := arg(reg.Handle); h != nil && reg.Does != "entry" || h != nil && isRouter(h.Type()) || h != nil && reg.What != "cron" && reg.What != "activity" && reg.What != "workflow" {
		on = r.router(arg(reg.Handle))
	}
	switch reg.Does {
	case "group":
		if fn := arg(reg.Callback); fn != nil {
			for _, k := range r.functions(fn, "", 0) {
				r.link("parameter "+k.Fn.Str+"#0", on, "http", r.text(arg(reg.Name)))
			}
		}
	case "later":
	case "mount":
		r.link(r.router(arg(reg.Value)), on, "http", r.text(arg(reg.Name)))
	case "entry":
		e := prog.Route{On: on, Kind: reg.What, Name: r.text(arg(reg.Name))}
		if n := arg(reg.Name); n != nil {
			e.Path = r.val(n)
		}
		switch {
		case reg.What == "verb":
			e.Kind = "http"
			if v := strings.ToUpper(m.Name()); v != "ANY" && v != "ALL" {
				e.Verb = v + " "
			}
		case reg.Mode >= 0:
			e.Verb = strings.ToUpper(r.text(arg(reg.Mode))) + " "
			if e.Path != nil {
				e.Path = prog.New(prog.VConcat, "", r.val(arg(reg.Mode)), prog.Text(" "), e.Path)
			}
		case reg.What == "http":
			e.Verb = methodsOf(in, args[0])
		}
		e.Name = e.Verb + e.Name
		if reg.Mode >= 0 {
			e.Verb = ""
		}
		r.entry(e, reg, args)
	}
}

// entry notes the functions that a call hands over.
func (r *registrar) entry(e prog.Route, reg dbapi.Registration, args []ssa.Value) {
	if reg.Callback >= len(args) {
		return
	}
	for _, a := range args[reg.Callback:] {
		for _, x := range elements(a) {
			if to := r.subrouter(x); to != "" { // a whole router under a pattern
				_, p, ok := strings.Cut(e.Name, " ")
				if !ok {
					p = e.Name
				}
				r.link(to, e.On, "http", p)
			}
			for _, f := range r.functions(x, reg.Method, 0) {
				f.On, f.Kind, f.Name = e.On, e.Kind, e.Name
				if f.In != "" {
					f.Path, f.Verb = e.Path, e.Verb
				}
				if f.Name == "" && f.Kind != "http" {
					f.Name = shortName(f.Fn.Str)
				}
				r.out = append(r.out, f)
			}
		}
	}
}

// subrouter returns the router that a handler is, with what is cut off its
// paths as a link of its own; "" when it is none.
func (r *registrar) subrouter(v ssa.Value) string {
	v = bareValue(v)
	if c, ok := v.(*ssa.Call); ok {
		if m := callee(&c.Call); m != nil && m.FullName() == "net/http.StripPrefix" {
			to := "value " + symval.Symbol(r.fn) + " " + c.Name()
			if in := r.subrouter(c.Call.Args[1]); in != "" {
				r.link(in, to, "http", "-"+r.text(c.Call.Args[0]))
				return to
			}
			return ""
		}
	}
	if isRouter(v.Type()) {
		return r.router(v)
	}
	return ""
}

// shortName returns the last word of a symbol.
func shortName(sym string) string {
	sym, _, _ = strings.Cut(sym, "|")
	if at := strings.LastIndexByte(sym, '.'); at >= 0 {
		if recv := strings.Trim(sym[:at], ")*"); sym[at+1:] == "Work" { // a worker is known by its type
			return recv[strings.LastIndexAny(recv, ".(*")+1:]
		}
		return sym[at+1:]
	}
	return sym
}

// methodsOf returns the methods that gorilla/mux is told behind a route, or
// before its function.
func methodsOf(in ssa.CallInstruction, recv ssa.Value) string {
	if call, ok := in.(*ssa.Call); ok {
		for _, ref := range *call.Referrers() {
			if next, ok := ref.(*ssa.Call); ok && len(next.Call.Args) > 0 && next.Call.Args[0] == call && verbs(next) != "" {
				return verbs(next)
			}
		}
	}
	for {
		call, ok := recv.(*ssa.Call)
		if !ok || len(call.Call.Args) == 0 {
			return ""
		}
		if v := verbs(call); v != "" {
			return v
		}
		recv = call.Call.Args[0]
	}
}

// verbs returns the methods that a call of Methods names.
func verbs(call *ssa.Call) string {
	if fn := call.Call.StaticCallee(); fn == nil || fn.Name() != "Methods" || len(call.Call.Args) != 2 {
		return ""
	}
	var out []string
	for _, e := range elements(call.Call.Args[1]) {
		if k, ok := e.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String {
			out = append(out, constant.StringVal(k.Value))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, "|") + " "
}

// text returns a constant text, "" when it is not known.
func (r *registrar) text(v ssa.Value) string {
	if v == nil {
		return ""
	}
	return prog.PathText(r.val(v))
}

// elements returns the values of a slice literal, such as that of variadic
// arguments; of another value, that one.
func elements(v ssa.Value) []ssa.Value {
	sl, ok := v.(*ssa.Slice)
	if !ok {
		return []ssa.Value{v}
	}
	a, ok := sl.X.(*ssa.Alloc)
	if !ok || a.Referrers() == nil {
		return nil
	}
	var out []ssa.Value
	for _, ref := range *a.Referrers() {
		if ia, ok := ref.(*ssa.IndexAddr); ok {
			for _, rr := range *ia.Referrers() {
				if s, ok := rr.(*ssa.Store); ok {
					out = append(out, bareValue(s.Val))
				}
			}
		}
	}
	return out
}

// bareValue strips conversions.
func bareValue(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.TypeAssert:
			v = x.X
		default:
			return v
		}
	}
}

// functions returns the functions that a value is, or that a call which makes
// it is given: middleware around a handler is no end of it.
func (r *registrar) functions(v ssa.Value, method string, depth int) []prog.Route {
	v = bareValue(v)
	if depth > 4 {
		return nil
	}
	if i := r.parameter(v); i >= 0 {
		return []prog.Route{{Fn: prog.New(prog.VParam, itoa(i)), In: symval.Symbol(r.fn)}}
	}
	switch x := r.val(v); x.Kind {
	case prog.VClosure:
		out := []prog.Route{{Fn: x}}
		for _, p := range prog.Captured(x) { // what it calls in turn
			out = append(out, prog.Route{Fn: p, In: symval.Symbol(r.fn)})
		}
		return out
	case prog.VFunc, prog.VMethod:
		return []prog.Route{{Fn: x}}
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return r.methods(v.Type(), method)
	}
	var out []prog.Route
	for _, a := range call.Call.Args {
		for _, e := range elements(a) {
			out = append(out, r.functions(e, method, depth+1)...)
		}
	}
	m := callee(&call.Call)
	if _, isFunc := call.Type().Underlying().(*types.Signature); len(out) == 0 && m != nil && r.u.inProgram(m) && !r.library(m) {
		if isFunc || symval.TypeString(call.Type()) == "net/http.Handler" {
			return []prog.Route{{Fn: prog.New(prog.VFunc, symval.ObjectSymbol(m)), Made: true}}
		}
	}
	if len(out) == 0 {
		return r.methods(call.Type(), method)
	}
	return out
}

// parameter returns which parameter of the function a function value is, -1
// when it is none.
func (r *registrar) parameter(v ssa.Value) int {
	p, ok := v.(*ssa.Parameter)
	if !ok || p.Parent() != r.fn {
		return -1
	}
	if _, fn := p.Type().Underlying().(*types.Signature); !fn && symval.TypeString(p.Type()) != "net/http.Handler" {
		return -1
	}
	return slices.Index(r.fn.Params, p)
}

func (r *registrar) library(m *types.Func) bool { return dbapi.RegistersIn(m.Pkg().Path()) }

// methods returns the methods by which a value of the type is entered: the
// one of that name, or all that are exported.
func (r *registrar) methods(t types.Type, method string) []prog.Route {
	named, ok := types.Unalias(derefType(t)).(*types.Named)
	if !ok || types.IsInterface(named) || named.Obj().Pkg() == nil || isRouter(t) {
		return nil
	}
	var out []prog.Route
	for i := range named.NumMethods() {
		m := named.Method(i)
		if m.Name() == method || method == "" && m.Exported() {
			out = append(out, prog.Route{Fn: prog.New(prog.VFunc, symval.ObjectSymbol(m))})
		}
	}
	return out
}

func derefType(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// generatedService matches the functions by which generated code takes the
// implementation of a service: those of gRPC, and those of Connect.
var generatedService = lazyregexp.New(`^(?:Register(\w+)Server|New(\w+)Handler)$`)

// service notes the methods of a generated service.
func (r *registrar) service(m *types.Func, args []ssa.Value) bool {
	if !strings.HasPrefix(m.Name(), "Register") && !strings.HasPrefix(m.Name(), "New") {
		return false
	}
	name := generatedService.FindStringSubmatch(m.Name())
	sig := m.Signature()
	if name == nil || sig.Recv() != nil || sig.Params().Len() == 0 {
		return false
	}
	at, kind, service := 0, "connect", name[2]
	if name[1] != "" {
		at, kind, service = 1, "grpc", name[1]
	}
	if at >= sig.Params().Len() || at >= len(args) || kind == "connect" && (sig.Results().Len() != 2 || symval.TypeString(sig.Results().At(1).Type()) != "net/http.Handler") {
		return false
	}
	face, ok := sig.Params().At(at).Type().Underlying().(*types.Interface)
	impl := bareValue(args[at]).Type()
	if !ok || types.IsInterface(impl) {
		return ok
	}
	for i := range face.NumMethods() {
		obj, _, _ := types.LookupFieldOrMethod(impl, true, m.Pkg(), face.Method(i).Name())
		if f, ok := obj.(*types.Func); ok && f.Exported() && f.Pkg() != m.Pkg() {
			r.out = append(r.out, prog.Route{Kind: kind, Name: service + "/" + f.Name(), Fn: prog.New(prog.VFunc, symval.ObjectSymbol(f))})
		}
	}
	return true
}

// field reads what is stored in a field of a command.
func (r *registrar) field(addr *ssa.FieldAddr, v ssa.Value) {
	n, ok := types.Unalias(derefType(addr.X.Type())).(*types.Named)
	if !ok || n.Obj().Name() != "Command" || n.Obj().Pkg() == nil {
		return
	}
	name := symval.FieldName(addr.X.Type(), addr.Field)
	name = name[strings.LastIndexByte(name, '.')+1:]
	use := ""
	switch n.Obj().Pkg().Path() {
	case cobra:
		use = "Use"
	case "github.com/urfave/cli", "github.com/urfave/cli/v2", "github.com/urfave/cli/v3":
		use = "Name"
	default:
		return
	}
	on := r.router(addr.X)
	word, _, _ := strings.Cut(r.text(v), " ")
	switch name {
	case use:
		r.out = append(r.out, prog.Route{On: on, Kind: "command", Name: word})
	case "Run", "RunE", "PreRun", "PreRunE", "PersistentPreRun", "PersistentPreRunE", "Action", "Before", "After":
		for _, f := range r.functions(v, "", 0) {
			f.On, f.Kind, f.Name = on, "command", r.sibling(addr, use)
			r.out = append(r.out, f)
		}
	}
}

// sibling returns the first word of the text in another field of the value
// that addr is a field of.
func (r *registrar) sibling(addr *ssa.FieldAddr, field string) string {
	if addr.X.Referrers() == nil {
		return ""
	}
	for _, ref := range *addr.X.Referrers() {
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok || !strings.HasSuffix(symval.FieldName(fa.X.Type(), fa.Field), "."+field) {
			continue
		}
		for _, rr := range *fa.Referrers() {
			if s, ok := rr.(*ssa.Store); ok && s.Addr == fa {
				word, _, _ := strings.Cut(r.text(s.Val), " ")
				return word
			}
		}
	}
	return ""
}
