package lockscope

import (
	"fmt"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// unread reports a locking SELECT in WITH that nothing reads: unlike a change
// of data it is not run (manual of version 16, section 7.8.4).
func unread(c *pass.Collector, tr *prog.Trace, n *prog.Node) {
	if n.Op == nil || n.Op.How != prog.NeverRun {
		return
	}
	c.Add(tr, n, pass.Fault{Kind: "lock-never-taken", Names: []string{n.Op.Str}, Related: n.Witness("leaves " + n.Op.Str + " unread"),
		Message: fmt.Sprintf("the locks that %s asks for in WITH are never taken, for nothing reads it (the statement runs without them)", n.Op.Str),
		Hint:    "join it with the rest of the statement, or lock in a statement of its own before"})
}
