package pgsql

import (
	"strconv"
	"strings"
)

// QuoteIdent writes a name as an identifier, quoted where it must be.
func QuoteIdent(name string) string {
	plain := name != "" && (isIdentStart(name[0]))
	for i := 0; i < len(name) && plain; i++ {
		plain = isIdent(name[i]) && (name[i] < 'A' || name[i] > 'Z')
	}
	if c, ok := keyword(name); ok && c != unreserved {
		plain = false
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// QuoteLiteral writes a string as a literal.
func QuoteLiteral(s string) string {
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// Strings are the strings of a list of name parts.
func Strings(parts []*Node) []string {
	out := make([]string, 0, len(parts))
	for _, n := range parts {
		switch {
		case n.GetString_() != nil:
			out = append(out, n.GetString_().Sval)
		case n.GetAStar() != nil:
			out = append(out, "*")
		}
	}
	return out
}

// FuncName is a function's name, qualified as written but for pg_catalog.
func FuncName(parts []*Node) string {
	names := Strings(parts)
	if len(names) == 2 && names[0] == "pg_catalog" {
		names = names[1:]
	}
	for i, n := range names {
		if _, ok := keyword(n); ok && len(names) == 1 {
			continue // left, right, extract …: function syntax needs no quotes
		}
		names[i] = QuoteIdent(n)
	}
	return strings.Join(names, ".")
}

// typeNames are the names PostgreSQL prints for its internal ones.
var typeNames = map[string]string{
	"int2": "smallint", "int4": "integer", "int8": "bigint", "int": "integer",
	"float4": "real", "float8": "double precision", "bool": "boolean", "decimal": "numeric",
	"bpchar": "character", "char": "character", "varchar": "character varying",
	"varbit": "bit varying", "timestamptz": "timestamp with time zone",
	"timestamp": "timestamp without time zone", "time": "time without time zone",
	"timetz":      "time with time zone",
	"smallserial": "smallint", "serial": "integer", "bigserial": "bigint",
	"serial2": "smallint", "serial4": "integer", "serial8": "bigint",
}

// TypeName is a type as PostgreSQL prints it (format_type), but without the
// schema pg_catalog.
func TypeName(t *TypeRef) string {
	if t == nil {
		return ""
	}
	names := Strings(t.Names)
	catalog := len(names) == 2 && names[0] == "pg_catalog"
	if catalog {
		names = names[1:]
	}
	name := ""
	if len(names) == 1 {
		name = typeNames[names[0]]
		if !catalog && names[0] == "char" {
			name = `"char"`
		}
	}
	if name == "" {
		for i, n := range names {
			names[i] = n
			if _, ok := keyword(n); !ok {
				names[i] = QuoteIdent(n)
			}
		}
		name = strings.Join(names, ".")
	}
	name = withMods(name, t.Typmods)
	if t.PctType {
		name += "%type"
	}
	if t.Setof {
		name = "setof " + name
	}
	return name + strings.Repeat("[]", len(t.ArrayBounds))
}

func withMods(name string, mods []*Node) string {
	var out []string
	for _, m := range mods {
		c := m.GetAConst()
		if c == nil || strings.HasPrefix(name, "interval") {
			return name
		}
		out = append(out, strconv.Itoa(int(c.GetIval().GetIval())))
	}
	if len(out) == 0 || name == "character" && out[0] == "1" {
		return name
	}
	mod := "(" + strings.Join(out, ",") + ")"
	if base, rest, ok := strings.Cut(name, " with"); ok {
		return base + mod + " with" + rest
	}
	return name + mod
}
