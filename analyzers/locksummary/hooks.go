package locksummary

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// gormHooks are the methods of a model that gorm calls around a statement, by
// the method that runs the statement: those before it, then those after it.
var gormHooks = map[string][2][]string{
	"Create":          {{"BeforeSave", "BeforeCreate"}, {"AfterCreate", "AfterSave"}},
	"CreateInBatches": {{"BeforeSave", "BeforeCreate"}, {"AfterCreate", "AfterSave"}},
	"FirstOrCreate":   {{"BeforeSave", "BeforeCreate"}, {"AfterCreate", "AfterSave"}},
	"Save":            {{"BeforeSave", "BeforeCreate", "BeforeUpdate"}, {"AfterCreate", "AfterUpdate", "AfterSave"}},
	"Update":          {{"BeforeSave", "BeforeUpdate"}, {"AfterUpdate", "AfterSave"}},
	"Updates":         {{"BeforeSave", "BeforeUpdate"}, {"AfterUpdate", "AfterSave"}},
	"Delete":          {{"BeforeDelete"}, {"AfterDelete"}},
	"First":           {1: {"AfterFind"}},
	"Take":            {1: {"AfterFind"}},
	"Last":            {1: {"AfterFind"}},
	"Find":            {1: {"AfterFind"}},
}

// idHook is added to the id of a call for the first hook that runs around its
// statement.
const idHook = 1 << 28

// hooked puts the hooks of the model around the statement that c runs. What
// writes runs in one transaction with its hooks.
func (b *builder) hooked(ops []prog.Op, c *symval.Call) []prog.Op {
	if c.API.Lib != "gorm" || len(ops) == 0 {
		return ops
	}
	names := gormHooks[c.Method.Name()]
	model, row := b.modelOf(c)
	if model == nil {
		return ops
	}
	at, conn := ops[0], ops[0].Conn
	if c.API.OwnTx {
		conn = prog.New(prog.VHandle, "gorm", prog.New(prog.VConn, itoa(c.ID+idHook)))
	}
	call := func(hooks []string) (out []prog.Op) {
		for _, name := range hooks {
			m, _, _ := types.LookupFieldOrMethod(types.NewPointer(model), false, model.Obj().Pkg(), name)
			fn, ok := m.(*types.Func)
			if !ok || fn.Type().(*types.Signature).Params().Len() != 1 || !b.pkg.inProgram(fn) || !b.pkg.mayLock(b.fn.Prog.FuncValue(fn), 0) {
				continue
			}
			id := slices.Index(slices.Concat(names[0], names[1]), name) + 1
			out = append(out, prog.Op{Kind: prog.OpCall, ID: c.ID + idHook*(id+1), Pos: at.Pos, Val: prog.New(prog.VFunc, symval.ObjectSymbol(fn)), Args: []*prog.Val{row, conn}})
		}
		return out
	}
	before, after := call(names[0]), call(names[1])
	if len(before)+len(after) == 0 {
		return ops
	}
	ops[0].Conn = conn
	ops = slices.Concat(before, ops, after)
	if !c.API.OwnTx {
		return ops
	}
	open := prog.Op{Kind: prog.OpOpen, ID: c.ID + idHook, Pos: at.Pos, How: "tx", Str: prog.Batch, Conn: at.Conn}
	end := prog.Op{Kind: prog.OpEnd, ID: c.ID + idEnd, Pos: at.Pos, Conn: prog.New(prog.VConn, itoa(open.ID)), How: "commit", Str: prog.Batch}
	return append(append([]prog.Op{open}, ops...), end)
}

// modelOf returns the struct that a chain of gorm is about, and the value
// given for it: of the last step that names one.
func (b *builder) modelOf(c *symval.Call) (*types.Named, *prog.Val) {
	for {
		if all := symval.ModelTypes(c); len(all) > 0 {
			for _, a := range c.Args {
				if mi, ok := a.(*ssa.MakeInterface); ok {
					return all[0], b.f.Val(mi.X)
				}
			}
			return all[0], prog.Hole("model")
		}
		in, ok := c.Args[max(c.API.Handle, 0)].(*ssa.Call)
		if !ok {
			return nil, nil
		}
		if c = b.f.Call(in); !c.Known || c.API.Lib != "gorm" || len(c.Args) == 0 {
			return nil, nil
		}
	}
}

// lockingSteps are the methods of gorm that write, lock or run a text.
var lockingSteps = map[string]bool{"Create": true, "CreateInBatches": true, "FirstOrCreate": true, "Save": true, "Update": true, "Updates": true,
	"UpdateColumn": true, "UpdateColumns": true, "Delete": true, "Exec": true, "Raw": true, "Clauses": true, "Transaction": true, "Begin": true}

// maxHook bounds how deep the calls of a hook are looked into.
const maxHook = 4

// mayLock reports whether a hook may do more than read and set fields: most do
// not, and are left out.
func (u *unit) mayLock(fn *ssa.Function, depth int) bool {
	if fn == nil || len(fn.Blocks) == 0 || depth > maxHook {
		return true
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			callee := call.Common().StaticCallee()
			switch {
			case callee == nil:
				if _, builtin := call.Common().Value.(*ssa.Builtin); !builtin {
					return true
				}
			case callee.Signature.Recv() != nil && symval.TypeString(callee.Signature.Recv().Type()) == "*gorm.io/gorm.DB":
				if lockingSteps[callee.Name()] {
					return true
				}
			default:
				if m, ok := callee.Object().(*types.Func); ok && !u.inProgram(m) {
					continue
				}
				if u.mayLock(callee, depth+1) {
					return true
				}
			}
		}
	}
	return false
}
