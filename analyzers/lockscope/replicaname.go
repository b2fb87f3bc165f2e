package lockscope

import (
	"strings"
	"unicode"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// named reports whether a handle, or what it was begun on, is named as a read
// replica.
func named(c *prog.Conn) bool {
	for ; c != nil; c = c.Parent {
		if replicaName(c.Val) != "" {
			return true
		}
	}
	return false
}

// replicaName returns the name of the field, variable or parameter that a
// handle comes from when it says that it is a read replica.
func replicaName(v *prog.Val) string {
	for v = prog.Bare(v); v != nil; v = prog.Bare(v.Of0()) {
		switch v.Kind {
		case prog.VField, prog.VGlobal:
			name := v.Str[strings.LastIndexByte(v.Str, '.')+1:]
			if saysReplica(name) {
				return name
			}
			if v.Kind == prog.VGlobal {
				return ""
			}
		case prog.VIface, prog.VHandle, prog.VElem, prog.VMod:
		default:
			return ""
		}
	}
	return ""
}

// saysReplica reports whether one of the words of a name means a server
// that only reads.
func saysReplica(name string) bool {
	words := split(name)
	for i, w := range words {
		switch w {
		case "replica", "replicas", "standby", "slave", "follower", "readonly", "readreplica":
			return true
		case "read":
			if i+1 < len(words) && (words[i+1] == "only" || words[i+1] == "replica") {
				return true
			}
		}
	}
	return false
}

// split returns the words of a name in camel or snake case, in lower case.
func split(name string) []string {
	var out []string
	word := ""
	var last rune
	for _, r := range name {
		if r == '_' || unicode.IsUpper(r) && unicode.IsLower(last) {
			if word != "" {
				out = append(out, word)
			}
			word = ""
		}
		if r != '_' {
			word += string(unicode.ToLower(r))
		}
		last = r
	}
	return append(out, word)
}
