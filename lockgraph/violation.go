package lockgraph

import (
	"fmt"
	"strings"
)

// Violations returns the edges against the declared order, one finding for
// each pair of classes.
func (g *Graph) Violations(o *Order) []Finding {
	type pair struct{ from, to string }
	type group struct {
		why     string
		best    int
		entries map[string]bool
	}
	var order []pair
	groups := map[pair]*group{}
	for i := range g.Edges {
		k := pair{g.Edges[i].From, g.Edges[i].To}
		v := groups[k]
		if v == nil {
			v = &group{why: g.against(o, k.from, k.to), best: i, entries: map[string]bool{}}
			groups[k] = v
			order = append(order, k)
		}
		for t := range g.info[i].entries {
			v.entries[t] = true
		}
		if cut(g.info[i]) == "" && cut(g.info[v.best]) != "" {
			v.best = i
		}
	}
	out := []Finding{}
	for _, k := range order {
		if v := groups[k]; v.why != "" {
			out = append(out, g.violation(v.best, v.why, len(v.entries)-1))
		}
	}
	SortFindings(out)
	return out
}

func cut(e *edgeInfo) string { return e.sides[0].cut }

func (g *Graph) against(o *Order, from, to string) string {
	a, b := g.names.classes[from], g.names.classes[to]
	if a == nil || b == nil || from == to {
		return ""
	}
	held, ok := o.Name(a)
	wanted, also := o.Name(b)
	switch {
	case !ok || !also:
		return ""
	case o.Less(wanted, held):
		return ", against the declared order " + strings.Join(o.Chain(wanted, held), " < ")
	}
	if _, denied := o.Denied(held, wanted); denied {
		return fmt.Sprintf(", though %s !< %s is declared", held, wanted)
	}
	return ""
}

func (g *Graph) violation(edge int, why string, more int) Finding {
	s := g.info[edge].sides[0]
	held, want := s.holds(), s.want
	here := ""
	if more > 0 {
		here = ", here and in " + paths(more, "more ")
	}
	w := Witness(held, want)
	at := place(w)
	f := Finding{Check: "lockorder", Kind: "order-violation", Severity: SeverityError, Cut: s.cut,
		File: at.File, Line: at.Line, Func: at.Func, Related: w,
		Message: fmt.Sprintf("%s acquired while holding %s%s%s", g.inMode(want), g.inMode(held), here, why),
		Hint:    fmt.Sprintf("take %s before %s in %s", g.names.display(want.Class), g.names.display(held.Class), Short(s.trace)),
	}
	f.Fingerprint = f.Kind + "/" + g.names.slug(held.Class) + "/" + g.names.slug(want.Class)
	if s.cut != "" {
		f.Severity = SeverityWarning
	}
	if f.Func == "" {
		f.Func = s.trace
	}
	return f
}
