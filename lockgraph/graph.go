package lockgraph

import (
	"cmp"
	"slices"
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
	info    []*edgeInfo // beside Edges
	found   []foundCycle
	solved  bool
	work    int // steps the search has taken
}

// Witness joins the frames that lead to the held acquisition and to the
// wanted one; what both share is told once.
func Witness(held, want *Take) []Frame {
	w := newWitness(held, want)
	out := make([]Frame, w.len())
	for i := range out {
		out[i] = w.frame(i)
	}
	return out
}

// A witness is the frames of Witness, not yet in one list.
type witness struct {
	held, want []Frame
	crosses    bool // the wanted lock is another connection's
}

func newWitness(held, want *Take) witness {
	n := shared(held.Frames, want.Frames)
	w := witness{held: held.Frames, want: want.Frames[n:]}
	w.crosses = held.Session != want.Session && held.Family != Mutex && want.Family != Mutex && len(w.want) > 0
	return w
}

// shared returns how many frames a and b begin with alike.
func shared(a, b []Frame) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (w *witness) len() int { return len(w.held) + len(w.want) }

func (w *witness) frame(i int) Frame {
	if i < len(w.held) {
		return w.held[i]
	}
	f := w.want[i-len(w.held)]
	if w.crosses && i == w.len()-1 {
		f.Does += " on another connection"
	}
	return f
}

// before reports whether w's frames come before those of b.
func (w *witness) before(b []Frame) bool {
	for i := 0; i < w.len() && i < len(b); i++ {
		f := w.frame(i)
		if c := compareFrame(&f, &b[i]); c != 0 {
			return c < 0
		}
	}
	return w.len() < len(b)
}

func compareFrames(a, b []Frame) int {
	return slices.CompareFunc(a, b, func(x, y Frame) int { return compareFrame(&x, &y) })
}

func compareFrame(a, b *Frame) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Does, b.Does))
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
