package lockgraph

import (
	"sort"
	"strconv"
	"strings"
)

// Limits of the search for one edge. What lies beyond them is not reported
// as absent: the edge stays in the graph, without a cycle.
const (
	maxPartners = 64   // edges of the opposite order tried for a cycle of two
	maxAttempts = 24   // longer cycles tried
	maxVisits   = 2000 // steps of the search for cycles of one length
	maxDetour   = 2    // hops beyond the shortest
	maxParallel = 3    // edges tried between one pair of states
	maxCombos   = 16   // ways to reach the edges of one cycle
	confirmWork = 8    // what confirming weighs against a step
	maxWork     = 3e6  // steps for a whole graph, after which only cycles of two are looked for
)

// A foundCycle is a cycle with the sides that confirm it.
type foundCycle struct {
	edges   []int
	sides   []*side
	tier    int
	verdict string
	gatedBy []string
	weak    *weakness
}

// Solve finds the cycles: every edge that lies on one that can block is
// covered by one shortest confirmed cycle; they are never enumerated.
// Edges with good evidence are tried first and among themselves, so that a
// supported cycle is not hidden behind a possible one.
func (g *Graph) Solve() {
	if g.solved {
		return
	}
	g.solved = true
	covered := make([]bool, len(g.Edges))
	gated := map[string]foundCycle{}
	for tier := 0; tier < tiers; tier++ {
		s := newSearch(g, tier)
		for e := range g.Edges {
			if covered[e] || !s.on(e) {
				continue
			}
			c, ok := s.shortest(e)
			if !ok {
				continue
			}
			if c.verdict == Gated {
				gated[cycleKey(c.edges)] = c
				continue
			}
			for _, i := range c.edges {
				covered[i] = true
			}
			g.found = append(g.found, c)
		}
	}
	g.found = append(g.found, uncovered(g, gated, covered)...)
	g.arrange()
}

// Incomplete tells why longer cycles may be missing, or "".
func (g *Graph) Incomplete() string {
	g.Solve()
	if g.work <= maxWork {
		return ""
	}
	return "the graph is too large: some cycles of three and more classes were not looked for"
}

// uncovered keeps gated cycles, short ones first, until every edge that lies
// on no other cycle is on one; one for a set of classes and gates.
func uncovered(g *Graph, gated map[string]foundCycle, covered []bool) []foundCycle {
	keys := sortedKeys(gated)
	sort.SliceStable(keys, func(i, j int) bool { return len(gated[keys[i]].edges) < len(gated[keys[j]].edges) })
	var out []foundCycle
	told := map[string]bool{}
	for _, k := range keys {
		c := gated[k]
		needed := false
		for _, e := range c.edges {
			needed = needed || !covered[e]
		}
		set := strings.Join(g.classSet(c.edges), "\x00") + "\x01" + strings.Join(c.gatedBy, "\x00")
		if !needed || told[set] {
			continue
		}
		told[set] = true
		for _, e := range c.edges {
			covered[e] = true
		}
		out = append(out, c)
	}
	return out
}

func (g *Graph) classSet(edges []int) []string {
	set := map[string]bool{}
	for _, e := range edges {
		set[g.Edges[e].From] = true
	}
	return sortedKeys(set)
}

func cycleKey(edges []int) string {
	var b []byte
	for _, e := range edges {
		b = strconv.AppendInt(append(b, ' '), int64(e), 10)
	}
	return string(b)
}

// arrange turns each cycle to start at its smallest class, orders them by
// component and length, and writes them into Cycles.
func (g *Graph) arrange() {
	for n := range g.found {
		c := &g.found[n]
		at := 0
		for i := range c.edges {
			a, b := g.Edges[c.edges[i]].From, g.Edges[c.edges[at]].From
			if a < b || a == b && c.edges[i] < c.edges[at] {
				at = i
			}
		}
		c.edges = append(append([]int(nil), c.edges[at:]...), c.edges[:at]...)
		c.sides = append(append([]*side(nil), c.sides[at:]...), c.sides[:at]...)
	}
	g.Cycles = make([]Cycle, len(g.found))
	cycle := func(c *foundCycle) Cycle {
		out := Cycle{Verdict: c.verdict, GatedBy: append([]string{}, c.gatedBy...), Edges: c.edges}
		for _, e := range c.edges {
			out.Classes = append(out.Classes, g.Edges[e].From)
		}
		return out
	}
	for i := range g.found {
		g.Cycles[i] = cycle(&g.found[i])
	}
	less := cycleOrder(g.Cycles)
	index := make([]int, len(g.found))
	for i := range index {
		index[i] = i
	}
	sort.SliceStable(index, func(i, j int) bool { return less(&g.Cycles[index[i]], &g.Cycles[index[j]]) })
	found := make([]foundCycle, len(index))
	for i, n := range index {
		found[i] = g.found[n]
	}
	g.found = found
	for i := range g.found {
		g.Cycles[i] = cycle(&g.found[i])
	}
}

func verdictRank(verdict string) int {
	for i, v := range []string{Supported, Possible, Gated} {
		if v == verdict {
			return i
		}
	}
	return len(verdict)
}

// cycleOrder returns the order of the manifest: by strongly connected
// component (cycles that share a class are in one), then length, then text.
func cycleOrder(cycles []Cycle) func(a, b *Cycle) bool {
	up := map[string]string{}
	var root func(c string) string
	root = func(c string) string {
		if p, ok := up[c]; ok && p != c {
			r := root(p)
			up[c] = r
			return r
		}
		return c
	}
	for _, c := range cycles {
		for _, k := range c.Classes {
			a, b := root(c.Classes[0]), root(k)
			if b < a {
				a, b = b, a
			}
			up[b] = a
		}
	}
	return func(a, b *Cycle) bool {
		if len(a.Classes) == 0 || len(b.Classes) == 0 {
			return len(a.Classes) < len(b.Classes)
		}
		if x, y := root(a.Classes[0]), root(b.Classes[0]); x != y {
			return x < y
		}
		if len(a.Classes) != len(b.Classes) {
			return len(a.Classes) < len(b.Classes)
		}
		for i := range a.Classes {
			if a.Classes[i] != b.Classes[i] {
				return a.Classes[i] < b.Classes[i]
			}
		}
		if x, y := verdictRank(a.Verdict), verdictRank(b.Verdict); x != y {
			return x < y
		}
		for i := range a.Edges {
			if i >= len(b.Edges) || a.Edges[i] != b.Edges[i] {
				return i < len(b.Edges) && a.Edges[i] < b.Edges[i]
			}
		}
		return false
	}
}
