package prog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// sql runs a statement: its effects happen on its connection, with its
// parameters bound.
func (w *walker) sql(o *Op, e *env, sts []*state, parent *Node) []*state {
	if e.results[o.ID] == nil {
		stmt := e.uid + ":" + strconv.Itoa(o.ID)
		e.results[o.ID] = []*Val{w.x.query(o, e, 0), New(VResult, stmt+".err")}
	}
	texts, each := w.texts(o, e)
	if !each {
		texts = accepted(texts)
	}
	var args []*Val
	for _, a := range o.Args {
		args = append(args, w.x.eval(a, e))
	}
	args = flat(args)
	asks := slices.ContainsFunc(texts, func(t template) bool { return w.p.locking(t.text) })
	return w.each(o, e, sts, parent, asks, func(c *Conn, in []*state, at *Node) []*state {
		if o.Use.Other || w.p.otherDatabase(c) {
			w.p.foreign[e.fn.Key] = true
			for f := w.frame; f != nil; f = f.Up {
				w.p.foreign[f.From.Key] = true
			}
			return in
		}
		w.hidden(o, e, texts)
		if len(texts) == 1 {
			return w.statement(o, e, in, at, c, texts[0], args)
		}
		if each { // a loop over the texts: one after the other
			for _, t := range texts {
				in = w.statement(o, e, in, at, c, t, args)
			}
			return in
		}
		b := w.node(&Op{Kind: OpBranch, ID: o.ID, Pos: o.Pos, How: "texts"}, e, in, at)
		var out []*state
		for _, t := range texts {
			arm := &Node{Fn: e.fn, Stack: w.frame, Pos: o.Pos, Loops: w.loops}
			b.Kids = append(b.Kids, arm)
			out = append(out, w.statement(o, e, in, arm, c, t, args)...)
		}
		return out
	})
}

// A template is SQL text with holes, or why there is none.
type template struct {
	text  string
	holes []*Val
	body  []Op
	why   string
	from  *Val // with why: what is not known
	// params are the parameters a builder binds, in place of the call's.
	params []*Val
	open   string // what is not known of a chain, and could lock
	quiet  bool   // nothing worth saying: the chain runs nothing
}

// accepted leaves out, of several texts, those that any server refuses: a list
// in them that the program fills is empty. They lock nothing, and a program
// that can make them does not send them.
func accepted(texts []template) []template {
	refused := func(t template) bool {
		return len(t.body) == 1 && t.body[0].Kind == OpUnknown && t.body[0].How == "text" && emptyList.MatchString(t.text)
	}
	kept := slices.DeleteFunc(slices.Clone(texts), refused)
	if len(kept) == 0 {
		return texts
	}
	return kept
}

// emptyList matches a text with a list, or a clause, of nothing.
var emptyList = regexp.MustCompile(`(?i)\b(?:set|where|and|or|by|in|values)\s*(?:\(\s*\)|(?:where|from|returning|group|order|limit|offset)\b|[;)]|$)`)

// texts returns the alternatives of a statement's text, or, with each, the
// texts that a loop runs in turn.
func (w *walker) texts(o *Op, e *env) (out []template, each bool) {
	if len(o.Body) > 0 {
		t, _ := o.Val.AsText()
		return []template{{text: t, body: o.Body}}, false
	}
	v := bare(w.x.eval(o.Val, e))
	if all, inTurn := looped(v); len(all) > 0 && len(all) <= maxChoice {
		for _, t := range all {
			out = append(out, w.alternatives(bare(t))...)
		}
		return out, inTurn
	}
	if v.Kind == VField || v.Kind == VGlobal || v.Kind == VElem {
		if r := w.x.stored(v); r != nil {
			v = bare(r)
		}
	}
	return w.alternatives(v), false
}

func (w *walker) alternatives(v *Val) []template {
	if v.Kind == VMod && v.Str != "stmt" {
		return w.chain(v)
	}
	var out []template
	if v.Kind == VChoice {
		for _, alt := range v.Of {
			out = append(out, w.alternatives(bare(alt))...)
		}
		return out
	}
	for _, parts := range spread(w.parts(v, 0)) {
		out = append(out, w.template(v, parts))
	}
	return out
}

// spread tells the ways in which parts of a text that are one of several
// texts make it.
func spread(parts []*Val) [][]*Val {
	out := [][]*Val{nil}
	for _, p := range parts {
		alts := []*Val{p}
		if p.Kind == VChoice && namesLock(p, 0) && len(out)*len(p.Of) <= maxTexts {
			alts = p.Of
		}
		var next [][]*Val
		for _, a := range alts {
			for _, o := range out {
				next = append(next, append(o[:len(o):len(o)], bare(a)))
			}
		}
		out = next
	}
	return out
}

// chain returns the alternatives of the text that a builder makes.
func (w *walker) chain(v *Val) []template {
	texts, reason := w.p.Res.Chain(w.settle(v, 0))
	if len(texts) == 0 {
		return []template{{why: "the statement that a builder makes is not known: " + reason, quiet: reason == ""}}
	}
	var out []template
	for _, t := range texts {
		if t.Text == "" {
			out = append(out, template{why: "the statement that a builder makes is not known: " + t.Open})
			continue
		}
		out = append(out, template{text: t.Text, body: w.p.Res.Effect(t.Text), params: t.Params, holes: t.Holes, open: t.Open})
	}
	return out
}

func (w *walker) template(v *Val, parts []*Val) template {
	text, holes := withHoles(parts)
	for _, p := range holes {
		if p.Kind == VField && strings.HasPrefix(p.Str, FamilyText) {
			return template{why: "the family of the lock's key is not known: " + why(root(p)), from: root(p)}
		}
	}
	if len(holes) == len(parts) {
		return template{holes: holes, why: "the text of the statement is not known: " + why(v), from: v}
	}
	return template{text: text, holes: holes, body: w.p.Res.Effect(text)}
}

// values returns the values of the holes of a text that is run as stmt: one
// that is the number of a parameter stands for a value of its own.
func (t template) values(stmt string) []*Val {
	out := t.holes
	for i := range t.holes {
		if strings.Contains(t.text, "$"+HoleName(i+1)) {
			if &out[0] == &t.holes[0] {
				out = slices.Clone(out)
			}
			out[i] = Hole(stmt + ".$" + strconv.Itoa(i+1))
		}
	}
	return out
}

// withHoles joins the parts of a text, with the name of a hole for each that
// is not known, and returns those.
func withHoles(parts []*Val) (text string, holes []*Val) {
	var b strings.Builder
	for _, p := range parts {
		if s, ok := bare(p).AsText(); ok {
			b.WriteString(s)
			continue
		}
		holes = append(holes, p)
		b.WriteString(HoleName(len(holes)))
	}
	return b.String(), holes
}

// parts returns the pieces of a text, with what the program keeps in fields
// and variables put in.
func (w *walker) parts(v *Val, depth int) []*Val {
	v = bare(v)
	if depth < 8 {
		switch v.Kind {
		case VField, VGlobal, VElem:
			if r := w.x.stored(v); r != nil && !Equal(r, v) {
				return w.parts(r, depth+1)
			}
		case VConcat:
			var out []*Val
			for _, o := range v.Of {
				out = append(out, w.parts(o, depth+1)...)
			}
			return out
		case VChoice:
			all := []*Val{}
			for _, o := range v.Of {
				all = append(all, reduce(New(VConcat, "", w.parts(o, depth+1)...)))
			}
			return []*Val{Choose(maxChoice, all...)}
		case VApply:
			if v.Str == Executed && len(v.Of) == 1 {
				if r := w.x.stored(bare(v.Of[0])); r != nil {
					if t := executed(New(VApply, Executed, r)); t.Kind != VApply {
						return w.parts(t, depth+1)
					}
				}
			}
		}
	}
	return []*Val{v}
}

// why says, for people, where a value that is not known comes from.
func why(v *Val) string {
	switch v.Kind {
	case VParam:
		return "it is a parameter of " + short(strings.SplitN(v.Str, "#", 2)[0])
	case VResult:
		return "it is the result of a call"
	case VField:
		return "it is read from field " + short(v.Str)
	case VGlobal:
		return "it is the variable " + short(v.Str)
	case VApply:
		return "it is computed by " + v.Str
	case VElem:
		return "it is an element of a list or a map"
	case VScan:
		return "it is read from the database"
	case VHole:
		if !strings.HasPrefix(v.Str, largeValue) && v.Str != "too deep" {
			return v.Str
		}
	}
	return "it is made of more than is followed"
}

func (w *walker) statement(o *Op, e *env, sts []*state, parent *Node, c *Conn, t template, args []*Val) []*state {
	at := w.site(o, e, t.text)
	if at.frame != w.frame || at.fn != e.fn || o.Query == "" && queryName(t.text) != "" {
		stmt := *o
		stmt.Pos = at.pos
		if stmt.Query == "" {
			stmt.Query = queryName(t.text)
		}
		o = &stmt
		frame := w.frame
		w.frame = at.frame
		defer func() { w.frame = frame }()
	}
	there := *e
	there.fn = at.fn
	n := w.node(o, &there, sts, parent)
	n.Conn, n.SQL, n.Args = c, t.text, args
	if n.Ctx = o.Use.Ctx; o.Use.CtxVal != nil {
		ctx := w.x.eval(o.Use.CtxVal, e)
		n.Ctx, n.CtxVal, n.Bound = CtxKind(ctx), ctx, CtxBound(ctx)
	} else if n.Ctx == "background" {
		n.Bound = "none"
	}
	if t.params != nil {
		args = t.params
		n.Args = args
	}
	if t.quiet {
		return sts
	}
	if t.why != "" {
		u := w.node(&Op{Kind: OpUnknown, ID: o.ID, Pos: o.Pos, How: "text", Str: t.why, Val: t.from}, &there, sts, n)
		u.Conn = c
		return sts
	}
	n.stmt = e.uid + ":" + strconv.Itoa(o.ID)
	inner := &env{fn: at.fn, uid: n.stmt, sql: t.text, params: args, holes: t.values(n.stmt), results: map[int][]*Val{}, conns: map[int]*Val{}, up: e}
	out := w.effects(t.body, inner, sts, n, c, o)
	if c.How == "pool" || (c.How == "conn" || c.How == "param" && c.Static == "conn") && !c.text {
		for i, s := range out {
			out[i] = s.without(func(t *Take) bool { return t.Conn == c && t.Scope == lockgraph.Statement })
		}
	}
	return out
}

// effects executes what a statement does.
func (w *walker) effects(ops []Op, e *env, sts []*state, parent *Node, c *Conn, stmt *Op) []*state {
	for i := range ops {
		o := &ops[i]
		w.x.left = maxBinds
		switch o.Kind {
		case OpAcquire:
			sts = w.acquire(o, e, sts, parent, c, stmt)
		case OpRelease:
			at := *o
			at.Pos = stmt.Pos
			sts = w.release(&at, e, sts, parent, c)
		case OpBranch:
			n := w.node(o, e, sts, parent)
			n.Pos = stmt.Pos
			var out []*state
			for j := range o.Arms {
				arm := &Node{Fn: e.fn, Stack: w.frame, Pos: stmt.Pos, When: o.Arms[j].When, Loops: w.loops}
				n.Kids = append(n.Kids, arm)
				out = append(out, w.effects(o.Arms[j].Body, e, sts, arm, c, stmt)...)
			}
			if len(o.Arms) > 0 {
				sts = merge(out, w.p.Limits.States)
			}
		case OpLoop:
			n := w.node(o, e, sts, parent)
			n.Pos, n.When = stmt.Pos, o.Str
			loops := w.loops
			w.loops = append(append([]*Node{}, loops...), n)
			out := w.effects(o.Body, e, sts, n, c, stmt)
			w.loops = loops
			sts = merge(append(append([]*state{}, sts...), out...), w.p.Limits.States)
		case OpOpen:
			if o.How == "savepoint" {
				c.mark(o.Str, w.takes)
			} else {
				c.text = o.How == "tx"
			}
			n := w.node(o, e, sts, parent)
			n.Conn, n.Pos = c, stmt.Pos
		case OpEnd:
			at := *o
			at.Pos = stmt.Pos
			if o.How == "commit" || o.How == "rollback" {
				sts = w.end(&at, e, sts, parent, c, o.How)
			} else {
				n := w.node(&at, e, sts, parent)
				n.Conn, n.Ends = c, o.How
				if o.How == "rollback to savepoint" {
					sts = c.back(o.Str, sts)
				}
			}
		case OpSet:
			n := w.node(o, e, sts, parent)
			n.Conn, n.Pos, n.Val = c, stmt.Pos, w.x.eval(o.Val, e)
			w.set(c, o, n.Val)
		case OpCall: // a block of effects with a name: a SQL function
			sts = w.effects(o.Body, e, sts, parent, c, stmt)
		case OpUnknown, OpWait, OpCheck, OpExternal:
			n := w.node(o, e, sts, parent)
			n.Conn, n.Pos = c, stmt.Pos
		}
	}
	return sts
}

// acquire takes a lock of a statement.
func (w *walker) acquire(o *Op, e *env, sts []*state, parent *Node, c *Conn, stmt *Op) []*state {
	a := o.Acq
	if a.Implicit && !w.p.All && w.migrates(e) || w.refersToNone(a, e) {
		return sts
	}
	n := w.node(o, e, sts, parent)
	n.Pos, n.Conn, n.When = stmt.Pos, c, a.When
	if e.up != nil {
		n.ran = e.up.fn
	}
	if a.When == NoConflict && !a.Many && a.FKFrom != "" {
		n.Held = withoutRow(n.Held, e.uid, a.FKFrom)
	}
	if f := w.asked(a, stmt); f != nil {
		n.Fn, n.Stack, n.Pos = f.From, f.Up, f.Pos
	}
	if n.Cut == "" {
		n.Cut = stmt.Cut
	}
	key := make([]*Val, len(a.Key))
	for i, k := range a.Key {
		key[i] = w.known(w.x.eval(k, e))
	}
	t := &Take{N: w.takes, Class: w.class(a, e, n, stmt), Mode: a.Mode, Wait: a.Wait, Scope: scopeOn(a, c), Timeout: timeout(c), Acq: a,
		Node: n, Conn: c, Cut: n.Cut, stmt: e.uid, sql: e.sql}
	w.takes++
	n.Take = t
	t.Inst = instance(a, key, e, w)
	for _, c := range a.Among {
		t.among = append(t.among, equality(a, c, e, w))
	}
	t.Again = again(t, sts)
	if madeHere(t, sts) {
		own := *a
		own.Fresh = true
		a, t.Acq = &own, &own
	}
	if a.Fresh && a.Family == lockgraph.Row {
		t.Again = "no"
	}
	if a.Held {
		t.Again = "same"
	}
	if a.Refuses {
		return sts
	}
	out := make([]*state, len(sts))
	for i, s := range sts {
		out[i] = hold(s, t)
	}
	return out
}

// madeHere reports whether a row written is one that the same transaction
// inserted, on every way: it is named by what the INSERT returned for it, by
// what it was given, or in a trigger that runs for it.
func madeHere(t *Take, sts []*state) bool {
	if t.Acq.Fresh || !t.Acq.Implicit || t.Class.Family != lockgraph.Row || t.Inst == nil && len(t.among) == 0 || len(sts) == 0 {
		return false
	}
	for _, s := range sts {
		if !slices.ContainsFunc(s.held, func(h *Take) bool {
			return h.Acq.Fresh && h.Class.ID == t.Class.ID && h.Conn.Root() == t.Conn.Root() && (t.returnedBy(h, s) || t.givenTo(h) || t.ofNewRow(h))
		}) {
			return false
		}
	}
	return true
}

// returnedBy reports whether t names its row by what the INSERT of h returned
// for the row it made, in the state s.
func (t *Take) returnedBy(h *Take, s *state) bool {
	if !t.listedBy(h) && (t.Inst == nil || !slices.ContainsFunc(t.Inst.Of, func(eq *Val) bool { return h.scanned(eq) })) {
		return false
	}
	return !slices.ContainsFunc(s.held, func(x *Take) bool { // DO UPDATE returns the row that is there, too
		return x.stmt == h.stmt && x.Acq.When == IsThere && x.Class.ID == h.Class.ID
	})
}

// scanned reports whether an equality is with a value that the statement of h
// returned.
func (h *Take) scanned(eq *Val) bool {
	if eq.Kind != VEq || len(eq.Of) != 2 || bare(eq.Of[1]).Kind != VScan {
		return false
	}
	stmt, _, _ := cutLast(bare(eq.Of[1]).Str)
	return stmt == h.stmt
}

// givenTo reports whether t names one row, by values that the INSERT of h gave
// the one row it made, or that its library put into the record of it.
func (t *Take) givenTo(h *Take) bool {
	if !t.Acq.Unique || t.Acq.Many || h.Acq.Many || h.perhaps() || h.Inst == nil || t.Inst == nil || !stable(t.Inst) {
		return false
	}
	for _, eq := range t.Inst.Of {
		if !slices.ContainsFunc(h.Inst.Of, func(given *Val) bool { return Equal(given, eq) }) && !h.generated(eq) {
			return false
		}
	}
	return len(t.Inst.Of) > 0
}

// generated reports whether an equality is with a field that nothing was put
// into, of a record that gave the row of h all its values: what the server
// gave the row is there then.
func (h *Take) generated(eq *Val) bool {
	if eq.Kind != VEq || len(eq.Of) != 2 {
		return false
	}
	field := bare(eq.Of[1])
	if field.Kind != VField {
		return false
	}
	from := bare(field.Of[0])
	if from.Kind != VRecord || slices.ContainsFunc(from.Of, func(in *Val) bool { return in.Str == field.Str }) {
		return false
	}
	return !slices.ContainsFunc(h.Inst.Of, func(given *Val) bool {
		return Equal(given.Of[0], eq.Of[0]) || !slices.ContainsFunc(from.Of, func(in *Val) bool { return Equal(in.Of[0], given.Of[1]) })
	})
}

// ofNewRow reports whether t names, in a trigger, the row that the INSERT of h
// adds.
func (t *Take) ofNewRow(h *Take) bool {
	return t.Inst != nil && h.stmt == t.stmt && slices.ContainsFunc(t.Inst.Of, func(eq *Val) bool {
		return eq.Kind == VEq && len(eq.Of) == 2 && eq.Of[1].ofNewRow() && eq.Of[1].Str == eq.Of[0].Str
	})
}

// perhaps reports a row that was inserted only if its key was not there: it
// may be another row that has the key.
func (t *Take) perhaps() bool { return t.Acq.Fresh && t.Acq.When != "" }

// When a lock of INSERT ON CONFLICT is taken: for one row it is either what
// the row that is there takes or what a new row takes.
const (
	NoConflict = "there is no conflict"
	IsThere    = "the key is there already"
)

// withoutRow returns the held sets without what the newest INSERT of a
// statement into the relation takes for a row that is there.
func withoutRow(sets []Held, stmt, relation string) []Held {
	newest := -1
	for _, h := range sets {
		for _, t := range h {
			if t.stmt == stmt && t.Acq.When == IsThere && t.Acq.Relation == relation {
				newest = max(newest, t.N)
			}
		}
	}
	if newest < 0 {
		return sets
	}
	out := make([]Held, len(sets))
	for i, h := range sets {
		for _, t := range h {
			if t.N != newest {
				out[i] = append(out[i], t)
			}
		}
	}
	return out
}

// known follows a value to what the program is known to keep there.
func (w *walker) known(v *Val) *Val {
	if v == nil || len(v.Of) == 0 && v.Kind != VGlobal {
		return v
	}
	switch v.Kind {
	case VField, VGlobal, VElem:
		if r := w.x.stored(v); r != nil && (r.Kind == VConst || r.Kind == VApply && strings.HasPrefix(r.Str, "go-hash ")) && !Equal(r, v) {
			return leafOf(r, 0)
		}
		return v
	case VApply, VConcat, VIface, VList:
		of := make([]*Val, len(v.Of))
		for i, o := range v.Of {
			of[i] = w.known(o)
		}
		return reduce(&Val{Kind: v.Kind, Str: v.Str, Of: of})
	}
	return v
}

func hold(s *state, t *Take) *state {
	for _, h := range s.held {
		if t.Again == "same" && h.Class.ID == t.Class.ID && h.Mode == t.Mode && h.Scope == t.Scope && h.Conn.Root() == t.Conn.Root() && t.Scope != lockgraph.Session {
			return s
		}
	}
	c := s.clone()
	c.held = append(append(Held{}, s.held...), t)
	return c
}

func scopeOn(a *Acq, c *Conn) string {
	if a.Scope == lockgraph.Session {
		return a.Scope
	}
	if alone(c) {
		return lockgraph.Statement
	}
	return lockgraph.Transaction
}

// alone reports a connection on which each statement, or batch, is a
// transaction of its own.
func alone(c *Conn) bool {
	return !c.text && (c.How == "pool" || c.How == "conn" || c.How == "param" && (c.Static == "conn" || c.Static == "pool"))
}

func timeout(c *Conn) string {
	for ; c != nil; c = c.Parent {
		if c.Timeout != "" {
			return c.Timeout
		}
		if c.How == "pool" {
			break
		}
	}
	return ""
}

// instance binds the key or the row predicate of an acquisition.
func instance(a *Acq, key []*Val, e *env, w *walker) *Val {
	switch a.Family {
	case lockgraph.Advisory, lockgraph.Mutex:
		if len(key) == 1 {
			return key[0]
		}
		return New(VList, "", key...)
	case lockgraph.Row:
		if len(a.Row) == 0 {
			return nil
		}
		out := &Val{Kind: VList}
		for _, c := range a.Row {
			out.Of = append(out.Of, equality(a, c, e, w))
		}
		return out
	}
	return Text(a.Relation)
}

// equality binds one column of a row predicate.
func equality(a *Acq, c Col, e *env, w *walker) *Val {
	v := uncast(w.x.eval(c.Val, e))
	if w.ofService(v) {
		v = w.known(v)
	}
	return New(VEq, "", New(VSQLCol, a.Relation+"."+c.Name), v)
}

// ofService reports a field, at some depth, of a field that holds a
// connection: it is set up once with that, where records are read from the
// database with other values than the program has put into them.
func (w *walker) ofService(v *Val) bool {
	if v == nil || v.Kind != VField {
		return false
	}
	for in := bare(v.Of[0]); in != nil && in.Kind == VField; in = bare(in.Of[0]) {
		if carriesHandle(w.x.stored(in), 0) {
			return true
		}
	}
	return false
}

// uncast takes casts off a value: they do not change which row it names.
func uncast(v *Val) *Val {
	for v = bare(v); v != nil && v.Kind == VApply && strings.HasPrefix(v.Str, "::") && len(v.Of) == 1; {
		v = bare(v.Of[0])
	}
	return v
}

// again tells whether an instance of the class is held already.
func again(t *Take, sts []*state) string {
	out := ""
	for _, s := range sts {
		now := "no"
		for _, h := range s.held {
			if h.Class.ID != t.Class.ID || h.Conn.Root() != t.Conn.Root() || h.perhaps() {
				continue
			}
			if sameInstance(h, t) {
				now = "same"
				break
			}
			now = "maybe"
		}
		if out != "" && out != now {
			return "maybe"
		}
		out = now
	}
	if out == "" {
		return "no"
	}
	return out
}

// sameInstance reports whether a and b surely lock one thing.
func sameInstance(a, b *Take) bool {
	if a.Acq.Family == lockgraph.Table {
		return true
	}
	if a.Acq.Family == lockgraph.Row && a.Class.ID == b.Class.ID && (a.listedBy(b) || b.listedBy(a)) {
		return true
	}
	if a.Acq.Family == lockgraph.Row && (a.Acq.Many || b.Acq.Many || !a.Acq.Unique || !b.Acq.Unique || a.perhaps() || b.perhaps()) {
		return false
	}
	if a.Inst == nil || b.Inst == nil {
		return false
	}
	if stable(a.Inst) && Equal(a.Inst, b.Inst) && (a.Acq.Family == lockgraph.Row || !drawn(a.Inst)) {
		return true
	}
	return a.Acq.Family == lockgraph.Row && a.Class.ID == b.Class.ID && (b.readBy(a) || a.readBy(b) || a.Acq.Fresh && b.givenTo(a))
}

// drawn reports whether an advisory key is made of a column of the rows that
// its statement reads: another statement, or other arguments, read other rows.
func drawn(v *Val) bool {
	return v != nil && (v.Kind == VSQLCol || slices.ContainsFunc(v.Of, drawn))
}

// readBy reports whether t names its row by the columns of the one row that
// the statement of h returned when it locked it.
func (t *Take) readBy(h *Take) bool {
	if h.sql == "" || len(t.Inst.Of) == 0 || t.stmt == h.stmt {
		return false
	}
	for _, eq := range t.Inst.Of {
		if eq.Kind != VEq || len(eq.Of) != 2 || eq.Of[0].Kind != VSQLCol || !h.Answers(eq.Of[1]) {
			return false
		}
		column := eq.Of[0].Str[strings.LastIndexByte(eq.Of[0].Str, '.')+1:]
		if name := columnRead(bare(eq.Of[1]), h.sql); name == "" || !strings.EqualFold(strings.ReplaceAll(column, "_", ""), strings.ReplaceAll(name, "_", "")) {
			return false
		}
	}
	return true
}

// listedBy reports whether t names its rows by the list of the one column that
// the statement of h returned for the rows it locked.
func (t *Take) listedBy(h *Take) bool {
	if len(t.among) == 0 || t.stmt == h.stmt {
		return false
	}
	column := onlyColumn(h.sql)
	return column != "" && slices.ContainsFunc(t.among, func(eq *Val) bool {
		list := walkedBy(eq.Of[1])
		return strings.HasSuffix(eq.Of[0].Str, "."+column) && (list.Kind == VScan && strings.HasPrefix(list.Str, h.stmt+".") || QueryText(list) == h.sql && !strings.Contains(h.sql, holeStart))
	})
}

var returned = regexp.MustCompile(`(?is)\bRETURNING\s+([\w."]+)\s*;?\s*$`)

// onlyColumn returns the one column of the rows that a statement returns, ""
// where there are several or it is not known.
func onlyColumn(sql string) string {
	g := returned.FindStringSubmatch(sql)
	if g == nil {
		g = selected.FindStringSubmatch(sql)
	}
	if g == nil || strings.ContainsAny(g[1], ",*") {
		return ""
	}
	c := strings.Trim(strings.TrimSpace(g[1]), `"`)
	return c[strings.LastIndexByte(c, '.')+1:]
}

var selected = regexp.MustCompile(`(?is)^\s*SELECT\s+([^()]*?)\s+FROM\b`)

// columnRead returns the column of a statement's row that v is: the field of
// a struct that the row is read into, or what stands in the list of columns.
func columnRead(v *Val, sql string) string {
	switch v.Kind {
	case VField:
		if bare(v.Of[0]).Kind == VScan {
			return v.Str[strings.LastIndexByte(v.Str, '.')+1:]
		}
	case VScan:
		g := selected.FindStringSubmatch(sql)
		if g == nil {
			return ""
		}
		columns := strings.Split(g[1], ",")
		if at := atoi(v.Str[strings.LastIndexByte(v.Str, '.')+1:]); at < len(columns) {
			c := strings.Trim(strings.TrimSpace(columns[at]), `"`)
			return c[strings.LastIndexByte(c, '.')+1:]
		}
	}
	return ""
}

// stable reports whether equal text of v means equal values.
func stable(v *Val) bool {
	if v == nil {
		return false
	}
	switch v.Kind {
	case VHole:
		return false
	case VChoice: // named after the place where the ways meet, or not at all
		return v.Str != ""
	case VResult, VScan:
		return true
	}
	for _, o := range v.Of {
		if !stable(o) {
			return false
		}
	}
	return true
}

// release gives a session lock or a mutex back.
func (w *walker) release(o *Op, e *env, sts []*state, parent *Node, c *Conn) []*state {
	n := w.node(o, e, sts, parent)
	n.Conn = c
	a := o.Acq
	if a == nil {
		return sts
	}
	t := &Take{N: -1, Mode: a.Mode, Acq: a, Node: n, Conn: c, Scope: a.Scope}
	n.Take = t
	if a.Family != "" {
		key := make([]*Val, len(a.Key))
		for i, k := range a.Key {
			key[i] = w.known(w.x.eval(k, e))
		}
		t.Class = w.class(a, e, n, o)
		t.Inst = instance(a, key, e, w)
	}
	out := make([]*state, len(sts))
	for i, s := range sts {
		out[i] = s.without(func(h *Take) bool {
			if a.Family == "" {
				return h.Scope == lockgraph.Session && h.Acq.Family == lockgraph.Advisory && h.Conn.Root() == c.Root()
			}
			return h.Acq.Family == a.Family && h.Scope == lockgraph.Session && h.Mode == a.Mode && Unlocks(t, h)
		})
	}
	return out
}

// Unlocks reports whether a release gives the lock back: its class is the
// same, or its key is surely the same number.
func Unlocks(release, lock *Take) bool {
	if release.Class == nil || release.Class.ID == lock.Class.ID {
		return true
	}
	return release.Acq.Family == lock.Acq.Family && release.Acq.Space == lock.Acq.Space && release.Inst != nil && lock.Inst != nil &&
		stable(lock.Inst) && Equal(release.Inst, lock.Inst)
}

// acquireGo takes a Go mutex.
// refersToNone reports the check of a foreign key one of whose columns is set
// to nil: a key that is NULL in part is not checked (manual of version 16,
// section 5.4.5).
func (w *walker) refersToNone(a *Acq, e *env) bool {
	return a.FKFrom != "" && slices.ContainsFunc(a.Row, func(c Col) bool {
		eq := equality(a, c, e, w)
		return eq.Kind == VEq && len(eq.Of) == 2 && bare(eq.Of[1]).IsNil()
	})
}

func (w *walker) acquireGo(o *Op, e *env, sts []*state, parent *Node) []*state {
	return w.acquire(o, e, sts, parent, w.named("go", "", nil), o)
}
