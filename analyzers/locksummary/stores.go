package locksummary

import (
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// fieldStores notes what fn leaves in fields of values and in package
// variables, and the connections that it leaves in lists and maps.
func (u *unit) fieldStores(b *builder, fn *ssa.Function, key string) {
	seen := map[string]int{} // by what is stored where, its place in u.out.Fields
	for _, blk := range fn.Blocks {
		u.statementTables(b, blk, key)
		for _, in := range blk.Instrs {
			name, given, made := "", false, false
			var val ssa.Value
			var zero *prog.Val
			switch s := in.(type) {
			case *ssa.Store:
				val = s.Val
				switch a := s.Addr.(type) {
				case *ssa.FieldAddr:
					name, given, made = symval.FieldName(a.X.Type(), a.Field), outer(a.X, nil), onlyReturned(a.X)
					zero = symval.Zero(val.Type())
				case *ssa.Global:
					name = a.Pkg.Pkg.Path() + "." + a.Name()
				case *ssa.IndexAddr:
					if u.holdsSession(val.Type()) {
						name = prog.InElement
					}
				}
			case *ssa.MapUpdate:
				if val = s.Value; u.holdsSession(val.Type()) {
					name = prog.InElement
				}
			}
			if name == "" || !worthStoring(val.Type()) {
				continue
			}
			v := b.f.Val(val)
			if v.Kind == prog.VHole || tooBig(v, 0) {
				v = prog.Hole("stored by " + key)
			}
			id, line := name+strconv.FormatBool(given)+strconv.FormatBool(made)+v.String(), u.pos(in.Pos()).Line
			if at, ok := seen[id]; ok {
				u.out.Fields[at].Line = min(u.out.Fields[at].Line, line)
				continue
			}
			seen[id] = len(u.out.Fields)
			u.out.Fields = append(u.out.Fields, prog.FieldStore{Field: name, Func: key, Val: v, Given: given, Made: made, Zero: zero, Line: line})
		}
	}
}

// maxHolders bounds how many structs, one in the other, are looked into for a
// connection.
const maxHolders = 3

// holdsSession reports the type of connections and transactions, or of a
// struct that has one in a field.
func (u *unit) holdsSession(t types.Type) bool {
	holds, asked := u.sessions[t]
	if !asked {
		if u.sessions == nil {
			u.sessions = map[types.Type]bool{}
		}
		holds = holdsSession(t, 0)
		u.sessions[t] = holds
	}
	return holds
}

func holdsSession(t types.Type, depth int) bool {
	switch symval.HandleKind(t) {
	case "conn", "tx":
		return true
	case "gorm":
		return depth > 0
	}
	if depth > maxHolders {
		return false
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		if _, ok := u.Elem().Underlying().(*types.Struct); ok {
			return holdsSession(u.Elem(), depth)
		}
	case *types.Struct:
		for f := range u.Fields() {
			if holdsSession(f.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// worthStoring reports whether a value of the type can be text, a handle, a
// function or hold one.
func worthStoring(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsInteger|types.IsBoolean) != 0
	case *types.Chan:
		return false
	}
	return true
}

func tooBig(v *prog.Val, depth int) bool {
	if depth > 12 {
		return true
	}
	n := 0
	for _, o := range v.Of {
		if o != nil && tooBig(o, depth+1) {
			return true
		}
		n++
	}
	return n > 64
}
