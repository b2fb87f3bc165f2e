package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// taker is the last one in the chain that takes the lock of a step.
func taker(entry string, s *lockgraph.Step) string {
	if n := len(s.By); n > 0 {
		return enclosing(s.By[n-1])
	}
	return lastName(enclosing(entry))
}

// isOwn reports whether a step is a row lock that a statement takes by
// itself, on rows that it writes or refers to.
func (b *book) isOwn(entry string, s *lockgraph.Step) bool {
	return b.own[s.Class+"\x00"+s.Mode+"\x00"+taker(entry, s)]
}

// ownRun tells consecutive rows that statements lock by themselves in one
// event: which rows, and which statements.
func (t *teller) ownRun(steps []lockgraph.Step) (string, int) {
	var names, by []string
	written, referred, several := false, false, false
	n := 0
	for ; n < len(steps) && steps[n].Do == "lock" && t.b.isOwn(t.entry, &steps[n]); n++ {
		s := &steps[n]
		name := t.b.the(s.Class)
		if s.Many {
			name, several = t.b.many(s.Class), true
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if who := taker(t.entry, s); !t.isEntry(who) && !slices.Contains(by, code(who)) {
			by = append(by, code(who))
		}
		if s.Mode == lockgraph.ForKeyShare {
			referred = true
		} else {
			written = true
		}
	}
	how := map[[2]bool]string{{true, false}: "written", {false, true}: "referred to", {true, true}: "written or referred to"}[[2]bool{written, referred}]
	if len(by) > 0 {
		how += " by " + list(by, 3)
	}
	if several && n == 1 && steps[0].Order != "plan" {
		how += ", " + orderText(steps[0].Order)
	}
	return list(names, 0) + " (" + how + ")", n
}

// isFresh reports whether a step holds a row that its statement inserts.
func (t *teller) isFresh(s *lockgraph.Step) bool {
	c := t.b.classes[s.Class]
	return s.Fresh && s.Implicit && s.Mode != lockgraph.ForKeyShare && c != nil && c.Family == lockgraph.Row
}

// freshRun tells consecutive rows that are new in one event: nobody else can
// hold them, and only who inserts an equal key waits.
func (t *teller) freshRun(steps []lockgraph.Step) (string, int) {
	var names []string
	by := t.by(&steps[0])
	n := 0
	for ; n < len(steps) && steps[n].Do == "lock" && t.isFresh(&steps[n]) && t.by(&steps[n]) == by; n++ {
		s := &steps[n]
		name, old := "a new "+strings.TrimPrefix(t.b.the(s.Class), "the "), ", or the one that is there"
		if s.Many {
			name, old = "new "+strings.TrimPrefix(t.b.many(s.Class), "several "), ", or those that are there"
		}
		if n+1 < len(steps) && upserts(s, &steps[n+1]) {
			name += old
			n++
		}
		names = once(names, name)
	}
	text := list(names, 0)
	if by != "" {
		text += " (" + by + ")"
	}
	return text, n
}

// upserts reports whether next is what the statement of an inserted row locks
// where the row is there already (INSERT … ON CONFLICT DO UPDATE).
func upserts(fresh, next *lockgraph.Step) bool {
	return fresh.Do == "lock" && fresh.Fresh && next.Do == "lock" && next.Implicit && !next.Fresh &&
		next.Class == fresh.Class && slices.Equal(next.By, fresh.By)
}

// isEntry reports whether a name, short or full, is the path's own.
func (t *teller) isEntry(name string) bool {
	entry := t.b.fn(t.entry)
	plain := t.b.fn(name)
	return plain == entry || strings.HasSuffix(entry, "."+plain)
}

// told leaves out what tells nothing: a row lock that a statement takes by
// itself on rows that are, or may be, held already, or that the path has
// inserted and only refers to. A choice or a loop that
// holds nothing else goes with it, and a choice alone within one arm of
// another becomes one condition.
func (b *book) told(entry string, steps []lockgraph.Step) []lockgraph.Step {
	var out []lockgraph.Step
	for _, s := range steps {
		switch s.Do {
		case "lock":
			if s.Fresh && s.Mode == lockgraph.ForKeyShare {
				continue
			}
			if s.Again != "no" && s.Again != "" && b.isOwn(entry, &s) && (len(out) == 0 || !upserts(&out[len(out)-1], &s)) {
				continue
			}
		case "tx", "loop":
			had := len(s.Steps) > 0
			s.Steps = b.told(entry, s.Steps)
			if s.Do == "loop" && had && len(s.Steps) == 0 {
				continue
			}
		case "branch":
			var arms []lockgraph.Arm
			some := false
			for _, a := range s.Arms {
				a.Steps = b.told(entry, a.Steps)
				some = some || len(a.Steps) > 0
				arms = append(arms, flat(a))
			}
			if !some {
				continue
			}
			s.Arms = arms
		}
		out = append(out, s)
	}
	return out
}

// flat joins the conditions of an arm and of a choice that is all it holds,
// where that one has a single way to lock.
func flat(a lockgraph.Arm) lockgraph.Arm {
	if len(a.Steps) != 1 || a.Steps[0].Do != "branch" || a.When == "" || when(a.When) == "otherwise" {
		return a
	}
	var only *lockgraph.Arm
	for i := range a.Steps[0].Arms {
		if inner := &a.Steps[0].Arms[i]; len(inner.Steps) > 0 {
			if only != nil {
				return a
			}
			only = inner
		}
	}
	if only == nil || only.When == "" || when(only.When) == "otherwise" || len(a.Steps[0].Arms) < 2 {
		return a
	}
	return lockgraph.Arm{When: both(when(a.When), when(only.When)), Steps: only.Steps}
}

// both joins two conditions; one that says no more is left out.
func both(x, y string) string {
	if x == y || strings.HasSuffix(x, " and "+y) {
		return x
	}
	return x + " and " + y
}
