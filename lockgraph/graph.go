package lockgraph

import (
	"hash/fnv"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Limits of what an edge keeps.
const (
	maxGates  = 4  // held sets in an edge's antichain
	maxShapes = 6  // witnesses of one order between two classes
	maxSides  = 6  // ways in which an edge is reached, kept to confirm cycles
	maxSelves = 40 // the same, of an edge from a class to itself
)

// A Graph is the edges that proposals make, and the cycles found in them.
type Graph struct {
	Edges  []Edge
	Cycles []Cycle

	names   names
	rel     Relations
	lineage lineage
	shapes  map[[4]string][]string // edges of each order, while building
	info    []*edgeInfo            // beside Edges
	found   []foundCycle
	solved  bool
	work    int // steps the search has taken
}

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
	edges := map[string]*edgeInfo{}
	g.shapes = map[[4]string][]string{}
	for p := range proposals {
		g.propose(edges, &p)
	}
	for _, e := range edges {
		e.finish()
		g.info = append(g.info, e)
	}
	sort.Slice(g.info, func(i, j int) bool { return g.info[i].key < g.info[j].key })
	g.Edges = make([]Edge, len(g.info))
	for i, e := range g.info {
		g.Edges[i] = e.edge
	}
	return g
}

func (g *Graph) propose(edges map[string]*edgeInfo, p *Proposal) {
	if !p.Want.blocks() || p.Want.Fresh || covered(p) {
		return
	}
	sum, classes := heldSum(p.Held)
	for i := range p.Held {
		h := &p.Held[i]
		if h.Fresh || h.Carried {
			continue
		}
		if h.Class == p.Want.Class && (h.Session != p.Want.Session || covers(h, &p.Want)) {
			continue // one object: raising a mode, or waiting for oneself, is no order
		}
		witness := Witness(h, &p.Want)
		key := edgeKey(h, &p.Want, witness)
		e := edges[key]
		if e == nil {
			order := [4]string{h.Class, h.Mode, p.Want.Class, p.Want.Mode}
			if shapes := g.shapes[order]; len(shapes) >= maxShapes {
				e = edges[shapes[0]] // told by another witness already
			} else {
				g.shapes[order] = append(shapes, key)
			}
		}
		if e == nil {
			e = &edgeInfo{key: key, entries: map[string]bool{}, edge: Edge{From: h.Class, Held: h.Mode,
				To: p.Want.Class, Wanted: p.Want.Mode, Witness: witness}}
			edges[key] = e
		}
		e.entries[p.Trace] = true
		e.add(g.side(p, i, sum, classes))
		if less := compareFrames(witness, e.edge.Witness); less < 0 && e.key == key {
			e.edge.Witness = witness
		}
	}
}

// covered reports whether the session holds what is wanted already.
func covered(p *Proposal) bool {
	w := &p.Want
	for i := range p.Held {
		h := &p.Held[i]
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

func edgeKey(h, w *Take, witness []Frame) string {
	var b strings.Builder
	for _, s := range []string{h.Class, h.Mode, w.Class, w.Mode} {
		b.WriteString(s)
		b.WriteByte(0)
	}
	for _, f := range witness {
		b.WriteString(f.Func)
		b.WriteByte(1)
	}
	return b.String()
}

// Witness joins the frames that lead to the held acquisition and to the
// wanted one; what both share is told once.
func Witness(held, want *Take) []Frame {
	n := 0
	for n < len(held.Frames) && n < len(want.Frames) && held.Frames[n] == want.Frames[n] {
		n++
	}
	out := make([]Frame, 0, len(held.Frames)+len(want.Frames)-n)
	out = append(out, held.Frames...)
	out = append(out, want.Frames[n:]...)
	if held.Session != want.Session && held.Family != Mutex && want.Family != Mutex && len(out) > 0 && len(want.Frames) > n {
		out[len(out)-1].Does += " on another connection"
	}
	return out
}

func compareFrames(a, b []Frame) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if c := strings.Compare(a[i].File, b[i].File); c != 0 {
			return c
		}
		if a[i].Line != b[i].Line {
			return a[i].Line - b[i].Line
		}
		if c := strings.Compare(a[i].Does, b[i].Does); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

// heldSum returns a hash of all that is held and its classes, sorted: what
// the sides of a proposal have in common.
func heldSum(held []Take) (sum []byte, classes []string) {
	h := fnv.New128a()
	var b []byte
	for i := range held {
		t := &held[i]
		if t.Carried || t.Fresh {
			continue
		}
		b = append(b[:0], 1)
		b = append(append(b, t.Class...), 2)
		b = append(append(b, t.Mode...), 2)
		b = append(b, t.Inst.Text...)
		h.Write(b)
		if !slices.Contains(classes, t.Class) {
			classes = append(classes, t.Class)
		}
	}
	slices.Sort(classes)
	return h.Sum(nil), classes
}

// side makes the side of a proposal that holds the take at from; sum and
// classes are of heldSum.
func (g *Graph) side(p *Proposal, from int, sum []byte, classes []string) *side {
	s := &side{trace: p.Trace, held: p.Held, from: from, want: &p.Want}
	h, w := s.holds(), s.want
	s.cut = h.Cut
	if s.cut == "" {
		s.cut = w.Cut
	}
	s.again = repeated(p.Held, w)
	s.linked = g.linked(h, w) && !s.again
	sig := fnv.New128a()
	b := make([]byte, 0, 256)
	for _, text := range []string{h.Inst.Text, w.Inst.Text, s.cut, strconv.FormatBool(h.Session == w.Session)} {
		b = append(append(b, text...), 0)
	}
	sig.Write(append(b, sum...))
	s.sig = string(sig.Sum(nil))
	for _, c := range classes {
		if c != h.Class && c != w.Class {
			s.gates = append(s.gates, c)
		}
	}
	return s
}

// linked reports whether something ties the two instances of a hop together,
// or shows that the author orders the two locks on purpose.
func (g *Graph) linked(h, w *Take) bool {
	if only(h) || only(w) || !h.Implicit && !w.Implicit {
		return true
	}
	if whole(h) || whole(w) {
		return true
	}
	shared := false
	h.Inst.values(func(a string) {
		if shared || !variable(a) {
			return
		}
		w.Inst.values(func(b string) { shared = shared || a == b })
	})
	return shared || contains(w.Inst.From, h.Class) || contains(h.Inst.From, w.Class) || g.related(h, w)
}

// only reports a lock on the one instance of its class. The table lock that
// comes with any statement is none to lean on: everyone who touches the
// table takes it.
func only(t *Take) bool { return t.Inst.Single && !(t.Family == Table && t.Implicit) }

// whole reports an explicit lock on many rows that no value narrows down: it
// meets any row of its class.
func whole(t *Take) bool {
	return t.Many && !t.Implicit && len(t.Inst.Leaves) == 0 && len(t.Inst.Columns) == 0
}

func (g *Graph) related(h, w *Take) bool {
	a, b := g.names.relation(h.Class), g.names.relation(w.Class)
	if a == "" || b == "" {
		return false
	}
	if a == b || w.FKFrom == a || h.FKFrom == b {
		return true
	}
	for _, fk := range g.rel {
		if fk.Child == a && fk.Parent == b || fk.Child == b && fk.Parent == a {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
