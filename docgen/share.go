package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// minShared is how many locks a path must take to be worth a reference.
const minShared = 4

// A sequence is what a function takes inside its caller's transaction. Where
// another path takes the very same, the page refers to the function.
type sequence struct {
	entry string
	keys  []string
	locks int
	size  int // of all keys
}

// sequences finds what can be referred to, the longest first, by the key of
// its first step.
func (b *book) sequences() map[string][]sequence {
	out := map[string][]sequence{}
	for _, p := range b.m.Paths {
		if !allInCaller(p.Steps) {
			continue
		}
		s := sequence{entry: p.Entry}
		eachLock(p.Steps, func(*lockgraph.Step) { s.locks++ })
		s.keys = b.shareKeys(p.Steps)
		s.size = len(strings.Join(s.keys, ""))
		if s.locks >= minShared || s.locks >= 2 && len(p.Steps) == 1 && p.Steps[0].Do != "tx" {
			out[s.keys[0]] = append(out[s.keys[0]], s)
		}
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

// allInCaller reports whether all that steps lock belongs to the caller's
// transaction.
func allInCaller(steps []lockgraph.Step) bool {
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Do == "tx" && s.Handle == "caller":
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

// share puts references in the place of what another path tells. A path
// that can be referred to itself refers to shorter ones only, so that no two
// refer to each other.
func (b *book) share(p *lockgraph.Path) []lockgraph.Step {
	if b.shared == nil {
		b.shared = b.sequences()
	}
	most := 1 << 30
	if allInCaller(p.Steps) {
		most = len(strings.Join(b.shareKeys(p.Steps), ""))
	}
	return b.shareSteps(p.Entry, p.Steps, most)
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
			see := lockgraph.Step{Do: "see", Entry: found.entry}
			if len(out) == 0 || out[len(out)-1].Do != "see" || out[len(out)-1].Entry != see.Entry {
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

func (b *book) sharedAt(entry string, keys []string, most int) *sequence {
	if len(keys) == 0 {
		return nil
	}
	for _, s := range b.shared[keys[0]] {
		if s.entry != entry && s.size < most && len(s.keys) <= len(keys) && slices.Equal(s.keys, keys[:len(s.keys)]) {
			return &s
		}
	}
	return nil
}
