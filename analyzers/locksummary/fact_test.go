package locksummary

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// TestFact wants a fact to come back as it was, in the same bytes each time,
// and what a cache of another version or a broken one holds to be no fact.
func TestFact(t *testing.T) {
	data := prog.Pack(&prog.Package{Path: "example.test/m", Funcs: []*prog.Func{{Key: "example.test/m.F", Body: []prog.Op{{Kind: prog.OpSQL, Val: prog.Text("SELECT 1")}}}}})
	fact := &Fact{Sections: []Section{{Path: "example.test/m", Data: data, Seen: []Seen{{1, 2}}}}}
	once, err := fact.GobEncode()
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := fact.GobEncode(); err != nil || !bytes.Equal(once, twice) {
		t.Errorf("another encoding gives other bytes, %v", err)
	}
	var got Fact
	if err := got.GobDecode(once); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fact, &got); diff != "" {
		t.Errorf("what was encoded comes back changed (-was +is):\n%s", diff)
	}
	for n := range once {
		broken := append(bytes.Clone(once[:n]), once[n]^0x55)
		var f Fact
		if err := f.GobDecode(broken); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
		for _, s := range f.Sections {
			unpacked(s) // must not panic
		}
	}
	older := bytes.Clone(data)
	older[0]++
	if p, err := unpacked(Section{Path: "example.test/older", Data: older}); err == nil {
		t.Errorf("a section of another version is read as %v", p)
	}
}
