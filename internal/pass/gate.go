package pass

import (
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Gated reports whether every held set before t holds a lock of which there
// is one instance, in a mode that keeps out others who hold it too: the
// sessions that take it cannot meet after it. Loops that the gate itself
// lies in do not matter, for it is the same lock each turn.
func Gated(t *prog.Take) bool {
	return underOne(t, func(g *prog.Take) bool { return single(g, t) }) != nil
}

// Led returns a lock under which t is always taken and that is the same one
// in every run of one program, as it is configured: of the sessions that take
// it, one gets there at a time. It is nil where there is none.
func Led(t *prog.Take) *prog.Take {
	return underOne(t, func(g *prog.Take) bool {
		return (g.Class.Family == lockgraph.Advisory || g.Class.Family == lockgraph.Row && g.Acq.Unique && !g.Acq.Many) && !g.Acq.Fresh && prog.OfProgram(g)
	})
}

// underOne returns a lock of another class that meets a condition, held in a
// mode that keeps out its like, where every held set before t has one.
func underOne(t *prog.Take, is func(g *prog.Take) bool) *prog.Take {
	var gate *prog.Take
	for _, held := range t.Node.Held {
		gate = nil
		for _, g := range held {
			if gate == nil && g.Class.ID != t.Class.ID && g.Scope != lockgraph.Statement && lockgraph.Conflicts(g.Class.Family, g.Mode, g.Mode) && is(g) {
				gate = g
			}
		}
		if gate == nil {
			return nil
		}
	}
	return gate
}

// single reports whether g is a lock that every other session on the same
// way must hold alone.
func single(g, t *prog.Take) bool {
	switch g.Class.Family {
	case lockgraph.Table:
		return !g.Acq.Implicit && (g.Class.Relation == t.Class.Relation || lockgraph.Conflicts(lockgraph.Table, g.Mode, lockgraph.RowExclusive))
	case lockgraph.Advisory:
		return g.Class.Key != nil && g.Class.Key.Constant != ""
	case lockgraph.Row:
		return g.Acq.Unique && !g.Acq.Many && !g.Acq.Fresh && constantRow(g.Inst)
	}
	return false
}

// constantRow reports whether an instance names its row by constants.
func constantRow(inst *prog.Val) bool {
	if inst == nil || len(inst.Of) == 0 {
		return false
	}
	for _, eq := range inst.Of {
		if eq.Kind != prog.VEq || prog.Bare(eq.Of[1]).Kind != prog.VConst {
			return false
		}
	}
	return true
}
