package locksummary

import (
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// statement matches text that begins as statements mostly do, and so is not
// looked up as the name of a prepared one.
var statement = regexp.MustCompile(`(?i)^\s*(--.*\n\s*)*(select|insert|update|delete|with)\b`)

// preparedAs returns the text of the statement that the package prepares
// under a name, nil where there is none or more than one.
func (u *unit) preparedAs(name string) *prog.Val {
	if u.prepared == nil {
		u.prepared = map[string]*prog.Val{}
		for _, fn := range u.functions() {
			u.prepares(fn)
		}
	}
	return u.prepared[name]
}

// prepares notes the statements that fn, or a closure in it, prepares.
func (u *unit) prepares(fn *ssa.Function) {
	var f *symval.Func
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok || !namesStatement(call.Common()) {
				continue
			}
			if f == nil {
				f = symval.New(fn, u.texts, u.in.Known)
			}
			c := f.Call(call)
			name, ok := f.Arg(c, c.API.Name).AsText()
			if _, known := f.Arg(c, c.API.SQL).AsText(); !ok || !known {
				continue
			}
			if old, twice := u.prepared[name]; twice && (old == nil || old.String() != f.Arg(c, c.API.SQL).String()) {
				u.prepared[name] = nil
				continue
			}
			u.prepared[name] = f.Arg(c, c.API.SQL)
		}
	}
}

// namesStatement reports a call that prepares a statement under a name.
func namesStatement(c *ssa.CallCommon) bool {
	name := ""
	if c.IsInvoke() {
		if c.Method.Name() == "Prepare" {
			name = c.Method.FullName()
		}
	} else if fn := c.StaticCallee(); fn != nil && fn.Name() == "Prepare" && fn.Object() != nil {
		name = fn.String()
	}
	if name == "" {
		return false
	}
	api, ok := dbapi.Lookup(name)
	return ok && api.Does == dbapi.Prepare && api.Name >= 0 && api.SQL >= 0
}
