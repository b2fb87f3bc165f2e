package prog

import (
	"math/rand"
	"strconv"
	"strings"
	"testing"
)

// TestCompareAsText holds Compare against the order of the text forms.
func TestCompareAsText(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	strs := []string{"", "a", "a b", "a\"", "a!", "a ", "ab", "\x00", "\x80", "\xe2\x82", "é", "è", "€", "\u2028", "\\", "\n", "s:x", "s:", "_", "ÿ", "\xc3"}
	var value func(depth int) *Val
	value = func(depth int) *Val {
		if depth > 0 && r.Intn(12) == 0 {
			return nil
		}
		v := &Val{Kind: VKind(r.Intn(len(vnames))), Str: strs[r.Intn(len(strs))]}
		if r.Intn(3) > 0 {
			v.Kind = VConcat
		}
		for n := r.Intn(4 - depth); n > 0; n-- {
			v.Of = append(v.Of, value(depth+1))
		}
		return v
	}
	sign := func(n int) int { return min(max(n, -1), 1) }
	equal := 0
	for range 200_000 {
		a, b := value(0), value(0)
		got, want := sign(Compare(a, b)), strings.Compare(a.String(), b.String())
		if got != want {
			t.Fatalf("Compare(%s, %s) = %d, the texts say %d", a, b, got, want)
		}
		if want == 0 {
			equal++
		}
		if (want == 0) != Equal(a, b) {
			t.Fatalf("Equal(%s, %s) = %v", a, b, Equal(a, b))
		}
	}
	if equal == 0 {
		t.Error("no two equal values were met")
	}
}

// TestKindNames: Compare relies on no name of a kind being the start of
// another.
func TestKindNames(t *testing.T) {
	for _, a := range vnames {
		for _, b := range vnames {
			if a != b && strings.HasPrefix(b, a) {
				t.Errorf("%q begins %q", a, b)
			}
		}
	}
}

// TestQuote holds the writer of text forms against strconv.
func TestQuote(t *testing.T) {
	for _, s := range []string{"", "a b", "SELECT 1\n\tFROM \"t\" WHERE a = '\\x'", "\x00", "\x7f", "é", "\xff", "\r\n", "tail\n", "\\"} {
		var b strings.Builder
		quote(&b, s)
		if got, want := b.String(), strconv.Quote(s); got != want {
			t.Errorf("%s is written %s", want, got)
		}
	}
}
