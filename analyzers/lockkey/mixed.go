package lockkey

import (
	"fmt"
	"math"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// mixed reports a key that is the sum of two values, of which many pairs have
// one sum: one is not multiplied by more than the other can be.
func mixed(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) {
	k := t.Class.Key
	if k.Space != "bigint" || k.Constant != "" || len(t.Acq.SQLFunc) > 0 {
		return
	}
	in := uncast(t.Inst)
	if in == nil || in.Kind != prog.VApply || len(in.Of) != 2 || in.Str != "+" && in.Str != "^" {
		return
	}
	x, y := uncast(in.Of[0]), uncast(in.Of[1])
	for _, o := range []*prog.Val{x, y} {
		if o == nil || o.Kind == prog.VConst || o.Kind == prog.VHole || hashed(o) {
			return
		}
	}
	room := max(factor(x), factor(y))
	if room > math.MaxUint16 && room&(room-1) == 0 {
		return // a shift by more than an id of 16 bits
	}
	for _, o := range []*prog.Val{x, y} {
		if lo, hi, ok := interval(o); ok && lo >= 0 && hi < room {
			return
		}
	}
	what := "sums of two values"
	if room > 1 {
		what = fmt.Sprintf("sums of which one part is multiplied by %d", room)
	}
	c.Add(tr, t.Node, pass.Fault{Kind: "key-collision", Severity: lockgraph.SeverityWarning, Names: []string{t.Class.Display()}, Cut: t.Cut, Related: witness(v, t),
		Message: fmt.Sprintf("the keys of %s are %s (other parts with the same sum are the same key)", t.Class.Display(), what),
		Hint:    "hash the parts as one text: hashtextextended('name:' || $1 || ':' || $2, 0), or give them to the function of two int4"})
}

// uncast returns v without the casts of SQL around it.
func uncast(v *prog.Val) *prog.Val {
	v = prog.Bare(v)
	for v != nil && v.Kind == prog.VApply && len(v.Of) == 1 && strings.HasPrefix(v.Str, "::") {
		v = prog.Bare(v.Of[0])
	}
	return v
}

// factor returns the constant that a part of a sum is multiplied by.
func factor(v *prog.Val) int64 {
	if v.Kind != prog.VApply || len(v.Of) != 2 {
		return 1
	}
	for i := range 2 {
		n, _, ok := interval(v.Of[i])
		switch {
		case !ok || prog.Bare(v.Of[i]).Kind != prog.VConst:
		case v.Str == "*":
			return n
		case v.Str == "<<" && i == 1 && n >= 0 && n < 63:
			return 1 << n
		}
	}
	return 1
}
