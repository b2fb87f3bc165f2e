package symval

import "strings"

// roots are the first elements of the import paths of the standard library.
// A dot tells nothing: a module may be called "app".
var roots = map[string]bool{"archive": true, "bufio": true, "builtin": true, "bytes": true, "cmp": true, "compress": true, "container": true,
	"context": true, "crypto": true, "database": true, "debug": true, "embed": true, "encoding": true, "errors": true, "expvar": true,
	"flag": true, "fmt": true, "go": true, "hash": true, "html": true, "image": true, "index": true, "internal": true, "io": true,
	"iter": true, "log": true, "maps": true, "math": true, "mime": true, "net": true, "os": true, "path": true, "plugin": true,
	"reflect": true, "regexp": true, "runtime": true, "slices": true, "sort": true, "strconv": true, "strings": true, "structs": true,
	"sync": true, "syscall": true, "testing": true, "text": true, "time": true, "unicode": true, "unique": true, "unsafe": true,
	"vendor": true, "weak": true}

// Standard reports whether an import path is of the standard library.
func Standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return roots[first]
}
