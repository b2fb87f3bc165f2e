package prog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// maxTold bounds the nodes that are told once for each way that goes on to
// them; past it they are told once behind all of these.
const maxTold = 400

// tell writes nodes in order. What some way through them skips, because it
// leaves the function without an error or goes on to the next turn, is one
// arm of a branch.
func (b *teller) tell(nodes []*Node, l *leaf, top bool) {
	for i, n := range nodes {
		switch n.Kind {
		case OpCall:
			outer := b.goesOn
			b.goesOn = b.swallowed(n, nodes[i+1:])
			b.tell(n.Kids, l, top)
			b.goesOn = outer
		case OpSQL, OpExit, OpGo:
			b.tell(n.Kids, l, top)
		case OpNone: // a loop over one element
			b.tell(n.Kids, l, top)
			if mayReturn(n.Kids) && b.fork([]*Node{{}, {Dead: true}}, nodes[i+1:], l, top) {
				return
			}
		case OpOpen:
			b.open(n, l)
		case OpEnd:
			b.end(n, l)
		case OpAcquire:
			b.lock(n, l, top)
		case OpExternal:
			if len(n.Held) > 0 && len(n.Held[0]) > 0 && n.Op.Str != "channel" {
				l.add(&tree{step: lockgraph.Step{Do: "external", What: n.Op.Str}})
			}
		case OpLoop:
			b.loop(n, l, top)
			if mayReturn(n.Kids) && b.fork([]*Node{{}, {Dead: true}}, nodes[i+1:], l, top) {
				return
			}
		case OpBranch:
			if b.branch(n, nodes[i+1:], l, top) {
				return
			}
		}
	}
}

func (b *teller) loop(n *Node, l *leaf, top bool) {
	if top && len(l.txs) == 0 {
		if c := b.callersIn(n.Kids); c != nil {
			l.callers(c)
		}
	}
	inner := &leaf{}
	b.tell(n.Kids, inner, false)
	if len(inner.steps) > 0 {
		s := lockgraph.Step{Do: "loop", Over: n.When, Order: b.p.loopOrder(n)}
		if s.Order == "" {
			s.Each = b.p.ownOrder(n)
		}
		l.add(&tree{step: s, kids: inner.steps})
	}
}

// callers opens the caller's transaction on the page.
func (l *leaf) callers(c *Conn) {
	t := &tree{step: lockgraph.Step{Do: "tx", Handle: "caller", End: "caller"}}
	l.add(t)
	l.txs = append(l.txs, &openTx{conn: c, tree: t})
}

func ofCaller(c *Conn) bool { return c.How == "param" || c.How == "unknown" }

// callersIn returns the caller's connection when the nodes lock on it and
// open none of their own.
func (b *teller) callersIn(nodes []*Node) *Conn {
	var found *Conn
	opens := false
	eachNode(nodes, func(n *Node) {
		switch {
		case n.Kind == OpOpen:
			opens = true
		case n.Kind == OpAcquire && n.Take != nil && found == nil && ofCaller(n.Take.Conn) && b.show(n.Take):
			found = n.Take.Conn
		}
	})
	if opens {
		return nil
	}
	return found
}

func eachNode(nodes []*Node, do func(*Node)) {
	for _, n := range nodes {
		do(n)
		eachNode(n.Kids, do)
	}
}

// anyNode reports whether is holds of one of the nodes, or of one below them.
func anyNode(nodes []*Node, is func(*Node) bool) bool {
	return slices.ContainsFunc(nodes, func(n *Node) bool { return is(n) || anyNode(n.Kids, is) })
}

// moreThan reports whether the nodes and those below them are more than most.
func moreThan(most int, nodes ...[]*Node) bool {
	n := 0
	return slices.ContainsFunc(nodes, func(list []*Node) bool {
		return anyNode(list, func(*Node) bool { n++; return n > most })
	})
}

// branch writes the arms of n; it reports whether it wrote the rest of the
// block too.
func (b *teller) branch(n *Node, rest []*Node, l *leaf, top bool) bool {
	inSwitch := n.Op != nil && n.Op.How == "switch"
	var kept []*Node
	ways := false
	for _, a := range n.Kids {
		away := leaves(a.Kids, inSwitch)
		locks := b.anyShown(a.Kids)
		switch {
		case b.goesOn && len(l.txs) == 0 && a.Dead && len(exits(a.Kids)) > 0:
			away = true // an error after which the caller goes on, without the transactions that would follow
		case a.Dead && !locks && (!away || failed(a)):
			continue // an error: what it skips is not done
		}
		kept = append(kept, a)
		ways = ways || away || a.Dead
	}
	if len(kept) == 0 {
		return false
	}
	if ways && b.fork(kept, rest, l, top) {
		return true
	}
	var arms []arm
	for _, a := range kept {
		arms = append(arms, arm{when: a.When, kids: b.told(a.Kids, l, top)})
	}
	b.addArms(arms, l)
	return false
}

// swallowed reports whether the caller goes on to lock more when the call
// fails: nothing that follows leaves because of its results or hands them on.
func (b *teller) swallowed(call *Node, rest []*Node) bool {
	if call.Op == nil || !b.anyShown(call.Kids) || !b.anyShown(rest) {
		return false
	}
	of := ":" + strconv.Itoa(call.Op.ID) + "."
	passed := false
	eachNode(rest, func(n *Node) {
		switch {
		case n.Fn != call.Fn:
		case n.Kind == OpExit:
			passed = passed || slices.ContainsFunc(n.Args, func(v *Val) bool { return resultOf(v, of, 0) })
		case n.Kind == OpBranch:
			for _, a := range n.Kids {
				passed = passed || a.Dead && resultOf(a.Val, of, 0)
			}
		}
	})
	return !passed
}

// resultOf reports whether v is made of a result whose name has the part.
func resultOf(v *Val, part string, depth int) bool {
	if v == nil || depth > 8 {
		return false
	}
	if v.Kind == VResult && strings.Contains(v.Str, part) {
		return true
	}
	return slices.ContainsFunc(v.Of, func(o *Val) bool { return resultOf(o, part, depth+1) })
}

// failed reports an arm that leaves a function which has no result to say
// that something failed: where a call did, or where nothing is held yet.
func failed(a *Node) bool {
	outs := exits(a.Kids)
	if len(outs) == 0 {
		return false
	}
	bare := true
	for _, x := range outs {
		if len(x.Args) > 0 {
			return false
		}
		for _, h := range x.Held {
			bare = bare && len(h) == 0
		}
	}
	return bare || a.Val != nil && a.Val.Kind == VNot && a.Val.Of[0].Kind == VIsNil
}

// told returns what nodes lock, in an arm of what is being written.
func (b *teller) told(nodes []*Node, l *leaf, top bool) []*tree {
	inner := &leaf{}
	b.tell(nodes, inner, top && len(l.txs) == 0)
	return inner.steps
}

// fork writes arms of which some leave the block: the others go on with the
// rest of it. It reports false, and writes nothing, where nothing follows.
func (b *teller) fork(arms []*Node, rest []*Node, l *leaf, top bool) bool {
	in, after := l.split(rest)
	if !b.anyShown(in) {
		return false // where the transaction ends first, both ways are told alike
	}
	inAway, inOn := l.taken(), l.taken()
	for _, a := range arms {
		if a.Dead {
			inAway.note(a.Kids)
		} else {
			inOn.note(a.Kids)
		}
	}
	inOn.note(in)
	tail := l.cut(func(t *Take) bool { return inOn[t] && !inAway[t] })
	on := slices.DeleteFunc(slices.Clone(arms), func(a *Node) bool { return a.Dead })
	once := len(on) > 1 && slices.ContainsFunc(on, func(a *Node) bool { return moreThan(maxTold, a.Kids, in) })
	var out []arm
	for _, a := range arms {
		switch {
		case !a.Dead && !once:
			kids := append(slices.Clone(a.Kids), in...)
			out = append(out, arm{when: a.When, kids: append(slices.Clone(tail), b.told(kids, l, top)...)})
		case a.Dead:
			var begun []*tree
			for _, t := range tail {
				if t.take == nil || inAway[t.take] || !inOn[t.take] {
					begun = append(begun, t)
				}
			}
			out = append(out, arm{when: a.When, kids: append(begun, b.told(a.Kids, l, top)...)})
		}
	}
	if once || len(on) == 0 {
		out = append(out, b.goOn(on, in, tail, l, top))
	}
	b.addArms(out, l)
	b.tell(after, l, top)
	return true
}

// goOn is one arm for all that go on with the rest of a block, which is told
// once behind them.
func (b *teller) goOn(on, rest []*Node, tail []*tree, l *leaf, top bool) arm {
	inner := &leaf{}
	inner.add(tail...)
	var ways []arm
	for _, a := range on {
		ways = append(ways, arm{when: a.When, kids: b.told(a.Kids, l, top)})
	}
	b.addArms(ways, inner)
	b.tell(rest, inner, top && len(l.txs) == 0)
	return arm{when: "otherwise", kids: inner.steps}
}

// split divides nodes where the transaction that is being written ends.
func (l *leaf) split(nodes []*Node) (in, after []*Node) {
	if len(l.txs) == 0 {
		return nodes, nil
	}
	for i, n := range nodes {
		ends := false
		eachNode(nodes[i:i+1], func(n *Node) {
			ends = ends || n.Kind == OpEnd && n.Conn == l.txs[len(l.txs)-1].conn && !(n.Ends == "rollback" && n.Op != nil && n.Op.Use.Deferred)
		})
		if ends && n.Kind != OpBranch {
			return nodes[:i], nodes[i:]
		}
	}
	return nodes, nil
}

// cut takes the steps from the first lock on that drop says of off what is
// being written, and returns them.
func (l *leaf) cut(drop func(*Take) bool) []*tree {
	list := l.list()
	for i, t := range *list {
		if t.take != nil && drop(t.take) {
			tail := append([]*tree{}, (*list)[i:]...)
			*list = (*list)[:i:i]
			return tail
		}
	}
	return nil
}

// takes says of some acquisitions whether they are held somewhere.
type takes map[*Take]bool

// taken returns the acquisitions that are being written.
func (l *leaf) taken() takes {
	out := takes{}
	for _, t := range *l.list() {
		if t.take != nil {
			out[t.take] = false
		}
	}
	return out
}

// note notes what is held at the nodes and below them.
func (s takes) note(nodes []*Node) {
	if len(s) == 0 {
		return
	}
	eachNode(nodes, func(n *Node) {
		for _, h := range n.Held {
			for _, t := range h {
				if _, ok := s[t]; ok {
					s[t] = true
				}
			}
		}
	})
}

// leaves reports whether some way through the nodes goes elsewhere than on,
// and not with an error.
func leaves(nodes []*Node, inSwitch bool) bool {
	for _, n := range nodes {
		switch n.Kind {
		case OpExit:
			if n.Outcome != "error" && n.Outcome != "panic" {
				return true
			}
		case OpContinue:
			return true
		case OpBreak:
			if !inSwitch || n.Op.Str != "" {
				return true
			}
		case OpLoop, OpNone:
			if mayReturn(n.Kids) {
				return true
			}
		case OpBranch:
			for _, a := range n.Kids {
				if leaves(a.Kids, inSwitch || n.Op != nil && n.Op.How == "switch") && !failed(a) {
					return true
				}
			}
		}
	}
	return false
}

// mayReturn reports whether the function may be left within the nodes, and not
// with an error.
func mayReturn(nodes []*Node) bool {
	for _, x := range exits(nodes) {
		if x.Outcome != "error" && x.Outcome != "panic" {
			return true
		}
	}
	return false
}

// exits lists the nodes at which the function is left.
func exits(nodes []*Node) []*Node {
	var out []*Node
	for _, n := range nodes {
		switch n.Kind {
		case OpExit:
			out = append(out, n)
		case OpLoop, OpBranch, OpNone:
			out = append(out, exits(n.Kids)...)
		}
	}
	return out
}

func (b *teller) anyShown(nodes []*Node) bool {
	return anyNode(nodes, func(n *Node) bool { return n.Kind == OpAcquire && n.Take != nil && b.show(n.Take) })
}
