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
	entered []*state        // in which it was
	called  []*Val          // the arguments of the call, without what the callee's value brings
	among   []string        // the functions that the call could reach, where these are several
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
			for _, r := range x.p.returns(f, 0) {
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
