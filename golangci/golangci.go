// Package golangci is pglockdep as a module plugin of golangci-lint.
//
// The settings of the linter enter; the analyzers of the suite leave. The
// package checks its settings and the configuration they lead to: what is
// wrong with them is an error of golangci-lint, not silence.
package golangci

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/internal/config"
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

type plugin struct{ settings Settings }

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
	for _, g := range s.Schema {
		if files, err := filepath.Glob(filepath.FromSlash(g)); err != nil || len(files) == 0 {
			if _, err := os.Stat(filepath.FromSlash(g)); err != nil {
				return nil, fmt.Errorf("pglockdep: no schema file is named %s", g)
			}
		}
	}
	return &plugin{s}, nil
}

// BuildAnalyzers returns the suite.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return analyzers.New(analyzers.Config{Globs: p.settings.Schema, File: p.settings.Config, Notes: p.settings.Notes, Tests: p.settings.Tests}), nil
}

// GetLoadMode says that the analyzers need types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
