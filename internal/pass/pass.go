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

// Analyzer returns the check as a go/analysis Analyzer.
func (c *Check) Analyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     c.Name,
		Doc:      strings.TrimSpace(c.Doc),
		URL:      "https://github.com/pglockdep/pglockdep/blob/main/docs/checks/" + c.Name + ".md",
		Requires: []*analysis.Analyzer{locksummary.Analyzer},
		Run: func(p *analysis.Pass) (any, error) {
			u, _ := p.ResultOf[locksummary.Analyzer].(*locksummary.Result)
			if u == nil || u.View == nil {
				return nil, nil
			}
			for _, f := range c.safe(u.View) {
				if f.Severity == lockgraph.SeverityNote && !locksummary.Notes() {
					continue
				}
				if d, ok := u.Diagnostic(p, f); ok {
					p.Report(d)
				}
			}
			return nil, nil
		},
	}
}

// safe runs the check; a fault of ours loses only its findings, since a
// driver would hide an error and remember it.
func (c *Check) safe(v *prog.View) (out []lockgraph.Finding) {
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	return c.Run(v)
}
