package prog

import (
	"math"
	"strings"
)

// A site is the call at which a statement's text is decided: the call that
// runs it, or the one that hands the text, or what makes it, to a helper
// that does.
type site struct {
	fn    *Func
	pos   Pos
	frame *Frame // the calls that lead to it
}

// site climbs from the call that runs a statement to the one whose function
// did not get the text from its own caller. What keeps a text that asks for a
// lock, and is called by an interface, may have been made by any caller: the
// nearest one that makes such a text is meant.
func (w *walker) site(o *Op, e *env, asks bool) site {
	s := site{e.fn, o.Pos, w.frame}
	v := o.Val
	for i := w.p.textParam(s.fn, v, 0); i >= 0 && s.frame != nil && s.frame.call != nil; i = w.p.textParam(s.fn, v, 0) {
		f := s.frame
		if i -= f.recv; i < 0 {
			if asks {
				s = w.asker(s)
			}
			break
		}
		if i >= len(f.call.Args) {
			break
		}
		v = f.call.Args[i]
		s = site{f.From, f.Pos, f.Up}
	}
	if s.fn == e.fn && w.p.Foreign[packageOf(s.fn.Key)] {
		if own, ok := w.maker(v, e); ok {
			own.frame = s.frame
			return own
		}
	}
	return s
}

// asker returns the nearest call around s whose function makes a text that
// asks for a lock, s itself when there is none.
func (w *walker) asker(s site) site {
	for f := s.frame; f != nil; f = f.Up {
		if w.p.asksForLocks(f.From) {
			return site{f.From, f.Pos, f.Up}
		}
	}
	return s
}

// maker returns the place where a function of the program makes the text
// that a package of another module asks it for and runs.
func (w *walker) maker(v *Val, e *env) (site, bool) {
	if v = bare(v); v == nil || v.Kind != VResult {
		return site{}, false
	}
	id, idx := splitResult(v.Str)
	o := w.p.op(e.fn, id)
	if o == nil || o.Kind != OpCall {
		return site{}, false
	}
	fn := w.x.eval(o.Val, e)
	keys := w.x.callees(fn)
	if len(keys) == 0 {
		keys = w.x.proven(fn, o, e, math.MaxInt)
	}
	for _, c := range keys {
		f := w.p.Funcs[c.key]
		if f == nil || w.p.Foreign[packageOf(c.key)] {
			continue
		}
		var at *Op
		visit(f.Body, func(o *Op) {
			if at == nil && o.Kind == OpExit && idx < len(o.Args) && (asks(o.Args[idx]) || namesLock(o.Args[idx], 0)) {
				at = o
			}
		})
		if at != nil {
			return site{fn: f, pos: at.Pos}, true
		}
	}
	return site{}, false
}

// packageOf returns the import path of a symbol's package.
func packageOf(symbol string) string {
	slash := strings.LastIndexByte(symbol, '/') + 1
	if i := strings.IndexByte(symbol[slash:], '.'); i >= 0 {
		return symbol[:slash+i]
	}
	return symbol
}

// textParam returns the parameter that a text, or the builder that makes it,
// comes from; -1 when it is made in the function. A connection that a
// builder begins with is no part of its text.
func (p *Program) textParam(f *Func, v *Val, depth int) int {
	if v == nil || depth > 10 {
		return -1
	}
	switch v.Kind {
	case VParam:
		return atoi(v.Str)
	case VField:
		if v.Str == StmtText && bare(v.Of[0]).Kind == VField {
			return -1 // prepared before, and kept
		}
		return p.textParam(f, v.Of[0], depth+1)
	case VIface, VElem:
		return p.textParam(f, v.Of[0], depth+1)
	case VMod:
		if v.Str != "stmt" && len(v.Of) > 0 {
			return p.textParam(f, v.Of[0], depth+1)
		}
	case VConcat, VChoice, VApply, VList:
		parts := v.Of
		if v.Kind == VApply && strings.HasPrefix(v.Str, If) {
			parts = v.Of[1:] // the condition is no part of the text
		}
		for _, o := range parts {
			if i := p.textParam(f, o, depth+1); i >= 0 && v.Str != "query" {
				return i
			}
		}
	case VResult:
		id, _ := splitResult(v.Str)
		o := p.op(f, id)
		if o == nil || o.Kind != OpCall {
			return -1
		}
		if o.Val.Kind == VMethod {
			if i := p.textParam(f, o.Val.Of[0], depth+1); i >= 0 {
				return i
			}
		}
	}
	return -1
}

// queryName returns the name that sqlc writes above a query.
func queryName(text string) string {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\n"), "-- name: ")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, " ")
	return name
}
