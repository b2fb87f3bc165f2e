package locksummary

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Known returns what a configuration says of functions, by their symbols.
func Known(cfg *config.Config) map[string]dbapi.Call {
	if cfg == nil || len(cfg.SQLFuncs)+len(cfg.External) == 0 {
		return nil
	}
	out := map[string]dbapi.Call{}
	for _, s := range cfg.External {
		what := s[strings.LastIndexByte(s, '/')+1:]
		for _, name := range spellings(s) {
			out[name] = dbapi.Leaves(name, what)
		}
	}
	for _, f := range cfg.SQLFuncs {
		for _, name := range spellings(f.Symbol) {
			out[name] = dbapi.Runs(name, f.SQL, f.Args, f.Handle)
		}
	}
	return out
}

// ConfiguredNames returns what a configuration calls locks.
func ConfiguredNames(cfg *config.Config) []prog.Name {
	var out []prog.Name
	for key, n := range cfg.Names {
		out = append(out, prog.Name{Of: "class " + key, Name: n.Name, Serializes: n.Serializes})
	}
	SortNames(out)
	return out
}

// spellings returns the symbols that a name may stand for: a method without
// parentheses is one of a type, or of an interface.
func spellings(name string) []string {
	slash := strings.LastIndexByte(name, '/') + 1
	parts := strings.Split(name[slash:], ".")
	if len(parts) != 3 || strings.ContainsAny(name, "()") {
		return []string{name}
	}
	return []string{name, name[:slash] + parts[0] + ".(" + parts[1] + ")." + parts[2]}
}
