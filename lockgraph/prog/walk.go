package prog

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A walker runs one entry with its parameters unbound and builds its trace.
type walker struct {
	p     *Program
	x     *evaluator
	trace *Trace
	conns []*Conn
	byVal map[string]*Conn
	seen  map[connKey]*Conn
	nodes int
	full  bool // the limit of nodes is reached
	takes int
	uids  int
	stack []string
	given []string // the functions that each on the stack is given
	envs  []*env   // of the functions on the stack
	frame *Frame
	loops []*Node
	cut   map[string]bool
	guess int // calls on the way of which it is not known on what value they are

	number numbering // of what facts are about
}

// An exit is a state that leaves a function, with its results.
type exit struct {
	st   *state
	vals []*Val
	pos  Pos
	how  string
}

// A flow is what leaves a block other than by falling through.
type flow struct {
	exits []exit
	brk   map[string][]*state
	cont  map[string][]*state
}

// Walk runs the entry and returns its trace.
func (p *Program) Walk(entry string) *Trace {
	f := p.Funcs[entry]
	w := &walker{p: p, x: newEvaluator(p), trace: &Trace{Entry: f}, byVal: map[string]*Conn{}, seen: map[connKey]*Conn{}, cut: map[string]bool{}, number: newNumbering()}
	root := &Node{Kind: OpCall, Fn: f, Pos: f.Pos}
	e := &env{fn: f, uid: "0", results: map[int][]*Val{}, conns: map[int]*Val{}, entered: []*state{{}}}
	w.stack, w.given, w.envs = append(w.stack, entry), append(w.given, ""), append(w.envs, e)
	p.entered[entry] = true
	for _, x := range w.run(e, []*state{{}}, root) {
		w.trace.Exits = append(w.trace.Exits, &Exit{Pos: x.pos, Outcome: w.outcome(x), Held: x.st.held, Open: x.st.open, Vals: x.vals})
	}
	w.trace.Nodes = root.Kids
	return w.trace
}

// outcome says how a function ended, by its last result.
func (w *walker) outcome(x exit) string {
	if x.how == "panic" {
		return "panic"
	}
	if len(x.vals) == 0 {
		return "ok"
	}
	last := x.vals[len(x.vals)-1]
	if b, ok := nilness(last); ok {
		if b {
			return "ok"
		}
		if last.Kind == VApply || last.Kind == VResult {
			return "error"
		}
	}
	if b, ok := x.st.fact(w.isNil(last)); ok && !b {
		return "error"
	} else if ok {
		return "ok"
	}
	return "unknown"
}

// ending says how a function ends in all of the states, "unknown" where
// they differ.
func (w *walker) ending(o *Op, sts []*state, vals []*Val) string {
	if n := len(vals); n > 0 {
		last := vals[n-1]
		if last.Kind == VIface { // a concrete error
			return "error"
		}
	}
	out := ""
	for _, s := range sts {
		now := w.outcome(exit{st: s, vals: vals, how: o.How})
		if out != "" && out != now {
			return "unknown"
		}
		out = now
	}
	return out
}

// sentinels notes that package variables which hold an error are not nil.
func (w *walker) sentinels(vals []*Val, sts []*state) []*state {
	for _, v := range vals {
		if v.Kind != VGlobal {
			continue
		}
		r := w.x.stored(v)
		if r == nil || r.Kind != VApply {
			continue
		}
		if isNil, ok := nilness(r); !ok || isNil {
			continue
		}
		out := make([]*state, len(sts))
		for i, s := range sts {
			out[i] = s.with(w.isNil(v), false)
		}
		sts = out
	}
	return sts
}

// run executes the body of e's function; every exit has run its defers.
func (w *walker) run(e *env, sts []*state, parent *Node) []exit {
	fl := &flow{brk: map[string][]*state{}, cont: map[string][]*state{}}
	sts = w.block(e.fn.Body, e, sts, parent, fl)
	if len(sts) > 0 {
		end := &Op{Kind: OpExit, ID: -1, Pos: e.fn.Pos}
		w.exit(end, e, sts, parent, fl)
	}
	return fl.exits
}

// block executes ops in order and returns the states that fall through.
func (w *walker) block(ops []Op, e *env, sts []*state, parent *Node, fl *flow) []*state {
	for i := range ops {
		if len(sts) == 0 {
			return nil
		}
		if w.nodes > w.p.Limits.Nodes {
			if w.full { // told where it was reached
				return sts
			}
			w.full = true
			w.cutAt(e, ops[i].Pos, lockgraph.CutSize, "the walk of "+w.trace.Entry.Key+" is cut at its limit of "+strconv.Itoa(w.p.Limits.Nodes)+" steps")
			return sts
		}
		next := w.op(&ops[i], e, sts, parent, fl)
		if i == 0 || !slices.Equal(next, sts) { // else they are merged already
			next = merge(next, w.p.Limits.States)
		}
		sts = next
	}
	return sts
}

func (w *walker) cutAt(e *env, pos Pos, kind, reason string) {
	key := kind + pos.File + strconv.Itoa(pos.Line) + reason
	if !w.cut[key] {
		w.cut[key] = true
		w.trace.Cuts = append(w.trace.Cuts, lockgraph.Unknown{File: pos.File, Line: pos.Line, Func: e.fn.Key, Kind: kind, Reason: reason})
	}
}

func (w *walker) node(o *Op, e *env, sts []*state, parent *Node) *Node {
	w.nodes++
	n := &Node{Kind: o.Kind, Op: o, Fn: e.fn, Stack: w.frame, Pos: o.Pos, Loops: w.loops, Cut: o.Cut}
	var openIn [][]*Conn
	n.Held, openIn = heldSets(sts)
	if n.Cut == "" && w.guess > 0 {
		n.Cut = lockgraph.CutCallee
	}
	switch o.Kind {
	case OpOpen, OpSQL, OpEnd, OpGo, OpExternal:
		n.Open, n.Lost = opens(sts)
		n.OpenIn = openIn
	}
	if parent != nil {
		parent.Kids = append(parent.Kids, n)
	}
	return n
}

func (w *walker) op(o *Op, e *env, sts []*state, parent *Node, fl *flow) []*state {
	w.x.left = maxBinds
	switch o.Kind {
	case OpOpen:
		return w.open(o, e, sts, parent)
	case OpSQL:
		return w.sql(o, e, sts, parent)
	case OpAcquire:
		return w.acquireGo(o, e, sts, parent)
	case OpRelease:
		return w.release(o, e, sts, parent, w.connOf(o.Conn, e, sts))
	case OpEnd:
		return w.each(o, e, sts, parent, false, func(c *Conn, in []*state, at *Node) []*state {
			if o.Str == Batch && !c.OfBatch() { // it ran in a transaction that goes on
				return in
			}
			return w.end(o, e, in, at, c, o.How)
		})
	case OpSet:
		c := w.connOf(o.Conn, e, sts)
		n := w.node(o, e, sts, parent)
		n.Conn, n.Val = c, w.x.eval(o.Val, e)
		w.set(c, o, n.Val)
	case OpCall:
		return w.call(o, e, sts, parent)
	case OpGo:
		n := w.node(o, e, sts, parent)
		w.detached(o, e, n)
	case OpDefer:
		out := make([]*state, len(sts))
		for i, s := range sts {
			c := s.clone()
			c.defers = append(append([]deferral{}, s.defers...), deferral{e, o})
			out[i] = c
		}
		return out
	case OpBranch:
		return w.branch(o, e, sts, parent, fl)
	case OpLoop:
		return w.loop(o, e, sts, parent, fl)
	case OpExit:
		w.exit(o, e, sts, parent, fl)
		return nil
	case OpBreak:
		w.node(o, e, sts, parent)
		fl.brk[o.Str] = append(fl.brk[o.Str], sts...)
		return nil
	case OpContinue:
		w.node(o, e, sts, parent)
		fl.cont[o.Str] = append(fl.cont[o.Str], sts...)
		return nil
	case OpExternal, OpUnknown, OpWait, OpCheck:
		if o.How == DSN { // what it tells is the program's, not the path's
			return sts
		}
		n := w.node(o, e, sts, parent)
		n.Val = w.x.eval(o.Val, e)
		for _, a := range o.Args {
			n.Args = append(n.Args, w.x.eval(a, e))
		}
		if o.Conn != nil {
			n.Conn = w.connOf(o.Conn, e, sts)
		}
	}
	return sts
}

// branch executes each arm whose guard can hold.
func (w *walker) branch(o *Op, e *env, sts []*state, parent *Node, fl *flow) []*state {
	n := w.node(o, e, sts, nil)
	var out []*state
	feasible := 0
	for i := range o.Arms {
		arm := &o.Arms[i]
		w.x.left = maxBinds
		g := w.x.eval(arm.Guard, e)
		var in []*state
		for _, s := range sts {
			in = append(in, w.cases(s, g, true)...)
		}
		if len(in) == 0 {
			continue
		}
		feasible++
		a := &Node{Fn: e.fn, Stack: w.frame, Pos: o.Pos, When: arm.When, Val: g, Loops: w.loops}
		outer := fl.brk[""]
		if o.How == "switch" { // a break in an arm leaves the switch, one before it the loop around
			delete(fl.brk, "")
		}
		fall := w.block(arm.Body, e, merge(in, w.p.Limits.States), a, fl)
		if o.How == "switch" {
			fall = append(fall, fl.brk[""]...)
			fl.brk[""] = outer
		}
		a.Dead = len(fall) == 0
		n.Kids = append(n.Kids, a)
		out = append(out, fall...)
	}
	if feasible == 1 {
		parent.Kids = append(parent.Kids, n.Kids[0].Kids...)
		return out
	}
	parent.Kids = append(parent.Kids, n)
	return out
}

// loop executes the body once; what an earlier turn still holds is marked
// carried where it matters, by the take's loops.
func (w *walker) loop(o *Op, e *env, sts []*state, parent *Node, fl *flow) []*state {
	n := w.node(o, e, sts, parent)
	n.Val = w.x.eval(o.Val, e)
	n.When = o.Str
	if o.How != "map" && o.How != "forever" && single(n.Val) {
		return w.once(o, e, sts, parent, n, fl)
	}
	if list := fewSteps(o, w.x.keptList(n.Val)); list != nil {
		return w.unrolled(o, e, sts, parent, n, fl, list)
	}
	inner := &flow{brk: map[string][]*state{}, cont: map[string][]*state{}}
	loops := w.loops
	w.loops = append(append([]*Node{}, loops...), n)
	fall := w.block(o.Body, e, sts, n, inner)
	w.loops = loops
	for _, a := range o.Args { // what goes on for another turn, after one
		n.Args = append(n.Args, w.x.eval(a, e))
	}
	fl.exits = append(fl.exits, inner.exits...)
	label := o.Query
	for _, ends := range [][]*state{fall, inner.cont[""], inner.cont[label]} {
		n.Left = append(n.Left, w.turned(e, n, ends)...)
	}
	fall = append(append(fall, inner.cont[""]...), inner.cont[label]...)
	var out []*state
	if o.How != "forever" {
		if !hasElements(n.Val) {
			out = append(out, sts...)
		}
		out = append(out, fall...)
	}
	out = append(append(out, inner.brk[""]...), inner.brk[label]...)
	for l, s := range inner.brk {
		if l != "" && l != label {
			fl.brk[l] = append(fl.brk[l], s...)
		}
	}
	for l, s := range inner.cont {
		if l != "" && l != label {
			fl.cont[l] = append(fl.cont[l], s...)
		}
	}
	return out
}

// single reports a slice that has exactly one element.
func single(v *Val) bool { return len(listed(v)) == 1 }

// hasElements reports a slice that has elements: a loop over it takes a turn.
func hasElements(v *Val) bool { return len(listed(v)) > 0 }

// listed returns the elements of a list, in whatever order, nil when they are
// not known.
func listed(v *Val) []*Val {
	for v = bare(v); v != nil && v.Kind == VApply && len(v.Of) > 0 && sameElements[v.Str]; {
		v = bare(v.Of[0])
	}
	if v == nil || v.Kind != VList {
		return nil
	}
	return v.Of
}

// once executes a loop over one element: it is no loop.
func (w *walker) once(o *Op, e *env, sts []*state, parent, n *Node, fl *flow) []*state {
	inner := &flow{brk: map[string][]*state{}, cont: map[string][]*state{}}
	out := w.block(o.Body, e, sts, n, inner)
	fl.exits = append(fl.exits, inner.exits...)
	n.Kind, n.When = OpNone, ""
	for _, label := range []string{"", o.Query} {
		out = append(append(out, inner.cont[label]...), inner.brk[label]...)
		delete(inner.cont, label)
		delete(inner.brk, label)
	}
	for l, s := range inner.brk {
		fl.brk[l] = append(fl.brk[l], s...)
	}
	for l, s := range inner.cont {
		fl.cont[l] = append(fl.cont[l], s...)
	}
	n.Dead = len(out) == 0
	return out
}

// exit leaves the function: defers run last in, first out.
func (w *walker) exit(o *Op, e *env, sts []*state, parent *Node, fl *flow) {
	var vals []*Val
	for _, a := range o.Args {
		w.x.left = maxBinds // a large result must not hide the error
		vals = append(vals, w.x.eval(a, e))
	}
	sts = w.sentinels(vals, sts)
	n := w.node(o, e, sts, nil)
	n.Args, n.Outcome = vals, w.ending(o, sts, vals)
	e.named = vals
	var out []*state
	for _, group := range byDefers(sts, e) {
		in := group.states
		for i := len(group.ops) - 1; i >= 0 && len(in) > 0; i-- {
			in = merge(w.block(group.ops[i].Body, e, in, n, fl), w.p.Limits.States)
		}
		for _, s := range in {
			out = append(out, s)
		}
	}
	w.leaveSet(e)
	n.Left = w.left(e, out, vals, o.Pos)
	for _, s := range out {
		fl.exits = append(fl.exits, exit{st: w.dropped(e, s, vals), vals: vals, pos: o.Pos, how: o.How})
	}
	e.named = nil
	parent.Kids = append(parent.Kids, n)
}

// owned reports whether c was opened since e's function was entered, and
// nobody else has it.
func (w *walker) owned(e *env, c *Conn, vals []*Val) bool {
	return !c.Kept && w.alone(e, c, vals)
}

// unstored reports whether e's function, which has opened c, stores it only
// further down than at, which stands below, not in an earlier turn of a loop.
func (w *walker) unstored(e *env, c *Conn, at Pos) bool {
	return c.Fn == e.fn && c.Opener != nil && c.Opener.Pos.Line <= at.Line && at.Line < c.keptFrom && len(c.Loops) == len(w.loops)
}

// alone reports whether c was opened since e's function was entered, and
// nobody else has it, unless it is stored somewhere.
func (w *walker) alone(e *env, c *Conn, vals []*Val) bool {
	if c.Handed || c.How == "savepoint" || c.wrap != nil && !c.wrap.without(e, vals) {
		return false
	}
	for _, b := range e.before {
		if b == c {
			return false
		}
	}
	if w.setAround(c) {
		return false
	}
	for _, v := range vals {
		for _, x := range w.connsIn(v, 0) {
			if x == c || within(x, c) {
				return false
			}
		}
	}
	return true
}

// left returns what is owned, or not stored yet, at a way out, and open in
// each of the states.
func (w *walker) left(e *env, sts []*state, vals []*Val, at Pos) []*Conn {
	var out []*Conn
	for _, c := range openInAll(sts) {
		if w.owned(e, c, vals) || w.unstored(e, c, at) && w.alone(e, c, vals) {
			out = append(out, c)
		}
	}
	return out
}

// turned returns what e's function has opened in a turn of the loop and has
// open in each of the states after it, where nobody else has it and nothing
// is deferred: the next turn cannot reach it.
func (w *walker) turned(e *env, loop *Node, sts []*state) []*Conn {
	var out []*Conn
	for _, c := range openInAll(sts) {
		if c.How == "savepoint" || c.Kept || c.Handed || c.Fn != e.fn || c.wrap != nil && c.wrap.fn != e.fn || !slices.Contains(c.Loops, loop) ||
			slices.ContainsFunc(sts, func(s *state) bool { return slices.ContainsFunc(s.defers, func(d deferral) bool { return d.env == e }) }) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// openInAll returns what is open in each of the states.
func openInAll(sts []*state) []*Conn {
	if len(sts) == 0 {
		return nil
	}
	var out []*Conn
	for _, c := range sts[0].open {
		if !slices.ContainsFunc(sts[1:], func(s *state) bool { return !s.isOpen(c) }) {
			out = append(out, c)
		}
	}
	return out
}

// dropped returns s without the transactions that are owned: nobody can use
// them any more.
func (w *walker) dropped(e *env, s *state, vals []*Val) *state {
	for _, c := range s.open {
		if c.How == "tx" && w.owned(e, c, vals) {
			s = s.without(func(t *Take) bool { return within(t.Conn, c) && t.Scope == lockgraph.Transaction }).closed(c)
		}
	}
	return s
}

type deferGroup struct {
	ops    []*Op
	states []*state
}

// byDefers groups the states by what e's function has deferred in them, and
// takes it off them.
func byDefers(sts []*state, e *env) []*deferGroup {
	at := map[string]*deferGroup{}
	var out []*deferGroup
	for _, s := range sts {
		g := &deferGroup{}
		key := ""
		c := s.clone()
		c.defers = nil
		for _, d := range s.defers {
			if d.env == e {
				g.ops = append(g.ops, d.op)
				key += fmt.Sprint(d.op.ID, " ")
			} else {
				c.defers = append(c.defers, d)
			}
		}
		if at[key] == nil {
			at[key] = g
			out = append(out, g)
		}
		at[key].states = append(at[key].states, c)
	}
	return out
}
