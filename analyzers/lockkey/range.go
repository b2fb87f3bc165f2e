package lockkey

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// interval returns the range of numbers that a key can be, ok only when that
// is less than all of them.
func interval(v *prog.Val) (lo, hi int64, ok bool) {
	v = prog.Bare(v)
	if v == nil {
		return 0, 0, false
	}
	if v.Kind == prog.VConst {
		if s, isInt := strings.CutPrefix(v.Str, "i:"); isInt {
			n, err := strconv.ParseInt(s, 10, 64)
			return n, n, err == nil
		}
		return 0, 0, false
	}
	if v.Kind != prog.VApply {
		return 0, 0, false
	}
	if strings.HasSuffix(v.Str, "Endian).Uint32") {
		return 0, math.MaxUint32, true
	}
	if len(v.Of) == 2 {
		return binary(v.Str, v.Of[0], v.Of[1])
	}
	switch {
	case v.Str == "::bit(32)":
		return math.MinInt32, math.MaxInt32, true
	case strings.HasPrefix(v.Str, "::") && len(v.Of) == 1:
		return interval(v.Of[0])
	case v.Str == "go-hash crc32" || v.Str == "go-hash adler32" || v.Str == "go-hash fnv32" || v.Str == "go-hash fnv32a":
		return 0, math.MaxUint32, true
	case v.Str == "hashtext" || v.Str == "go:int32":
		return math.MinInt32, math.MaxInt32, true
	case v.Str == "go:uint32":
		return 0, math.MaxUint32, true
	case v.Str == "go:uint16":
		return 0, math.MaxUint16, true
	}
	return 0, 0, false
}

func binary(op string, x, y *prog.Val) (lo, hi int64, ok bool) {
	a, b, okX := interval(x)
	c, d, okY := interval(y)
	const safe = int64(1) << 62
	switch op {
	case "&":
		if okY && c == d && c >= 0 {
			return 0, c, true
		}
		if okX && a == b && a >= 0 {
			return 0, a, true
		}
	case "%":
		if okY && c == d && c > 0 {
			if okX && a >= 0 {
				return 0, c - 1, true
			}
			return 1 - c, c - 1, true
		}
	case "+":
		if okX && okY && a > -safe && b < safe && c > -safe && d < safe {
			return a + c, b + d, true
		}
	case "|", "^":
		if okX && okY && a >= 0 && c >= 0 { // at most every bit that either can set
			top := int64(1)<<bits.Len64(uint64(b|d)) - 1
			if op == "|" {
				return max(a, c), top, top > 0
			}
			return 0, top, top > 0
		}
	case "<<":
		if okX && okY && c == d && c >= 0 && c < 62 && a >= 0 && b < safe>>uint(c) {
			return a << uint(c), b << uint(c), true
		}
	}
	return 0, 0, false
}

// width returns the bits that tell the values of a range apart.
func width(lo, hi int64) int { return bits.Len64(uint64(hi - lo)) }

// offset reports a hash to which a constant is added, as a namespace.
func offset(v *prog.Val) bool {
	v = prog.Bare(v)
	if v == nil || v.Kind != prog.VApply || len(v.Of) != 2 || v.Str != "+" && v.Str != "|" {
		return false
	}
	return prog.Bare(v.Of[0]).Kind == prog.VConst || prog.Bare(v.Of[1]).Kind == prog.VConst
}

// ranges reports two families of one space whose numbers overlap: each is a
// bounded hash beside a constant, or a constant among those.
func ranges(c *pass.Collector, v *prog.View, all []use) {
	type span struct {
		use
		lo, hi int64
	}
	var spans []span
	for _, u := range all {
		if u.t.Class.Key.Space != "bigint" {
			continue
		}
		if lo, hi, ok := interval(u.t.Inst); ok && (lo == hi || offset(u.t.Inst)) {
			spans = append(spans, span{u, lo, hi})
		}
	}
	for i, a := range spans {
		for _, b := range spans[i+1:] {
			if a.hi < b.lo || b.hi < a.lo || a.lo == a.hi && b.lo == b.hi || disjoint(a.t.Inst, b.t.Inst) {
				continue
			}
			c.Add(b.tr, b.t.Node, pass.Fault{Kind: "key-collision", Names: []string{a.t.Class.Display(), b.t.Class.Display()}, Cut: b.t.Cut,
				Related: append(witness(v, a.t), witness(v, b.t)...),
				Message: fmt.Sprintf("the keys of %s (%d to %d) overlap those of %s (%d to %d) (one excludes the other for no reason)",
					b.t.Class.Display(), b.lo, b.hi, a.t.Class.Display(), a.lo, a.hi),
				Hint: "put the namespace into the high 32 bits, or hash it with the name"})
		}
	}
}

// starts reports two families of one space whose keys are ids added to two
// numbers: they meet as soon as the ids of the lower one reach the other.
func starts(c *pass.Collector, v *prog.View, all []use) {
	type family struct {
		use
		from int64
	}
	var found []family
	for _, u := range all {
		if from, ok := start(u.t); ok {
			found = append(found, family{u, from})
		}
	}
	for i, a := range found {
		for _, b := range found[i+1:] {
			if a.from > b.from {
				a, b = b, a
			}
			if gap := b.from - a.from; gap > 0 && gap < math.MaxInt32 {
				c.Add(b.tr, b.t.Node, pass.Fault{Kind: "key-collision", Severity: lockgraph.SeverityWarning, Names: []string{a.t.Class.Display(), b.t.Class.Display()}, Cut: b.t.Cut,
					Related: append(witness(v, a.t), witness(v, b.t)...),
					Message: fmt.Sprintf("the keys of %s are ids above %d and those of %s ids above %d (an id past %d is a key of the other)", b.t.Class.Display(), b.from, a.t.Class.Display(), a.from, gap),
					Hint:    "use the function of two int4 with a number for each family, or hash a text that begins with its name"})
			}
		}
	}
}

// start returns the number that an id without a bound is added to.
func start(t *prog.Take) (from int64, ok bool) {
	in := uncast(t.Inst)
	if t.Class.Key.Space != "bigint" || in == nil || in.Kind != prog.VApply || in.Str != "+" || len(in.Of) != 2 {
		return 0, false
	}
	for i := range 2 {
		lo, hi, known := interval(in.Of[i])
		id := uncast(in.Of[1-i])
		if _, _, bound := interval(id); known && lo == hi && !bound && id != nil && id.Kind != prog.VHole && !hashed(id) {
			return lo, true
		}
	}
	return 0, false
}

// disjoint reports two keys of one make whose constants differ in bits that
// nothing else sets.
func disjoint(a, b *prog.Val) bool {
	x, restX, okX := masked(a)
	y, restY, okY := masked(b)
	return okX && okY && (x^y)&^(restX|restY) != 0
}

// masked takes a key "constant | rest" apart: the constant and every bit
// that the rest can set.
func masked(v *prog.Val) (constant, rest int64, ok bool) {
	v = prog.Bare(v)
	if v == nil || v.Kind != prog.VApply || v.Str != "|" || len(v.Of) != 2 {
		return 0, 0, false
	}
	for i := range 2 {
		lo, hi, known := interval(v.Of[i])
		low, high, bound := interval(v.Of[1-i])
		if known && lo == hi && bound && low >= 0 {
			return lo, int64(1)<<bits.Len64(uint64(high)) - 1, true
		}
	}
	return 0, 0, false
}
