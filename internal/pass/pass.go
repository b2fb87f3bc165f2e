// Package pass turns a check into a go/analysis Analyzer on top of
// locksummary.
//
// A check (a name, a manual, a function of a view) enters; an Analyzer
// leaves. The package decides nothing about locks.
package pass

import (
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A Check is one family of faults.
type Check struct {
	Name  string
	Doc   string   // its manual: a title line, WRONG, RIGHT, what it cannot see, how to silence it
	Kinds []string // of findings
	Run   func(v *prog.View) []lockgraph.Finding
}

// Analyzer returns the check as a go/analysis Analyzer with the default
// settings.
func (c *Check) Analyzer() *analysis.Analyzer { return c.On(locksummary.Analyzer) }

// On returns the check as an Analyzer on a base pass.
func (c *Check) On(base *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     c.Name,
		Doc:      strings.TrimSpace(c.Doc),
		URL:      "https://github.com/pglockdep/pglockdep/blob/main/docs/checks/" + c.Name + ".md",
		Requires: []*analysis.Analyzer{base},
		Run: func(p *analysis.Pass) (any, error) {
			r, _ := p.ResultOf[base].(*locksummary.Result)
			for _, f := range r.Findings(c.Name, c.Run) {
				p.Report(r.Diagnostic(f))
			}
			return nil, nil
		},
	}
}
