package sessionlock

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// unwatched reports work of unknown length under a session lock whose
// session nobody looks at meanwhile: when it dies, another one gets the lock
// and both work. Work that uses the session itself fails with it. A function
// under a lock that was waited for is a critical section: only a lock that is
// tried, or an endless loop, is a leader's.
func unwatched(c *pass.Collector, v *prog.View, tr *prog.Trace, n *prog.Node) {
	if len(n.Held) == 0 {
		return
	}
	var lock *prog.Take
	for _, held := range n.Held {
		lock = nil
		for _, t := range held {
			if session(t) && t.Conn.How != "pool" && len(t.Acq.SQLFunc) == 0 {
				lock = t
			}
		}
		if lock == nil {
			return
		}
	}
	if n.Kind == prog.OpCheck && lock.Wait != lockgraph.Try {
		return // a critical section, not a leader
	}
	root := lock.Conn.Root()
	if v.Program.Watched(lock.Conn) || looksAt(tr, root) {
		return
	}
	name := lock.Class.Display()
	what := "this function runs"
	if n.Kind == prog.OpLoop {
		what = "this loop runs"
	}
	c.Add(tr, n, pass.Fault{Kind: "leader-no-liveness", Names: []string{name}, Cut: lock.Cut, Related: pass.Join(lock.Witness(), n.Witness("works under the lock")),
		Message: fmt.Sprintf("%s under session lock %s and does not notice when its session ends (another process then holds the lock too)", what, name),
		Hint:    "ping the connection of the lock meanwhile, and cancel the context of the work when it is gone"})
}

// endless reports a loop that only something inside it ends.
func endless(n *prog.Node) bool {
	return (n.Op.How == "forever" || n.Op.How == "channel") && len(n.Kids) > 0
}

// looksAt reports whether the trace uses the session for more than its
// locks.
func looksAt(tr *prog.Trace, root *prog.Conn) bool {
	found := false
	tr.Each(func(n *prog.Node) {
		if n.Conn == nil || n.Conn.Root() != root {
			return
		}
		switch n.Kind {
		case prog.OpCheck, prog.OpOpen, prog.OpExternal:
			found = found || n.Conn.Opener != n
		case prog.OpSQL:
			found = found || !locksOnly(n)
		}
	})
	return found
}

// locksOnly reports a statement that takes or gives back session locks and
// does nothing else.
func locksOnly(s *prog.Node) bool {
	only := len(s.Kids) > 0
	for _, k := range s.Kids {
		switch {
		case k.Kind == prog.OpRelease:
		case k.Kind == prog.OpAcquire && k.Take != nil && k.Take.Class.Family == lockgraph.Advisory:
		default:
			only = false
		}
	}
	return only
}

// cached reports a session lock on a connection that is kept in a field,
// where a flag in a field says that it is held, or the lock is one that a
// leader tries: what the program believes stays when the session ends, unless
// something uses the connection meanwhile.
func cached(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) {
	flag := flagged(tr, t.Node)
	if flag == "" && t.Wait != lockgraph.Try || len(t.Acq.SQLFunc) > 0 || t.Conn.How == "pool" {
		return
	}
	kept := v.Program.KeptIn(t.Conn.Root())
	if s := t.Node.Statement(); s != nil {
		if k := fieldOf(s.Op.Conn); k != "" {
			kept = append(kept, k)
		}
	}
	if len(kept) == 0 || inUse(v.Program, kept) {
		return
	}
	if flag == "" && !ofReceiver(kept[0], t.Conn.Root().Fn) {
		return
	}
	last := func(field string) string { return field[strings.LastIndexByte(field, '.')+1:] }
	name := t.Class.Display()
	f := pass.Fault{Kind: "leader-no-liveness", Names: []string{name}, Cut: t.Cut, Related: t.Witness(),
		Message: fmt.Sprintf("session lock %s is taken once and %s remembers it, and nothing notices when its session ends (another process then holds the lock too)", name, last(flag)),
		Hint:    "ping the connection of the lock before the flag is believed, and clear the flag when it is gone"}
	if flag == "" {
		f.Message = fmt.Sprintf("session lock %s stays on the connection kept in %s, and nothing notices when its session ends (another process then holds the lock too)", name, last(kept[0]))
		f.Hint = "ping that connection while the lock is relied upon, and stop the work when it is gone"
	}
	c.Add(tr, t.Node, f)
}

// ofReceiver reports whether f is a method of the type that has the field: what
// it keeps there it keeps for itself.
func ofReceiver(field string, f *prog.Func) bool {
	typ := field[:strings.LastIndexByte(field, '.')]
	i := strings.LastIndexByte(typ, '.')
	return f != nil && i > 0 && strings.HasPrefix(f.Key, typ[:i]+".(*"+typ[i+1:]+").")
}

// flagged returns the boolean field whose being false brings the program to
// n: n stands on that branch, or after one that leaves where the field is
// true.
func flagged(tr *prog.Trace, n *prog.Node) string {
	for ; n != nil; n = n.Up() {
		if n.Kind == prog.OpNone && n.Val != nil && n.Val.Kind == prog.VNot {
			if f := fieldOf(n.Val.Of[0]); f != "" {
				return f
			}
		}
		for _, b := range tr.Beside(n) {
			if b == n {
				break
			}
			for _, arm := range b.Kids {
				if f := fieldOf(arm.Val); f != "" && b.Kind == prog.OpBranch && arm.Dead {
					return f
				}
			}
		}
	}
	return ""
}

// fieldOf names the field that a value is read from, "" when it is none.
func fieldOf(v *prog.Val) string {
	if v = prog.Bare(v); v == nil || v.Kind != prog.VField {
		return ""
	}
	return v.Str
}

// inUse reports whether some function pings a connection kept in one of the
// fields, or runs a statement on it that is not about session locks.
func inUse(p *prog.Program, fields []string) bool {
	found := false
	for _, f := range p.Funcs {
		prog.Visit(f.Body, func(o *prog.Op) {
			if !slices.Contains(fields, fieldOf(o.Conn)) {
				return
			}
			switch o.Kind {
			case prog.OpCheck, prog.OpOpen:
				found = true
			case prog.OpSQL:
				text, known := o.Val.AsText()
				found = found || !known || !strings.Contains(strings.ToLower(text), "advisory")
			}
		})
	}
	return found
}
