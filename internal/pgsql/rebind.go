package pgsql

import (
	"strconv"
	"strings"
)

// Rebind numbers the placeholders that drivers and psql replace before the
// server sees a statement: ?, :name, :'name' and @name become $n, one n a
// name. Operators that hold a question mark or an at sign, and slices of
// arrays, stay.
func Rebind(text string) string {
	toks, _ := Scan(text)
	bound, _ := rebind(text, toks)
	return bound
}

// afterWords are the keywords that an operand follows.
var afterWords = func() map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(`select where and or not when then else case limit offset
		fetch first next returning on having using distinct all any some in like ilike to between
		symmetric values set by from escape interval as is default execute call zone array similar
		exists within filter over perform return`) {
		m[w] = true
	}
	return m
}()

type rebinder struct {
	text  string
	out   strings.Builder
	done  int // bytes of text already in out
	last  int // highest number in use
	names []string
	known map[string]int
}

func rebind(text string, toks []Token) (string, []string) {
	if !strings.ContainsAny(text, "?:@") {
		return text, nil
	}
	r := rebinder{text: text, known: make(map[string]int)}
	for _, t := range toks {
		if t.Kind == Parm {
			if n, err := strconv.Atoi(t.Text[1:]); err == nil && n <= 1<<16 {
				r.last = max(r.last, n)
			}
		}
	}
	r.names = make([]string, r.last)
	var prev Token
	var brackets []string
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.Kind == Comment {
			continue
		}
		switch {
		case t.Is("(") || t.Is("["):
			brackets = append(brackets, t.Text)
		case (t.Is(")") || t.Is("]")) && len(brackets) > 0:
			brackets = brackets[:len(brackets)-1]
		case t.Kind == Operator:
			if r.operator(prev, t, toks[i+1:]) {
				i++
			}
		case t.Is(":") && i+1 < len(toks) && toks[i+1].Start == t.End:
			slice := len(brackets) > 0 && brackets[len(brackets)-1] == "["
			if !slice && r.colon(t, toks[i+1]) {
				i++
			}
		}
		prev = toks[i]
	}
	if r.done == 0 {
		return text, nil
	}
	r.out.WriteString(text[r.done:])
	return r.out.String(), r.names
}

// operator handles a token that is, ends in or starts with a placeholder,
// and reports whether it took the next token too.
func (r *rebinder) operator(prev, t Token, rest []Token) bool {
	named := len(rest) > 0 && rest[0].Start == t.End && rest[0].Kind == Word
	const plain = "=<>!+-*/%|"
	head := t.Text[:len(t.Text)-1]
	operand := expectsOperand(prev)
	switch {
	case operand && t.Text == "@" && named:
		r.replace(t.Start, rest[0].End, rest[0].Text)
		return true
	case operand && t.Text[0] == '?' && strings.Trim(t.Text[1:], plain) == "":
		r.replace(t.Start, t.Start+1, "")
	case head != "" && strings.Trim(head, plain) == "" && strings.HasSuffix(t.Text, "?"):
		r.replace(t.End-1, t.End, "")
	case head != "" && strings.Trim(head, plain) == "" && strings.HasSuffix(t.Text, "@") && named:
		r.replace(t.End-1, rest[0].End, rest[0].Text)
		return true
	}
	return false
}

func (r *rebinder) colon(t, name Token) bool {
	switch name.Kind {
	case Word:
		r.replace(t.Start, name.End, name.Text)
	case Literal:
		r.replace(t.Start, name.End, name.Value())
	default:
		return false
	}
	return true
}

func (r *rebinder) replace(start, end int, name string) {
	n := r.known[name]
	if name == "" || n == 0 {
		r.last++
		n = r.last
		r.names = append(r.names, name)
		r.known[name] = n
	}
	r.out.WriteString(r.text[r.done:start])
	if start > 0 && isIdent(r.text[start-1]) {
		r.out.WriteByte(' ')
	}
	r.out.WriteString("$" + strconv.Itoa(n))
	if end < len(r.text) && isIdent(r.text[end]) {
		r.out.WriteByte(' ')
	}
	r.done = end
}

// expectsOperand reports whether an operand, not an operator, follows prev.
func expectsOperand(prev Token) bool {
	switch prev.Kind {
	case Operator:
		return true
	case Punct:
		return prev.Text != ")" && prev.Text != "]" && prev.Text != "." && prev.Text != "::"
	case Word:
		return afterWords[strings.ToLower(prev.Text)]
	}
	return prev.Kind == 0
}
