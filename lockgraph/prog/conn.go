package prog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// newConn adds a connection to the trace.
func (w *walker) newConn(c Conn) *Conn {
	c.N = len(w.conns)
	w.conns = append(w.conns, &c)
	return &c
}

// connOf returns the connection that a handle value names, for states that
// agree; each is used where they may not.
func (w *walker) connOf(v *Val, e *env, sts []*state) *Conn {
	h := w.x.eval(v, e)
	var st *state
	if len(sts) > 0 {
		st = sts[0]
	}
	return w.handle(h, st, e, 0)
}

// behind returns the connection that a handle value is made of.
func (w *walker) behind(h *Val, st *state, e *env, depth int) *Conn {
	if h == nil || depth > 12 {
		return w.named("unknown", "", h)
	}
	if in := w.inside(st, h, depth); in != h {
		if c := w.handle(in, st, e, depth+1); c.How != "unknown" {
			return c
		}
	}
	switch h.Kind {
	case VConn:
		if n, ok := strings.CutPrefix(h.Str, "#"); ok {
			if i, err := strconv.Atoi(n); err == nil && i < len(w.conns) {
				return w.conns[i]
			}
		}
		return w.named("unknown", "", h)
	case VHandle:
		return w.typed(h, st, e, depth)
	case VIface:
		return w.handle(h.Of[0], st, e, depth+1)
	case VMod:
		return w.handle(RunsOn(h), st, e, depth+1)
	case VApply:
		if strings.HasPrefix(h.Str, "open ") {
			return w.named("pool", "pool", h)
		}
		if h.Str == TxOf {
			return w.handle(h.Of[0], st, e, depth+1)
		}
	case VRecord: // a wrapper type: the one connection it holds
		return w.wrapped(h, st, e, depth)
	case VResult:
		if len(h.Of) == 1 {
			return w.handle(h.Of[0], st, e, depth+1)
		}
	case VChoice:
		return w.chosen(h, st, e, depth)
	case VParam:
		return w.named("param", "", h)
	case VField, VElem, VGlobal:
		if of := ofHandle(h); of != nil { // what a library's handle wraps is that handle
			return w.handle(of, st, e, depth+1)
		}
		if r := w.x.stored(h); r != nil && !Equal(r, h) {
			if c := w.handle(r, st, e, depth+1); c.How != "unknown" {
				if c.How == "param" {
					if _, ok := w.x.opens(r, 0); ok { // a constructor's, as its callers have it
						return w.named("pool", "pool", h)
					}
					return w.named("unknown", c.Static, h)
				}
				return c
			}
		}
		if c := w.inElement(h, st); c != nil {
			return c
		}
		if rootParam(h) {
			return w.named("unknown", "", h)
		}
	}
	return w.named("unknown", "", h)
}

// RunsOn returns what a builder chain runs on: what its newest step that
// names a handle says, else what it begins with.
func RunsOn(v *Val) *Val {
	for v.Kind == VMod && len(v.Of) > 0 {
		if words := strings.Fields(v.Str); len(words) == 3 {
			if i := atoi(words[2]); i > 0 && i < len(v.Of) {
				return v.Of[i]
			}
		}
		in := v.Of[0]
		if b := bare(in); b.Kind != VMod {
			return in
		}
		v = bare(in)
	}
	return v
}

// Of0 returns the first part of v, nil when it has none.
func (v *Val) Of0() *Val {
	if len(v.Of) == 0 {
		return nil
	}
	return v.Of[0]
}

func rootParam(v *Val) bool {
	for v != nil && (v.Kind == VField || v.Kind == VElem) {
		v = bare(v.Of0())
	}
	return v != nil && v.Kind == VParam
}

// typed resolves a value whose Go type says what it is.
func (w *walker) typed(h *Val, st *state, e *env, depth int) *Conn {
	in := h.Of[0]
	switch bare(in).Kind {
	case VConn, VChoice, VMod, VApply, VRecord:
		if c := w.handle(bare(in), st, e, depth+1); c.How != "unknown" {
			return c
		}
	case VField, VElem, VGlobal:
		if h.Str != "pool" {
			if c := w.handle(bare(in), st, e, depth+1); c.How != "unknown" && c.How != "param" {
				return c
			}
		}
	}
	switch h.Str {
	case "pool":
		return w.named("pool", "pool", in)
	case "tx":
		if root(in).Kind == VParam {
			return w.named("param", "tx", in)
		}
		return w.named("unknown", "tx", in)
	case "conn":
		if root(in).Kind == VParam {
			return w.named("param", "conn", in)
		}
		return w.named("conn", "conn", in)
	}
	switch root(in).Kind {
	case VParam:
		return w.named("param", h.Str, in)
	case VGlobal: // a handle of the whole program is no transaction
		return w.named("pool", "pool", in)
	}
	return w.named("unknown", h.Str, in)
}

// root follows a value to what it is a part of.
func root(v *Val) *Val {
	for v != nil {
		switch v.Kind {
		case VField, VElem, VIface, VHandle, VMod:
			v = v.Of[0]
			continue
		case VResult:
			if len(v.Of) == 1 {
				v = v.Of[0]
				continue
			}
		}
		return v
	}
	return Hole("")
}

// wrapped finds the one handle inside a struct that wraps it.
func (w *walker) wrapped(h *Val, st *state, e *env, depth int) *Conn {
	var found *Conn
	for _, in := range h.Of {
		v := in.Of[0]
		if strings.HasSuffix(h.Str, ".txDriver") && !strings.HasSuffix(in.Str, ".tx") { // ent: it also keeps where it began
			continue
		}
		if b := bare(v); v.Kind != VHandle && b.Kind != VConn && b.Kind != VRecord {
			continue
		}
		if c := w.handle(v, st, e, depth+1); c.How != "unknown" {
			switch {
			case found == nil || found == c || c.begunOn(found):
				found = c
			case found.begunOn(c): // it also keeps what it was begun on
			default:
				return w.named("unknown", "", h)
			}
		}
	}
	if found != nil {
		return found
	}
	return w.named("unknown", "", h)
}

// begunOn reports whether c was begun on the other connection, or on what was.
func (c *Conn) begunOn(other *Conn) bool {
	for c = c.Parent; c != nil; c = c.Parent {
		if c == other {
			return true
		}
	}
	return false
}

// chosen picks, of several handles, the one that is open in the state.
func (w *walker) chosen(h *Val, st *state, e *env, depth int) *Conn {
	var other, open *Conn
	mixed := false
	for _, o := range h.Of {
		if o.IsNil() {
			continue
		}
		c := w.handle(o, st, e, depth+1)
		if st != nil && st.isOpen(c) {
			if open == nil || c.N > open.N {
				open = c
			}
			continue
		}
		if c.Opener != nil && st != nil {
			continue // opened on another way here, not on this one
		}
		if other != nil && other != c {
			mixed = mixed || other.How != c.How
			if rank(c) < rank(other) {
				continue
			}
		}
		other = c
	}
	if open != nil {
		return open
	}
	if other == nil || mixed {
		return w.named("unknown", "", h)
	}
	return other
}

func rank(c *Conn) int {
	switch c.How {
	case "pool":
		return 3
	case "conn", "tx":
		return 2
	case "param":
		return 1
	}
	return 0
}

// named returns the connection known by a value, the same for the same
// value.
func (w *walker) named(how, static string, v *Val) *Conn {
	if how != "pool" && static != "pool" && static != "conn" {
		if r := root(v); r.Kind == VParam {
			return w.callers(how, static, v, r)
		}
	}
	same := connKey{how, static, v}
	if c := w.seen[same]; c != nil { // the text of a large value is long
		return c
	}
	key := how + " " + static
	if v != nil {
		key += " " + strconv.Itoa(int(w.number.value(v)))
	}
	c := w.byVal[key]
	if c == nil {
		c = w.newConn(Conn{How: how, Static: static, Val: v})
		w.byVal[key] = c
	}
	w.seen[same] = c
	return c
}

// A connKey is what a connection is known by while its value is the one at
// hand.
type connKey struct {
	how, static string
	val         *Val
}

// callers returns the session that the caller hands over. Whatever handles
// its arguments hold are views of one session, and so are those its receiver
// holds: a function that is given two sessions is rare, one that reaches
// its transaction in two ways is not.
func (w *walker) callers(how, static string, v, r *Val) *Conn {
	key := "of the arguments"
	if strings.HasSuffix(r.Str, "#0") && strings.Contains(r.Str, ").") {
		key = "of the receiver"
		if v.Kind != VParam {
			how = "unknown"
		}
	} else {
		how = "param"
	}
	c := w.byVal[key]
	if c == nil {
		c = w.newConn(Conn{How: how, Static: static, Val: v})
		w.byVal[key] = c
	}
	if c.Static == "" {
		c.Static = static
	}
	return c
}

// each runs do once for every connection that the handle is in some state;
// with split, or while a transaction is open, also for the pool that it is on
// one way of several. That is a guess, and with split the others are too.
func (w *walker) each(o *Op, e *env, sts []*state, parent *Node, split bool, do func(*Conn, []*state, *Node) []*state) []*state {
	h := w.x.eval(o.Conn, e)
	var conns []*Conn
	groups := map[*Conn][]*state{}
	pools := map[*Conn]bool{} // of one way of several
	for _, s := range sts {
		c := w.handle(h, s, e, 0)
		if groups[c] == nil {
			conns = append(conns, c)
		}
		groups[c] = append(groups[c], s)
		if p := w.orPool(c, h, s, e, split || s.inTransaction()); p != nil {
			if groups[p] == nil {
				conns = append(conns, p)
			}
			groups[p] = append(groups[p], s)
			pools[p] = true
		}
	}
	if len(conns) == 1 {
		return do(conns[0], sts, parent)
	}
	n := w.node(&Op{Kind: OpBranch, ID: o.ID, Pos: o.Pos, How: "handles"}, e, sts, parent)
	var out []*state
	for _, c := range conns {
		arm := &Node{Fn: e.fn, Stack: w.frame, Pos: o.Pos, When: onConn(c), Loops: w.loops}
		n.Kids = append(n.Kids, arm)
		guess := pools[c] || split && len(pools) > 0
		if guess {
			w.guess++
		}
		out = append(out, do(c, groups[c], arm)...)
		if guess {
			w.guess--
		}
	}
	return out
}

// orPool returns the pool that a handle of several values is on one way, when
// what it is on the others is not known. What the caller decides, by a context
// or an argument, is left to the traces of the callers.
func (w *walker) orPool(c *Conn, h *Val, st *state, e *env, split bool) *Conn {
	if !split || c.How != "unknown" || h == nil {
		return nil
	}
	in := w.inside(st, h, 0)
	for in.Kind == VHandle || in.Kind == VIface || in.Kind == VResult && len(in.Of) == 1 {
		in = in.Of[0]
	}
	if in.Kind != VChoice {
		return nil
	}
	var pool *Conn
	for _, o := range in.Of {
		if p := w.handle(o, st, e, 1); p.How == "pool" {
			pool = p
		} else if w.callerDecides(o, 0) {
			return nil
		}
	}
	return pool
}

// callerDecides reports a value of a context, or of an argument of the trace's
// entry other than its receiver.
func (w *walker) callerDecides(v *Val, depth int) bool {
	switch {
	case v == nil || depth > 12:
		return false
	case v.Kind == VCtxGet:
		return true
	case v.Kind == VParam:
		fn, n, _ := strings.Cut(v.Str, "#")
		return fn == w.trace.Entry.Key && !(n == "0" && strings.Contains(fn, ")."))
	}
	return slices.ContainsFunc(v.Of, func(o *Val) bool { return w.callerDecides(o, depth+1) })
}

func onConn(c *Conn) string {
	switch c.How {
	case "tx", "savepoint":
		return "in a transaction of its own"
	case "param":
		return "in the caller's transaction"
	case "pool":
		return "on the pool"
	}
	return ""
}

// open begins a transaction or pins a connection.
func (w *walker) open(o *Op, e *env, sts []*state, parent *Node) []*state {
	up := w.connOf(o.Conn, e, sts)
	if o.How == Session {
		w.session(o, e, up)
		return sts
	}
	n := w.node(o, e, sts, parent)
	how := o.How
	if (o.Str == "reuses" || o.Str == InPlace) && (up.How == "tx" || up.How == "savepoint") || o.Str == Batch && !alone(up) {
		n.Conn = up
		e.conns[o.ID] = New(VConn, "#"+strconv.Itoa(up.N))
		e.results[o.ID] = []*Val{New(VHandle, o.How, e.conns[o.ID]), New(VResult, e.uid+":"+strconv.Itoa(o.ID)+".err")}
		return sts
	}
	if how == "tx" && up != nil && (up.How == "tx" || up.How == "savepoint" || up.How == "param" && up.Static == "tx") {
		how = "savepoint"
	}
	c := w.newConn(Conn{How: how, Static: o.How, Parent: up, Opener: n, Loops: w.loops, Fn: e.fn, stmt: e.uid + ":" + strconv.Itoa(o.ID), Ctx: w.x.eval(o.Use.CtxVal, e), Timeout: inherited(up), inPlace: o.Str == InPlace})
	n.Conn = c
	up.begins = up.begins || c.inPlace
	v := New(VConn, "#"+strconv.Itoa(c.N))
	e.conns[o.ID] = v
	e.results[o.ID] = []*Val{New(VHandle, o.How, v), New(VResult, c.stmt+".err")}
	w.keep(e, o.ID, e.results[o.ID])
	out := make([]*state, len(sts))
	for i, s := range sts {
		k := s.clone()
		k.open = append(append([]*Conn{}, s.open...), c)
		out[i] = k
	}
	return out
}

func inherited(up *Conn) string {
	if up != nil && up.How != "pool" {
		return up.Timeout
	}
	return ""
}

// within reports whether c is outer or a savepoint inside it.
func within(c, outer *Conn) bool {
	for ; c != nil; c = c.Parent {
		if c == outer {
			return true
		}
		if c.How != "savepoint" {
			return false
		}
	}
	return false
}

// end ends a connection or transaction: ending twice is nothing.
func (w *walker) end(o *Op, e *env, sts []*state, parent *Node, c *Conn, how string) []*state {
	if c.session { // no transaction is open on it
		return sts
	}
	if how == "either" {
		sts = w.outcomes(o, e, sts, c)
	}
	var live, rest []*state
	for _, s := range sts {
		if c.Opener == nil || s.isOpen(c) || c.text {
			live = append(live, s)
		} else {
			rest = append(rest, s)
		}
	}
	if len(live) == 0 {
		return rest
	}
	n := w.node(o, e, live, parent)
	n.Conn, n.Ends = c, how
	c.text = false
	for _, s := range live {
		how := how
		if fine, known := s.fact(w.key(ofNil, c.stmt+".err")); how == "either" && known {
			how = "rollback"
			if fine {
				how = "commit"
			}
		}
		if c.How != "savepoint" && len(s.lost) > 0 {
			s = s.clone()
			s.lost = nil
		}
		switch {
		case c.How == "savepoint" && how == "commit":
		case c.How == "savepoint":
			inside := func(t *Take) bool { return within(t.Conn, c) && t.Scope == lockgraph.Transaction }
			s = s.losing(inside).without(inside)
		case how == "commit" || how == "rollback" || how == "either":
			s = s.without(func(t *Take) bool { return within(t.Conn, c) && t.Scope == lockgraph.Transaction })
		default: // the connection goes back to its pool, or ends
			s = s.without(func(t *Take) bool { return t.Conn.Root() == c || within(t.Conn, c) || oneOf(t.Conn.Root(), c) })
		}
		rest = append(rest, s.closed(c))
	}
	return rest
}

// eachOfList reports a connection of a list in the turn of a loop over it.
func (c *Conn) eachOfList() bool {
	if c.Opener != nil || c.Val == nil {
		return false
	}
	v := bare(c.Val)
	return v.Kind == VElem && !isNumber(v.Str)
}

// oneOf reports whether c is each connection of a list and a one of that list.
func oneOf(a, c *Conn) bool {
	if a.Opener != nil || a.Val == nil || !c.eachOfList() {
		return false
	}
	v := bare(a.Val)
	return v.Kind == VElem && Equal(bare(v.Of[0]), bare(bare(c.Val).Of[0]))
}

// losing returns s with what it holds inside a savepoint noted as lost.
func (s *state) losing(inside func(*Take) bool) *state {
	var lost Held
	for _, t := range s.held {
		if inside(t) {
			lost = append(lost, t)
		}
	}
	if len(lost) == 0 {
		return s
	}
	c := s.clone()
	c.lost = c.lost.with(lost...)
	return c
}

// outcomes takes the states at the end of a callback's transaction apart: it
// commits when the callback returns nil, which is then the result of the
// call, and rolls back otherwise.
func (w *walker) outcomes(o *Op, e *env, sts []*state, c *Conn) []*state {
	if c.stmt == "" {
		return sts
	}
	result := w.x.eval(o.Val, e)
	key := w.key(ofNil, c.stmt+".err")
	var out []*state
	for _, s := range sts {
		if _, known := s.fact(key); known {
			out = append(out, s)
			continue
		}
		isNil, known := false, false
		if result != nil {
			if isNil, known = nilness(result); !known {
				isNil, known = s.fact(w.isNil(result))
			}
		}
		if !known || isNil {
			out = append(out, s.with(key, true))
		}
		if !known || !isNil {
			out = append(out, s.with(key, false))
		}
	}
	return out
}

// How an OpSet bounds a single wait: Unbound puts back what Bound replaced.
const (
	Bound   = "bound"
	Unbound = "unbound"
)

// set notes a timeout of the connection.
func (w *walker) set(c *Conn, o *Op, v *Val) {
	if c == nil || !strings.EqualFold(o.Str, "lock_timeout") {
		return
	}
	switch o.How {
	case Bound:
		c.before = c.Timeout
	case Unbound:
		c.Timeout = c.before
		return
	}
	text := ""
	if v != nil {
		if s, ok := v.AsText(); ok {
			text = s
		} else if v.Kind == VConst {
			_, text, _ = strings.Cut(v.Str, ":")
		} else {
			text = "set"
		}
	}
	if text == "0" {
		text = ""
	}
	c.Timeout = text
}
