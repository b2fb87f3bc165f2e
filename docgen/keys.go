package docgen

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// keys writes how advisory keys are made and which of them can meet.
func (b *book) keys() string {
	ds := lockgraph.KeyWays(b.m.Classes)
	if len(ds) == 0 {
		return wrap("No advisory lock is taken, so no key is built.", "", "")
	}
	var w strings.Builder
	lead := "PostgreSQL knows an advisory lock by a number, a `bigint` or a pair of `int4`; the two spaces never meet. "
	if len(ds) == 1 {
		lead += "All keys here are built in one way."
	} else {
		lead += "Keys here are built in " + plural(len(ds), "way", "ways") + "."
	}
	w.WriteString(wrap(lead, "", "") + "\n")
	for i, d := range ds {
		var names []string
		for _, c := range b.family(lockgraph.Advisory) {
			if slices.ContainsFunc(d.Classes, func(o *lockgraph.Class) bool { return o.ID == c.ID }) {
				names = append(names, b.the(c.ID))
			}
		}
		text := "**" + d.Title + ".** Serves " + list(names, maxPlaces) + "."
		if say := birthday(d.Classes[0].Key); say != "" {
			text += " " + say
		}
		n := fmt.Sprintf("%d. ", i+1)
		w.WriteString(wrap(text, n, strings.Repeat(" ", len(n))))
	}
	w.WriteString("\n" + b.meetings())
	return w.String()
}

// birthday estimates how many hashed values it takes for a collision: two of
// n values meet with probability about n²/2^(bits+1).
func birthday(k *lockgraph.Key) string {
	if k.Constant != "" {
		return ""
	}
	switch k.Derivation {
	case "hashtext", "hashtextextended", "go-hash", "server-hash":
	default:
		return ""
	}
	bits := k.Bits
	if bits == 0 && k.Derivation == "hashtext" {
		bits = 32
	}
	if bits == 0 {
		return ""
	}
	n := math.Sqrt(0.01 * math.Pow(2, float64(bits+1)))
	say := fmt.Sprintf("Two of *n* values share a key with probability about *n*²/2%s, which is 1 %% at about %s values", superscript(bits+1), round(n))
	if bits <= 32 {
		return say + "; values that do wait for each other without need."
	}
	return say + "."
}

func superscript(n int) string {
	return strings.Map(func(r rune) rune { return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0'] }, strconv.Itoa(n))
}

// round writes a number with two digits that count.
func round(f float64) string {
	if f < 10 {
		return fmt.Sprintf("%.0f", f)
	}
	unit := math.Pow(10, math.Floor(math.Log10(f))-1)
	n := int(math.Round(f/unit) * unit)
	switch {
	case n >= 1_000_000_000:
		return fmt.Sprintf("%.1f billion", float64(n)/1e9)
	case n >= 1_000_000:
		return fmt.Sprintf("%d million", n/1_000_000)
	}
	return thousands(n)
}

var int4 = [2]*big.Int{big.NewInt(math.MinInt32), big.NewInt(math.MaxInt32)}

// meetings says which classes can have a key in common.
func (b *book) meetings() string {
	var lines []string
	cs := b.family(lockgraph.Advisory)
	cs = slices.DeleteFunc(cs, func(c *lockgraph.Class) bool { return c.Key == nil })
	reasons := map[string][]string{}
	for i, x := range cs {
		for _, y := range cs[i+1:] {
			if why := meet(x.Key, y.Key); why != "" {
				for _, c := range []*lockgraph.Class{x, y} {
					if !slices.Contains(reasons[why], b.the(c.ID)) {
						reasons[why] = append(reasons[why], b.the(c.ID))
					}
				}
			}
		}
	}
	for _, why := range sortedKeys(reasons) {
		names := reasons[why]
		slices.Sort(names)
		lines = append(lines, wrap(sentence(list(names, maxPlaces)+" "+why[1:]), "- ", "  "))
	}
	if len(lines) == 0 {
		if len(cs) == 1 {
			return wrap("There is one class, so nothing else can have its keys.", "", "")
		}
		return wrap("No two classes share keys by construction; two 64-bit hashes meet by chance only.", "", "")
	}
	return "What can meet what:\n\n" + strings.Join(lines, "")
}

// meet tells why two classes can have equal keys, "" when they cannot or
// only by the chance of a 64-bit hash. The leading digit sorts the reasons.
func meet(x, y *lockgraph.Key) string {
	if x.Space != y.Space {
		return ""
	}
	if x.Derivation == "unknown" || y.Derivation == "unknown" {
		return "9lie in one space, and how one of them is built is not known."
	}
	if x.Constant != "" && y.Constant != "" {
		if x.Constant == y.Constant {
			return "0have the same key " + code(x.Constant) + ": one waits for the other."
		}
		return ""
	}
	if x.Space == "int4x2" {
		return meetPairs(x, y)
	}
	if x.Derivation == y.Derivation && x.Hash == y.Hash && x.Constant == "" && y.Constant == "" {
		switch {
		case x.Derivation == "plain":
			return "1use ids as they are: equal ids are one lock."
		case !x.Prefixed && !y.Prefixed:
			return "1hash bare values in one way: equal values are one lock."
		case x.Prefix == "" && y.Prefix == "" && endsApart(x.Expr, y.Expr):
			return ""
		case x.Prefix == "" && y.Prefix == "":
			return "1hash strings that nothing keeps apart."
		case x.Prefix == y.Prefix:
			return "1hash strings with the same prefix " + code(x.Prefix) + "."
		}
	}
	sx, sy := span(x), span(y)
	if sx == nil || sy == nil || sx[1].Cmp(sy[0]) < 0 || sy[1].Cmp(sx[0]) < 0 {
		return ""
	}
	return "2lie in one range of numbers, so a key of one can be a key of another."
}

// lastText matches the fixed text at the end of what is hashed.
var lastText = lazyregexp.New(`'([^']*)'[^'|$]*$`)

// endsApart reports whether two expressions hash strings that end in other
// fixed texts, so that they are never equal.
func endsApart(x, y string) bool {
	a, b := lastText.FindStringSubmatch(x), lastText.FindStringSubmatch(y)
	return a != nil && b != nil && !strings.HasSuffix(a[1], b[1]) && !strings.HasSuffix(b[1], a[1])
}

func meetPairs(x, y *lockgraph.Key) string {
	if len(x.Parts) != 2 || len(y.Parts) != 2 {
		return "2are pairs of `int4` that nothing keeps apart."
	}
	if x.Prefixed && y.Prefixed && x.Parts[0] != y.Parts[0] {
		return ""
	}
	if x.Prefixed && y.Prefixed {
		return "1are pairs with the same first half " + code(x.Parts[0]) + "."
	}
	return "2are pairs of `int4` that nothing keeps apart."
}

// span is the range a key lies in, nil for a hash over the whole space,
// which any other key meets by chance only.
func span(k *lockgraph.Key) *[2]*big.Int {
	if k.Constant != "" {
		if k.Derivation == "hashtextextended" || k.Derivation == "go-hash" && k.Bits != 32 {
			return nil
		}
		if n, ok := new(big.Int).SetString(k.Constant, 10); ok {
			return &[2]*big.Int{n, n}
		}
		return nil
	}
	switch {
	case k.Derivation == "hashtext" || k.Bits > 0 && k.Bits <= 32:
		return &int4
	case k.Derivation == "plain":
		// An id is a number that counts up from one.
		return &[2]*big.Int{big.NewInt(0), big.NewInt(math.MaxInt64)}
	}
	return nil
}
