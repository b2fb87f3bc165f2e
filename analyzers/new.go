package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
)

// A Config is what a driver that may read no files is told: a program that
// embeds the schema makes its own suite with New.
type Config struct {
	Root   string            // directory that file names are relative to; "" to look for go.mod upward
	Schema map[string]string // text of the schema's files by name, applied in order of the names; nil to look for files
	YAML   string            // text of pglockdep.yaml
	Globs  []string          // where Schema is nil: the schema's files, relative to the root; nil to look for them
	File   string            // where YAML is empty: the configuration, relative to the root; "" to look for pglockdep.yaml upward
	Notes  bool              // report notes too
	Tests  bool              // read _test.go files too
}

// New returns the suite with a configuration of its own. It must not run
// together with the default one: both export the same facts.
func New(c Config) []*analysis.Analyzer {
	base := locksummary.New(&locksummary.Settings{Root: c.Root, Texts: c.Schema, YAML: c.YAML, Schema: c.Globs, Config: c.File, Notes: c.Notes, Tests: c.Tests, Judge: Findings, First: Checks[0].Name})
	var out []*analysis.Analyzer
	for _, check := range Checks {
		out = append(out, check.On(base))
	}
	return out
}

// Single returns the suite as one analyzer, for drivers that run one for each
// package of analyzers that they are given.
func Single(c Config) *analysis.Analyzer {
	suite := New(c)
	return &analysis.Analyzer{
		Name:     "pglockdep",
		Doc:      "report faults in how locks are taken in PostgreSQL",
		URL:      "https://github.com/pglockdep/pglockdep",
		Requires: suite[0].Requires,
		Run: func(p *analysis.Pass) (any, error) {
			for _, check := range suite {
				if _, err := check.Run(p); err != nil {
					return nil, err
				}
			}
			return nil, nil
		},
	}
}

// Whoever takes the whole suite has each finding reported once.
func init() { locksummary.Default.Judge, locksummary.Default.First = Findings, Checks[0].Name }
