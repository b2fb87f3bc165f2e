package prog

import (
	"strconv"
	"strings"
)

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
		rs := x.p.returns(f, idx)
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
func (p *Program) returns(f *Func, idx int) []*Val {
	at := resultOfFunc{f, idx}
	out, ok := p.returned[at]
	if !ok {
		out = returnsOf(f, idx, func(*Arm) bool { return false })
		p.returned[at] = out
	}
	return out
}

// A resultOfFunc is one result of a function.
type resultOfFunc struct {
	f   *Func
	idx int
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
