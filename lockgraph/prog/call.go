package prog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// call executes what the call can reach: in each state what the value called
// is there.
func (w *walker) call(o *Op, e *env, sts []*state, parent *Node) []*state {
	fn := w.x.eval(o.Val, e)
	if f := bare(fn); f.Kind == VApply && f.Str == CtxEnd {
		return w.ctxEnds(o, e, f.Of[0], sts, parent)
	}
	args := make([]*Val, len(o.Args))
	for i, a := range o.Args {
		args[i] = w.x.eval(a, e)
	}
	w.calls(o, e, sts, parent)
	ways := w.ways(sts, fn)
	if len(ways) == 1 {
		out, results := w.callOn(o, e, ways[0].fn, args, sts, parent)
		w.bindResults(o, e, results)
		return out
	}
	b := w.node(&Op{Kind: OpBranch, ID: o.ID, Pos: o.Pos, How: "callees"}, e, sts, nil)
	var falls [][]*state
	var all [][]*Val
	for _, way := range ways {
		arm := &Node{Fn: e.fn, Stack: w.frame, Pos: o.Pos, Loops: w.loops}
		fall, results := w.callOn(o, e, way.fn, args, way.sts, arm)
		falls, all = append(falls, fall), append(all, results)
		if len(arm.Kids) > 0 {
			b.Kids = append(b.Kids, arm)
		}
	}
	out, joined := w.joinResults(o, e, falls, all)
	w.bindResults(o, e, joined)
	if len(b.Kids) > 0 {
		parent.Kids = append(parent.Kids, b)
	}
	return out
}

// A calledAs is what a value called is in some states.
type calledAs struct {
	fn  *Val
	sts []*state
}

// ways groups the states by what the value called is in them.
func (w *walker) ways(sts []*state, fn *Val) []calledAs {
	var out []calledAs
next:
	for _, s := range sts {
		in := w.inside(s, fn, 0)
		for i := range out {
			if out[i].fn == in || Equal(out[i].fn, in) {
				out[i].sts = append(out[i].sts, s)
				continue next
			}
		}
		out = append(out, calledAs{in, []*state{s}})
	}
	if len(out) == 0 {
		return []calledAs{{fn, sts}}
	}
	return out
}

// callOn executes what a call of fn can reach and returns the states after it
// and the results.
func (w *walker) callOn(o *Op, e *env, fn *Val, args []*Val, sts []*state, parent *Node) ([]*state, []*Val) {
	cs, other := w.resolve(fn, o, e, args)
	w.away(other, o, e, args, sts, parent)
	if len(cs) == 0 {
		w.hole(fn, o, args)
		return sts, nil
	}
	if len(cs) > 1 {
		cs = w.unmet(fn, cs, args, sts)
	}
	if len(cs) == 1 {
		n := w.node(o, e, sts, nil)
		n.Val, n.Args = fn, args
		out, results := w.enter(o, e, cs[0], args, sts, n)
		if len(n.Kids) > 0 {
			parent.Kids = append(parent.Kids, n)
		}
		return out, results
	}
	b := w.node(&Op{Kind: OpBranch, ID: o.ID, Pos: o.Pos, How: "callees"}, e, sts, nil)
	var falls [][]*state
	var all [][]*Val
	if unlike(cs) {
		w.guess++
		defer func() { w.guess-- }()
	}
	in := make([][]*state, len(cs)) // none where an earlier call has shown that it is not this one
	var among []string
	for i, c := range cs {
		if in[i] = w.onWay(sts, fn, c); len(in[i]) > 0 {
			among = append(among, c.key)
		}
	}
	for i, c := range cs {
		if len(in[i]) == 0 {
			continue
		}
		c.among = among
		arm := &Node{Fn: e.fn, Stack: w.frame, Pos: o.Pos, When: "by " + short(c.key), Loops: w.loops}
		n := w.node(o, e, in[i], arm)
		n.Val, n.Args = fn, args
		fall, results := w.enter(o, e, c, args, in[i], n)
		falls, all = append(falls, fall), append(all, results)
		if len(n.Kids) > 0 {
			b.Kids = append(b.Kids, arm)
		}
	}
	if len(all) == 0 {
		return sts, nil
	}
	if len(b.Kids) > 0 {
		parent.Kids = append(parent.Kids, b)
	}
	return w.joinResults(o, e, falls, all)
}

// joinResults joins the states after several ways of one call, and its
// results: each state remembers which way its results came.
func (w *walker) joinResults(o *Op, e *env, falls [][]*state, all [][]*Val) ([]*state, []*Val) {
	var joined []*Val
	for _, rs := range all {
		for i := range rs {
			if i < len(joined) {
				joined[i] = Choose(maxChoice, joined[i], rs[i])
			} else {
				joined = append(joined, rs[i])
			}
		}
	}
	w.uids++
	for i, r := range joined {
		if r.Kind == VChoice {
			joined[i] = New(VResult, e.uid+":"+strconv.Itoa(o.ID)+"."+strconv.Itoa(i)+"@"+strconv.Itoa(w.uids)+"ways", r)
		}
	}
	var out []*state
	for k, fall := range falls {
		for _, s := range fall {
			for i, r := range joined {
				if r.Kind != VResult || len(r.Of) == 0 || i >= len(all[k]) {
					continue
				}
				s = w.tag(s, r, all[k][i])
				if n := alternative(r.Of[0], all[k][i]); n >= 0 {
					s = s.with(w.wayOf(r, n), true)
				}
			}
			out = append(out, s)
		}
	}
	return out, joined
}

// unlike reports whether one method is called on several values that hold
// different handles: which of them is meant is not known.
func unlike(cs []callee) bool {
	held := map[string]string{}
	for _, c := range cs {
		var b strings.Builder
		for _, r := range c.recv {
			handles(r, &b, 0)
		}
		if old, ok := held[c.key]; ok && old != b.String() {
			return true
		}
		held[c.key] = b.String()
	}
	return false
}

// handles writes down the handles that a value holds.
func handles(v *Val, b *strings.Builder, depth int) {
	if v == nil || depth > 6 {
		return
	}
	if v.Kind == VHandle || v.Kind == VConn {
		b.WriteString(v.String())
		b.WriteByte(' ')
		return
	}
	for _, o := range v.Of {
		handles(o, b, depth+1)
	}
}

// onWay returns the states in which a method's receiver can be of the type
// whose method c is, with that noted: what one value of an interface is at
// one call it is at the next.
func (w *walker) onWay(sts []*state, fn *Val, c callee) []*state {
	fn = bare(fn)
	if fn.Kind != VMethod || !stable(fn.Of[0]) {
		return sts
	}
	at := strings.LastIndexByte(c.key, '.')
	if at < 0 {
		return sts
	}
	name := strconv.Itoa(int(w.number.value(fn.Of[0]))) + " "
	var out []*state
	for _, s := range sts {
		is, other := false, false
		for _, f := range s.facts {
			if typ, ok := strings.CutPrefix(w.number.subjects[f.name].text, name); ok && f.about == ofType {
				is = is || typ == c.key[:at]
				other = true
			}
		}
		if is || !other {
			out = append(out, s.with(w.key(ofType, name+c.key[:at]), true))
		}
	}
	return out
}

// short returns the last part of a symbol: F, (*T).M, M$1.
func short(key string) string {
	if strings.Contains(key, "$") {
		return lockgraph.Short(key)
	}
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		key = key[i+1:]
	}
	if i := strings.IndexByte(key, '.'); i >= 0 {
		return key[i+1:]
	}
	return key
}

// resolve returns the callees worth entering, and the others.
func (w *walker) resolve(fn *Val, o *Op, e *env, args []*Val) (out, other []callee) {
	cs := w.x.callees(fn)
	if len(cs) == 0 {
		cs = w.dynamic(fn, o, e)
	}
	for _, c := range cs {
		if f := w.p.Funcs[c.key]; f != nil && w.p.left(f) && !e.fn.Test {
			continue // a test double, which the program never runs
		}
		if w.worth(c, args) {
			out = append(out, c)
		} else {
			other = append(other, c)
		}
	}
	if len(out) > w.p.Limits.Callees {
		w.cutAt(e, o.Pos, lockgraph.CutCallee, "call of "+describe(fn)+" can reach "+strconv.Itoa(len(out))+" functions that lock; "+strconv.Itoa(w.p.Limits.Callees)+" are followed")
		for _, c := range out[w.p.Limits.Callees:] {
			w.p.beyond[c.key] = true
		}
		out = out[:w.p.Limits.Callees]
	}
	return out, other
}

// dynamic falls back on the call graph's callees, then on every implementer
// that bears locks; where none does, on the first one if each leaves the
// process.
func (w *walker) dynamic(fn *Val, o *Op, e *env) []callee {
	var out []callee
	fn = bare(fn)
	var recv []*Val
	if fn.Kind == VMethod {
		recv = fn.Of[:1]
	}
	if keys, ok := w.p.Dynamic[e.fn.Key+":"+strconv.Itoa(o.ID)]; ok {
		if o.Val.Kind == VParam || o.Val.Kind == VFree {
			keys = w.onStack(keys)
		}
		for _, k := range keys {
			c := callee{key: k, recv: recv}
			if f := w.p.Funcs[k]; recv == nil && f != nil && f.Params == len(o.Args)+1 { // a method value: whose, the graph does not prove
				c.recv = []*Val{Hole("receiver")}
			}
			out = append(out, c)
		}
		return out
	}
	if fn.Kind == VMethod {
		all := w.p.fitting(fn)
		leave := len(all) > 0
		for _, k := range all {
			leave = leave && w.p.leaving()[k] != nil
			if w.p.bears[k] {
				out = append(out, callee{key: k, recv: recv})
			}
		}
		if leave && len(out) == 0 {
			out = append(out, callee{key: all[0], recv: recv})
		}
	}
	return out
}

// onStack leaves, of the functions that a parameter can be anywhere in the
// program, those that can be meant here: the closures of the innermost
// function on the way that has some, else the only one there is.
func (w *walker) onStack(keys []string) []string {
	for i := len(w.stack) - 1; i >= 0; i-- {
		var out []string
		for _, k := range keys {
			if strings.HasPrefix(k, w.stack[i]+"$") && strings.Count(k, "$") == strings.Count(w.stack[i], "$")+1 {
				out = append(out, k)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	if len(keys) > 1 {
		return nil
	}
	return keys
}

func describe(fn *Val) string {
	switch fn.Kind {
	case VMethod:
		return "method " + methodName(fn.Str)
	case VFunc, VClosure:
		return short(fn.Str)
	}
	return "a function value"
}

// worth reports whether entering the callee can show anything: it bears
// locks, or it calls something that does.
func (w *walker) worth(c callee, args []*Val) bool {
	if w.p.bears[c.key] || w.p.guards[c.key] {
		return true
	}
	if !w.p.takes[c.key] {
		return false
	}
	for _, list := range [][]*Val{args, c.recv, c.frees} {
		for _, a := range list {
			if w.carries(a, 0) {
				return true
			}
		}
	}
	return false
}

// carries reports whether a value holds a function that bears locks.
func (w *walker) carries(v *Val, depth int) bool {
	if v == nil || depth > 6 {
		return false
	}
	switch v.Kind {
	case VFunc, VClosure:
		if w.p.bears[v.Str] || w.p.takes[v.Str] || w.p.isMissing(v.Str) {
			return true
		}
	case VMethod:
		for _, k := range w.p.implementers(v) {
			if w.p.bears[k] {
				return true
			}
		}
	}
	for _, o := range v.Of {
		if w.carries(o, depth+1) {
			return true
		}
	}
	return false
}

// enter runs the callee with its parameters bound and returns the caller's
// states afterwards and the callee's results.
func (w *walker) enter(o *Op, e *env, c callee, args []*Val, sts []*state, n *Node) ([]*state, []*Val) {
	f := w.p.Funcs[c.key]
	given := functionsIn(args)
	rounds, with := 0, 0
	for i, k := range w.stack {
		if k == c.key {
			rounds++
			if w.given[i] == given {
				with++
			}
		}
	}
	if with > 1 || rounds > maxRounds {
		w.cutAt(e, o.Pos, lockgraph.CutRecursion, short(c.key)+" calls itself; two rounds are followed")
		n.Cut = lockgraph.CutRecursion
		return sts, nil
	}
	if len(w.stack) >= w.p.Limits.Depth {
		w.cutAt(e, o.Pos, lockgraph.CutDepth, "calls nest deeper than "+strconv.Itoa(w.p.Limits.Depth))
		n.Cut = lockgraph.CutDepth
		return sts, nil
	}
	w.uids++
	inner := &env{fn: f, uid: strconv.Itoa(w.uids), args: append(append([]*Val{}, c.recv...), args...), frees: c.frees,
		results: map[int][]*Val{}, conns: map[int]*Val{}}
	inner.before, _ = opens(sts)
	inner.entered, inner.called, inner.among = sts, args, c.among
	frame := w.frame
	w.frame = &Frame{Up: frame, Fn: f, From: e.fn, Pos: o.Pos, Does: "calls " + short(c.key), call: o, recv: len(c.recv)}
	w.stack, w.given, w.envs = append(w.stack, c.key), append(w.given, given), append(w.envs, inner)
	w.p.entered[c.key] = true
	exits := w.run(inner, sts, n)
	w.stack, w.given, w.envs = w.stack[:len(w.stack)-1], w.given[:len(w.given)-1], w.envs[:len(w.envs)-1]
	w.frame = frame
	return w.leave(o, e, inner, exits)
}

// maxRounds bounds how often one helper is on the way, each time with another
// function to call.
const maxRounds = 4

// functionsIn names the functions among the arguments of a call: a helper that
// calls what it is given does not call itself where it is given another one.
func functionsIn(args []*Val) string {
	var names []string
	for _, a := range args {
		if a = bare(a); a != nil && (a.Kind == VClosure || a.Kind == VFunc) {
			names = append(names, a.Str)
		}
	}
	return strings.Join(names, " ")
}

// leave joins a callee's exits: results are what any exit returns; each
// state remembers which of them are nil or true.
func (w *walker) leave(o *Op, e *env, inner *env, exits []exit) ([]*state, []*Val) {
	width := 0
	for _, x := range exits {
		width = max(width, len(x.vals))
	}
	results := make([]*Val, width)
	for i := range results {
		var all, empty []*Val
		for _, x := range exits {
			switch {
			case i >= len(x.vals):
			case i < len(x.vals)-1 && isZero(x.vals[i]) && w.outcome(x) == "error":
				empty = append(empty, x.vals[i])
			default:
				all = append(all, x.vals[i])
			}
		}
		if len(all) == 0 {
			all = empty
		}
		name := e.uid + ":" + strconv.Itoa(o.ID) + "." + strconv.Itoa(i) + "@" + inner.uid
		r := Choose(maxChoice, all...)
		if r.Kind == VChoice || r.Kind == VHole {
			r = New(VResult, name, r)
		}
		results[i] = r
	}
	var out []*state
	for _, x := range exits {
		if x.how == "panic" {
			continue
		}
		s := x.st
		for i, v := range x.vals {
			if results[i].Kind != VResult || len(results[i].Of) == 0 {
				continue
			}
			s = w.tag(s, results[i], v)
			if n := alternative(results[i].Of[0], v); n >= 0 {
				s = s.with(w.wayOf(results[i], n), true)
			}
		}
		if n := width - 1; n > 0 && len(x.vals) == width && lacks(x.vals, results) {
			s = s.with(w.isNil(results[n]), false) // unless it is known to be nil
		}
		out = append(out, s)
	}
	return merge(out, w.p.Limits.States), results
}

// isZero reports a struct none of whose fields is set: what is returned beside
// an error, and nobody looks at.
func isZero(v *Val) bool { return v.Kind == VRecord && len(v.Of) == 0 }

// lacks reports an exit that returns no connection where others do: what it
// returns last is an error.
func lacks(vals, results []*Val) bool {
	if last := results[len(results)-1]; last.Kind != VResult {
		return false
	}
	for i, v := range vals[:len(vals)-1] {
		if v.IsNil() && carriesHandle(results[i], 0) {
			return true
		}
	}
	return false
}

// tag notes what state s knows of result r, whose value in s is v.
func (w *walker) tag(s *state, r, v *Val) *state {
	if b, ok := nilness(v); ok {
		s = s.with(w.isNil(r), b)
	} else if b, ok := s.fact(w.isNil(v)); ok {
		s = s.with(w.isNil(r), b)
	}
	if b, ok := Truth(v); ok {
		s = s.with(w.guard(r), b)
	} else if b, ok := s.fact(w.guard(v)); ok {
		s = s.with(w.guard(r), b)
	}
	return s
}

func (w *walker) bindResults(o *Op, e *env, results []*Val) {
	if results != nil {
		results = slices.Clone(results)
		for i, r := range results {
			results[i] = openedAt(r, e, o)
		}
		e.results[o.ID] = results
		w.keep(e, o.ID, results)
	}
}

// keep notes the connections among the results of a call that the function
// stores in a field or variable: they outlive it.
func (w *walker) keep(e *env, id int, results []*Val) {
	if e.fn == nil || len(w.p.stores[e.fn.Key]) == 0 {
		return
	}
	for i, r := range results {
		name := strconv.Itoa(id) + "." + strconv.Itoa(i)
		for _, s := range w.p.stores[e.fn.Key] {
			if !refers(s.Val, name, strconv.Itoa(id), 0) {
				continue
			}
			in := resultsWith(e.fn, name, strconv.Itoa(id))
			for _, c := range w.connsIn(r, 0) {
				c.inElement = c.inElement || s.Field == InElement
				if s.Made && len(in) > 0 && c.wrap == nil {
					c.wrap = &wrapping{fn: e.fn, results: in}
				} else if !c.Kept {
					c.Kept, c.keptFrom = true, s.Line
				} else {
					c.keptFrom = min(c.keptFrom, s.Line)
				}
			}
		}
	}
}

// A wrapping says that a function puts a connection into what it returns.
type wrapping struct {
	fn      *Func
	results []int // in which of its results, on some way out
}

// resultsWith returns which results of f some way out makes of a call's
// result.
func resultsWith(f *Func, result, id string) []int {
	var out []int
	visit(f.Body, func(o *Op) {
		if o.Kind != OpExit {
			return
		}
		for i, v := range o.Args {
			if refers(v, result, id, 0) && !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	})
	return out
}

// without reports whether the function that wraps a connection leaves here
// with nothing in place of the wrapper.
func (r *wrapping) without(e *env, vals []*Val) bool {
	if r.fn != e.fn {
		return false
	}
	for _, i := range r.results {
		if i >= len(vals) || vals[i] == nil || vals[i].Kind != VConst {
			return false
		}
	}
	return true
}

// refers reports whether v is made of the call's result.
func refers(v *Val, result, id string, depth int) bool {
	if v == nil || depth > 8 {
		return false
	}
	if v.Kind == VResult && v.Str == result || v.Kind == VConn && v.Str == id {
		return true
	}
	for _, o := range v.Of {
		if refers(o, result, id, depth+1) {
			return true
		}
	}
	return false
}

// kept marks the connections that v holds as out of the walk's sight.
func (w *walker) kept(v *Val, depth int) {
	for _, c := range w.connsIn(v, depth) {
		c.Kept, c.keptFrom = true, 0
	}
}

// handed marks the connections that v holds as another goroutine's, in which
// they are open.
func (w *walker) handed(st *state, v *Val) {
	for _, c := range w.connsIn(v, 0) {
		c.Handed = true
		if !st.isOpen(c) {
			st.open = append(st.open, c)
		}
	}
}

func (w *walker) connsIn(v *Val, depth int) []*Conn {
	if v == nil || depth > 8 {
		return nil
	}
	var out []*Conn
	if n, ok := strings.CutPrefix(v.Str, "#"); ok && v.Kind == VConn {
		if i, err := strconv.Atoi(n); err == nil && i < len(w.conns) {
			out = append(out, w.conns[i])
		}
	}
	for _, o := range v.Of {
		out = append(out, w.connsIn(o, depth+1)...)
	}
	return out
}

// hole notes a call that could not be followed; what it is given is out of
// sight from then on.
func (w *walker) hole(fn *Val, o *Op, args []*Val) {
	f := bare(fn)
	if f == nil || f.Kind == VFunc && w.p.Funcs[f.Str] != nil || f.Kind == VClosure && !w.p.isMissing(f.Str) || len(w.x.callees(fn)) > 0 {
		return // known, and nothing worth walking
	}
	if f.Kind != VFunc || w.p.isMissing(f.Str) {
		w.trace.Holes = append(w.trace.Holes, o.Pos)
	}
	for _, a := range args {
		w.kept(a, 0)
	}
	for _, r := range f.Of {
		w.kept(r, 0)
	}
}

// detached walks what another goroutine runs: it holds nothing of ours.
func (w *walker) detached(o *Op, e *env, n *Node) {
	st := &state{}
	visit(o.Body, func(in *Op) {
		w.handed(st, w.x.eval(in.Val, e))
		for _, a := range in.Args {
			w.handed(st, w.x.eval(a, e))
		}
	})
	w.handed(st, w.x.eval(o.Val, e))
	for _, a := range o.Args {
		w.handed(st, w.x.eval(a, e))
	}
	if o.Val == nil {
		w.block(o.Body, e, []*state{st}, n, &flow{brk: map[string][]*state{}, cont: map[string][]*state{}})
		return
	}
	call := *o
	call.Kind = OpCall
	w.call(&call, e, []*state{st}, n)
}
