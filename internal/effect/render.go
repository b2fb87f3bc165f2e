package effect

import (
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A renderer writes a key as SQL in its normal form, with what it does not
// know as $1, $2 … in order of appearance.
type renderer struct{ leaves []*prog.Val }

// Strengths of binding, as in the manual of version 16, section 4.1.6.
const (
	bindCompare = iota + 1
	bindOther
	bindAdd
	bindMultiply
	bindUnary
	bindCast
)

func strengthOf(op string) int {
	switch op {
	case "=", "<>", "<", ">", "<=", ">=":
		return bindCompare
	case "+", "-":
		return bindAdd
	case "*", "/", "%":
		return bindMultiply
	}
	return bindOther
}

func operator(s string) bool {
	return s != "" && strings.IndexByte("+-*/<>=~!@#%^&|`?", s[0]) >= 0
}

// expr writes a value; around is how strongly what stands outside binds.
func (r *renderer) expr(v *prog.Val, around int) string {
	if v == nil {
		return "NULL"
	}
	switch v.Kind {
	case prog.VConst:
		return constantText(v, around)
	case prog.VConcat:
		parts := make([]string, len(v.Of))
		for i, o := range v.Of {
			parts[i] = r.expr(o, bindOther+1)
		}
		return wrap(strings.Join(parts, " || "), bindOther, around)
	case prog.VList:
		return "ARRAY[" + r.list(v.Of) + "]"
	case prog.VApply:
		return r.apply(v, around)
	}
	return r.leaf(v)
}

func wrap(s string, own, around int) string {
	if own < around {
		return "(" + s + ")"
	}
	return s
}

func (r *renderer) list(vs []*prog.Val) string {
	parts := make([]string, len(vs))
	for i, o := range vs {
		parts[i] = r.expr(o, 0)
	}
	return strings.Join(parts, ", ")
}

func (r *renderer) apply(v *prog.Val, around int) string {
	if to, ok := strings.CutPrefix(v.Str, "::"); ok && len(v.Of) == 1 {
		return r.expr(v.Of[0], bindCast) + "::" + to
	}
	if operator(v.Str) && len(v.Of) == 2 {
		own := strengthOf(v.Str)
		return wrap(r.expr(v.Of[0], own)+" "+v.Str+" "+r.expr(v.Of[1], own+1), own, around)
	}
	if operator(v.Str) && len(v.Of) == 1 {
		return wrap(v.Str+r.expr(v.Of[0], bindUnary), bindUnary, around)
	}
	name := v.Str
	if g, ok := strings.CutPrefix(name, "go-hash "); ok {
		name = g
	} else if g := goHashName(name); g != "" {
		name = g
	}
	if strings.HasPrefix(name, "current_") && len(v.Of) == 0 {
		return name
	}
	return strings.ToLower(name[strings.LastIndexByte(name, '/')+1:]) + "(" + r.list(v.Of) + ")"
}

func constantText(v *prog.Val, around int) string {
	kind, s, _ := strings.Cut(v.Str, ":")
	switch kind {
	case "s":
		return pgsql.QuoteLiteral(s)
	case "nil":
		return "NULL"
	case "i", "f":
		if strings.HasPrefix(s, "-") {
			return wrap(s, bindUnary, around)
		}
	}
	return s
}

// leaf numbers a value. Go values of which only the kind is told are one where
// they are one in the SQL: what a class is does not depend on what else is
// given.
func (r *renderer) leaf(v *prog.Val) string {
	for i, o := range r.leaves {
		if o == v || !prog.Nameless(v) && prog.Equal(o, v) {
			return "$" + strconv.Itoa(i+1)
		}
	}
	r.leaves = append(r.leaves, v)
	return "$" + strconv.Itoa(len(r.leaves))
}
