package lockorder

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A sequence is one place that locks several rows of a class in an order.
type sequence struct {
	tr      *prog.Trace
	take    *prog.Take
	columns []string
	witness []lockgraph.Frame
}

// sequences reports places that lock rows of one class in an order of their
// own, and loops that are sorted by a part of the key only.
func sequences(c *pass.Collector, v *prog.View) {
	byClass := map[string][]sequence{}
	pass.Takes(v, func(tr *prog.Trace, t *prog.Take) {
		if !pass.Blocks(t) || t.Acq.Fresh || !lockgraph.Conflicts(t.Class.Family, t.Mode, t.Mode) || pass.Gated(t) || len(t.Acq.Via) > 0 {
			return
		}
		columns, rest, by := v.Program.OrderOf(t)
		if len(columns) == 0 {
			return
		}
		s := sequence{tr, t, columns, t.Witness()}
		if by != nil {
			s.witness = pass.Join(by.Witness("loops over "+by.When+", sorted by "+list(columns)), s.witness)
		}
		if len(rest) > 0 && t.Acq.Unique {
			c.Add(tr, t.Node, pass.Fault{Kind: "inconsistent-lock-order", Names: []string{t.Class.Display(), "part of the key"}, Cut: t.Cut, Related: s.witness,
				Message: fmt.Sprintf("%s is taken for each element of %s, sorted by %s but not by %s (elements that agree in the one come in any order: possible deadlock)", t.Class.Display(), by.When, list(columns), list(rest)),
				Hint:    "sort by the whole key: " + list(append(append([]string{}, columns...), rest...))})
		}
		byClass[t.Class.ID] = append(byClass[t.Class.ID], s)
	})
	for _, class := range slices.Sorted(maps.Keys(byClass)) {
		disagree(c, byClass[class])
	}
}

// disagree reports the places whose order is not the one that most places
// have.
func disagree(c *pass.Collector, all []sequence) {
	count := map[string]int{}
	for _, s := range all {
		count[list(s.columns)]++
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := list(all[i].columns), list(all[j].columns)
		if count[a] != count[b] {
			return count[a] > count[b]
		}
		if x, y := strings.Contains(a, " desc"), strings.Contains(b, " desc"); x != y {
			return y
		}
		return a < b
	})
	usual := all[0]
	for _, s := range all[1:] {
		if agree(usual.columns, s.columns) {
			continue
		}
		c.Add(s.tr, s.take.Node, pass.Fault{Kind: "inconsistent-lock-order", Names: []string{s.take.Class.Display(), "order"}, Cut: s.take.Cut,
			Related: append(append([]lockgraph.Frame{}, s.witness...), usual.witness...),
			Message: fmt.Sprintf("rows of %q are locked in the order of %s; %s locks them in the order of %s (possible deadlock)", s.take.Class.Relation, list(s.columns),
				lockgraph.Short(usual.tr.Entry.Key), list(usual.columns)),
			Hint: "lock them in one order everywhere: that of their key"})
	}
}

// agree reports whether one order goes on where the other ends.
func agree(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func list(columns []string) string { return strings.Join(columns, ", ") }
