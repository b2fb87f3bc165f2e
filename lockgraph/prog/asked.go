package prog

import (
	"slices"
	"strings"
)

// asked returns the call whose caller asks for the lock: it hands a builder
// that locks to a function that would only read. nil when the function asks
// for it itself.
func (w *walker) asked(a *Acq, stmt *Op) *Frame {
	if a.Implicit || stmt.Kind != OpSQL || stmt.Val == nil || bare(stmt.Val).Kind != VMod || asks(stmt.Val) {
		return nil
	}
	for f := w.frame; f != nil; f = f.Up {
		found := false
		visit(f.From.Body, func(o *Op) {
			if o.Kind == OpCall && o.Pos == f.Pos {
				for _, v := range o.Args {
					found = found || asks(v)
				}
			}
		})
		if found {
			return f
		}
	}
	return nil
}

// lockingSteps are steps of builders that can add a locking clause.
var lockingSteps = map[string]bool{"Clauses": true, "Scopes": true, "For": true, "Suffix": true, "SuffixExpr": true, "Raw": true, "RawQuery": true,
	"NewRaw": true, "Apply": true, "ApplyQueryBuilder": true, "ForUpdate": true, "ForShare": true, "ForNoKeyUpdate": true, "ForKeyShare": true}

// asks reports whether a chain as written holds a step that can lock.
func asks(v *Val) bool {
	for v = bare(v); v != nil && v.Kind == VMod && len(v.Of) > 0; v = bare(v.Of[0]) {
		if IsGrown(v) && slices.ContainsFunc(Alternatives(v.Of[1]), askedBy) {
			return true
		}
		words := strings.Fields(v.Str)
		if len(words) > 1 && (lockingSteps[words[1]] || words[0] == "bind") {
			return true
		}
	}
	return false
}

// askedBy reports whether steps that a chain may have taken, perhaps under a
// condition, hold one that can lock.
func askedBy(more *Val) bool {
	if more.Kind == VApply && strings.HasPrefix(more.Str, If) {
		return slices.ContainsFunc(more.Of[1:], askedBy)
	}
	return asks(more)
}
