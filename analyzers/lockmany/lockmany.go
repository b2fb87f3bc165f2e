package lockmany

import (
	_ "embed"
	"fmt"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

//go:embed doc.md
var doc string

// Check is the check.
var Check = &pass.Check{Name: "lockmany", Doc: doc, Kinds: []string{"unordered-multi-row-lock", "unordered-lock-loop", "lock-in-predicate",
	"for-update-join-scope", "skip-locked-by-key"}, Run: run}

// Analyzer is the check as a go/analysis Analyzer.
var Analyzer = Check.Analyzer()

func run(v *prog.View) []lockgraph.Finding {
	c := pass.Collect("lockmany", v)
	pass.Takes(v, func(tr *prog.Trace, t *prog.Take) {
		switch {
		case tr.Led: // told where the lock is that it runs under
			return
		case t.Acq.InPredicate:
			predicate(c, tr, t)
		case loop(c, v, tr, t):
		default:
			many(c, v, tr, t)
		}
		if t.Acq.ByKey && t.Wait == lockgraph.SkipLocked && !joined(t) {
			byKey(c, tr, t)
		}
	})
	for _, tr := range v.Traces {
		tr.Each(func(n *prog.Node) {
			if n.Kind == prog.OpSQL {
				joinScope(c, tr, n)
			}
		}, prog.OpSQL)
	}
	return c.Findings()
}

// exclusive reports whether two sessions can wait for each other over
// instances of t's class: it waits, and its mode keeps out its like.
func exclusive(t *prog.Take) bool {
	return pass.Blocks(t) && !t.Acq.Fresh && t.Class.Family != lockgraph.Table && t.Class.Family != lockgraph.Mutex &&
		lockgraph.Conflicts(t.Class.Family, t.Mode, t.Mode)
}

// many reports a statement that locks several instances in no fixed order.
func many(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) {
	a := t.Acq
	if !a.Many || unknownKey(t) || !exclusive(t) || a.Order != "" && a.Order != "plan" || ordered(t) || pass.Gated(t) || guarded(t) || sortedInput(v, t) || t.Again == "same" {
		return
	}
	for _, via := range a.Via {
		if strings.HasPrefix(via, "foreign key ") { // the order of a referential action is nobody's to choose
			return
		}
	}
	f := pass.Fault{Kind: "unordered-multi-row-lock", Names: []string{t.Class.Display()}, Cut: t.Cut, Related: t.Witness()}
	switch a.Source {
	case "any", "values", "join", "subquery":
	default:
		f.Severity = lockgraph.SeverityNote
	}
	if pass.Led(t) != nil { // under a lock that is one for all runs of this program
		f.Severity = lockgraph.SeverityNote
	}
	f.Message = fmt.Sprintf("%s locks several rows of %q in no fixed order (another session may lock them the other way: possible deadlock)", verb(t), t.Class.Relation)
	f.Hint = "lock the rows first with SELECT … ORDER BY their key FOR UPDATE, in the same transaction"
	if a.Source == "values" && verb(t) == "INSERT" {
		f.Hint = "sort the rows by the key of the conflict before they are written"
	}
	if t.Class.Family == lockgraph.Advisory {
		f.Message = fmt.Sprintf("one statement takes several locks %s in no fixed order (possible deadlock)", t.Class.Display())
		f.Hint = "take them in the order of the key: SELECT pg_advisory_xact_lock(k) FROM (SELECT … ORDER BY k) s"
	}
	c.Add(tr, t.Node, f)
	if fs := a.SQLFunc; len(fs) > 0 && a.SQLFile != "" {
		inSource(c, tr, t, f)
	}
}

// unknownKey reports a statement that picks rows by columns of a table whose
// name is not known: they may be its key.
func unknownKey(t *prog.Take) bool {
	return t.Class.Family == lockgraph.Row && strings.Contains(t.Class.Relation, "?") && t.Inst != nil
}

// inSource reports the fault where the function's body has it too, and that
// a trigger hides it from who reads the statement.
func inSource(c *pass.Collector, tr *prog.Trace, t *prog.Take, f pass.Fault) {
	file, line := split(t.Acq.SQLFile)
	if line > 0 {
		f.File, f.Line = file, line
		c.Add(tr, t.Node, f)
	}
}

func split(at string) (file string, line int) {
	i := strings.LastIndexByte(at, ':')
	if i < 0 {
		return at, 0
	}
	if _, err := fmt.Sscanf(at[i+1:], "%d", &line); err != nil {
		return at, 0
	}
	return at[:i], line
}

// verb names the statement that takes t.
func verb(t *prog.Take) string {
	word := "the statement"
	if fs := t.Acq.SQLFunc; len(fs) > 0 {
		return fs[len(fs)-1]
	}
	if !t.Acq.Implicit {
		return "a locking clause"
	}
	if s := t.Node.Statement(); s != nil {
		text, first := strings.ToUpper(s.SQL), -1
		for _, w := range []string{"UPDATE", "DELETE", "INSERT", "MERGE"} {
			if at := strings.Index(text, w); at >= 0 && (first < 0 || at < first) {
				word, first = w, at
			}
		}
	}
	return word
}

// ordered reports whether the session holds rows of the class already, which
// it locked in an order of their columns.
func ordered(t *prog.Take) bool {
	return always(t, func(h *prog.Take) bool {
		return h.Class.ID == t.Class.ID && h.Conn.Root() == t.Conn.Root() && strings.HasPrefix(h.Acq.Order, "by ") &&
			h.Acq.Many && lockgraph.Conflicts(lockgraph.Row, h.Mode, h.Mode) && h.Wait != lockgraph.SkipLocked
	}) != nil
}

// guarded reports whether each value that picks the instance of an exclusive
// lock held before also picks the rows of t: sessions that meet on these
// rows have met on that lock.
func guarded(t *prog.Take) bool {
	if len(t.Acq.Row) == 0 || t.Inst == nil {
		return false
	}
	values := map[string]bool{}
	for _, eq := range t.Inst.Of {
		if eq.Kind == prog.VEq && len(eq.Of) == 2 && prog.Stable(eq.Of[1]) {
			values[prog.Bare(eq.Of[1]).String()] = true
		}
	}
	return always(t, func(h *prog.Take) bool { return single(h, t) && pickedBy(h, values) }) != nil
}

// single reports an exclusive lock on one thing, of another class than t,
// that outlives its statement.
func single(h, t *prog.Take) bool {
	return h.Class.ID != t.Class.ID && h.Scope != lockgraph.Statement && !h.Acq.Many && h.Class.Family != lockgraph.Table &&
		lockgraph.Conflicts(h.Class.Family, h.Mode, h.Mode)
}

// pickedBy reports whether h is picked by some of the values and constants,
// and by nothing else.
func pickedBy(h *prog.Take, values map[string]bool) bool {
	if h.Inst == nil || h.Class.Family == lockgraph.Row && !h.Acq.Unique {
		return false
	}
	n := 0
	var all func(v *prog.Val) bool
	all = func(v *prog.Val) bool {
		v = prog.Bare(v)
		if values[v.String()] {
			n++
			return true
		}
		switch v.Kind {
		case prog.VConst, prog.VSQLCol:
			return true
		case prog.VList, prog.VEq, prog.VConcat, prog.VApply:
			if len(v.Of) == 0 {
				return false
			}
			for _, o := range v.Of {
				if !all(o) {
					return false
				}
			}
			return true
		}
		return false
	}
	return all(h.Inst) && n > 0
}

// sortedInput reports whether an INSERT, or a call of a lock function for
// each element of an array, gets its rows in the order of a slice that the
// code sorts: it locks them in the order they come.
func sortedInput(v *prog.View, t *prog.Take) bool {
	s := t.Node.Statement()
	if s == nil || t.Acq.Source != "values" || t.Class.Family != lockgraph.Advisory && !strings.Contains(strings.ToUpper(s.SQL), "INSERT") {
		return false
	}
	for _, a := range s.Args {
		if v.Program.ValueOrder(a) != "" {
			return true
		}
	}
	return false
}

// predicate reports a lock function that the planner calls as often as it
// likes (manual of version 16, section 13.3.5).
func predicate(c *pass.Collector, tr *prog.Trace, t *prog.Take) {
	c.Add(tr, t.Node, pass.Fault{Kind: "lock-in-predicate", Names: []string{t.Class.Display()}, Cut: t.Cut, Related: t.Witness(),
		Message: fmt.Sprintf("%s is taken in a condition (the planner decides for how many rows: locks stay on rows that are not returned)", t.Class.Display()),
		Hint:    "choose the rows in a subquery first, with FOR UPDATE SKIP LOCKED or a LIMIT of its own, and lock what it returns"})
}

// joined reports a row that is picked by a column of another table: the
// lookup is not by its key.
func joined(t *prog.Take) bool {
	for _, c := range t.Acq.Row {
		if c.Val != nil && c.Val.Kind == prog.VSQLCol {
			return true
		}
	}
	return false
}

func byKey(c *pass.Collector, tr *prog.Trace, t *prog.Take) {
	c.Add(tr, t.Node, pass.Fault{Kind: "skip-locked-by-key", Names: []string{t.Class.Display()}, Cut: t.Cut, Related: t.Witness(),
		Message: fmt.Sprintf("SKIP LOCKED in a lookup of %s by key (a locked row looks like a missing one)", t.Class.Display()),
		Hint:    "use NOWAIT, which tells the two apart, or wait"})
}

// joinScope reports a locking clause that reaches the tables joined too.
func joinScope(c *pass.Collector, tr *prog.Trace, n *prog.Node) {
	rels := map[string]bool{}
	var first *prog.Take
	var visit func(k *prog.Node)
	visit = func(k *prog.Node) {
		if t := k.Take; k.Kind == prog.OpAcquire && t != nil && t.Acq.NoOf && !t.Acq.Implicit && len(t.Acq.SQLFunc) == 0 {
			rels[t.Class.Relation] = true
			if first == nil {
				first = t
			}
		}
		for _, x := range k.Kids {
			visit(x)
		}
	}
	visit(n)
	if len(rels) < 2 {
		return
	}
	var names []string
	for r := range rels {
		names = append(names, fmt.Sprintf("%q", r))
	}
	sort.Strings(names)
	does := "locks rows of"
	if first.Wait == lockgraph.SkipLocked {
		does = "locks, or skips for, rows of"
	}
	last := len(names) - 1
	c.Add(tr, n, pass.Fault{Kind: "for-update-join-scope", Names: names, Cut: first.Cut, Related: first.Witness(),
		Message: fmt.Sprintf("%s without OF %s %s and %s (the joined rows become part of the lock order)", first.Mode, does, strings.Join(names[:last], ", "), names[last]),
		Hint:    "name the table whose rows the code works on: " + first.Mode + " OF alias"})
}
