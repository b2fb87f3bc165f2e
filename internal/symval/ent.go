package symval

import (
	"go/constant"
	"go/types"
	"strings"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// generated returns what a method does of a client that ent has generated.
func generated(m *types.Func) (dbapi.Call, bool) {
	recv := m.Signature().Recv()
	if recv == nil || m.Pkg() == nil {
		return dbapi.Call{}, false
	}
	c, _, ok := dbapi.Generated(typeOnly(recv.Type()), m.Name(), firstResult(m))
	return c, ok && entClient(m.Pkg())
}

// Followed reports whether a function is read as it is written: all but the
// insides of what ent and gorm.io/gen have generated are.
func Followed(m *types.Func) bool {
	recv := m.Signature().Recv()
	return recv == nil || m.Pkg() == nil || genFollowed(m) && (dbapi.Followed(typeOnly(recv.Type()), m.Name()) || !entClient(m.Pkg()))
}

func firstResult(m *types.Func) string {
	if m.Signature().Results().Len() == 0 {
		return ""
	}
	return typeOnly(m.Signature().Results().At(0).Type())
}

// typeOnly returns the name of a type without its package.
func typeOnly(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// entClient reports whether ent has generated a package.
func entClient(p *types.Package) bool {
	for _, name := range []string{"Client", "Tx", "txDriver"} {
		if p.Scope().Lookup(name) == nil {
			return false
		}
	}
	for _, imp := range p.Imports() {
		if imp.Path() == "entgo.io/ent/dialect" {
			return true
		}
	}
	return false
}

// entStep completes a step of a generated client: where the chain begins,
// what it runs on and its table; where it sets a column, the column's name.
func (f *Func) entStep(c *Call, out *prog.Val) {
	recv := typeOnly(c.Method.Signature().Recv().Type())
	_, entity, _ := dbapi.Generated(recv, c.Method.Name(), firstResult(c.Method))
	names := entNames(c.Method.Pkg(), entity)
	if recv == entity+"Client" {
		out.Str += " " + itoa(len(out.Of))
		out.Of = append(out.Of, f.entDriver(c, recv), prog.Text(names["Table"]), prog.Text(names["FieldID"]))
		return
	}
	for _, verb := range []string{"SetNillable", "Set", "Add", "Clear"} {
		if field, ok := strings.CutPrefix(c.Method.Name(), verb); ok && names["Field"+field] != "" {
			out.Of = append(out.Of, prog.Text(names["Field"+field]))
			return
		}
	}
}

// entDriver returns what the client that a method is called on, of type recv,
// runs its statements on.
func (f *Func) entDriver(c *Call, recv string) *prog.Val {
	client := f.Arg(c, 0)
	if client.Kind == prog.VParam {
		return prog.New(prog.VHandle, "gorm", client)
	}
	p := c.Method.Pkg().Path()
	return prog.New(prog.VField, p+".config.driver", prog.New(prog.VField, p+"."+recv+".config", client))
}

// HandleOf returns the handle that a call runs on.
func (f *Func) HandleOf(c *Call) *prog.Val {
	if c.API.Lib == "ent" && c.API.Does == dbapi.Begin && c.API.Handle == 0 && c.Method != nil && entClient(c.Method.Pkg()) {
		return f.entDriver(c, "Client")
	}
	return f.Arg(c, c.API.Handle)
}

// entNames returns the constants of an entity's own package: its table and
// its columns.
func entNames(p *types.Package, entity string) map[string]string {
	out := map[string]string{}
	want := p.Path() + "/" + strings.ToLower(entity)
	for _, imp := range p.Imports() {
		if imp.Path() != want {
			continue
		}
		for _, name := range imp.Scope().Names() {
			if k, ok := imp.Scope().Lookup(name).(*types.Const); ok && k.Val().Kind() == constant.String {
				out[name] = constant.StringVal(k.Val())
			}
		}
	}
	return out
}
