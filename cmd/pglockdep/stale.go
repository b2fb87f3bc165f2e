package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pglockdep/pglockdep/docgen"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// staleNames returns the names in the team's own prose on the page that stand
// nowhere in the module's Go and SQL files any more.
func (a *analysis) staleNames() []lockgraph.Finding {
	name := a.page()
	page, err := os.ReadFile(name)
	if err != nil {
		return nil // no page yet
	}
	file := name
	if rel, err := filepath.Rel(a.root, name); err == nil {
		file = filepath.ToSlash(rel)
	}
	var words map[string]bool
	out := docgen.StaleNames(page, func(name string) bool {
		if words == nil {
			words = wordsBelow(a.root)
		}
		for _, part := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(".()*", r) }) {
			if !words[part] {
				return false
			}
		}
		return true
	})
	for i := range out {
		out[i].File = file
	}
	return out
}

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// wordsBelow returns every identifier of the Go and SQL files below a
// directory; what cannot be read is left out. A folder or a file is known by
// its name too.
func wordsBelow(root string) map[string]bool {
	out := map[string]bool{}
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		base := d.Name()
		if d.IsDir() {
			if name != root && (strings.HasPrefix(base, ".") || base == "node_modules") {
				return filepath.SkipDir
			}
			out[base] = true
			return nil
		}
		if ext := filepath.Ext(base); ext != ".go" && ext != ".sql" && ext != ".mod" {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		for _, w := range word.FindAll(data, -1) {
			out[string(w)] = true
		}
		return nil
	})
	return out
}
