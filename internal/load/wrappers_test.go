package load

import (
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// TestWrappers reads a program in which values of one interface wrap each
// other: what is called through all of them is told without going through each
// order of them, and a folder in a folder locks as a folder does.
func TestWrappers(t *testing.T) {
	const dir = "testdata/wrappers"
	res, _ := readModule(t, dir)
	m := prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "none"}).Manifest
	for _, u := range m.Unknowns {
		if u.Kind == lockgraph.CutSize || u.Kind == lockgraph.CutRecursion && !strings.Contains(u.Reason, "(*folder).Remove") {
			t.Errorf("%s:%d: %s", u.File, u.Line, u.Reason)
		}
	}
	want := map[string]bool{"advisory bigint 7 row accounts": false, "row accounts row owners": false, "row folders row folders": false, "row files row folders": false}
	for _, e := range m.Edges {
		want[e.From+" "+e.To] = true
	}
	for edge, told := range want {
		if !told {
			t.Errorf("no edge %s", edge)
		}
	}
}
