package lockorder

import (
	"fmt"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// strength reports FOR UPDATE on rows to which foreign keys refer where FOR
// NO KEY UPDATE would do: the foreign key check of an insert takes FOR KEY
// SHARE on the parent, which waits for the one and not for the other (manual
// of version 16, section 13.3.2). A transaction that deletes rows of the
// class, or changes their key, needs FOR UPDATE.
func strength(c *pass.Collector, v *prog.View) {
	if v.Modular {
		return // who inserts children, and who needs the strength, shows in the whole program
	}
	checks := childInserts(v)
	cyclic := inCycles(v)
	for _, tr := range v.Traces {
		needs := map[string]bool{}
		pass.Takes(&prog.View{Traces: []*prog.Trace{tr}}, func(_ *prog.Trace, t *prog.Take) {
			if t.Class.Family == lockgraph.Row && t.Acq.Implicit && t.Mode == lockgraph.ForUpdate {
				needs[t.Class.ID] = true
			}
		})
		pass.Takes(&prog.View{Traces: []*prog.Trace{tr}}, func(tr *prog.Trace, t *prog.Take) {
			child, ok := checks[t.Class.ID]
			if !ok || t.Acq.Implicit || t.Mode != lockgraph.ForUpdate || needs[t.Class.ID] || t.Scope == lockgraph.Statement || len(t.Acq.SQLFunc) > 0 {
				return
			}
			f := pass.Fault{Kind: "fk-lock-strength", Names: []string{t.Class.Display()}, Cut: t.Cut, Related: append(t.Witness(), child.Witness()...),
				Message: fmt.Sprintf("%s is locked FOR UPDATE though no key of it changes; %s, which writes %q with a reference to it, waits (FOR NO KEY UPDATE would let it pass)",
					t.Class.Display(), lockgraph.Short(child.Node.Fn.Key), child.Acq.FKFrom),
				Hint: "lock FOR NO KEY UPDATE where the row is neither deleted nor given another key"}
			if !cyclic[t.Class.ID] {
				f.Severity = lockgraph.SeverityNote
			}
			c.Add(tr, t.Node, f)
		})
	}
}

// childInserts returns, for each class of rows, one of the foreign key
// checks that lock them, the first by place. A check of a row that the
// transaction has locked before, or inserted itself, waits for nobody.
func childInserts(v *prog.View) map[string]*prog.Take {
	out := map[string]*prog.Take{}
	pass.Takes(v, func(tr *prog.Trace, t *prog.Take) {
		if t.Class.Family != lockgraph.Row || t.Acq.FKFrom == "" || t.Mode != lockgraph.ForKeyShare || !writesChild(t) {
			return
		}
		if t.Again == "same" || t.Acq.Fresh || tr.PerhapsOwn(t) {
			return
		}
		old := out[t.Class.ID]
		if old == nil || earlier(t.Node.Pos, old.Node.Pos) {
			out[t.Class.ID] = t
		}
	})
	return out
}

// writesChild reports whether the statement itself writes the reference: a
// referential action of a delete is not what FOR UPDATE holds up.
func writesChild(t *prog.Take) bool {
	s := t.Node.Statement()
	if s == nil {
		return false
	}
	text := strings.ToUpper(s.SQL)
	return strings.Contains(text, "INSERT") || strings.Contains(text, "UPDATE") || strings.Contains(text, "MERGE") || strings.HasPrefix(text, "COPY") || len(t.Acq.SQLFunc) > 0
}

func earlier(a, b prog.Pos) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	return a.Line < b.Line
}

// inCycles returns the classes on cycles that can block where a foreign key's
// check waits for FOR UPDATE, or the other way around: those that a weaker lock
// would break.
func inCycles(v *prog.View) map[string]bool {
	out := map[string]bool{}
	for _, c := range v.Graph.Cycles {
		if c.Verdict != lockgraph.Supported {
			continue
		}
		for i, at := range c.Edges {
			e, next := v.Graph.Edges[at], v.Graph.Edges[c.Edges[(i+1)%len(c.Edges)]]
			if e.Wanted == lockgraph.ForKeyShare && next.Held == lockgraph.ForUpdate || e.Wanted == lockgraph.ForUpdate && next.Held == lockgraph.ForKeyShare {
				out[e.To] = true
			}
		}
	}
	return out
}
