package prog

import (
	"regexp"
	"slices"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// aStatement matches text that is one statement, or its end, and asks for a
// lock: what people are told about one begins otherwise.
var aStatement = regexp.MustCompile(`(?i)^\s*(?:select|with|update|delete|insert|lock\s+table|for\s+(?:no\s+key\s+)?update|for\s+(?:key\s+)?share)\b`)

// unrun lists the places where functions of the program make a text that asks
// for a lock, of which no walk has seen what runs it.
func (v *View) unrun() []lockgraph.Unknown {
	p := v.Program
	seen := map[string]bool{}
	for _, tr := range v.Traces {
		tr.Each(func(n *Node) {
			if n.Kind == OpAcquire && n.Take != nil && !n.Take.Acq.Implicit || n.Kind == OpRelease || n.Kind == OpUnknown {
				seen[n.Fn.Key] = true
				for f := n.Stack; f != nil; f = f.Up {
					seen[f.From.Key] = true
				}
			}
		})
	}
	var out []lockgraph.Unknown
	x := newEvaluator(p)
	for _, k := range p.keys {
		f := p.Funcs[k]
		if seen[k] || p.foreign[k] || p.left(f) || f.Origin != "" || p.Foreign[packageOf(k)] || p.keepsStatements(k) || !f.Exported && len(p.callers[k]) == 0 && f.Parent == "" {
			continue
		}
		returned := p.uncalledText(k)
		visit(f.Body, func(o *Op) {
			if seen[k] || o.Kind != OpCall && !(o.Kind == OpSQL && !p.entered[k]) && !(o.Kind == OpExit && returned) {
				return
			}
			for _, a := range append([]*Val{o.Val}, o.Args...) {
				if x.left = maxBinds; x.statementThatLocks(a, 0) {
					seen[k] = true
					out = append(out, lockgraph.Unknown{File: o.Pos.File, Line: o.Pos.Line, Func: k, Kind: "text",
						Reason: "a text that asks for a lock is used here; what runs it could not be followed"})
					return
				}
			}
		})
	}
	return out
}

// keepsStatements reports whether a function leaves prepared statements in
// fields: what runs them is told where it does.
func (p *Program) keepsStatements(key string) bool {
	return slices.ContainsFunc(p.stores[key], func(s FieldStore) bool { return s.Val.Kind == VMod && s.Val.Str == "stmt" })
}

// statementThatLocks reports whether v is or holds a statement, or a builder
// of one, that asks for a lock.
func (x *evaluator) statementThatLocks(v *Val, depth int) bool {
	if v == nil || depth > 8 || v.Kind == VClosure {
		return false
	}
	if v.Kind == VGlobal {
		return x.statementThatLocks(x.stored(v), depth+1)
	}
	text, ok := v.AsText()
	if v.Kind == VConcat { // with marks for what is not known of it
		text, ok = textOf(reduceConcat(v))
	}
	if ok {
		return asking.MatchString(text) && aStatement.MatchString(text)
	}
	for _, o := range v.Of {
		if x.statementThatLocks(o, depth+1) {
			return true
		}
	}
	return false
}
