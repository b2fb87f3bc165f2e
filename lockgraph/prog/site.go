package prog

import (
	"math"
	"slices"
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
func (w *walker) site(o *Op, e *env, text string) site {
	asks := w.p.locking(text)
	open := asks && strings.Contains(text, holeStart) // what the callers give is not known: the text is made where it asks for the lock
	s := site{e.fn, o.Pos, w.frame}
	v := o.Val
	if asks {
		if own, ok := w.maker(v, e, text); ok {
			own.frame = s.frame
			return own
		}
	}
	for i := w.p.textParam(s.fn, v, 0); i >= 0 && s.frame != nil && s.frame.call != nil && !(open && namesLock(v, 0)); i = w.p.textParam(s.fn, v, 0) {
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
		if own, ok := w.maker(v, e, ""); ok {
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

// maker returns the place where a function of the program makes the text that
// asks for a lock, and that a call returns; of a text that is given, where an
// interface is called and one of its methods alone makes that one.
func (w *walker) maker(v *Val, e *env, text string) (site, bool) {
	from := w.madeBy(v, e, 0)
	if from.op == nil || text != "" && bare(from.op.Val).Kind != VMethod {
		return site{}, false
	}
	fn := w.x.eval(from.op.Val, from.e)
	keys := w.x.callees(fn)
	if len(keys) == 0 {
		keys = w.x.proven(fn, from.op, from.e, math.MaxInt)
	}
	var found []site
	for _, c := range append(keys, w.p.offered(fn)...) {
		f := w.p.Funcs[c.key]
		if f == nil || w.p.Foreign[packageOf(c.key)] {
			continue
		}
		var at *Op
		visit(f.Body, func(o *Op) {
			if at == nil && o.Kind == OpExit && from.result < len(o.Args) && (asks(o.Args[from.result]) || namesLock(o.Args[from.result], 0)) &&
				(text == "" || partOf(o.Args[from.result], text)) {
				at = o
			}
		})
		if at != nil {
			found = append(found, site{fn: f, pos: at.Pos})
		}
	}
	if len(found) == 0 || text != "" && len(found) > 1 {
		return site{}, false
	}
	return found[0], true
}

// partOf reports whether a text that asks for a lock and that v holds is made
// into text: whatever is known of it is in there.
func partOf(v *Val, text string) bool {
	v = bare(v)
	if v == nil {
		return false
	}
	switch v.Kind {
	case VConst, VConcat, VApply:
		return namesLock(v, 0) && knownIn(v, text)
	}
	return slices.ContainsFunc(v.Of, func(o *Val) bool { return partOf(o, text) })
}

// knownIn reports whether the pieces of a text that are known are in text.
func knownIn(v *Val, text string) bool {
	if s, ok := v.AsText(); ok {
		for piece := range strings.SplitSeq(s, "%") {
			if len(piece) > 8 && !strings.Contains(text, piece) {
				return false
			}
		}
		return true
	}
	return v.Kind != VConcat && v.Kind != VApply || !slices.ContainsFunc(v.Of, func(o *Val) bool { return !knownIn(o, text) })
}

// A madeIn is the call that returns a text, in an activation of a function on
// the way.
type madeIn struct {
	op     *Op
	result int // which of its results the text is, or is a part of
	e      *env
}

// madeBy returns the call that returns v, or the list or record that it is a
// part of, in the function of e or in one that handed it to that.
func (w *walker) madeBy(v *Val, e *env, depth int) madeIn {
	if v = bare(v); v == nil || depth > 12 {
		return madeIn{}
	}
	switch v.Kind {
	case VResult:
		id, idx := splitResult(v.Str)
		if o := w.p.op(e.fn, id); o != nil && o.Kind == OpCall {
			return madeIn{o, idx, e}
		}
	case VField, VElem:
		return w.madeBy(v.Of[0], e, depth+1)
	case VChoice, VApply:
		if v.Kind == VApply && v.Str != "go:append" {
			break
		}
		for _, in := range v.Of {
			if from := w.madeBy(in, e, depth+1); from.op != nil {
				return from
			}
		}
	case VParam:
		for f := w.frame; f != nil; f = f.Up {
			if i := atoi(v.Str) - f.recv; f.Fn == e.fn && f.call != nil && i >= 0 && i < len(f.call.Args) {
				if up := w.running(f.From); up != nil {
					return w.madeBy(f.call.Args[i], up, depth+1)
				}
			}
		}
	case VFree:
		parent := w.p.Funcs[e.fn.Parent]
		if up := w.running(parent); up != nil {
			return w.madeBy(capturedAs(parent, e.fn.Key, atoi(v.Str)), up, depth+1)
		}
	}
	return madeIn{}
}

// capturedAs returns what a closure in f captures as its variable i, nil when
// that is not known.
func capturedAs(f *Func, closure string, i int) *Val {
	var found *Val
	visit(f.Body, func(o *Op) {
		for _, v := range append([]*Val{o.Val}, o.Args...) {
			mentions(v, func(c *Val) {
				if c.Kind == VClosure && c.Str == closure && i < len(c.Of) {
					found = c.Of[i]
				}
			})
		}
	})
	return found
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
		if v.Str != "stmt" && len(v.Of) > 0 && !beginsOnSession(v) {
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
		if o.Val.Kind == VMethod && bare(o.Val.Of[0]).Kind == VParam { // what makes the text is handed over
			return p.textParam(f, o.Val.Of[0], depth+1)
		}
	}
	return -1
}

// beginsOnSession reports the step of a builder that is called on a session,
// which may be one of the library's interfaces: bun.IDB, orm.DB of go-pg.
func beginsOnSession(v *Val) bool {
	return strings.HasPrefix(v.Str, "bun New") || bare(v.Of[0]).Kind != VMod && (v.Str == "gopg Model" || v.Str == "gopg ModelContext")
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
