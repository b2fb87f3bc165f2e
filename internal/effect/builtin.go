package effect

import (
	_ "embed"
	"strings"
)

// names are the functions of pg_catalog that statements call by name.
//
//go:embed builtin.txt
var names string

var (
	builtins     = map[string]bool{}
	aggregates   = map[string]bool{}
	setReturning = map[string]bool{}
)

func init() {
	for _, line := range strings.Split(names, "\n") {
		kind, list, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		for _, n := range strings.Fields(list) {
			builtins[n] = true
			switch kind {
			case "aggregate":
				aggregates[n] = true
			case "set":
				setReturning[n] = true
			}
		}
	}
}

// known reports whether a name is a function of the server. Names that begin
// as its own do, and those of common extensions, are taken for known.
func known(name string) bool {
	return builtins[name] || strings.HasPrefix(name, "pg_") || strings.HasPrefix(name, "json") || strings.HasPrefix(name, "has_") ||
		strings.HasPrefix(name, "st_") || strings.HasPrefix(name, "to_") || strings.HasPrefix(name, "uuid_") || strings.HasPrefix(name, "hash") ||
		strings.HasPrefix(name, "array_") || strings.HasPrefix(name, "regexp_") || strings.HasPrefix(name, "ts_") || strings.HasPrefix(name, "inet_")
}
