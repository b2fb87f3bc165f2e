package locksummary

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// maxTexts bounds the alternatives of one chain.
const maxTexts = 16

// Chain implements prog.Resolver: a chain is VMod "library method [handle]"
// (base, args…), "bind STYLE" text with a library's placeholders.
func (r *Resolver) Chain(chain *prog.Val) ([]prog.ChainText, string) {
	var out []prog.ChainText
	var reasons []string
	for _, alt := range alternatives(chain, maxTexts) {
		t, why, quiet := r.text(alt)
		if quiet {
			continue
		}
		if why != "" {
			reasons = append(reasons, why)
		}
		if t != nil {
			out = append(out, *t)
		}
	}
	reason := ""
	if len(reasons) > 0 {
		reason = reasons[0]
	}
	return out, reason
}

// text returns the text of one chain. quiet says that the value is no chain
// that runs anything.
func (r *Resolver) text(chain *prog.Val) (t *prog.ChainText, why string, quiet bool) {
	c := &converter{r: r, refs: []*prog.Val{prog.Hole("parameter")}}
	v := unwrapped(chain)
	if v == nil || v.Kind != prog.VMod {
		return nil, "", true
	}
	lib, style, _ := strings.Cut(v.Str, " ")
	switch lib {
	case "stmt", "hash":
		return nil, "", true
	case "bind":
		return r.styled(v, style, c)
	}
	c.lib = lib
	steps := c.steps(v)
	texts, params, why := dbapi.Render(lib, steps)
	if len(texts) == 0 {
		return nil, why, false
	}
	t = &prog.ChainText{Text: strings.Join(texts, "; "), Params: []*prog.Val{}, Holes: c.holes}
	for _, p := range params {
		if p > 0 && p < len(c.refs) {
			t.Params = append(t.Params, c.refs[p])
		} else {
			t.Params = append(t.Params, prog.Hole("parameter"))
		}
	}
	return t, why, false
}

// styled returns text whose placeholders are a library's own.
func (r *Resolver) styled(v *prog.Val, style string, c *converter) (*prog.ChainText, string, bool) {
	if len(v.Of) < 2 {
		return nil, "", true
	}
	if in := unwrapped(v.Of[1]); in != nil && in.Kind == prog.VMod { // the text of a builder, or text bound already
		t, why, quiet := r.text(in)
		if t == nil || t.Params != nil || len(v.Of) == 2 {
			return t, why, quiet
		}
	}
	c.lib = "bind"
	text := c.arg(v.Of[1], 0)
	if !text.Known {
		return nil, "the text is not known", false
	}
	var args []dbapi.Arg
	for _, a := range v.Of[2:] {
		args = append(args, c.arg(a, 0))
	}
	out, params, why := dbapi.Bind(text.Text, style, args)
	t := &prog.ChainText{Text: out, Holes: c.holes}
	if len(args) == 0 {
		return t, "", false // its parameters are those of the call
	}
	t.Params = []*prog.Val{}
	for _, p := range params {
		t.Params = append(t.Params, c.refs[p])
	}
	return t, why, false
}

// unwrapped returns v without what only tells its type.
func unwrapped(v *prog.Val) *prog.Val {
	for v != nil && (v.Kind == prog.VHandle || v.Kind == prog.VIface || v.Kind == prog.VResult && len(v.Of) == 1) {
		v = v.Of[0]
	}
	return v
}

// alternatives returns the chains that v can be, each without a choice in
// what decides the statement: its steps, its texts, its clauses.
func alternatives(v *prog.Val, limit int) []*prog.Val {
	out := []*prog.Val{v}
	for i := 0; i < len(out); {
		path := choicePath(out[i], 0)
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

// A hop is one value on the way to a choice, and which of its parts leads on.
type hop struct {
	of *prog.Val
	at int
}

// choicePath finds the first choice that decides the statement; the last hop
// is the choice itself.
func choicePath(v *prog.Val, depth int) []hop {
	if v == nil || depth > 40 {
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
		if p := choicePath(o, depth+1); p != nil {
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
		out = &prog.Val{Kind: h.of.Kind, Str: h.of.Str, Of: of}
	}
	return out
}
