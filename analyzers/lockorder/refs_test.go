package lockorder

import (
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/checktest"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// TestReferences checks that a row refers to no parent where its reference is
// NULL, and to one where it may have a value.
func TestReferences(t *testing.T) {
	seen := 0
	for _, tr := range checktest.View(t, "testdata/src/refs").Traces {
		refers := false
		tr.Each(func(n *prog.Node) { refers = refers || n.Take != nil && n.Take.Acq.FKFrom == "nodes" }, prog.OpAcquire)
		name := tr.Entry.Key[strings.LastIndexByte(tr.Entry.Key, '.')+1:]
		if want := strings.HasPrefix(name, "One"); refers != want {
			t.Errorf("%s: the parent is locked: %v, want %v", name, refers, want)
		}
		seen++
	}
	if seen != 8 {
		t.Errorf("%d functions were walked, want 8", seen)
	}
}
