package lockorder

import (
	_ "embed"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

//go:embed doc.md
var doc string

// Check is the check.
var Check = &pass.Check{Name: "lockorder", Doc: doc, Kinds: []string{"lock-order-cycle", "inconsistent-lock-order"}, Run: run}

// Analyzer is the check as a go/analysis Analyzer.
var Analyzer = Check.Analyzer()

func run(v *prog.View) []lockgraph.Finding {
	return v.Graph.Findings()
}
