package lockgraph

import (
	"slices"
	"sort"
	"strings"
)

// A SelfPair is two places that take two instances of one class one after
// the other, and can take them in opposite orders.
type SelfPair struct {
	Class         string
	Verdict       string // supported or possible
	First, Second SelfOrder
}

// A SelfOrder is one place that wants an instance of a class while it holds
// another one.
type SelfOrder struct {
	Trace      string
	Held, Want Take
	Witness    []Frame
}

// SelfPairs returns, for each class, the pairs of orders in which two
// statements outside loops take different instances, and which can meet the
// wrong way round: two runs of one function with its arguments swapped, or two
// functions. Statements and loops that take many instances are for the check
// of those, and rows that are locked only to be written count where arguments
// pick both. Each order is reported once, with the best partner.
func (g *Graph) SelfPairs() []SelfPair {
	byClass := map[string][]int{}
	for i := range g.Edges {
		if g.Edges[i].From == g.Edges[i].To {
			byClass[g.Edges[i].From] = append(byClass[g.Edges[i].From], i)
		}
	}
	var out []SelfPair
	for _, class := range sortedKeys(byClass) {
		out = append(out, g.selfPairs(class, byClass[class])...)
	}
	return out
}

func (g *Graph) selfPairs(class string, edges []int) []SelfPair {
	var all []*side
	for _, e := range edges {
		for _, s := range g.info[e].sides {
			if selfOrdered(s) {
				all = append(all, s)
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].trace < all[j].trace })
	var out []SelfPair
	done := map[*side]bool{}
	for i, a := range all {
		if done[a] {
			continue
		}
		tries, found := 0, -1
		verdict := ""
		for j := i; j < len(all) && tries < maxPartners; j++ {
			b := all[j]
			if o := a.holds().Stands; o != "" && o == b.holds().Stands {
				continue // both take the lesser key first, or the greater one
			}
			tries++
			if !Conflicts(a.want.Family, b.holds().Mode, a.want.Mode) || !Conflicts(a.want.Family, a.holds().Mode, b.want.Mode) {
				continue
			}
			v, _ := confirm([]*side{a, b})
			if v == Possible && a.cut == "" && b.cut == "" && swappable(a, plain) && swappable(b, plain) {
				v = Supported
			}
			if v == Supported || v == Possible && found < 0 {
				found, verdict = j, v
			}
			if v == Supported {
				break
			}
		}
		if found >= 0 {
			b := all[found]
			done[a], done[b] = true, true
			out = append(out, SelfPair{class, verdict, selfOrder(a), selfOrder(b)})
		}
	}
	return out
}

func selfOrdered(s *side) bool {
	h, w := s.holds(), s.want
	for _, t := range []*Take{h, w} {
		if t.InLoop || t.Many || t.Carried || t.Inst.Single {
			return false
		}
	}
	if (h.Implicit || w.Implicit) && !(writes(h) && writes(w) && swappable(s, argument) && !s.prepared()) {
		return false
	}
	return len(h.Frames) == 0 || !slices.Equal(h.Frames, w.Frames) // else one statement, run once
}

// writes reports a lock on one row that is asked for, or that a statement
// takes to write the row.
func writes(t *Take) bool {
	return t.Family == Row && t.Inst.Known && AtLeast(Row, t.Mode, ForNoKeyUpdate)
}

// prepared reports whether the session asked for rows of the class before, beside
// the one it holds: what it writes may be among them.
func (s *side) prepared() bool {
	for i, t := range s.held {
		if i != s.from && t.Class == s.want.Class && !t.Implicit && AtLeast(Row, t.Mode, s.want.Mode) {
			return true
		}
	}
	return false
}

// swappable reports whether what sets the two instances of a hop apart is
// given by arguments of the entry alone, of which another call can give one
// for the other.
func swappable(s *side, argument func(text string) bool) bool {
	h, w := &s.holds().Inst, &s.want.Inst
	if len(h.Columns) != len(w.Columns) || len(h.Leaves) != len(w.Leaves) {
		return false
	}
	apart := false
	differ := func(a, b string) bool {
		apart = apart || a != b
		return a == b || argument(a) && argument(b)
	}
	if len(h.Columns) > 0 {
		for i, c := range h.Columns {
			if d := w.Columns[i]; c.Name != d.Name || !differ(c.Value, d.Value) {
				return false
			}
		}
		return apart
	}
	for i, l := range h.Leaves {
		if !differ(l, w.Leaves[i]) {
			return false
		}
	}
	return apart
}

// argument reports a value that is an argument of the entry, or a field of
// one.
func argument(text string) bool {
	for strings.HasPrefix(text, "field ") {
		_, of, ok := strings.Cut(text, "(")
		if !ok {
			return false
		}
		text = strings.TrimSuffix(of, ")")
	}
	return plain(text)
}

// plain reports a value that is an argument of the entry. A receiver is none:
// its fields are how the program is set up.
func plain(text string) bool {
	name, ok := strings.CutPrefix(text, "param ")
	if !ok {
		return false
	}
	of, i, _ := strings.Cut(strings.Trim(name, `"`), "#")
	return i != "0" || !strings.Contains(of, ").")
}

func selfOrder(s *side) SelfOrder {
	return SelfOrder{Trace: s.trace, Held: *s.holds(), Want: *s.want, Witness: Witness(s.holds(), s.want)}
}
