package prog

import "slices"

// offered returns the methods that an interface's method can be besides those
// that the program itself has it be: callers out of sight choose the value, by
// a parameter or an exported field, and the program has these methods for them
// alone. Their results name a lock.
func (p *Program) offered(fn *Val) []callee {
	fn = bare(fn)
	if fn == nil || fn.Kind != VMethod {
		return nil
	}
	switch v := bare(fn.Of[0]); {
	case v.Kind == VParam:
	case v.Kind == VField && exportedField(v.Str):
	default:
		return nil
	}
	var out []callee
	for _, k := range p.implementers(fn) {
		if p.uncalledText(k) && !slices.ContainsFunc(out, func(c callee) bool { return c.key == k }) {
			out = append(out, callee{key: k, recv: fn.Of[:1]})
		}
	}
	return out
}

// uncalledText reports whether an exported function returns a text which asks
// for a lock, and nothing in the program calls it.
func (p *Program) uncalledText(key string) bool {
	if p.offers == nil {
		p.offers = p.uncalledTexts()
	}
	return p.offers[key]
}

// uncalledTexts returns the exported functions of the program that return a
// text which asks for a lock and that nothing in it calls.
func (p *Program) uncalledTexts() map[string]bool {
	called, makes := map[string]bool{}, map[string]bool{}
	returned := map[string][]string{} // by function: those that return what it returns, or a part of that
	for _, keys := range p.Dynamic {
		for _, k := range keys {
			called[k] = true
		}
	}
	for _, k := range p.keys {
		f := p.Funcs[k]
		visit(f.Body, func(o *Op) {
			note := func(v *Val) {
				if v.Kind != VMethod {
					called[v.Str] = true
				}
			}
			mentions(o.Val, note)
			for _, a := range o.Args {
				mentions(a, note)
				if o.Kind == OpExit {
					makes[k] = makes[k] || namesLock(a, 0)
					p.partsFrom(f, a, 0, func(callee string) { returned[callee] = append(returned[callee], k) })
				}
			}
		})
	}
	var work []string
	for k, is := range makes {
		if is {
			work = append(work, k)
		}
	}
	for len(work) > 0 { // in any order: what it ends with is a set
		k := work[0]
		work = work[1:]
		for _, up := range returned[k] {
			if !makes[up] {
				makes[up] = true
				work = append(work, up)
			}
		}
	}
	out := map[string]bool{}
	for k := range makes {
		f := p.Funcs[k]
		out[k] = makes[k] && !called[k] && f.Exported && !p.left(f) && !p.Foreign[packageOf(k)]
	}
	return out
}

// partsFrom tells the functions whose results are part of a text v that f
// returns.
func (p *Program) partsFrom(f *Func, v *Val, depth int, tell func(callee string)) {
	if v == nil || depth > 8 {
		return
	}
	if v.Kind == VResult {
		id, _ := splitResult(v.Str)
		if o := p.op(f, id); o != nil && o.Kind == OpCall {
			mentions(o.Val, func(c *Val) {
				if c.Kind != VMethod {
					tell(c.Str)
					return
				}
				for _, m := range p.implementers(c) {
					tell(m)
				}
			})
		}
	}
	for _, o := range v.Of {
		p.partsFrom(f, o, depth+1, tell)
	}
}
