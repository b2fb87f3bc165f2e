package prog

import (
	"strconv"
	"strings"
)

// reduce simplifies a value whose parts are bound.
func reduce(v *Val) *Val {
	switch v.Kind {
	case VField:
		return reduceField(v)
	case VElem:
		return reduceElem(v)
	case VConcat:
		return reduceConcat(v)
	case VApply:
		return reduceApply(v)
	case VHandle:
		if in := v.Of[0]; in.Kind == VHandle && (in.Str == v.Str || in.Str == "tx" && v.Str == "conn") { // a transaction's connection is in it
			return in
		}
	case VIface:
		if in := v.Of[0]; in.Kind == VIface {
			return in
		}
		if len(v.Of) == 2 {
			return typeOf(v)
		}
	case VCtxGet:
		return reduceCtx(v)
	case VMod:
		return Taken(v)
	case VNot, VIsNil, VEq, VTypeIs, VAnd, VOr:
		return reduceGuard(v)
	}
	return v
}

func reduceField(v *Val) *Val {
	base := bare(v.Of[0])
	switch base.Kind {
	case VRecord:
		for _, in := range base.Of {
			if in.Str == v.Str {
				return in.Of[0]
			}
		}
		if in := promoted(base, v.Str, 0); in != nil {
			return in
		}
		if in := embedded(base, v.Str); in != nil {
			return reduceField(New(VField, v.Str, in))
		}
		if pkg, ok := strings.CutSuffix(base.Str, ".Tx"); ok { // the client of a generated transaction has its fields
			if field, ok := strings.CutPrefix(v.Str, pkg+".Client."); ok {
				return reduceField(New(VField, base.Str+"."+field, base))
			}
		}
		if base.size() > maxLacking { // the rest of the record tells nothing of this field
			return New(VField, v.Str, New(VRecord, base.Str, New(VInit, "rest", Hole("rest of "+base.Str))))
		}
	case VApply:
		if base.Str == With {
			for _, in := range base.Of[1:] {
				if in.Str == v.Str {
					return in.Of[0]
				}
			}
			return reduceField(New(VField, v.Str, base.Of[0]))
		}
	case VMod:
		if v.Str == StmtText && base.Str == "stmt" && len(base.Of) > 1 {
			return base.Of[1]
		}
		if base.Str == "stmt" && v.Str != StmtText { // a prepared statement embedded in another
			return base
		}
	case VChoice:
		var all []*Val
		for _, o := range base.Of {
			if !o.IsNil() {
				all = append(all, reduceField(New(VField, v.Str, o)))
			}
		}
		if len(all) > 0 {
			return Choose(maxChoice, all...)
		}
	}
	if base != v.Of[0] {
		return New(VField, v.Str, base)
	}
	return v
}

// embedded returns what a record embeds under the name of the type whose field
// it is, nil when that is the record itself or not told.
func embedded(rec *Val, field string) *Val {
	typ := field[:max(0, strings.LastIndexByte(field, '.'))]
	if typ == rec.Str {
		return nil
	}
	name := rec.Str + "." + typ[strings.LastIndexByte(typ, '.')+1:]
	for _, in := range rec.Of {
		if in.Str == name {
			return in.Of[0]
		}
	}
	return nil
}

// promoted finds a field in the structs that a record embeds.
func promoted(rec *Val, field string, depth int) *Val {
	if depth > 3 {
		return nil
	}
	for _, in := range rec.Of {
		sub := bare(in.Of[0])
		if sub.Kind != VRecord {
			continue
		}
		for _, f := range sub.Of {
			if f.Str == field {
				return f.Of[0]
			}
		}
		if f := promoted(sub, field, depth+1); f != nil {
			return f
		}
	}
	return nil
}

func reduceElem(v *Val) *Val {
	if len(v.Of) == 2 {
		if at, ok := indexOf(bare(v.Of[1])); ok {
			v = New(VElem, at, v.Of[0])
		}
	}
	base := bare(v.Of[0])
	for base.Kind == VApply && len(base.Of) > 0 && sameElements[base.Str] {
		base = bare(base.Of[0])
	}
	if base.Kind == VList {
		if i, err := strconv.Atoi(v.Str); err == nil && i >= 0 && i < len(base.Of) {
			return base.Of[i]
		}
		if len(base.Of) == 1 {
			return base.Of[0]
		}
	}
	if base.Kind == VRecord { // a table: its entries by their keys
		for _, in := range base.Of {
			if in.Str == v.Str && len(in.Of) == 1 {
				return in.Of[0]
			}
		}
	}
	if !isNumber(v.Str) && appended(base) {
		if all := elements(base, 0); len(all) > 0 {
			return Choose(maxChoice, all...)
		}
	}
	return v
}

// indexOf returns how an element is named whose index is a constant.
func indexOf(v *Val) (string, bool) {
	if s, ok := v.AsText(); ok {
		return "s:" + strconv.Quote(s), true
	}
	if v.Kind != VConst {
		return "", false
	}
	return strings.CutPrefix(v.Str, "i:")
}

// appended reports whether a slice is one that a program appends to.
func appended(v *Val) bool {
	if v.Kind == VChoice {
		for _, o := range v.Of {
			if appended(bare(o)) {
				return true
			}
		}
	}
	return v.Kind == VApply && v.Str == "go:append"
}

// elements lists what is known to be put into a slice by appending to it.
func elements(v *Val, depth int) []*Val {
	v = bare(v)
	if v == nil || depth > 12 {
		return nil
	}
	switch v.Kind {
	case VList:
		return v.Of
	case VChoice:
		var all []*Val
		for _, o := range v.Of {
			all = append(all, elements(o, depth+1)...)
		}
		return all
	case VApply:
		if v.Str == "go:append" && len(v.Of) == 2 {
			return append(append([]*Val{}, elements(v.Of[0], depth+1)...), elements(v.Of[1], depth+1)...)
		}
	}
	return nil
}

// sameElements are functions whose result holds the elements of their first
// argument, in another order or without repetition.
var sameElements = map[string]bool{"slices.Clone": true, "slices.Compact": true, "slices.Sorted": true, "slices.Values": true, "sorted": true,
	"slices.SortedFunc": true, "slices.CompactFunc": true, "slices.Collect": true, "maps.Keys": false}

// bare returns v without what only tells its type.
func bare(v *Val) *Val {
	for v != nil && (v.Kind == VIface || v.Kind == VHandle || v.Kind == VResult && len(v.Of) == 1) {
		v = v.Of[0]
	}
	return v
}

func reduceConcat(v *Val) *Val {
	out := &Val{Kind: VConcat}
	for _, o := range v.Of {
		if o.Kind == VConcat {
			out.Of = append(out.Of, o.Of...)
			continue
		}
		out.Of = append(out.Of, o)
	}
	merged := out.Of[:0:0]
	for _, o := range out.Of {
		s, ok := o.AsText()
		if n := len(merged); ok && n > 0 {
			if t, ok := merged[n-1].AsText(); ok {
				merged[n-1] = Text(t + s)
				continue
			}
		}
		merged = append(merged, o)
	}
	if len(merged) == 1 {
		return merged[0]
	}
	out.Of = merged
	if ways(merged) > maxWays { // the ways of what stands before, fewer of them, with those of what follows
		joined := merged[0]
		for _, o := range merged[1:] {
			joined = reduceConcat(New(VConcat, "", joined, o))
		}
		return joined
	}
	for i, o := range merged { // text chosen by branch: join each alternative
		if isTexts(o) {
			var all []*Val
			for _, alt := range o.Of {
				if b := bare(alt); b.Kind == VApply && b.size() > maxLacking {
					alt = Hole("it is computed by " + b.Str)
				}
				parts := append(append(append([]*Val{}, merged[:i]...), alt), merged[i+1:]...)
				all = append(all, reduceConcat(&Val{Kind: VConcat, Of: parts}))
			}
			return fewer(Choose(maxChoice, all...))
		}
	}
	return out
}

// maxWays bounds the ways of joining the alternatives of the pieces of a text
// that are all made at once.
const maxWays = maxChoice * maxChoice

// ways returns how many ways there are, maxWays+1 standing for more.
func ways(pieces []*Val) int {
	n := 1
	for _, o := range pieces {
		if isTexts(o) {
			n = min(n*len(o.Of), maxWays+1)
		}
	}
	return n
}

// isTexts reports whether v is a text chosen by branch.
func isTexts(v *Val) bool {
	return v.Kind == VChoice && (len(v.Of) <= 4 && allText(v.Of) || allTexts(v.Of))
}

// maxTexts is how many alternatives of one text are told apart by more than
// what they lock.
const maxTexts = 8

// fewer returns a choice of many texts as one of the ways they lock.
func fewer(v *Val) *Val {
	if v.Kind != VChoice || len(v.Of) <= maxTexts {
		return v
	}
	return oneOfAKind(v)
}

// allTexts reports whether the values are texts of which a part is known,
// but for some that only the running program computes.
func allTexts(vs []*Val) bool {
	texts := 0
	for _, v := range vs {
		t, ok := textOf(v)
		switch {
		case ok && (t == "" || strings.Trim(t, "?") != ""):
			texts++
		case bare(v).Kind != VApply:
			return false
		}
	}
	return texts > 0 && len(vs) <= maxChoice
}

func allText(vs []*Val) bool {
	for _, v := range vs {
		if _, ok := v.AsText(); !ok {
			return false
		}
	}
	return true
}

func reduceCtx(v *Val) *Val {
	ctx := bare(v.Of[0])
	for ; ctx != nil && (ctx.Kind == VCtxWith || ctx.Kind == VApply && len(ctx.Of) > 0); ctx = bare(ctx.Of[0]) {
		if ctx.Kind == VCtxWith && (ctx.Of[1] == nil || v.Of[1] == nil || Equal(ctx.Of[1], v.Of[1])) {
			return ctx.Of[2]
		}
	}
	if ctx != nil && ctx.Kind == VApply && (ctx.Str == "context.Background" || ctx.Str == "context.TODO") { // it has no values
		return Nil
	}
	return v
}

func reduceGuard(v *Val) *Val {
	switch v.Kind {
	case VNot:
		if b, ok := Truth(v.Of[0]); ok {
			return Bool(!b)
		}
		if v.Of[0].Kind == VNot {
			return v.Of[0].Of[0]
		}
	case VIsNil:
		if b, ok := nilness(v.Of[0]); ok {
			return Bool(b)
		}
	case VEq:
		a, b := bare(v.Of[0]), bare(v.Of[1])
		if a.Kind == VConst && b.Kind == VConst {
			return Bool(a.Str == b.Str)
		}
	case VTypeIs:
		if in := v.Of[0]; in.Kind == VIface {
			return Bool(in.Str == v.Str)
		} else if in.IsNil() {
			return Bool(false)
		}
	case VAnd, VOr:
		var rest []*Val
		for _, o := range v.Of {
			if b, ok := Truth(o); ok {
				if b == (v.Kind == VOr) {
					return Bool(b)
				}
				continue
			}
			rest = append(rest, o)
		}
		if len(rest) == 0 {
			return Bool(v.Kind == VAnd)
		}
		if len(rest) == 1 {
			return rest[0]
		}
		return New(v.Kind, "", rest...)
	}
	return v
}

// Truth tells which truth value v is, where it is a constant.
func Truth(v *Val) (b, ok bool) {
	if v != nil && v.Kind == VConst {
		switch v.Str {
		case "b:true":
			return true, true
		case "b:false":
			return false, true
		}
	}
	return false, false
}

// nilness tells whether v is nil, where its shape says so.
func nilness(v *Val) (isNil, known bool) {
	switch v.Kind {
	case VConst:
		return v.Str == "nil", true
	case VRecord, VClosure, VFunc, VConn, VList, VMod:
		return false, true
	case VIface, VHandle:
		if isNil, known = nilness(v.Of[0]); !known && v.Kind == VIface && strings.HasPrefix(v.Str, "*") {
			return false, true // it holds a pointer
		}
		return isNil, known
	case VApply:
		switch v.Str {
		case "fmt.Errorf", "errors.New":
			return false, true
		case ErrorOf:
			return nilTogether(v.Of)
		case "errors.Join":
			if len(v.Of) == 1 && v.Of[0].Kind == VList {
				return nilTogether(v.Of[0].Of)
			}
		}
	case VChoice:
		first, ok := nilness(v.Of[0])
		for _, o := range v.Of[1:] {
			b, k := nilness(o)
			ok = ok && k && b == first
		}
		return first, ok
	}
	return false, false
}

// ErrorOf is a function out of sight that makes an error of those it is
// given, and of none an error that is not nil.
const ErrorOf = "error of"

// nilTogether tells whether an error made of others is nil: it is when they
// all are, and is not when none is.
func nilTogether(errs []*Val) (isNil, known bool) {
	if len(errs) == 0 {
		return false, true
	}
	for i, e := range errs {
		is, k := nilness(e)
		if !k || i > 0 && is != isNil {
			return false, false
		}
		isNil = is
	}
	return isNil, true
}

// madeOf returns the error that v wraps, where v is nil exactly when that is.
func madeOf(v *Val) *Val {
	for v.Kind == VApply && v.Str == ErrorOf && len(v.Of) == 1 {
		v = v.Of[0]
	}
	return v
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}
