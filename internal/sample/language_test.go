package sample

import (
	"slices"
	"sort"
	"strings"
)

// An order is the sequences of locks that a path can take, as an expression:
// a symbol, a sequence, a choice or a repetition.
type order struct {
	symbol string
	seq    []*order
	alts   []*order
	star   *order
}

func symbol(s string) *order          { return &order{symbol: s} }
func sequence(parts ...*order) *order { return &order{seq: parts} }
func choice(alts []*order) *order     { return &order{alts: alts} }
func repeat(o *order) *order          { return &order{star: o} }

// locks reports whether anything but the bounds of transactions happens.
func (o *order) locks() bool {
	if o == nil {
		return false
	}
	if o.symbol != "" {
		return !bound(o.symbol)
	}
	for _, p := range append(slices.Clone(o.seq), o.alts...) {
		if p.locks() {
			return true
		}
	}
	return o.star.locks()
}

func bound(symbol string) bool { return strings.HasPrefix(symbol, "begin") || symbol == "end" }

// A machine is a finite automaton that accepts the sequences of an order.
type machine struct {
	empty [][]int            // steps that take nothing
	moves []map[string][]int // steps that take a symbol
	final int
}

func compile(o *order) *machine {
	m := &machine{}
	start := m.state()
	m.final = m.add(o, start)
	return m
}

func (m *machine) state() int {
	m.empty = append(m.empty, nil)
	m.moves = append(m.moves, map[string][]int{})
	return len(m.empty) - 1
}

// add adds o from the state on and returns the state in which it ends.
func (m *machine) add(o *order, from int) int {
	switch {
	case o == nil:
		return from
	case o.symbol != "":
		to := m.state()
		m.moves[from][o.symbol] = append(m.moves[from][o.symbol], to)
		return to
	case len(o.alts) > 0:
		to := m.state()
		for _, a := range o.alts {
			in := m.state()
			m.empty[from] = append(m.empty[from], in)
			end := m.add(a, in)
			m.empty[end] = append(m.empty[end], to)
		}
		return to
	case o.star != nil:
		in := m.state()
		m.empty[from] = append(m.empty[from], in)
		end := m.add(o.star, in)
		m.empty[end] = append(m.empty[end], in)
		out := m.state()
		m.empty[in] = append(m.empty[in], out)
		return out
	}
	for _, p := range o.seq {
		from = m.add(p, from)
	}
	return from
}

type set []int

func (m *machine) close(states set) set {
	seen := map[int]bool{}
	work := slices.Clone(states)
	for len(work) > 0 {
		s := work[0]
		work = work[1:]
		if !seen[s] {
			seen[s] = true
			work = append(work, m.empty[s]...)
		}
	}
	var out set
	for s := range seen {
		out = append(out, s)
	}
	sort.Ints(out)
	return out
}

func (m *machine) step(states set, symbol string) set {
	var out set
	for _, s := range states {
		out = append(out, m.moves[s][symbol]...)
	}
	return m.close(out)
}

func (m *machine) symbols(states set) []string {
	var out []string
	for _, s := range states {
		for sym := range m.moves[s] {
			out = append(out, sym)
		}
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// difference returns the shortest sequences that only one of the orders
// allows: what only a allows and what only b does, nil where there is none.
func difference(a, b *order) (onlyA, onlyB []string) {
	ma, mb := compile(a), compile(b)
	type pair struct {
		a, b set
		word []string
	}
	key := func(p pair) string {
		var k strings.Builder
		for _, s := range p.a {
			k.WriteString(string(rune(s)) + ",")
		}
		k.WriteByte('|')
		for _, s := range p.b {
			k.WriteString(string(rune(s)) + ",")
		}
		return k.String()
	}
	first := pair{a: ma.close(set{0}), b: mb.close(set{0})}
	work, seen := []pair{first}, map[string]bool{key(first): true}
	for len(work) > 0 && (onlyA == nil || onlyB == nil) {
		p := work[0]
		work = work[1:]
		inA, inB := slices.Contains(p.a, ma.final), slices.Contains(p.b, mb.final)
		if inA && !inB && onlyA == nil {
			onlyA = append([]string{}, p.word...)
		}
		if inB && !inA && onlyB == nil {
			onlyB = append([]string{}, p.word...)
		}
		syms := append(ma.symbols(p.a), mb.symbols(p.b)...)
		sort.Strings(syms)
		for _, s := range slices.Compact(syms) {
			next := pair{a: ma.step(p.a, s), b: mb.step(p.b, s), word: append(slices.Clone(p.word), s)}
			if k := key(next); !seen[k] {
				seen[k] = true
				work = append(work, next)
			}
		}
	}
	return onlyA, onlyB
}
