package locksummary

import (
	"strings"
	"sync"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/effect"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A Resolver answers from a catalog what statements do. It is safe for
// concurrent use and remembers every text.
type Resolver struct {
	Catalog *schema.Catalog
	Tables  map[string]string // model type → table, from TableName methods

	mu      sync.Mutex
	effects map[string][]prog.Op
	orders  map[string]string
}

// NewResolver returns a resolver over a catalog.
func NewResolver(cat *schema.Catalog) *Resolver {
	return &Resolver{Catalog: cat, Tables: map[string]string{}, effects: map[string][]prog.Op{}, orders: map[string]string{}}
}

// Effect implements prog.Resolver.
func (r *Resolver) Effect(text string) []prog.Op {
	r.mu.Lock()
	ops, ok := r.effects[text]
	r.mu.Unlock()
	if ok {
		return ops
	}
	ops = effect.Of(r.Catalog, dbapiText(text))
	r.mu.Lock()
	r.effects[text] = ops
	r.mu.Unlock()
	return ops
}

// dbapiText is text as the server sees it.
func dbapiText(text string) string { return text }

// Order implements prog.Resolver.
func (r *Resolver) Order(text string) string {
	r.mu.Lock()
	o, ok := r.orders[text]
	r.mu.Unlock()
	if ok {
		return o
	}
	o = effect.Order(text)
	r.mu.Lock()
	r.orders[text] = o
	r.mu.Unlock()
	return o
}

// Class implements prog.Resolver.
func (r *Resolver) Class(a *prog.Acq, key []*prog.Val) *lockgraph.Class {
	if a.Family == lockgraph.Mutex {
		return &lockgraph.Class{ID: "mutex " + a.Relation, Family: lockgraph.Mutex, Name: shortField(a.Relation)}
	}
	return effect.ClassOf(a, key)
}

func shortField(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// Chain implements prog.Resolver.
func (r *Resolver) Chain(chain *prog.Val) ([]prog.ChainText, string) {
	lib := ""
	var steps []dbapi.Step
	var refs []*prog.Val
	var walk func(v *prog.Val)
	walk = func(v *prog.Val) {
		switch v.Kind {
		case prog.VHandle, prog.VIface:
			walk(v.Of[0])
			return
		case prog.VResult:
			if len(v.Of) == 1 {
				walk(v.Of[0])
			}
			return
		case prog.VMod:
			walk(v.Of[0])
			l, method, _ := strings.Cut(v.Str, " ")
			if l == "stmt" || l == "hash" {
				return
			}
			lib = l
			st := dbapi.Step{Method: method}
			for _, a := range v.Of[1:] {
				st.Args = append(st.Args, r.arg(a, &refs, 0))
			}
			steps = append(steps, st)
		}
	}
	walk(chain)
	if lib == "" {
		return nil, ""
	}
	texts, params, reason := dbapi.Render(lib, steps)
	var out []prog.ChainText
	for _, t := range texts {
		c := prog.ChainText{Text: t, Params: []*prog.Val{}}
		for _, p := range params {
			if p >= 0 && p < len(refs) {
				c.Params = append(c.Params, refs[p])
			} else {
				c.Params = append(c.Params, prog.Hole("parameter"))
			}
		}
		out = append(out, c)
	}
	return out, reason
}

// arg describes an argument of a builder step to its renderer.
func (r *Resolver) arg(v *prog.Val, refs *[]*prog.Val, depth int) dbapi.Arg {
	a := dbapi.Arg{Ref: len(*refs)}
	*refs = append(*refs, v)
	if v == nil || depth > 6 {
		return a
	}
	switch v.Kind {
	case prog.VIface, prog.VHandle:
		in := r.arg(v.Of[0], refs, depth+1)
		in.Ref = a.Ref
		if v.Kind == prog.VIface {
			in.Type = v.Str
			in.Table = r.table(v.Str)
		}
		return in
	case prog.VResult:
		if len(v.Of) == 1 {
			return r.arg(v.Of[0], refs, depth+1)
		}
	case prog.VConst:
		if s, ok := v.AsText(); ok {
			a.Text, a.Known = s, true
		} else if _, s, ok := strings.Cut(v.Str, ":"); ok {
			a.Text, a.Known = s, true
		}
	case prog.VList:
		for _, o := range v.Of {
			a.List = append(a.List, r.arg(o, refs, depth+1))
		}
	case prog.VRecord:
		a.Type, a.Table = v.Str, r.table(v.Str)
		a.Fields = map[string]dbapi.Arg{}
		for _, in := range v.Of {
			name := in.Str[strings.LastIndexByte(in.Str, '.')+1:]
			a.Fields[strings.TrimPrefix(name, "s:")] = r.arg(in.Of[0], refs, depth+1)
		}
	}
	return a
}

func (r *Resolver) table(typ string) string {
	return r.Tables[strings.TrimLeft(typ, "*[]")]
}
