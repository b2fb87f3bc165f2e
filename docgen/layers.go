package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A picture is the part of the graph that is drawn: one arrow for each pair
// of classes, in layers of the observed order.
type picture struct {
	nodes   []string   // class ids
	layers  [][]string // the same, first taken first
	arrows  []arrow
	hidden  int // classes with an edge that are not drawn
	implied int // arrows left out because two others say the same
}

type arrow struct {
	from, to string
	cycle    string // "", or the verdict of a cycle it lies on
	guess    bool   // every edge behind it rests on a cut
}

// draw chooses what a picture shows. The blocking core comes first: classes
// on cycles that can block, then those with the most neighbours.
func draw(m *lockgraph.Manifest, most int) *picture {
	arrows := arrowsOf(m)
	weight := map[string]int{}
	for _, a := range arrows {
		weight[a.from]++
		weight[a.to]++
	}
	for _, c := range m.Cycles {
		for _, id := range c.Classes {
			weight[id] += map[string]int{"supported": 1 << 20, "possible": 1 << 10}[c.Verdict]
		}
	}
	explicit := map[string]bool{}
	for _, a := range m.Acquisitions {
		explicit[a.Class] = explicit[a.Class] || !a.Implicit
	}
	nodes := sortedKeys(weight)
	slices.SortStableFunc(nodes, func(x, y string) int {
		if weight[x]>>10 == 0 && weight[y]>>10 == 0 && explicit[x] != explicit[y] {
			return map[bool]int{true: -1, false: 1}[explicit[x]]
		}
		return weight[y] - weight[x]
	})
	p := &picture{}
	if most > 0 && len(nodes) > most {
		p.hidden = len(nodes) - most
		nodes = nodes[:most]
	}
	slices.Sort(nodes)
	p.nodes = nodes
	shown := map[string]bool{}
	for _, n := range nodes {
		shown[n] = true
	}
	for _, a := range arrows {
		if shown[a.from] && shown[a.to] && (a.from != a.to || a.cycle != "") {
			p.arrows = append(p.arrows, a)
		}
	}
	p.layer()
	p.reduce()
	return p
}

func arrowsOf(m *lockgraph.Manifest) []arrow {
	type pair struct{ from, to string }
	at := map[pair]*arrow{}
	for _, e := range m.Edges {
		p := pair{e.From, e.To}
		if at[p] == nil {
			at[p] = &arrow{from: e.From, to: e.To, guess: true}
		}
		at[p].guess = at[p].guess && e.Cut != ""
	}
	rank := map[string]int{"supported": 3, "possible": 2, "gated": 1}
	for _, c := range m.Cycles {
		for _, i := range c.Edges {
			if i < 0 || i >= len(m.Edges) {
				continue
			}
			a := at[pair{m.Edges[i].From, m.Edges[i].To}]
			if rank[c.Verdict] > rank[a.cycle] {
				a.cycle = c.Verdict
			}
		}
	}
	var out []arrow
	for _, a := range at {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(x, y arrow) int {
		if c := strings.Compare(x.from, y.from); c != 0 {
			return c
		}
		return strings.Compare(x.to, y.to)
	})
	return out
}

// layer puts each class below all that are taken before it; classes of one
// cycle share a layer.
func (p *picture) layer() {
	comp := p.components()
	level := map[int]int{}
	// Longest path over the components, found by rounds: the components form
	// no cycle, so as many rounds as there are components settle it.
	for range p.nodes {
		changed := false
		for _, a := range p.arrows {
			f, t := comp[a.from], comp[a.to]
			if f != t && level[t] < level[f]+1 {
				level[t] = level[f] + 1
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	deepest := -1
	for _, n := range p.nodes {
		deepest = max(deepest, level[comp[n]])
	}
	p.layers = make([][]string, deepest+1)
	for _, n := range p.nodes {
		l := level[comp[n]]
		p.layers[l] = append(p.layers[l], n)
	}
}

// components numbers the strongly connected components by reachability; the
// picture is small.
func (p *picture) components() map[string]int {
	reach := p.reach()
	comp := map[string]int{}
	for i, n := range p.nodes {
		if _, ok := comp[n]; ok {
			continue
		}
		comp[n] = i
		for _, o := range p.nodes[i+1:] {
			if reach[n][o] && reach[o][n] {
				comp[o] = i
			}
		}
	}
	return comp
}

func (p *picture) reach() map[string]map[string]bool {
	next := map[string][]string{}
	for _, a := range p.arrows {
		next[a.from] = append(next[a.from], a.to)
	}
	reach := map[string]map[string]bool{}
	for _, n := range p.nodes {
		seen := map[string]bool{}
		todo := slices.Clone(next[n])
		for len(todo) > 0 {
			x := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !seen[x] {
				seen[x] = true
				todo = append(todo, next[x]...)
			}
		}
		reach[n] = seen
	}
	return reach
}

// reduce drops arrows that a chain of others implies, but none on a cycle.
func (p *picture) reduce() {
	comp := p.components()
	var kept []arrow
	for i, a := range p.arrows {
		if a.cycle == "" && comp[a.from] != comp[a.to] && p.chained(i) {
			p.implied++
			continue
		}
		kept = append(kept, a)
	}
	p.arrows = kept
}

// chained reports whether a chain of two or more arrows leads from one end
// of the i-th arrow to the other. In the order of components the chain can
// not use the arrow itself.
func (p *picture) chained(i int) bool {
	a := p.arrows[i]
	seen := map[string]bool{a.from: true}
	todo := []string{}
	for j, o := range p.arrows {
		if j != i && o.from == a.from && o.to != a.to {
			todo = append(todo, o.to)
		}
	}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if x == a.to {
			return true
		}
		if seen[x] {
			continue
		}
		seen[x] = true
		for _, o := range p.arrows {
			if o.from == x {
				todo = append(todo, o.to)
			}
		}
	}
	return false
}
