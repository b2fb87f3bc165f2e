package lockorder

import (
	"testing"

	"github.com/pglockdep/pglockdep/internal/checktest"
	"github.com/pglockdep/pglockdep/lockgraph"
)

func TestCheck(t *testing.T) { checktest.Run(t, "testdata", Check) }

// What is called where not all callees are followed is a guess.
func TestBeyondTheLimit(t *testing.T) {
	for _, f := range Check.Run(checktest.View(t, "testdata/src/ways")) {
		if f.File == "steps.go" && f.Severity != lockgraph.SeverityWarning {
			t.Errorf("%s:%d: %s: %s, want a warning", f.File, f.Line, f.Severity, f.Message)
		}
	}
}
