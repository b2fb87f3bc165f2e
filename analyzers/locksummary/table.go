package locksummary

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// table returns the table of a type whose TableName method says it.
func (r *Resolver) table(typ string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tables[typ]
}

// model returns how a library maps a struct to a table, nil for what is no
// known struct.
func (r *Resolver) model(lib, typ string) *dbapi.Model {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := lib + " " + typ
	if m, ok := r.models[key]; ok {
		return m
	}
	var m *dbapi.Model
	if s, ok := r.structs[typ]; ok {
		name, fields := typ[strings.LastIndexByte(typ, '.')+1:], dbFields(s.Fields)
		switch lib {
		case "gorm", "gen":
			m = dbapi.GormModel(name, r.tables[typ], fields)
		case "pop", "upper":
			m = dbapi.PopModel(name, r.tables[typ], fields)
		case "bun":
			m = dbapi.BunModel("bun", name, fields)
		case "gopg":
			m = dbapi.BunModel("pg", name, fields)
		case "xorm":
			m = dbapi.XormModel(name, r.tables[typ], fields)
		case "sqlboiler":
			m = dbapi.BoilModel(name, fields)
		}
	}
	r.models[key] = m
	return m
}

func dbFields(list []prog.StructField) []dbapi.Field {
	var out []dbapi.Field
	for _, f := range list {
		out = append(out, dbapi.Field{Name: f.Name, Type: f.Type, Tag: f.Tag, Embedded: f.Embedded, Relation: f.Relation, Fields: dbFields(f.Fields)})
	}
	return out
}

// fieldOf returns a field of a row as the program reads it, through what it
// embeds.
func (r *Resolver) fieldOf(typ, field string, base *prog.Val) *prog.Val {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := base
	list := r.structs[typ].Fields
	for depth := 0; depth < maxEmbedded; depth++ {
		var inside *prog.StructField
		for i := range list {
			if list[i].Name == field {
				return prog.New(prog.VField, typ+"."+field, v)
			}
			if list[i].Embedded && hasField(list[i].Fields, field) {
				inside = &list[i]
			}
		}
		if inside == nil {
			break
		}
		v = prog.New(prog.VField, typ+"."+inside.Name, v)
		typ, list = strings.TrimLeft(inside.Type, "*"), inside.Fields
	}
	return prog.New(prog.VField, typ+"."+field, base)
}

func hasField(list []prog.StructField, name string) bool {
	for _, f := range list {
		if f.Name == name || f.Embedded && hasField(f.Fields, name) {
			return true
		}
	}
	return false
}
