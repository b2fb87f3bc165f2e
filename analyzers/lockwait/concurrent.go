package lockwait

import (
	"fmt"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// concurrent reports the wait of DDL that runs CONCURRENTLY: for every
// transaction that is older (manual of version 16, CREATE INDEX, Building
// Indexes Concurrently).
func concurrent(n *prog.Node) bool {
	return n.Op != nil && n.Op.Acq != nil && n.Op.Acq.Rule == "R10.4"
}

// underLock reports concurrent DDL while the program holds an advisory lock
// for which another instance waits inside a statement: that statement has a
// snapshot, the DDL waits for it, and it waits for the lock.
func underLock(c *pass.Collector, tr *prog.Trace, n *prog.Node, w map[string]place) {
	s := n.Statement()
	if s == nil {
		return
	}
	for _, set := range n.Held {
		for _, t := range set {
			wait, waited := w[t.Class.ID]
			if !waited || t.Class.Family != lockgraph.Advisory || t.Scope == lockgraph.Statement {
				continue
			}
			at := place{tr, t}
			if !pass.Blocks(t) {
				at = wait
			}
			name := t.Class.Display()
			c.Add(at.tr, at.take.Node, pass.Fault{Kind: "cic-under-blocking-lock", Names: []string{name}, Cut: t.Cut,
				Related: pass.Join(t.Witness(), s.Witness("runs DDL concurrently")),
				Message: fmt.Sprintf("%s waits for %s while its holder runs DDL concurrently (the DDL waits for every statement that has a snapshot, this one too: deadlock)", lockgraph.Short(at.take.Node.Fn.Key), name),
				Hint:    "take the lock in a loop of " + try(t) + " with a pause between the statements"})
		}
	}
}

func try(t *prog.Take) string {
	name := "pg_try_advisory_lock"
	if t.Scope == lockgraph.Transaction {
		name = "pg_try_advisory_xact_lock"
	}
	if t.Mode == lockgraph.Shared {
		name += "_shared"
	}
	return name
}

// underTx reports concurrent DDL inside a transaction, which PostgreSQL
// refuses, or while the same call chain has one open on another connection,
// for whose end the DDL waits.
func underTx(c *pass.Collector, v *prog.View, tr *prog.Trace, n *prog.Node) {
	s := n.Statement()
	if s == nil || s.Conn == nil {
		return
	}
	cut := ""
	if oneOfTexts(s) { // which of them runs where is known to those who call
		if pass.ToldByCallers(v, tr, func(n *prog.Node) bool { return n.Op.ID == s.Op.ID && n.Op.Val == s.Op.Val }, prog.OpSQL) {
			return
		}
		cut = lockgraph.CutText
	}
	if s.Conn.Opener != nil && (s.Conn.How == "tx" || s.Conn.How == "savepoint") {
		c.Add(tr, s, pass.Fault{Kind: "cic-under-open-tx", Names: []string{"own"}, Cut: cut, Related: pass.Join(s.Conn.Opener.Witness("begins a transaction"), s.Witness("runs DDL concurrently")),
			Message: "concurrent DDL runs inside a transaction (PostgreSQL refuses it there)",
			Hint:    "run it on the pool or on a pinned connection, outside of any transaction"})
		return
	}
	for _, o := range s.Open {
		if o.How != "tx" || o.Opener == nil || o.Root() == s.Conn.Root() {
			continue
		}
		who := lockgraph.Short(o.Opener.Fn.Key)
		c.Add(tr, s, pass.Fault{Kind: "cic-under-open-tx", Names: []string{"other"}, Cut: cut, Related: pass.Join(o.Opener.Witness("begins a transaction"), s.Witness("runs DDL concurrently")),
			Message: fmt.Sprintf("concurrent DDL runs while %s has a transaction open on another connection (the DDL waits for it to end, and it waits for the DDL)", who),
			Hint:    "end the transaction first"})
		return
	}
}

// oneOfTexts reports a statement whose text is one of several.
func oneOfTexts(s *prog.Node) bool {
	for n := s; n != nil; n = n.Up() {
		if n.Op != nil && n.Op.Kind == prog.OpBranch && n.Op.How == "texts" {
			return true
		}
	}
	return false
}
