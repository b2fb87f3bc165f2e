package lockorder

import (
	"testing"

	"github.com/pglockdep/pglockdep/internal/checktest"
	"github.com/pglockdep/pglockdep/lockgraph"
)

func TestCheck(t *testing.T) { checktest.Run(t, "testdata", Check) }

// What is called where not all callees are followed is a guess, as is what a
// function does apart from its callers, who hold more; and what runs
// under a lock that a program takes in each run is no error. Nor is what meets
// soft-deleted rows, unless both sides look for the same ones, nor
// rows that may be those which the transaction inserted.
func TestSeverity(t *testing.T) {
	severity := map[string]string{"steps.go": lockgraph.SeverityWarning, "apart.go": lockgraph.SeverityWarning, "leader.go": lockgraph.SeverityNote,
		"purged.go": lockgraph.SeverityWarning, "restored.go": lockgraph.SeverityError, "own.go": lockgraph.SeverityWarning}
	for _, f := range Check.Run(checktest.View(t, "testdata/src/ways")) {
		if want := severity[f.File]; want != "" && f.Severity != want {
			t.Errorf("%s:%d: %s: %s, want a %s", f.File, f.Line, f.Severity, f.Message, want)
		}
	}
}
