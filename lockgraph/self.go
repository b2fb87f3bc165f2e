package lockgraph

import (
	"slices"
	"sort"
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
// explicit statements outside loops take different instances, and which can
// meet the wrong way round: two runs of one function with its arguments
// swapped, or two functions. Statements and loops that take many instances
// are for the check of those. Each order is reported once, with the best
// partner.
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
		if t.Implicit || t.InLoop || t.Many || t.Carried || t.Inst.Single {
			return false
		}
	}
	return len(h.Frames) == 0 || !slices.Equal(h.Frames, w.Frames) // else one statement, run once
}

func selfOrder(s *side) SelfOrder {
	return SelfOrder{Trace: s.trace, Held: *s.holds(), Want: *s.want, Witness: Witness(s.holds(), s.want)}
}
