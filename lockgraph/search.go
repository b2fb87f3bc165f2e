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
	rev   []int32           // states with an arc to each state, one list after the other
	revAt []int32           // where the list of a state begins in rev
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
	s.reverse()
}

// reverse lists for each state where arcs to it come from.
func (s *search) reverse() {
	s.revAt = make([]int32, len(s.out)+1)
	last := make([]int32, len(s.out))
	each := func(f func(n, t int)) {
		for i := range last {
			last[i] = -1
		}
		for n, arcs := range s.out {
			for i := range arcs {
				for _, t := range arcs[i].targets {
					if last[t] != int32(n) {
						last[t] = int32(n)
						f(n, t)
					}
				}
			}
		}
	}
	each(func(_, t int) { s.revAt[t+1]++ })
	for t := range s.out {
		s.revAt[t+1] += s.revAt[t]
	}
	at := append([]int32(nil), s.revAt...)
	s.rev = make([]int32, s.revAt[len(s.out)])
	each(func(n, t int) {
		s.rev[at[t]] = int32(n)
		at[t]++
	})
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
	queue := make([]int32, 1, len(s.out)+1)
	queue[0] = int32(goal)
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		step := int32(1)
		if at > 0 {
			step = d[v] + 1
		}
		for _, p := range s.rev[s.revAt[v]:s.revAt[v+1]] {
			if d[p] == 0 && s.comp[p] == s.comp[goal] {
				d[p] = step
				if int(p) != goal {
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
