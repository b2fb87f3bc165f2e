package locksummary

import (
	"go/types"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// maxEmbedded bounds how deep structs in structs are described.
const maxEmbedded = 4

// models describes the structs that libraries can map to tables: those of
// the package whose tags or methods say so, and those it hands to a builder.
func (u *unit) models(given map[*types.Named]bool) {
	scope := u.in.SSA.Pkg.Scope()
	for _, name := range scope.Names() {
		if tn, ok := scope.Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
			if n, ok := tn.Type().(*types.Named); ok && mapped(n) {
				given[n] = true
			}
		}
	}
	for n := range given {
		if st, ok := n.Underlying().(*types.Struct); ok {
			u.out.Structs = append(u.out.Structs, prog.Struct{Type: symval.TypeString(n), Fields: structFields(st, 0)})
		}
	}
	sort.Slice(u.out.Structs, func(i, j int) bool { return u.out.Structs[i].Type < u.out.Structs[j].Type })
}

// mapped reports whether a type says by itself that it is a row.
func mapped(n *types.Named) bool {
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := 0; i < n.NumMethods(); i++ {
		if n.Method(i).Name() == "TableName" {
			return true
		}
	}
	for i := 0; i < st.NumFields(); i++ {
		tag := st.Tag(i)
		for _, key := range []string{`gorm:"`, `bun:"`, `pg:"`, `db:"`, `boil:"`, `xorm:"`} {
			if strings.Contains(tag, key) {
				return true
			}
		}
		if st.Field(i).Embedded() && symval.TypeString(st.Field(i).Type()) == "gorm.io/gorm.Model" {
			return true
		}
	}
	return false
}

func structFields(st *types.Struct, depth int) []prog.StructField {
	var out []prog.StructField
	for i := 0; i < st.NumFields(); i++ {
		v := st.Field(i)
		f := prog.StructField{Name: v.Name(), Type: symval.TypeString(v.Type()), Tag: st.Tag(i), Embedded: v.Embedded(), Relation: relation(v.Type())}
		inside := v.Embedded() || strings.Contains(f.Tag, "embed") || strings.Contains(f.Tag, "extends")
		if s, ok := pointee(v.Type()).Underlying().(*types.Struct); ok && inside && f.Relation && depth < maxEmbedded {
			f.Fields = structFields(s, depth+1)
		}
		out = append(out, f)
	}
	return out
}

func pointee(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// relation reports whether a field's value is a row, or rows, of its own: a
// struct that no column holds.
func relation(t types.Type) bool {
	switch u := types.Unalias(pointee(t)).Underlying().(type) {
	case *types.Slice:
		return !columnValue(t) && relation(u.Elem())
	case *types.Map:
		return !columnValue(t) && relation(u.Elem())
	case *types.Struct:
		return !columnValue(pointee(t))
	}
	return false
}

// columnValue reports whether values of the type are read from and written
// to one column.
func columnValue(t types.Type) bool {
	if symval.TypeString(t) == "time.Time" {
		return true
	}
	ms := types.NewMethodSet(types.NewPointer(t))
	for _, name := range []string{"Scan", "Value"} {
		if sel := ms.Lookup(nil, name); sel == nil {
			return false
		}
	}
	return true
}
