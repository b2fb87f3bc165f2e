package lockdrift

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
var Check = &pass.Check{Name: "lockdrift", Doc: doc, Kinds: []string{"unlocked-write", "divergent-path", "undocumented-lock", "stale-name",
	"unplaced-lock"}, Run: run}

// Analyzer is the check as a go/analysis Analyzer.
var Analyzer = Check.Analyzer()

// manySupporters is how many paths must keep a rule for one that breaks it
// to be worth a warning.
const manySupporters = 8

func run(v *prog.View) []lockgraph.Finding {
	if v.Modular {
		return nil
	}
	c := pass.Collect("lockdrift", v)
	rules := map[string]*lockgraph.Rule{}
	for i := range v.Manifest.Rules {
		rules[v.Manifest.Rules[i].ID] = &v.Manifest.Rules[i]
	}
	told := writes(c, v)
	for i := range v.Manifest.Differences {
		d := &v.Manifest.Differences[i]
		if r := rules[d.Rule]; r != nil {
			broken(c, v, d, r, told)
		}
	}
	undocumented(c, v)
	unplaced(c, v)
	return c.Findings()
}

// broken reports each path that breaks a rule, once, at its own call that
// leads to the place: what other paths share is not where it differs.
func broken(c *pass.Collector, v *prog.View, d *lockgraph.Difference, r *lockgraph.Rule, writes map[prog.Pos]bool) {
	if r.Declared || r.Form == lockgraph.FormBefore && inCycle(v, r.A, r.B) || r.Form == lockgraph.FormWriteUnder {
		return // told as a violation of the order, as a cycle, by writes
	}
	f := pass.Fault{Kind: "divergent-path", Names: []string{r.ID}}
	if len(d.Funcs) == 1 && r.Support >= manySupporters {
		f.Severity = lockgraph.SeverityWarning
	}
	breaks := map[string]bool{}
	for _, fn := range d.Funcs {
		breaks[fn] = true
	}
	shared := map[string]bool{}
	var found []place
	for _, tr := range v.Traces {
		tr.Each(func(n *prog.Node) {
			switch about(r, n) {
			case keeps:
				for _, s := range sites(n) {
					shared[s.fn.Key] = true
				}
			case breaksIt:
				if by(n, tr, breaks) {
					found = append(found, place{tr, n})
				}
			}
		}, prog.OpAcquire)
	}
	told := map[string]bool{}
	for _, p := range found {
		if !told[p.tr.Entry.Key] {
			told[p.tr.Entry.Key] = true
			if own := differs(p.node, shared); !writes[own.pos] {
				report(c, v, p, own, r, f)
			}
		}
	}
}

// A place is a node with the trace that shows it.
type place struct {
	tr   *prog.Trace
	node *prog.Node
}

// by reports whether one of the functions is on the way to n.
func by(n *prog.Node, tr *prog.Trace, funcs map[string]bool) bool {
	if funcs[tr.Entry.Key] {
		return true
	}
	for _, s := range sites(n) {
		if funcs[s.fn.Key] {
			return true
		}
	}
	return false
}

func report(c *pass.Collector, v *prog.View, p place, own site, r *lockgraph.Rule, f pass.Fault) {
	a, b, class := display(v, r.A), display(v, r.B), p.node.Take.Class.Display()
	who := lockgraph.Short(p.tr.Entry.Key)
	rest := fmt.Sprintf("%d of %d paths", r.Support, r.Of)
	does := "acquires " + class
	f.Hint = fmt.Sprintf("take %s first, as the other paths do", a)
	switch r.Form {
	case lockgraph.FormOnlyWhileHolding:
		f.Message = fmt.Sprintf("%s takes %s without holding %s (%s hold it)", who, b, a, rest)
	case lockgraph.FormBefore:
		f.Message = fmt.Sprintf("%s takes %s before %s (%s take %s first)", who, b, a, rest, a)
	case lockgraph.FormFirst:
		f.Message = fmt.Sprintf("%s does not take %s first in a transaction of kind %s (%s do)", who, a, r.Kind, rest)
	case lockgraph.FormOrder:
		f.Message = fmt.Sprintf("%s takes several locks %s in another order than by %s (%s take them so)", who, a, r.B, rest)
		f.Hint = "sort them as the other paths do"
	case lockgraph.FormScope:
		f.Message = fmt.Sprintf("%s has %s scope (%d of %d %s locks have %s scope)", class, p.node.Take.Scope, r.Support, r.Of, r.A, r.B)
		f.Hint = "use the function of that scope here too"
	default:
		return
	}
	f.Related = p.node.Witness(does)
	c.Add(p.tr, &prog.Node{Fn: own.fn, Pos: own.pos}, f)
}

// differs returns the last call on the way to n that no path which keeps the
// rule makes: there the paths part.
func differs(n *prog.Node, shared map[string]bool) site {
	at := sites(n)
	own := at[0]
	for _, x := range at {
		if !shared[x.fn.Key] {
			own = x
		}
	}
	return own
}

// A verdict is what a node says about a rule.
type verdict int

const (
	silent verdict = iota
	keeps
	breaksIt
)

func about(r *lockgraph.Rule, n *prog.Node) verdict {
	t := n.Take
	if n.Kind != prog.OpAcquire || t == nil {
		return silent
	}
	is := func(ok bool) verdict {
		if ok {
			return keeps
		}
		return breaksIt
	}
	switch r.Form {
	case lockgraph.FormOnlyWhileHolding:
		if t.Class.ID == r.B && t.Mode != lockgraph.ForKeyShare && !t.Acq.Fresh {
			return is(held(n, r.A))
		}
	case lockgraph.FormBefore:
		switch {
		case t.Class.ID == r.A && mayHold(n, r.B):
			return breaksIt
		case t.Class.ID == r.B && held(n, r.A):
			return keeps
		}
	case lockgraph.FormFirst:
		if !ofTable(t) && begins(n) && opens(t.Conn, r.Kind) {
			return is(t.Class.ID == r.A)
		}
	case lockgraph.FormOrder:
		if t.Class.ID == r.A && (t.Acq.Many || len(n.Loops) > 0) {
			return is(t.Acq.Order == r.B || t.Acq.Order == "by "+r.B)
		}
	case lockgraph.FormScope:
		if t.Class.Family == r.A {
			return is(t.Scope == r.B)
		}
	}
	return silent
}

// held reports whether every way to n holds the class. What a loop has taken
// counts: a loop over nothing leaves nothing to work on.
func held(n *prog.Node, class string) bool {
	all, looped := len(n.Held) > 0, false
	for _, set := range n.Held {
		all = all && in(set, class)
		for _, t := range set {
			looped = looped || t.Class.ID == class && loops(t, n)
		}
	}
	return all || looped
}

// loops reports whether t was taken in a loop that n is past.
func loops(t *prog.Take, n *prog.Node) bool {
	for i, l := range t.Node.Loops {
		if i >= len(n.Loops) || n.Loops[i] != l {
			return true
		}
	}
	return false
}

// mayHold reports whether some way to n holds the class.
func mayHold(n *prog.Node, class string) bool {
	for _, set := range n.Held {
		if in(set, class) {
			return true
		}
	}
	return false
}

func in(set prog.Held, class string) bool {
	for _, t := range set {
		if t.Class.ID == class {
			return true
		}
	}
	return false
}

// ofTable reports the lock of a table that a statement takes beside those of
// its rows.
func ofTable(t *prog.Take) bool {
	return t.Class.Family == lockgraph.Table && t.Acq.Implicit
}

// begins reports the first lock of a transaction of the program, locks of
// tables aside.
func begins(n *prog.Node) bool {
	for _, set := range n.Held {
		for _, t := range set {
			if t.Conn == n.Conn && !ofTable(t) {
				return false
			}
		}
	}
	return n.Conn != nil && n.Conn.Opener != nil
}

// opens reports whether a helper, as rules name it, began the connection.
func opens(c *prog.Conn, helper string) bool {
	for f := c.Opener.Stack; f != nil; f = f.Up {
		if lockgraph.Short(f.Fn.Key) == helper {
			return true
		}
	}
	return lockgraph.Short(c.Opener.Fn.Key) == helper
}

// A site is a call on the way to a node, or the node itself.
type site struct {
	fn  *prog.Func
	pos prog.Pos
}

// sites lists the calls that lead to n, outermost first, and n. The wrapper
// of a query is no place of its own.
func sites(n *prog.Node) []site {
	out := []site{{n.Fn, n.Pos}}
	if s := n.Statement(); s != nil && n.Stack != nil && s.Op.Query != "" && strings.EqualFold(lockgraph.Short(n.Fn.Key), s.Op.Query) {
		out = nil
	}
	for f := n.Stack; f != nil; f = f.Up {
		out = append([]site{{f.From, f.Pos}}, out...)
	}
	return out
}

// inCycle reports whether a cycle that can happen passes both classes.
func inCycle(v *prog.View, a, b string) bool {
	for _, c := range v.Graph.Cycles {
		x, y := false, false
		for _, id := range c.Classes {
			x, y = x || id == a, y || id == b
		}
		if x && y && c.Verdict != lockgraph.Gated {
			return true
		}
	}
	return false
}
