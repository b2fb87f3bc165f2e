package prog

import "strings"

// The order that two values are known to have.
const (
	Below = "below"
	Above = "above"
)

// between says how a key stands to another one: Below, Above, or "" where
// that is not known. They are the lesser and the greater of two values, or a
// condition on the way to n, of the trace, compares them.
func between(a, b *Val, tr *Trace, n *Node) string {
	a, b = plain(a), plain(b)
	if a == nil || b == nil {
		return ""
	}
	if a.Kind == VList && b.Kind == VList && len(a.Of) == len(b.Of) {
		for i := range a.Of {
			if !Equal(a.Of[i], b.Of[i]) {
				return between(a.Of[i], b.Of[i], tr, n)
			}
		}
		return ""
	}
	switch {
	case a.Kind == VEq && b.Kind == VEq && len(a.Of) == 2 && len(b.Of) == 2 && Equal(a.Of[0], b.Of[0]): // rows, by a column
		return between(a.Of[1], b.Of[1], tr, n)
	case extremes(a, b):
		return Below
	case extremes(b, a):
		return Above
	}
	for ; n != nil; n = n.up {
		for _, arm := range decidedBefore(tr, n) {
			lo, hi := compared(arm)
			switch {
			case lo == nil:
			case Equal(lo, a) && Equal(hi, b):
				return Below
			case Equal(lo, b) && Equal(hi, a):
				return Above
			}
		}
	}
	return ""
}

// decidedBefore returns the arms that a walk has come through where it stands
// at n: n itself, and the only way on of each branch before it.
func decidedBefore(tr *Trace, n *Node) []*Node {
	out := []*Node{n}
	if n.Kind == OpNone {
		return out // beside it are the other arms
	}
	for _, b := range tr.Beside(n) {
		if b == n {
			break
		}
		if b.Kind != OpBranch {
			continue
		}
		var on []*Node
		for _, arm := range b.Kids {
			if !arm.Dead {
				on = append(on, arm)
			}
		}
		if len(on) == 1 {
			out = append(out, on[0])
		}
	}
	return out
}

// plain returns v without the conversions and casts around it.
func plain(v *Val) *Val {
	v = bare(v)
	for v != nil && v.Kind == VApply && len(v.Of) == 1 && (strings.HasPrefix(v.Str, "::") || strings.HasPrefix(v.Str, "go:int")) {
		v = bare(v.Of[0])
	}
	return v
}

// extremes reports whether lo is the lesser and hi the greater of the same
// two values.
func extremes(lo, hi *Val) bool {
	if lo.Kind != VApply || hi.Kind != VApply || lo.Str != "go:min" || hi.Str != "go:max" || len(lo.Of) != 2 || len(hi.Of) != 2 {
		return false
	}
	return Equal(lo.Of[0], hi.Of[0]) && Equal(lo.Of[1], hi.Of[1]) || Equal(lo.Of[0], hi.Of[1]) && Equal(lo.Of[1], hi.Of[0])
}

// compared returns the two values of which the arm n of a branch is taken
// where the first is at most the second; nil when that is not its condition.
func compared(n *Node) (lo, hi *Val) {
	g := n.Val
	if n.Kind != OpNone || g == nil {
		return nil, nil
	}
	not := g.Kind == VNot && len(g.Of) == 1
	if not {
		g = g.Of[0]
	}
	if g.Kind != VApply || len(g.Of) != 2 {
		return nil, nil
	}
	x, y := plain(g.Of[0]), plain(g.Of[1])
	switch g.Str {
	case "<", "<=":
	case ">", ">=":
		x, y = y, x
	default:
		return nil, nil
	}
	if not {
		x, y = y, x
	}
	return x, y
}

// ascends reports a list of values of which each is known to be at most the
// next one.
func ascends(v *Val) bool {
	if v.Kind != VList || len(v.Of) < 2 {
		return false
	}
	for i := range v.Of[1:] {
		if between(v.Of[i], v.Of[i+1], nil, nil) != Below {
			return false
		}
	}
	return true
}
