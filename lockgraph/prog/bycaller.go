package prog

import "strings"

// maxTellers bounds how many callers are walked to learn the keys they give.
const maxTellers = 64

// byCallers tells the locks of traces whose keys their callers give: by those
// callers when each of them gives a name or a constant, else as they are.
func (v *View) byCallers(later []*Trace) {
	l := &lifter{v: v, told: map[string]bool{}, left: maxTellers}
	for _, tr := range v.Traces {
		l.note(tr)
	}
	for _, tr := range later {
		up, ok := l.lift(tr, 0)
		if !ok {
			up = []*Trace{tr}
		}
		for _, t := range up {
			if !l.entries[t.Entry.Key] {
				t.locksForCaller()
				v.tell(t)
				l.note(t)
			}
		}
	}
}

// A lifter finds callers that tell what a function of theirs locks.
type lifter struct {
	v       *View
	told    map[string]bool // functions that the view's traces enter
	entries map[string]bool // of the view's traces
	left    int             // callers that may still be walked
}

func (l *lifter) note(tr *Trace) {
	if l.entries == nil {
		l.entries = map[string]bool{}
	}
	l.entries[tr.Entry.Key], l.told[tr.Entry.Key] = true, true
	tr.Each(func(n *Node) {
		l.told[n.Fn.Key] = true
		for f := n.Stack; f != nil; f = f.Up {
			l.told[f.From.Key] = true
		}
	})
}

// maxLift bounds how many calls lie between a key and what it is made of.
const maxLift = 4

// lift returns the traces of the callers that are not told yet, ok false when
// some caller knows no more of a key than the function itself.
func (l *lifter) lift(tr *Trace, depth int) (out []*Trace, ok bool) {
	p := l.v.Program
	up := p.runners(tr.Entry.Key)
	if len(up) == 0 || depth > maxLift {
		return nil, false
	}
	for _, c := range up {
		if l.told[c] || p.Funcs[c].Origin != "" {
			continue
		}
		if l.left--; l.left < 0 {
			return nil, false
		}
		t := p.Walk(c)
		if !t.keyOfCaller() {
			out = append(out, t)
			continue
		}
		more, ok := l.lift(t, depth+1)
		if !ok {
			return nil, false
		}
		out = append(out, more...)
	}
	return out, named(tr, append(append([]*Trace{}, l.v.Traces...), out...))
}

// named reports whether other traces take every lock of tr whose key is
// given, and each time under a name or a constant.
func named(tr *Trace, others []*Trace) bool {
	type place struct {
		op  *Op
		pos Pos
	}
	left := map[place]bool{}
	tr.Each(func(n *Node) {
		if n.Kind == OpAcquire && n.Take != nil && !n.Take.Acq.Implicit || n.Kind == OpUnknown {
			left[place{n.Op, n.Pos}] = true
		}
	}, OpAcquire, OpUnknown)
	ok := true
	seen := map[place]bool{}
	for _, o := range others {
		o.Each(func(n *Node) {
			if at := (place{n.Op, n.Pos}); left[at] {
				seen[at] = true
				ok = ok && (n.Kind != OpAcquire || !bareKey(n.Take))
			}
		}, OpAcquire, OpUnknown)
	}
	return ok && len(seen) == len(left)
}

// keyOfCaller reports whether the entry takes an advisory lock whose key is
// what it is given, or a hash of that.
func (t *Trace) keyOfCaller() bool {
	given := false
	t.Each(func(n *Node) {
		if n.Kind == OpAcquire && bareKey(n.Take) && !n.Take.Acq.Implicit {
			given = given || isGiven(n.Take.Inst, t.Entry.Key, 0)
		}
	}, OpAcquire)
	return given
}

// isGiven reports whether a parameter of the function is part of v, as it is
// rather than a field of it.
func isGiven(v *Val, fn string, depth int) bool {
	if v == nil || depth > 12 || v.Kind == VField {
		return false
	}
	if v.Kind == VParam {
		return strings.HasPrefix(v.Str, fn+"#") && !strings.HasPrefix(v.Str, fn+"#free")
	}
	for _, o := range v.Of {
		if isGiven(o, fn, depth+1) {
			return true
		}
	}
	return false
}
