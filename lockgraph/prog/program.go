package prog

import (
	"slices"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A Program is packages of lock programs, linked by name.
type Program struct {
	Funcs   map[string]*Func
	Res     Resolver
	Dynamic map[string][]string // "function key:op id" → callees that a call graph proves
	Limits  Limits
	Tests   bool            // functions that exist for tests are paths too
	All     bool            // what statements of migrations lock by themselves is told too
	Foreign map[string]bool // packages of other modules
	// Uncalled are exported functions of a command's packages that nothing
	// in the program names.
	Uncalled map[string]bool

	fields      map[string][]FieldStore
	kept        map[string]*Val              // what fields hold, as far as looked into
	parts       map[string]*Val              // what fields of fields hold, by the chain of them
	stores      map[string][]FieldStore      // by function: what it stores in fields and variables
	impls       map[string][]Impl            // by method name
	faces       map[string]map[string]string // by interface: the methods that are called, and their signatures
	ops         map[*Func]map[int]*Op
	bears       map[string]bool
	guards      map[string]bool // bears no lock but a mutex that functions which do take as well
	entered     map[string]bool // by some walk
	foreign     map[string]bool // functions entered by some walk that run statements on another database
	offers      map[string]bool // functions that return a text which asks for a lock, for callers out of sight
	beyond      map[string]bool // called where a walk did not follow all callees
	takes       map[string]bool // parametric: calls what it is given
	callers     map[string][]string
	direct      map[string]bool // "caller\x00callee": by a call of it, not by its name alone
	spawns      map[string]bool // likewise, by a go statement
	routes      *routes
	ways        map[string]*way   // how functions leave the process
	pings       map[string]bool   // fields whose session is asked whether it lives
	pools       map[string][]*Val // the calls that open pools, by the values these are known by
	origins     map[string]*Val   // what each comes from, likewise
	asking      map[string]bool   // texts of statements → whether they ask for a lock
	clauses     map[string]bool   // pieces of texts that are not known → whether they stand where a locking clause can
	asksOnParam map[string]bool   // "function#parameter" → whether it asks for a lock on that, likewise
	never       map[string]bool   // the fields of NeverBegun that were asked for
	others      map[string]bool   // whether pools lead to a database that is not PostgreSQL, likewise
	ones        map[string]bool   // calls that open a pool of one connection
	poolers     map[string]Pooler // what the connection string of a call that opens a pool or a connection tells
	keys        []string          // of Funcs, sorted
	returned    map[resultOfFunc][]*Val
	wrappers    map[string]bool     // functions that take nothing but through interfaces
	having      map[string][]string // by a method value: its implementers
	fit         map[string][]string // likewise: those that fit
	zero        map[string][]*Val   // by struct type: see zeros
	missing     map[uint32]bool     // hashes of functions and fields that facts left out
	partial     map[string]bool     // packages that facts left fields out of
}

// Limits bound a walk; a walk that reaches one is cut there and says so.
type Limits struct {
	Nodes   int // per trace
	Depth   int // calls
	States  int // held sets kept apart at one point
	Callees int // of one dynamic call
}

// DefaultLimits are generous for any service measured so far.
var DefaultLimits = Limits{Nodes: 6000, Depth: 48, States: 8, Callees: 6}

// Link joins packages into a program. Packages may repeat functions (facts
// seen through several imports); the first one of a key counts.
func Link(pkgs []*Package, res Resolver) *Program {
	p := &Program{
		Funcs:       map[string]*Func{},
		Res:         res,
		Dynamic:     map[string][]string{},
		Limits:      DefaultLimits,
		fields:      map[string][]FieldStore{},
		entered:     map[string]bool{},
		foreign:     map[string]bool{},
		beyond:      map[string]bool{},
		kept:        map[string]*Val{},
		parts:       map[string]*Val{},
		pools:       map[string][]*Val{},
		asking:      map[string]bool{},
		clauses:     map[string]bool{},
		asksOnParam: map[string]bool{},
		origins:     map[string]*Val{},
		never:       map[string]bool{},
		others:      map[string]bool{},
		impls:       map[string][]Impl{},
		ops:         map[*Func]map[int]*Op{},
		stores:      map[string][]FieldStore{},
		returned:    map[resultOfFunc][]*Val{},
		wrappers:    map[string]bool{},
		having:      map[string][]string{},
		fit:         map[string][]string{},
	}
	for _, pkg := range pkgs {
		for _, f := range pkg.Funcs {
			if p.Funcs[f.Key] == nil {
				p.Funcs[f.Key] = f
				p.keys = append(p.keys, f.Key)
			}
		}
		for _, s := range pkg.Fields {
			p.fields[s.Field] = append(p.fields[s.Field], s)
			p.stores[s.Func] = append(p.stores[s.Func], s)
		}
		for _, m := range pkg.Impls {
			p.impls[m.Method] = append(p.impls[m.Method], m)
		}
	}
	p.leaveOut(pkgs)
	sort.Strings(p.keys)
	for m, list := range p.impls {
		sort.Slice(list, func(i, j int) bool { return list[i].Type < list[j].Type })
		kept := list[:0]
		for i, x := range list {
			if i == 0 || x != list[i-1] {
				kept = append(kept, x)
			}
		}
		p.impls[m] = kept
	}
	p.routes = p.routesOf(pkgs)
	p.relate()
	return p
}

// Keys returns the functions of the program, sorted.
func (p *Program) Keys() []string { return p.keys }

// Bears reports whether the function does anything to locks or connections,
// by itself or through what it calls.
func (p *Program) Bears(key string) bool { return p.bears[key] }

// op returns the op of f with the id.
func (p *Program) op(f *Func, id int) *Op {
	m := p.ops[f]
	if m == nil {
		m = map[int]*Op{}
		visit(f.Body, func(o *Op) {
			if m[o.ID] == nil {
				m[o.ID] = o
			}
		})
		p.ops[f] = m
	}
	return m[id]
}

// Visit calls fn for every op of a body, in order.
func Visit(ops []Op, fn func(*Op)) { visit(ops, fn) }

func visit(ops []Op, fn func(*Op)) {
	for i := range ops {
		o := &ops[i]
		fn(o)
		visit(o.Body, fn)
		for j := range o.Arms {
			visit(o.Arms[j].Body, fn)
		}
	}
}

// mentions calls fn for every function that v refers to.
func mentions(v *Val, fn func(v *Val)) {
	if v == nil {
		return
	}
	switch v.Kind {
	case VFunc, VClosure, VMethod:
		fn(v)
	}
	for _, o := range v.Of {
		mentions(o, fn)
	}
}

// Callers returns the functions that call or make key, those of tests left out.
func (p *Program) Callers(key string) []string {
	return slices.DeleteFunc(slices.Clone(p.callers[key]), func(k string) bool { return p.Funcs[k].Test && !p.Tests })
}

// relate finds who calls whom, which functions bear locks and which call
// what they are given.
func (p *Program) relate() {
	p.bears, p.takes = map[string]bool{}, map[string]bool{}
	p.direct, p.spawns = map[string]bool{}, map[string]bool{}
	callees := map[string]map[string]bool{}
	for _, k := range p.keys {
		f := p.Funcs[k]
		to := map[string]bool{}
		refer := func(v *Val) {
			switch v.Kind {
			case VFunc, VClosure:
				to[v.Str] = true
			case VMethod:
				for _, m := range p.implementers(v) {
					to[m] = true
				}
			}
		}
		visit(f.Body, func(o *Op) {
			mentions(o.Val, refer)
			for _, a := range o.Args {
				mentions(a, refer)
			}
			p.calls(k, o)
			switch o.Kind {
			case OpOpen, OpEnd, OpSet, OpCheck:
				p.bears[k] = p.bears[k] || o.How != CtxDone && o.How != MaxConns && o.How != DSN
			case OpAcquire, OpRelease: // a process mutex alone is no reason to walk
				p.bears[k] = p.bears[k] || o.Acq == nil || o.Acq.Family != lockgraph.Mutex
			case OpSQL:
				p.bears[k] = p.bears[k] || matters(o)
			case OpCall, OpGo:
				if o.Val == nil {
					break
				}
				switch o.Val.Kind {
				case VParam, VFree, VField, VElem, VResult, VChoice:
					p.takes[k] = true
				}
			}
		})
		callees[k] = to
	}
	p.callers = map[string][]string{}
	for _, k := range p.keys {
		for c := range callees[k] {
			p.callers[c] = append(p.callers[c], k)
		}
	}
	var work []string
	for k, ok := range p.bears {
		if !ok {
			continue
		}
		work = append(work, k)
	}
	sort.Strings(work)
	for len(work) > 0 {
		k := work[0]
		work = work[1:]
		for _, up := range p.callers[k] {
			if !p.bears[up] {
				p.bears[up] = true
				work = append(work, up)
			}
		}
	}
	for k := range p.callers {
		sort.Strings(p.callers[k])
	}
	defer p.markGuards()
	again := true
	for again { // what calls a parametric function with its own parameter is one too
		again = false
		for _, k := range p.keys {
			if p.takes[k] {
				continue
			}
			for c := range callees[k] {
				if p.takes[c] {
					p.takes[k], again = true, true
					break
				}
			}
		}
	}
}

// calls notes what an op of a function calls or starts.
func (p *Program) calls(key string, o *Op) {
	to := p.direct
	switch o.Kind {
	case OpCall:
	case OpGo:
		if o.How == Handed {
			return
		}
		to = p.spawns
		if o.Val == nil {
			visit(o.Body, func(in *Op) {
				if in.Kind == OpCall {
					mentions(in.Val, func(v *Val) { to[key+"\x00"+v.Str] = true })
				}
			})
		}
	default:
		return
	}
	note := func(callee string) {
		if o.Kind == OpGo || len(p.routes.entries[callee]) > 0 {
			to[key+"\x00"+callee] = true
		}
	}
	mentions(o.Val, func(v *Val) {
		if v.Kind != VMethod {
			note(v.Str)
			return
		}
		for _, m := range p.implementers(v) {
			note(m)
		}
	})
}

// markGuards finds the functions that take nothing but a mutex under which
// others run statements: whoever calls them in a transaction waits for those.
func (p *Program) markGuards() {
	taken, shared := map[string][]string{}, map[string]bool{}
	for _, k := range p.keys {
		visit(p.Funcs[k].Body, func(o *Op) {
			if o.Kind == OpAcquire && o.Acq != nil && o.Acq.Family == lockgraph.Mutex {
				taken[k] = append(taken[k], o.Acq.Relation)
				if p.bears[k] || p.takes[k] {
					shared[o.Acq.Relation] = true
				}
			}
		})
	}
	p.guards = map[string]bool{}
	for k, mutexes := range taken {
		p.guards[k] = !p.bears[k] && slices.ContainsFunc(mutexes, func(m string) bool { return shared[m] })
	}
}

// matters reports whether a statement does anything that a walk must see:
// more than reading tables.
func matters(o *Op) bool {
	if len(o.Body) == 0 {
		_, known := o.Val.AsText()
		return !known
	}
	found := false
	visit(o.Body, func(o *Op) {
		switch o.Kind {
		case OpAcquire:
			found = found || !o.Acq.Implicit || o.Acq.Family != lockgraph.Table || o.Acq.Mode != lockgraph.AccessShare
		case OpBranch, OpLoop, OpCall:
		default:
			found = true
		}
	})
	return found
}

// implementers returns the functions that a method value of an interface
// can be: methods of that name with the same signature, when v says one.
func (p *Program) implementers(v *Val) []string {
	out, ok := p.having[v.Str]
	if !ok {
		out = slices.Clip(p.implementing(v, func(string) bool { return true }))
		p.having[v.Str] = out
	}
	return out
}

// implementing returns those of implementers whose types pass fits.
func (p *Program) implementing(v *Val, fits func(typ string) bool) []string {
	_, name, sig := methodOf(v)
	var out []string
	for _, m := range p.impls[name] {
		if (sig == "" || m.Sig == sig) && p.Funcs[m.Func] != nil && fits(m.Type) {
			if n := len(out); n == 0 || out[n-1] != m.Func {
				out = append(out, m.Func)
			}
		}
	}
	return out
}

// methodOf takes a method value of an interface apart.
func methodOf(v *Val) (face, name, sig string) {
	head, sig, _ := strings.Cut(v.Str, "|")
	dot := strings.LastIndexByte(head, '.')
	return head[:max(dot, 0)], head[dot+1:], sig
}

// fitting returns those of implementers whose types have each method that the
// program calls on the interface, all of them where none has. The program is
// to be whole.
func (p *Program) fitting(v *Val) []string {
	if p.faces == nil {
		p.faces = map[string]map[string]string{}
		for _, k := range p.keys {
			visit(p.Funcs[k].Body, func(o *Op) {
				if o.Val == nil || o.Val.Kind != VMethod {
					return
				}
				face, name, sig := methodOf(o.Val)
				if p.faces[face] == nil {
					p.faces[face] = map[string]string{}
				}
				p.faces[face][name] = sig
			})
		}
	}
	out, ok := p.fit[v.Str]
	if ok {
		return out
	}
	face, _, _ := methodOf(v)
	wants := p.faces[face]
	out = p.implementing(v, func(typ string) bool {
		for name, sig := range wants {
			if !slices.ContainsFunc(p.impls[name], func(m Impl) bool { return m.Type == typ && (sig == "" || m.Sig == sig) }) {
				return false
			}
		}
		return true
	})
	if len(out) == 0 {
		out = p.implementers(v)
	}
	p.fit[v.Str] = slices.Clip(out)
	return out
}

// method returns the function that the named method of a concrete type is.
func (p *Program) method(typ, name string) string {
	for _, m := range p.impls[name] {
		if m.Type == typ {
			return m.Func
		}
	}
	return ""
}
