// Package golangci is pglockdep as a module plugin of golangci-lint.
//
// The settings of the linter enter; the analyzers of the suite leave. The
// package checks its settings and the configuration they lead to: what is
// wrong with them is an error of golangci-lint, not silence. What it reads
// besides Go source is part of the analyzers' names, by which golangci-lint
// keeps results.
package golangci

import (
	"crypto/sha256"
	"fmt"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/inputs"
	"github.com/pglockdep/pglockdep/internal/schema"
)

// Name is the linter's name in .golangci.yml.
const Name = "pglockdep"

func init() { register.Plugin(Name, New) }

// Settings are the keys under linters.settings.custom.pglockdep.settings.
type Settings struct {
	Schema []string `json:"schema"` // globs relative to the module; nil to look for the schema
	Config string   `json:"config"` // relative to the module; "" for the nearest pglockdep.yaml upward
	Notes  bool     `json:"notes"`  // report notes too
	Tests  bool     `json:"tests"`  // analyse _test.go files too
}

type plugin struct {
	settings Settings
	read     []string // files that the settings name
}

// New returns the plugin. A key that it does not know, and a configuration
// that cannot be read, are errors.
func New(raw any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](raw)
	if err != nil {
		return nil, fmt.Errorf("pglockdep: %w", err)
	}
	name := s.Config
	if name == "" {
		if name, err = config.Find("."); err != nil {
			return nil, fmt.Errorf("pglockdep: %w", err)
		}
	}
	if name != "" {
		if _, err := config.Load(name); err != nil {
			return nil, fmt.Errorf("pglockdep: %w", err)
		}
	}
	var read []string
	if s.Config != "" {
		read = append(read, s.Config)
	}
	for _, g := range s.Schema {
		_, _, source, err := schema.Load(".", []string{g})
		if err != nil {
			return nil, fmt.Errorf("pglockdep: %w", err)
		}
		if len(source.Files) == 0 {
			return nil, fmt.Errorf("pglockdep: no schema file is named %s", g)
		}
		read = append(read, source.Files...)
	}
	return &plugin{s, read}, nil
}

// BuildAnalyzers returns the suite, and an analyzer that reports nothing.
// golangci-lint keeps facts by the name of their analyzer and issues by the
// names of all, so the names say which schema and configuration was read.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	s := p.settings
	suite := analyzers.New(analyzers.Config{Globs: s.Schema, File: s.Config, Notes: s.Notes, Tests: s.Tests})
	h := sha256.New()
	inputs.Hash(h, ".", p.read...)
	id := fmt.Sprintf("_%.8x", h.Sum(nil))
	for _, base := range suite[0].Requires {
		base.Name += id
	}
	for _, a := range suite {
		withoutFrames(a)
	}
	return append(suite, &analysis.Analyzer{Name: Name + id, Doc: "names what the suite read", Run: func(*analysis.Pass) (any, error) { return nil, nil }}), nil
}

// withoutFrames lets a report without the frames of its witness: golangci-lint
// makes an issue of each, and puts those of other files in a wrong place.
func withoutFrames(a *analysis.Analyzer) {
	run := a.Run
	a.Run = func(p *analysis.Pass) (any, error) {
		q := *p
		q.Report = func(d analysis.Diagnostic) {
			d.Related = nil
			p.Report(d)
		}
		return run(&q)
	}
}

// GetLoadMode says that the analyzers need types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
