package symval

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

const genDO = "gorm.io/gen.DO"

// genQuery returns the name of the type that gorm.io/gen has generated for the
// queries of a model, of which t is one: the struct that holds its columns,
// the one that has its methods, or the interface of those. It is "" when t is
// none.
func genQuery(t types.Type) (p *types.Package, do string) {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil, ""
	}
	p, name := n.Obj().Pkg(), n.Obj().Name()
	if types.IsInterface(n) {
		name = strings.TrimPrefix(name, "I")
		if name != "" {
			name = strings.ToLower(name[:1]) + name[1:]
		}
	}
	name = strings.TrimSuffix(name, "Do") + "Do"
	obj, ok := p.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, ""
	}
	st, ok := obj.Type().Underlying().(*types.Struct)
	if !ok || st.NumFields() != 1 || TypeString(st.Field(0).Type()) != genDO {
		return nil, ""
	}
	return p, name
}

// genCall returns what a call does that is one of a generated query.
func genCall(c *Call) (dbapi.Call, bool) {
	if len(c.Args) == 0 || c.Method.Signature().Recv() == nil {
		return dbapi.Call{}, false
	}
	if do, _ := genOf(c); do == "" {
		return dbapi.Call{}, false
	}
	return dbapi.GenMethod(c.Method.Name())
}

// genOf returns the type whose query a call is of, and its package. A method
// of gen itself is called on what the generated struct embeds.
func genOf(c *Call) (do string, p *types.Package) {
	recv := c.Args[0]
	if TypeString(deref(recv.Type())) == genDO {
		fa, ok := recv.(*ssa.FieldAddr)
		if !ok {
			return "", nil
		}
		recv = fa.X
	}
	p, do = genQuery(recv.Type())
	return do, p
}

// genFollowed reports whether a function is no method of a generated query
// whose call says by itself what it does.
func genFollowed(m *types.Func) bool {
	if _, do := genQuery(m.Signature().Recv().Type()); do == "" {
		return true
	}
	_, ok := dbapi.GenMethod(m.Name())
	return !ok
}

// genStart begins the chain of a generated query: its model, and what it runs
// on, which stands beside it in the struct of all queries.
func (f *Func) genStart(c *Call, base *prog.Val) *prog.Val {
	do, p := genOf(c)
	at := base
	for {
		switch {
		case at.Kind == prog.VHandle || at.Kind == prog.VIface:
			at = at.Of[0]
			continue
		case at.Kind == prog.VField && (strings.HasSuffix(at.Str, "."+do) || strings.HasSuffix(at.Str, "Do.DO")):
			at = at.Of[0]
			continue
		}
		break
	}
	if at.Kind == prog.VMod {
		return at
	}
	on := prog.New(prog.VHandle, "gorm", at)
	if name, ok := strings.CutPrefix(at.Str, p.Path()+".Query."); ok && at.Kind == prog.VField && name != "db" {
		on = prog.New(prog.VField, p.Path()+".Query.db", at.Of[0])
	}
	return prog.New(prog.VMod, "gen Model 2", prog.New(prog.VHandle, "gorm", at), prog.New(prog.VIface, genModel(p, do), prog.Hole("row")), on)
}

// genModel returns the type of the rows of a generated query.
func genModel(p *types.Package, do string) string {
	obj := p.Scope().Lookup(do)
	first, _, _ := types.LookupFieldOrMethod(types.NewPointer(obj.Type()), true, p, "First")
	if m, ok := first.(*types.Func); ok && m.Signature().Results().Len() > 0 {
		return TypeString(m.Signature().Results().At(0).Type())
	}
	return ""
}
