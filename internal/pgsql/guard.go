package pgsql

import (
	"strings"
	"unicode/utf8"
)

// Limits before the C parser. Long left-recursive chains overflow its stack,
// which cannot be recovered from: the smallest chain seen to kill a process
// with a small stack is about 2,000 long.
const (
	maxBytes = 4 << 20
	maxDepth = 1000
)

// guard tells why the parser must not see the text, or nil.
func guard(text string, toks []Token) *Error {
	if len(text) > maxBytes {
		return errorAt(text, 0, "statement is larger than 4 MiB")
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return errorAt(text, i, "NUL byte in statement")
	}
	if !utf8.ValidString(text) {
		return errorAt(text, invalidAt(text), "invalid UTF-8 in statement")
	}
	var d depth
	for _, t := range toks {
		if d.add(t); d.max() > maxDepth {
			return errorAt(text, t.Start, "statement is too deep (over 1000 nested or chained parts)")
		}
	}
	return nil
}

func invalidAt(text string) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(text)
}

// A depth follows how deep a statement's tree can be at most. Lists and
// chains of AND and OR are flat in the tree, so their separators start an
// expression anew; set operations and joins outlive them.
type depth struct {
	levels []level // open brackets and CASEs
	cur    level
	below  int // what the levels sum up to
}

type level struct {
	closer     string
	expr, join int
}

func (d *depth) max() int { return d.below + d.cur.expr + d.cur.join }

func (d *depth) push(closer string) {
	d.levels = append(d.levels, d.cur)
	d.below += d.cur.expr + d.cur.join + 1
	d.cur = level{closer: closer}
}

func (d *depth) pop(closer string) {
	if d.cur.closer != closer || len(d.levels) == 0 {
		return
	}
	d.cur = d.levels[len(d.levels)-1]
	d.levels = d.levels[:len(d.levels)-1]
	d.below -= d.cur.expr + d.cur.join + 1
}

func (d *depth) add(t Token) {
	switch t.Kind {
	case Operator:
		d.cur.expr++
	case Punct:
		switch t.Text {
		case "(":
			d.push(")")
		case "[":
			d.push("]")
		case ")", "]":
			d.pop(t.Text)
		case ",":
			d.cur.expr = 0
		case ";":
			*d = depth{levels: d.levels[:0]}
		case "::":
			d.cur.expr++
		}
	case Word:
		if t.Keyword {
			d.word(strings.ToLower(t.Text))
		}
	}
}

func (d *depth) word(w string) {
	switch w {
	case "case":
		d.push("end")
	case "end":
		d.pop("end")
	case "and", "or", "when", "then", "else":
		d.cur.expr = 0
	case "union", "intersect", "except", "join":
		d.cur.join++
	case "not", "is", "isnull", "notnull", "in", "like", "ilike", "similar", "between",
		"overlaps", "collate", "at", "operator":
		d.cur.expr++
	}
}
