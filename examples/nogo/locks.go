// Package locks is pglockdep with the schema and configuration of this
// repository embedded, for drivers that run analyzers in a sandbox: Bazel's
// nogo builds each analyzer of Analyzers from it.
package locks

import (
	"embed"
	"io/fs"

	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/analyzers"
)

//go:embed *.sql
var files embed.FS

//go:embed pglockdep.yaml
var configuration string

// Analyzers is the suite.
var Analyzers = analyzers.New(analyzers.Config{Root: ".", Schema: texts(), YAML: configuration})

// Analyzer is the check that nogo runs under this package: lock order. A
// package for each other check takes another element.
var Analyzer = Analyzers[0]

var _ *analysis.Analyzer = Analyzer

// texts returns the schema's files by name.
func texts() map[string]string {
	out := map[string]string{}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err) // embedded
		}
		out[name] = string(text)
	}
	return out
}
