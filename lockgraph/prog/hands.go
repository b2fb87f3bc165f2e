package prog

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A handing is what the helpers of a program do that open a connection and
// hand it on.
type handing struct {
	p       *Program
	calls   map[string]map[string]bool // by function: its parameters and captured variables that it calls, or has called
	during  map[string]map[string]bool // those of them it calls while a connection is open
	passes  map[string]map[string]bool // those of them whose result it returns
	returns map[string]bool            // functions that return the connection
}

// handing finds the helpers that open a connection and hand it on, by return
// or by callback, to their caller.
func (p *Program) handing() map[string]bool {
	h := &handing{p: p, calls: map[string]map[string]bool{}, during: map[string]map[string]bool{}, passes: map[string]map[string]bool{}, returns: map[string]bool{}}
	for again := true; again; {
		again = false
		for _, k := range p.keys {
			again = h.called(p.Funcs[k]) || again
			again = h.passing(p.Funcs[k]) || again
		}
	}
	out := map[string]bool{}
	for again := true; again; {
		again = false
		for _, k := range p.keys {
			if !p.bears[k] {
				continue
			}
			n := len(h.during[k])
			runs, returns := h.handsOn(p.Funcs[k])
			if again = again || len(h.during[k]) > n || (runs || returns) && !out[k]; runs || returns {
				out[k] = true
			}
			h.returns[k] = h.returns[k] || returns
		}
	}
	return out
}

// own names a parameter or captured variable of the function that v is in,
// "" when it is neither.
func own(v *Val) string {
	switch v = bare(v); {
	case v == nil:
	case v.Kind == VParam:
		return "param " + v.Str
	case v.Kind == VFree:
		return "free " + v.Str
	}
	return ""
}

// passed returns what of the function's own, by name, a call hands to
// functions that do to it what of tells: its own functions as arguments, and
// those that closures among the arguments, or called, have captured.
func (h *handing) passed(o *Op, of, closures map[string]map[string]bool) []string {
	var out []string
	keys, before := h.p.targets(o.Val)
	for _, k := range keys {
		for i, a := range o.Args {
			if name := own(a); name != "" && of[k]["param "+strconv.Itoa(i+before)] {
				out = append(out, name)
			}
			if c := bare(a); c != nil && c.Kind == VClosure && of[k]["param "+strconv.Itoa(i+before)] {
				out = append(out, captured(c, h.calls)...)
			}
		}
	}
	if c := bare(o.Val); c != nil && c.Kind == VClosure {
		out = append(out, captured(c, of)...)
	}
	for _, a := range o.Args {
		if c := bare(a); c != nil && c.Kind == VClosure {
			out = append(out, captured(c, closures)...)
		}
	}
	return out
}

// captured returns what a closure has captured of the function's own that of
// tells of the closure's variables.
func captured(c *Val, of map[string]map[string]bool) []string {
	var out []string
	for i, v := range c.Of {
		if name := own(v); name != "" && of[c.Str]["free "+strconv.Itoa(i)] {
			out = append(out, name)
		}
	}
	return out
}

// called adds what f calls of its own and reports whether that was news.
func (h *handing) called(f *Func) bool {
	n := len(h.calls[f.Key])
	visit(f.Body, func(o *Op) {
		if o.Kind != OpCall {
			return
		}
		note(h.calls, f.Key, own(o.Val))
		for _, name := range h.passed(o, h.calls, h.calls) {
			note(h.calls, f.Key, name)
		}
	})
	return len(h.calls[f.Key]) > n
}

// passing adds the functions of f's own whose result f returns, and reports
// whether that was news.
func (h *handing) passing(f *Func) bool {
	n := len(h.passes[f.Key])
	from := map[int][]string{} // by call: the functions of f's own whose result it returns
	visit(f.Body, func(o *Op) {
		switch o.Kind {
		case OpCall:
			names := h.passed(o, h.passes, nil)
			if name := own(o.Val); name != "" {
				names = append(names, name)
			}
			if len(names) > 0 {
				from[o.ID] = names
			}
		case OpExit:
			for id, names := range from {
				if !slices.ContainsFunc(o.Args, func(a *Val) bool { return refersTo(a, map[int]bool{id: true}, 0) }) {
					continue
				}
				for _, name := range names {
					note(h.passes, f.Key, name)
				}
			}
		}
	})
	return len(h.passes[f.Key]) > n
}

// opener reports a call of a helper that returns what a function it is given
// returns, where that opens a connection.
func (h *handing) opener(o *Op) bool {
	keys, before := h.p.targets(o.Val)
	for _, k := range keys {
		for i, a := range o.Args {
			if c := bare(a); c != nil && (c.Kind == VClosure || c.Kind == VFunc) && h.returns[c.Str] && h.passes[k]["param "+strconv.Itoa(i+before)] {
				return true
			}
		}
	}
	return false
}

func note(set map[string]map[string]bool, key, name string) {
	if name == "" {
		return
	}
	if set[key] == nil {
		set[key] = map[string]bool{}
	}
	set[key][name] = true
}

// handsOn reports whether f opens a connection, itself or through a helper,
// and runs its caller's function meanwhile or returns it.
func (h *handing) handsOn(f *Func) (runs, returns bool) {
	opens, open := map[int]bool{}, false
	visit(f.Body, func(o *Op) {
		switch o.Kind {
		case OpOpen:
			opens[o.ID], open = true, true
		case OpCall:
			if keys, _ := h.p.targets(o.Val); slices.ContainsFunc(keys, func(k string) bool { return h.returns[k] }) || h.opener(o) {
				opens[o.ID], open = true, true
			}
			if open && h.wraps(o, opens) {
				opens[o.ID] = true
			}
			for _, name := range h.passed(o, h.during, h.during) {
				note(h.during, f.Key, name)
			}
			if !open {
				return
			}
			note(h.during, f.Key, own(o.Val))
			for _, name := range h.passed(o, h.calls, h.calls) {
				note(h.during, f.Key, name)
			}
			if o.Val == nil || o.Val.Kind != VField && o.Val.Kind != VElem || root(o.Val).Kind != VParam {
				return
			}
			for _, a := range o.Args { // one of the caller's functions; a dependency that knows no connection is none
				runs = runs || refersTo(a, opens, 0)
			}
		case OpExit:
			for _, a := range o.Args {
				returns = returns || refersTo(a, opens, 0) || h.opened(a, 0)
			}
		}
	})
	return runs || len(h.during[f.Key]) > 0, returns
}

// wraps reports a call of a constructor, which returns what it is given or a
// struct that holds it, with one of the connections.
func (h *handing) wraps(o *Op, opens map[int]bool) bool {
	keys, before := h.p.targets(o.Val)
	for _, k := range keys {
		f := h.p.Funcs[k]
		if f == nil {
			continue
		}
		for i, a := range o.Args {
			if refersTo(a, opens, 0) && h.keeps(f, strconv.Itoa(i+before), 0) {
				return true
			}
		}
	}
	return false
}

// keeps reports whether f returns its parameter, or a struct that holds it.
func (h *handing) keeps(f *Func, param string, depth int) bool {
	for i := range f.Results {
		if slices.ContainsFunc(h.p.returns(f, i), func(v *Val) bool { return h.holds(f, v, param, depth) }) {
			return true
		}
	}
	return false
}

func (h *handing) holds(f *Func, v *Val, param string, depth int) bool {
	if v == nil || depth > 8 {
		return false
	}
	switch v.Kind {
	case VParam:
		return v.Str == param
	case VRecord, VInit, VIface, VHandle, VChoice:
		return slices.ContainsFunc(v.Of, func(o *Val) bool { return h.holds(f, o, param, depth+1) })
	case VApply:
		return sameStruct(v) && slices.ContainsFunc(v.Of, func(o *Val) bool { return h.holds(f, o, param, depth+1) })
	case VResult:
		id, _ := splitResult(v.Str)
		o := h.p.op(f, id)
		if o == nil || o.Kind != OpCall || o.Val == nil || o.Val.Kind != VFunc || h.p.Funcs[o.Val.Str] == nil {
			return false
		}
		for i, a := range o.Args {
			if h.holds(f, a, param, depth+1) && h.keeps(h.p.Funcs[o.Val.Str], strconv.Itoa(i), depth+1) {
				return true
			}
		}
	}
	return false
}

// opened reports whether v is, or holds, a connection that a closure opened and
// left in a variable.
func (h *handing) opened(v *Val, depth int) bool {
	if v == nil || depth > 8 {
		return false
	}
	if v.Kind == VSet {
		c := h.p.Funcs[v.setter()]
		opens := h.opensIn(c)
		return c != nil && slices.ContainsFunc(c.Sets, func(s FreeSet) bool {
			return v.Str == SetBy(c.Key, s.Free).Str && (refersTo(s.Val, opens, 0) || h.opened(s.Val, depth+1))
		})
	}
	return slices.ContainsFunc(v.Of, func(o *Val) bool { return h.opened(o, depth+1) })
}

// opensIn returns the ops of f that open a connection, themselves or through a
// helper.
func (h *handing) opensIn(f *Func) map[int]bool {
	opens := map[int]bool{}
	if f == nil {
		return opens
	}
	visit(f.Body, func(o *Op) {
		keys, _ := h.p.targets(o.Val)
		if o.Kind == OpOpen || o.Kind == OpCall && slices.ContainsFunc(keys, func(k string) bool { return h.returns[k] }) {
			opens[o.ID] = true
		}
	})
	return opens
}

// prepares reports whether f sets or locks something on the connection it
// hands on, itself or through a function that is no such helper.
func (p *Program) prepares(f *Func, hands map[string]bool) bool {
	for i := sort.SearchStrings(p.keys, f.Key); i < len(p.keys); i++ {
		k := p.keys[i]
		if k != f.Key && !strings.HasPrefix(k, f.Key+"$") { // its closures are next to it
			break
		}
		found := false
		visit(p.Funcs[k].Body, func(o *Op) {
			found = found || prepares(o)
			if o.Kind == OpCall && o.Val.Kind == VFunc && !hands[o.Val.Str] && p.Funcs[o.Val.Str] != nil {
				visit(p.Funcs[o.Val.Str].Body, func(o *Op) { found = found || prepares(o) })
			}
		})
		if found {
			return true
		}
	}
	return false
}

func prepares(o *Op) bool {
	return o.Kind == OpSet || o.Kind == OpAcquire && o.Acq.Family == lockgraph.Advisory
}

// refersTo reports whether v is, or holds, a connection that one of the ops
// opened.
func refersTo(v *Val, opens map[int]bool, depth int) bool {
	if v == nil || depth > 8 {
		return false
	}
	switch v.Kind {
	case VConn:
		return opens[atoi(v.Str)]
	case VResult:
		id, idx := splitResult(v.Str)
		if opens[id] && idx == 0 && !hasSuffixErr(v.Str) {
			return true
		}
	case VConcat, VCtxGet, VField, VElem:
		return false
	case VApply:
		if !strings.HasPrefix(v.Str, If) && !sameStruct(v) {
			return false
		}
	}
	for _, o := range v.Of {
		if refersTo(o, opens, depth+1) {
			return true
		}
	}
	return false
}
