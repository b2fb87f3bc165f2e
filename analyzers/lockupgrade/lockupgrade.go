package lockupgrade

import (
	_ "embed"
	"fmt"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

//go:embed doc.md
var doc string

// Check is the check.
var Check = &pass.Check{Name: "lockupgrade", Doc: doc, Kinds: []string{"lock-upgrade"}, Run: run}

// Analyzer is the check as a go/analysis Analyzer.
var Analyzer = Check.Analyzer()

func run(v *prog.View) []lockgraph.Finding {
	c := pass.Collect("lockupgrade", v)
	pass.Takes(v, func(tr *prog.Trace, t *prog.Take) {
		h := raised(t)
		if h == nil || pass.Gated(t) {
			return
		}
		what := t.Class.Display()
		if t.Class.Family == lockgraph.Table {
			what = fmt.Sprintf("lock on relation %q", t.Class.Relation)
		}
		via := ""
		if h.Acq.FKFrom != "" {
			via = fmt.Sprintf(", taken by the foreign key of %q,", h.Acq.FKFrom)
		}
		cut := t.Cut
		if cut == "" && h.Node.Statement() != t.Node.Statement() && prog.Assumed(h.Conn) {
			cut = lockgraph.CutHandle
		}
		c.Add(tr, t.Node, pass.Fault{Kind: "lock-upgrade", Names: []string{t.Class.Display()}, Cut: cut, Related: pass.Join(h.Witness(), t.Witness()),
			Message: fmt.Sprintf("%s raised from %s%s to %s in one transaction (two that hold the first together wait for each other: deadlock)", what, h.Mode, via, t.Mode),
			Hint:    fmt.Sprintf("take it in the mode finally needed, %s, from the start", t.Mode)})
	})
	return c.Findings()
}

// raised returns the weaker lock that the session holds, in some state, on
// the instance that t wants, when two sessions can hold it together and each
// then waits for the other.
func raised(t *prog.Take) *prog.Take {
	if !pass.Blocks(t) || t.Class.Family == lockgraph.Mutex {
		return nil
	}
	for _, held := range t.Node.Held {
		var weak *prog.Take
		safe := false
		for _, h := range held {
			if h.Class.ID != t.Class.ID || h.Conn.Root() != t.Conn.Root() || h.Scope == lockgraph.Statement && h.Node.Statement() != t.Node.Statement() {
				continue
			}
			if h.Acq.Fresh && h.Class.Family == lockgraph.Row && prog.SameInstance(h, t) {
				safe = true // nobody else sees the row yet
			}
			if lockgraph.Conflicts(t.Class.Family, h.Mode, h.Mode) {
				if prog.SameInstance(h, t) || h.Class.Family == lockgraph.Table {
					safe = true // only one session gets this far
				}
				continue
			}
			if t.Class.Family == lockgraph.Table && t.Acq.Implicit && h.Acq.Implicit {
				continue
			}
			if weak == nil && prog.SameInstance(h, t) && lockgraph.Conflicts(t.Class.Family, h.Mode, t.Mode) && asked(h) {
				weak = h
			}
		}
		if weak != nil && !safe {
			return weak
		}
	}
	return nil
}

// asked leaves out the table locks that reading and writing take: raising
// those is what every migration does.
func asked(h *prog.Take) bool {
	return h.Class.Family != lockgraph.Table || h.Mode != lockgraph.AccessShare
}
