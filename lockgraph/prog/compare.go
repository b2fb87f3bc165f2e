package prog

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Compare orders values as their text forms are ordered, without making
// them: it returns what strings.Compare(a.String(), b.String()) does.
func Compare(a, b *Val) int { return compare(a, b, true) }

// compare compares two values that start at the same place of two texts that
// were equal so far; last says that nothing follows them there.
func compare(a, b *Val, last bool) int {
	if a == b {
		return 0
	}
	if a == nil || b == nil || a.Kind != b.Kind {
		return strings.Compare(kindText(a), kindText(b)) // no name of a kind begins another one
	}
	if a.Str != b.Str {
		switch {
		case a.Str == "":
			return afterKind(a, last)
		case b.Str == "":
			return -afterKind(b, last)
		}
		return compareQuoted(a.Str, b.Str)
	}
	n := min(len(a.Of), len(b.Of))
	for i := range n {
		if c := compare(a.Of[i], b.Of[i], false); c != 0 {
			return c
		}
	}
	switch {
	case len(a.Of) == len(b.Of):
		return 0
	case n > 0: // ")" against ", "
		return len(a.Of) - len(b.Of)
	case last: // the end against "("
		return len(a.Of) - len(b.Of)
	}
	return len(b.Of) - len(a.Of) // ")" or ", " against "("
}

// afterKind compares what follows the kind of v, whose Str is empty, with the
// space before a Str.
func afterKind(v *Val, last bool) int {
	if last && len(v.Of) == 0 {
		return -1
	}
	return 1
}

func kindText(v *Val) string {
	if v == nil {
		return "_"
	}
	return v.Kind.String()
}

// compareQuoted compares a and b, which differ, as strconv.Quote writes them.
func compareQuoted(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && (i < len(a) && !utf8.RuneStart(a[i]) || i < len(b) && !utf8.RuneStart(b[i])) { // the rune that differs
		i--
	}
	return strings.Compare(quotedRune(a[i:]), quotedRune(b[i:]))
}

// quotedRune returns the first rune of s as strconv.Quote writes it, or the
// quote that ends it.
func quotedRune(s string) string {
	if s == "" {
		return `"`
	}
	if c := s[0]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
		return s[:1]
	}
	_, n := utf8.DecodeRuneInString(s)
	if q := strconv.Quote(s[:n]); len(q) > 2 {
		return q[1 : len(q)-1]
	}
	return s[:n]
}
