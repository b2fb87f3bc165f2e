package lockorder

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

//go:embed doc.md
var doc string

// Check is the check.
var Check = &pass.Check{Name: "lockorder", Doc: doc, Kinds: []string{"lock-order-cycle", "inconsistent-lock-order", "mixed-lock-order",
	"fk-cascade-cycle", "trigger-lock", "fk-lock-strength"}, Run: run}

// Analyzer is the check as a go/analysis Analyzer.
var Analyzer = Check.Analyzer()

func run(v *prog.View) []lockgraph.Finding {
	out := v.Graph.Findings()
	c := pass.Collect("lockorder", v)
	selves(c, v)
	sequences(c, v)
	triggers(c, v)
	strength(c, v)
	out = append(out, c.Findings()...)
	lockgraph.SortFindings(out)
	return out
}

// selves reports two statements that take two instances of one class in the
// order their arguments come in.
func selves(c *pass.Collector, v *prog.View) {
	classes := map[string]*lockgraph.Class{}
	pass.Takes(v, func(_ *prog.Trace, t *prog.Take) { classes[t.Class.ID] = t.Class })
	for _, p := range v.Graph.SelfPairs() {
		cl := classes[p.Class]
		if cl == nil {
			continue
		}
		a, b := p.First, p.Second
		if unnamed(cl, a.Want) && place(a.Held.Frames) != place(a.Want.Frames) {
			continue // two keys of which nothing says that they are of one kind
		}
		at := place(a.Witness)
		f := pass.Fault{Kind: "inconsistent-lock-order", Names: []string{cl.Display()}, Cut: a.Want.Cut, File: at.File, Line: at.Line, Related: a.Witness,
			Hint: fmt.Sprintf("lock both with one statement that orders them by key, or sort the keys first")}
		if p.Verdict != lockgraph.Supported {
			f.Severity = lockgraph.SeverityNote
		}
		who := lockgraph.Short(b.Trace)
		if a.Trace == b.Trace {
			f.Message = fmt.Sprintf("%s acquired while holding another %s, in the order of the arguments (another call can take them the other way: possible deadlock)", cl.Display(), cl.Display())
		} else {
			f.Message = fmt.Sprintf("%s acquired while holding another %s; %s can take the two in the opposite order (possible deadlock)", cl.Display(), cl.Display(), who)
			f.Related = append(append([]lockgraph.Frame{}, a.Witness...), b.Witness...)
		}
		c.Add(&prog.Trace{}, &prog.Node{Fn: &prog.Func{Key: at.Func}, Pos: prog.Pos{File: at.File, Line: at.Line}}, f)
	}
}

// unnamed reports an advisory class of which nothing is known but the
// function that builds the key: its values come from no field.
func unnamed(c *lockgraph.Class, want lockgraph.Take) bool {
	if c.Family != lockgraph.Advisory || c.Key == nil || c.Key.Derivation != "plain" && c.Key.Derivation != "unknown" {
		return false
	}
	for _, l := range want.Inst.Leaves {
		if strings.HasPrefix(l, "field ") {
			return false
		}
	}
	return true
}

// place is the last frame in a Go file.
func place(frames []lockgraph.Frame) lockgraph.Frame {
	return frames[len(frames)-1]
}

// triggers reports a trigger that locks several rows in no fixed order: who
// reads the statement that fires it sees none of them.
func triggers(c *pass.Collector, v *prog.View) {
	pass.Takes(v, func(tr *prog.Trace, t *prog.Take) {
		a := t.Acq
		if t.Class.Family != lockgraph.Row || !a.Many || a.Order != "" && a.Order != "plan" || !pass.Blocks(t) || a.Fresh ||
			!lockgraph.Conflicts(lockgraph.Row, t.Mode, t.Mode) || len(a.SQLFunc) == 0 || pass.Gated(t) {
			return
		}
		name := trigger(a.Via)
		if name == "" {
			return
		}
		c.Add(tr, t.Node, pass.Fault{Kind: "trigger-lock", Names: []string{t.Class.Display(), name}, Cut: t.Cut, Related: t.Witness(),
			Message: fmt.Sprintf("this statement fires trigger %s, which locks several rows of %q in no fixed order (possible deadlock that the statement does not show)", name, t.Class.Relation),
			Hint:    "order the rows in the trigger's function: ORDER BY the key in the query that feeds the write"})
	})
}

// trigger returns the trigger that a lock comes from.
func trigger(via []string) string {
	for _, s := range via {
		if len(s) > 8 && s[:8] == "trigger " {
			return s[8:]
		}
	}
	return ""
}
