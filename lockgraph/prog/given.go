package prog

import "strconv"

// givesPool reports a call that hands a pool to a function which asks for locks
// on what it is given: the locks end with their statements, and only the
// caller tells.
func (p *Program) givesPool(o *Op) bool {
	for i, a := range o.Args {
		for a != nil && a.Kind == VIface {
			a = a.Of[0]
		}
		if a == nil || a.Kind != VHandle || a.Str != "pool" {
			continue
		}
		keys, before := p.targets(o.Val)
		for _, k := range keys {
			if p.asksOn(k, i+before) {
				return true
			}
		}
	}
	return false
}

// asksOn reports whether a function asks for a lock on its parameter, itself
// or through what it hands that to.
func (p *Program) asksOn(key string, param int) bool {
	name := key + "#" + strconv.Itoa(param)
	if asks, ok := p.asksOnParam[name]; ok {
		return asks
	}
	f := p.Funcs[key]
	p.asksOnParam[name] = false // against recursion
	if f == nil || !p.bears[key] {
		return false
	}
	found := false
	visit(f.Body, func(o *Op) {
		switch {
		case found:
		case o.Kind == OpSQL:
			found = own(o.Conn) == "param "+strconv.Itoa(param) && asksFor(o)
		case o.Kind == OpCall && o.Val != nil && o.Val.Kind == VFunc:
			for i, a := range o.Args {
				found = found || own(a) == "param "+strconv.Itoa(param) && p.asksOn(o.Val.Str, i)
			}
		}
	})
	p.asksOnParam[name] = found
	return found
}

// asksFor reports a statement with a text that is known and asks for a lock.
func asksFor(o *Op) bool {
	found := false
	visit(o.Body, func(o *Op) { found = found || o.Kind == OpAcquire && !o.Acq.Implicit })
	return found
}
