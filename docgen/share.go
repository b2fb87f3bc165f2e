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
}

// sequences finds what can be referred to, the longest first, by the key of
// its first step.
func (b *book) sequences() map[string][]sequence {
	out := map[string][]sequence{}
	for _, p := range b.m.Paths {
		if len(p.Steps) != 1 || p.Steps[0].Do != "tx" || p.Steps[0].Handle != "caller" {
			continue
		}
		s := sequence{entry: p.Entry}
		eachLock(p.Steps, func(*lockgraph.Step) { s.locks++ })
		for i := range p.Steps[0].Steps {
			s.keys = append(s.keys, b.shareKey(&p.Steps[0].Steps[i]))
		}
		if s.locks >= minShared {
			out[s.keys[0]] = append(out[s.keys[0]], s)
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(x, y sequence) int {
			if x.locks != y.locks {
				return y.locks - x.locks
			}
			return strings.Compare(x.entry, y.entry)
		})
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
	for i := range s.Steps {
		w.WriteString(b.shareKey(&s.Steps[i]))
	}
	for _, a := range s.Arms {
		w.WriteString("|" + a.When)
		for i := range a.Steps {
			w.WriteString(b.shareKey(&a.Steps[i]))
		}
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
	if len(p.Steps) == 1 && p.Steps[0].Handle == "caller" {
		most = 0
		eachLock(p.Steps, func(*lockgraph.Step) { most++ })
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
		if s := b.sharedAt(entry, keys[i:], most); s != nil {
			out = append(out, lockgraph.Step{Do: "see", Entry: s.entry})
			i += len(s.keys)
			continue
		}
		s := steps[i]
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
	for _, s := range b.shared[keys[0]] {
		if s.entry != entry && s.locks < most && len(s.keys) <= len(keys) && slices.Equal(s.keys, keys[:len(s.keys)]) {
			return &s
		}
	}
	return nil
}
