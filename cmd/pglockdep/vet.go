package main

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/schema"
)

// vetProtocol reports whether the arguments are those of go vet.
func vetProtocol(args []string) bool {
	if len(args) == 0 {
		return false
	}
	for _, a := range args {
		if a == "-V=full" || a == "-flags" {
			return true
		}
	}
	return strings.HasSuffix(args[len(args)-1], ".cfg")
}

// vetMain answers go vet. Its cache knows nothing of configuration and
// schema, so that they are part of the tool's identity.
func vetMain() {
	args := os.Args[1:]
	if len(args) == 1 && args[0] == "-V=full" {
		if err := readable("."); err != nil {
			fmt.Fprintf(os.Stderr, "pglockdep: %v\n", err)
			os.Exit(exitFound)
		}
		if id, err := vetID("."); err == nil {
			fmt.Printf("%s version devel comments-go-here buildID=%x\n", filepath.Base(os.Args[0]), id)
			return
		}
	}
	vetFlags(flag.CommandLine, locksummary.Default)
	locksummary.Default.FactsOnly = factsOnly(args[len(args)-1])
	unitchecker.Main(analyzers.Analyzers()...)
}

// readable reports what is wrong with the configuration that go vet would
// find from dir: nothing is checked by a wrong one.
func readable(dir string) error {
	root, _ := moduleRoot(dir)
	name, err := config.Find(root)
	if err != nil || name == "" {
		return err
	}
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, name); err == nil {
			name = filepath.ToSlash(rel)
		}
	}
	_, err = config.Load(name)
	return err
}

// vetFlags declares the flags that go vet passes on.
func vetFlags(fs *flag.FlagSet, s *locksummary.Settings) {
	fs.Var(locksummary.List{To: &s.Schema}, "schema", "schema files as `GLOBS` relative to the module, separated by commas; switches detection off")
	fs.StringVar(&s.Config, "config", "", "read configuration from `FILE`, relative to the module, not the nearest pglockdep.yaml upward")
	fs.BoolVar(&s.Notes, "notes", false, "report notes too")
	fs.BoolVar(&s.Tests, "test", false, "analyse _test.go files too")
	fs.BoolVar(&s.Fingerprints, "fingerprints", false, "end each message with the fingerprint of the finding")
}

// factsOnly reports whether the unit is analysed for its importers alone.
func factsOnly(cfg string) bool {
	data, err := os.ReadFile(cfg)
	if err != nil {
		return false
	}
	var unit struct{ VetxOnly bool }
	return json.Unmarshal(data, &unit) == nil && unit.VetxOnly
}

// vetID identifies the executable with the configuration and schema that it
// would find from dir.
func vetID(dir string) ([]byte, error) {
	h := sha256.New()
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := hashFile(h, "", exe); err != nil {
		return nil, err
	}
	root := workspace(dir)
	names := inputs(root)
	if !slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, ".sql") }) {
		names = append(names, goSchema(root)...)
	}
	for _, name := range names {
		if err := hashFile(h, name, filepath.Join(root, name)); err != nil {
			fmt.Fprintf(h, "%s cannot be read\n", name)
		}
	}
	for d := filepath.Dir(root); ; d = filepath.Dir(d) { // a configuration may stand above the module
		_ = hashFile(h, config.FileName, filepath.Join(d, config.FileName)) // most directories have none
		if d == filepath.Dir(d) {
			return h.Sum(nil), nil
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

func hashFile(h io.Writer, name, path string) error {
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

// workspace returns the directory of the workspace or module that holds dir.
func workspace(dir string) string {
	root, _ := moduleRoot(dir)
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

// inputs lists the files below root that an analysis may read besides Go
// source: schema, and what tells where the schema is.
func inputs(root string) []string {
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
		switch name {
		case config.FileName, "sqlc.yaml", "sqlc.yml", "sqlc.json", "tern.conf":
		default:
			step := strings.HasSuffix(name, ".go") && name[0] >= '0' && name[0] <= '9' // a migration in Go
			if !strings.HasSuffix(name, ".sql") && !strings.HasSuffix(name, ".sql.conf") && !step {
				return nil
			}
		}
		if rel, err := filepath.Rel(root, path); err == nil {
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	sort.Strings(out)
	return out
}
