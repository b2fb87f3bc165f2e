// Package locks is pglockdep with the schema and configuration of this
// repository embedded, for drivers that run analyzers in a sandbox, such as
// Bazel's nogo.
package locks

import (
	"embed"
	"io/fs"

	"github.com/pglockdep/pglockdep/analyzers"
)

//go:embed *.sql
var files embed.FS

//go:embed pglockdep.yaml
var configuration string

// Analyzer is what nogo runs: every check. A finding bears its kind as the
// category.
var Analyzer = analyzers.Single(analyzers.Config{Root: ".", Schema: texts(), YAML: configuration})

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
