package lockscope

import (
	"fmt"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// leaks reports a timeout set for the session of a pooled connection and
// never reset.
func leaks(c *pass.Collector, tr *prog.Trace, n *prog.Node, all []*prog.Node) {
	name := strings.ToLower(n.Op.Str)
	if !strings.HasSuffix(name, "_timeout") || n.Op.How != "session" || n.Conn == nil || reset(n) || setBack(n, all) {
		return
	}
	root := n.Conn.Root()
	switch {
	case root.How == "pool":
	case root.How == "conn" && root.Opener != nil && givenBack(root, all):
	case root.How == "tx" && root.Opener != nil && root.Parent != nil && root.Parent.How == "pool" && !n.Conn.InText():
	default:
		return
	}
	for _, o := range all {
		if o.Kind == prog.OpSet && o.Conn != nil && o.Conn.Root() == root && (strings.EqualFold(o.Op.Str, name) && reset(o) || strings.EqualFold(o.Op.Str, "all")) {
			return
		}
		if o.Kind == prog.OpSet && o != n && o.Conn != nil && o.Conn.Root() == root && strings.EqualFold(o.Op.Str, name) && o.Op.How == "session" && before(o, n, all) {
			return // told at the first
		}
	}
	c.Add(tr, n, pass.Fault{Kind: "guc-leak", Names: []string{name}, Related: n.Witness("sets " + name),
		Message: fmt.Sprintf("SET %s stays on the pooled connection (the next user of it runs under this timeout)", name),
		Hint:    "begin a transaction and use SET LOCAL"})
}

// setBack reports whether the parameter set at n is set to another value, a
// constant, once other statements have run on the connection: on every way
// out, or before the commit of a transaction, whose rollback undoes both.
func setBack(n *prog.Node, all []*prog.Node) bool {
	after, worked := false, false
	for _, o := range all {
		switch {
		case o == n:
			after = true
		case !after || o.Conn == nil || o.Conn.Root() != n.Conn.Root():
		case o.Kind == prog.OpSQL && !sets(o):
			worked = true
		case worked && o.Kind == prog.OpSet && o.Op.How == "session" && strings.EqualFold(o.Op.Str, n.Op.Str) && o.Val != nil && o.Val.Kind == prog.VConst && !prog.Equal(o.Val, n.Val):
			return pass.InTransaction(n.Conn) || exit(o) != nil
		}
	}
	return false
}

// sets reports a statement that does nothing but set parameters.
func sets(n *prog.Node) bool {
	for _, k := range n.Kids {
		if k.Kind != prog.OpSet {
			return false
		}
	}
	return len(n.Kids) > 0
}

func before(a, b *prog.Node, all []*prog.Node) bool {
	for _, n := range all {
		switch n {
		case a:
			return true
		case b:
			return false
		}
	}
	return false
}

// reset reports RESET and SET … TO DEFAULT.
func reset(n *prog.Node) bool {
	if n.Op.Val == nil || n.Op.Val.IsNil() {
		return true
	}
	s, _ := n.Op.Val.AsText()
	return strings.EqualFold(s, "default")
}

// givenBack reports whether the connection returns to its pool.
func givenBack(conn *prog.Conn, all []*prog.Node) bool {
	for _, n := range all {
		if n.Kind == prog.OpEnd && n.Conn == conn && n.Ends == "release" {
			return true
		}
	}
	return false
}
