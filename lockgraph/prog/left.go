package prog

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A struct that texts are made of, as a builder of the program's own is, is a
// VApply of one of these to what it was before.
const (
	With   = "with"   // Of: the struct, then a VInit for each field that is set
	Told   = "told"   // nothing sets its fields that is not told: those that its literal leaves out are zero
	Untold = "untold" // something else may set them
	after  = "after " // number of a call, argument: as the call leaves what it is given
	or     = "perhaps after "
)

// After returns the struct before as call id of the function leaves it, whose
// argument arg it is.
func After(id, arg int, before *Val) *Val {
	return New(VApply, after+strconv.Itoa(id)+"."+strconv.Itoa(arg), before)
}

// PerhapsAfter is After where the call does not always run: only when the
// condition holds, nil where that is not known.
func PerhapsAfter(id, arg int, before, when *Val) *Val {
	out := New(VApply, or+strconv.Itoa(id)+"."+strconv.Itoa(arg), before)
	if when != nil {
		out.Of = append(out.Of, when)
	}
	return out
}

// sameStruct reports a struct that something has changed, or may have.
func sameStruct(v *Val) bool {
	return v.Kind == VApply && (v.Str == With || v.Str == Told || v.Str == Untold || strings.HasPrefix(v.Str, after) || strings.HasPrefix(v.Str, or))
}

// changed binds a struct that something has changed; ok is false for any
// other value.
func (x *evaluator) changed(v *Val, e *env, depth int) (out *Val, ok bool) {
	if v.Kind != VApply || len(v.Of) == 0 {
		return nil, false
	}
	switch v.Str {
	case Told:
		return eachRecord(x.bind(v.Of[0], e, depth+1), x.filled), true
	case Untold:
		return eachRecord(x.bind(v.Of[0], e, depth+1), x.emptied), true
	case With:
		base := x.bind(v.Of[0], e, depth+1)
		var set []*Val
		for _, in := range v.Of[1:] {
			set = append(set, x.bind(in, e, depth+1))
		}
		return with(base, set), true
	}
	if call, ok := strings.CutPrefix(v.Str, after); ok {
		return x.after(call, x.bind(v.Of[0], e, depth+1), e, depth), true
	}
	if call, ok := strings.CutPrefix(v.Str, or); ok {
		base := x.bind(v.Of[0], e, depth+1)
		if len(v.Of) > 1 {
			if is, known := x.holds(x.bind(v.Of[1], e, depth+1)); known && !is {
				return base, true
			} else if known {
				return x.after(call, base, e, depth), true
			}
		}
		return either(base, x.after(call, base, e, depth)), true
	}
	return nil, false
}

// after returns the struct base as a call leaves it.
func (x *evaluator) after(call string, base *Val, e *env, depth int) *Val {
	id, arg := splitResult(call)
	if e.fn == nil {
		return base
	}
	o := x.p.op(e.fn, id)
	if o == nil || o.Kind != OpCall || arg >= len(o.Args) {
		return eachRecord(base, x.emptied)
	}
	keys := x.callees(x.bind(o.Val, e, depth+1))
	if len(keys) != 1 || x.p.Funcs[keys[0].key] == nil || x.busy[keys[0].key] > 1 {
		return eachRecord(base, x.emptied)
	}
	f := x.p.Funcs[keys[0].key]
	for _, s := range f.Left {
		if s.Param != arg {
			continue
		}
		args := make([]*Val, len(o.Args))
		for i, a := range o.Args {
			if args[i] = base; i != arg {
				args[i] = x.bind(a, e, depth+1)
			}
		}
		x.busy[f.Key]++
		out := x.bind(s.Val, &env{fn: f, uid: e.uid + ":" + call, args: args, pure: true}, depth+1)
		x.busy[f.Key]--
		return out
	}
	return base
}

// with returns a struct with fields set anew.
func with(base *Val, set []*Val) *Val {
	some := false
	out := eachRecord(base, func(r *Val) *Val {
		some = true
		left := without(r, set)
		return New(VRecord, r.Str, append(left.Of[:len(left.Of):len(left.Of)], set...)...)
	})
	if !some {
		return New(VApply, With, append([]*Val{base}, set...)...)
	}
	return out
}

// without returns a struct less some of its fields.
func without(r *Val, fields []*Val) *Val {
	if len(fields) == 0 {
		return r
	}
	out := &Val{Kind: VRecord, Str: r.Str}
	for _, in := range r.Of {
		if !sets(fields, in.Str) {
			out.Of = append(out.Of, in)
		}
	}
	return out
}

// either returns the struct a, or as b has changed it, field by field.
func either(a, b *Val) *Val {
	if a.Kind != VRecord || b.Kind != VRecord {
		return Choose(maxChoice, a, b)
	}
	out := &Val{Kind: VRecord, Str: b.Str}
	for _, in := range b.Of {
		old := reduceField(New(VField, in.Str, a))
		out.Of = append(out.Of, New(VInit, in.Str, eitherText(old, in.Of[0])))
	}
	return out
}

// eitherText returns one of two values; a text that was added to is itself
// and perhaps the rest.
func eitherText(old, now *Val) *Val {
	if Equal(old, now) {
		return now
	}
	if rest := added(old, now); rest != nil {
		return reduce(New(VConcat, "", old, Choose(maxChoice, Text(""), rest)))
	}
	return Choose(maxChoice, old, now)
}

// added returns what a text has after another one, nil where it does not
// begin with that.
func added(old, now *Val) *Val {
	a, b := pieces(old), pieces(now)
	if s, ok := old.AsText(); ok && s == "" {
		return now
	}
	if len(a) > len(b) {
		return nil
	}
	for i, o := range a {
		if Equal(o, b[i]) {
			continue
		}
		s, text := o.AsText()
		t, also := b[i].AsText()
		if !text || !also || i < len(a)-1 || !strings.HasPrefix(t, s) {
			return nil
		}
		return reduce(New(VConcat, "", append([]*Val{Text(t[len(s):])}, b[i+1:]...)...))
	}
	return reduce(New(VConcat, "", b[len(a):]...))
}

func pieces(v *Val) []*Val {
	if v.Kind == VConcat {
		return v.Of
	}
	return []*Val{v}
}

func sets(set []*Val, field string) bool {
	for _, in := range set {
		if in.Str == field {
			return true
		}
	}
	return false
}

// eachRecord returns v with each struct that it can be mapped.
func eachRecord(v *Val, f func(*Val) *Val) *Val {
	switch v.Kind {
	case VRecord:
		return f(v)
	case VChoice, VResult:
		if len(v.Of) > 0 {
			return eachOf(v, func(o *Val) *Val { return eachRecord(o, f) })
		}
	}
	return v
}

// filled returns a struct with the fields that its literal leaves out and
// that texts are made of: they hold what fields hold at first.
func (x *evaluator) filled(r *Val) *Val {
	zeros := x.p.zeros(r.Str)
	if len(zeros) == 0 {
		return r
	}
	out := &Val{Kind: VRecord, Str: r.Str}
	for _, in := range r.Of {
		if i := slices.IndexFunc(zeros, func(z *Val) bool { return z.Str == in.Str }); i >= 0 {
			in = New(VInit, in.Str, orZero(in.Of[0], in.Str, zeros[i].Of[0]))
		}
		out.Of = append(out.Of, in)
	}
	for _, in := range zeros {
		if !sets(out.Of, in.Str) {
			out.Of = append(out.Of, in)
		}
	}
	return out
}

// emptied returns a struct without the fields that texts are made of: they
// hold what any function of the program leaves there.
func (x *evaluator) emptied(r *Val) *Val {
	return without(r, x.p.zeros(r.Str))
}

// orZero returns what a field holds with zero in the place of the field of a
// literal that leaves it out.
func orZero(v *Val, field string, zero *Val) *Val {
	switch {
	case v.Kind == VChoice:
		var all []*Val
		for _, o := range v.Of {
			all = append(all, orZero(o, field, zero))
		}
		return Choose(maxChoice, all...)
	case v.Kind == VField && v.Str == field && v.Of[0].Kind == VRecord:
		return zero
	}
	return v
}

// zeros returns the fields of a struct type that texts are made of and that
// functions set in structs they are given, as they are at first.
func (p *Program) zeros(typ string) []*Val {
	if p.zero == nil {
		p.zero = map[string][]*Val{}
		for _, field := range slices.Sorted(maps.Keys(p.fields)) {
			for _, s := range p.fields[field] {
				if at := strings.LastIndexByte(field, '.'); at > 0 && s.Given && s.Zero != nil {
					p.zero[field[:at]] = append(p.zero[field[:at]], New(VInit, field, s.Zero))
					break
				}
			}
		}
	}
	return p.zero[typ]
}
