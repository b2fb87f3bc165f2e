package locksummary

import (
	"go/token"
	"go/types"
	"path"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// isRouter reports the type of a router, or of a command, which is under
// another as a router is.
func isRouter(t types.Type) bool {
	n, ok := types.Unalias(derefType(t)).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	switch p := n.Obj().Pkg().Path(); {
	case p == cobra:
		return n.Obj().Name() == "Command"
	case dbapi.RegistersIn(p):
		return dbapi.Router(symval.TypeString(types.Unalias(t)))
	}
	return false
}

const cobra = "github.com/spf13/cobra"

// keep notes the router that a field or variable holds: what is registered
// on either is registered on both.
func (r *registrar) keep(name string, v ssa.Value) {
	if isRouter(v.Type()) {
		r.same(r.router(v), "field "+name)
	}
}

// same notes that one router goes by two names.
func (r *registrar) same(a, b string) {
	r.link(a, b, prog.SameRouter, "")
}

// router returns the name of a router by where it comes from; a group is a
// router of its own, linked to the one it is a part of.
func (r *registrar) router(v ssa.Value) string {
	if v == nil {
		return ""
	}
	here := symval.Symbol(r.fn)
	switch x := bareValue(v).(type) {
	case *ssa.Parameter:
		for i, p := range x.Parent().Params {
			if p == x {
				return "parameter " + symval.Symbol(x.Parent()) + "#" + itoa(i)
			}
		}
	case *ssa.FreeVar:
		return r.outer(x)
	case *ssa.Global:
		return "field " + x.Pkg.Pkg.Path() + "." + x.Name()
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return r.router(x.X)
		}
	case *ssa.FieldAddr:
		if embeddedIn(x.X.Type(), x.Field) && isRouter(x.X.Type()) {
			return r.router(x.X)
		}
		return "field " + symval.FieldName(x.X.Type(), x.Field)
	case *ssa.Field:
		return "field " + symval.FieldName(x.X.Type(), x.Field)
	case *ssa.Extract:
		return r.router(x.Tuple)
	case *ssa.Phi:
		return r.router(x.Edges[0])
	case *ssa.Alloc:
		if stored := onlyStore(x); stored != nil {
			return r.router(stored)
		}
		return "value " + here + " " + x.Name()
	case *ssa.Call:
		return r.made(x)
	}
	return "value " + here + " " + path.Base(v.Name())
}

// made returns the router that a call returns.
func (r *registrar) made(x *ssa.Call) string {
	own := "value " + symval.Symbol(r.fn) + " " + x.Name()
	m := callee(&x.Call)
	if m == nil || m.Pkg() == nil {
		return own
	}
	args := x.Call.Args
	if x.Call.IsInvoke() {
		args = append([]ssa.Value{x.Call.Value}, args...)
	}
	if reg, ok := dbapi.Register(m.FullName()); ok && reg.Does == "group" && reg.Handle >= 0 && reg.Handle < len(args) {
		name := ""
		if reg.Name >= 0 && reg.Name < len(args) {
			name = r.text(args[reg.Name])
		}
		if reg.What == "strip" {
			name = "-" + name
		}
		r.link(own, r.router(args[reg.Handle]), "http", name)
		return own
	}
	if r.u.inProgram(m) && !r.library(m) && !x.Call.IsInvoke() {
		return "result " + symval.ObjectSymbol(m)
	}
	return own
}

// outer returns the router that a closure captures.
func (r *registrar) outer(v *ssa.FreeVar) string {
	fn := v.Parent()
	for i, free := range fn.FreeVars {
		if free != v || fn.Parent() == nil {
			continue
		}
		up := &registrar{u: r.u, fn: fn.Parent()}
		for _, blk := range fn.Parent().Blocks {
			for _, in := range blk.Instrs {
				if mc, ok := in.(*ssa.MakeClosure); ok && mc.Fn == fn && i < len(mc.Bindings) {
					return up.router(mc.Bindings[i])
				}
			}
		}
	}
	return ""
}

func embeddedIn(t types.Type, i int) bool {
	st, ok := derefType(t).Underlying().(*types.Struct)
	return ok && i < st.NumFields() && st.Field(i).Embedded()
}

// onlyStore returns the one value that is stored in a variable, nil when
// there are several or none.
func onlyStore(a *ssa.Alloc) ssa.Value {
	if _, ok := derefType(a.Type()).Underlying().(*types.Struct); ok || a.Referrers() == nil {
		return nil
	}
	var out ssa.Value
	for _, ref := range *a.Referrers() {
		if s, ok := ref.(*ssa.Store); ok && s.Addr == a {
			if out != nil {
				return nil
			}
			out = s.Val
		}
	}
	return out
}
