package docgen

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

func TestShortNames(t *testing.T) {
	got := shortNames([]string{
		"example.test/a/b.(*Store).Close", "example.test/a/b.(*Store).Close$1$2", "example.test/a/c.(*Store).Open",
		"example.test/a/d.(*Store).Open", "example.test/a/b.Run", "example.test/z/b.Run", "example.test/a.Store.Value",
		"main.main", "migration 0001_init", "core.confer", "Post$1", "gopkg.in/x.v3/y.(T).M",
	})
	want := map[string]string{
		"example.test/a/b.(*Store).Close":     "Store.Close",
		"example.test/a/b.(*Store).Close$1$2": "Store.Close",
		"example.test/a/c.(*Store).Open":      "c.Store.Open",
		"example.test/a/d.(*Store).Open":      "d.Store.Open",
		"example.test/a/b.Run":                "example.test/a/b.Run",
		"example.test/z/b.Run":                "example.test/z/b.Run",
		"example.test/a.Store.Value":          "Store.Value",
		"main.main":                           "main.main",
		"core.confer":                         "core.confer",
		"Post$1":                              "Post",
		"gopkg.in/x.v3/y.(T).M":               "T.M",
	}
	for full, short := range want {
		if got[full] != short {
			t.Errorf("%s is %q, want %q", full, got[full], short)
		}
	}
	if s, ok := got["migration 0001_init"]; ok {
		t.Errorf("a migration is no symbol, got %q", s)
	}
}

// A vocabulary is a list of names.
type vocabulary []string

func (v vocabulary) Known(name string) bool { return slices.Contains(v, name) }

func (v vocabulary) Nearest(name string) string {
	if name == "LockGone" {
		return "LockPool"
	}
	return ""
}

func TestStaleNames(t *testing.T) {
	page := "---\nsummary: \"`Gone.Front`\"\n---\n" +
		"Ask `Store.Close` and `Store.Vanish()`, not `FOR UPDATE`, `pool`, `pg_advisory_lock`, `docs/x.md` or `main.go`.\n" +
		"```go\nx := `Gone.Fence`\n```\n" +
		beginMarker("locks") + "\n`Gone.Generated`\n" + endMarker("locks") + "\n" +
		"The row of `core.grants` and `core.gone`, `LockPool` and `LockGone`; `Store.Vanish` again.\r\n"
	var got []string
	for _, f := range StaleNames("docs/x.md", []byte(page), vocabulary{"Store.Close", "core.grants", "LockPool"}) {
		got = append(got, f.Fingerprint)
		if k, ok := lockgraph.KindOf(f.Kind); !ok || k.Severity != f.Severity || k.Check != f.Check {
			t.Errorf("%s: kind, check or severity is not that of the table", f.Kind)
		}
		if f.Fingerprint == "stale-name/docs/x.md/Store.Vanish" && (f.Line != 4 || f.File != "docs/x.md") {
			t.Errorf("at %s:%d, want docs/x.md:4", f.File, f.Line)
		}
		if near := `nearest: "LockPool"`; strings.Contains(f.Message, "nearest") != strings.Contains(f.Message, near) ||
			strings.Contains(f.Message, near) != strings.HasSuffix(f.Fingerprint, "/LockGone") {
			t.Errorf("%s: %s", f.Fingerprint, f.Message)
		}
	}
	if want := "stale-name/docs/x.md/Store.Vanish stale-name/docs/x.md/core.gone stale-name/docs/x.md/LockGone"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMermaidQuotesLabels(t *testing.T) {
	m := &lockgraph.Manifest{
		Classes: []lockgraph.Class{
			{ID: "a", Family: "advisory", Name: "end", Key: &lockgraph.Key{Space: "bigint", Expr: "x"}},
			{ID: "b", Family: "row", Name: `public."we#ird]`, Relation: `public."we#ird]`},
			{ID: "c", Family: "row", Name: "таблица", Relation: "таблица"},
			{ID: "d", Family: "row", Name: "表", Relation: "表"},
		},
		Edges: []lockgraph.Edge{{From: "a", To: "b"}, {From: "b", To: "c"}, {From: "c", To: "d"}, {From: "d", To: "zz"}},
	}
	got := Mermaid(m)
	seen := map[string]bool{}
	for i, l := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
		if i == 0 {
			continue
		}
		id := strings.FieldsFunc(l, func(r rune) bool { return strings.ContainsRune(" [{(", r) })[0]
		if strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || id == "end" {
			t.Errorf("node id %q in %q", id, l)
		}
		if strings.Contains(l, "-->") {
			continue
		}
		if seen[id] {
			t.Errorf("node id %q stands twice", id)
		}
		seen[id] = true
		if strings.Count(l, `"`) != 2 {
			t.Errorf("label is not quoted safely: %q", l)
		}
	}
	if len(seen) != 5 || !strings.Contains(got, "we#35;ird]") {
		t.Errorf("got\n%s", got)
	}
}

func TestPictureIsCapped(t *testing.T) {
	m := &lockgraph.Manifest{}
	for i := range 60 {
		id := "row t" + thousands(i)
		m.Classes = append(m.Classes, lockgraph.Class{ID: id, Family: "row", Name: id[4:], Relation: id[4:]})
		if i > 0 {
			m.Edges = append(m.Edges, lockgraph.Edge{From: m.Classes[i-1].ID, To: id})
		}
	}
	m.Edges = append(m.Edges, lockgraph.Edge{From: "row t59", To: "row t58", Held: "FOR UPDATE", Wanted: "FOR SHARE"})
	m.Cycles = []lockgraph.Cycle{{Classes: []string{"row t58", "row t59"}, Verdict: "supported", Edges: []int{58, 59}}}
	text := newBook(m, Options{}).graph()
	text = strings.Join(strings.Fields(text), " ")
	if !strings.Contains(text, "30 more are hidden") || !strings.Contains(text, "r_t58 ==> r_t59") {
		t.Errorf("got\n%s", text)
	}
}

// TestReductionKeepsReachability drops arrows from random graphs: whatever
// could be reached before can be reached after, and layers still descend.
// TestPictureShowsWholeCycles draws a cycle that can block whole, before locks
// with more neighbours.
func TestPictureShowsWholeCycles(t *testing.T) {
	m := &lockgraph.Manifest{}
	edge := func(from, to string) { m.Edges = append(m.Edges, lockgraph.Edge{From: from, To: to}) }
	for _, id := range []string{"a", "b", "c", "d", "hub", "x", "y", "z"} {
		m.Classes = append(m.Classes, lockgraph.Class{ID: id, Family: "row", Name: id, Relation: id})
	}
	edge("a", "b")
	edge("b", "a")
	edge("c", "d")
	edge("d", "c")
	for _, id := range []string{"x", "y", "z", "c"} {
		edge("hub", id)
	}
	m.Cycles = []lockgraph.Cycle{{Classes: []string{"c", "d"}, Verdict: "possible", Edges: []int{2, 3}}, {Classes: []string{"a", "b"}, Verdict: "supported", Edges: []int{0, 1}}}
	for most, want := range map[int]string{2: "a b", 4: "a b c d", 5: "a b c d hub"} {
		if got := strings.Join(draw(m, most).nodes, " "); got != want {
			t.Errorf("of %d locks, %s are drawn, want %s", most, got, want)
		}
	}
}

// TestPictureIsThinned draws no more arrows than can be read, and keeps those
// of a cycle that can block.
func TestPictureIsThinned(t *testing.T) {
	m := &lockgraph.Manifest{}
	const n = 12
	for i := range n {
		id := "row t" + thousands(i)
		m.Classes = append(m.Classes, lockgraph.Class{ID: id, Family: "row", Name: id[4:], Relation: id[4:]})
	}
	for i := range n {
		for j := range n {
			if i != j {
				m.Edges = append(m.Edges, lockgraph.Edge{From: m.Classes[i].ID, To: m.Classes[j].ID})
			}
		}
	}
	m.Cycles = []lockgraph.Cycle{{Classes: []string{"row t0", "row t1"}, Verdict: "supported", Edges: []int{0, n - 1}}}
	text := strings.Join(strings.Fields(newBook(m, Options{}).graph()), " ")
	if arrows := strings.Count(text, " --> ") + strings.Count(text, " ==> "); arrows != 2 ||
		!strings.Contains(text, "r_t0 ==> r_t1") || !strings.Contains(text, "130 arrows are left out between locks that are taken in several orders") {
		t.Errorf("%d arrows:\n%s", arrows, text)
	}
}

func TestReductionKeepsReachability(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	dropped := 0
	for range 300 {
		m := new(lockgraph.Manifest)
		n := 2 + r.IntN(9)
		for range r.IntN(3 * n) {
			m.Edges = append(m.Edges, lockgraph.Edge{From: string(rune('a' + r.IntN(n))), To: string(rune('a' + r.IntN(n)))})
		}
		p := draw(m, 0)
		before := reachable(p)
		p.reduce()
		dropped += p.implied
		if after := reachable(p); after != before {
			t.Fatalf("%v: reaches\n%s\nand after the reduction\n%s", m.Edges, before, after)
		}
		level := map[string]int{}
		for i, l := range p.layers {
			for _, c := range l {
				level[c] = i
			}
		}
		for _, a := range p.arrows {
			if p.comp[a.from] != p.comp[a.to] && level[a.from] >= level[a.to] {
				t.Fatalf("%v: the arrow %s → %s does not descend", m.Edges, a.from, a.to)
			}
		}
	}
	if dropped == 0 {
		t.Error("no arrow was ever dropped")
	}
}

func reachable(p *picture) string {
	var out []string
	for _, from := range p.nodes {
		seen := map[string]bool{}
		var visit func(string)
		visit = func(n string) {
			for _, a := range p.arrows {
				if a.from == n && !seen[a.to] {
					seen[a.to] = true
					visit(a.to)
				}
			}
		}
		visit(from)
		for _, to := range p.nodes {
			if seen[to] {
				out = append(out, from+to)
			}
		}
	}
	return strings.Join(out, " ")
}
