package lockgraph

import (
	"bytes"
	"cmp"
	"hash/fnv"
	"iter"
	"slices"
	"sort"
	"strings"
)

// Build makes the graph of the proposals. What cannot wait, and what a
// transaction cannot be waited for, makes no edge: try, NOWAIT and SKIP
// LOCKED; an instance held already in as strong a mode; a row that the
// transaction inserted itself; what only an earlier turn of a loop holds.
func Build(classes []Class, proposals []Proposal, rel Relations) *Graph {
	return BuildFrom(classes, slices.Values(proposals), rel)
}

// BuildFrom is Build over proposals that are made one by one: only those that
// an edge keeps stay in memory.
func BuildFrom(classes []Class, proposals iter.Seq[Proposal], rel Relations) *Graph {
	g := &Graph{names: nameClasses(append([]Class(nil), classes...)), rel: rel, lineage: newLineage(rel)}
	b := &builder{g: g, shapes: map[[4]string][]*edgeInfo{}, routes: map[string]int{}, ends: map[[2]int]end{}}
	for p := range proposals {
		b.propose(&p)
	}
	for _, shapes := range b.shapes {
		for _, e := range shapes {
			e.finish()
			g.info = append(g.info, e)
		}
	}
	sort.Slice(g.info, func(i, j int) bool { return g.info[i].key < g.info[j].key })
	g.Edges = make([]Edge, len(g.info))
	for i, e := range g.info {
		g.Edges[i] = e.edge
	}
	return g
}

// A builder gathers proposals into edges. They are many, and one pair of
// takes stands in as many of them as there are sets that hold the one when
// the other is wanted: what a pair says by itself is found out once.
type builder struct {
	g      *Graph
	shapes map[[4]string][]*edgeInfo // edges of each order
	routes map[string]int            // numbers of what ends are reached by
	ends   map[[2]int]end            // by the routes of what is held and what is wanted

	// Of the trace at hand.
	trace string
	takes map[*Take]*known
	pairs map[[2]*Take]*pair
}

// known is what is found out once about a take.
type known struct {
	sum   []byte      // a hash of its class, mode and instance
	held  int         // its route as a held one
	wants map[int]int // as a wanted one, by how many frames another shares with it
}

// An end is the edge that two routes lead to.
type end struct {
	e   *edgeInfo
	own bool // rather than that of another witness of the same order
}

// A pair is what a held and a wanted take say by themselves.
type pair struct {
	e      *edgeInfo // nil: no edge
	linked bool
	cut    string
}

func (b *builder) propose(p *Proposal) {
	if !p.Want.blocks() || p.Want.Fresh || covered(p) {
		return
	}
	if b.trace != p.Trace || b.takes == nil {
		b.trace, b.takes, b.pairs = p.Trace, map[*Take]*known{}, map[[2]*Take]*pair{}
	}
	sum, classes := b.heldSum(p.Held)
	again := repeated(p.Held, p.Want)
	for i, h := range p.Held {
		if h.Fresh || h.Carried {
			continue
		}
		k := b.pairs[[2]*Take{h, p.Want}]
		if k == nil {
			k = b.pair(h, p.Want)
			b.pairs[[2]*Take{h, p.Want}] = k
		}
		if k.e != nil {
			k.e.add(side{trace: p.Trace, held: p.Held, from: i, want: p.Want, classes: classes, sum: sum,
				again: again, linked: k.linked && !again, cut: k.cut})
		}
	}
}

// pair finds the edge of two takes, making it when there is none, and tells
// it of this trace and this witness.
func (b *builder) pair(h, w *Take) *pair {
	if h.Class == w.Class && (h.Session != w.Session || covers(h, w)) {
		return &pair{} // one object: raising a mode, or waiting for oneself, is no order
	}
	t := b.end(h, w)
	t.e.entries[b.trace] = true
	if t.own {
		if wit := newWitness(h, w); wit.before(t.e.edge.Witness) {
			t.e.edge.Witness = Witness(h, w)
		}
	}
	p := &pair{e: t.e, linked: b.g.linked(h, w), cut: cmp.Or(h.Cut, w.Cut)}
	if p.cut == "" && w.Own {
		p.cut = CutCallee // nobody else may have it: it is not waited for
	}
	return p
}

// end returns the edge that the two takes belong to.
func (b *builder) end(h, w *Take) end {
	n := shared(h.Frames, w.Frames)
	routes := [2]int{b.heldRoute(h), b.wantedRoute(w, n)}
	if t, ok := b.ends[routes]; ok {
		return t
	}
	order := [4]string{h.Class, h.Mode, w.Class, w.Mode}
	var t end
	if shapes := b.shapes[order]; len(shapes) >= maxShapes {
		t = end{shapes[0], false} // told by another witness already
	} else {
		key := strings.Join(order[:], "\x00") + "\x00" + functions(h.Frames) + "\x00" + functions(w.Frames[n:])
		t = end{&edgeInfo{key: key, entries: map[string]bool{}, edge: Edge{From: h.Class, Held: h.Mode, To: w.Class, Wanted: w.Mode, Witness: Witness(h, w)}}, true}
		b.shapes[order] = append(shapes, t.e)
	}
	b.ends[routes] = t
	return t
}

func (b *builder) known(t *Take) *known {
	k := b.takes[t]
	if k == nil {
		k = &known{}
		b.takes[t] = k
	}
	return k
}

// route returns the number of a lock in its mode and the functions that lead
// to it; they are numbered from 1.
func (b *builder) route(t *Take, frames []Frame) int {
	text := t.Class + "\x00" + t.Mode + "\x00" + functions(frames)
	n := b.routes[text]
	if n == 0 {
		n = len(b.routes) + 1
		b.routes[text] = n
	}
	return n
}

func (b *builder) heldRoute(t *Take) int {
	k := b.known(t)
	if k.held == 0 {
		k.held = b.route(t, t.Frames)
	}
	return k.held
}

// wantedRoute is that of a wanted take whose first n frames are told by the
// held one.
func (b *builder) wantedRoute(t *Take, n int) int {
	k := b.known(t)
	r := k.wants[n]
	if r == 0 {
		if k.wants == nil {
			k.wants = map[int]int{}
		}
		r = b.route(t, t.Frames[n:])
		k.wants[n] = r
	}
	return r
}

func functions(frames []Frame) string {
	var b strings.Builder
	for i := range frames {
		b.WriteString(frames[i].Func)
		b.WriteByte(1)
	}
	return b.String()
}

// heldSum returns a hash of all that is held and its classes, sorted: what
// the sides of a proposal have in common.
func (b *builder) heldSum(held []*Take) (sum [16]byte, classes []string) {
	all := fnv.New128a()
	for _, t := range held {
		if t.Carried || t.Fresh {
			continue
		}
		k := b.known(t)
		if k.sum == nil {
			one := fnv.New128a()
			one.Write([]byte(t.Class + "\x02" + t.Mode + "\x02" + t.Inst.Text + "\x02" + t.SoftDeleted))
			k.sum = one.Sum(nil)
		}
		all.Write(k.sum)
		classes = append(classes, t.Class)
	}
	slices.Sort(classes)
	all.Sum(sum[:0])
	return sum, slices.Compact(classes)
}

// compareSums orders two hashes of held sets.
func compareSums(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) }

// covered reports whether the session holds what is wanted already.
func covered(p *Proposal) bool {
	w := p.Want
	for _, h := range p.Held {
		if h.Class != w.Class || h.Session != w.Session || h.Carried && w.Again != "same" {
			continue
		}
		if !covers(h, w) && w.Again != "same" {
			continue
		}
		if h.Fresh || AtLeast(w.Family, h.Mode, w.Mode) {
			return true
		}
	}
	return false
}
