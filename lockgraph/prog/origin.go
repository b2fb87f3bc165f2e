package prog

import (
	"strings"
)

// The origins of lock programs that are no code that somebody has written for
// the running program.
const (
	OriginMigration = "migration" // a migration of the schema, in SQL or Go, run once by its tool
	OriginFunction  = "function"  // a function of the schema, run by whoever calls it
	OriginGenerated = "generated" // a method of a model that a library generates, most of which nobody calls
)

// leads reports whether a function can be a path of its own.
func (p *Program) leads(f *Func) bool {
	return !p.left(f) && f.Origin != OriginFunction && f.Origin != OriginGenerated
}

// once reports whether the node is a migration's: what it locks by itself is
// no part of the order of a running program.
func (n *Node) once() bool { return n.Fn != nil && n.Fn.Origin == OriginMigration }

// migrates reports whether a migration runs: nothing is told then of what its
// statements lock by themselves.
func (w *walker) migrates(e *env) bool {
	for ; e != nil; e = e.up {
		if e.fn != nil && e.fn.Origin == OriginMigration {
			return true
		}
	}
	return w.trace.Entry.Origin == OriginMigration
}

// routines walks the functions of the schema that take a lock which no trace
// shows; those that others of them call come last.
func (p *Program) routines(traces []*Trace) []*Trace {
	var outer, inner []string
	called := map[string]bool{}
	for _, k := range p.keys {
		if f := p.Funcs[k]; f.Origin == OriginFunction {
			for _, a := range explicitIn(f) {
				for i, s := range a.SQLFunc {
					if i > 0 {
						called[OriginFunction+" "+s] = true
					}
				}
			}
		}
	}
	for _, k := range p.keys {
		switch {
		case p.Funcs[k].Origin != OriginFunction:
		case called[k]:
			inner = append(inner, k)
		default:
			outer = append(outer, k)
		}
	}
	shown := map[string]bool{}
	mark := func(tr *Trace) {
		tr.Each(func(n *Node) {
			if t := n.Take; n.Kind == OpAcquire && t != nil && !t.Acq.Implicit && len(t.Acq.SQLFunc) > 0 {
				shown[siteOf(t.Acq)] = true
			}
		}, OpAcquire)
	}
	for _, tr := range traces {
		if tr.Entry.Origin != OriginMigration { // a call in a migration is over once it has run
			mark(tr)
		}
	}
	var out []*Trace
	for _, k := range append(outer, inner...) {
		hidden := false
		for _, a := range explicitIn(p.Funcs[k]) {
			hidden = hidden || !shown[siteOf(a)]
		}
		if hidden {
			tr := p.Walk(k)
			tr.Caller = true
			mark(tr)
			out = append(out, tr)
		}
	}
	return out
}

// explicitIn returns what the functions that f calls lock explicitly.
func explicitIn(f *Func) []*Acq {
	var out []*Acq
	visit(f.Body, func(o *Op) {
		if o.Kind == OpAcquire && !o.Acq.Implicit && len(o.Acq.SQLFunc) > 0 {
			out = append(out, o.Acq)
		}
	})
	return out
}

// siteOf is the place of an acquisition inside a function of the schema.
func siteOf(a *Acq) string {
	return strings.Join([]string{a.SQLFunc[len(a.SQLFunc)-1], a.SQLFile, a.Family, a.Mode}, "\x00")
}
