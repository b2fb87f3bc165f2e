package locks

import (
	"errors"
	"fmt"
	"strings"
)

// An OrderTextError is a fault in the text of an order.
type OrderTextError struct {
	Line, Col int
	Msg       string
}

func (e *OrderTextError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }

// ParseOrder reads the text of an order, in the form that pglockdep.yaml has
// it; see Order. It goes on after a fault with the next statement; the error
// joins an *OrderTextError for each.
func ParseOrder(text string) (*Order, error) {
	p := &orderParser{o: &Order{index: map[string]int{}, nests: map[string]string{}, denied: map[[2]string]string{}}}
	p.scan(text)
	for p.at < len(p.tokens) {
		p.statement()
	}
	for _, d := range p.denials {
		if p.o.Less(d.a, d.b) {
			p.fail(d.at, fmt.Sprintf("%s !< %s contradicts %s", d.a, d.b, strings.Join(p.o.Chain(d.a, d.b), " < ")))
		}
	}
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return p.o, nil
}

type orderToken struct {
	kind      byte // n name, '<', '!', ',', ';', '#' comment
	text      string
	line, col int
}

type denial struct {
	a, b string
	at   orderToken
}

type orderParser struct {
	o       *Order
	tokens  []orderToken
	at      int
	errs    []error
	denials []denial
}

func (p *orderParser) fail(t orderToken, msg string) {
	p.errs = append(p.errs, &OrderTextError{t.line, t.col, msg})
}

// scan splits the text into tokens. Words on one line make one name.
func (p *orderParser) scan(text string) {
	for n, line := range strings.Split(text, "\n") {
		runes := []rune(strings.TrimSuffix(line, "\r"))
		for i := 0; i < len(runes); {
			t := orderToken{line: n + 1, col: i + 1}
			switch c := runes[i]; {
			case c == ' ' || c == '\t':
				i++
				continue
			case c == '#':
				t.kind, t.text = '#', strings.TrimSpace(string(runes[i+1:]))
				i = len(runes)
			case c == '<' || c == ',' || c == ';':
				t.kind = byte(c)
				i++
			case c == '!' && i+1 < len(runes) && runes[i+1] == '<':
				t.kind = '!'
				i += 2
			default:
				t.kind = 'n'
				t.text, i = p.name(runes, i, t)
			}
			p.tokens = append(p.tokens, t)
		}
	}
}

func (p *orderParser) name(runes []rune, i int, at orderToken) (string, int) {
	var b strings.Builder
	quoted := false
	for ; i < len(runes); i++ {
		c := runes[i]
		if c == '"' {
			quoted = !quoted
			continue
		}
		if !quoted && (strings.ContainsRune("<,;#", c) || c == '!' && i+1 < len(runes) && runes[i+1] == '<') {
			break
		}
		b.WriteRune(c)
	}
	if quoted {
		p.fail(at, "quote is not closed")
	}
	return strings.Join(strings.Fields(b.String()), " "), i
}

// statement reads lists joined by operators up to ";", and the comment that
// stands in it or behind it on its last line.
func (p *orderParser) statement() {
	var lists [][]orderToken
	var ops []orderToken
	var reasons []string
	var list []orderToken
	wantName := true
	faults := len(p.errs)
	var last orderToken
	for ; p.at < len(p.tokens); p.at++ {
		t := p.tokens[p.at]
		if t.kind == '#' {
			if len(list) > 0 || len(lists) > 0 {
				reasons = append(reasons, t.text)
			}
			continue
		}
		last = t
		if t.kind == 'n' != wantName {
			p.fail(t, unexpected(t, wantName))
			p.skip()
			return
		}
		wantName = !wantName
		switch t.kind {
		case 'n':
			list = append(list, t)
		case '<', '!':
			lists, ops, list = append(lists, list), append(ops, t), nil
		case ';':
			p.at++
			for p.at < len(p.tokens) && p.tokens[p.at].kind == '#' && p.tokens[p.at].line == t.line {
				reasons = append(reasons, p.tokens[p.at].text)
				p.at++
			}
			if len(ops) == 0 {
				p.fail(list[0], fmt.Sprintf("%s alone says nothing, expected < or !<", list[0].text))
			}
			if len(p.errs) == faults {
				p.relate(append(lists, list), ops, strings.Join(reasons, " "))
			}
			return
		}
	}
	if last.kind != 0 {
		p.fail(last, "missing ; at the end of the text")
	}
}

func unexpected(t orderToken, wantName bool) string {
	switch {
	case t.kind == 'n':
		return fmt.Sprintf("unexpected %q: a name goes no further than its line, expected <, !<, a comma or ;", t.text)
	case wantName && t.kind == '!':
		return `unexpected "!<", expected a name`
	}
	return fmt.Sprintf("unexpected %q, expected a name", string(rune(t.kind)))
}

// skip goes on behind the next ";".
func (p *orderParser) skip() {
	for ; p.at < len(p.tokens); p.at++ {
		if p.tokens[p.at].kind == ';' {
			p.at++
			return
		}
	}
}

func (p *orderParser) relate(lists [][]orderToken, ops []orderToken, reason string) {
	for _, l := range lists {
		for _, t := range l {
			p.o.place(t.text)
		}
	}
	for i, op := range ops {
		for _, a := range lists[i] {
			for _, b := range lists[i+1] {
				p.pair(a, op, b, reason)
			}
		}
	}
}

func (p *orderParser) pair(a, op, b orderToken, reason string) {
	switch {
	case op.kind == '!':
		if a.text == b.text {
			p.fail(op, fmt.Sprintf("%s !< %s: a name never comes before itself", a.text, b.text))
			return
		}
		p.o.denied[[2]string{a.text, b.text}] = reason
		p.denials = append(p.denials, denial{a.text, b.text, op})
	case a.text == b.text:
		if reason == "" {
			p.fail(op, fmt.Sprintf("%s < %s permits nesting and needs a reason after #", a.text, b.text))
			return
		}
		p.o.nests[a.text] = reason
	case p.o.Less(b.text, a.text):
		p.fail(op, fmt.Sprintf("%s < %s contradicts %s", a.text, b.text, strings.Join(p.o.Chain(b.text, a.text), " < ")))
	default:
		p.o.pairs = append(p.o.pairs, orderPair{a.text, b.text, reason, op.line})
		p.o.relate(a.text, b.text)
	}
}

func (o *Order) place(name string) {
	if _, ok := o.index[name]; ok {
		return
	}
	o.index[name] = len(o.names)
	o.names = append(o.names, name)
	for i := range o.less {
		o.less[i] = append(o.less[i], false)
	}
	o.less = append(o.less, make([]bool, len(o.names)))
}

// relate adds a < b and all that follows from it.
func (o *Order) relate(a, b string) {
	x, y := o.index[a], o.index[b]
	if o.less[x][y] {
		return
	}
	for i := range o.less {
		if i != x && !o.less[i][x] {
			continue
		}
		o.less[i][y] = true
		for j := range o.less {
			if o.less[y][j] {
				o.less[i][j] = true
			}
		}
	}
}
