package prog

import "testing"

// TestCalleeKeptInItself follows a field that keeps a function, or what was
// kept in it before, as a chain of middleware does: it ends.
func TestCalleeKeptInItself(t *testing.T) {
	field := New(VField, "example.test/m.Chain.next", New(VParam, "0"))
	p := Link([]*Package{{
		Path: "example.test/m",
		Funcs: []*Func{
			{Key: "example.test/m.end", Body: []Op{{Kind: OpOpen, ID: 1, How: "tx"}}},
			{Key: "example.test/m.(*Chain).Use", Params: 1},
		},
		Fields: []FieldStore{
			{Field: "example.test/m.Chain.next", Func: "example.test/m.(*Chain).Use", Val: New(VChoice, "", field, New(VFunc, "example.test/m.end"))},
			{Field: "example.test/m.Chain.next", Func: "example.test/m.(*Chain).Use", Val: New(VField, "example.test/m.Chain.next", field)},
		},
	}}, nil)
	cs := newEvaluator(p).callees(field)
	found := false
	for _, c := range cs {
		found = found || c.key == "example.test/m.end"
	}
	if !found {
		t.Errorf("callees %v lack the function that is kept", cs)
	}
}
