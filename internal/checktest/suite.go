package checktest

import (
	"testing"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// Suite runs several checks on the module at dir and compares their errors
// and warnings with what its files expect; notes are not looked at.
func Suite(t *testing.T, dir string, checks []*pass.Check) {
	t.Helper()
	v := View(t, dir)
	var found []lockgraph.Finding
	for _, c := range checks {
		for _, f := range c.Run(v) {
			if f.Severity != lockgraph.SeverityNote {
				found = append(found, f)
			}
		}
	}
	compare(t, wants(t, dir), found)
}
