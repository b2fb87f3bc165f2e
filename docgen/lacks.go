package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// explicit returns the classes that steps lock on purpose, also by what they
// refer to, and those that statements lock by themselves.
func (b *book) explicit(entry string, steps []lockgraph.Step) (on, by map[string]bool) {
	on, by = map[string]bool{}, map[string]bool{}
	var note func(entry string, steps []lockgraph.Step)
	note = func(entry string, steps []lockgraph.Step) {
		eachStep(steps, func(s *lockgraph.Step) {
			switch {
			case s.Do == "see":
				if there := b.defined(s.Entry); there != nil {
					note(s.Entry, there)
				}
			case s.Do != "lock" || s.Fresh:
			case b.isOwn(entry, s):
				by[s.Class] = true
			default:
				on[s.Class] = true
			}
		})
	}
	note(entry, steps)
	return on, by
}

// defined is what the function that a step refers to takes.
func (b *book) defined(entry string) []lockgraph.Step {
	for _, list := range b.shared {
		for _, s := range list {
			if s.entry == entry {
				return s.steps
			}
		}
	}
	return nil
}

// lacks tells which locks steps do not take though others beside them do:
// classes of wanted, in the order of their names.
func (b *book) lacks(entry string, steps []lockgraph.Step, wanted []string) []string {
	on, by := b.explicit(entry, steps)
	var out []string
	for _, c := range wanted {
		switch name := strings.TrimPrefix(b.the(c), "the "); {
		case on[c]:
		case by[c]:
			out = append(out, name+", except by the statements themselves")
		default:
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// usual returns the classes that at least half of a group's paths, and two of
// them, lock on purpose.
func (b *book) usual(paths []*told) []string {
	n := map[string]int{}
	for _, p := range paths {
		on, _ := b.explicit(p.entry, p.steps)
		for c := range on {
			n[c]++
		}
	}
	return slices.DeleteFunc(sortedKeys(n), func(c string) bool { return n[c] < 2 || 2*n[c] < len(paths) })
}

// without adds to the bullet of a path, or of an arm, what it does not take.
func without(text, pad string, lacks []string) string {
	if len(lacks) == 0 {
		return text
	}
	say := "no " + strings.Join(lacks, ", and no ")
	if strings.Contains(text, "\n"+pad+"  - ") {
		return text + wrap(upperFirst(say)+".", pad+"  - ", pad+"    ")
	}
	line := strings.TrimPrefix(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n"+pad+"  ", " "), pad+"- ")
	return wrap(strings.TrimSuffix(line, ".")+"; "+say+".", pad+"- ", pad+"  ")
}

// armLacks tells, for each arm of a choice between at least three, what all
// others take on purpose and it does not.
func (t *teller) armLacks(arms []lockgraph.Arm) [][]string {
	out := make([][]string, len(arms))
	if len(arms) < 3 {
		return out
	}
	n := map[string]int{}
	for _, a := range arms {
		on, _ := t.b.explicit(t.entry, a.Steps)
		for c := range on {
			n[c]++
		}
	}
	wanted := slices.DeleteFunc(sortedKeys(n), func(c string) bool { return n[c] != len(arms)-1 })
	for i, a := range arms {
		out[i] = t.b.lacks(t.entry, a.Steps, wanted)
	}
	return out
}
