package main

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/inputs"
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
	root, _ := inputs.ModuleRoot(dir)
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
	if err := inputs.File(h, "", exe); err != nil {
		return nil, err
	}
	inputs.Hash(h, dir)
	return h.Sum(nil), nil
}
