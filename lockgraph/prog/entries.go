package prog

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A role says what a function is to the paths of a program.
type role uint8

const (
	roleNone   role = iota
	roleEntry       // a transaction or pinned connection lives in it
	roleCaller      // it locks on its caller's handle
	roleHands       // it opens a connection and hands it on: a transaction kind
)

// left reports whether f exists for tests and is left out.
func (p *Program) left(f *Func) bool { return f.Test && !p.Tests }

// Entries returns the functions that are paths of their own, sorted: the
// outermost functions in which a transaction lives, and the exported ones
// that lock on their caller's transaction.
func (p *Program) Entries() []string {
	entries, callers := p.entries()
	return union(entries, callers)
}

// entries returns the functions that are entries by themselves, and those
// that are if they turn out to lock on their caller's handle.
func (p *Program) entries() (entries, callers []string) {
	hands := p.handing()
	covered := map[string]bool{}
	for _, k := range p.keys {
		f := p.Funcs[k]
		if p.bears[k] && p.leads(f) && p.lives(f, hands) {
			entries = append(entries, k)
		}
	}
	entries = p.underMutex(entries)
	for _, k := range entries {
		p.cover(k, covered)
	}
	var runs []string
	for _, k := range p.keys {
		f := p.Funcs[k]
		if !p.bears[k] || !p.leads(f) || hands[k] || !f.Exported || !p.locksOnCaller(f) {
			continue
		}
		if query, _ := p.single(f); query {
			if covered[k] {
				continue
			}
			if up := p.runners(k); len(up) > 0 {
				runs = append(runs, up...) // a wrapper of one query is told where it is run
				continue
			}
		}
		callers = append(callers, k)
	}
	for _, k := range callers {
		p.cover(k, covered)
	}
	for _, k := range runs {
		p.cover(k, covered)
	}
	callers = union(callers, runs)
	// what nothing above reaches is still a place where locks are taken, and
	// so is what hands a transaction to callers that are not in sight
	for _, calledByOthers := range []bool{false, true} {
		for _, k := range p.keys {
			f := p.Funcs[k]
			if covered[k] || !p.bears[k] || !p.leads(f) || !p.takesItself(f) && !(hands[k] && (f.Exported || len(p.runners(k)) == 0)) || !calledByOthers && p.calledByBearer(k) {
				continue
			}
			for _, g := range p.givers(k, hands) {
				entries = union(entries, []string{g})
				p.cover(g, covered)
			}
		}
	}
	return entries, callers
}

// givers returns the functions that give key the connections which it locks
// on and its parameters carry, and keep them; key itself where there is none,
// or too many.
func (p *Program) givers(key string, hands map[string]bool) []string {
	var out []string
	seen := map[string]bool{}
	var climb func(key, param string)
	climb = func(key, param string) {
		if seen[key+param] || len(out) > maxGivers {
			return
		}
		seen[key+param] = true
		for _, c := range p.runners(key) {
			visit(p.Funcs[c].Body, func(o *Op) {
				if o.Kind != OpCall || o.Val == nil || o.Val.Kind != VFunc || o.Val.Str != key {
					return
				}
				i := atoi(strings.TrimPrefix(param, "param "))
				if i >= len(o.Args) {
					return
				}
				if up := own(o.Args[i]); strings.HasPrefix(up, "param ") && len(p.runners(c)) > 0 {
					climb(c, up)
				} else if !hands[c] {
					out = union(out, []string{c})
				}
			})
		}
	}
	visit(p.Funcs[key].Body, func(o *Op) {
		if o.Kind == OpSQL && locks(o) {
			if param := own(o.Conn); strings.HasPrefix(param, "param ") {
				climb(key, param)
			}
		}
	})
	if len(out) == 0 || len(out) > maxGivers {
		return []string{key}
	}
	return out
}

// underMutex puts in the place of a closure the function that hands it to one
// which runs it under a mutex: the mutex is part of the path.
func (p *Program) underMutex(entries []string) []string {
	var out []string
	for _, k := range entries {
		for f := p.Funcs[k]; f.Parent != "" && p.Funcs[f.Parent] != nil && p.guarded(p.Funcs[f.Parent], k); f = p.Funcs[k] {
			k = f.Parent
		}
		out = append(out, k)
	}
	return union(out, nil)
}

// guarded reports whether f hands the closure to a function that takes a
// mutex and calls what it is given.
func (p *Program) guarded(f *Func, closure string) bool {
	found := false
	visit(f.Body, func(o *Op) {
		if o.Kind != OpCall || o.Val == nil || o.Val.Kind != VFunc || p.Funcs[o.Val.Str] == nil {
			return
		}
		for _, a := range o.Args {
			if a = bare(a); (a.Kind == VClosure || a.Kind == VFunc) && a.Str == closure {
				takes, calls := false, false
				visit(p.Funcs[o.Val.Str].Body, func(in *Op) {
					takes = takes || in.Kind == OpAcquire && in.Acq.Family == lockgraph.Mutex
					calls = calls || in.Kind == OpCall && in.Val != nil && in.Val.Kind == VParam
				})
				found = found || takes && calls
			}
		}
	})
	return found
}

// missed walks the functions whose own text asks for a lock and that no walk
// so far has entered, something on the way to them could not be followed, or
// that walks have entered which were cut before they came to it.
func (v *View) missed() []*Trace {
	p := v.Program
	untold := v.untold()
	var out []*Trace
	for _, k := range p.keys {
		f := p.Funcs[k]
		if p.entered[k] && !untold[k] || !p.bears[k] || !p.leads(f) || !p.asksForLocks(f) {
			continue
		}
		tr := p.Walk(k)
		explicit := false
		tr.Each(func(n *Node) {
			explicit = explicit || (n.Kind == OpAcquire && n.Take != nil && !n.Take.Acq.Implicit || n.Kind == OpRelease && n.Take != nil) && n.Take.Acq.Family != lockgraph.Mutex
		}, OpAcquire, OpRelease)
		if explicit {
			tr.locksForCaller()
			out = append(out, tr)
		}
	}
	return out
}

// untold returns the functions that walks entered which reached their limit,
// and of which no walk tells a lock or an unknown.
func (v *View) untold() map[string]bool {
	cut := false
	told := map[string]bool{}
	for _, tr := range v.Traces {
		cut = cut || slices.ContainsFunc(tr.Cuts, func(u lockgraph.Unknown) bool { return u.Kind == lockgraph.CutSize })
		tr.Each(func(n *Node) {
			if n.Kind == OpUnknown || n.Take != nil && !n.Take.Acq.Implicit {
				told[n.Fn.Key] = true
				if n.ran != nil {
					told[n.ran.Key] = true
				}
			}
		}, OpAcquire, OpRelease, OpUnknown)
	}
	out := map[string]bool{}
	if !cut {
		return out
	}
	for k := range v.Program.entered {
		out[k] = !told[k]
	}
	return out
}

// asksForLocks reports whether a statement of f, or a text that f hands to
// what runs it, names a lock.
func (p *Program) asksForLocks(f *Func) bool {
	found := false
	visit(f.Body, func(o *Op) {
		switch o.Kind {
		case OpSQL:
			visit(o.Body, func(o *Op) {
				found = found || o.Kind == OpAcquire && !o.Acq.Implicit && o.Acq.Family != lockgraph.Mutex || o.Kind == OpRelease
			})
			found = found || len(o.Body) == 0 && (asks(o.Val) || namesLock(o.Val, 0))
		case OpCall, OpGo:
			for _, a := range o.Args {
				found = found || namesLock(a, 0)
			}
		}
	})
	return found
}

// namesLock reports whether a text that is part of v asks for a lock.
func namesLock(v *Val, depth int) bool {
	if v == nil || depth > 8 || v.Kind == VClosure {
		return false
	}
	if s, ok := v.AsText(); ok {
		return len(s) > 8 && asking.MatchString(s)
	}
	for _, o := range v.Of {
		if namesLock(o, depth+1) {
			return true
		}
	}
	return false
}

// locking reports whether a text asks for a lock; each is read once.
func (p *Program) locking(text string) bool {
	asks, ok := p.asking[text]
	if !ok {
		asks = asking.MatchString(text)
		p.asking[text] = asks
	}
	return asks
}

// asking matches text that asks for a row, table or advisory lock.
var asking = regexp.MustCompile(`(?i)\bfor\s+(no\s+key\s+)?update\b|\bfor\s+(key\s+)?share\b|\bpg_\w*advisory\w*\b|^\s*lock\s`)

func union(a, b []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, list := range [][]string{a, b} {
		for _, s := range list {
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	sort.Strings(out)
	return out
}

// lives reports whether a connection begins in f and stays there, or a
// statement of f locks on a pool by itself.
func (p *Program) lives(f *Func, hands map[string]bool) bool {
	if hands[f.Key] {
		return false
	}
	found := false
	visit(f.Body, func(o *Op) {
		switch o.Kind {
		case OpOpen:
			found = true
		case OpCall:
			if o.Val.Kind == VFunc && hands[o.Val.Str] {
				found = true
			}
			if o.Val.Kind == VMethod {
				for _, m := range p.implementers(o.Val) {
					found = found || hands[m]
				}
			}
			found = found || p.givesPool(o)
		case OpSQL:
			if locks(o) && poolish(o.Conn) {
				found = true
			}
		}
	})
	return found
}

func poolish(v *Val) bool {
	return v != nil && v.Kind == VHandle && (v.Str == "pool" || v.Str == "conn")
}

// locks reports whether the statement takes an explicit lock, or may, as one
// that calls a function which the schema does not have, or sets a parameter for
// the session.
func locks(o *Op) bool {
	if len(o.Body) == 0 {
		return true
	}
	found := false
	visit(o.Body, func(o *Op) {
		found = found || o.Kind == OpAcquire && (!o.Acq.Implicit || o.Acq.Family == "row") || o.Kind == OpSet && o.How == "session" || o.Kind == OpUnknown && o.How == "function"
	})
	return found
}

// locksOnCaller reports whether f reaches a lock on a handle that it did not
// open.
func (p *Program) locksOnCaller(f *Func) bool {
	seen := map[string]bool{}
	var look func(f *Func) bool
	look = func(f *Func) bool {
		if f == nil || seen[f.Key] || !p.bears[f.Key] {
			return false
		}
		seen[f.Key] = true
		found := false
		visit(f.Body, func(o *Op) {
			if found {
				return
			}
			switch o.Kind {
			case OpSQL:
				found = locks(o) && !poolish(o.Conn) && o.Conn != nil && root(o.Conn).Kind != VConn
			case OpCall:
				mentions(o.Val, func(v *Val) {
					if v.Kind == VFunc {
						found = found || look(p.Funcs[v.Str])
					}
				})
			}
		})
		return found
	}
	return look(f)
}

// single reports whether f is a wrapper of one query.
func (p *Program) single(f *Func) (query bool, op *Op) {
	n := 0
	visit(f.Body, func(o *Op) {
		switch o.Kind {
		case OpSQL:
			op = o
			n++
		case OpOpen, OpCall, OpGo:
			n += 2
		}
	})
	return n == 1 && op != nil && op.Query != "", op
}

// takesItself reports whether a statement of f itself may lock.
func (p *Program) takesItself(f *Func) bool {
	found := false
	visit(f.Body, func(o *Op) { found = found || o.Kind == OpSQL && (locks(o) || unlocks(o)) })
	return found
}

// unlocks reports a statement that gives a session lock back: who releases
// what a function it calls takes is the path, not that function.
func unlocks(o *Op) bool {
	found := false
	visit(o.Body, func(o *Op) { found = found || o.Kind == OpRelease })
	return found
}

// cover marks what can be reached from key.
func (p *Program) cover(key string, covered map[string]bool) {
	if covered[key] {
		return
	}
	covered[key] = true
	f := p.Funcs[key]
	if f == nil {
		return
	}
	refer := func(v *Val) {
		switch v.Kind {
		case VFunc, VClosure:
			p.cover(v.Str, covered)
		case VMethod:
			for _, m := range p.implementers(v) {
				p.cover(m, covered)
			}
		}
	}
	visit(f.Body, func(o *Op) {
		mentions(o.Val, refer)
		for _, a := range o.Args {
			mentions(a, refer)
		}
	})
}

// runners returns the functions that call key and are no wrappers themselves.
func (p *Program) runners(key string) []string {
	var out []string
	for _, c := range p.callers[key] {
		if p.bears[c] && c != key && !p.left(p.Funcs[c]) {
			out = append(out, c)
		}
	}
	return out
}

func (p *Program) calledByBearer(key string) bool {
	for _, c := range p.callers[key] {
		if p.bears[c] && c != key && !p.left(p.Funcs[c]) {
			return true
		}
	}
	return false
}
