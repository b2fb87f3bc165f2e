package poolintx

import (
	"slices"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// goroutines looks at what goroutines do that the function which starts them
// waits for while it keeps a connection: they run while it is open.
func goroutines(c *causes, tr *prog.Trace) {
	var starts []*prog.Node
	tr.Each(func(n *prog.Node) {
		switch {
		case n.Kind == prog.OpGo:
			starts = append(starts, n)
		case n.Kind == prog.OpExternal && n.Op.How == prog.Waits:
			for _, g := range starts {
				if g.Fn == n.Fn && g.Stack == n.Stack {
					meanwhile(c, tr, g, n)
				}
			}
		}
	}, prog.OpGo, prog.OpExternal)
}

// meanwhile checks the goroutine started at g with what is open and held
// both there and where it is waited for.
func meanwhile(c *causes, tr *prog.Trace, g, wait *prog.Node) {
	var open []*prog.Conn
	for _, o := range wait.Open {
		if slices.Contains(g.Open, o) {
			open = append(open, o)
		}
	}
	if len(open) == 0 {
		return
	}
	var visit func(n *prog.Node)
	visit = func(n *prog.Node) {
		k := *n
		k.Open = append(append([]*prog.Conn{}, n.Open...), open...)
		second(c, tr, n, &k)
		if n.Kind == prog.OpAcquire && n.Take != nil {
			t := *n.Take
			k.Held, t.Node = both(g.Held, wait.Held), &k
			against(c, tr, &t)
		}
		for _, in := range n.Kids {
			visit(in)
		}
	}
	for _, n := range g.Kids {
		visit(n)
	}
}

// both returns the sets of locks held at the end, without what is taken
// after the start.
func both(start, end []prog.Held) []prog.Held {
	out := make([]prog.Held, len(end))
	for i, set := range end {
		for _, t := range set {
			if slices.ContainsFunc(start, func(s prog.Held) bool { return slices.Contains(s, t) }) {
				out[i] = append(out[i], t)
			}
		}
	}
	return out
}

// beside reports a statement on the very gorm handle on which the function
// has begun a transaction: it does not run in it.
func beside(c *causes, tr *prog.Trace, n *prog.Node) {
	if n.SQL == "" && len(n.Kids) == 0 {
		return
	}
	for _, o := range n.Open {
		if o.How != "tx" || o.Parent != n.Conn {
			continue
		}
		who := user(n, o)
		c.add(tr, n, o, who, pass.Fault{Kind: "pool-in-tx", Names: []string{"pool"}, Cut: guessed(n),
			Related: pass.Join(o.Opener.Witness("begins a transaction"), n.Witness("runs a statement on the handle it was begun on")),
			Message: "a statement runs on the handle on which " + lockgraph.Short(who) + " has begun a transaction, not on the transaction (it sees other data, and waits for a second connection)",
			Hint:    "run the statement on the transaction, or before it begins"})
		return
	}
}
