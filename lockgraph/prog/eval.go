package prog

import (
	"slices"
	"strconv"
	"strings"
)

// StmtText is the field of a prepared statement (a VMod "stmt" of handle
// and text) that holds its text.
const StmtText = "stmt.text"

// maxLacking bounds a record that is kept for a field it does not hold.
const maxLacking = 8

const (
	maxEval   = 60 // depth of evaluation
	maxChoice = 16 // alternatives of one value
)

// An env binds the values of one activation of a function.
type env struct {
	fn      *Func
	uid     string // unique for an activation that is walked
	args    []*Val
	frees   []*Val
	results map[int][]*Val // of calls walked, by op id
	conns   map[int]*Val
	named   []*Val
	sets    map[string]*Val // what closures of the function have left in variables that they capture, by the VSet's name
	params  []*Val          // of a statement: sqlparam
	holes   []*Val          // of a statement: sqlhole
	pure    bool            // values only: nothing is walked
	up      *env            // of a statement: the env of the function that runs it
	sql     string          // of a statement: its text
	before  []*Conn         // open when the function was entered
	turns   []turn          // of loops over few elements, which are walked one by one
}

// An evaluator binds values. It knows no locks.
type evaluator struct {
	p      *Program
	busy   map[string]int // functions and fields being looked into, against recursion
	left   int            // values that may still be bound for the op at hand
	memo   map[memoKey]*Val
	fields int             // how many fields are being looked into
	conds  map[string]*Val // of the choices that a condition decides, by name: the bound VApply
}

// maxBinds bounds the values bound for one op; what lies beyond is unknown.
const maxBinds = 6000

func newEvaluator(p *Program) *evaluator {
	return &evaluator{p: p, busy: map[string]int{}, left: maxBinds, conds: map[string]*Val{}}
}

// eval returns v with what e binds put in.
func (x *evaluator) eval(v *Val, e *env) *Val {
	x.memo = nil
	return x.bind(v, e, 0)
}

// memoSize is from where on a bound value is remembered: values share parts,
// and a text that many branches add to is the same part many times.
const memoSize = 8

type memoKey struct {
	v *Val
	e *env
}

// bind returns v with what e binds put in, once for each part of it.
func (x *evaluator) bind(v *Val, e *env, depth int) *Val {
	if v == nil {
		return nil
	}
	if v.size() < memoSize {
		return x.bound(v, e, depth)
	}
	key := memoKey{v, e}
	if r, ok := x.memo[key]; ok {
		return r
	}
	r := x.bound(v, e, depth)
	if x.left >= 0 {
		if x.memo == nil {
			x.memo = map[memoKey]*Val{}
		}
		x.memo[key] = r
	}
	return r
}

func (x *evaluator) bound(v *Val, e *env, depth int) *Val {
	if x.left--; depth > maxEval || x.left < 0 {
		if v.Kind == VInit { // records hold nothing else
			return New(VInit, v.Str, Hole("too deep"))
		}
		return Hole("too deep")
	}
	switch v.Kind {
	case VConst, VGlobal, VHole, VSQLCol:
		return v
	case VFunc:
		if len(v.Of) == 0 {
			return v
		}
	case VParam:
		return index(e.args, v.Str, func() *Val { return New(VParam, e.fn.Key+"#"+v.Str) })
	case VFree:
		return index(e.frees, v.Str, func() *Val { return New(VParam, e.fn.Key+"#free"+v.Str) })
	case VNamed:
		return index(e.named, v.Str, func() *Val { return New(VHole, e.uid+"named"+v.Str) })
	case VSet:
		return x.leftBy(v, e, depth)
	case VSQLParam:
		return index1(e.params, v)
	case VSQLHole:
		return index1(e.holes, v)
	case VConn:
		id, _ := strconv.Atoi(v.Str)
		if c := e.conns[id]; c != nil {
			return c
		}
		return New(VConn, e.uid+":"+v.Str)
	case VResult:
		return x.result(v, e, depth)
	case VScan:
		out := New(VScan, e.uid+":"+v.Str)
		for _, o := range v.Of {
			out.Of = append(out.Of, x.bind(o, e, depth+1))
		}
		if out.size() > maxSize/2 {
			out.Of = nil
		}
		return out
	}
	if out, ok := x.changed(v, e, depth); ok {
		if out.Kind == VRecord && out.size() > maxSize {
			out = lean(out, largeValue+" of "+e.uid)
		}
		if out.size() > maxSize {
			return x.shrink(out, e, v)
		}
		return out
	}
	if v.Kind == VApply && len(v.Of) == 3 && strings.HasPrefix(v.Str, If) {
		return x.choose(v, e, depth)
	}
	of := make([]*Val, len(v.Of))
	same := true
	for i, o := range v.Of {
		of[i] = x.bind(o, e, depth+1)
		same = same && of[i] == o
	}
	if v.Kind == VChoice {
		out := Choose(max(maxChoice, len(of)), of...)
		if out.Kind == VChoice && v.Str != "" {
			out = &Val{Kind: VChoice, Str: e.uid + ":" + v.Str, Of: out.Of}
		}
		return out
	}
	if v.Kind == VElem && len(e.turns) > 0 {
		if in := e.inTurn(v, of[0]); in != nil {
			return in
		}
	}
	if v.Kind == VElem && v.Str != "" && e.uid != "" && !isNumber(v.Str) && !strings.HasPrefix(v.Str, "s:") {
		return reduce(New(VElem, e.uid+":"+v.Str, of...))
	}
	if v.Kind == VApply && strings.HasPrefix(v.Str, "fmt.Sprint") && x.printed(of, e, depth) {
		same = false
	}
	out := v
	if !same {
		out = &Val{Kind: v.Kind, Str: v.Str, Of: of}
	}
	if out = reduce(out); out.size() > maxSize {
		return x.shrink(out, e, v)
	}
	return out
}

// typeOf returns a value whose type a type parameter tells, with that type
// when it is known.
func typeOf(v *Val) *Val {
	if name, ok := v.Of[1].AsText(); ok {
		return New(VIface, v.Str+name, v.Of[0])
	}
	return v
}

// printed puts the text that a String method gives in the place of an
// argument that is printed, and reports whether it did.
func (x *evaluator) printed(of []*Val, e *env, depth int) bool {
	done := false
	for i, a := range of {
		switch a.Kind {
		case VList:
			list := append([]*Val{}, a.Of...)
			if x.printed(list, e, depth) {
				of[i], done = New(VList, a.Str, list...), true
			}
		case VIface:
			f := x.p.Funcs[x.p.method(a.Str, "String")]
			if f == nil || depth > maxEval/2 || x.busy[f.Key] > 1 {
				continue
			}
			x.busy[f.Key]++
			var all []*Val
			inner := &env{fn: f, uid: e.uid + ":" + f.Key, args: []*Val{a.Of[0]}, pure: true}
			for _, r := range returns(f, 0) {
				all = append(all, x.bind(r, inner, depth+1))
			}
			x.busy[f.Key]--
			if allText(all) && len(all) > 0 {
				of[i], done = Choose(maxChoice, all...), true
			}
		}
	}
	return done
}

// If starts the name of a value that a condition decides: applied to the
// condition and the values when it holds and when not.
const If = "if "

// choose returns the value that the condition decides for, or either.
func (x *evaluator) choose(v *Val, e *env, depth int) *Val {
	cond := x.bind(v.Of[0], e, depth+1)
	is, known := x.holds(cond)
	if known {
		at := 2
		if is {
			at = 1
		}
		return x.bind(v.Of[at], e, depth+1)
	}
	then, otherwise := x.bind(v.Of[1], e, depth+1), x.bind(v.Of[2], e, depth+1)
	out := Choose(maxChoice, then, otherwise)
	if out.Kind == VChoice {
		out = &Val{Kind: VChoice, Str: e.uid + ":" + v.Str[len(If):], Of: out.Of}
		if !e.pure {
			x.conds[out.Str] = New(VApply, If, cond, then, otherwise)
		}
	}
	return out
}

// holds tells whether a bound condition holds. A field that the literal of
// its struct leaves out is false, unless some function sets it in a struct
// that it is given.
func (x *evaluator) holds(g *Val) (is, known bool) {
	if is, known = Truth(g); known {
		return is, known
	}
	switch g.Kind {
	case VNot:
		is, known = x.holds(g.Of[0])
		return !is, known
	case VField:
		if bare(g.Of[0]).Kind != VRecord || x.given(g.Str) {
			return false, false
		}
		return false, true
	}
	return false, false
}

// given reports whether some function sets a field in a struct that it is
// given, as far as that is told.
func (x *evaluator) given(field string) bool {
	return x.p.untold(field) || slices.ContainsFunc(x.p.fields[field], func(s FieldStore) bool { return s.Given })
}

// leftOut reports whether a value is a connection or prepared statement that
// its struct is made without, and that nothing but such values is kept in.
func (x *evaluator) leftOut(v *Val) bool {
	if v.Kind != VField || bare(v.Of[0]).Kind != VRecord || x.given(v.Str) || len(x.p.fields[v.Str]) == 0 {
		return false
	}
	for _, s := range x.p.fields[v.Str] {
		if b := bare(s.Val); s.Val.Kind != VHandle && (b.Kind != VMod || b.Str != "stmt") && (b.Kind != VField || b.Str != v.Str) {
			return false
		}
	}
	return true
}

// shrink gives up the inside of a value that is too large: it stays apart
// from others by where it is made.
func (x *evaluator) shrink(big *Val, e *env, v *Val) *Val {
	switch big.Kind {
	case VScan, VResult:
		return &Val{Kind: big.Kind, Str: big.Str}
	case VIsNil: // states know results by their names
		if out := New(VIsNil, "", unmade(big.Of[0])); out.size() <= maxSize {
			return out
		}
	case VClosure: // what it runs matters more than what it has captured
		if out := eachOf(big, inShort); out.size() <= maxSize {
			return out
		}
		out := &Val{Kind: VClosure, Str: big.Str}
		for i, o := range big.Of {
			name := largeValue + " of " + e.uid + ":" + big.Str + "#" + strconv.Itoa(i)
			if o = lean(o, name); o.size() > maxLacking && !hasConn(o) {
				o = Hole(name)
			}
			out.Of = append(out.Of, o)
		}
		if out.size() <= maxSize {
			return out
		}
		for i := range out.Of {
			if out.Of[i].size() > maxLacking {
				out.Of[i] = Hole(largeValue + " of " + e.uid + ":" + big.Str + "#" + strconv.Itoa(i))
			}
		}
		out.n = 0
		return out
	case VRecord:
		if !hasConn(big) {
			break // a row whose columns are lost would look like one that changes them
		}
		if out := lean(big, largeValue+" of "+e.uid); out.size() <= maxSize {
			return out
		}
	case VInit:
		return New(VInit, big.Str, Hole(largeValue+" of "+e.uid+":"+big.Str))
	case VConcat: // the words of a text matter more than what is put in
		for _, less := range []func(*Val) *Val{plainPart, oneOfAKind} {
			out := &Val{Kind: VConcat}
			for _, o := range big.Of {
				out.Of = append(out.Of, less(o))
			}
			if big = out; out.size() <= maxSize {
				return out
			}
		}
	case VApply:
		if known, ok := nilness(big); ok && !known { // an error
			return New(VApply, big.Str)
		}
	}
	return Hole(largeValue + " of " + e.uid + ":" + v.Kind.String() + " " + v.Str)
}

// unmade returns v without what the results in it are made of.
func unmade(v *Val) *Val {
	switch v.Kind {
	case VScan, VResult:
		return &Val{Kind: v.Kind, Str: v.Str}
	case VChoice:
		return eachOf(v, unmade)
	}
	return v
}

// lean gives up the fields of records that are made of much, where no
// connection is a part of them; what they are is named after name.
func lean(v *Val, name string) *Val {
	switch v.Kind {
	case VIface:
		return New(VIface, v.Str, lean(v.Of[0], name))
	case VRecord:
		out := &Val{Kind: VRecord, Str: v.Str}
		for _, in := range v.Of {
			o := in.Of[0]
			switch {
			case hasConn(o):
				o = lean(o, name)
			case o.size() > maxLacking && o.Kind == VHandle:
				o = New(VHandle, o.Str, Hole(name+":"+in.Str))
			case o.size() > maxLacking:
				o = Hole(name + ":" + in.Str)
			}
			out.Of = append(out.Of, New(VInit, in.Str, o))
		}
		return out
	}
	return v
}

// inShort gives up what errors and results of calls are made of, where no
// connection is a part of it: they keep their names.
func inShort(v *Val) *Val {
	if v.size() <= maxLacking {
		return v
	}
	switch v.Kind {
	case VChoice:
		return eachOf(v, inShort)
	case VResult, VScan:
		if !hasConn(v) {
			return &Val{Kind: v.Kind, Str: v.Str}
		}
	case VApply:
		if isNil, known := nilness(v); known && !isNil {
			return New(VApply, v.Str)
		}
	}
	return v
}

// eachOf returns v with f applied to what it is made of.
func eachOf(v *Val, f func(*Val) *Val) *Val {
	out := &Val{Kind: v.Kind, Str: v.Str}
	for _, o := range v.Of {
		out.Of = append(out.Of, f(o))
	}
	return out
}

// hasConn reports whether a connection is a part of v.
func hasConn(v *Val) bool { return v.Kind == VConn || slices.ContainsFunc(v.Of, hasConn) }

// plainPart gives up what a part of a text is computed of, but for the words
// that are known of it.
func plainPart(o *Val) *Val {
	b := bare(o)
	if _, text := b.AsText(); text || o.size() <= maxLacking {
		return o
	}
	switch b.Kind {
	case VChoice, VConcat:
		out := &Val{Kind: b.Kind, Str: b.Str}
		for _, in := range b.Of {
			out.Of = append(out.Of, plainPart(in))
		}
		return reduce(out)
	}
	return Hole("large part of a text")
}

// oneOfAKind keeps, of the alternatives of a part, one for each way to lock.
func oneOfAKind(o *Val) *Val {
	b := bare(o)
	if b.Kind != VChoice {
		return o
	}
	out := &Val{Kind: VChoice, Str: b.Str, Of: thinned(b.Of)}
	if len(out.Of) == 1 {
		return out.Of[0]
	}
	return out
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

func index(list []*Val, at string, otherwise func() *Val) *Val {
	if i, err := strconv.Atoi(at); err == nil && i < len(list) && list[i] != nil {
		return list[i]
	}
	return otherwise()
}

func index1(list []*Val, v *Val) *Val {
	if i, err := strconv.Atoi(v.Str); err == nil && i >= 1 && i <= len(list) && list[i-1] != nil {
		return list[i-1]
	}
	return v
}

// result binds the result of a call: as the walk found it, or by looking
// into the callee's exits without walking it.
func (x *evaluator) result(v *Val, e *env, depth int) *Val {
	id, idx := splitResult(v.Str)
	if rs, ok := e.results[id]; ok {
		if idx < len(rs) && rs[idx] != nil {
			return rs[idx]
		}
		return New(VResult, e.uid+":"+v.Str)
	}
	if e.fn != nil {
		if o := x.p.op(e.fn, id); o != nil {
			switch {
			case o.Kind == OpCall:
				if r := x.pureResult(o, e, idx, depth); r != nil {
					return r
				}
			case o.Kind == OpSQL && idx == 0:
				return x.query(o, e, depth)
			}
		}
	}
	return New(VResult, e.uid+":"+v.Str)
}

// query returns the rows of a statement: its text applied to its
// parameters.
func (x *evaluator) query(o *Op, e *env, depth int) *Val {
	if depth == 0 {
		x.memo = nil
	}
	at := "query " + e.uid + ":" + strconv.Itoa(o.ID)
	if x.busy[at] > 0 { // a row read into what the statement is made of
		return New(VResult, e.uid+":"+strconv.Itoa(o.ID)+".0")
	}
	x.busy[at]++
	defer func() { x.busy[at]-- }()
	out := New(VApply, "query", x.bind(o.Val, e, depth+1))
	for _, a := range o.Args {
		out.Of = append(out.Of, x.bind(a, e, depth+1))
	}
	if out.size() > maxSize/2 {
		return New(VApply, "query", out.Of[0])
	}
	return out
}

func splitResult(s string) (id, idx int) {
	a, b, _ := strings.Cut(s, ".")
	id, _ = strconv.Atoi(a)
	idx, _ = strconv.Atoi(b)
	return id, idx
}

// pureResult returns what the call's callee returns at idx, nil if that is
// not known.
func (x *evaluator) pureResult(o *Op, e *env, idx, depth int) *Val {
	callee := x.bind(o.Val, e, depth+1)
	if v := builderText(callee, idx); v != nil {
		return v
	}
	keys := x.callees(callee)
	proven := len(keys) == 0
	if proven {
		keys = x.proven(callee, o, e, maxCallees)
	}
	if len(keys) > 0 {
		keys = append(keys, x.p.offered(callee)...)
	}
	if len(keys) == 0 || len(keys) > maxCallees {
		return nil
	}
	var all []*Val
	for _, c := range keys {
		f := x.p.Funcs[c.key]
		if f == nil || x.busy[c.key] > 1 {
			return nil
		}
		rs := returns(f, idx)
		if constant(rs) { // such as a TableName: whatever it is given
			all = append(all, rs...)
			continue
		}
		args := append([]*Val{}, c.recv...)
		for _, a := range o.Args {
			args = append(args, x.bind(a, e, depth+1))
		}
		x.busy[c.key]++
		inner := &env{fn: f, uid: e.uid + ":" + strconv.Itoa(o.ID), args: args, frees: c.frees, pure: true}
		for _, r := range x.typed(f, rs, idx, inner, depth) {
			all = append(all, openedAt(x.bind(r, inner, depth+1), e, o))
		}
		x.busy[c.key]--
	}
	if len(all) == 0 || proven && !allTexts(all) && !constant(all) && !anyNamesLock(all) {
		return nil // what a method out of sight fails with is its own affair
	}
	return Choose(maxChoice, all...)
}

// builderText returns what a builder makes when an interface of the program's
// own asks it for text, result 0, and parameters, result 1; nil where callee
// is no such method of a builder.
func builderText(callee *Val, idx int) *Val {
	fn := bare(callee)
	if fn == nil || fn.Kind != VMethod || idx > 1 {
		return nil
	}
	chain := bare(fn.Of[0])
	name, _, _ := strings.Cut(fn.Str, "|")
	name = name[strings.LastIndexByte(name, '.')+1:]
	if chain == nil || chain.Kind != VMod || !strings.EqualFold(name, "ToSql") && name != "MustSql" {
		return nil
	}
	library, _, _ := strings.Cut(chain.Str, " ")
	text := New(VMod, library+" "+name, chain)
	if idx == 1 {
		return New(VApply, "chain args", text)
	}
	return text
}

// anyNamesLock reports whether a record or list holds a text that asks for a
// lock.
func anyNamesLock(vs []*Val) bool {
	for _, v := range vs {
		if namesLock(v, 0) {
			return true
		}
	}
	return false
}

func constant(vs []*Val) bool {
	for _, v := range vs {
		if v.Kind != VConst {
			return false
		}
	}
	return len(vs) > 0
}

// returns lists the values f returns at idx. The zero number or text that
// stands beside an error is none.
func returns(f *Func, idx int) []*Val {
	return returnsOf(f, idx, func(*Arm) bool { return false })
}

// typed returns those of the values that f returns which the types of its
// arguments leave: of a function that asks for them, what it does with others
// tells nothing.
func (x *evaluator) typed(f *Func, all []*Val, idx int, e *env, depth int) []*Val {
	if len(all) < 2 {
		return all
	}
	left := returnsOf(f, idx, func(a *Arm) bool {
		g := bare(a.Guard)
		if g == nil || g.Kind != VTypeIs {
			return false
		}
		g = x.bind(g, e, depth+1)
		return g.Kind == VConst && g.Str == "b:false"
	})
	if len(left) == 0 {
		return all
	}
	return left
}

// returnsOf is returns without the arms that are left out.
func returnsOf(f *Func, idx int, without func(*Arm) bool) []*Val {
	var out, beside []*Val
	var look func(ops []Op)
	exit := func(o *Op) {
		if o.Kind != OpExit || idx >= len(o.Args) || o.Args[idx] == nil {
			return
		}
		if last := o.Args[len(o.Args)-1]; idx < len(o.Args)-1 && empty(o.Args[idx]) && last != nil && !last.IsNil() {
			beside = append(beside, o.Args[idx])
			return
		}
		out = append(out, o.Args[idx])
	}
	look = func(ops []Op) {
		for i := range ops {
			o := &ops[i]
			exit(o)
			look(o.Body)
			for j := range o.Arms {
				if !without(&o.Arms[j]) {
					look(o.Arms[j].Body)
				}
			}
		}
	}
	look(f.Body)
	if len(out) == 0 {
		return beside
	}
	return lookup(out)
}

// lookup leaves out the nil that a function returns where a context holds
// nothing: what it looks up is nil then.
func lookup(vs []*Val) []*Val {
	var found []*Val
	for _, v := range vs {
		switch {
		case v.IsNil():
		case root(bare(v)).Kind == VCtxGet && !fieldOf(v):
			found = append(found, v)
		default:
			return vs
		}
	}
	if len(found) == 0 {
		return vs
	}
	return found
}

// fieldOf reports a part of another value.
func fieldOf(v *Val) bool {
	v = bare(v)
	return v.Kind == VField || v.Kind == VElem
}

// empty reports the zero text or number.
func empty(v *Val) bool {
	return v.Kind == VConst && (v.Str == "i:0" || v.Str == "s:" || v.Str == "f:0")
}

// maxCallees bounds the functions that are looked into for what a call
// returns.
const maxCallees = 4

// proven returns the callees of a method that the call graph proves, where
// no value tells; of more than most, only enough to see that.
func (x *evaluator) proven(fn *Val, o *Op, e *env, most int) []callee {
	fn = bare(fn)
	if fn == nil || fn.Kind != VMethod || e.fn == nil {
		return nil
	}
	var out []callee
	for _, k := range x.p.Dynamic[e.fn.Key+":"+strconv.Itoa(o.ID)] {
		if f := x.p.Funcs[k]; f != nil && !f.Test {
			out = append(out, callee{key: k, recv: fn.Of[:1]})
		}
		if len(out) > most {
			return out
		}
	}
	return out
}

// reduce simplifies a value whose parts are bound.
func reduce(v *Val) *Val {
	switch v.Kind {
	case VField:
		return reduceField(v)
	case VElem:
		return reduceElem(v)
	case VConcat:
		return reduceConcat(v)
	case VApply:
		return reduceApply(v)
	case VHandle:
		if in := v.Of[0]; in.Kind == VHandle && in.Str == v.Str {
			return in
		}
	case VIface:
		if in := v.Of[0]; in.Kind == VIface {
			return in
		}
		if len(v.Of) == 2 {
			return typeOf(v)
		}
	case VCtxGet:
		return reduceCtx(v)
	case VMod:
		return Taken(v)
	case VNot, VIsNil, VEq, VTypeIs, VAnd, VOr:
		return reduceGuard(v)
	}
	return v
}

func reduceField(v *Val) *Val {
	base := bare(v.Of[0])
	switch base.Kind {
	case VRecord:
		for _, in := range base.Of {
			if in.Str == v.Str {
				return in.Of[0]
			}
		}
		if in := promoted(base, v.Str, 0); in != nil {
			return in
		}
		if in := embedded(base, v.Str); in != nil {
			return reduceField(New(VField, v.Str, in))
		}
		if pkg, ok := strings.CutSuffix(base.Str, ".Tx"); ok { // the client of a generated transaction has its fields
			if field, ok := strings.CutPrefix(v.Str, pkg+".Client."); ok {
				return reduceField(New(VField, base.Str+"."+field, base))
			}
		}
		if base.size() > maxLacking { // the rest of the record tells nothing of this field
			return New(VField, v.Str, New(VRecord, base.Str, New(VInit, "rest", Hole("rest of "+base.Str))))
		}
	case VApply:
		if base.Str == With {
			for _, in := range base.Of[1:] {
				if in.Str == v.Str {
					return in.Of[0]
				}
			}
			return reduceField(New(VField, v.Str, base.Of[0]))
		}
	case VMod:
		if v.Str == StmtText && base.Str == "stmt" && len(base.Of) > 1 {
			return base.Of[1]
		}
		if base.Str == "stmt" && v.Str != StmtText { // a prepared statement embedded in another
			return base
		}
	case VChoice:
		var all []*Val
		for _, o := range base.Of {
			if !o.IsNil() {
				all = append(all, reduceField(New(VField, v.Str, o)))
			}
		}
		if len(all) > 0 {
			return Choose(maxChoice, all...)
		}
	}
	if base != v.Of[0] {
		return New(VField, v.Str, base)
	}
	return v
}

// embedded returns what a record embeds under the name of the type whose field
// it is, nil when that is the record itself or not told.
func embedded(rec *Val, field string) *Val {
	typ := field[:max(0, strings.LastIndexByte(field, '.'))]
	if typ == rec.Str {
		return nil
	}
	name := rec.Str + "." + typ[strings.LastIndexByte(typ, '.')+1:]
	for _, in := range rec.Of {
		if in.Str == name {
			return in.Of[0]
		}
	}
	return nil
}

// promoted finds a field in the structs that a record embeds.
func promoted(rec *Val, field string, depth int) *Val {
	if depth > 3 {
		return nil
	}
	for _, in := range rec.Of {
		sub := bare(in.Of[0])
		if sub.Kind != VRecord {
			continue
		}
		for _, f := range sub.Of {
			if f.Str == field {
				return f.Of[0]
			}
		}
		if f := promoted(sub, field, depth+1); f != nil {
			return f
		}
	}
	return nil
}

func reduceElem(v *Val) *Val {
	base := bare(v.Of[0])
	for base.Kind == VApply && len(base.Of) > 0 && sameElements[base.Str] {
		base = bare(base.Of[0])
	}
	if base.Kind == VList {
		if i, err := strconv.Atoi(v.Str); err == nil && i >= 0 && i < len(base.Of) {
			return base.Of[i]
		}
		if len(base.Of) == 1 {
			return base.Of[0]
		}
	}
	if base.Kind == VRecord { // a table: its entries by their keys
		for _, in := range base.Of {
			if in.Str == v.Str && len(in.Of) == 1 {
				return in.Of[0]
			}
		}
	}
	if !isNumber(v.Str) && appended(base) {
		if all := elements(base, 0); len(all) > 0 {
			return Choose(maxChoice, all...)
		}
	}
	return v
}

// appended reports whether a slice is one that a program appends to.
func appended(v *Val) bool {
	if v.Kind == VChoice {
		for _, o := range v.Of {
			if appended(bare(o)) {
				return true
			}
		}
	}
	return v.Kind == VApply && v.Str == "go:append"
}

// elements lists what is known to be put into a slice by appending to it.
func elements(v *Val, depth int) []*Val {
	v = bare(v)
	if v == nil || depth > 12 {
		return nil
	}
	switch v.Kind {
	case VList:
		return v.Of
	case VChoice:
		var all []*Val
		for _, o := range v.Of {
			all = append(all, elements(o, depth+1)...)
		}
		return all
	case VApply:
		if v.Str == "go:append" && len(v.Of) == 2 {
			return append(append([]*Val{}, elements(v.Of[0], depth+1)...), elements(v.Of[1], depth+1)...)
		}
	}
	return nil
}

// sameElements are functions whose result holds the elements of their first
// argument, in another order or without repetition.
var sameElements = map[string]bool{"slices.Clone": true, "slices.Compact": true, "slices.Sorted": true, "slices.Values": true, "sorted": true,
	"slices.SortedFunc": true, "slices.CompactFunc": true, "slices.Collect": true, "maps.Keys": false}

// bare returns v without what only tells its type.
func bare(v *Val) *Val {
	for v != nil && (v.Kind == VIface || v.Kind == VHandle || v.Kind == VResult && len(v.Of) == 1) {
		v = v.Of[0]
	}
	return v
}

func reduceConcat(v *Val) *Val {
	out := &Val{Kind: VConcat}
	for _, o := range v.Of {
		if o.Kind == VConcat {
			out.Of = append(out.Of, o.Of...)
			continue
		}
		out.Of = append(out.Of, o)
	}
	merged := out.Of[:0:0]
	for _, o := range out.Of {
		s, ok := o.AsText()
		if n := len(merged); ok && n > 0 {
			if t, ok := merged[n-1].AsText(); ok {
				merged[n-1] = Text(t + s)
				continue
			}
		}
		merged = append(merged, o)
	}
	if len(merged) == 1 {
		return merged[0]
	}
	out.Of = merged
	if ways(merged) > maxWays { // the ways of what stands before, fewer of them, with those of what follows
		joined := merged[0]
		for _, o := range merged[1:] {
			joined = reduceConcat(New(VConcat, "", joined, o))
		}
		return joined
	}
	for i, o := range merged { // text chosen by branch: join each alternative
		if isTexts(o) {
			var all []*Val
			for _, alt := range o.Of {
				if b := bare(alt); b.Kind == VApply && b.size() > maxLacking {
					alt = Hole("it is computed by " + b.Str)
				}
				parts := append(append(append([]*Val{}, merged[:i]...), alt), merged[i+1:]...)
				all = append(all, reduceConcat(&Val{Kind: VConcat, Of: parts}))
			}
			return fewer(Choose(maxChoice, all...))
		}
	}
	return out
}

// maxWays bounds the ways of joining the alternatives of the pieces of a text
// that are all made at once.
const maxWays = maxChoice * maxChoice

// ways returns how many ways there are, maxWays+1 standing for more.
func ways(pieces []*Val) int {
	n := 1
	for _, o := range pieces {
		if isTexts(o) {
			n = min(n*len(o.Of), maxWays+1)
		}
	}
	return n
}

// isTexts reports whether v is a text chosen by branch.
func isTexts(v *Val) bool {
	return v.Kind == VChoice && (len(v.Of) <= 4 && allText(v.Of) || allTexts(v.Of))
}

// maxTexts is how many alternatives of one text are told apart by more than
// what they lock.
const maxTexts = 8

// fewer returns a choice of many texts as one of the ways they lock.
func fewer(v *Val) *Val {
	if v.Kind != VChoice || len(v.Of) <= maxTexts {
		return v
	}
	return oneOfAKind(v)
}

// allTexts reports whether the values are texts of which a part is known,
// but for some that only the running program computes.
func allTexts(vs []*Val) bool {
	texts := 0
	for _, v := range vs {
		t, ok := textOf(v)
		switch {
		case ok && (t == "" || strings.Trim(t, "?") != ""):
			texts++
		case bare(v).Kind != VApply:
			return false
		}
	}
	return texts > 0 && len(vs) <= maxChoice
}

func allText(vs []*Val) bool {
	for _, v := range vs {
		if _, ok := v.AsText(); !ok {
			return false
		}
	}
	return true
}

func reduceCtx(v *Val) *Val {
	for ctx := bare(v.Of[0]); ctx != nil && (ctx.Kind == VCtxWith || ctx.Kind == VApply && len(ctx.Of) > 0); ctx = bare(ctx.Of[0]) {
		if ctx.Kind == VCtxWith && (ctx.Of[1] == nil || v.Of[1] == nil || Equal(ctx.Of[1], v.Of[1])) {
			return ctx.Of[2]
		}
	}
	return v
}

func reduceGuard(v *Val) *Val {
	switch v.Kind {
	case VNot:
		if b, ok := Truth(v.Of[0]); ok {
			return Bool(!b)
		}
		if v.Of[0].Kind == VNot {
			return v.Of[0].Of[0]
		}
	case VIsNil:
		if b, ok := nilness(v.Of[0]); ok {
			return Bool(b)
		}
	case VEq:
		a, b := bare(v.Of[0]), bare(v.Of[1])
		if a.Kind == VConst && b.Kind == VConst {
			return Bool(a.Str == b.Str)
		}
	case VTypeIs:
		if in := v.Of[0]; in.Kind == VIface {
			return Bool(in.Str == v.Str)
		}
	case VAnd, VOr:
		var rest []*Val
		for _, o := range v.Of {
			if b, ok := Truth(o); ok {
				if b == (v.Kind == VOr) {
					return Bool(b)
				}
				continue
			}
			rest = append(rest, o)
		}
		if len(rest) == 0 {
			return Bool(v.Kind == VAnd)
		}
		if len(rest) == 1 {
			return rest[0]
		}
		return New(v.Kind, "", rest...)
	}
	return v
}

// Truth tells which truth value v is, where it is a constant.
func Truth(v *Val) (b, ok bool) {
	if v != nil && v.Kind == VConst {
		switch v.Str {
		case "b:true":
			return true, true
		case "b:false":
			return false, true
		}
	}
	return false, false
}

// nilness tells whether v is nil, where its shape says so.
func nilness(v *Val) (isNil, known bool) {
	switch v.Kind {
	case VConst:
		return v.Str == "nil", true
	case VRecord, VClosure, VFunc, VConn, VList, VMod:
		return false, true
	case VIface, VHandle:
		if isNil, known = nilness(v.Of[0]); !known && v.Kind == VIface && strings.HasPrefix(v.Str, "*") {
			return false, true // it holds a pointer
		}
		return isNil, known
	case VApply:
		switch v.Str {
		case "fmt.Errorf", "errors.New":
			return false, true
		case ErrorOf:
			return nilTogether(v.Of)
		case "errors.Join":
			if len(v.Of) == 1 && v.Of[0].Kind == VList {
				return nilTogether(v.Of[0].Of)
			}
		}
	case VChoice:
		first, ok := nilness(v.Of[0])
		for _, o := range v.Of[1:] {
			b, k := nilness(o)
			ok = ok && k && b == first
		}
		return first, ok
	}
	return false, false
}

// ErrorOf is a function out of sight that makes an error of those it is
// given, and of none an error that is not nil.
const ErrorOf = "error of"

// nilTogether tells whether an error made of others is nil: it is when they
// all are, and is not when none is.
func nilTogether(errs []*Val) (isNil, known bool) {
	if len(errs) == 0 {
		return false, true
	}
	for i, e := range errs {
		is, k := nilness(e)
		if !k || i > 0 && is != isNil {
			return false, false
		}
		isNil = is
	}
	return isNil, true
}

// madeOf returns the error that v wraps, where v is nil exactly when that is.
func madeOf(v *Val) *Val {
	for v.Kind == VApply && v.Str == ErrorOf && len(v.Of) == 1 {
		v = v.Of[0]
	}
	return v
}
