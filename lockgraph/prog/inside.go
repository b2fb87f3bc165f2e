package prog

import "strconv"

// A value that a walk has joined from several ways is one of them in each
// state: a state notes which way it came, and what the conditions on it were.

// wayOf is the fact that result r is the n-th of the values it can be.
func (w *walker) wayOf(r *Val, n int) factKey {
	return w.key(ofWay, r.Str+" "+strconv.Itoa(n))
}

// alternative returns which of the values that a result can be v is, -1 when
// it is none of them by itself or nothing depends on it.
func alternative(choice, v *Val) int {
	if choice.Kind != VChoice {
		return -1
	}
	worth := false
	for _, o := range choice.Of {
		worth = worth || carriesHandle(o, 0)
	}
	if !worth {
		return -1
	}
	for i, o := range choice.Of {
		if Equal(o, v) {
			return i
		}
	}
	return -1
}

// carriesHandle reports a value that holds a connection or a function.
func carriesHandle(v *Val, depth int) bool {
	if v == nil || depth > 8 {
		return false
	}
	switch v.Kind {
	case VConn, VHandle, VCtxWith, VCtxGet, VClosure:
		return true
	}
	for _, o := range v.Of {
		if carriesHandle(o, depth+1) {
			return true
		}
	}
	return false
}

// maxInside bounds how deep a value is looked into.
const maxInside = 12

// inside returns v as it is in the state.
func (w *walker) inside(s *state, v *Val, depth int) *Val {
	if v == nil || s == nil || depth > maxInside {
		return v
	}
	switch v.Kind {
	case VResult:
		if len(v.Of) == 1 && v.Of[0].Kind == VChoice {
			for i, o := range v.Of[0].Of {
				if is, _ := s.fact(w.wayOf(v, i)); is {
					return w.inside(s, o, depth+1)
				}
			}
		}
	case VChoice:
		if c := w.x.conds[v.Str]; v.Str != "" && c != nil {
			if is, known := w.holds(s, c.Of[0], depth+1); known && is {
				return w.inside(s, c.Of[1], depth+1)
			} else if known {
				return w.inside(s, c.Of[2], depth+1)
			}
		}
	case VField, VElem, VIface, VHandle, VMethod, VCtxGet, VCtxWith, VTypeIs:
		if len(v.Of) == 0 {
			return v
		}
		in := w.inside(s, v.Of[0], depth+1)
		if in == v.Of[0] {
			return v
		}
		of := append([]*Val{in}, v.Of[1:]...)
		return reduce(&Val{Kind: v.Kind, Str: v.Str, Of: of})
	case VApply: // what wraps a context
		if len(v.Of) > 0 && v.Of[0].Kind == VResult {
			if in := w.inside(s, v.Of[0], depth+1); in != v.Of[0] {
				return &Val{Kind: v.Kind, Str: v.Str, Of: append([]*Val{in}, v.Of[1:]...)}
			}
		}
	}
	return v
}

// holds tells whether a condition holds in the state.
func (w *walker) holds(s *state, g *Val, depth int) (is, known bool) {
	if is, known = Truth(g); known || g == nil {
		return is, known
	}
	if is, known = s.fact(w.guard(g)); known {
		return is, known
	}
	switch g.Kind {
	case VNot:
		is, known = w.holds(s, g.Of[0], depth+1)
		return !is, known
	case VIsNil:
		in := w.inside(s, g.Of[0], depth+1)
		if w.wentWrong(s, in) {
			return false, true
		}
		if in == g.Of[0] {
			nothing := w.x.leftOut(in)
			return nothing, nothing
		}
		if is, known = nilness(in); known {
			return is, known
		}
		return s.fact(w.isNil(in))
	case VApply: // what was put into the map is found there
		if g.Str == Has && w.inElement(bare(g.Of[0]), s) != nil {
			return true, true
		}
	}
	if in := w.inside(s, g, depth+1); in != g {
		return Truth(in)
	}
	return false, false
}

// wentWrong reports whether v, what a variable that closures share was set to by
// one call after the other, is an error: the last that was looked at is one.
func (w *walker) wentWrong(s *state, v *Val) bool {
	v = bare(v)
	if v.Kind != VChoice || v.Str != "" {
		return false
	}
	of := map[factKey]bool{}
	for _, o := range v.Of {
		if o.Kind != VResult && o.Kind != VApply && !o.IsNil() {
			return false
		}
		of[w.isNil(o)] = true
	}
	for i := len(s.facts) - 1; i >= 0; i-- {
		if f := s.facts[i]; of[f.factKey] {
			return !f.val
		}
	}
	return false
}
