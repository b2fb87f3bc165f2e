package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/docgen"
	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// staleNames returns the names in the team's own prose, on the page and on
// the further pages of the configuration, that stand nowhere in the module's
// Go and SQL files any more.
func (a *analysis) staleNames() ([]lockgraph.Finding, error) {
	pages, err := a.pages()
	if err != nil {
		return nil, err
	}
	names := &vocabulary{root: a.root}
	var out []lockgraph.Finding
	for _, name := range pages {
		page, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading a page: %w", err)
		}
		file := name
		if rel, err := filepath.Rel(a.root, name); err == nil {
			file = filepath.ToSlash(rel)
		}
		out = append(out, docgen.StaleNames(file, page, names)...)
	}
	return out, nil
}

// pages returns the files whose names are checked: the page, where there is
// one, and those that the configuration calls pages.
func (a *analysis) pages() ([]string, error) {
	var out []string
	if info, err := os.Stat(a.page()); err == nil && info.Mode().IsRegular() {
		out = append(out, a.page())
	}
	if len(a.cfg.Pages) == 0 {
		return out, nil
	}
	base := filepath.Dir(a.cfg.File)
	found := map[string]bool{}
	err := filepath.WalkDir(base, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be listed has no page that can be read
		case d.IsDir() && name != base && skipped(d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(base, name)
		if err != nil {
			return err
		}
		for _, glob := range a.cfg.Pages {
			if config.MatchFile(glob, filepath.ToSlash(rel)) {
				found[glob] = true
				if !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for pages: %w", err)
	}
	for _, glob := range a.cfg.Pages {
		if !found[glob] {
			return nil, hint(fmt.Errorf("%s: pages: no file is named %s", a.cfg.File, glob), "names start at the configuration's file")
		}
	}
	return out, nil
}

// A vocabulary is every word of the Go and SQL files below a directory, read
// when the first name is asked for. A folder or a file is known by its name.
type vocabulary struct {
	root  string
	words map[string]bool
}

// Known reports whether every part of a name is a word of the program.
func (v *vocabulary) Known(name string) bool {
	return !slices.ContainsFunc(parts(name), func(p string) bool { return !v.has(p) })
}

// Nearest is the name with words of the program in the place of those that
// it has not, "" when nothing is near.
func (v *vocabulary) Nearest(name string) string {
	for _, p := range parts(name) {
		if !v.has(p) && v.nearest(p) == "" {
			return ""
		}
	}
	return word.ReplaceAllStringFunc(name, func(p string) string {
		if v.has(p) {
			return p
		}
		return v.nearest(p)
	})
}

// nearest is the word that differs from another in the fewest letters, at
// most a third of them, rounded up.
func (v *vocabulary) nearest(word string) string {
	best, at := "", (len(word)+2)/3+1
	for w := range v.words {
		if len(w) <= len(word)-at || len(w) >= len(word)+at {
			continue
		}
		if d := distance(word, w); d < at || d == at && best != "" && w < best {
			best, at = w, d
		}
	}
	return best
}

func parts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(".()*", r) })
}

func (v *vocabulary) has(word string) bool {
	if v.words == nil {
		v.words = wordsBelow(v.root)
	}
	return v.words[word]
}

// skipped reports whether nothing below a folder of this name is the
// module's own.
func skipped(folder string) bool {
	return strings.HasPrefix(folder, ".") || folder == "node_modules"
}

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// wordsBelow returns every identifier of the Go and SQL files below a
// directory; what cannot be read is left out.
func wordsBelow(root string) map[string]bool {
	out := map[string]bool{}
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		base := d.Name()
		if d.IsDir() {
			if name != root && skipped(base) {
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
