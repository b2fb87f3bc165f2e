package effect

import (
	"crypto/md5"
	"encoding/hex"
	"hash/crc32"
	"hash/fnv"
	"math"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pghash"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A literal is the value of a constant expression, as the server computes it.
type literal struct {
	kind string // text, int, bool, bit
	s    string
	n    int64
	bits int // of an int: 32 or 64
	b    bool
}

func textOf(s string) literal       { return literal{kind: "text", s: s} }
func intOf(n int64, w int) literal  { return literal{kind: "int", n: n, bits: w} }
func boolOf(b bool) (literal, bool) { return literal{kind: "bool", b: b}, true }

var none literal

// evaluate computes a constant expression; what it does not know, it leaves.
func evaluate(v *prog.Val) (literal, bool) {
	if v == nil {
		return none, false
	}
	switch v.Kind {
	case prog.VConst:
		return constLiteral(v)
	case prog.VConcat:
		var b strings.Builder
		for _, o := range v.Of {
			l, ok := evaluate(o)
			if !ok {
				return none, false
			}
			b.WriteString(l.text())
		}
		return textOf(b.String()), true
	case prog.VApply:
		args := make([]literal, len(v.Of))
		for i, o := range v.Of {
			l, ok := evaluate(o)
			if !ok {
				return none, false
			}
			args[i] = l
		}
		return apply(v.Str, args)
	}
	return none, false
}

func constLiteral(v *prog.Val) (literal, bool) {
	kind, s, _ := strings.Cut(v.Str, ":")
	switch kind {
	case "s":
		return textOf(s), true
	case "b":
		return boolOf(s == "true")
	case "i":
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return none, false
		}
		if int64(int32(n)) == n {
			return intOf(n, 32), true
		}
		return intOf(n, 64), true
	}
	return none, false
}

func (l literal) text() string {
	switch l.kind {
	case "int":
		return strconv.FormatInt(l.n, 10)
	case "bool":
		return strconv.FormatBool(l.b)
	}
	return l.s
}

func apply(f string, a []literal) (literal, bool) {
	if to, ok := strings.CutPrefix(f, "::"); ok && len(a) == 1 {
		return convert(a[0], to)
	}
	switch {
	case len(a) == 2 && a[0].kind == "int" && a[1].kind == "int":
		if l, ok := arithmetic(f, a[0], a[1]); ok {
			return l, ok
		}
	case len(a) == 2 && a[0].kind == a[1].kind && f == "=":
		return boolOf(a[0] == a[1])
	case len(a) == 2 && a[0].kind == a[1].kind && f == "<>":
		return boolOf(a[0] != a[1])
	case f == "-" && len(a) == 1 && a[0].kind == "int":
		return intOf(-a[0].n, a[0].bits), true
	}
	return function(f, a)
}

func function(f string, a []literal) (literal, bool) {
	switch {
	case f == "hashtext" && len(a) == 1 && a[0].kind == "text":
		return intOf(int64(pghash.Text(a[0].s)), 32), true
	case f == "hashtextextended" && len(a) == 2 && a[0].kind == "text" && a[1].kind == "int":
		return intOf(pghash.TextExtended(a[0].s, a[1].n), 64), true
	case f == "hashint4" && len(a) == 1 && a[0].kind == "int":
		return intOf(int64(pghash.Int4(int32(a[0].n))), 32), true
	case f == "hashint8" && len(a) == 1 && a[0].kind == "int":
		return intOf(int64(pghash.Int8(a[0].n)), 32), true
	case f == "md5" && len(a) == 1 && a[0].kind == "text":
		sum := md5.Sum([]byte(a[0].s))
		return textOf(hex.EncodeToString(sum[:])), true
	case f == "lower" && len(a) == 1 && a[0].kind == "text":
		return textOf(strings.ToLower(a[0].s)), true
	case f == "upper" && len(a) == 1 && a[0].kind == "text":
		return textOf(strings.ToUpper(a[0].s)), true
	case f == "concat":
		var b strings.Builder
		for _, l := range a {
			b.WriteString(l.text())
		}
		return textOf(b.String()), true
	case f == "abs" && len(a) == 1 && a[0].kind == "int" && a[0].n != math.MinInt64 && !(a[0].bits == 32 && a[0].n == math.MinInt32):
		return intOf(max(a[0].n, -a[0].n), a[0].bits), true
	case (f == "substr" || f == "substring") && len(a) == 3 && a[0].kind == "text":
		return slice(a[0].s, a[1].n, a[2].n), true
	case f == "left" && len(a) == 2 && a[0].kind == "text" && a[1].n >= 0:
		return slice(a[0].s, 1, a[1].n), true
	case f == "right" && len(a) == 2 && a[0].kind == "text" && a[1].n >= 0:
		n := int64(len([]rune(a[0].s)))
		return slice(a[0].s, max(1, n-a[1].n+1), a[1].n), true
	}
	return goHashed(f, a)
}

// goHashed computes the hashes of Go's library over a text.
func goHashed(f string, a []literal) (literal, bool) {
	name, ok := strings.CutPrefix(f, "go-hash ")
	if !ok || len(a) != 1 || a[0].kind != "text" {
		return none, false
	}
	switch text := []byte(a[0].s); name {
	case "fnv64a":
		h := fnv.New64a()
		h.Write(text)
		return intOf(int64(h.Sum64()), 64), true
	case "fnv64":
		h := fnv.New64()
		h.Write(text)
		return intOf(int64(h.Sum64()), 64), true
	case "fnv32a":
		h := fnv.New32a()
		h.Write(text)
		return intOf(int64(h.Sum32()), 64), true
	case "fnv32":
		h := fnv.New32()
		h.Write(text)
		return intOf(int64(h.Sum32()), 64), true
	case "crc32":
		return intOf(int64(crc32.ChecksumIEEE(text)), 64), true
	}
	return none, false
}

func slice(s string, from, n int64) literal {
	r := []rune(s)
	start := max(0, from-1)
	end := min(int64(len(r)), from-1+max(0, n))
	if start >= end {
		return textOf("")
	}
	return textOf(string(r[start:end]))
}

func arithmetic(op string, a, b literal) (literal, bool) {
	w := max(a.bits, b.bits)
	var n int64
	switch op {
	case "+":
		n = a.n + b.n
	case "-":
		n = a.n - b.n
	case "*":
		n = a.n * b.n
	case "%", "/":
		if b.n == 0 {
			return none, false
		}
		if n = a.n % b.n; op == "/" {
			n = a.n / b.n
		}
	case "|":
		n = a.n | b.n
	case "&":
		n = a.n & b.n
	case "#":
		n = a.n ^ b.n
	case "<<":
		w = a.bits
		n = a.n << uint(b.n&int64(w-1))
		if w == 32 {
			n = int64(int32(n))
		}
	case ">>":
		w = a.bits
		n = a.n >> uint(b.n&int64(w-1))
	case "=":
		return boolOf(a.n == b.n)
	case "<>":
		return boolOf(a.n != b.n)
	case "<":
		return boolOf(a.n < b.n)
	case ">":
		return boolOf(a.n > b.n)
	case "<=":
		return boolOf(a.n <= b.n)
	case ">=":
		return boolOf(a.n >= b.n)
	default:
		return none, false
	}
	if w == 32 && int64(int32(n)) != n {
		return none, false // integer out of range
	}
	return intOf(n, w), true
}

// convert casts a literal.
func convert(l literal, to string) (literal, bool) {
	switch to {
	case "text", "character varying":
		return textOf(l.text()), true
	case "integer", "bigint", "smallint":
		return toInt(l, to)
	case "boolean":
		if l.kind == "bool" {
			return l, true
		}
	case "uuid":
		if raw, ok := uuidBytes(l.s); ok && l.kind == "text" {
			h := hex.EncodeToString([]byte(raw))
			return textOf(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]), true
		}
	case "date":
		if l.kind == "text" && isoTime.MatchString(l.s) {
			return textOf(l.s[:10]), true
		}
	case "timestamp without time zone", "timestamp with time zone":
		return l, l.kind == "text" && isoTime.MatchString(l.s) && len(l.s) > 10
	}
	if w, ok := strings.CutPrefix(to, "bit("); ok {
		n, err := strconv.Atoi(strings.TrimSuffix(w, ")"))
		if err != nil || l.kind != "text" || !strings.HasPrefix(l.s, "x") || n > 64 {
			return none, false
		}
		hexes := l.s[1:]
		for len(hexes)*4 < n {
			hexes += "0"
		}
		u, err := strconv.ParseUint(hexes[:(n+3)/4], 16, 64)
		if err != nil {
			return none, false
		}
		return literal{kind: "bit", n: int64(u >> uint(((n+3)/4)*4-n)), bits: n}, true
	}
	return none, false
}

func toInt(l literal, to string) (literal, bool) {
	w := 32
	if to == "bigint" {
		w = 64
	}
	switch l.kind {
	case "int":
		if w == 32 && int64(int32(l.n)) != l.n {
			return none, false
		}
		return intOf(l.n, w), true
	case "bit":
		if l.bits > w {
			return none, false
		}
		if w == 32 {
			return intOf(int64(int32(uint32(l.n))), 32), true
		}
		return intOf(l.n, 64), true
	case "text":
		if n, err := strconv.ParseInt(strings.TrimSpace(l.s), 10, w); err == nil {
			return intOf(n, w), true
		}
	}
	return none, false
}

// decide decides a condition over constants.
func decide(v *prog.Val) (value, known bool) {
	if isNullVal(v) {
		return false, true
	}
	if l, ok := evaluate(v); ok && l.kind == "bool" {
		return l.b, true
	}
	return false, false
}

func isNullVal(v *prog.Val) bool { return v != nil && isNull(v) }

// template turns the text of a dynamic EXECUTE into SQL with holes for what
// is not known; ok is false when nothing is known of it.
func template(v *prog.Val) (text string, holes map[string]*prog.Val, ok bool) {
	holes = map[string]*prog.Val{}
	if l, known := evaluate(v); known && l.kind == "text" {
		return l.s, holes, true
	}
	var b strings.Builder
	put := func(v *prog.Val, literalText bool) {
		if l, known := evaluate(v); known {
			if literalText {
				b.WriteString("'" + strings.ReplaceAll(l.text(), "'", "''") + "'")
			} else {
				b.WriteString(l.text())
			}
			return
		}
		name := prog.HoleName(9000 + len(holes))
		holes[name] = v
		b.WriteString(name)
	}
	switch {
	case v.Kind == prog.VConcat:
		for _, o := range v.Of {
			quoted := o.Kind == prog.VApply && o.Str == "quote_literal" && len(o.Of) == 1
			if quoted || o.Kind == prog.VApply && o.Str == "quote_ident" && len(o.Of) == 1 {
				o = o.Of[0]
			}
			put(o, quoted)
		}
	case v.Kind == prog.VApply && v.Str == "format" && len(v.Of) > 0:
		f, isText := v.Of[0].AsText()
		if !isText {
			return "", nil, false
		}
		next := 1
		for i := 0; i < len(f); i++ {
			if f[i] != '%' || i+1 == len(f) {
				b.WriteByte(f[i])
				continue
			}
			i++
			if n, width := position(f[i:]); n > 0 {
				next, i = n, i+width
			}
			switch {
			case f[i] == '%':
				b.WriteByte('%')
			case strings.IndexByte("sIL", f[i]) >= 0 && next < len(v.Of):
				put(v.Of[next], f[i] == 'L')
				next++
			default:
				return "", nil, false
			}
		}
	default:
		return "", nil, false
	}
	return b.String(), holes, true
}

// position reads "n$" before the letter of a place in a format, which picks
// its argument (manual of version 16, section 9.4.1).
func position(f string) (n, width int) {
	i := strings.IndexByte(f, '$')
	if i <= 0 || i+1 >= len(f) {
		return 0, 0
	}
	n, err := strconv.Atoi(f[:i])
	if err != nil || n < 1 {
		return 0, 0
	}
	return n, i + 1
}
