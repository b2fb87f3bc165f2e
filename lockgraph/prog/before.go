package prog

import "slices"

// CalledAfter reports whether key has callers in sight, and each calls one of
// the functions that what tells further up in its body.
func (p *Program) CalledAfter(key string, what func(*Func) bool) bool {
	callers := p.runners(key)
	return len(callers) > 0 && !slices.ContainsFunc(callers, func(c string) bool { return !p.callsFirst(p.Funcs[c], key, what) })
}

// callsFirst reports whether f calls what before it calls key.
func (p *Program) callsFirst(f *Func, key string, what func(*Func) bool) bool {
	found, first := false, false
	visit(f.Body, func(o *Op) {
		if o.Kind != OpCall {
			return
		}
		keys, _ := p.targets(o.Val)
		for _, k := range keys {
			first = first || k == key && found
			found = found || p.Funcs[k] != nil && what(p.Funcs[k])
		}
	})
	return first
}

// targets returns the functions that a call as written can reach, and how
// many parameters come before its arguments.
func (p *Program) targets(v *Val) (keys []string, before int) {
	switch v = bare(v); {
	case v == nil:
	case v.Kind == VFunc || v.Kind == VClosure:
		return []string{v.Str}, 0
	case v.Kind == VMethod:
		return p.implementers(v), 1
	}
	return nil, 0
}
