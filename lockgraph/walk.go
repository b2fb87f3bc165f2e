package lockgraph

import "slices"

// A walk is the depth-first search for cycles of exactly one length.
type walk struct {
	s        *search
	goal     int
	dist     []int32
	path     []int
	seen     map[int]bool
	left     int32 // hops still to go
	parallel int
	tries    int
	visits   int
	strict   bool // leave out edges that one lock keeps apart from those of the path
	best     foundCycle
}

// down goes on from a state; it returns true when a cycle is confirmed.
func (w *walk) down(state int) bool {
	if w.visits++; w.visits > maxVisits || w.tries <= 0 || w.seen[state] || w.dist[state] == 0 || w.dist[state] > w.left {
		return false
	}
	if len(w.path) > 1 || w.left > 1 {
		if w.s.g.work++; w.s.g.work > maxWork {
			return false
		}
	}
	w.seen[state] = true
	w.left--
	defer func() { w.seen[state] = false; w.left++ }()
	arcs := w.s.out[state]
	for i := range arcs {
		closes := contained(arcs[i].targets, w.goal)
		if w.left == 0 && !closes {
			continue
		}
		for n, e := range arcs[i].edges {
			if n >= w.parallel {
				break
			}
			if w.strict && w.apart(e) {
				continue
			}
			w.path = append(w.path, e)
			done := false
			if w.left == 0 {
				done = w.close()
			} else {
				for _, t := range arcs[i].targets {
					if done = w.down(t); done {
						break
					}
				}
			}
			w.path = w.path[:len(w.path)-1]
			if done {
				return true
			}
		}
	}
	return false
}

// apart reports whether an edge and one of the path's can never be reached
// at once, whatever instances they meet in.
func (w *walk) apart(e int) bool {
	for _, p := range w.path {
		if excludes(w.s.g.info[p].single, w.s.g.info[e].single) {
			return true
		}
	}
	return false
}

func contained(list []int, x int) bool {
	for _, y := range list {
		if y == x {
			return true
		}
	}
	return false
}

// close confirms the cycle that the path has become.
func (w *walk) close() bool {
	if w.tries--; w.tries < 0 {
		return false
	}
	w.s.g.work += confirmWork
	c, ok := w.s.confirm(w.path)
	if ok && c.verdict != Gated {
		w.best = c
		return true
	}
	if ok && w.best.edges == nil {
		w.best = c
	}
	return false
}

// confirm tries the ways in which the edges of a cycle are reached: all of
// the best ones first, then one other at a time.
func (s *search) confirm(path []int) (foundCycle, bool) {
	var gated, same, late foundCycle
	sides := make([]*side, len(path))
	for n := range maxCombos {
		if !s.combine(path, n, sides) {
			break
		}
		verdict, by := confirm(sides)
		switch verdict {
		case Supported, Possible:
			tier := 0
			for _, x := range sides {
				tier = max(tier, x.tier())
			}
			if led(sides) { // another way may lead here without that lock
				if same.edges == nil {
					same = newCycle(path, sides, tierPossible, Possible)
				}
				continue
			}
			if t := s.g.parented(sides); t > tier {
				tier, verdict = t, Possible
			}
			c := newCycle(path, sides, tier, verdict)
			if c.weak = weaknessOf(sides); c.weak == nil || tier == tierPossible {
				return c, true
			}
			if late.edges == nil { // another way may lead here without it
				c.tier, c.verdict = tier+1, Possible
				late = c
			}
		case Gated:
			if gated.edges == nil {
				gated = newCycle(path, sides, tierPossible, verdict)
				gated.gatedBy = by
			}
		}
	}
	for _, c := range []foundCycle{late, same} {
		if c.edges != nil {
			return c, true
		}
	}
	return gated, gated.edges != nil
}

func newCycle(path []int, sides []*side, tier int, verdict string) foundCycle {
	return foundCycle{edges: slices.Clone(path), sides: slices.Clone(sides), tier: tier, verdict: verdict}
}

// combine picks the n-th combination of sides within the tier; cycles of two
// have the full product, longer ones the best and one other each.
func (s *search) combine(path []int, n int, sides []*side) bool {
	usable := func(i int) []*side {
		all := s.g.info[path[i]].sides
		k := 0
		for k < len(all) && all[k].tier() <= s.tier {
			k++
		}
		return all[:k]
	}
	if len(path) == 2 {
		a, b := usable(0), usable(1)
		if n >= len(a)*len(b) {
			return false
		}
		sides[0], sides[1] = a[n/len(b)], b[n%len(b)]
		return true
	}
	for i := range path {
		all := usable(i)
		sides[i] = all[0]
		if n > 0 && n < len(all) {
			sides[i] = all[n]
			n = 0
		} else if n > 0 {
			n -= len(all) - 1
		}
	}
	return n == 0
}

// shortest returns a shortest confirmed cycle through an edge, or a gated
// one when nothing else was found.
func (s *search) shortest(e int) (foundCycle, bool) {
	goal := s.from[e]
	first := s.arcOf(e)
	w := &walk{s: s, goal: goal, dist: s.distances(goal), path: []int{e}, seen: map[int]bool{goal: true}}
	shortest := int32(0)
	for _, t := range first.targets {
		if d := w.dist[t]; d > 0 && (shortest == 0 || d < shortest) {
			shortest = d
		}
	}
	if shortest == 0 {
		return foundCycle{}, false
	}
	w.parallel, w.tries = maxPartners, maxPartners
	if shortest > 1 {
		w.parallel, w.tries = maxParallel, 1 // one look at the plain shortest, which may be gated
	}
	for n := shortest; n <= shortest+maxDetour; n++ {
		if w.from(first.targets, n) {
			return w.best, true
		}
		w.parallel, w.tries = maxParallel, maxAttempts
		if n == shortest && n > 1 {
			w.strict = true
			if w.from(first.targets, n) {
				return w.best, true
			}
		}
		w.strict = true
	}
	return w.best, w.best.edges != nil
}

// from searches for cycles of n hops after the first.
func (w *walk) from(targets []int, n int32) bool {
	w.left, w.visits = n, 0
	for _, t := range targets {
		if w.down(t) {
			return true
		}
	}
	return false
}
