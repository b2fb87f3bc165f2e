package lockgraph

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

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
	for _, t := range s.held {
		if t.Inst.Single && !t.Carried && !t.Fresh && t.Family != Mutex {
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
	trace   string
	held    []*Take
	from    int // the held end, index in held
	want    *Take
	classes []string // of the held set, sorted
	sum     [16]byte // of the held set
	again   bool     // what is wanted is probably held already
	linked  bool     // held and wanted instance have to do with each other
	cut     string
	stands  []*Take // of standing, once asked for
}

func (s *side) holds() *Take { return s.held[s.from] }

// like reports whether two sides of one edge differ in nothing but where they
// are.
func (s *side) like(o *side) bool {
	h, k := s.holds(), o.holds()
	return s.sum == o.sum && s.cut == o.cut && (h.Session == s.want.Session) == (k.Session == o.want.Session) &&
		h.Inst.Text == k.Inst.Text && s.want.Inst.Text == o.want.Inst.Text
}

// compare orders two sides of one edge that differ in more than their place.
func (s *side) compare(o *side) int {
	return cmp.Or(strings.Compare(s.holds().Inst.Text, o.holds().Inst.Text), strings.Compare(s.want.Inst.Text, o.want.Inst.Text),
		strings.Compare(s.cut, o.cut), compareSums(s.sum, o.sum), cmp.Compare(s.holds().Session-s.want.Session, o.holds().Session-o.want.Session))
}

// standing returns what the held set keeps others from, sorted by class.
func (s *side) standing() []*Take {
	if s.stands == nil {
		s.stands = make([]*Take, 0, len(s.held))
		for _, t := range s.held {
			if !t.Carried && !t.Fresh {
				s.stands = append(s.stands, t)
			}
		}
		slices.SortStableFunc(s.stands, func(a, b *Take) int { return strings.Compare(a.Class, b.Class) })
	}
	return s.stands
}

// gates yields the classes of the held set that may gate the side, sorted.
func (s *side) gates(yield func(string) bool) {
	for _, c := range s.classes {
		if c != s.holds().Class && c != s.want.Class && !yield(c) {
			return
		}
	}
}

func (s *side) gateCount() int {
	n := 0
	for range s.gates {
		n++
	}
	return n
}

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

// add keeps the side unless an equal or better one is kept: the antichain
// prefers small held sets, for they let more run at once.
func (e *edgeInfo) add(s side) {
	for _, k := range e.sides {
		if k.like(&s) {
			if cmp.Or(cmp.Compare(s.tier(), k.tier()), strings.Compare(s.trace, k.trace), compareFrames(s.want.Frames, k.want.Frames)) < 0 {
				*k = s
			}
			return
		}
	}
	kept := s
	e.sides = append(e.sides, &kept)
	if len(e.sides) > 4*e.most() {
		e.trim()
	}
}

// most is how many sides the edge keeps: of an edge from a class to itself
// each is an order of its own.
func (e *edgeInfo) most() int {
	if e.edge.From == e.edge.To {
		return maxSelves
	}
	return maxSides
}

func (e *edgeInfo) trim() {
	slices.SortFunc(e.sides, func(a, b *side) int {
		return cmp.Or(cmp.Compare(a.tier(), b.tier()), cmp.Compare(a.gateCount(), b.gateCount()), strings.Compare(a.trace, b.trace), a.compare(b))
	})
	if n := e.most(); len(e.sides) > n {
		e.sides = e.sides[:n]
	}
}

func (e *edgeInfo) finish() {
	var sets [][]string
	for _, s := range e.sides {
		sets = insertMinimal(sets, slices.Collect(s.gates))
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
