package docgen

import (
	"slices"
	"strconv"
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
	return s.Implicit && !s.Fresh || b.own[s.Class+"\x00"+s.Mode+"\x00"+taker(entry, s)]
}

// ownRun tells consecutive rows that statements lock by themselves in one
// event: which rows, and which statements.
func (t *teller) ownRun(steps []lockgraph.Step) (string, int) {
	var names, by, how []string
	several := false
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
		how = once(how, t.b.does(s))
	}
	text := strings.Join(how, " or ")
	if len(by) > 0 {
		text += " by " + list(by, 3)
	}
	if several && n == 1 && steps[0].Order != "plan" {
		text += ", " + orderText(steps[0].Order)
	}
	return list(names, 0) + " (" + text + ")", n
}

// does says what a statement does that takes a lock by itself.
func (b *book) does(s *lockgraph.Step) string {
	switch s.Mode {
	case lockgraph.ForKeyShare:
		return "referred to"
	case lockgraph.AccessShare, lockgraph.RowShare:
		return "read"
	case lockgraph.RowExclusive:
		return "written"
	}
	if c := b.classes[s.Class]; c != nil && c.Family == lockgraph.Table {
		return code(s.Mode)
	}
	return "written"
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
	return plain == entry || plain == lastWord(t.entry) || strings.HasSuffix(entry, "."+plain)
}

// told leaves out what tells nothing: a row lock that a statement takes by
// itself on rows that are, or may be, held already, or that the path has
// inserted and only refers to. A choice or a loop that
// holds nothing else goes with it, and a choice alone within one arm of
// another becomes one condition. Of several implementations of an interface of
// which one locks, that one is told.
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
			if had && len(s.Steps) == 0 && (s.Do == "loop" || s.Handle == "caller") {
				continue
			}
			if s.Do == "loop" && len(s.Steps) == 1 && bareLoop(&s) && bareLoop(&s.Steps[0]) {
				s = s.Steps[0] // turns of turns
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
			if only := implementation(arms); only != nil {
				out = append(out, only.Steps...)
				continue
			}
			s.Arms = arms
		}
		if b.repeat(out, &s) {
			continue
		}
		out = append(out, s)
	}
	return out
}

// repeated is the What of a loop that stands for steps told several times in a
// row: on other instances, perhaps.
const repeated = "repeated"

// repeat counts a step that does the same as the last one told, and reports
// whether it has.
func (b *book) repeat(out []lockgraph.Step, s *lockgraph.Step) bool {
	if len(out) == 0 || s.Do != "branch" && s.Do != "see" && s.Do != "loop" {
		return false
	}
	last := &out[len(out)-1]
	told := last
	if last.Do == "loop" && last.What == repeated {
		told = &last.Steps[0]
	}
	switch {
	case told.Do == "see" && s.Do == "see" && told.Entry == s.Entry && strings.HasSuffix(s.What, " again") && !strings.Contains(s.What, "perhaps"):
		// nothing that is not held
	case told != last && b.shareKey(told) == b.shareKey(s):
		n, _ := strconv.Atoi(last.Over)
		last.Over = strconv.Itoa(n + 1)
	case b.shareKey(last) == b.shareKey(s):
		*last = lockgraph.Step{Do: "loop", Over: "2", What: repeated, Steps: []lockgraph.Step{*last}}
	default:
		return false
	}
	return true
}

// bareLoop reports a loop of which only the turns are known.
func bareLoop(s *lockgraph.Step) bool {
	return s.Do == "loop" && s.Over == "" && s.Order == "" && s.Each == ""
}

// implementation is the arm of the one implementation of an interface that
// locks, where others lock nothing.
func implementation(arms []lockgraph.Arm) *lockgraph.Arm {
	var only *lockgraph.Arm
	for i := range arms {
		if len(arms[i].Steps) == 0 {
			continue
		}
		if only != nil {
			return nil
		}
		only = &arms[i]
	}
	if only == nil || !strings.HasSuffix(when(only.When), " runs") || strings.Contains(when(only.When), " and ") {
		return nil
	}
	return only
}

// flat joins the conditions of an arm and of a choice that is all it holds,
// where that one has a single way to lock.
func flat(a lockgraph.Arm) lockgraph.Arm {
	if len(a.Steps) != 1 || a.Steps[0].Do != "branch" || when(a.When) == "otherwise" {
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
	if only == nil || len(a.Steps[0].Arms) < 2 {
		return a
	}
	if a.When == "" && only.When == "" {
		return lockgraph.Arm{Steps: only.Steps}
	}
	if a.When == "" || only.When == "" || when(only.When) == "otherwise" {
		return a
	}
	return lockgraph.Arm{When: both(when(a.When), when(only.When)), Steps: only.Steps}
}

// success is the condition that the call before has not failed.
const success = "`err == nil`"

// both joins two conditions; one that says no more is left out, as is that
// nothing has failed.
func both(x, y string) string {
	switch {
	case x == y || y == success || strings.HasSuffix(x, " and "+y):
		return x
	case x == success:
		return y
	}
	return x + " and " + y
}
