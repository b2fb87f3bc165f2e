package pgsql

import (
	"strconv"
	"strings"
)

// unescape resolves the backslashes of an E'…' string (manual, 4.1.2.2).
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'x':
			i += number(&b, s[i+1:], 16, 2)
		case 'u':
			i += number(&b, s[i+1:], 16, 4)
		case 'U':
			i += number(&b, s[i+1:], 16, 8)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i += number(&b, s[i:], 8, 3) - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// number writes the character whose code starts s, and returns how many
// digits it has.
func number(b *strings.Builder, s string, base, most int) int {
	n := 0
	for n < len(s) && n < most {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	v, err := strconv.ParseUint(s[:n], base, 32)
	switch {
	case err != nil:
	case most <= 3:
		b.WriteByte(byte(v))
	default:
		b.WriteRune(rune(v))
	}
	return n
}
