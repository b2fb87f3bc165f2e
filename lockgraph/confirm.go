package lockgraph

import (
	"sort"
	"strings"
)

// Verdicts on a cycle. Refuted ones are dropped and never shown.
const (
	Supported = "supported"
	Possible  = "possible"
	Gated     = "gated"
	refuted   = "refuted"
)

// confirm replays the sides of a cycle together: each in a session of its
// own, holding what it holds, each wanting what the next one holds (side i
// wants a lock of the class that side i+1 holds). It finds the one
// substitution of instances under which they meet, and looks for what rules
// that state out.
func confirm(sides []*side) (verdict string, gatedBy []string) {
	if alone(sides) || len(sides) == 2 && (moved(sides[0], sides[1]) || moved(sides[1], sides[0])) {
		return refuted, nil
	}
	var u unifier
	for i, s := range sides {
		next := (i + 1) % len(sides)
		if !u.meet(i, &s.want.Inst, next, &sides[next].holds().Inst) {
			return refuted, nil
		}
	}
	hops, mutex := map[string]bool{}, false
	for _, s := range sides {
		hops[s.want.Class] = true
		mutex = mutex || s.want.Family == Mutex
	}
	for i := range sides {
		for j := i + 1; j < len(sides); j++ {
			gates, impossible := u.exclude(i, sides[i], j, sides[j], hops, mutex)
			if impossible {
				return refuted, nil
			}
			gatedBy = append(gatedBy, gates...)
		}
	}
	if len(gatedBy) > 0 {
		return Gated, unique(gatedBy)
	}
	for _, s := range sides {
		if s.tier() != tierSupported {
			return Possible, nil
		}
	}
	return Supported, nil
}

// alone reports whether one path closes the cycle with itself by a lock that
// it probably holds already: it would have to take another instance the
// second time, and nothing says so.
func alone(sides []*side) bool {
	again := false
	for _, s := range sides {
		if s.trace != sides[0].trace || s.want.Class == s.holds().Class {
			return false // several instances of one class are the point there
		}
		again = again || s.again
	}
	return again
}

// exclude returns the classes of which both sides hold one instance in modes
// that conflict: the two can never stand there at once. When such a class is
// a hop of the cycle itself the state is impossible, rather than gated.
// A Go mutex excludes only what runs in one process, so it gates only cycles
// that pass through a mutex. Statements that lock many rows may have found
// none, and exclude nothing.
func (u *unifier) exclude(i int, a *side, j int, b *side, hops map[string]bool, mutex bool) (gates []string, impossible bool) {
	p, q := a.standing(), b.standing()
	for len(p) > 0 && len(q) > 0 {
		switch c := strings.Compare(p[0].Class, q[0].Class); {
		case c < 0:
			p = p[1:]
			continue
		case c > 0:
			q = q[1:]
			continue
		}
		h := p[0]
		p = p[1:]
		if h.Family == Mutex && !mutex {
			continue
		}
		for _, k := range q {
			if k.Class != h.Class {
				break
			}
			if !Conflicts(h.Family, h.Mode, k.Mode) {
				continue
			}
			if (h.Many || k.Many) && !(h.Inst.Single && k.Inst.Single) || !u.same(i, &h.Inst, j, &k.Inst) {
				continue
			}
			if hops[h.Class] {
				return nil, true
			}
			gates = append(gates, h.Class)
		}
	}
	return gates, false
}

// led reports whether two of the sides are two runs of one path under a lock
// that is the same one in all runs of one program: they meet only if the path
// is configured in two ways.
func led(sides []*side) bool {
	for i, a := range sides {
		for _, b := range sides[i+1:] {
			if a.trace == b.trace && underOne(a, b) {
				return true
			}
		}
	}
	return false
}

// underOne reports whether both sides hold, beside the ends of their hops,
// one such lock in modes that conflict.
func underOne(a, b *side) bool {
	for i, h := range a.held {
		if !h.Inst.Program || h.Carried || h.Fresh || i == a.from {
			continue
		}
		for j, k := range b.held {
			if j != b.from && k.Class == h.Class && k.Inst.Text == h.Inst.Text && !k.Fresh && Conflicts(h.Family, h.Mode, k.Mode) {
				return true
			}
		}
	}
	return false
}

func unique(s []string) []string {
	sort.Strings(s)
	out := s[:0]
	for i, x := range s {
		if i == 0 || x != s[i-1] {
			out = append(out, x)
		}
	}
	return out
}

// A unifier holds which values of which sides must be equal for the sides to
// meet: union-find, with at most one constant in a set.
type unifier struct {
	nodes []unode
}

type unode struct {
	side   int // of a global value: -1
	text   string
	up     int // itself: a root
	known  bool
	consts string
}

// find returns the root of a value of a side.
func (u *unifier) find(side int, text string) int {
	value, isConst := constant(text)
	switch {
	case isConst:
		side, text = -1, "="+value
	case strings.HasPrefix(text, "global"):
		side = -1
	}
	for n := range u.nodes {
		if u.nodes[n].side == side && u.nodes[n].text == text {
			for u.nodes[n].up != n {
				n = u.nodes[n].up
			}
			return n
		}
	}
	u.nodes = append(u.nodes, unode{side: side, text: text, up: len(u.nodes), known: isConst, consts: value})
	return len(u.nodes) - 1
}

// join makes two values equal; false when they are different constants.
func (u *unifier) join(i int, a string, j int, b string) bool {
	if hole(a) || hole(b) {
		return true
	}
	x, y := u.find(i, a), u.find(j, b)
	if x == y {
		return true
	}
	p, q := &u.nodes[x], &u.nodes[y]
	if p.known && q.known {
		return p.consts == q.consts
	}
	if q.known {
		p.known, p.consts = true, q.consts
	}
	q.up = x
	return true
}

// meet makes instance a of side i and instance b of side j the same one; it
// returns false when they cannot be. Both are of one class: the parts of an
// advisory key correspond by position, those of a row by column. (A hash can
// bring different parts together, but not on purpose: keys that collide are
// another finding.)
func (u *unifier) meet(i int, a *Inst, j int, b *Inst) bool {
	if a.Single && b.Single {
		return true
	}
	if a.Const && b.Const && !sameConst(a.Text, b.Text) {
		return false
	}
	if len(a.Columns) > 0 && len(b.Columns) > 0 {
		for _, c := range a.Columns {
			if v, ok := b.column(c.Name); ok && !u.join(i, c.Value, j, v) {
				return false
			}
		}
		return true
	}
	if len(a.Columns) > 0 || len(b.Columns) > 0 || len(a.Leaves) != len(b.Leaves) {
		return true
	}
	for n := range a.Leaves {
		if !u.join(i, a.Leaves[n], j, b.Leaves[n]) {
			return false
		}
	}
	return true
}

func sameConst(a, b string) bool {
	if a == b {
		return true
	}
	x, ok := constant(a)
	y, also := constant(b)
	return ok && also && x == y
}

// equal reports whether the substitution makes two values one.
func (u *unifier) equal(i int, a string, j int, b string) bool {
	if hole(a) || hole(b) {
		return false
	}
	x, y := u.find(i, a), u.find(j, b)
	return x == y || u.nodes[x].known && u.nodes[y].known && u.nodes[x].consts == u.nodes[y].consts
}

// same reports whether two instances of one class must be the same one.
func (u *unifier) same(i int, a *Inst, j int, b *Inst) bool {
	switch {
	case a.Single && b.Single:
		return true
	case !a.Known || !b.Known:
		return false
	case a.Const && b.Const:
		return sameConst(a.Text, b.Text)
	case len(a.Columns) > 0 && len(b.Columns) > 0:
		return u.sameRows(i, a, j, b) || u.sameRows(j, b, i, a)
	case len(a.Columns) > 0 || len(b.Columns) > 0 || len(a.Leaves) == 0 || len(a.Leaves) != len(b.Leaves):
		return false
	}
	for n := range a.Leaves {
		if !u.equal(i, a.Leaves[n], j, b.Leaves[n]) {
			return false
		}
	}
	return true
}

// sameRows reports whether every column that picks a picks b with an equal
// value: then b's rows are among a's.
func (u *unifier) sameRows(i int, a *Inst, j int, b *Inst) bool {
	for _, c := range a.Columns {
		if v, ok := b.column(c.Name); !ok || !u.equal(i, c.Value, j, v) {
			return false
		}
	}
	return true
}
