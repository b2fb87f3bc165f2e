package dbapi

import "strings"

// gen renders a query of gorm.io/gen: a chain of gorm whose model comes first
// and whose conditions and columns are expressions of its fields.
func (w *writer) gen(steps []Step) ([]string, string) {
	var out []Step
	var m *Model
	for _, s := range steps {
		switch s.Method {
		case "Model":
			if len(s.Args) > 0 {
				m = s.Args[0].Model
			}
			out = append(out, s)
		case "Where", "Not", "Or", "Having":
			for _, c := range s.Args {
				out = append(out, Step{Method: s.Method, Args: genCond(m, c)})
			}
		case "Order", "Group":
			for _, c := range s.Args {
				out = append(out, Step{Method: s.Method, Args: []Arg{{Text: genOrder(m, c), Known: true}}})
			}
		case "Select", "Distinct", "Omit":
			out = append(out, Step{Method: strings.Replace(s.Method, "Omit", "Debug", 1)})
		case "Join", "LeftJoin", "RightJoin":
			return nil, "joined table not known"
		case "Update", "UpdateColumn", "UpdateSimple", "UpdateColumnSimple":
			out = append(out, Step{Method: "Updates", Args: []Arg{genSet(m, s)}})
		case "FindByPage", "FindInBatch", "FindInBatches":
			out = append(out, Step{Method: "Find"})
		case "ScanByPage", "Pluck":
			out = append(out, Step{Method: "Scan"})
		case "First", "Take", "Last", "Find", "Count":
			out = append(out, Step{Method: s.Method})
		case "Joins", "Preload", "Attrs", "Assign", "Returning", "WithContext":
		default:
			out = append(out, s)
		}
	}
	return w.gorm(out)
}

var genOps = map[string]string{"Eq": "=", "Is": "=", "Neq": "<>", "Gt": ">", "Gte": ">=", "Lt": "<", "Lte": "<=", "Like": "LIKE", "NotLike": "NOT LIKE"}

// genCond returns a condition as the arguments of gorm's Where.
func genCond(m *Model, c Arg) []Arg {
	col, op, args := genField(m, c)
	switch {
	case col == "":
		return []Arg{{Ref: c.Ref}}
	case genOps[op] != "" && len(args) == 1:
		return []Arg{{Text: col + " " + genOps[op] + " ?", Known: true}, args[0]}
	case op == "In" || op == "NotIn":
		word := map[string]string{"In": " IN ?", "NotIn": " NOT IN ?"}[op]
		values := Arg{List: args}
		if len(args) == 1 && args[0].List == nil { // mostly a slice that is handed on
			values = Arg{Type: "[]any", Ref: args[0].Ref}
		}
		return []Arg{{Text: col + word, Known: true}, values}
	case op == "IsNull" || op == "IsNotNull":
		word := map[string]string{"IsNull": " IS NULL", "IsNotNull": " IS NOT NULL"}[op]
		return []Arg{{Text: col + word, Known: true}}
	}
	return []Arg{{Text: col + " LIKE ?", Known: true}, {Ref: c.Ref}}
}

// genField takes an expression of a field apart: its column, its operation and
// the values.
func genField(m *Model, c Arg) (col, op string, args []Arg) {
	if !strings.HasPrefix(c.Call, "(gorm.io/gen/field.") || len(c.List) == 0 || c.List[0].Name == "" {
		return "", "", nil
	}
	return ident(m.column(c.List[0].Name)), c.Call[strings.LastIndexByte(c.Call, '.')+1:], c.List[1:]
}

// genOrder returns a column of an order or a group.
func genOrder(m *Model, c Arg) string {
	if c.Name != "" {
		return ident(m.column(c.Name))
	}
	col, op, _ := genField(m, c)
	if op == "Desc" {
		col += " DESC"
	}
	return col
}

// genSet returns the columns that an update sets, as a map.
func genSet(m *Model, s Step) Arg {
	out := Arg{Fields: map[string]Arg{}, Type: "map[string]any"}
	if !strings.HasSuffix(s.Method, "Simple") && len(s.Args) == 2 && s.Args[0].Name != "" {
		out.Fields[m.column(s.Args[0].Name)] = s.Args[1]
		return out
	}
	for _, a := range s.Args {
		if a.Call != "" && len(a.List) > 0 && a.List[0].Name != "" {
			out.Fields[m.column(a.List[0].Name)] = Arg{Ref: a.Ref}
		}
	}
	return out
}
