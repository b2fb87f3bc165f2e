package symval

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// decided returns the value that one condition decides, when it is a text or
// a builder, or when the condition asks whether one of the two is nil:
// VApply "if NAME"(condition, then, else). nil when it is not so simple.
func (f *Func) decided(v *ssa.Phi) *prog.Val {
	then, other, cond := ways(v)
	if cond == nil || !textual(v.Type()) && !asksNil(cond.Cond, v.Edges) {
		return nil
	}
	x, y := f.Val(then), f.Val(other)
	if looped(x) || looped(y) {
		return nil
	}
	if prog.Equal(x, y) {
		return x
	}
	name, when := prog.If+v.Name(), small(f.Val(cond.Cond), maxCondition)
	if more := added(x, y); more != nil { // a text that is added to: once, not on both ways
		return prog.New(prog.VConcat, "", y, prog.New(prog.VApply, name, when, more, prog.Text("")))
	}
	if more := added(y, x); more != nil {
		return prog.New(prog.VConcat, "", x, prog.New(prog.VApply, name, when, prog.Text(""), more))
	}
	if lib, more := prog.StepsAfter(x, y); lib != "" { // a chain that steps are added to
		return prog.Grown(lib, y, prog.New(prog.VApply, name, when, more, prog.Before))
	}
	if lib, more := prog.StepsAfter(y, x); lib != "" {
		return prog.Grown(lib, x, prog.New(prog.VApply, name, when, prog.Before, more))
	}
	return prog.New(prog.VApply, name, when, x, y)
}

// maxFlag bounds the steps from where the ways part to the flag they set.
const maxFlag = 32

// flag returns, as a condition, the truth value that the conditions on the way
// decide: of a variable that some of the ways set, or of a && b. nil when loops
// or anything but conditions decide it.
func (f *Func) flag(v *ssa.Phi) *prog.Val {
	if t, ok := v.Type().Underlying().(*types.Basic); !ok || t.Info()&types.IsBoolean == 0 {
		return nil
	}
	return f.onWays(v, f.Val)
}

// noError returns, as a condition, that an error is nil which the conditions
// on the way choose, as in if err == nil && !ok { err = ErrBusy }. nil when it
// is no such error, or onWays cannot tell.
func (f *Func) noError(x, y ssa.Value) *prog.Val {
	v, ok := x.(*ssa.Phi)
	if !ok || !isError(v.Type()) || !isNil(y) {
		return nil
	}
	return f.onWays(v, func(e ssa.Value) *prog.Val {
		if load, ok := e.(*ssa.UnOp); ok && load.Op == token.MUL {
			if _, sentinel := load.X.(*ssa.Global); sentinel {
				return prog.Bool(false)
			}
		}
		return equal(f.Val(e), prog.Nil)
	})
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// onWays returns, as a condition, what said tells of the value that comes along
// each of the ways which conditions choose to v.
func (f *Func) onWays(v *ssa.Phi, said func(ssa.Value) *prog.Val) *prog.Val {
	top, steps, ways := v.Block().Idom(), 0, map[*ssa.BasicBlock]bool{}
	if top == nil {
		return nil
	}
	// at returns what the flag is for who comes from pred to b, nil when the
	// way does not lead to it; ok is false when it cannot be told.
	var at func(pred, b *ssa.BasicBlock) (is *prog.Val, ok bool)
	at = func(pred, b *ssa.BasicBlock) (*prog.Val, bool) {
		if steps++; steps > maxFlag {
			return nil, false
		}
		if b == v.Block() && pred != nil {
			for i, p := range b.Preds {
				if p == pred {
					ways[p] = true
					is := small(said(v.Edges[i]), maxCondition)
					return is, !looped(is)
				}
			}
			return nil, false
		}
		if !top.Dominates(b) || pred != nil && b.Dominates(pred) {
			return nil, false
		}
		switch last := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.Return, *ssa.Panic:
			return nil, true
		case *ssa.Jump:
			return at(b, b.Succs[0])
		case *ssa.If:
			then, ok1 := at(b, b.Succs[0])
			otherwise, ok2 := at(b, b.Succs[1])
			if !ok1 || !ok2 {
				return nil, false
			}
			return either(f.Val(last.Cond), then, otherwise), true
		}
		return nil, false
	}
	is, ok := at(nil, top)
	if !ok || is == nil || len(ways) < len(v.Edges) || is.Size() > maxCondition {
		return nil
	}
	return is
}

// either returns the condition that is then where cond holds, and otherwise
// where not; nil is no way at all.
func either(cond, then, otherwise *prog.Val) *prog.Val {
	not := prog.New(prog.VNot, "", cond)
	if cond.Kind == prog.VNot {
		not = cond.Of[0]
	}
	switch {
	case then == nil:
		return otherwise
	case otherwise == nil || prog.Equal(then, otherwise):
		return then
	}
	yes, set := prog.Truth(then)
	no, other := prog.Truth(otherwise)
	switch {
	case set && other && yes:
		return cond
	case set && other:
		return not
	case set && yes:
		return prog.New(prog.VOr, "", cond, otherwise)
	case set:
		return prog.New(prog.VAnd, "", not, otherwise)
	case other && no:
		return prog.New(prog.VOr, "", not, then)
	case other:
		return prog.New(prog.VAnd, "", cond, then)
	}
	return prog.New(prog.VOr, "", prog.New(prog.VAnd, "", cond, then), prog.New(prog.VAnd, "", not, otherwise))
}

// ways returns what v is where the condition that decides it holds, what it is
// otherwise, and the condition; nil when it is not one condition.
func ways(v *ssa.Phi) (then, other ssa.Value, cond *ssa.If) {
	if len(v.Edges) != 2 {
		return nil, nil, nil
	}
	b := v.Block()
	top := b.Idom()
	if top == nil || len(top.Instrs) == 0 || len(top.Succs) != 2 {
		return nil, nil, nil
	}
	cond, ok := top.Instrs[len(top.Instrs)-1].(*ssa.If)
	if !ok {
		return nil, nil, nil
	}
	arm := func(pred *ssa.BasicBlock) int { // which way of the condition leads here
		for i, s := range top.Succs {
			if s == b && pred == top || s != b && s.Dominates(pred) {
				return i
			}
		}
		return -1
	}
	i, j := arm(b.Preds[0]), arm(b.Preds[1])
	switch {
	case i < 0 || j < 0 || i == j:
		return nil, nil, nil
	case i == 1:
		return v.Edges[1], v.Edges[0], cond
	}
	return v.Edges[0], v.Edges[1], cond
}

// asksNil reports a comparison of one of the values with nil, as in code that
// falls back on another handle where it is given none.
func asksNil(cond ssa.Value, of []ssa.Value) bool {
	b, ok := cond.(*ssa.BinOp)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return false
	}
	for _, pair := range [2][2]ssa.Value{{b.X, b.Y}, {b.Y, b.X}} {
		if c, ok := pair[1].(*ssa.Const); ok && c.IsNil() {
			for _, v := range of {
				if v == pair[0] {
					return true
				}
			}
		}
	}
	return false
}

// summed returns the number that a loop makes of the elements of something,
// by the last turn; nil when the value is no such number.
func summed(t types.Type, v *prog.Val) *prog.Val {
	if b, ok := t.Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 || complete(v) {
		return nil
	}
	if elem := element(v); elem != nil {
		return prog.New(prog.VApply, prog.Summed, elem)
	}
	return nil
}

// element returns the first element of a container in v.
func element(v *prog.Val) *prog.Val {
	if v.Kind == prog.VElem && complete(v) {
		return v
	}
	for _, o := range v.Of {
		if e := element(o); e != nil {
			return e
		}
	}
	return nil
}

// maxCondition bounds the condition that is kept with the texts it decides.
const maxCondition = 40

// small gives up a value that is larger than n.
func small(v *prog.Val, n int) *prog.Val {
	if v.Size() > n {
		return prog.Hole("large value")
	}
	return v
}

// grown finds the text that all others start with, and the different ways in
// which they go on; nil when there is none.
func grown(all []*prog.Val) (base *prog.Val, more []*prog.Val) {
	if len(all) > maxStores {
		return nil, nil
	}
	for _, b := range all {
		seen := map[string]bool{}
		var rest []*prog.Val
		for _, v := range all {
			m := prog.Text("")
			if !prog.Equal(v, b) {
				if m = added(v, b); m == nil {
					rest = nil
					break
				}
			}
			if k := m.String(); !seen[k] {
				seen[k] = true
				rest = append(rest, m)
			}
		}
		if len(rest) > 1 {
			return b, rest
		}
	}
	return nil, nil
}

// grownChain returns the chain that all others start with, and the different
// steps in which they go on, or which each turn of a loop adds; nil when there
// is none.
func grownChain(name string, all []*prog.Val) *prog.Val {
	if len(all) > maxStores {
		return nil
	}
	for _, base := range all {
		library, more := "", []*prog.Val{}
		for _, v := range all {
			lib, steps := prog.StepsAfter(v, base)
			if steps == nil {
				lib, steps = prog.StepsAfter(v, prog.Hole("loop"))
			}
			if steps == nil || lib != "" && library != "" && lib != library {
				more = nil
				break
			}
			library, more = max(library, lib), append(more, steps)
		}
		if len(more) > 1 && library != "" {
			which := prog.Choose(maxStores, more...)
			if which.Kind == prog.VChoice {
				which = &prog.Val{Kind: prog.VChoice, Str: name, Of: which.Of}
			}
			return prog.Grown(library, base, which)
		}
	}
	return nil
}

// added returns what follows the text base in long, nil when long does not
// start with it.
func added(long, base *prog.Val) *prog.Val {
	switch {
	case long.Kind == prog.VConcat && len(long.Of) > 1 && prog.Equal(long.Of[0], base):
		return prog.New(prog.VConcat, "", long.Of[1:]...)
	case long.Kind == prog.VConcat && len(long.Of) > 1:
		if in := added(long.Of[0], base); in != nil {
			return prog.New(prog.VConcat, "", append([]*prog.Val{in}, long.Of[1:]...)...)
		}
	case long.Kind == prog.VApply && long.Str == "fmt.Sprintf" && len(long.Of) == 2 && long.Of[1].Kind == prog.VList && len(long.Of[1].Of) > 0:
		format, ok := long.Of[0].AsText()
		rest, starts := strings.CutPrefix(format, "%s")
		if ok && starts && prog.Equal(long.Of[1].Of[0], base) {
			return prog.New(prog.VApply, long.Str, prog.Text(rest), prog.New(prog.VList, "", long.Of[1].Of[1:]...))
		}
	}
	return nil
}

// textual reports whether values of the type are text or builders of it.
func textual(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Info()&types.IsString != 0
	}
	typ := TypeString(t)
	for len(typ) > 0 && typ[0] == '*' {
		typ = typ[1:]
	}
	_, chain := dbapi.ChainType(typ)
	return chain
}
