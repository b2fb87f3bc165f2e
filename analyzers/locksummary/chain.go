package locksummary

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Chain implements prog.Resolver: a chain is VMod "library method [handle]"
// (base, args…), "bind STYLE" text with a library's placeholders.
func (r *Resolver) Chain(chain *prog.Val) ([]prog.ChainText, string) {
	var out, lost []prog.ChainText
	for _, alt := range alternatives(chain, maxTexts) {
		t, why, quiet := r.text(alt)
		if quiet {
			continue
		}
		switch {
		case t != nil:
			out = append(out, *t)
		case why != "":
			lost = append(lost, prog.ChainText{Open: why})
		}
	}
	if len(out) == 0 && len(lost) > 0 {
		return nil, lost[0].Open
	}
	return append(out, lost...), ""
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
	texts, params, why, open := dbapi.Render(lib, steps)
	if c.open && why == "" {
		why = "too many steps that may or may not be taken"
	}
	if len(texts) == 0 {
		return nil, why, false
	}
	t = &prog.ChainText{Text: strings.Join(texts, "; "), Params: []*prog.Val{}, Holes: c.holes, Open: open}
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
