package locksummary

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// maxTexts bounds the alternatives of one chain.
const maxTexts = 16

// alternatives returns the chains that v can be, each without a choice in
// what decides the statement: its steps, its texts, its clauses. Steps that
// may have been taken and lock nothing stay as they are where there are many:
// see grown.
func alternatives(v *prog.Val, limit int) []*prog.Val {
	out := expanded([]*prog.Val{v}, limit, true)
	total := 0
	for _, o := range out {
		total += idleWays(o, 0)
	}
	if total <= limit {
		out = expanded(out, limit, false)
	}
	return out
}

// expanded takes the choices of the chains apart; with leave, not those of
// idle steps.
func expanded(out []*prog.Val, limit int, leave bool) []*prog.Val {
	for i := 0; i < len(out); {
		path := choicePath(out[i], leave, 0)
		if path == nil {
			i++
			continue
		}
		alts := path[len(path)-1].of.Of
		if len(out)+len(alts)-1 > limit { // the choice stays, and is not known
			i++
			continue
		}
		var put []*prog.Val
		for _, a := range alts {
			put = append(put, replaced(path, a))
		}
		out = append(out[:i:i], append(put, out[i+1:]...)...)
	}
	return out
}

// idle reports steps that a chain may have taken of which none locks more, or
// something else.
func idle(more *prog.Val) bool {
	more = unwrapped(more)
	switch {
	case more == nil:
		return false
	case prog.Equal(more, prog.Before):
		return true
	case more.Kind == prog.VChoice:
		return !slices.ContainsFunc(more.Of, func(o *prog.Val) bool { return !idle(o) })
	case more.Kind != prog.VMod || len(more.Of) == 0 || !idle(more.Of[0]):
		return false
	case prog.IsGrown(more):
		return len(more.Of) == 2 && idle(more.Of[1])
	}
	_, method, _ := strings.Cut(more.Str, " ")
	return (dbapi.Narrows(method) || dbapi.Sets(method)) && !slices.ContainsFunc(more.Of[1:], prog.Reads)
}

// idleWays returns in how many ways v can have taken its idle steps, at most
// a few more than are followed.
func idleWays(v *prog.Val, depth int) int {
	if v == nil || depth > maxDeep {
		return 1
	}
	if v.Kind == prog.VChoice {
		n := 0
		for _, o := range v.Of {
			n += idleWays(o, depth+1)
		}
		return min(n, maxTexts+1)
	}
	n := 1
	for i, o := range v.Of {
		if i == 0 || prog.IsGrown(v) {
			n = min(n*idleWays(o, depth+1), maxTexts+1)
		}
	}
	return n
}

// maxDeep bounds how deep a chain is looked into.
const maxDeep = 40

// A hop is one value on the way to a choice, and which of its parts leads on.
type hop struct {
	of *prog.Val
	at int
}

// choicePath finds the first choice that decides the statement; the last hop
// is the choice itself. With leave, those of idle steps are passed over.
func choicePath(v *prog.Val, leave bool, depth int) []hop {
	if v == nil || depth > maxDeep {
		return nil
	}
	switch v.Kind {
	case prog.VChoice:
		if decides(v) {
			return []hop{{v, 0}}
		}
		return nil
	case prog.VRecord:
		if !strings.Contains(v.Str, "clause.") { // values of a row
			return nil
		}
	case prog.VMod, prog.VHandle, prog.VIface, prog.VInit, prog.VConcat, prog.VList, prog.VApply, prog.VResult:
	default:
		return nil
	}
	for i, o := range v.Of {
		if leave && i == 1 && prog.IsGrown(v) && idle(o) {
			continue
		}
		if p := choicePath(o, leave, depth+1); p != nil {
			return append([]hop{{v, i}}, p...)
		}
	}
	return nil
}

// decides reports whether every alternative is text, a chain or a clause: a
// choice of values does not change the statement.
func decides(v *prog.Val) bool {
	chains := 0
	for _, o := range v.Of {
		o := unwrapped(o)
		if o == nil {
			return false
		}
		switch o.Kind {
		case prog.VMod:
			chains++
		case prog.VConst:
			if _, text := o.AsText(); !text && !o.IsNil() {
				return false
			}
		case prog.VConcat:
		case prog.VRecord:
			if !strings.Contains(o.Str, "clause.") {
				return false
			}
		case prog.VList, prog.VApply:
			if o.Str != prog.Scope && !parts(o) {
				return false
			}
		default: // what the chain is called on, with and without a step
			if len(v.Of) > 1 && chains == 0 && !anyChain(v.Of) {
				return false
			}
		}
	}
	return true
}

// parts reports a list of the parts of a statement, or one of them, each made
// by a function of its library.
func parts(v *prog.Val) bool {
	switch {
	case v.Kind == prog.VList, v.Kind == prog.VApply && v.Str == "go:append":
		return !slices.ContainsFunc(v.Of, func(o *prog.Val) bool { o = unwrapped(o); return o == nil || !parts(o) })
	case v.Kind == prog.VApply:
		return dbapi.Part(v.Str)
	case v.Kind == prog.VChoice:
		return decides(v)
	}
	return false
}

func anyChain(list []*prog.Val) bool {
	for _, o := range list {
		if o = unwrapped(o); o != nil && o.Kind == prog.VMod {
			return true
		}
	}
	return false
}

// replaced rebuilds the values along path with alt in place of the choice.
func replaced(path []hop, alt *prog.Val) *prog.Val {
	out := alt
	for i := len(path) - 2; i >= 0; i-- {
		h := path[i]
		of := append([]*prog.Val{}, h.of.Of...)
		of[h.at] = out
		out = prog.Taken(&prog.Val{Kind: h.of.Kind, Str: h.of.Str, Of: of})
	}
	return out
}
