package prog

import (
	"regexp"
	"strconv"
)

// maxTurns bounds the elements of a list that is walked element by element;
// maxTurnOps the operations of all turns together when there are more.
const (
	maxTurns   = 8
	maxTurnOps = 128
)

// A turn is one turn of a loop over a list whose elements are known.
type turn struct {
	walked *Val // what the loop walks: the list, or the variable that holds it
	list   *Val
	at     int
}

// inTurn returns the element that the turn of a loop over in is at, nil when
// no such loop is walked.
func (e *env) inTurn(v, in *Val) *Val {
	if isNumber(v.Str) {
		return nil
	}
	in = bare(in)
	for i := len(e.turns) - 1; i >= 0; i-- {
		if t := e.turns[i]; Equal(t.walked, in) {
			return t.list.Of[t.at]
		}
	}
	return nil
}

// keptList returns the list that a variable holds for good, where v is one,
// else v.
func (x *evaluator) keptList(v *Val) *Val {
	if v = bare(v); v != nil && v.Kind == VGlobal {
		if r := bare(x.stored(v)); r != nil && r.Kind == VList {
			return r
		}
	}
	return v
}

// fewSteps returns the list that a loop walks when each run of the program
// walks the same: functions, constants, or structs that hold one of them, such
// as statements with their arguments. Its order is that of the code.
func fewSteps(o *Op, v *Val) *Val {
	v = bare(v)
	if v == nil || o.How != "" || v.Kind != VList || len(v.Of) < 2 || len(v.Of) > maxTurns && len(v.Of)*opCount(o.Body) > maxTurnOps {
		return nil
	}
	for _, in := range v.Of {
		if !step(bare(in)) {
			return nil
		}
	}
	return v
}

// step reports a function, a constant, or a struct with a function or a
// statement of its own.
func step(v *Val) bool {
	switch v.Kind {
	case VFunc, VClosure, VMethod, VConst:
		return true
	case VRecord:
		whole, names := len(v.Of) > 0, false
		for _, in := range v.Of {
			if in.Kind != VInit || len(in.Of) == 0 {
				return false
			}
			field := bare(in.Of[0])
			whole = whole && step(field)
			text, ok := field.AsText()
			names = names || ok && statementWord.MatchString(text) || field.Kind == VFunc || field.Kind == VClosure
		}
		return whole || names
	}
	return false
}

// statementWord matches a text that is a statement which can lock.
var statementWord = regexp.MustCompile(`(?is)^\s*(select|with|insert|update|delete|merge|truncate|lock|call|alter|create|drop)\s`)

// unrolled executes a loop once for each element of a list.
func (w *walker) unrolled(o *Op, e *env, sts []*state, parent, n *Node, fl *flow, list *Val) []*state {
	var out []*state
	outer := e.turns
	for i := range list.Of {
		if len(sts) == 0 {
			break
		}
		if i > 0 {
			val := n.Val
			n = w.node(o, e, sts, parent)
			n.Val = val
			sts = w.forgetting(sts, e, o.Body)
		}
		n.Kind, n.When = OpNone, ""
		e.turns = append(append([]turn{}, outer...), turn{bare(n.Val), list, i})
		inner := &flow{brk: map[string][]*state{}, cont: map[string][]*state{}}
		fall := w.block(o.Body, e, sts, n, inner)
		fl.exits = append(fl.exits, inner.exits...)
		for _, label := range []string{"", o.Query} {
			fall = append(fall, inner.cont[label]...)
			out = append(out, inner.brk[label]...)
			delete(inner.cont, label)
			delete(inner.brk, label)
		}
		for l, s := range inner.brk {
			fl.brk[l] = append(fl.brk[l], s...)
		}
		for l, s := range inner.cont {
			fl.cont[l] = append(fl.cont[l], s...)
		}
		n.Dead = len(fall) == 0
		sts = merge(fall, w.p.Limits.States)
	}
	e.turns = outer
	return append(out, sts...)
}

// forgetting returns the states without what they know of the results of a
// loop's body: another turn has others.
func (w *walker) forgetting(sts []*state, e *env, body []Op) []*state {
	var of []string
	visit(body, func(o *Op) {
		if o.ID > 0 {
			of = append(of, e.uid+":"+strconv.Itoa(o.ID)+".")
		}
	})
	out := make([]*state, len(sts))
	for i, s := range sts {
		c := s.clone()
		c.facts = nil
		for _, f := range s.facts {
			if !w.number.subjects[f.name].mentions(of) {
				c.facts = append(c.facts, f)
			}
		}
		out[i] = c
	}
	return out
}
