package lockscope

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
var Check = &pass.Check{Name: "lockscope", Doc: doc, Kinds: []string{"xact-lock-outside-tx", "row-lock-outside-tx", "lock-scope-ended",
	"unlock-before-commit", "savepoint-lock-scope", "lock-never-taken", "try-result-ignored", "lock-on-replica", "guc-leak"}, Run: run}

// Analyzer is the check as a go/analysis Analyzer.
var Analyzer = Check.Analyzer()

func run(v *prog.View) []lockgraph.Finding {
	c, told := pass.Collect("lockscope", v), map[prog.Pos]bool{}
	for _, tr := range v.Traces {
		nodes := inOrder(tr)
		ended(c, tr, nodes)
		for i, n := range nodes {
			switch n.Kind {
			case prog.OpAcquire:
				if n.Take == nil {
					continue
				}
				onReplica(c, v, tr, n.Take)
				outside(c, v, tr, n.Take, nodes[i+1:])
				ignored(c, tr, n.Take, nodes[i+1:])
				batch(c, tr, n.Take, nodes[i+1:])
			case prog.OpCheck:
				unread(c, tr, n)
			case prog.OpRelease:
				beforeCommit(c, tr, n, nodes[i+1:])
			case prog.OpSQL:
				savepoint(c, tr, n, told)
			case prog.OpSet:
				leaks(c, tr, n, nodes)
			}
		}
	}
	return c.Findings()
}

// inOrder lists the nodes of a trace in execution order.
func inOrder(tr *prog.Trace) []*prog.Node {
	var out []*prog.Node
	tr.Each(func(n *prog.Node) { out = append(out, n) })
	return out
}

// outside reports a lock of transaction scope that a statement takes in
// autocommit, when nothing else happens in that statement.
func outside(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take, rest []*prog.Node) {
	if t.Acq.Scope != lockgraph.Transaction || t.Acq.Implicit {
		return
	}
	never := !v.Modular && v.Program.NeverBegun(t.Conn) && workFollows(t, rest)
	if !never && (t.Scope != lockgraph.Statement || !surely(t.Conn)) {
		return
	}
	s := t.Node.Statement()
	if s == nil || s.Op.Use.Batch || works(s) {
		return
	}
	name := t.Class.Display()
	where := "a pool"
	switch {
	case never:
		where = "a gorm handle on which nothing in sight has begun a transaction"
	case t.Conn.How == "conn":
		where = "a connection without a transaction"
	}
	f := pass.Fault{Names: []string{name}, Cut: t.Cut, Related: t.Witness(),
		Hint: "begin a transaction, take the lock in it, and commit when the work is done"}
	if never && f.Cut == "" {
		f.Cut = lockgraph.CutHandle
	}
	switch t.Class.Family {
	case lockgraph.Advisory:
		f.Kind = "xact-lock-outside-tx"
		f.Message = fmt.Sprintf("transaction lock %s is taken on %s (it is released when the statement ends)", name, where)
	case lockgraph.Row:
		if t.Conn.How != "pool" && !never {
			return
		}
		f.Kind = "row-lock-outside-tx"
		f.Message = fmt.Sprintf("%s (%s) is locked on %s (the lock ends with the statement)", name, t.Mode, where)
	default:
		return
	}
	c.Add(tr, t.Node, f)
}

// surely reports a handle that is known to run each statement by itself.
func surely(c *prog.Conn) bool {
	return c.How == "pool" || c.How == "conn" && c.Opener != nil && !c.InText()
}

// works reports whether a statement writes or calls something that may: its
// locks protect that.
func works(s *prog.Node) bool {
	found := false
	var visit func(n *prog.Node)
	visit = func(n *prog.Node) {
		switch t := n.Take; {
		case n.Kind == prog.OpUnknown:
			found = true
		case n.Kind == prog.OpAcquire && t != nil && writes(t):
			found = true
		}
		for _, k := range n.Kids {
			visit(k)
		}
	}
	visit(s)
	return found
}

// writes reports the lock that every INSERT, UPDATE, DELETE and MERGE takes
// on its table (manual of version 16, section 13.3.1).
func writes(t *prog.Take) bool {
	return t.Class.Family == lockgraph.Table && t.Acq.Implicit && lockgraph.AtLeast(lockgraph.Table, t.Mode, lockgraph.RowExclusive)
}

// ignored reports a try lock whose answer decides nothing although writes
// follow.
func ignored(c *pass.Collector, tr *prog.Trace, t *prog.Take, rest []*prog.Node) {
	if t.Wait != lockgraph.Try || t.Class.Family != lockgraph.Advisory || len(t.Acq.SQLFunc) > 0 || t.Acq.InPredicate || t.Acq.Read {
		return
	}
	s := t.Node.Statement()
	if s == nil || t.Acq.Many || len(s.Op.Use.Scans) > 1 {
		return
	}
	how := ""
	switch s.Op.Use.Answer {
	case "dropped", "unused":
		how = "is dropped"
	case "printed":
		how = "is printed and decides nothing"
	case "branch":
		switch {
		case droppedAbove(tr, t, rest):
			how = "is handed to a caller that drops it"
		case decides(tr, t) || !workFollows(t, rest):
			return
		default:
			how = "is read but decides nothing"
		}
	case "kept":
		if t.Node.Fn == tr.Entry || !returned(tr, t) || decidesAbove(tr, t) || !workFollows(t, rest) {
			return
		}
		how = "is handed to a caller and decides nothing there"
	default:
		return
	}
	if s.Op.Use.Answer != "branch" && s.Op.Use.Answer != "kept" && works(s) {
		return
	}
	name := t.Class.Display()
	c.Add(tr, t.Node, pass.Fault{Kind: "try-result-ignored", Names: []string{name}, Cut: t.Cut, Related: t.Witness(),
		Message: fmt.Sprintf("the answer of trying %s %s (the work runs without the lock too)", name, how),
		Hint:    "return when the answer is false"})
}

// decides reports whether some condition of the trace looks at the answer.
func decides(tr *prog.Trace, t *prog.Take) bool {
	found := false
	tr.Each(func(n *prog.Node) {
		if n.Kind == prog.OpNone && t.Answers(n.Val) {
			found = true
		}
		for _, a := range n.Args {
			found = found || (n.Kind == prog.OpExit || n.Kind == prog.OpCall) && t.Answers(a)
		}
	})
	return found
}

// workFollows reports a write on the session of t after it.
func workFollows(t *prog.Take, rest []*prog.Node) bool {
	for _, n := range rest {
		if n.Kind == prog.OpAcquire && n.Take != nil && writes(n.Take) && n.Take.Conn.Root() == t.Conn.Root() {
			return true
		}
	}
	return false
}

// batch reports a write on a pool after a batch on it has taken a lock: the
// batch was a transaction of its own.
func batch(c *pass.Collector, tr *prog.Trace, t *prog.Take, rest []*prog.Node) {
	s := t.Node.Statement()
	if s == nil || t.Acq.Implicit || t.Acq.Scope != lockgraph.Transaction || !t.Conn.OfBatch() {
		return
	}
	for _, n := range rest {
		if n.Kind != prog.OpSQL || n.Op.Use.Batch || !works(n) || n.Conn != t.Conn.Parent || n.Fn != t.Node.Fn {
			continue
		}
		name := t.Class.Display()
		c.Add(tr, n, pass.Fault{Kind: "lock-scope-ended", Names: []string{name}, Cut: t.Cut, Related: pass.Join(t.Witness(), n.Witness("writes on the pool")),
			Message: fmt.Sprintf("this write runs after the batch that locked %s has ended (the lock no longer protects it)", name),
			Hint:    "begin a transaction and send the batch and the write on it"})
		return
	}
}

// beforeCommit reports a session lock given back while the transaction that
// wrote under it is still open: others enter before they can see the writes.
func beforeCommit(c *pass.Collector, tr *prog.Trace, n *prog.Node, rest []*prog.Node) {
	if n.Take == nil || n.Take.Class == nil || n.Take.Class.Family != lockgraph.Advisory || len(n.Held) == 0 {
		return
	}
	var lock, write *prog.Take
	for _, held := range n.Held {
		lock = nil
		for _, t := range held {
			switch {
			case t.Scope == lockgraph.Session && t.Class.Family == lockgraph.Advisory && prog.Unlocks(n.Take, t):
				lock = t
			case lock != nil && writes(t) && t.Scope == lockgraph.Transaction && t.Conn.Opener != nil:
				write = t
			}
		}
		if lock == nil {
			return
		}
	}
	if write == nil {
		return
	}
	end := commits(n, write.Conn, rest)
	if end == nil {
		return
	}
	name := n.Take.Class.Display()
	related := append(pass.Join(lock.Witness(), write.Node.Witness("writes "+write.Class.Display())), last(n.Witness("releases "+name)), last(end.Witness("commits")))
	c.Add(tr, n, pass.Fault{Kind: "unlock-before-commit", Names: []string{name}, Cut: lock.Cut, Related: related,
		Message: fmt.Sprintf("session lock %s is released before the transaction that writes under it commits (another session enters before it can see the writes)", name),
		Hint:    "unlock after the commit, or use the transaction-level lock"})
}

func last(f []lockgraph.Frame) lockgraph.Frame { return f[len(f)-1] }

// commits returns the commit of the connection that follows n on its way: what
// runs at one way out of a function is followed by the rest of that way and by
// what the callers do, not by the other ways out.
func commits(n *prog.Node, conn *prog.Conn, rest []*prog.Node) *prog.Node {
	at := exit(n)
	for _, e := range rest {
		if e.Kind != prog.OpEnd || e.Conn != conn || e.Ends != "commit" && e.Ends != "either" {
			continue
		}
		if leaves(n, e) {
			continue
		}
		if at == nil || exit(e) == at || at.Outcome != "error" && !under(e, call(at)) {
			return e
		}
	}
	return nil
}

// leaves reports whether n stands on a branch that e is not on and that leads
// out of the function.
func leaves(n, e *prog.Node) bool {
	for n = n.Up(); n != nil && !under(e, n); n = n.Up() {
		if n.Kind == prog.OpNone && n.Dead {
			return true
		}
		if n.Kind == prog.OpExit || n.Kind == prog.OpCall {
			return false
		}
	}
	return false
}

// call returns the call that n runs under, nil when that is the entry.
func call(n *prog.Node) *prog.Node {
	for n = n.Up(); n != nil && n.Kind != prog.OpCall; n = n.Up() {
	}
	return n
}

// under reports whether n runs under the call; all runs under the entry.
func under(n, call *prog.Node) bool {
	for ; n != nil && n != call; n = n.Up() {
	}
	return n == call
}

// exit returns the exit of a function whose deferred calls n is part of.
func exit(n *prog.Node) *prog.Node {
	for ; n != nil; n = n.Up() {
		if n.Kind == prog.OpExit {
			return n
		}
	}
	return nil
}

// savepoint reports work after a tolerated rollback to a savepoint that has
// dropped a lock taken since: work on the row that was locked, or any when
// what the lock protects is not known. A lock that is lost is told once.
func savepoint(c *pass.Collector, tr *prog.Trace, n *prog.Node, told map[prog.Pos]bool) {
	if len(n.Lost) == 0 || !works(n) {
		return
	}
	for _, t := range n.Lost {
		if t.Acq.Implicit || t.Conn.Root() != n.Conn.Root() || n.Conn == t.Conn && n.Conn.How == "savepoint" ||
			told[t.Node.Pos] || t.Class.Family == lockgraph.Row && !writesRow(n, t) {
			continue
		}
		again := false
		for _, held := range n.Held {
			for _, h := range held {
				again = again || h != t && h.Class.ID == t.Class.ID && !h.Acq.Implicit
			}
		}
		if again {
			continue
		}
		told[t.Node.Pos] = true
		name := t.Class.Display()
		c.Add(tr, n, pass.Fault{Kind: "savepoint-lock-scope", Names: []string{name}, Cut: t.Cut, Related: pass.Join(t.Witness(), n.Witness("works on in the transaction")),
			Message: fmt.Sprintf("this work runs although a rollback to the savepoint may have released %s (it is then not protected)", name),
			Hint:    "take the lock before the savepoint, or give up when the part inside it fails"})
		return
	}
}

// writesRow reports whether a statement writes the row that t has locked.
func writesRow(s *prog.Node, t *prog.Take) bool {
	for _, k := range s.Kids {
		if k.Take != nil && k.Kind == prog.OpAcquire && k.Take.Class.ID == t.Class.ID && lockgraph.AtLeast(lockgraph.Row, k.Take.Mode, lockgraph.ForNoKeyUpdate) && prog.SameInstance(k.Take, t) {
			return true
		}
	}
	return false
}
