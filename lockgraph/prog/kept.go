package prog

import (
	"slices"
	"sort"
)

// KeptIn returns the fields in which the function that opened a connection
// leaves it, sorted.
func (p *Program) KeptIn(c *Conn) []string {
	if c == nil || c.Opener == nil || c.Opener.Fn == nil || c.Opener.Op == nil {
		return nil
	}
	var out []string
	for field, stores := range p.fields {
		if field == InElement {
			continue
		}
		for _, s := range stores {
			if s.Func == c.Opener.Fn.Key && refersTo(s.Val, map[int]bool{c.Opener.Op.ID: true}, 0) {
				out = append(out, field)
				break
			}
		}
	}
	sort.Strings(out)
	return out
}

// Has names the second result of looking up an element of a map: whether it
// is there.
const Has = "has"

// inElement returns the connection that an element of a list or map holds, or
// a field of it, where the trace has one open that was put into an element;
// nil when there is none, or more than one.
func (w *walker) inElement(h *Val, st *state) *Conn {
	elem := h
	for elem.Kind == VField {
		elem = bare(elem.Of[0])
	}
	if elem.Kind != VElem || st == nil {
		return nil
	}
	var found *Conn
	for _, c := range st.open {
		if !c.inElement || h.Kind == VField && !slices.Contains(w.p.KeptIn(c), h.Str) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// ofHandle returns the connection that a field, or a field of one, is a part
// of; nil when it is none of a connection.
func ofHandle(v *Val) *Val {
	for v.Kind == VField {
		if v = bare(v.Of[0]); v.Kind == VConn {
			return v
		}
	}
	return nil
}
