package lockgraph

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func verdicts(g *Graph) []string {
	g.Solve()
	out := []string{}
	for _, c := range g.Cycles {
		text := c.Verdict + ": " + strings.Join(c.Classes, ", ")
		if len(c.GatedBy) > 0 {
			text += " by " + strings.Join(c.GatedBy, ", ")
		}
		out = append(out, text)
	}
	return out
}

func TestCycles(t *testing.T) {
	fk := Relations{{Child: "items", Parent: "panels"}}
	for _, c := range []struct {
		name  string
		rel   Relations
		paths []string
		want  []string
	}{
		{"two in opposite orders", nil, []string{
			"P: row a UP id=x; row b UP id=x", "Q: row b UP id=y; row a UP id=y"},
			[]string{"supported: row a, row b"}},
		{"one order", nil, []string{
			"P: row a UP id=x; row b UP id=x", "Q: row a UP id=y; row b UP id=y"}, nil},
		{"three in a ring", nil, []string{
			"P: row a UP id=x; row b UP id=y", "Q: row b UP id=x; row c UP id=y", "R: row c UP id=x; row a UP id=y"},
			[]string{"supported: row a, row b, row c"}},
		{"three in a ring, nothing ties one hop", nil, []string{
			"P: row a NK id=x implicit; row b NK id=y implicit", "Q: row b UP id=x; row c UP id=y", "R: row c UP id=x; row a UP id=y"},
			[]string{"possible: row a, row b, row c"}},
		{"gated by one lock", nil, []string{
			"P: adv g x one; row a UP id=x; row b UP id=x", "Q: adv g x one; row b UP id=y; row a UP id=y"},
			[]string{"gated: row a, row b by advisory g"}},
		{"shared gates do not exclude", nil, []string{
			"P: adv g s one; row a UP id=x; row b UP id=x", "Q: adv g s one; row b UP id=y; row a UP id=y"},
			[]string{"supported: row a, row b"}},
		{"shared against exclusive excludes", nil, []string{
			"P: adv g s one; row a UP id=x; row b UP id=x", "Q: adv g x one; row b UP id=y; row a UP id=y"},
			[]string{"gated: row a, row b by advisory g"}},
		{"gated by the row both come from", nil, []string{
			"P: row g UP id=x; row a UP gid=x; row b UP id=x", "Q: row g UP id=y; row b UP id=y; row a UP gid=y"},
			[]string{"gated: row a, row b by row g"}},
		{"another instance is no gate", nil, []string{
			"P: row g UP id=w; row a UP id=x; row b UP id=x", "Q: row g UP id=z; row b UP id=y; row a UP id=y"},
			[]string{"supported: row a, row b"}},
		{"a table lock first makes row orders harmless", nil, []string{
			"P: table t SHARE_ROW_EXCLUSIVE one; row a UP id=x; row b UP id=x",
			"Q: table t ROW_EXCLUSIVE one; row b UP id=y; row a UP id=y"},
			[]string{"gated: row a, row b by table t"}},
		{"many rows may be none, and gate nothing", nil, []string{
			"P: row g UP gid=x many; row a UP id=x; row b UP id=x", "Q: row g UP gid=y many; row b UP id=y; row a UP id=y"},
			[]string{"supported: row a, row b"}},
		{"DDL against what any statement locks", nil, []string{
			"P: table a ACCESS_EXCLUSIVE one implicit; table b ACCESS_EXCLUSIVE one implicit",
			"Q: table b ROW_EXCLUSIVE one implicit; table a ROW_EXCLUSIVE one implicit"},
			[]string{"possible: table a, table b"}},
		{"LOCK TABLE against what a statement locks", nil, []string{
			"P: table a EXCLUSIVE one; table b EXCLUSIVE one", "Q: table b EXCLUSIVE one; table a ROW_EXCLUSIVE one implicit"},
			[]string{"supported: table a, table b"}},
		{"a mutex is no gate for what other processes do", nil, []string{
			"P: mutex m x one; row a UP id=x; row b UP id=x", "Q: mutex m x one; row b UP id=y; row a UP id=y"},
			[]string{"supported: row a, row b"}},
		{"different constants", nil, []string{
			"P: row a UP id=1; row b UP id=x", "Q: row b UP id=y; row a UP id=2"}, nil},
		{"equal constants", nil, []string{
			"P: row a UP id=1; row b UP id=x", "Q: row b UP id=y; row a UP id=1"},
			[]string{"supported: row a, row b"}},
		{"constants that differ through a third value", nil, []string{
			"P: adv a x key=1; row b UP id=x kind=1", "Q: row b UP id=y kind=2; adv a x key=1"}, nil},
		{"one value cannot be two constants", nil, []string{
			"P: row a UP id=x; row b UP id=x", "Q: row b UP id=1; row a UP id=2"}, nil},
		{"a try hop does not wait", nil, []string{
			"P: row a UP id=x; adv b x one try", "Q: adv b x one; row a UP id=y"}, nil},
		{"a fresh row is held by nobody else", nil, []string{
			"P: row a UP id=x fresh; row b UP id=x", "Q: row b UP id=y; row a UP id=y"}, nil},
		{"modes that do not conflict", nil, []string{
			"P: row a KS id=x; row b UP id=x", "Q: row b UP id=y; row a NK id=y"}, nil},
		{"the held mode counts, not the strongest", nil, []string{
			"P: row a SH id=x; row b UP id=x", "Q: row b UP id=y; row a SH id=y"}, nil},
		{"foreign key check against FOR UPDATE", fk, []string{
			"P: row panels UP id=x; row items NK pid=y implicit", "Q: row items NK id=z implicit; row panels KS id=w implicit fkfrom=items"},
			[]string{"supported: row items, row panels"}},
		{"foreign key check against FOR NO KEY UPDATE", fk, []string{
			"P: row panels NK id=x; row items NK pid=y implicit", "Q: row items NK id=z implicit; row panels KS id=w implicit fkfrom=items"}, nil},
		{"moved to a row that is deleted", fk, []string{
			"P: row panels UP id=x implicit; row items UP pid=y implicit many via=foreign_key_f same",
			"Q: row items NK id=z implicit; row panels KS id=w implicit fkfrom=items via=foreign_key_f same"}, nil},
		{"moved by another foreign key", fk, []string{
			"P: row panels UP id=x implicit; row items UP pid=y implicit many via=foreign_key_g same",
			"Q: row items NK id=z implicit; row panels KS id=w implicit fkfrom=items via=foreign_key_f same"},
			[]string{"supported: row items, row panels"}},
		{"moved after another change", fk, []string{
			"P: row panels UP id=x implicit; row items UP pid=y implicit many via=foreign_key_f same",
			"Q: row items NK id=z implicit; row items NK id=z implicit; row panels KS id=w implicit fkfrom=items via=foreign_key_f same"},
			[]string{"supported: row items, row panels"}},
		{"several moved", fk, []string{
			"P: row panels UP id=x implicit; row items UP pid=y implicit many via=foreign_key_f same",
			"Q: row items NK id=z implicit many; row panels KS id=w implicit fkfrom=items via=foreign_key_f same"},
			[]string{"supported: row items, row panels"}},
		{"no foreign key between them", nil, []string{
			"P: row panels UP id=x; row items NK pid=y implicit", "Q: row items NK id=z implicit; row panels NK id=w implicit"},
			[]string{"possible: row items, row panels"}},
		{"read from the row held", nil, []string{
			"P: row a NK id=x implicit; row b NK id=y implicit from=row:a", "Q: row b NK id=z implicit; row a NK id=w implicit from=row:b"},
			[]string{"supported: row a, row b"}},
		{"a guess is only possible", nil, []string{
			"P: row a UP id=x; row b UP id=x cut", "Q: row b UP id=y; row a UP id=y"},
			[]string{"possible: row a, row b"}},
		{"a supported cycle is not hidden by a possible one", nil, []string{
			"P: row a UP id=x; row b UP id=x cut", "P2: row a UP id=x; row b UP id=x", "Q: row b UP id=y; row a UP id=y"},
			[]string{"supported: row a, row b", "possible: row a, row b"}},
		{"a path against itself", nil, []string{
			"P: row a UP id=x; adv b x one; row a UP id=y"},
			[]string{"supported: advisory b, row a"}},
		{"a path against itself, nothing to wait for", nil, []string{
			"P: row a UP id=x; adv b x one"}, nil},
		{"the other side holds the row already", nil, []string{
			"P: row a UP id=x; row b UP id=x", "Q: row a UP id=y; row b UP id=y; row a UP id=y state=z"}, nil},
		{"two and a longer one", nil, []string{
			"P: row a UP id=x; row b UP id=x", "Q: row b UP id=x; row a UP id=x", "R: row b UP id=x; row c UP id=x", "S: row c UP id=x; row a UP id=x"},
			[]string{"supported: row a, row b", "supported: row a, row b, row c"}},
		{"two sessions of one path", nil, []string{
			"P: row a UP id=x; row b UP id=x session=2", "Q: row b UP id=x; row a UP id=x"},
			[]string{"supported: row a, row b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := verdicts(graphOf(t, c.rel, c.paths...))
			if len(got) != len(c.want) || len(got) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("cycles %q, want %q", got, c.want)
			}
		})
	}
}

func TestGatedShortCycleDoesNotHideALongerOne(t *testing.T) {
	g := graphOf(t, nil,
		"P: adv g x one; row a UP id=x; row b UP id=x",
		"Q: adv g x one; row b UP id=x; row a UP id=x",
		"R: row b UP id=x; row c UP id=x",
		"S: row c UP id=x; row a UP id=x")
	want := []string{"gated: row a, row b by advisory g", "supported: row a, row b, row c"}
	if got := verdicts(g); !reflect.DeepEqual(got, want) {
		t.Errorf("cycles %q, want %q", got, want)
	}
}

func TestEveryBlockingEdgeIsCovered(t *testing.T) {
	g := synthetic(40, 600)
	g.Solve()
	covered := map[int]bool{}
	for _, c := range g.Cycles {
		if len(c.Classes) != len(c.Edges) {
			t.Fatalf("cycle %v", c)
		}
		for i, e := range c.Edges {
			next := g.Edges[c.Edges[(i+1)%len(c.Edges)]]
			if g.Edges[e].To != next.From || !Conflicts(g.names.family(next.From), next.Held, g.Edges[e].Wanted) {
				t.Fatalf("edges %v do not close a cycle that waits", c.Edges)
			}
			covered[e] = true
		}
	}
	s := newSearch(g, tierPossible)
	for e := range g.Edges {
		if s.on(e) && !covered[e] {
			if d := s.distances(s.from[e]); closes(s, e, d) {
				t.Errorf("edge %d lies on a cycle and is not covered", e)
			}
		}
	}
	if len(g.Cycles) == 0 {
		t.Fatal("no cycles")
	}
}

// A graph too large to search whole still gives its cycles of two, and says
// that others may be missing.
func TestSearchIsBounded(t *testing.T) {
	lines := []string{
		"P: row a UP id=x; row b UP id=x", "Q: row b UP id=x; row a UP id=x",
		"R: row c UP id=x; row d UP id=x", "S: row d UP id=x; row e UP id=x", "T: row e UP id=x; row c UP id=x"}
	g := graphOf(t, nil, lines...)
	if got := verdicts(g); len(got) != 2 || g.Incomplete() != "" {
		t.Errorf("cycles %q, incomplete %q", got, g.Incomplete())
	}
	g = graphOf(t, nil, lines...)
	g.work = maxWork
	if got := verdicts(g); !reflect.DeepEqual(got, []string{"supported: row a, row b"}) || g.Incomplete() == "" {
		t.Errorf("cycles %q, incomplete %q", got, g.Incomplete())
	}
}

func closes(s *search, e int, dist []int32) bool {
	for _, t := range s.arcOf(e).targets {
		if dist[t] > 0 {
			return true
		}
	}
	return false
}

// synthetic makes a graph of the given size: every statement wants one lock
// while it holds four.
func synthetic(classes, edges int) *Graph {
	seed := uint64(1)
	next := func(n int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % n
	}
	var all []Proposal
	var cs []Class
	take := func(c, id int) Take {
		mode := []string{ForUpdate, ForNoKeyUpdate, ForShare}[next(3)]
		k := Take{ID: id, Class: fmt.Sprintf("row t%03d", c), Family: Row, Mode: mode, Wait: Wait, Scope: Transaction, Implicit: next(2) == 0}
		v := fmt.Sprintf(`param "%d"`, next(6))
		k.Inst = Inst{Known: true, Text: "id=" + v, Columns: []Column{{"id", v}}}
		return k
	}
	for i := range classes {
		name := fmt.Sprintf("t%03d", i)
		cs = append(cs, Class{ID: "row " + name, Family: Row, Name: name, Relation: name})
	}
	for i := 0; i < edges/4; i++ {
		p := Proposal{Trace: fmt.Sprintf("pkg.F%d", i/5)}
		for j := range 5 {
			k := take(next(classes), j)
			k.Frames = []Frame{{p.Trace, "a.go", i * 10, "begins a transaction"}, {fmt.Sprintf("pkg.g%d", i), "a.go", i*10 + j, "acquires"}}
			if j < 4 {
				p.Held = append(p.Held, &k)
			} else {
				p.Want = &k
			}
		}
		all = append(all, p)
	}
	return Build(cs, all, nil)
}

// BenchmarkGraph is the size of the budget: 5,000 statements, 500 classes,
// 20,000 edges.
func BenchmarkGraph(b *testing.B) {
	for b.Loop() {
		g := synthetic(500, 20000)
		g.Solve()
		if len(g.Edges) < 19000 || len(g.Cycles) == 0 {
			b.Fatalf("%d edges, %d cycles", len(g.Edges), len(g.Cycles))
		}
		b.ReportMetric(float64(len(g.Cycles)), "cycles")
		b.ReportMetric(float64(g.work), "steps")
	}
}

// BenchmarkGrowth shows how the stage grows up to the budget: 1, 4 and 16
// times as many classes and edges.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("%dx", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g := synthetic(n*500/16, n*20000/16)
				g.Solve()
				b.ReportMetric(float64(len(g.Edges)), "edges")
				b.ReportMetric(float64(len(g.Cycles)), "cycles")
			}
		})
	}
}

// Everything under one lock: each edge tries all it may and finds nothing.
func BenchmarkGated(b *testing.B) {
	for b.Loop() {
		g := synthetic(500, 20000)
		gate := &Take{Class: "advisory g", Family: Advisory, Mode: Exclusive, Inst: Inst{Single: true, Known: true}}
		for _, e := range g.info {
			for _, s := range e.sides {
				s.held = append([]*Take{gate}, s.held...)
				s.from++
			}
			e.single = e.sides[0].singles()
		}
		g.Solve()
		b.ReportMetric(float64(len(g.Cycles)), "cycles")
		b.ReportMetric(float64(g.work), "steps")
	}
}

// Many shapes of few edges: two classes, every function a witness of its own.
func BenchmarkParallel(b *testing.B) {
	for b.Loop() {
		g := synthetic(3, 20000)
		g.Solve()
		b.ReportMetric(float64(len(g.Edges)), "edges")
		b.ReportMetric(float64(g.work), "steps")
	}
}
