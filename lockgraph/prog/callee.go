package prog

// maxStores bounds the places that store in a field of which it is known
// what it holds.
const maxStores = 12

// A callee is one function that a call can reach, with what the callee's
// value brings along.
type callee struct {
	key   string
	recv  []*Val   // receiver of a bound method
	frees []*Val   // captured values of a closure
	among []string // the functions that the call can reach, where these are several
}

// callees returns the functions that a bound callee value can be, none when
// it is not known. Methods of interfaces are resolved by the concrete value
// that flows to them.
func (x *evaluator) callees(v *Val) []callee { return x.reachable(v, 0) }

// reachable follows a callee value, also through fields that keep a function
// or one that was kept before, as chains of middleware do.
func (x *evaluator) reachable(v *Val, depth int) []callee {
	if v == nil || depth > 8 {
		return nil
	}
	switch v.Kind {
	case VFunc:
		if x.p.Funcs[v.Str] != nil {
			return []callee{{key: v.Str, frees: v.Of}}
		}
	case VClosure:
		if x.p.Funcs[v.Str] != nil {
			return []callee{{key: v.Str, frees: v.Of}}
		}
	case VIface, VHandle:
		return x.reachable(v.Of[0], depth+1)
	case VResult:
		if len(v.Of) == 1 {
			return x.reachable(v.Of[0], depth+1)
		}
	case VChoice:
		var out []callee
		for _, o := range v.Of {
			if o.IsNil() {
				continue
			}
			cs := x.reachable(o, depth+1)
			if len(cs) == 0 {
				continue
			}
			out = append(out, cs...)
		}
		return out
	case VMethod:
		return x.methods(v)
	case VField, VElem, VGlobal:
		at := "callees " + v.Kind.String() + v.Str // what is stored there can lead back
		if r := x.stored(v); r != nil && !Equal(r, v) && x.busy[at] == 0 {
			x.busy[at]++
			cs := x.callees(r)
			x.busy[at]--
			return cs
		}
	}
	return nil
}

// methods resolves a method by the concrete types its receiver can have.
func (x *evaluator) methods(v *Val) []callee {
	name := methodName(v.Str)
	var out []callee
	for _, r := range x.concrete(v.Of[0], 0) {
		if f := x.p.method(r.Str, name); f != "" && x.p.Funcs[f] != nil {
			out = append(out, callee{key: f, recv: []*Val{r.Of[0]}})
		}
	}
	return out
}

// concrete returns the interface values (VIface) that v can be.
func (x *evaluator) concrete(v *Val, depth int) []*Val {
	if v == nil || depth > 8 {
		return nil
	}
	switch v.Kind {
	case VIface:
		return []*Val{v}
	case VHandle, VResult:
		if len(v.Of) == 1 {
			return x.concrete(v.Of[0], depth+1)
		}
	case VChoice:
		var out []*Val
		for _, o := range v.Of {
			out = append(out, x.concrete(o, depth+1)...)
		}
		return out
	case VField, VElem, VGlobal:
		if r := x.stored(v); r != nil && !Equal(r, v) {
			return x.concrete(r, depth+1)
		}
	}
	return nil
}

// stored returns what the program is known to keep in a field or package
// variable, nil when nothing is known.
func (x *evaluator) stored(v *Val) *Val {
	switch v.Kind {
	case VElem:
		base := x.stored(v.Of[0])
		if base == nil {
			return nil
		}
		return reduce(New(VElem, v.Str, base))
	case VField:
		if base := bare(v.Of[0]); base.Kind == VField || base.Kind == VGlobal {
			if r := x.part(v.Str, base); r != nil {
				return r
			}
		}
	case VGlobal:
	default:
		return nil
	}
	list := x.p.fields[v.Str]
	if len(list) == 0 || len(list) > maxStores || x.busy["field "+v.Str] > 0 {
		return nil
	}
	if r, ok := x.p.kept[v.Str]; ok {
		return r
	}
	x.busy["field "+v.Str]++
	x.fields++
	left := x.left
	if x.fields == 1 {
		x.left = maxBinds
	}
	r := x.inField(v.Str, list)
	x.fields--
	x.busy["field "+v.Str]--
	if x.fields == 0 { // whole: no other field was being looked into
		x.left = left
		x.p.kept[v.Str] = r
	}
	return r
}

// part returns the field of what is stored in base, nil when that is not
// known; once for each chain of fields.
func (x *evaluator) part(field string, base *Val) *Val {
	key := field
	for in := base; in != nil && (in.Kind == VField || in.Kind == VGlobal); in = bare(in.Of[0]) {
		key += "\x00" + in.Str
		if in.Kind == VGlobal {
			break
		}
	}
	if r, ok := x.p.parts[key]; ok {
		return r
	}
	var out *Val
	if b := x.stored(base); b != nil {
		if r := reduce(New(VField, field, b)); r.Kind != VField {
			out = r
		}
	}
	if x.fields == 0 { // whole, as in stored
		x.p.parts[key] = out
	}
	return out
}

// inField returns what is stored in a field, nil when that is nothing. A copy
// of the field of another value is nothing but what is stored there.
func (x *evaluator) inField(field string, list []FieldStore) *Val {
	var all []*Val
	for _, s := range list {
		if b := bare(s.Val); b != nil && b.Kind == VField && b.Str == field {
			continue
		}
		f := x.p.Funcs[s.Func]
		if f == nil {
			f = &Func{Key: s.Func}
		}
		r := x.bind(s.Val, &env{fn: f, uid: s.Func, pure: true}, 1)
		if r.IsNil() {
			continue
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil
	}
	return Choose(maxChoice, all...)
}

// methodName returns the method of a VMethod's text form.
func methodName(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] == '|' {
			s = s[:i]
			break
		}
	}
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return s[i+1:]
		}
	}
	return s
}
