package prog

import (
	"slices"
	"strings"
)

// A state is one way to stand at a point of a walk.
type state struct {
	held   Held
	open   []*Conn
	facts  []fact
	defers []deferral
	lost   Held // dropped by a rollback to a savepoint of an open transaction
}

// A fact is a guard that an earlier branch decided.
type fact struct {
	factKey
	val bool
}

// A factKey is what a fact is about: states hold many, so it is small.
type factKey struct {
	about about
	name  int32 // of the walker's subjects: a value, a result and its way, a value and a type
}

type about uint8

const (
	ofTruth about = iota
	ofNil         // that a value is nil
	ofWay         // which of several values a result is
	ofType        // of what type the value of an interface is
)

type deferral struct {
	env *env
	op  *Op
}

const maxFacts = 32

func (s *state) clone() *state {
	c := *s
	return &c
}

func (s *state) fact(key factKey) (val, known bool) {
	for _, f := range s.facts {
		if f.factKey == key {
			return f.val, true
		}
	}
	return false, false
}

func (s *state) with(key factKey, val bool) *state {
	if _, ok := s.fact(key); ok {
		return s
	}
	c := s.clone()
	c.facts = append(make([]fact, 0, len(s.facts)+1), s.facts...)
	if len(c.facts) >= maxFacts {
		at := 0
		for at < len(c.facts)-1 && c.facts[at].lasting() {
			at++
		}
		c.facts = append(c.facts[:at], c.facts[at+1:]...)
	}
	c.facts = append(c.facts, fact{key, val})
	return c
}

// lasting reports a fact about which of several connections is meant: it
// matters as long as that is open, unlike what became of one call.
func (k factKey) lasting() bool { return k.about == ofWay || k.about == ofType }

// without returns s with the acquisitions dropped for which drop is true.
func (s *state) without(drop func(*Take) bool) *state {
	var kept Held
	for _, t := range s.held {
		if !drop(t) {
			kept = append(kept, t)
		}
	}
	if len(kept) == len(s.held) {
		return s
	}
	c := s.clone()
	c.held = kept
	return c
}

func (s *state) isOpen(c *Conn) bool {
	for _, o := range s.open {
		if o == c {
			return true
		}
	}
	return false
}

func (s *state) closed(c *Conn) *state {
	var kept []*Conn
	for _, o := range s.open {
		if o != c {
			kept = append(kept, o)
		}
	}
	if len(kept) == len(s.open) {
		return s
	}
	n := s.clone()
	n.open = kept
	return n
}

// merge joins states that hold the same and keeps at most limit of them;
// past that those kept hold what the dropped ones held as well.
func merge(sts []*state, limit int) []*state {
	if len(sts) < 2 {
		return sts
	}
	var out []*state
	for _, s := range sts {
		i := slices.IndexFunc(out, func(o *state) bool { return o.sameHeld(s) && o.sameOpen(s) && o.sameDefers(s) })
		if i < 0 {
			out = append(out, s)
			continue
		}
		if len(out[i].facts) > 0 || len(s.lost) > 0 {
			c := out[i].clone()
			c.facts = common(out[i].facts, s.facts)
			c.lost = c.lost.with(s.lost...)
			out[i] = c
		}
	}
	if len(out) <= limit {
		return out
	}
	return overflow(out, limit)
}

// inTransaction reports whether a transaction that the trace began on a pool
// is open.
func (s *state) inTransaction() bool {
	return slices.ContainsFunc(s.open, func(c *Conn) bool { return c.How == "tx" && c.Parent != nil && c.Parent.How == "pool" })
}

// What tells states apart that must not be merged: what they hold, what is
// open and what is deferred in them.

func (s *state) sameHeld(o *state) bool { return slices.Equal(s.held, o.held) }

func (s *state) sameOpen(o *state) bool { return slices.Equal(s.open, o.open) }

func (s *state) sameDefers(o *state) bool { return slices.Equal(s.defers, o.defers) }

// overflow keeps limit states: first one for each set of open connections,
// which tells ways apart that exclude each other, then whichever come first.
// Any other is added to the last kept one with the same connections open and
// the same defers, else to one with the same connections open.
func overflow(sts []*state, limit int) []*state {
	keep, n := map[*state]bool{}, 0
	for i, s := range sts {
		if n < limit && !slices.ContainsFunc(sts[:i], s.sameOpen) {
			keep[s] = true
			n++
		}
	}
	for _, s := range sts {
		if !keep[s] && n < limit {
			keep[s] = true
			n++
		}
	}
	var kept []*state
	for _, s := range sts {
		if keep[s] {
			kept = append(kept, s.clone())
		}
	}
	for _, s := range sts {
		if !keep[s] {
			alike(kept, s).take(s)
		}
	}
	return kept
}

// alike returns the state of sts that is most like s.
func alike(sts []*state, s *state) *state {
	best, score := sts[len(sts)-1], 0
	for _, o := range sts {
		n := 0
		if o.sameOpen(s) {
			n = 2
			if o.sameDefers(s) {
				n++
			}
		}
		if n > 0 && n >= score {
			best, score = o, n
		}
	}
	return best
}

// take adds to s what o holds and has open; of the facts both share stay.
func (s *state) take(o *state) {
	s.held = s.held.with(o.held...)
	for _, c := range o.open {
		if !s.isOpen(c) {
			s.open = append(s.open[:len(s.open):len(s.open)], c)
		}
	}
	s.facts = common(s.facts, o.facts)
	s.lost = s.lost.with(o.lost...)
	s.held = slices.SortedStableFunc(slices.Values(s.held), func(a, b *Take) int { return a.N - b.N })
}

// common returns the facts of both, in the order of a.
func common(a, b []fact) []fact {
	for i, f := range a {
		if slices.Contains(b, f) {
			continue
		}
		out := append(make([]fact, 0, len(a)-1), a[:i]...)
		for _, f := range a[i+1:] {
			if slices.Contains(b, f) {
				out = append(out, f)
			}
		}
		return out
	}
	return a
}

// heldSets returns the different held sets of the states, in order, and what
// is open in the states of each.
func heldSets(sts []*state) (sets []Held, openIn [][]*Conn) {
	for _, s := range sts {
		i := slices.IndexFunc(sets, func(h Held) bool { return slices.Equal(h, s.held) })
		if i < 0 {
			i = len(sets)
			sets, openIn = append(sets, s.held), append(openIn, nil)
		}
		for _, c := range s.open {
			if !slices.Contains(openIn[i], c) {
				openIn[i] = append(openIn[i][:len(openIn[i]):len(openIn[i])], c)
			}
		}
	}
	return sets, openIn
}

// with returns h and the takes of more that it lacks.
func (h Held) with(more ...*Take) Held {
	out := h[:len(h):len(h)]
	for i, t := range more {
		if slices.Contains(out, t) {
			continue
		}
		if len(out) == cap(out) {
			out = append(make(Held, 0, len(out)+len(more)-i), out...)
		}
		out = append(out, t)
	}
	return out
}

// opens returns the connections open, and the takes lost, in any of the
// states.
func opens(sts []*state) (open []*Conn, lost Held) {
	seen := map[*Conn]bool{}
	for _, s := range sts {
		for _, c := range s.open {
			if !seen[c] {
				seen[c] = true
				open = append(open, c)
			}
		}
		lost = lost.with(s.lost...)
	}
	return open, lost
}

// maxCases bounds the ways in which a disjunction is taken apart.
const maxCases = 4

// cases returns s in each way in which the guard comes out as wanted: a
// disjunction holds by its first part, or by its second and not its first.
func (w *walker) cases(s *state, g *Val, want bool) []*state {
	if g != nil && g.Kind == VNot {
		return w.cases(s, g.Of[0], !want)
	}
	if g == nil || g.Kind != VAnd && g.Kind != VOr || len(g.Of) > maxCases {
		if s = w.assume(s, g, want); s != nil {
			return []*state{s}
		}
		return nil
	}
	if (g.Kind == VAnd) == want { // every part
		in := []*state{s}
		for _, o := range g.Of {
			var next []*state
			for _, s := range in {
				next = append(next, w.cases(s, o, want)...)
			}
			in = next
		}
		return in
	}
	var out []*state
	rest := []*state{s}
	for _, o := range g.Of {
		var next []*state
		for _, s := range rest {
			out = append(out, w.cases(s, o, want)...)
			next = append(next, w.cases(s, o, !want)...)
		}
		rest = next
	}
	return out
}

// assume returns s as it is when the guard holds, nil when it cannot.
func (w *walker) assume(s *state, g *Val, want bool) *state {
	if g == nil || g.Kind == VHole {
		return s
	}
	if b, ok := Truth(g); ok {
		if b != want {
			return nil
		}
		return s
	}
	switch g.Kind {
	case VNot:
		return w.assume(s, g.Of[0], !want)
	case VAnd, VOr:
		if (g.Kind == VAnd) == want {
			for _, o := range g.Of {
				if s = w.assume(s, o, want); s == nil {
					return nil
				}
			}
		}
		return s
	}
	if g.Kind == VApply && want && len(g.Of) > 1 && (g.Str == "errors.Is" || g.Str == "errors.As") && !g.Of[1].IsNil() {
		if s = w.assume(s, New(VIsNil, "", g.Of[0]), false); s == nil { // only an error is of a kind of errors
			return nil
		}
	}
	if is, ok := w.inTx(g); ok { // the library's own mark of a transaction
		if is == want { // nil outside of one
			return nil
		}
		return s
	}
	if is, ok := w.holds(s, g, 0); ok {
		if is != want {
			return nil
		}
		return s
	}
	s = s.with(w.guard(g), want)
	switch g.Kind {
	case VIsNil:
		if !want {
			s = w.failed(s, g.Of[0])
		}
	case VScan, VChoice, VResult: // the answer of a try lock, perhaps as a helper returns it
		if stmts := answers(g); !want && len(stmts) > 0 {
			s = s.without(func(t *Take) bool { return t.Wait == "try" && slices.Contains(stmts, t.stmt) })
		}
	}
	return s
}

// answers returns the statements of which v is a scanned answer, where it can
// be nothing else but false: what a helper returns beside its errors.
func answers(v *Val) []string {
	v = bare(v)
	if v == nil {
		return nil
	}
	switch v.Kind {
	case VScan:
		stmt, _, _ := cutLast(v.Str)
		return []string{stmt}
	case VAnd:
		var out []string
		for _, o := range v.Of {
			out = append(out, answers(o)...)
		}
		return out
	case VChoice:
		var out []string
		for _, o := range v.Of {
			if b, ok := Truth(bare(o)); ok && !b {
				continue
			}
			more := answers(o)
			if more == nil {
				return nil
			}
			out = append(out, more...)
		}
		return out
	}
	return nil
}

// TxOf is the field, as a function applied to a handle, that is nil unless
// the handle is a transaction.
const TxOf = "tx of"

// inTx tells whether the handle that a guard "tx of it is nil" asks about is
// a transaction.
func (w *walker) inTx(g *Val) (is, known bool) {
	if g.Kind != VIsNil || bare(g.Of[0]).Kind != VApply || bare(g.Of[0]).Str != TxOf {
		return false, false
	}
	switch c := w.handle(bare(g.Of[0]).Of[0], nil, nil, 0); c.How {
	case "tx", "savepoint":
		return true, true
	case "pool", "conn":
		return false, true
	}
	return false, false
}

// failed returns s as it is when the call whose error v is failed: its
// statement took nothing, its connection was not opened.
func (w *walker) failed(s *state, v *Val) *state {
	v = bareResult(v)
	if v == nil || v.Kind != VResult || !strings.HasSuffix(v.Str, ".err") {
		return s
	}
	stmt := strings.TrimSuffix(v.Str, ".err")
	s = s.without(func(t *Take) bool { return t.stmt == stmt })
	for _, c := range s.open {
		if c.stmt == stmt {
			s = s.closed(c)
		}
	}
	return s
}

// bareResult follows a call's result to the one value it can be.
func bareResult(v *Val) *Val {
	for v != nil && v.Kind == VResult && len(v.Of) == 1 && v.Of[0].Kind == VResult {
		v = v.Of[0]
	}
	return v
}

// guard returns the fact that g holds.
func (w *walker) guard(g *Val) factKey {
	if g.Kind == VIsNil {
		return w.isNil(g.Of[0])
	}
	return factKey{ofTruth, w.number.value(g)}
}

// isNil returns the fact that v is nil.
func (w *walker) isNil(v *Val) factKey { return factKey{ofNil, w.number.value(madeOf(v))} }

// key returns what a fact about something named is about.
func (w *walker) key(a about, name string) factKey { return factKey{a, w.number.text(name)} }

// nameOf names a value by what it is the result of, not by what that can be.
func nameOf(v *Val) string {
	if v = unwrapped(v); v.Kind == VResult || v.Kind == VScan {
		return v.Str
	}
	return v.String()
}

// unwrapped returns the value that v wraps.
func unwrapped(v *Val) *Val {
	for v.Kind == VIface || v.Kind == VHandle {
		v = v.Of[0]
	}
	return v
}

func cutLast(s string) (before, after string, ok bool) {
	if i := strings.LastIndexByte(s, '.'); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
