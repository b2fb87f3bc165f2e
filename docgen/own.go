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

// isEntry reports whether a name, short or full, is the path's own.
func (t *teller) isEntry(name string) bool {
	entry := t.b.fn(t.entry)
	plain := t.b.fn(name)
	return plain == entry || strings.HasSuffix(entry, "."+plain)
}
