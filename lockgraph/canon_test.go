package lockgraph

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func manifest() *Manifest {
	g := bank()
	f := g.Findings()
	return &Manifest{
		Module:  "example.test/bank",
		Tool:    Tool{Version: "v", Parser: "pg_query_go v5", Grammar: 16},
		Classes: []Class{{ID: "row accounts", Family: Row}, {ID: "advisory a", Family: Advisory}},
		Acquisitions: []Acquisition{
			{ID: "bank.go:22:10", File: "bank.go", Line: 22}, {ID: "bank.go:22:2", File: "bank.go", Line: 22},
			{ID: "bank.go:9:1", File: "bank.go", Line: 9}, {ID: "bank.go:9:1", File: "bank.go", Line: 9},
		},
		Edges: g.Edges, Cycles: g.Cycles, Findings: f,
		Paths: []Path{{Entry: "Q"}, {Entry: "P", ReachedBy: []string{"b", "a", "b"}}},
		Rules: []Rule{{ID: "first/b"}, {ID: "before/a", Exceptions: []string{"z", "y"}}},
		Unknowns: []Unknown{
			{File: "b.go", Line: 2}, {File: "a.go", Line: 30}, {File: "a.go", Line: 4, Reason: "y"}, {File: "a.go", Line: 4, Reason: "x"}, {File: "b.go", Line: 2},
		},
	}
}

func TestCanonMovesEdgeNumbers(t *testing.T) {
	m := manifest()
	m.Edges[0], m.Edges[1] = m.Edges[1], m.Edges[0]
	m.Cycles[0].Edges = []int{1, 0}
	m.Canon()
	for i, e := range m.Cycles[0].Edges {
		if m.Edges[e].From != m.Cycles[0].Classes[i] {
			t.Errorf("hop %d: edge %d is from %s, not from %s", i, e, m.Edges[e].From, m.Cycles[0].Classes[i])
		}
	}
	if !strings.HasPrefix(m.Edges[0].From, "advisory") {
		t.Errorf("edges are not sorted: %s first", m.Edges[0].From)
	}
}

func TestCanonSorts(t *testing.T) {
	m := manifest()
	m.Canon()
	var got []string
	for _, c := range m.Classes {
		got = append(got, c.ID)
	}
	for _, a := range m.Acquisitions {
		got = append(got, a.ID)
	}
	for _, p := range m.Paths {
		got = append(got, p.Entry+strings.Join(p.ReachedBy, ""))
	}
	for _, r := range m.Rules {
		got = append(got, r.ID+strings.Join(r.Exceptions, ""))
	}
	for _, u := range m.Unknowns {
		got = append(got, u.File+u.Reason)
	}
	want := []string{"advisory a", "row accounts", "bank.go:9:1", "bank.go:22:2", "bank.go:22:10", "Pab", "Q", "before/ayz", "first/b", "a.gox", "a.goy", "a.go", "b.go"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestWriteJSONIsStable(t *testing.T) {
	var first, second bytes.Buffer
	m := manifest()
	if err := m.WriteJSON(&first); err != nil {
		t.Fatal(err)
	}
	read, err := ReadJSON(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	read.Paths[0], read.Paths[1] = read.Paths[1], read.Paths[0]
	read.Classes[0], read.Classes[1] = read.Classes[1], read.Classes[0]
	if err := read.WriteJSON(&second); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Errorf("what was read back is written otherwise:\n%s\n%s", first.String(), second.String())
	}
	if s := first.String(); strings.Contains(s, "null") || strings.Contains(s, `\u`) {
		t.Errorf("null or an escape in\n%s", s)
	}
	if !json.Valid(first.Bytes()) {
		t.Error("no valid JSON")
	}
}

func TestReadJSONRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"version":2}`, "version 2, this program reads version 1"},
		{`{}`, "no version"},
		{`[`, "reading the manifest"},
		{`{"version":1,"cycles":[{"edges":[3]}]}`, "cycle 0 names edge 3 of 0"},
	} {
		_, err := ReadJSON(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ReadJSON(%s): %v, want %q", c.text, err, c.want)
		}
	}
	if m, err := ReadJSON(strings.NewReader(`{"version":1,"module":"m","more":1}`)); err != nil || m.Module != "m" {
		t.Errorf("an added field must not hurt: %v", err)
	}
}
