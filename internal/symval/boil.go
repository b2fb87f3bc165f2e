package symval

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// BoilPackage reports whether sqlboiler has generated a package.
func BoilPackage(p *types.Package) bool {
	v, ok := p.Scope().Lookup("dialect").(*types.Var)
	return ok && dbapi.BoilDialect(TypeString(v.Type()))
}

// quotedTable matches the table in a statement that sqlboiler has generated,
// or by itself.
var quotedTable = lazyregexp.New(`^(?:INSERT INTO |UPDATE )?("\w[^"]*"(?:\."\w[^"]*")?)(?: |$)`)

// BoilWrite returns the chain that a method is which sqlboiler has generated
// to write a row, and what it runs on; nil when the function is none. The
// method itself keeps its texts by what it is called with.
func (f *Func) BoilWrite() (chain, on *prog.Val) {
	switch f.Fn.Name() {
	case "Insert", "Update", "Upsert":
	default:
		return nil, nil
	}
	if f.Fn.Signature.Recv() == nil || len(f.Fn.Params) < 4 {
		return nil, nil
	}
	table, keys := "", prog.Hole("the columns of the key")
	for _, b := range f.Fn.Blocks {
		for _, in := range b.Instrs {
			for _, v := range in.Operands(nil) {
				switch v := (*v).(type) {
				case *ssa.Const:
					if s, ok := f.Val(v).AsText(); ok && table == "" {
						if g := quotedTable.FindStringSubmatch(s); g != nil {
							table = g[1]
						}
					}
				case *ssa.Global:
					if strings.HasSuffix(v.Name(), "PrimaryKeyColumns") {
						keys = f.Val(v)
					}
				}
			}
		}
	}
	if table == "" {
		return nil, nil
	}
	recv := f.Fn.Params[0]
	chain = prog.New(prog.VMod, "sqlboiler "+f.Fn.Name(), prog.Hole("start"), prog.Text(table), keys, prog.New(prog.VIface, TypeString(recv.Type()), f.Val(recv)))
	for _, p := range f.Fn.Params[3:] {
		chain.Of = append(chain.Of, f.Val(p))
	}
	return chain, f.Val(f.Fn.Params[2])
}
