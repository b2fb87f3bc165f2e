package lockdrift

import (
	"fmt"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// undocumented reports locks without their sentence, in a program whose team
// has begun to write them.
func undocumented(c *pass.Collector, v *prog.View) {
	begun := false
	for i := range v.Manifest.Classes {
		begun = begun || v.Manifest.Classes[i].Serializes != ""
	}
	if !begun {
		return
	}
	first(v, func(p place) {
		t := p.node.Take
		if t.Class.Serializes != "" {
			return
		}
		name := t.Class.Display()
		c.Add(p.tr, p.node, pass.Fault{Kind: "undocumented-lock", Names: []string{name}, Related: t.Witness(),
			Message: fmt.Sprintf("nothing says what %s serializes (other locks have their sentence)", name),
			Hint:    `write //pglockdep:lock serializes="…" above the function that takes it`})
	})
}

// unplaced reports locks that the declared order does not place.
func unplaced(c *pass.Collector, v *prog.View) {
	if v.Order == nil || len(v.Order.Names()) == 0 {
		return
	}
	first(v, func(p place) {
		t := p.node.Take
		if _, ok := v.Order.Name(t.Class); ok {
			return
		}
		name := t.Class.Display()
		c.Add(p.tr, p.node, pass.Fault{Kind: "unplaced-lock", Names: []string{name}, Related: t.Witness(),
			Message: fmt.Sprintf("the declared order does not place %s (no order of it is wrong yet)", name),
			Hint:    "add it to order in pglockdep.yaml"})
	})
}

// first calls fn for one acquisition of each class that the code locks
// explicitly: the first by place.
func first(v *prog.View, fn func(place)) {
	at := map[string]place{}
	var order []string
	pass.Takes(v, func(tr *prog.Trace, t *prog.Take) {
		if t.Acq.Implicit || t.Class.Family == lockgraph.Mutex || tr.Entry.Origin != "" {
			return
		}
		old, ok := at[t.Class.ID]
		if !ok {
			order = append(order, t.Class.ID)
		}
		if !ok || before(t.Node.Pos, old.node.Pos) {
			at[t.Class.ID] = place{tr, t.Node}
		}
	})
	for _, id := range order {
		fn(at[id])
	}
}

func before(a, b prog.Pos) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	return a.Line < b.Line
}

func class(v *prog.View, id string) *lockgraph.Class {
	for i := range v.Manifest.Classes {
		if c := &v.Manifest.Classes[i]; c.ID == id {
			return c
		}
	}
	return nil
}

func display(v *prog.View, id string) string {
	if c := class(v, id); c != nil {
		return c.Display()
	}
	return id
}
