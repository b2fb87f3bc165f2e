package prog

import (
	"strconv"
	"testing"
)

// TestShrinkRecord gives up a record that is made of too much: one that holds
// a connection keeps it, and a row is unknown as a whole, since one whose
// columns are unknown would look like one that changes them.
func TestShrinkRecord(t *testing.T) {
	x := newEvaluator(&Program{Funcs: map[string]*Func{}})
	much := &Val{Kind: VConcat}
	for i := range maxSize {
		much.Of = append(much.Of, New(VParam, "f#"+strconv.Itoa(i)))
	}
	row := New(VRecord, "m.Row", New(VInit, "m.Row.ParentID", New(VField, "m.Row.ParentID", New(VScan, "f:1"))), New(VInit, "m.Row.Note", much))
	if got := x.shrink(row, &env{uid: "0"}, row); got.Kind != VHole {
		t.Errorf("a row is %s", got)
	}
	store := New(VRecord, "m.Store", New(VInit, "m.Store.db", New(VConn, "1")), New(VInit, "m.Store.note", much))
	got := x.shrink(store, &env{uid: "0"}, store)
	if got.Kind != VRecord || !hasConn(got) || got.size() > maxSize {
		t.Errorf("a store is %s", got)
	}
}

// TestShrinkGuard gives up what a result is made of, whose name tells which
// ways it has failed on.
func TestShrinkGuard(t *testing.T) {
	x := newEvaluator(&Program{Funcs: map[string]*Func{}})
	much := &Val{Kind: VChoice}
	for i := range maxSize {
		much.Of = append(much.Of, New(VParam, "f#"+strconv.Itoa(i)))
	}
	g := New(VIsNil, "", New(VResult, "0:1.0@1", much))
	if got := x.shrink(g, &env{uid: "0"}, g); got.Kind != VIsNil || nameOf(got.Of[0]) != "0:1.0@1" || got.size() > maxSize {
		t.Errorf("whether a result is nil is %s", got)
	}
}
