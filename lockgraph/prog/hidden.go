package prog

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// hidden tells where a part of a statement is not known and could be the
// clause that locks the rows of a query.
func (w *walker) hidden(o *Op, e *env, texts []template) {
	for _, t := range texts {
		if why := w.p.hides(t, texts); why != "" {
			at := w.site(o, e, t.text)
			w.trace.Hidden = append(w.trace.Hidden, lockgraph.Unknown{File: at.pos.File, Line: at.pos.Line, Func: at.fn.Key, Kind: "text", Reason: why})
		}
	}
}

// hides returns what of a text could lock and is not known, "" where the text
// locks or nothing is. The other texts are what may run in its place.
func (p *Program) hides(t template, texts []template) string {
	if len(t.holes) == 0 && t.open == "" || p.locking(t.text) {
		return ""
	}
	if t.open != "" {
		return "a part of the statement that a builder makes could lock, and is not known: " + t.open
	}
	for i, h := range t.holes {
		before, after, ok := strings.Cut(t.text, HoleName(i+1))
		if ok && !directed(before, texts) && p.couldLock(before, h, after, 0) {
			return "a piece of the text stands where a locking clause can, and is not known: " + why(bare(h))
		}
	}
	return ""
}

// directed reports whether one of the texts goes on with a direction of ORDER
// BY: what else can stand there is one too.
func directed(before string, texts []template) bool {
	return slices.ContainsFunc(texts, func(t template) bool {
		rest, ok := strings.CutPrefix(t.text, before)
		return ok && direction.MatchString(rest)
	})
}

// couldLock reports whether a piece v of a text, between what stands before
// and after it, could be a clause that locks.
func (p *Program) couldLock(before string, v *Val, after string, depth int) bool {
	v = bare(v)
	if _, known := v.AsText(); known || depth > 3 || !p.clauseBetween(before, after) {
		return false
	}
	switch v.Kind {
	case VApply:
		return !strings.HasPrefix(v.Str, "strconv.") && v.Str != "strings.ToUpper" && v.Str != "strings.ToLower" // a number, a word
	case VChoice:
		return slices.ContainsFunc(v.Of, func(o *Val) bool { return p.couldLock(before, o, after, depth+1) })
	case VConcat:
		for i, o := range v.Of {
			head, _ := withHoles(v.Of[:i])
			tail, _ := withHoles(v.Of[i+1:])
			if p.couldLock(before+head, o, tail+after, depth+1) {
				return true
			}
		}
		return false
	}
	return true
}

// clauseBetween reports whether a clause that locks rows can stand between two
// ends of a text; each two are looked at once.
func (p *Program) clauseBetween(before, after string) bool {
	key := before + "\x00" + after
	can, ok := p.clauses[key]
	if !ok {
		can = !inWord.MatchString(before) && !noLocking.MatchString(lastSelect(before)) && p.locksRows(before+" FOR UPDATE "+after)
		p.clauses[key] = can
	}
	return can
}

// locksRows reports whether a clause of a text locks rows.
func (p *Program) locksRows(text string) bool {
	found := false
	visit(p.Res.Effect(text), func(o *Op) {
		found = found || o.Kind == OpAcquire && !o.Acq.Implicit && o.Acq.Family == lockgraph.Row && len(o.Acq.SQLFunc) == 0
	})
	return found
}

// lastSelect returns, of a text that breaks off, the SELECT it breaks off in.
func lastSelect(text string) string {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			depth--
		case 's', 'S':
			if depth <= 0 && len(text) >= i+6 && strings.EqualFold(text[i:i+6], "select") {
				return text[i:]
			}
		}
	}
	return ""
}

var (
	direction = regexp.MustCompile(`(?i)^\s*(asc|desc)\b`)
	// inWord matches what breaks off inside a name, a literal or an expression.
	inWord = regexp.MustCompile(`(?i)(?:\b(?:from|join|into|update|table|only)\s+[\w."]*\w|_|[^\w\s)'"])$`)
	// noLocking matches a query that can have no clause that locks.
	noLocking = regexp.MustCompile(`(?i)^select\s+(?:distinct\b|(?:count|sum|min|max|avg|bool_or|bool_and|\w+_agg)\s*\()|\bgroup\s+by\b|\bhaving\b|\b(?:union|except|intersect)\b`)
)
