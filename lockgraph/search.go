package lockgraph

// A search looks for cycles among the edges of at most one tier. Its nodes
// are states: a class held in a mode. An edge leads from the state it holds
// to every state of the wanted class whose mode makes it wait, so a cycle of
// states is exactly a cycle in which every hop can wait.
type search struct {
	g     *Graph
	tier  int
	state map[[2]string]int // class, held mode
	class [][]int           // states of the class, by class number
	ids   map[string]int    // class number
	out   [][]arc           // by state
	rev   [][]int           // states with an arc to the state
	comp  []int             // strongly connected component; -1: alone
	from  []int             // source state by edge; -1: not in this search
	arcAt []int             // arc by edge, among those of its source state; -1: none
	dist  map[int][]int32   // hops from each state to closing a cycle at the key
}

// An arc is the edges from one state to one wanted class and mode.
type arc struct {
	edges   []int
	targets []int
}

func newSearch(g *Graph, tier int) *search {
	s := &search{g: g, tier: tier, state: map[[2]string]int{}, ids: map[string]int{}, dist: map[int][]int32{}}
	s.from = make([]int, len(g.Edges))
	for i := range g.Edges {
		s.from[i] = -1
		if e := &g.Edges[i]; g.info[i].tier <= tier && e.From != e.To {
			s.from[i] = s.node(e.From, e.Held)
		}
	}
	s.connect()
	s.components()
	return s
}

func (s *search) node(class, mode string) int {
	k := [2]string{class, mode}
	if n, ok := s.state[k]; ok {
		return n
	}
	c, ok := s.ids[class]
	if !ok {
		c = len(s.class)
		s.ids[class] = c
		s.class = append(s.class, nil)
	}
	n := len(s.out)
	s.state[k] = n
	s.class[c] = append(s.class[c], n)
	s.out = append(s.out, nil)
	return n
}

func (s *search) connect() {
	modes := make([]string, len(s.out))
	for k, n := range s.state {
		modes[n] = k[1]
	}
	type want struct {
		from       int
		to, wanted string
	}
	at := map[want]int{}
	s.arcAt = make([]int, len(s.g.Edges))
	for i := range s.g.Edges {
		s.arcAt[i] = -1
		n := s.from[i]
		c, ok := s.ids[s.g.Edges[i].To]
		if n < 0 || !ok {
			continue
		}
		e := &s.g.Edges[i]
		w := want{n, e.To, e.Wanted}
		if k, ok := at[w]; ok {
			s.out[n][k].edges = append(s.out[n][k].edges, i)
			s.arcAt[i] = k
			continue
		}
		a := arc{edges: []int{i}}
		family := s.g.info[i].sides[0].want.Family
		for _, t := range s.class[c] {
			if Conflicts(family, modes[t], e.Wanted) {
				a.targets = append(a.targets, t)
			}
		}
		at[w], s.arcAt[i] = len(s.out[n]), len(s.out[n])
		s.out[n] = append(s.out[n], a)
	}
	s.rev = make([][]int, len(s.out))
	for n, arcs := range s.out {
		for i := range arcs {
			for _, t := range arcs[i].targets {
				if k := len(s.rev[t]); k == 0 || s.rev[t][k-1] != n {
					s.rev[t] = append(s.rev[t], n)
				}
			}
		}
	}
}

// components numbers the strongly connected components (Tarjan, without
// recursion); a state alone in its component lies on no cycle.
func (s *search) components() {
	n := len(s.out)
	index, low := make([]int, n), make([]int, n)
	s.comp = make([]int, n)
	for i := range s.comp {
		s.comp[i] = -2
	}
	next := make([][]int, n)
	for i, arcs := range s.out {
		for _, a := range arcs {
			next[i] = append(next[i], a.targets...)
		}
	}
	type frame struct{ node, at int }
	var stack []int
	count := 0
	for root := range n {
		if index[root] != 0 {
			continue
		}
		work := []frame{{root, 0}}
		for len(work) > 0 {
			f := &work[len(work)-1]
			v := f.node
			if f.at == 0 {
				count++
				index[v], low[v] = count, count
				stack = append(stack, v)
			}
			if f.at < len(next[v]) {
				w := next[v][f.at]
				f.at++
				if index[w] == 0 {
					work = append(work, frame{w, 0})
				} else if s.comp[w] == -2 {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			work = work[:len(work)-1]
			if len(work) > 0 {
				up := work[len(work)-1].node
				low[up] = min(low[up], low[v])
			}
			if low[v] == index[v] {
				stack = s.close(stack, v)
			}
		}
	}
}

// close takes the component whose root is v off the stack.
func (s *search) close(stack []int, v int) []int {
	at := len(stack) - 1
	for stack[at] != v {
		at--
	}
	id := v
	if at == len(stack)-1 {
		id = -1
	}
	for _, w := range stack[at:] {
		s.comp[w] = id
	}
	return stack[:at]
}

// on reports whether an edge can lie on a cycle of this search.
func (s *search) on(e int) bool { return s.from[e] >= 0 && s.comp[s.from[e]] >= 0 }

// distances returns for each state how many hops it takes from there until
// an edge wants the lock that the goal state holds; 0 means never.
func (s *search) distances(goal int) []int32 {
	if d, ok := s.dist[goal]; ok {
		return d
	}
	d := make([]int32, len(s.out))
	queue := []int{goal}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		step := int32(1)
		if at > 0 {
			step = d[v] + 1
		}
		for _, p := range s.rev[v] {
			if d[p] == 0 && s.comp[p] == s.comp[goal] {
				d[p] = step
				if p != goal {
					queue = append(queue, p)
				}
			}
		}
	}
	s.dist[goal] = d
	return d
}

// arcOf returns the arc of an edge.
func (s *search) arcOf(e int) *arc {
	if s.arcAt[e] < 0 {
		return &arc{}
	}
	return &s.out[s.from[e]][s.arcAt[e]]
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
	var gated foundCycle
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
			return foundCycle{append([]int(nil), path...), append([]*side(nil), sides...), tier, verdict, nil}, true
		case Gated:
			if gated.edges == nil {
				gated = foundCycle{append([]int(nil), path...), append([]*side(nil), sides...), tierPossible, verdict, by}
			}
		}
	}
	return gated, gated.edges != nil
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
