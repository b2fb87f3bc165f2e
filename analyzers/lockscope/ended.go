package lockscope

import (
	"fmt"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// ended reports a transaction that locks and writes nothing, followed by the
// write that its lock was for.
func ended(c *pass.Collector, tr *prog.Trace, nodes []*prog.Node) {
	for i, end := range nodes {
		if end.Kind != prog.OpEnd || end.Conn == nil || end.Conn.How != "tx" || end.Conn.Opener == nil || end.Ends != "commit" && end.Ends != "either" {
			continue
		}
		locks := idle(nodes[:i], end.Conn)
		if len(locks) == 0 {
			continue
		}
		for _, n := range nodes[i+1:] {
			t := n.Take
			if n.Kind != prog.OpAcquire || t == nil || !writes(t) || n.Conn == nil || n.Conn.Root() == end.Conn || within(n) || apart(n, end) {
				continue
			}
			if lock := protects(locks, n.Statement()); lock != nil {
				if !heldAgain(n, lock) {
					late(c, tr, lock, end, n.Statement())
				}
				break
			}
		}
	}
}

// idle returns the locks that a transaction asks for when it does nothing
// else: it neither writes nor calls what may.
func idle(nodes []*prog.Node, conn *prog.Conn) []*prog.Take {
	var locks []*prog.Take
	for _, n := range nodes {
		if n.Conn == nil || n.Conn.Root() != conn {
			continue
		}
		switch t := n.Take; {
		case n.Kind == prog.OpSQL && works(n), n.Kind == prog.OpUnknown:
			return nil
		case n.Kind == prog.OpAcquire && t != nil && !t.Acq.Implicit && t.Scope == lockgraph.Transaction && t.Cut == "":
			locks = append(locks, t)
		}
	}
	return locks
}

// protects returns the lock that a later write needs: the one on the very
// row it writes, the one of the statement that found the row, or an advisory
// lock of a transaction that holds nothing else.
func protects(locks []*prog.Take, s *prog.Node) *prog.Take {
	if s == nil {
		return nil
	}
	var rows []*prog.Take
	var visit func(n *prog.Node)
	visit = func(n *prog.Node) {
		if n.Kind == prog.OpAcquire && n.Take != nil && n.Take.Class.Family == lockgraph.Row && !n.Take.Acq.Fresh {
			rows = append(rows, n.Take)
		}
		for _, k := range n.Kids {
			visit(k)
		}
	}
	visit(s)
	for _, lock := range locks {
		for _, r := range rows {
			if lock.Class.ID == r.Class.ID && (prog.SameInstance(lock, r) || lock.Answers(r.Inst)) {
				return lock
			}
		}
	}
	if len(locks) == 1 && locks[0].Class.Family == lockgraph.Advisory {
		return locks[0]
	}
	return nil
}

// within reports a write under a go statement: when it runs is not known.
func within(n *prog.Node) bool {
	for ; n != nil; n = n.Up() {
		if n.Kind == prog.OpGo {
			return true
		}
	}
	return false
}

// apart reports whether two nodes lie in different arms of one branch.
func apart(a, b *prog.Node) bool {
	arms := map[*prog.Node]*prog.Node{} // branch → arm
	for n := a; n != nil && n.Up() != nil; n = n.Up() {
		if n.Up().Kind == prog.OpBranch {
			arms[n.Up()] = n
		}
	}
	for n := b; n != nil && n.Up() != nil; n = n.Up() {
		if arm, ok := arms[n.Up()]; ok && n.Up().Kind == prog.OpBranch {
			return arm != n
		}
	}
	return false
}

// heldAgain reports whether an explicit lock is held where the write runs in
// some state: what it protects is not told.
func heldAgain(n *prog.Node, lock *prog.Take) bool {
	for _, held := range n.Held {
		for _, h := range held {
			if !h.Acq.Implicit && h != lock && h.Class.Family != lockgraph.Mutex && h.Node.Statement() != n.Statement() {
				return true
			}
		}
	}
	return false
}

func late(c *pass.Collector, tr *prog.Trace, lock *prog.Take, end, write *prog.Node) {
	name := lock.Class.Display()
	ends := end.Witness("ends the transaction")
	f := pass.Fault{Kind: "lock-scope-ended", Names: []string{name}, Related: append(pass.Join(lock.Witness(), ends[len(ends)-1:]), last(write.Witness("writes after it"))),
		Message: fmt.Sprintf("this write runs after the transaction that locked %s has ended (the lock no longer protects it)", name),
		Hint:    "write in the transaction that takes the lock"}
	if lock.Class.Family == lockgraph.Advisory {
		f.Severity = lockgraph.SeverityWarning // what an advisory lock is for, only the team knows
	}
	c.Add(tr, write, f)
}
