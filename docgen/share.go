package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// minShared is how many locks a path must take to be worth a reference.
const minShared = 4

// A sequence is what a function takes, in Go or in SQL. Where another path
// takes the very same, the page refers to the function.
type sequence struct {
	entry string
	steps []lockgraph.Step
	keys  []string
	locks int
	size  int      // of all keys
	from  []string // the functions that lead to it, and to which it does not lead
}

func (b *book) sequence(entry string, steps []lockgraph.Step) sequence {
	s := sequence{entry: entry, steps: steps, keys: b.shareKeys(steps)}
	eachLock(steps, func(*lockgraph.Step) { s.locks++ })
	s.size = len(strings.Join(s.keys, ""))
	return s
}

// sequences finds what can be referred to, the longest first, by the key of
// its first step.
func (b *book) sequences() map[string][]sequence {
	out := map[string][]sequence{}
	at := map[string]int{}
	for i, p := range b.m.Paths {
		at[p.Entry] = i
	}
	for i, p := range b.m.Paths {
		if b.within(i) {
			continue
		}
		s := b.sequence(p.Entry, b.trees[i])
		for _, by := range p.ReachedBy {
			if j, ok := at[by]; ok && !slices.Contains(b.m.Paths[j].ReachedBy, p.Entry) {
				s.from = append(s.from, by)
			}
		}
		if s.locks >= minShared || s.locks >= 2 && len(p.Steps) == 1 && p.Steps[0].Do != "tx" {
			out[s.keys[0]] = append(out[s.keys[0]], s)
		}
	}
	for _, r := range b.routines {
		s := b.sequence(r.Entry, r.Steps)
		out[s.keys[0]] = append(out[s.keys[0]], s)
	}
	for _, list := range out {
		slices.SortFunc(list, func(x, y sequence) int {
			if x.size != y.size {
				return y.size - x.size
			}
			return strings.Compare(x.entry, y.entry)
		})
	}
	return out
}

// allInCaller reports whether steps begin no transaction of their own,
// unless the caller has none.
func allInCaller(steps []lockgraph.Step) bool {
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Do == "tx" && (s.Handle == "caller" || s.Handle == eitherTx):
		case s.Do == "tx", s.Do == "lock", !allInCaller(s.Steps):
			return false
		}
		for j := range s.Arms {
			if !allInCaller(s.Arms[j].Steps) {
				return false
			}
		}
	}
	return true
}

// shareKeys are the keys of steps; those in the caller's transaction stand
// for themselves, since the caller tells it.
func (b *book) shareKeys(steps []lockgraph.Step) []string {
	var out []string
	for i := range steps {
		if s := &steps[i]; s.Do == "tx" && s.Handle == "caller" {
			out = append(out, b.shareKeys(s.Steps)...)
		} else {
			out = append(out, b.shareKey(s))
		}
	}
	return out
}

// shareKey tells steps apart by what they lock, where and in which order;
// the way that led there, and what was held already, is the caller's.
func (b *book) shareKey(s *lockgraph.Step) string {
	var w strings.Builder
	for _, x := range []string{s.Do, s.Class, s.Mode, s.Wait, s.Order, s.Kind, s.Handle, s.Over, s.Entry, s.What} {
		w.WriteString(x + "\x00")
	}
	if s.Many {
		w.WriteByte('*')
	}
	// A Go function that runs the statement itself is told by some paths and
	// left out where it is the entry; queries and SQL functions always are.
	if n := len(s.By); n > 0 && (b.sqlfunc[s.By[n-1]] || b.queries[s.By[n-1]]) {
		w.WriteString(s.By[n-1])
	}
	w.WriteByte('{')
	w.WriteString(strings.Join(b.shareKeys(s.Steps), ""))
	for _, a := range s.Arms {
		w.WriteString("|" + a.When + strings.Join(b.shareKeys(a.Steps), ""))
	}
	return w.String() + "}"
}

// share puts references in the place of what another path or an SQL function
// tells. A path refers to shorter ones, and to an equal one that it leads to,
// so that no two refer to each other.
func (b *book) share(entry string, steps []lockgraph.Step) []lockgraph.Step {
	if b.shared == nil {
		b.shared = b.sequences()
	}
	return b.shareSteps(entry, steps, len(strings.Join(b.shareKeys(steps), "")))
}

func (b *book) shareSteps(entry string, steps []lockgraph.Step, most int) []lockgraph.Step {
	keys := make([]string, len(steps))
	for i := range steps {
		keys[i] = b.shareKey(&steps[i])
	}
	var out []lockgraph.Step
	for i := 0; i < len(steps); {
		s := steps[i]
		n, found := 1, (*sequence)(nil)
		if s.Do == "tx" && s.Handle == "caller" {
			if found = b.sharedAt(entry, b.shareKeys(s.Steps), most); found != nil && len(found.keys) < len(b.shareKeys(s.Steps)) {
				found = nil
			}
		} else if found = b.sharedAt(entry, keys[i:], most); found != nil {
			n = len(found.keys)
		}
		if found != nil {
			see := lockgraph.Step{Do: "see", Entry: found.entry, What: b.heldHere(entry, steps[i:i+n], found)}
			if len(b.told(entry, steps[i:i+n])) > 0 { // else it holds all of that, or may
				out = append(out, see)
			}
			i += n
			continue
		}
		s.Steps = b.shareSteps(entry, s.Steps, most)
		s.Arms = slices.Clone(s.Arms)
		for j := range s.Arms {
			s.Arms[j].Steps = b.shareSteps(entry, s.Arms[j].Steps, most)
		}
		out = append(out, s)
		i++
	}
	return out
}

// ownTransactions counts the transactions that steps begin.
func ownTransactions(steps []lockgraph.Step) int {
	n := 0
	eachStep(steps, func(s *lockgraph.Step) {
		if s.Do == "tx" && !slices.Contains([]string{"caller", "savepoint", eitherTx, lockgraph.HandleConn}, s.Handle) {
			n++
		}
	})
	return n
}

// heldHere tells where what is told elsewhere differs here: its transactions
// are not this one, or a lock of it is held already.
func (b *book) heldHere(entry string, steps []lockgraph.Step, there *sequence) string {
	if n := ownTransactions(there.steps); n == 1 {
		return "in a transaction of its own"
	} else if n > 1 {
		return "in transactions of its own"
	}
	first := func(entry string, steps []lockgraph.Step) (order []string, again map[string]string) {
		again = map[string]string{}
		eachLock(steps, func(s *lockgraph.Step) {
			if _, seen := again[s.Class]; !seen && !s.Fresh && !b.isOwn(entry, s) {
				again[s.Class] = s.Again
				order = append(order, s.Class)
			}
		})
		return order, again
	}
	order, here := first(entry, steps)
	_, told := first(there.entry, there.steps)
	var held, perhaps []string
	for _, c := range order {
		switch {
		case here[c] == told[c]:
		case here[c] == "same":
			held = append(held, b.the(c))
		case here[c] == "maybe":
			perhaps = append(perhaps, b.the(c))
		}
	}
	var out []string
	if len(held) > 0 {
		out = append(out, list(held, 3)+" again")
	}
	if len(perhaps) > 0 {
		out = append(out, list(perhaps, 3)+" perhaps again")
	}
	return strings.Join(out, ", ")
}

func (b *book) sharedAt(entry string, keys []string, most int) *sequence {
	if len(keys) == 0 {
		return nil
	}
	for _, s := range b.shared[keys[0]] {
		if s.entry != entry && (s.size < most || s.size == most && slices.Contains(s.from, entry)) && len(s.keys) <= len(keys) && slices.Equal(s.keys, keys[:len(s.keys)]) {
			return &s
		}
	}
	return nil
}
