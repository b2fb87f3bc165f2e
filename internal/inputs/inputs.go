// Package inputs identifies what an analysis of a module reads besides Go
// source: configuration, schema, and what tells where the schema is.
//
// A directory enters; names of files and a hash over them leave, for the
// caches of drivers that know Go source only. The package does not judge
// what the files say.
package inputs

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/schema"
)

// Hash writes to h what identifies the inputs of the module or workspace that
// holds dir, and the files that are named besides, relative to its root.
func Hash(h io.Writer, dir string, more ...string) {
	root := Workspace(dir)
	names := files(root)
	if !slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, ".sql") }) {
		names = append(names, goSchema(root)...)
	}
	configs := above(root)
	for _, name := range slices.Concat(configs, named(root, append(names, configs...)), more) {
		if !slices.Contains(names, filepath.ToSlash(name)) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, name)
		}
		if err := File(h, name, path); err != nil {
			fmt.Fprintf(h, "%s cannot be read\n", name)
		}
	}
}

// above returns the configurations in the folders above root: one may stand
// above the module.
func above(root string) []string {
	var out []string
	for d := filepath.Dir(root); ; d = filepath.Dir(d) {
		name := filepath.Join(d, config.FileName)
		if _, err := os.Lstat(name); err == nil {
			out = append(out, name)
		}
		if d == filepath.Dir(d) {
			return out
		}
	}
}

// named returns the schema files that configurations, of ours or of sqlc,
// among the names say: they may lie outside the module.
func named(root string, names []string) []string {
	var globs []string
	tells := false
	for _, name := range names {
		if tells = tells || strings.HasPrefix(path.Base(filepath.ToSlash(name)), "sqlc."); filepath.Base(name) != config.FileName {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		cfg, err := config.Load(name)
		if err != nil {
			continue // it is told elsewhere
		}
		for _, g := range cfg.Schema {
			if !filepath.IsAbs(g) {
				g = filepath.Join(filepath.Dir(name), g)
			}
			if rel, err := filepath.Rel(root, g); err == nil {
				globs = append(globs, filepath.ToSlash(rel))
			}
		}
	}
	if len(globs) == 0 && !tells {
		return nil
	}
	return schema.Named(root, globs)
}

// File writes the name and the hash of the file at path to h.
func File(h io.Writer, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	_, err = fmt.Fprintf(h, "%s %x\n", name, sum.Sum(nil))
	return err
}

// ModuleRoot returns the directory of the module or workspace that holds dir,
// and whether there is one.
func ModuleRoot(dir string) (string, bool) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir, false
	}
	for d := abs; ; d = filepath.Dir(d) {
		for _, name := range []string{"go.mod", "go.work"} {
			if _, err := os.Stat(filepath.Join(d, name)); err == nil {
				return d, true
			}
		}
		if d == filepath.Dir(d) {
			return abs, false
		}
	}
}

// Workspace returns the directory of the workspace, else of the module, that
// holds dir.
func Workspace(dir string) string {
	root, _ := ModuleRoot(dir)
	if os.Getenv("GOWORK") == "off" {
		return root
	}
	for d := root; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.work")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return root
		}
	}
}

// goSchema lists the Go files that the schema is read from when nothing else
// tells of it.
func goSchema(root string) []string {
	source, err := schema.Detect(root)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(source.Files, func(f string) bool { return !strings.HasSuffix(f, ".go") })
}

// files lists the files below root that an analysis may read besides Go
// source: schema, and what tells where the schema is.
func files(root string) []string {
	var out []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read here cannot be read later
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (name == "node_modules" || name == "vendor" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !read(name) {
			return nil
		}
		if rel, err := filepath.Rel(root, path); err == nil {
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	sort.Strings(out)
	return out
}

// read reports whether an analysis may read a file of the name. A
// configuration that a flag names counts when it is called by the tool.
func read(name string) bool {
	switch name {
	case "sqlc.yaml", "sqlc.yml", "sqlc.json", "tern.conf":
		return true
	}
	switch filepath.Ext(name) {
	case ".sql":
		return true
	case ".yaml", ".yml":
		return strings.Contains(name, "pglockdep")
	case ".go":
		return name[0] >= '0' && name[0] <= '9' // a migration
	}
	return strings.HasSuffix(name, ".sql.conf")
}
