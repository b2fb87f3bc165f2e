package lockwait

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
var Check = &pass.Check{Name: "lockwait", Doc: doc, Kinds: []string{"no-lock-timeout", "lock-held-external-call", "cic-under-blocking-lock",
	"cic-under-open-tx"}, Run: run}

// Analyzer is the check as a go/analysis Analyzer.
var Analyzer = Check.Analyzer()

func run(v *prog.View) []lockgraph.Finding {
	c := pass.Collect("lockwait", v)
	w := waiters(v)
	for _, tr := range v.Traces {
		tr.Each(func(n *prog.Node) {
			switch n.Kind {
			case prog.OpAcquire:
				if n.Take != nil {
					unbounded(c, v, tr, n.Take)
				}
			case prog.OpExternal:
				external(c, v, tr, n, w)
			case prog.OpWait:
				if concurrent(n) {
					underLock(c, tr, n, w)
					underTx(c, v, tr, n)
				}
			}
		}, prog.OpAcquire, prog.OpExternal, prog.OpWait)
	}
	return c.Findings()
}

// A place is an acquisition with the trace that shows it.
type place struct {
	tr   *prog.Trace
	take *prog.Take
}

// waiters returns, for each advisory class, a place that waits for it.
func waiters(v *prog.View) map[string]place {
	out := map[string]place{}
	pass.Takes(v, func(tr *prog.Trace, t *prog.Take) {
		if t.Class.Family != lockgraph.Advisory || !pass.Blocks(t) {
			return
		}
		if old, ok := out[t.Class.ID]; !ok || before(t.Node.Pos, old.take.Node.Pos) {
			out[t.Class.ID] = place{tr, t}
		}
	})
	return out
}

func before(a, b prog.Pos) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	return a.Line < b.Line
}

// unbounded reports a wait for a lock that the code asks for, with neither
// lock_timeout nor a deadline that the program sets (manual of version 16,
// section 20.11). Under the caller's context only locks that keep out the
// whole program are reported: requests end.
func unbounded(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) {
	if !pass.Blocks(t) || t.Acq.Implicit || t.Timeout != "" || t.Class.Family == lockgraph.Mutex || len(t.Acq.SQLFunc) > 0 || tr.Entry.Origin != "" {
		return
	}
	s := t.Node.Statement()
	if s == nil {
		return
	}
	if v.Modular && (t.Conn.Root().Opener == nil || s.Bound == "caller") {
		return // a caller out of sight may set the bound
	}
	why := ""
	switch s.Bound {
	case "none":
		why = "under a context that never ends"
	case "caller":
		if t.Scope != lockgraph.Session && t.Class.Family != lockgraph.Table {
			return
		}
		why = "under the caller's context"
	default:
		return
	}
	name, hint := t.Class.Display(), "SET LOCAL lock_timeout in the transaction, or wait under context.WithTimeout"
	if t.Scope == lockgraph.Session && !pass.InTransaction(t.Conn) {
		hint = "wait under context.WithTimeout, or SET lock_timeout on the connection before and RESET it after" // SET LOCAL would end with the statement
	}
	c.Add(tr, t.Node, pass.Fault{Kind: "no-lock-timeout", Names: []string{name}, Related: t.Witness(),
		Message: fmt.Sprintf("the wait for %s (%s) has no lock_timeout and runs %s (it can last for ever)", name, t.Mode, why),
		Hint:    hint})
}

// external reports a call that leaves the process, or waits for something
// else, while every way there holds a lock: where the function that has the
// lock makes the call, for there it is mended.
func external(c *pass.Collector, v *prog.View, tr *prog.Trace, n *prog.Node, w map[string]place) {
	lock, severity := heldBy(n, w)
	if lock == nil {
		return
	}
	name := lock.Class.Display()
	does, names := phrase(n), []string{n.Op.Str}
	fn, pos := n.Fn, n.Pos
	if f := v.Since(lock.Node, n); f != nil {
		fn, pos = f.From, f.Pos
		does += " in " + f.Callee()
		names = []string{f.Fn.Key}
	}
	c.Add(tr, n, pass.Fault{Kind: "lock-held-external-call", Severity: severity, Names: names, Cut: lock.Cut, Func: fn.Key, File: pos.File, Line: pos.Line,
		Related: pass.Join(lock.Witness(), n.Witness(verb(n))),
		Message: fmt.Sprintf("%s while %s (%s) is held (whoever wants the lock waits for that too)", does, name, lock.Mode),
		Hint:    "do it before the lock is taken or after it is released: note in the database what is to be done, and commit"})
}

// heldBy returns the lock by which a call makes others wait and how much
// that weighs; nil when on some way there none is held.
func heldBy(n *prog.Node, w map[string]place) (*prog.Take, string) {
	if len(n.Held) == 0 {
		return nil, ""
	}
	var found *prog.Take
	least := 3
	for _, set := range n.Held {
		var best *prog.Take
		top := 0
		for _, t := range set {
			if k := weighs(t, n, w); k > 0 && k >= top {
				best, top = t, k
			}
		}
		if best == nil {
			return nil, ""
		}
		if top < least {
			found, least = best, top
		}
	}
	if least == 1 {
		return found, lockgraph.SeverityNote
	}
	return found, lockgraph.SeverityWarning
}

// weighs says how much a lock makes others wait for a call: 2 when the code
// asks for the lock and others wait for it; 1 when a statement takes it by
// itself, or others only try it; 0 when it is held for its sake, as a session
// lock is by a leader that waits for what comes.
func weighs(t *prog.Take, n *prog.Node, w map[string]place) int {
	switch {
	case t.Class.Family == lockgraph.Mutex || t.Scope == lockgraph.Statement || t.Acq.Fresh:
		return 0
	case t.Scope == lockgraph.Session:
		_, waited := w[t.Class.ID]
		switch {
		case n.Op.How == prog.Waits:
			return 0
		case waited:
			return 2
		}
		return 1
	case !t.Acq.Implicit:
		return 2
	case t.Class.Family == lockgraph.Row && t.Mode != lockgraph.ForKeyShare:
		return 1
	}
	return 0
}

var phrases = map[string]string{
	"http":         "an HTTP call is made",
	"grpc":         "a gRPC call is made",
	"rpc":          "an RPC is made",
	"smtp":         "mail is sent",
	"dns":          "a name is looked up",
	"network":      "a network connection is dialled",
	"process":      "a process is run",
	"sleep":        "the code sleeps",
	"channel":      "the code waits for a channel",
	"goroutines":   "the code waits for goroutines",
	"cond":         "the code waits for a condition",
	"semaphore":    "the code waits for a semaphore",
	"notification": "the code waits for a notification",
}

func phrase(n *prog.Node) string {
	if p := phrases[n.Op.Str]; p != "" {
		return p
	}
	return "a call to " + n.Op.Str + " is made"
}

// verb says what n does in a frame.
func verb(n *prog.Node) string {
	if s, ok := n.Op.Val.AsText(); ok && s != "" {
		return "calls " + lockgraph.Short(s)
	}
	if n.Op.How == prog.Waits {
		return "waits for a " + n.Op.Str
	}
	return "calls out: " + n.Op.Str
}
