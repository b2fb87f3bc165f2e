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
	ranked  []string   // all that could be drawn, the blocking core first
	layers  [][]string // the same, first taken first
	arrows  []arrow
	comp    map[string]int // class id → its strongly connected component
	hidden  int            // classes with an edge that are not drawn
	implied int            // arrows left out because two others say the same
	thinned int            // arrows left out because there are too many to read
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
	nodes := ranked(m, arrows)
	p := &picture{ranked: slices.Clone(nodes)}
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
		// A class that follows itself says nothing about the order of classes.
		if shown[a.from] && shown[a.to] && (a.from != a.to || a.cycle != "" || most == 0) {
			p.arrows = append(p.arrows, a)
		}
	}
	p.comp = components(p.nodes, p.arrows)
	p.layer()
	return p
}

// ranked orders the classes that have an arrow: those of cycles that can block
// first, cycle by cycle, then those of other cycles, then those with the most
// neighbours, where what is locked on purpose comes first.
func ranked(m *lockgraph.Manifest, arrows []arrow) []string {
	weight := map[string]int{}
	for _, a := range arrows {
		weight[a.from]++
		weight[a.to]++
	}
	place := map[string]int{} // from 1 on
	for _, verdict := range []string{"supported", "possible"} {
		cycles := slices.DeleteFunc(slices.Clone(m.Cycles), func(c lockgraph.Cycle) bool { return c.Verdict != verdict })
		slices.SortStableFunc(cycles, func(x, y lockgraph.Cycle) int { return len(x.Classes) - len(y.Classes) })
		for _, c := range cycles {
			for _, id := range c.Classes {
				if place[id] == 0 {
					place[id] = len(place) + 1
				}
			}
		}
	}
	explicit := map[string]bool{}
	for _, a := range m.Acquisitions {
		explicit[a.Class] = explicit[a.Class] || !a.Implicit
	}
	nodes := sortedKeys(weight)
	slices.SortStableFunc(nodes, func(x, y string) int {
		switch p, q := place[x], place[y]; {
		case p != 0 && q != 0:
			return p - q
		case p != 0:
			return -1
		case q != 0:
			return 1
		case explicit[x] != explicit[y]:
			return map[bool]int{true: -1, false: 1}[explicit[x]]
		}
		return weight[y] - weight[x]
	})
	return nodes
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
	comp := p.comp
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

// components numbers the strongly connected components (Tarjan 1972).
func components(nodes []string, arrows []arrow) map[string]int {
	next := map[string][]string{}
	for _, a := range arrows {
		next[a.from] = append(next[a.from], a.to)
	}
	comp, low, index := map[string]int{}, map[string]int{}, map[string]int{}
	var stack []string
	var visit func(n string)
	visit = func(n string) {
		index[n] = len(index) + 1
		low[n] = index[n]
		stack = append(stack, n)
		for _, o := range next[n] {
			if index[o] == 0 {
				visit(o)
				low[n] = min(low[n], low[o])
			} else if _, done := comp[o]; !done {
				low[n] = min(low[n], index[o])
			}
		}
		if low[n] != index[n] {
			return
		}
		for {
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			comp[o] = index[n]
			if o == n {
				return
			}
		}
	}
	for _, n := range nodes {
		if index[n] == 0 {
			visit(n)
		}
	}
	return comp
}

// reduce drops arrows that a chain of others implies, for a picture that is
// to be read. An arrow into or out of a component is judged by chains that
// leave both ends' components, so that no two arrows imply each other.
func (p *picture) reduce() {
	next := map[string][]string{}
	for _, a := range p.arrows {
		next[a.from] = append(next[a.from], a.to)
	}
	var kept []arrow
	for _, a := range p.arrows {
		if a.cycle == "" && p.comp[a.from] != p.comp[a.to] && p.chained(a, next) {
			p.implied++
			continue
		}
		kept = append(kept, a)
	}
	p.arrows = kept
}

// thin leaves out arrows between locks that are taken in several orders while
// there are more than can be read: first those that no cycle which can block
// goes over, then those of the cycles told last.
func (p *picture) thin(m *lockgraph.Manifest, most int) {
	if len(p.arrows) <= most {
		return
	}
	type pair struct{ from, to string }
	keep := map[pair]bool{}
	room := most - len(slices.DeleteFunc(slices.Clone(p.arrows), func(a arrow) bool { return p.comp[a.from] == p.comp[a.to] }))
	for _, c := range m.Cycles {
		if c.Verdict != "supported" {
			continue
		}
		for _, i := range c.Edges {
			if i >= 0 && i < len(m.Edges) && len(keep) < room {
				keep[pair{m.Edges[i].From, m.Edges[i].To}] = true
			}
		}
	}
	n := len(p.arrows)
	p.arrows = slices.DeleteFunc(p.arrows, func(a arrow) bool {
		return p.comp[a.from] == p.comp[a.to] && !keep[pair{a.from, a.to}]
	})
	p.thinned = n - len(p.arrows)
}

func (p *picture) chained(a arrow, next map[string][]string) bool {
	from, to := p.comp[a.from], p.comp[a.to]
	seen := map[string]bool{}
	todo := slices.Clone(next[a.from])
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[n] || p.comp[n] == from || p.comp[n] == to {
			continue
		}
		seen[n] = true
		if slices.Contains(next[n], a.to) {
			return true
		}
		todo = append(todo, next[n]...)
	}
	return false
}
