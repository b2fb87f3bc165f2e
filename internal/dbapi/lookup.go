package dbapi

import "strings"

// Lookup returns what the function with the full symbol does, and whether a
// table names it. Type arguments and parameters in brackets are ignored.
func Lookup(fullName string) (Call, bool) {
	sym := generic(fullName)
	if c, ok := library().Calls[sym]; ok {
		return c, true
	}
	// Chain types have hundreds of methods that only add to the chain.
	if recv := receiver(sym); recv != "" {
		if lib, ok := library().Chain[recv]; ok {
			c := newCall()
			c.Func, c.Lib, c.Does, c.Handle, c.Result = sym, lib, Builder, 0, 0
			c.alters(library().Alters[recv])
			return c, true
		}
	}
	for _, c := range library().Globs {
		if match(c.Func, sym) {
			c.Func = sym
			return c, true
		}
	}
	return Call{}, false
}

// receiver returns the type of a method's receiver without "*", "" of a
// function.
func receiver(sym string) string {
	if !strings.HasPrefix(sym, "(") {
		return ""
	}
	recv, _, _ := strings.Cut(strings.TrimPrefix(sym[1:], "*"), ")")
	return recv
}

// match reports whether s fits the pattern, in which "*" stands for any
// text, except that of a pointer receiver.
func match(pattern, s string) bool {
	start := 0
	if strings.HasPrefix(pattern, "(*") {
		start = 2
	}
	n := strings.IndexByte(pattern[start:], '*') + start
	if n < start {
		return pattern == s
	}
	rest, ok := strings.CutPrefix(s, pattern[:n])
	if !ok {
		return false
	}
	parts := strings.Split(pattern[n:], "*")
	for i, p := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(rest, p)
		}
		n := strings.Index(rest, p)
		if n < 0 {
			return false
		}
		rest = rest[n+len(p):]
	}
	return rest == ""
}

// ChainType reports the library of a type whose values are builder chains.
func ChainType(typ string) (lib string, ok bool) {
	lib, ok = library().Chain[strings.TrimPrefix(generic(typ), "*")]
	return lib, ok
}

// HandleKind returns what a type is by itself, by its full path with "*" for
// pointers: pool, conn, tx, stmt, row, rows, batch, results, gorm, chain,
// or "" for a type that does not say, such as an interface that both pools
// and transactions satisfy.
func HandleKind(typ string) string {
	return library().Kinds[generic(typ)]
}

// Root reports whether importing the package means that a database can be
// reached: it is a driver, a query library, or a package of one.
func Root(importPath string) bool {
	importPath = original(importPath)
	for _, r := range library().Roots {
		if importPath == r {
			return true
		}
		// Sub-packages of a root belong to it; so do major versions.
		if strings.HasPrefix(importPath, r) && importPath[len(r)] == '/' && r != "database/sql" {
			return true
		}
	}
	return false
}

// Hash returns the name of the hash function that a symbol computes.
func Hash(symbol string) (name string, ok bool) {
	name, ok = library().Hash[generic(symbol)]
	return name, ok
}

// OptionArg says what an argument that stands among SQL parameters is when
// its type is not a parameter: "option" for one that is not sent, "named"
// for a map or struct of named parameters, "" for a parameter.
func OptionArg(typ string) string {
	switch HandleKind(typ) {
	case "option":
		return "option"
	case "named":
		return "named"
	}
	return ""
}

// forks are modules with the API of another one.
var forks = []struct{ fork, of string }{
	{"github.com/ory/pop/v6", "github.com/gobuffalo/pop/v6"},
	{"github.com/aarondl/sqlboiler/v4", "github.com/volatiletech/sqlboiler/v4"},
	{"github.com/go-xorm/xorm", "xorm.io/xorm"},
	{"github.com/xorm-io/xorm", "xorm.io/xorm"},
	{"github.com/go-xorm/builder", "xorm.io/builder"},
	{"github.com/xorm-io/builder", "xorm.io/builder"},
}

// original returns a symbol, type or path of a fork as one of what it is a
// fork of.
func original(s string) string {
	for _, f := range forks {
		if strings.Contains(s, f.fork) {
			return strings.Replace(s, f.fork, f.of, 1)
		}
	}
	return s
}

// generic returns a symbol or type as the tables have it: the original's of a
// fork, without type arguments in brackets; a slice or array type is kept as it
// is.
func generic(s string) string {
	s = original(s)
	if !strings.Contains(s, "[") || strings.HasPrefix(strings.TrimLeft(s, "*"), "[") {
		return s
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			depth++
		case ']':
			depth--
		default:
			if depth == 0 {
				b.WriteByte(s[i])
			}
		}
	}
	return b.String()
}

// Part reports a function whose value is a part of a statement.
func Part(symbol string) bool {
	c, ok := Lookup(symbol)
	return ok && c.Lib == "sqlboiler" && c.Does == Pure
}

// BoilDialect reports the type of the variable that each package has which
// sqlboiler generates.
func BoilDialect(typ string) bool {
	return generic(typ) == "github.com/volatiletech/sqlboiler/v4/drivers.Dialect"
}
