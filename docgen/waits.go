package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// maxWaits is how many rows the table of waits has before it is cut.
const maxWaits = 40

// waits tells, lock by lock, what a path may hold while it waits for it, and
// what ends the wait: the answer to "who is stuck behind this one".
func (b *book) waits() string {
	held := map[string][]string{}
	for _, e := range b.m.Edges {
		if e.From != e.To && b.classes[e.From] != nil {
			held[e.To] = once(held[e.To], b.labels[e.From])
		}
	}
	var rows []string
	for _, f := range []string{lockgraph.Advisory, lockgraph.Row, lockgraph.Table, lockgraph.Mutex} {
		for _, c := range b.family(f) {
			if len(held[c.ID]) == 0 {
				continue
			}
			slices.Sort(held[c.ID])
			row := []string{b.title(c), list(held[c.ID], 6), b.bound(c.ID)}
			for i := range row {
				row[i] = cell(row[i])
			}
			rows = append(rows, "| "+strings.Join(row, " | ")+" |\n")
		}
	}
	if len(rows) == 0 {
		return ""
	}
	more := ""
	if len(rows) > maxWaits {
		more = "\n" + wrap(sentence(plural(len(rows)-maxWaits, "more lock is", "more locks are")+" waited for while others are held; `pglockdep graph -format html` has them"), "", "")
		rows = rows[:maxWaits]
	}
	return "\n### Waits\n\n" +
		wrap("Who waits for a lock of the first column may hold those of the second meanwhile, and all that want one of these wait too.", "", "") +
		"\n| Waited for | While holding | What ends the wait |\n|---|---|---|\n" + strings.Join(rows, "") + more
}

// bound tells what ends a wait for a class, beside the release of the lock
// and the end of the context.
func (b *book) bound(class string) string {
	if b.ends == nil {
		b.ends = map[string][]string{}
		for _, p := range b.m.Paths {
			b.endWaits(p.Steps, "", false)
		}
	}
	ends := slices.Clone(b.ends[class])
	slices.Sort(ends)
	switch {
	case len(ends) == 0 && slices.ContainsFunc(b.sites[class], func(a *lockgraph.Acquisition) bool { return a.Wait == lockgraph.Wait }):
		return "what the caller's transaction has set"
	case len(ends) == 0:
		return "nobody waits: who does not get it goes on without"
	case ends[0] != "":
		return list(ends, 0)
	case len(ends) == 1:
		return "only the context"
	}
	return list(ends[1:], 0) + "; elsewhere only the context"
}

// endWaits collects for each class what ends the waits for it: a timeout, or
// "". What a path takes in its caller's transaction is told by the caller.
func (b *book) endWaits(steps []lockgraph.Step, timeout string, caller bool) {
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Do == "lock" && !caller && (s.Wait == "" || s.Wait == lockgraph.Wait) && !s.Fresh:
			b.ends[s.Class] = once(b.ends[s.Class], timeout)
		case s.Do == "tx" && s.Handle == "savepoint":
			b.endWaits(s.Steps, timeout, caller)
		case s.Do == "tx":
			bound := ""
			if s.Timeout != "" {
				bound = "`lock_timeout` of " + s.Timeout
			}
			b.endWaits(s.Steps, bound, s.Handle == "caller")
		default:
			b.endWaits(s.Steps, timeout, caller)
		}
		for j := range s.Arms {
			b.endWaits(s.Arms[j].Steps, timeout, caller)
		}
	}
}
