package prog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A VKind says how a value is made.
type VKind uint8

// The kinds of values. In brackets what Str and Of hold.
const (
	VHole     VKind = iota // not known [Str why]
	VConst                 // a constant [Str "s:text", "i:5", "f:1.5", "b:true", "nil"]
	VParam                 // parameter i of the function [Str i]
	VFree                  // captured variable i of a closure [Str i]
	VResult                // result i of call, or of a statement [Str "id.i"]
	VScan                  // value i scanned from the row of a statement [Str "id.i"]
	VConn                  // the connection opened by op id [Str id]
	VGlobal                // package variable [Str pkg.name]
	VField                 // field of a value [Str pkg.Type.field; Of base]
	VElem                  // an element of a container [Str index, loop id or ""; Of container]
	VRecord                // a struct value [Str pkg.Type; Of VInit…]
	VInit                  // one field of a record [Str pkg.Type.field; Of value]
	VList                  // a slice or array of known elements [Of]
	VClosure               // a closure [Str function key; Of captured values, type arguments]
	VFunc                  // a declared function [Str key; Of type arguments]
	VMethod                // a method of a value, not resolved [Str interface type "." method; Of receiver]
	VIface                 // a concrete value in an interface [Str concrete type; Of value, and where a type parameter ends the type, what it stands for]
	VHandle                // a value whose Go type says what it is [Str pool, conn, tx, gorm; Of value]
	VApply                 // a function applied [Str function; Of args]
	VConcat                // text joined [Of]
	VChoice                // one of several [Of]
	VMod                   // a builder with one more call on it [Str method; Of base, args…]
	VCtxWith               // a context with a value [Of ctx, key, value]
	VCtxGet                // the value of a context [Of ctx, key]
	VSQLParam              // parameter $n of the statement [Str n]
	VSQLHole               // the value of hole n in the text [Str n]
	VSQLCol                // a column of a row the statement reads [Str relation.column]
	VNot                   // guards: not [Of guard]
	VIsNil                 // guards: value is nil [Of value]
	VEq                    // guards: equal [Of a, b]
	VTypeIs                // guards: dynamic type [Str type; Of value]
	VAnd                   // guards [Of]
	VOr                    // guards [Of]
	VNamed                 // named result i of the function, as it stands when deferred calls run [Str i]
	VSet                   // what a closure that has run leaves in captured variable i of it [Str key#i; Of what it is otherwise]
)

var vnames = [...]string{"hole", "const", "param", "free", "result", "scan", "conn", "global", "field", "elem", "record", "init",
	"list", "closure", "func", "method", "iface", "handle", "apply", "concat", "choice", "mod", "ctxwith", "ctxget",
	"sqlparam", "sqlhole", "sqlcol", "not", "isnil", "eq", "typeis", "and", "or", "named", "set"}

// largeValue begins the reason of a hole in the place of a value that is made
// of too much, in symval's as in the walker's; what follows keeps such holes
// apart.
const largeValue = "large value"

// String returns the name of the kind as the text form writes it.
func (k VKind) String() string {
	if int(k) < len(vnames) {
		return vnames[k]
	}
	return "?"
}

// A Val is a symbolic value: text, key, row, handle, context, callee or
// guard. Values are immutable once built and may be shared.
type Val struct {
	Kind VKind
	Str  string
	Of   []*Val

	n   int32  // nodes of the tree, counted once
	sum uint64 // hash of the tree, made once
}

// maxSize bounds the tree of a bound value: parts are shared in memory, but
// every text form walks the tree.
const maxSize = 300

// Large reports whether v's tree is too large to be worth keeping.
func (v *Val) Large() bool { return v.size() > maxSize }

// Size returns the number of nodes of v's tree.
func (v *Val) Size() int { return v.size() }

// size returns the number of nodes of v's tree.
func (v *Val) size() int {
	if v == nil {
		return 0
	}
	if v.n == 0 {
		n := 1
		for _, o := range v.Of {
			n += o.size()
		}
		v.n = int32(min(n, 1<<20))
	}
	return int(v.n)
}

// FamilyText begins the names of what a lock family of runtime/locks puts
// into a statement.
const FamilyText = "locks.Family."

// New returns a value of the kind.
func New(k VKind, str string, of ...*Val) *Val { return &Val{Kind: k, Str: str, Of: of} }

// NewCol returns what a column of the row holds that an INSERT adds, to the
// triggers that run for it, where the statement does not say.
func NewCol(relation, col string) *Val { return New(VSQLCol, relation+"."+col, Nil) }

// ofNewRow reports a column of the row that an INSERT adds.
func (v *Val) ofNewRow() bool { return v.Kind == VSQLCol && len(v.Of) > 0 }

// Text returns the constant string s as a value.
func Text(s string) *Val { return &Val{Kind: VConst, Str: "s:" + s} }

// Int returns the constant integer n as a value.
func Int(n int64) *Val { return &Val{Kind: VConst, Str: "i:" + strconv.FormatInt(n, 10)} }

// Bool returns the constant b as a value.
func Bool(b bool) *Val { return &Val{Kind: VConst, Str: "b:" + strconv.FormatBool(b)} }

// Nil is the constant nil.
var Nil = &Val{Kind: VConst, Str: "nil"}

func init() { Nil.size(); Nil.hash() } // it is shared by walks that run at once

// Hole returns an unknown value with the reason why.
func Hole(why string) *Val { return &Val{Kind: VHole, Str: why} }

// AsText returns the constant string that v is, and whether it is one.
func (v *Val) AsText() (string, bool) {
	if v != nil && v.Kind == VConst {
		return strings.CutPrefix(v.Str, "s:")
	}
	return "", false
}

// IsNil reports whether v is the constant nil.
func (v *Val) IsNil() bool { return v != nil && v.Kind == VConst && v.Str == "nil" }

// Choose returns one of vs: the value itself when all are equal. Order does
// not matter; at most limit alternatives are kept, else a hole.
func Choose(limit int, vs ...*Val) *Val {
	var all []*Val // by their text, each once
	for _, v := range vs {
		all = alternatives(all, v)
	}
	if len(all) == 0 {
		return Hole("none")
	}
	if len(all) > limit {
		if all = thinned(all); len(all) > limit {
			return Hole("too many alternatives")
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return &Val{Kind: VChoice, Of: all}
}

// Alternatives returns the values that v can be, each once.
func Alternatives(v *Val) []*Val { return alternatives(nil, v) }

// alternatives returns the values of all, which is sorted, and v, or what v
// is a choice of.
func alternatives(all []*Val, v *Val) []*Val {
	if v == nil {
		return all
	}
	if v.Kind == VChoice {
		for _, o := range v.Of {
			all = alternatives(all, o)
		}
		return all
	}
	at, found := slices.BinarySearchFunc(all, v, Compare)
	if found {
		all[at] = v
		return all
	}
	return slices.Insert(all, at, v)
}

// thinned keeps, of many texts, one for each way to lock: those that differ
// only in conditions, order and the like are told by the shortest. Other
// values are all kept.
func thinned(all []*Val) []*Val {
	best, short := map[string]*Val{}, map[string]int{}
	var order []string
	for _, v := range all {
		t, ok := textOf(v)
		if !ok {
			return all
		}
		sig := strings.Join(lockWords.FindAllString(strings.ToLower(t), -1), " ")
		if best[sig] == nil {
			order = append(order, sig)
		} else if len(t) >= short[sig] {
			continue
		}
		best[sig], short[sig] = v, len(t)
	}
	out := make([]*Val, len(order))
	for i, sig := range order {
		out[i] = best[sig]
	}
	slices.SortFunc(out, Compare)
	return out
}

// lockWords are the words of a statement that say what it locks.
var lockWords = regexp.MustCompile(`for\s+(no\s+key\s+)?update|for\s+(key\s+)?share|skip\s+locked|nowait|pg_\w*advisory\w*|lock\s+table|` +
	`(insert\s+into|update|delete\s+from|from|join|of)\s+[\w."]+`)

// textOf returns a text with marks for what is not known of it.
func textOf(v *Val) (string, bool) {
	v = bare(v)
	if s, ok := v.AsText(); ok {
		return s, true
	}
	switch v.Kind {
	case VConcat:
	case VHole:
		return "?", true
	default:
		return "", false
	}
	var b strings.Builder
	for _, o := range v.Of {
		if s, ok := bare(o).AsText(); ok {
			b.WriteString(s)
		} else {
			b.WriteString("?")
		}
	}
	return b.String(), true
}

// String returns the text form of v, the same for equal values:
// kind, Str quoted when it is not empty, Of in parentheses.
func (v *Val) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v *Val) write(b *strings.Builder) {
	if v == nil {
		b.WriteString("_")
		return
	}
	b.WriteString(v.Kind.String())
	if v.Str != "" {
		b.WriteByte(' ')
		quote(b, v.Str)
	}
	if len(v.Of) > 0 {
		b.WriteByte('(')
		for i, o := range v.Of {
			if i > 0 {
				b.WriteString(", ")
			}
			o.write(b)
		}
		b.WriteByte(')')
	}
}

// quote writes s as strconv.Quote does, faster where it is the text of a
// program.
func quote(b *strings.Builder, s string) {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			b.WriteString(strconv.Quote(s))
			return
		}
	}
	b.WriteByte('"')
	from := 0
	for i := range len(s) {
		var esc string
		switch s[i] {
		case '\n':
			esc = `\n`
		case '\t':
			esc = `\t`
		case '"':
			esc = `\"`
		case '\\':
			esc = `\\`
		default:
			continue
		}
		b.WriteString(s[from:i])
		b.WriteString(esc)
		from = i + 1
	}
	b.WriteString(s[from:])
	b.WriteByte('"')
}

// Equal reports whether a and b are the same value.
func Equal(a, b *Val) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Kind != b.Kind || a.Str != b.Str || len(a.Of) != len(b.Of) {
		return false
	}
	for i := range a.Of {
		if !Equal(a.Of[i], b.Of[i]) {
			return false
		}
	}
	return true
}

// HoleName returns the identifier that stands for hole n in SQL text.
func HoleName(n int) string { return holeStart + strconv.Itoa(n) + "__" }

const holeStart = "__hole"

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

func hasSuffixErr(s string) bool { return strings.HasSuffix(s, ".err") }
