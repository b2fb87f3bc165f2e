package prog

import (
	"slices"
	"strconv"
)

// shrink gives up the inside of a value that is too large: it stays apart
// from others by where it is made.
func (x *evaluator) shrink(big *Val, e *env, v *Val) *Val {
	switch big.Kind {
	case VScan, VResult:
		return &Val{Kind: big.Kind, Str: big.Str}
	case VIsNil: // states know results by their names
		if out := New(VIsNil, "", unmade(big.Of[0])); out.size() <= maxSize {
			return out
		}
	case VClosure: // what it runs matters more than what it has captured
		if out := eachOf(big, inShort); out.size() <= maxSize {
			return out
		}
		out := &Val{Kind: VClosure, Str: big.Str}
		for i, o := range big.Of {
			name := largeValue + " of " + e.uid + ":" + big.Str + "#" + strconv.Itoa(i)
			if o = lean(o, name); o.size() > maxLacking && !hasConn(o) {
				o = Hole(name)
			}
			out.Of = append(out.Of, o)
		}
		if out.size() <= maxSize {
			return out
		}
		for i := range out.Of {
			if out.Of[i].size() > maxLacking {
				out.Of[i] = Hole(largeValue + " of " + e.uid + ":" + big.Str + "#" + strconv.Itoa(i))
			}
		}
		out.n = 0
		return out
	case VRecord:
		if !hasConn(big) {
			break // a row whose columns are lost would look like one that changes them
		}
		if out := lean(big, largeValue+" of "+e.uid); out.size() <= maxSize {
			return out
		}
	case VInit:
		return New(VInit, big.Str, Hole(largeValue+" of "+e.uid+":"+big.Str))
	case VConcat: // the words of a text matter more than what is put in
		for _, less := range []func(*Val) *Val{plainPart, oneOfAKind} {
			out := &Val{Kind: VConcat}
			for _, o := range big.Of {
				out.Of = append(out.Of, less(o))
			}
			if big = out; out.size() <= maxSize {
				return out
			}
		}
	case VApply:
		if known, ok := nilness(big); ok && !known { // an error
			return New(VApply, big.Str)
		}
	}
	return Hole(largeValue + " of " + e.uid + ":" + v.Kind.String() + " " + v.Str)
}

// unmade returns v without what the results in it are made of.
func unmade(v *Val) *Val {
	switch v.Kind {
	case VScan, VResult:
		return &Val{Kind: v.Kind, Str: v.Str}
	case VChoice:
		return eachOf(v, unmade)
	}
	return v
}

// lean gives up the fields of records that are made of much, where no
// connection is a part of them; what they are is named after name.
func lean(v *Val, name string) *Val {
	switch v.Kind {
	case VIface:
		return New(VIface, v.Str, lean(v.Of[0], name))
	case VRecord:
		out := &Val{Kind: VRecord, Str: v.Str}
		for _, in := range v.Of {
			o := in.Of[0]
			switch {
			case hasConn(o):
				o = lean(o, name)
			case o.size() > maxLacking && o.Kind == VHandle:
				o = New(VHandle, o.Str, Hole(name+":"+in.Str))
			case o.size() > maxLacking:
				o = Hole(name + ":" + in.Str)
			}
			out.Of = append(out.Of, New(VInit, in.Str, o))
		}
		return out
	}
	return v
}

// inShort gives up what errors and results of calls are made of, where no
// connection is a part of it: they keep their names.
func inShort(v *Val) *Val {
	if v.size() <= maxLacking {
		return v
	}
	switch v.Kind {
	case VChoice:
		return eachOf(v, inShort)
	case VResult, VScan:
		if !hasConn(v) {
			return &Val{Kind: v.Kind, Str: v.Str}
		}
	case VApply:
		if isNil, known := nilness(v); known && !isNil {
			return New(VApply, v.Str)
		}
	}
	return v
}

// eachOf returns v with f applied to what it is made of.
func eachOf(v *Val, f func(*Val) *Val) *Val {
	out := &Val{Kind: v.Kind, Str: v.Str}
	for _, o := range v.Of {
		out.Of = append(out.Of, f(o))
	}
	return out
}

// hasConn reports whether a connection is a part of v.
func hasConn(v *Val) bool { return v.Kind == VConn || slices.ContainsFunc(v.Of, hasConn) }

// plainPart gives up what a part of a text is computed of, but for the words
// that are known of it.
func plainPart(o *Val) *Val {
	b := bare(o)
	if _, text := b.AsText(); text || o.size() <= maxLacking {
		return o
	}
	switch b.Kind {
	case VChoice, VConcat:
		out := &Val{Kind: b.Kind, Str: b.Str}
		for _, in := range b.Of {
			out.Of = append(out.Of, plainPart(in))
		}
		return reduce(out)
	}
	return Hole("large part of a text")
}

// oneOfAKind keeps, of the alternatives of a part, one for each way to lock.
func oneOfAKind(o *Val) *Val {
	b := bare(o)
	if b.Kind != VChoice {
		return o
	}
	out := &Val{Kind: VChoice, Str: b.Str, Of: thinned(b.Of)}
	if len(out.Of) == 1 {
		return out.Of[0]
	}
	return out
}
