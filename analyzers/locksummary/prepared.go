package locksummary

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// statement matches text that begins as statements mostly do, and so is not
// looked up as the name of a prepared one.
var statement = lazyregexp.New(`(?i)^\s*(--.*\n\s*)*(select|insert|update|delete|with)\b`)

// statementTables notes what fields hold the statements of tables that pair the
// address of such a field with a text, {&s.find, findSQL}: what walks the table
// prepares the text and puts it there.
func (u *unit) statementTables(b *builder, blk *ssa.BasicBlock, key string) {
	fields := map[ssa.Value]*ssa.FieldAddr{} // by the row of the table
	for _, in := range blk.Instrs {
		s, ok := in.(*ssa.Store)
		if !ok {
			continue
		}
		row, ok := s.Addr.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		if field, ok := s.Val.(*ssa.FieldAddr); ok && symval.HandleKind(pointee(field.Type())) == "stmt" {
			fields[row.X] = field
			continue
		}
		field := fields[row.X]
		if t, ok := s.Val.Type().Underlying().(*types.Basic); field == nil || !ok || t.Info()&types.IsString == 0 {
			continue
		}
		u.out.Fields = append(u.out.Fields, prog.FieldStore{Field: symval.FieldName(field.X.Type(), field.Field), Func: key,
			Val:  prog.New(prog.VMod, "stmt", prog.Hole("prepared by "+key), b.f.Val(s.Val)),
			Made: onlyReturned(field.X), Line: u.pos(in.Pos()).Line})
	}
}

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
			if !ok {
				continue
			}
			name, text := namedStatement(call.Common())
			if name == nil {
				continue
			}
			if f == nil {
				f = symval.New(fn, u.texts, u.in.Known, u.inProgram)
			}
			if m := rangedMap(name, text); m != nil {
				for _, put := range u.entries(m) {
					u.noteStatement(f.Val(put.Key), f.Val(put.Value))
				}
				continue
			}
			u.noteStatement(f.Val(name), f.Val(text))
		}
	}
}

// noteStatement notes that text is prepared under a name.
func (u *unit) noteStatement(name, text *prog.Val) {
	n, ok := name.AsText()
	if _, known := text.AsText(); !ok || !known {
		return
	}
	if old, twice := u.prepared[n]; twice && (old == nil || old.String() != text.String()) {
		text = nil
	}
	u.prepared[n] = text
}

// namedStatement returns the name and the text of a call that prepares a
// statement, by a library's method or one with its signature.
func namedStatement(c *ssa.CallCommon) (name, text ssa.Value) {
	var method string
	args := c.Args
	switch fn := c.StaticCallee(); {
	case c.IsInvoke():
		method = c.Method.Name()
	case fn != nil && fn.Signature.Recv() != nil && len(args) > 0:
		method, args = fn.Name(), args[1:]
	}
	if method != "Prepare" && method != "PrepareEx" {
		return nil, nil
	}
	for i := range min(2, len(args)-1) { // after a context, or at once
		if isString(args[i]) && isString(args[i+1]) {
			return args[i], args[i+1]
		}
	}
	return nil, nil
}

func isString(v ssa.Value) bool {
	b, ok := v.Type().Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}

// rangedMap returns the map of which a loop has name as its key and text as
// its value, nil when they are something else.
func rangedMap(name, text ssa.Value) ssa.Value {
	k, ok := name.(*ssa.Extract)
	if !ok {
		return nil
	}
	v, ok := text.(*ssa.Extract)
	next, isNext := k.Tuple.(*ssa.Next)
	if !ok || !isNext || v.Tuple != k.Tuple || k.Index != 1 || v.Index != 2 {
		return nil
	}
	return next.Iter.(*ssa.Range).X
}

// entries returns what is put into a map that is made in sight: the map
// itself, or the one that the package gives its variable.
func (u *unit) entries(m ssa.Value) []*ssa.MapUpdate {
	if load, ok := m.(*ssa.UnOp); ok {
		g, ok := load.X.(*ssa.Global)
		if !ok || g.Pkg != u.in.SSA {
			return nil
		}
		m = initialOf(g)
	}
	made, ok := m.(*ssa.MakeMap)
	if !ok {
		return nil
	}
	var out []*ssa.MapUpdate
	for _, r := range *made.Referrers() {
		if put, ok := r.(*ssa.MapUpdate); ok {
			out = append(out, put)
		}
	}
	return out
}

// initialOf returns what a package variable is given before main runs, nil
// when that is not one value.
func initialOf(g *ssa.Global) ssa.Value {
	start := g.Pkg.Func("init")
	if start == nil {
		return nil
	}
	var found ssa.Value
	for _, blk := range start.Blocks {
		for _, in := range blk.Instrs {
			if st, ok := in.(*ssa.Store); ok && st.Addr == ssa.Value(g) {
				if found != nil {
					return nil
				}
				found = st.Val
			}
		}
	}
	return found
}
