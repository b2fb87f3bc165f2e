package poolintx

import (
	"testing"

	"github.com/pglockdep/pglockdep/internal/checktest"
	"github.com/pglockdep/pglockdep/lockgraph"
)

func TestCheck(t *testing.T) { checktest.Run(t, "testdata", Check) }

// A pinned connection whose lock may be taken out of sight is a guess.
func TestSeverity(t *testing.T) {
	severity := map[string]string{"pinned": lockgraph.SeverityWarning, "Batch": lockgraph.SeverityError, "Look": lockgraph.SeverityError}
	for _, f := range Check.Run(checktest.View(t, "testdata/src/ways")) {
		name := lockgraph.Short(f.Func)
		if want := severity[name]; want != "" && f.Severity != want {
			t.Errorf("%s:%d: %s: %s, want a %s", f.File, f.Line, f.Severity, f.Message, want)
		}
		delete(severity, name)
	}
	if len(severity) > 0 {
		t.Errorf("nothing is told of %v", severity)
	}
}
