package lockscope

import (
	"fmt"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// onReplica reports a lock that is asked for on a read replica. Advisory
// locks of a standby are its own; row locks and the stronger table locks are
// refused there (manual of version 16, section 27.4.1).
func onReplica(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) {
	if t.Acq.Implicit || t.Class.Family == lockgraph.Mutex || !v.Replica(t.Conn) && !named(t.Conn) {
		return
	}
	name, what := t.Class.Display(), "the server refuses it"
	if t.Class.Family == lockgraph.Advisory {
		what = "it keeps out nobody on the primary"
	}
	c.Add(tr, t.Node, pass.Fault{Kind: "lock-on-replica", Names: []string{name}, Cut: t.Cut, Related: t.Witness(),
		Message: fmt.Sprintf("%s (%s) is taken on a read replica (%s)", name, t.Mode, what),
		Hint:    "take it on the primary, where the work is done"})
}
