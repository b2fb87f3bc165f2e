// Package analyzers is the suite: every check, with the reason it is in it.
//
// A view enters; the findings of all checks leave. The package holds no
// check itself.
package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/analyzers/lockorder"
	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Checks is the suite. A check is in it when it is about correctness, when
// its fault was found in real code, and when each report is worth reading.
var Checks = []*pass.Check{
	lockorder.Check, // opposite orders are the deadlock that no test finds
}

// Analyzers returns the suite for go/analysis drivers.
func Analyzers() []*analysis.Analyzer {
	var out []*analysis.Analyzer
	for _, c := range Checks {
		out = append(out, c.Analyzer())
	}
	return out
}

// Findings runs every check on a view.
func Findings(v *prog.View) []lockgraph.Finding {
	var out []lockgraph.Finding
	for _, c := range Checks {
		out = append(out, c.Run(v)...)
	}
	lockgraph.SortFindings(out)
	return out
}
