package lockgraph

import (
	"fmt"
	"sort"
	"strings"
)

// Findings returns what the cycles say, one finding for each set of classes
// and cause, sorted. Gated cycles cannot happen and are none.
func (g *Graph) Findings() []Finding {
	g.Solve()
	groups := map[string][]*foundCycle{}
	paired := map[[2]string]bool{} // pairs of classes that a cycle of two reports
	for i := range g.found {
		c := &g.found[i]
		if c.verdict == Gated {
			continue
		}
		key := g.fingerprint(c)
		groups[key] = append(groups[key], c)
		if len(c.edges) == 2 {
			e := &g.Edges[c.edges[0]]
			paired[[2]string{e.From, e.To}], paired[[2]string{e.To, e.From}] = true, true
		}
	}
	var told []toldCycle
	for _, key := range sortedKeys(groups) {
		cycles := groups[key]
		sort.SliceStable(cycles, func(i, j int) bool {
			if cycles[i].tier != cycles[j].tier {
				return cycles[i].tier < cycles[j].tier
			}
			return len(cycles[i].edges) < len(cycles[j].edges)
		})
		if c := cycles[0]; c.tier == tierPossible && len(c.edges) > 2 && g.repeats(c, paired) {
			continue
		}
		told = append(told, g.told(key, cycles[0]))
	}
	out := oneCause(told)
	SortFindings(out)
	return out
}

// A toldCycle is a finding with the cycle it tells.
type toldCycle struct {
	f     Finding
	c     *foundCycle
	slugs []string // of its classes
	cause cause
}

// A cause is the place in the program that a cycle's primary side would be
// changed at: a statement that takes locks it does not ask for, or a call
// that comes after the lock it must come before.
type cause struct {
	at     Frame
	hidden bool
}

func (g *Graph) told(fingerprint string, c *foundCycle) toldCycle {
	t := toldCycle{f: g.finding(fingerprint, c), c: c}
	for _, id := range g.classSet(c.edges) {
		t.slugs = append(t.slugs, g.names.slug(id))
	}
	s := c.sides[g.primary(c)]
	if s.want.hidden() {
		t.cause = cause{Frame{Func: t.f.Func, File: t.f.File, Line: t.f.Line}, true}
	} else if call := calledAfter(s.holds(), s.want); call != nil {
		t.cause = cause{*call, false}
	}
	return t
}

// calledAfter returns the call that leads to want in the function that holds
// the lock, nil when that function itself wants it.
func calledAfter(held, want *Take) *Frame {
	for i := range want.Frames {
		if i < len(held.Frames) && held.Frames[i] == want.Frames[i] {
			continue
		}
		if i+1 < len(want.Frames) && strings.HasPrefix(want.Frames[i].Does, "calls ") {
			return &want.Frames[i]
		}
		break
	}
	return nil
}

// oneCause keeps one finding for all the cycles of one cause: the most
// certain, shortest one, which counts the others. Their edges stay in the
// graph.
func oneCause(told []toldCycle) []Finding {
	at := map[cause]int{}
	var groups [][]toldCycle
	for _, t := range told {
		i, ok := at[t.cause]
		if !ok || t.cause == (cause{}) {
			at[t.cause] = len(groups)
			groups = append(groups, []toldCycle{t})
			continue
		}
		groups[i] = append(groups[i], t)
	}
	out := []Finding{}
	for _, all := range groups {
		out = append(out, foremost(all))
	}
	return out
}

// foremost returns the finding that stands for cycles of one cause.
func foremost(all []toldCycle) Finding {
	first := all[0]
	slugs := map[string]bool{}
	for _, t := range all {
		if a, b := t.c, first.c; a.tier < b.tier || a.tier == b.tier && len(a.edges) < len(b.edges) {
			first = t
		}
		for _, s := range t.slugs {
			slugs[s] = true
		}
	}
	f := first.f
	if first.cause.hidden {
		// Which cycle stands for them depends on how much of the program is
		// seen; the statement does not.
		f.Fingerprint = f.Kind + "/" + f.Func
	}
	n := len(all) - 1
	if n == 0 {
		return f
	}
	cycles, close := "cycles", "close"
	if n == 1 {
		cycles, close = "cycle", "closes"
	}
	more := fmt.Sprintf("%d more %s %s here", n, cycles, close)
	if !first.cause.hidden {
		call := first.cause.at
		more = fmt.Sprintf("what %s %s closes %d more %s", Short(call.Func), call.Does, n, cycles)
		f.Fingerprint = f.Kind + "/" + strings.Join(sortedKeys(slugs), "/")
	}
	p := strings.LastIndex(f.Message, " (")
	f.Message = f.Message[:p] + "; " + more + f.Message[p:]
	return f
}

// repeats reports whether a longer cycle that is only possible passes along
// a pair of classes that a finding of its own names: one note a pair is
// enough.
func (g *Graph) repeats(c *foundCycle, paired map[[2]string]bool) bool {
	for _, e := range c.edges {
		if paired[[2]string{g.Edges[e].From, g.Edges[e].To}] {
			return true
		}
	}
	return false
}

// SortFindings sorts findings by place, kind, message and fingerprint.
func SortFindings(f []Finding) {
	sort.SliceStable(f, func(i, j int) bool {
		a, b := &f[i], &f[j]
		switch {
		case a.File != b.File:
			return a.File < b.File
		case a.Line != b.Line:
			return a.Line < b.Line
		case a.Kind != b.Kind:
			return a.Kind < b.Kind
		case a.Message != b.Message:
			return a.Message < b.Message
		}
		return a.Fingerprint < b.Fingerprint
	})
}

func (g *Graph) fingerprint(c *foundCycle) string {
	var parts []string
	for _, id := range g.classSet(c.edges) {
		parts = append(parts, g.names.slug(id))
	}
	sort.Strings(parts)
	return c.kind() + "/" + strings.Join(parts, "/")
}

// kind names the cause: a Go lock, a referential action, a trigger, or
// nothing but the order.
func (c *foundCycle) kind() string {
	mutex, action, trigger := false, false, false
	for _, s := range c.sides {
		for _, t := range []*Take{s.holds(), s.want} {
			mutex = mutex || t.Family == Mutex
			action = action || t.referential()
			trigger = trigger || t.triggered()
		}
	}
	switch {
	case mutex:
		return "mixed-lock-order"
	case action:
		return "fk-cascade-cycle"
	case trigger:
		return "trigger-lock"
	}
	return "lock-order-cycle"
}

// severity is the tier's. Three and more sessions rarely meet over locks that
// no statement asks for, or of which one waits for a parent that its row may
// not have: such a cycle is one step lower.
func (c *foundCycle) severity() string {
	tier := c.tier
	if len(c.sides) > 2 {
		for _, s := range c.sides {
			if s.want.Implicit && s.holds().Implicit || s.want.FKFrom != "" {
				tier++
				break
			}
		}
	}
	switch tier {
	case tierSupported:
		return SeverityError
	case tierGuess:
		return SeverityWarning
	}
	return SeverityNote
}

func (g *Graph) finding(fingerprint string, c *foundCycle) Finding {
	at := g.primary(c)
	n := len(c.sides)
	var related []Frame
	f := Finding{Check: "lockorder", Kind: c.kind(), Severity: c.severity(), Fingerprint: fingerprint}
	for k := range n {
		s := c.sides[(at+k)%n]
		w := Witness(s.holds(), s.want)
		related = append(related, w...)
		f.Sides = append(f.Sides, len(w))
		if f.Cut == "" && c.tier != tierSupported {
			f.Cut = s.cut
		}
	}
	f.Related = related
	place := place(Witness(c.sides[at].holds(), c.sides[at].want))
	f.File, f.Line, f.Func = place.File, place.Line, place.Func
	if f.Func == "" {
		f.Func = c.sides[at].trace
	}
	f.Message, f.Hint = g.message(c, at)
	return f
}

// place is the frame at which a finding stands: the last Go frame, for there
// a developer can change the order; else the last one.
func place(frames []Frame) Frame {
	for i := len(frames) - 1; i >= 0; i-- {
		if strings.HasSuffix(frames[i].File, ".go") {
			return frames[i]
		}
	}
	if len(frames) == 0 {
		return Frame{}
	}
	return frames[len(frames)-1]
}

// rank orders families from coarse to fine, the order in which they are best
// taken: what serializes whole pieces of work first, single rows last.
func rank(family string) int {
	for i, f := range []string{Mutex, Advisory, Table, Row} {
		if f == family {
			return i
		}
	}
	return len(family)
}

// primary picks the side at which a cycle is reported: the one that takes a
// lock its statement does not show; else the order that fewer paths take; else the one that goes from a fine lock to a coarse one; else
// the place that comes last.
func (g *Graph) primary(c *foundCycle) int {
	best := 0
	for i := 1; i < len(c.sides); i++ {
		if g.worse(c, i, best) {
			best = i
		}
	}
	return best
}

func (g *Graph) worse(c *foundCycle, i, j int) bool {
	a, b := c.sides[i], c.sides[j]
	actsBeside := func(s *side) bool { return s.want.referential() || s.want.triggered() }
	if x, y := actsBeside(a), actsBeside(b); x != y {
		return x
	}
	if x, y := len(g.entries(c.edges[i])), len(g.entries(c.edges[j])); x != y {
		return x < y
	}
	climb := func(s *side) int { return rank(s.holds().Family) - rank(s.want.Family) }
	if x, y := climb(a), climb(b); x != y {
		return x > y
	}
	p, q := place(Witness(a.holds(), a.want)), place(Witness(b.holds(), b.want))
	if p.File != q.File {
		return p.File > q.File
	}
	if p.Line != q.Line {
		return p.Line > q.Line
	}
	return a.trace > b.trace
}

// entries returns the paths that take the classes of an edge in its order,
// whatever their modes.
func (g *Graph) entries(edge int) map[string]bool {
	e := &g.Edges[edge]
	out := map[string]bool{}
	for i := g.firstEdge(e.From); i < len(g.Edges) && g.Edges[i].From == e.From; i++ {
		if g.Edges[i].To == e.To {
			for t := range g.info[i].entries {
				out[t] = true
			}
		}
	}
	return out
}

// firstEdge returns the first edge from a class; edges are sorted by it.
func (g *Graph) firstEdge(from string) int {
	return sort.Search(len(g.Edges), func(i int) bool { return g.Edges[i].From >= from })
}

func (g *Graph) message(c *foundCycle, at int) (message, hint string) {
	n := len(c.sides)
	traces := make([]string, n)
	for i, s := range c.sides {
		traces[i] = s.trace
	}
	short := shorten(traces)
	s := c.sides[at]
	held, want := s.holds(), s.want
	wanted := g.names.display(want.Class)
	head := fmt.Sprintf("%s acquired while holding %s", g.inMode(want), g.inMode(held))
	if isGroup(wanted) {
		head = fmt.Sprintf("%s is waited for while holding %s", wanted, g.inMode(held))
	}
	if more := g.others(c, at); more > 0 {
		head += ", here and in " + paths(more, "more ")
	}
	if n == 2 {
		other := c.sides[1-at]
		who, takes := short[other.trace], "takes"
		switch more := g.others(c, 1-at); {
		case other.trace == s.trace:
			takes = "itself also takes"
			hint = fmt.Sprintf("take %s first everywhere in %s", wanted, who)
		case more > 0:
			who, takes = fmt.Sprintf("%s and %s", who, paths(more, "more ")), "take"
			fallthrough
		default:
			hint = fmt.Sprintf("take %s first in %s, as %s does", wanted, short[s.trace], short[other.trace])
		}
		if isGroup(wanted) {
			hint = fmt.Sprintf("wait for the goroutines before %s is taken, or after it is released", g.names.display(held.Class))
		}
		if weaker := weaken(c); weaker != nil {
			hint = fmt.Sprintf("lock %s FOR NO KEY UPDATE where no key column changes: inserts of children then need not wait",
				g.names.display(weaker.Class))
		}
		return fmt.Sprintf("%s; %s %s them in the opposite order (%s)", head, who, takes, g.consequence(c)), hint
	}
	var hops []string
	for k := 1; k < n; k++ {
		o := c.sides[(at+k)%n]
		hops = append(hops, fmt.Sprintf("%s takes %s while holding %s", short[o.trace], g.names.display(o.want.Class), g.names.display(o.holds().Class)))
	}
	hint = fmt.Sprintf("take %s before %s in %s", wanted, g.names.display(held.Class), short[s.trace])
	return fmt.Sprintf("%s; %s (%s)", head, strings.Join(hops, ", "), g.consequence(c)), hint
}

// consequence says what the cycle leads to. PostgreSQL finds a deadlock only
// among its own sessions' waits (manual of version 16, section 13.3.4): a
// program that holds on one connection and waits on another, or for a Go
// lock, waits for ever unless some wait is bounded.
func (g *Graph) consequence(c *foundCycle) string {
	out := "possible deadlock"
	outside, bounded := false, false
	for _, s := range c.sides {
		outside = outside || s.holds().Session != s.want.Session || s.want.Family == Mutex
		bounded = bounded || s.want.Bounded
	}
	if outside && !bounded {
		out += " that PostgreSQL cannot see"
	}
	if c.weak != nil {
		out += "; " + g.names.display(c.weak.take.Class) + c.weak.why
	}
	return out
}

// others counts the paths beyond the one shown that take a hop of a cycle in
// its order.
func (g *Graph) others(c *foundCycle, hop int) int {
	n := 0
	for t := range g.entries(c.edges[hop]) {
		shown := false
		for _, s := range c.sides {
			shown = shown || s.trace == t
		}
		if !shown {
			n++
		}
	}
	return n
}

func paths(n int, more string) string {
	if n == 1 {
		return "1 " + more + "path"
	}
	return fmt.Sprintf("%d %spaths", n, more)
}

// inMode names a lock with its mode and where it comes from when no
// statement asks for it.
func (g *Graph) inMode(t *Take) string {
	via := ""
	if len(t.Via) > 0 {
		via = " by " + t.Via[len(t.Via)-1]
	}
	return fmt.Sprintf("%s (%s%s)", g.names.display(t.Class), t.Mode, via)
}

// weaken returns the explicit FOR UPDATE that meets only the FOR KEY SHARE
// of a foreign key check: FOR NO KEY UPDATE would not close the cycle
// (manual of version 16, section 13.3.2).
func weaken(c *foundCycle) *Take {
	n := len(c.sides)
	for i, s := range c.sides {
		w, h := s.want, c.sides[(i+1)%n].holds()
		for _, pair := range [2][2]*Take{{w, h}, {h, w}} {
			if check, lock := pair[0], pair[1]; check.Family == Row && check.Mode == ForKeyShare && check.FKFrom != "" &&
				lock.Mode == ForUpdate && !lock.Implicit {
				return lock
			}
		}
	}
	return nil
}
