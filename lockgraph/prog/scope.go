package prog

import "slices"

// Scope is a function applied that adds to a builder chain what its one part
// has: a chain whose base is the hole of this name. Of a function that changes
// a text, the part is the text, and the hole in it stands for the old one.
const Scope = "scope"

// maxSettle bounds how deep a chain is looked into.
const maxSettle = 40

// settle returns a chain with its functions replaced by the steps they add
// and its fields and variables by what the program is known to keep there.
func (w *walker) settle(v *Val, depth int) *Val {
	if v == nil || depth > maxSettle {
		return v
	}
	switch v.Kind {
	case VClosure, VFunc, VMethod:
		if s := w.scope(v, depth); s != nil {
			return s
		}
		return v
	case VField, VGlobal, VElem:
		at := "settle " + v.Str
		if r := w.x.stored(v); r != nil && w.x.busy[at] == 0 && w.decides(bare(r)) && !Equal(r, v) {
			w.x.busy[at]++ // a text that is added to holds itself
			r = w.settle(r, depth+1)
			w.x.busy[at]--
			return r
		}
		return v
	case VMod, VChoice, VIface, VHandle, VList, VRecord, VInit, VResult, VConcat, VApply:
	default:
		return v
	}
	of := make([]*Val, len(v.Of))
	same := true
	for i, o := range v.Of {
		if i == 0 && v.Kind == VHandle && bare(o).Kind != VMod && bare(o).Kind != VChoice { // what the chain runs on
			of[i] = o
			continue
		}
		of[i] = w.settle(o, depth+1)
		same = same && of[i] == o
	}
	if same {
		return v
	}
	if v.Kind == VChoice {
		return Choose(maxChoice, of...)
	}
	return reduce(&Val{Kind: v.Kind, Str: v.Str, Of: of})
}

// decides reports whether a value is text, a chain or a clause.
func (w *walker) decides(v *Val) bool {
	switch v.Kind {
	case VConst, VMod, VRecord, VConcat:
		return true
	case VChoice, VList:
		for _, o := range v.Of {
			if !w.decides(bare(o)) {
				return false
			}
		}
		return len(v.Of) > 0
	}
	return false
}

// amends reports whether a text has in it the one that its function is given.
func amends(v *Val) bool {
	return v.Kind == VConcat && slices.ContainsFunc(v.Of, func(o *Val) bool {
		o = bare(o)
		return o.Kind == VHole && o.Str == Scope
	})
}

// scope returns what a function adds to a chain that it is given, nil when
// it returns no chain.
func (w *walker) scope(fn *Val, depth int) *Val {
	cs := w.x.callees(fn)
	if len(cs) != 1 || w.x.busy[cs[0].key] > 0 {
		return nil
	}
	f := w.p.Funcs[cs[0].key]
	args := append([]*Val{}, cs[0].recv...)
	for len(args) < f.Params {
		args = append(args, Hole(Scope))
	}
	w.x.busy[f.Key]++
	inner := &env{fn: f, uid: "scope " + f.Key, args: args, frees: cs[0].frees, pure: true}
	var all []*Val
	for _, r := range w.p.returns(f, 0) {
		all = append(all, w.settle(w.x.bind(r, inner, 1), depth+1))
	}
	w.x.busy[f.Key]--
	var out []*Val
	chains := false
	for _, r := range all {
		alts := []*Val{r}
		if b := bare(r); b.Kind == VChoice {
			alts = b.Of
		}
		for _, a := range alts {
			b := bare(a)
			chains = chains || b.Kind == VMod || amends(b)
			out = append(out, New(VApply, Scope, b))
		}
	}
	if !chains {
		return nil
	}
	return Choose(maxChoice, out...)
}
