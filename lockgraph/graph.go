package lockgraph

import (
	"sort"
	"strconv"
	"strings"
)

// Limits of what an edge keeps.
const (
	maxGates = 4 // held sets in an edge's antichain
	maxSides = 6 // ways in which an edge is reached, kept to confirm cycles
)

// A Graph is the edges that proposals make, and the cycles found in them.
type Graph struct {
	Edges  []Edge
	Cycles []Cycle

	names  names
	rel    Relations
	info   []*edgeInfo // beside Edges
	found  []foundCycle
	solved bool
	work   int // steps the search has taken
}

// edgeInfo is what an edge keeps besides what the manifest shows.
type edgeInfo struct {
	key     string
	edge    Edge
	sides   []*side // strongest first
	entries map[string]bool
	tier    int
	single  []modeOf // locks of one instance that every side holds, sorted by class
}

type modeOf struct{ class, family, mode string }

// singles returns what the held set of a side holds of classes that have one
// instance, sorted by class; of a Go mutex, which excludes in its process
// only, nothing.
func (s *side) singles() []modeOf {
	var out []modeOf
	for i := range s.held {
		if t := &s.held[i]; t.Inst.Single && !t.Carried && !t.Fresh && t.Family != Mutex {
			out = append(out, modeOf{t.Class, t.Family, t.Mode})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].class < out[j].class || out[i].class == out[j].class && out[i].mode < out[j].mode
	})
	return out
}

// excludes reports whether two sets hold one lock in modes that conflict.
func excludes(a, b []modeOf) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].class < b[j].class:
			i++
		case a[i].class > b[j].class:
			j++
		default:
			for k := j; k < len(b) && b[k].class == a[i].class; k++ {
				if Conflicts(a[i].family, a[i].mode, b[k].mode) {
					return true
				}
			}
			i++
		}
	}
	return false
}

// always returns what is in both sorted sets.
func always(a, b []modeOf) []modeOf {
	var out []modeOf
	for _, x := range a {
		for _, y := range b {
			if x == y {
				out = append(out, x)
				break
			}
		}
	}
	return out
}

// A side is one way in which an edge is reached: a held set, the held end in
// it, and what is wanted.
type side struct {
	trace  string
	held   []Take
	from   int // the held end, index in held
	want   *Take
	gates  []string // classes of the held set that may gate it, sorted
	linked bool     // held and wanted instance have to do with each other
	cut    string
	sig    string
}

func (s *side) holds() *Take { return &s.held[s.from] }

// Evidence tiers of a side, strongest first.
const (
	tierSupported = iota // linked, and no guess
	tierGuess            // linked, but something is a guess
	tierPossible         // nothing ties the two instances together
	tiers
)

func (s *side) tier() int {
	switch {
	case !s.linked:
		return tierPossible
	case s.cut != "":
		return tierGuess
	}
	return tierSupported
}

// Build makes the graph of the proposals. What cannot wait, and what a
// transaction cannot be waited for, makes no edge: try, NOWAIT and SKIP
// LOCKED; an instance held already in as strong a mode; a row that the
// transaction inserted itself; what only an earlier turn of a loop holds.
func Build(classes []Class, proposals []Proposal, rel Relations) *Graph {
	g := &Graph{names: nameClasses(append([]Class(nil), classes...)), rel: rel}
	edges := map[string]*edgeInfo{}
	for i := range proposals {
		g.propose(edges, &proposals[i])
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
			e = &edgeInfo{key: key, entries: map[string]bool{}, edge: Edge{From: h.Class, Held: h.Mode,
				To: p.Want.Class, Wanted: p.Want.Mode, Witness: witness}}
			edges[key] = e
		}
		e.entries[p.Trace] = true
		e.add(g.side(p, i))
		if less := compareFrames(witness, e.edge.Witness); less < 0 {
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
	if held.Session != want.Session && len(out) > 0 && len(want.Frames) > n {
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

func (g *Graph) side(p *Proposal, from int) *side {
	s := &side{trace: p.Trace, held: p.Held, from: from, want: &p.Want}
	h, w := s.holds(), s.want
	s.cut = h.Cut
	if s.cut == "" {
		s.cut = w.Cut
	}
	s.linked = g.linked(h, w)
	var sig strings.Builder
	sig.WriteString(h.Inst.Text + "\x00" + w.Inst.Text + "\x00" + s.cut + "\x00" + strconv.FormatBool(h.Session == w.Session))
	seen := map[string]bool{h.Class: true, w.Class: true}
	for i := range p.Held {
		t := &p.Held[i]
		if t.Carried || t.Fresh {
			continue
		}
		sig.WriteString("\x01" + t.Class + "\x02" + t.Mode + "\x02" + t.Inst.Text)
		if !seen[t.Class] {
			seen[t.Class] = true
			s.gates = append(s.gates, t.Class)
		}
	}
	sort.Strings(s.gates)
	s.sig = sig.String()
	return s
}

// add keeps the side unless an equal or better one is kept: the antichain
// prefers small held sets, for they let more run at once.
func (e *edgeInfo) add(s *side) {
	for _, k := range e.sides {
		if k.sig == s.sig {
			if s.trace < k.trace || s.trace == k.trace && compareFrames(s.want.Frames, k.want.Frames) < 0 {
				*k = *s
			}
			return
		}
	}
	e.sides = append(e.sides, s)
	if len(e.sides) > 4*maxSides {
		e.trim()
	}
}

func (e *edgeInfo) trim() {
	sort.Slice(e.sides, func(i, j int) bool {
		a, b := e.sides[i], e.sides[j]
		switch {
		case a.tier() != b.tier():
			return a.tier() < b.tier()
		case len(a.gates) != len(b.gates):
			return len(a.gates) < len(b.gates)
		case a.trace != b.trace:
			return a.trace < b.trace
		}
		return a.sig < b.sig
	})
	if len(e.sides) > maxSides {
		e.sides = e.sides[:maxSides]
	}
}

func (e *edgeInfo) finish() {
	var sets [][]string
	for _, s := range e.sides {
		sets = insertMinimal(sets, s.gates)
	}
	e.trim()
	e.tier = e.sides[0].tier()
	for i, s := range e.sides {
		if i == 0 {
			e.single = s.singles()
		} else {
			e.single = always(e.single, s.singles())
		}
	}
	if e.tier != tierSupported {
		e.edge.Cut = e.sides[0].cut
	}
	sort.Slice(sets, func(i, j int) bool {
		if len(sets[i]) != len(sets[j]) {
			return len(sets[i]) < len(sets[j])
		}
		return strings.Join(sets[i], "\x00") < strings.Join(sets[j], "\x00")
	})
	if len(sets) > maxGates {
		sets = sets[:maxGates]
	}
	e.edge.Gates = [][]string{}
	for _, set := range sets {
		if len(set) > 0 {
			e.edge.Gates = append(e.edge.Gates, set)
		}
	}
}

// insertMinimal adds set to an antichain of which only minimal sets stay.
func insertMinimal(sets [][]string, set []string) [][]string {
	kept := sets[:0]
	for _, s := range sets {
		if subset(s, set) {
			return sets
		}
		if !subset(set, s) {
			kept = append(kept, s)
		}
	}
	return append(kept, set)
}

// subset reports whether a is a subset of b, both sorted.
func subset(a, b []string) bool {
	i := 0
	for _, s := range b {
		if i < len(a) && a[i] == s {
			i++
		}
	}
	return i == len(a)
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
