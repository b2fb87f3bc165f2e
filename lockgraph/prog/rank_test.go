package prog

import (
	"slices"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// noSchema is a Resolver that knows nothing but the names of locks.
type noSchema struct{}

func (noSchema) Effect(string) []Op               { return nil }
func (noSchema) Order(string) string              { return "" }
func (noSchema) Chain(*Val) ([]ChainText, string) { return nil, "" }
func (noSchema) Class(a *Acq, _ []*Val) *lockgraph.Class {
	return &lockgraph.Class{ID: a.Family + " " + a.Relation, Family: a.Family, Name: a.Relation}
}

// statement returns an op that runs SQL which takes the lock.
func statement(a Acq) Op {
	return Op{Kind: OpSQL, Val: Text("SELECT"), Body: []Op{{Kind: OpAcquire, Acq: &a}}}
}

// small is two packages: d, which asks for a lock, takes one by itself, and
// makes keys, and m, which calls it.
func small() []*Package {
	ask := statement(Acq{Family: lockgraph.Advisory, Key: []*Val{New(VResult, "1.0")}})
	row := statement(Acq{Family: lockgraph.Row, Relation: "t", Implicit: true})
	call := func(key string, args ...*Val) Op { return Op{Kind: OpCall, ID: 1, Val: New(VFunc, key), Args: args} }
	return []*Package{
		{Path: "m", Funcs: []*Func{
			{Key: "m.Ask", Body: []Op{call("d.Ask")}},
			{Key: "m.Row", Body: []Op{call("d.Row")}},
			{Key: "m.Value", Body: []Op{call("d.value", New(VField, "d.T.B", New(VParam, "0")))}},
		}},
		{Path: "d", Funcs: []*Func{
			{Key: "d.Ask", Body: []Op{call("d.key"), ask}},
			{Key: "d.Row", Body: []Op{row}},
			{Key: "d.key", Results: 1, Body: []Op{{Kind: OpExit, Args: []*Val{New(VField, "d.T.A", New(VParam, "0"))}}}},
			{Key: "d.value", Results: 1, Body: []Op{{Kind: OpExit, Args: []*Val{Text("v")}}}},
		}, Fields: []FieldStore{{Field: "d.T.A", Func: "d.new", Val: Text("a")}, {Field: "d.T.B", Func: "d.new", Val: Text("b")}, {Field: "x.Y", Func: "d.new", Val: Text("c")}}},
	}
}

func TestRank(t *testing.T) {
	want := []string{"d.key", "d.Ask", "m.Ask", "d.Row", "m.Row", "d.value", "m.Value"}
	if got := Rank(small()); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOnly leaves functions and fields out of packages: a call of the one is a
// hole unless it does nothing to locks, and nothing is known of the other.
func TestOnly(t *testing.T) {
	for _, tt := range []struct {
		name string
		keep []string
		hole string // a function whose walk meets a hole
		none string // one whose does not
	}{
		{"what asks for a lock", []string{"m.Ask", "m.Row", "m.Value", "d.key", "d.Row"}, "m.Ask", "m.Row"},
		{"what takes one by itself", []string{"m.Ask", "m.Row", "m.Value", "d.key", "d.Ask"}, "m.Row", "m.Ask"},
		{"what does nothing to locks", []string{"m.Ask", "m.Row", "m.Value", "d.Ask", "d.Row"}, "", "m.Value"},
	} {
		keep := map[string]bool{}
		for _, k := range tt.keep {
			keep[k] = true
		}
		cut := Only(small(), keep)
		for i := range cut { // as importers see them
			var err error
			if cut[i], err = Unpack(Pack(cut[i])); err != nil {
				t.Fatal(err)
			}
		}
		p := Link(cut, noSchema{})
		if tt.hole != "" && len(p.Walk(tt.hole).Holes) == 0 {
			t.Errorf("%s: the walk of %s knows of no hole", tt.name, tt.hole)
		}
		if n := len(p.Walk(tt.none).Holes); n > 0 {
			t.Errorf("%s: the walk of %s has %d holes", tt.name, tt.none, n)
		}
		if got := len(p.fields["d.T.A"]); (got == 1) != keep["d.key"] {
			t.Errorf("%s: the field that d.key reads has %d stores", tt.name, got)
		}
		if !p.untold("x.Y") {
			t.Errorf("%s: the field of another package is told", tt.name)
		}
	}
}

// TestMerge joins what two facts tell of one package.
func TestMerge(t *testing.T) {
	all := small()
	part := func(keys ...string) *Package {
		keep := map[string]bool{}
		for _, k := range keys {
			keep[k] = true
		}
		return Only(all, keep)[1]
	}
	got := Merge(part("d.Ask"), part("d.Row", "d.key"))
	var keys []string
	for _, f := range got.Funcs {
		keys = append(keys, f.Key)
	}
	if want := []string{"d.Ask", "d.Row", "d.key"}; !slices.Equal(keys, want) {
		t.Errorf("got %q, want %q", keys, want)
	}
	p := Link([]*Package{got}, nil)
	for _, k := range []string{"d.Ask", "d.Row", "d.key"} {
		if p.isMissing(k) || got.missing()[hashOf(k)] {
			t.Errorf("%s is there and missing", k)
		}
	}
	if len(p.fields["d.T.A"]) != 1 {
		t.Error("the field that one of them tells is lost")
	}
}
