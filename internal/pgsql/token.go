package pgsql

import (
	"strings"
	"unicode/utf8"
)

// A Kind tells what a Token is.
type Kind uint8

// The kinds of tokens.
const (
	Word     Kind = iota + 1 // identifier or keyword, without quotes
	Quoted                   // "identifier"
	Literal                  // '…', E'…', U&'…', N'…', $$…$$
	Bits                     // B'…', X'…'
	Number                   // 1, 1.5, 0x1F
	Parm                     // $1
	Operator                 // + || <= …
	Punct                    // ( ) [ ] , ; . : :: := .. => and a lone backslash
	Comment
)

// A Token is a lexical unit of SQL, with its place in bytes.
type Token struct {
	Kind       Kind
	Text       string // as written
	Start, End int
	Keyword    bool // an unquoted word that is a keyword of the grammar
	Open       bool // a quote or comment that never ends
}

// Is reports whether the token is the unquoted word or the mark s, which is
// given in lower case.
func (t Token) Is(s string) bool {
	switch t.Kind {
	case Word:
		return len(t.Text) == len(s) && strings.EqualFold(t.Text, s)
	case Operator, Punct:
		return t.Text == s
	}
	return false
}

// Name is the name an identifier stands for: lower case unless quoted.
func (t Token) Name() string {
	switch t.Kind {
	case Word:
		return strings.ToLower(t.Text)
	case Quoted:
		s := t.Text
		if i := strings.IndexByte(s, '"'); i >= 0 {
			s = s[i+1:]
		}
		return strings.ReplaceAll(strings.TrimSuffix(s, `"`), `""`, `"`)
	}
	return t.Text
}

// Value is what a string token denotes, without quotes; escapes of E'…' are
// resolved.
func (t Token) Value() string {
	if t.Kind != Literal {
		return t.Text
	}
	s := t.Text
	if strings.HasPrefix(s, "$") {
		n := strings.IndexByte(s[1:], '$') + 2
		return strings.TrimSuffix(s[n:], s[:n])
	}
	i := strings.IndexByte(s, '\'')
	prefix := strings.ToLower(s[:i])
	s = join(strings.TrimSuffix(s[i+1:], "'"), prefix == "e")
	if prefix == "e" {
		s = unescape(s)
	}
	return s
}

// join makes one quote of two and drops the gaps between continued parts.
func join(s string, escapes bool) string {
	if strings.IndexByte(s, '\'') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\' && i+1 < len(s):
			b.WriteString(s[i : i+2])
			i++
		case s[i] != '\'':
			b.WriteByte(s[i])
		default:
			if n := continued(s[i+1:]); n > 0 {
				i += n
				continue
			}
			b.WriteByte('\'')
			i++
		}
	}
	return b.String()
}

// ValueStart is the offset in the input of the first byte of a string's
// value.
func (t Token) ValueStart() int {
	if strings.HasPrefix(t.Text, "$") {
		return t.Start + strings.IndexByte(t.Text[1:], '$') + 2
	}
	return t.Start + strings.IndexByte(t.Text, '\'') + 1
}

// Scan splits text into tokens, comments included. The error tells of the
// first quote or comment that never ends; the tokens are all there even
// then.
func Scan(text string) ([]Token, error) { return scan(nil, text) }

// scan is Scan that adds to toks.
func scan(toks []Token, text string) ([]Token, error) {
	var err error
	for l := (lexer{s: text}); ; {
		t, ok := l.next()
		if !ok {
			return toks, err
		}
		if t.Open && err == nil {
			err = errorAt(text, t.Start, "unterminated "+t.what())
		}
		toks = append(toks, t)
	}
}

func (t Token) what() string {
	switch {
	case t.Kind == Comment:
		return "comment"
	case t.Kind == Quoted:
		return "quoted identifier"
	case strings.HasPrefix(t.Text, "$"):
		return "dollar-quoted string"
	}
	return "quoted string"
}

// A lexer follows the lexical rules of PostgreSQL 16 (manual, 4.1) with
// standard_conforming_strings on, but never stops at an error.
type lexer struct {
	s     string
	pos   int
	plain bool // which words are keywords is not asked
}

func (l *lexer) next() (Token, bool) {
	s, i := l.s, l.pos
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	if i >= len(s) {
		l.pos = i
		return Token{}, false
	}
	t := Token{Start: i}
	t.Kind, t.End, t.Open = lexOne(s, i)
	t.Text = s[i:t.End]
	if t.Kind == Word && !l.plain {
		_, t.Keyword = keyword(t.Text)
	}
	l.pos = t.End
	return t, true
}

func lexOne(s string, i int) (k Kind, end int, open bool) {
	c := s[i]
	switch {
	case isIdentStart(c):
		if k, end, open, ok := lexPrefixed(s, i); ok {
			return k, end, open
		}
		j := i + 1
		for j < len(s) && isIdent(s[j]) {
			j++
		}
		return Word, j, false
	case isDigit(c), c == '.' && i+1 < len(s) && isDigit(s[i+1]):
		return Number, lexNumber(s, i), false
	case c == '\'':
		end, open = lexQuote(s, i, '\'', false)
		return Literal, end, open
	case c == '"':
		end, open = lexQuote(s, i, '"', false)
		return Quoted, end, open
	case c == '$':
		return lexDollar(s, i)
	case c == '-' && strings.HasPrefix(s[i:], "--"):
		if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
			return Comment, i + n, false
		}
		return Comment, len(s), false
	case c == '/' && strings.HasPrefix(s[i:], "/*"):
		end, open = lexComment(s, i)
		return Comment, end, open
	case isOperator(c):
		return lexOperator(s, i)
	case c == ':' && i+1 < len(s) && (s[i+1] == ':' || s[i+1] == '='), strings.HasPrefix(s[i:], ".."):
		return Punct, i + 2, false
	case c < utf8.RuneSelf:
		return Punct, i + 1, false
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return Punct, i + n, false
}

// lexPrefixed reads E'…', U&'…', U&"…", N'…', B'…' and X'…'.
func lexPrefixed(s string, i int) (k Kind, end int, open, ok bool) {
	if i+1 >= len(s) {
		return
	}
	c := s[i] | 0x20
	switch {
	case s[i+1] == '\'' && (c == 'e' || c == 'n'):
		end, open = lexQuote(s, i+1, '\'', c == 'e')
		return Literal, end, open, true
	case s[i+1] == '\'' && (c == 'b' || c == 'x'):
		end, open = lexQuote(s, i+1, '\'', false)
		return Bits, end, open, true
	case c == 'u' && s[i+1] == '&' && i+2 < len(s) && (s[i+2] == '\'' || s[i+2] == '"'):
		end, open = lexQuote(s, i+2, s[i+2], false)
		if s[i+2] == '"' {
			return Quoted, end, open, true
		}
		return Literal, end, open, true
	}
	return
}

func lexQuote(s string, i int, q byte, escapes bool) (end int, open bool) {
	for j := i + 1; j < len(s); j++ {
		switch {
		case escapes && s[j] == '\\':
			j++
		case s[j] == q:
			if j+1 < len(s) && s[j+1] == q {
				j++
				continue
			}
			if n := continued(s[j+1:]); q == '\'' && n > 0 {
				j += n
				continue
			}
			return j + 1, false
		}
	}
	return len(s), true
}

// continued is the length of white space with a line end, and of the quote
// after it, by which one literal goes on on another line; 0 when it does not.
func continued(s string) int {
	n := len(s) - len(strings.TrimLeft(s, " \t\r\n\f\v"))
	if n < len(s) && s[n] == '\'' && strings.ContainsAny(s[:n], "\r\n") {
		return n + 1
	}
	return 0
}

func lexDollar(s string, i int) (Kind, int, bool) {
	j := i + 1
	for j < len(s) && isDigit(s[j]) {
		j++
	}
	if j > i+1 {
		return Parm, j, false
	}
	if j < len(s) && isIdentStart(s[j]) {
		for j < len(s) && (isIdentStart(s[j]) || isDigit(s[j])) {
			j++
		}
	}
	if j >= len(s) || s[j] != '$' {
		return Punct, i + 1, false
	}
	tag := s[i : j+1]
	n := strings.Index(s[j+1:], tag)
	if n < 0 {
		return Literal, len(s), true
	}
	return Literal, j + 1 + n + len(tag), false
}

func lexComment(s string, i int) (end int, open bool) {
	depth := 0
	for j := i; j+1 < len(s); j++ {
		switch {
		case s[j] == '/' && s[j+1] == '*':
			depth++
			j++
		case s[j] == '*' && s[j+1] == '/':
			depth--
			j++
			if depth == 0 {
				return j + 1, false
			}
		}
	}
	return len(s), true
}

func lexOperator(s string, i int) (Kind, int, bool) {
	j := i
	for j < len(s) && isOperator(s[j]) {
		if j > i && (strings.HasPrefix(s[j:], "--") || strings.HasPrefix(s[j:], "/*")) {
			break
		}
		j++
	}
	if s[i:j] == "=>" {
		return Punct, j, false
	}
	// An operator may end in + or - only when it holds one of these.
	if !strings.ContainsAny(s[i:j], "~!@#^&|`?%") {
		for j > i+1 && (s[j-1] == '+' || s[j-1] == '-') {
			j--
		}
	}
	return Operator, j, false
}

func lexNumber(s string, i int) int {
	digits := func(j int, ok func(byte) bool) int {
		for j < len(s) && (ok(s[j]) || s[j] == '_' && j+1 < len(s) && ok(s[j+1])) {
			j++
		}
		return j
	}
	if s[i] == '0' && i+2 < len(s) {
		switch s[i+1] | 0x20 {
		case 'x':
			if isHex(s[i+2]) || s[i+2] == '_' {
				return digits(i+2, isHex)
			}
		case 'o', 'b':
			if isDigit(s[i+2]) || s[i+2] == '_' {
				return digits(i+2, isDigit)
			}
		}
	}
	j := digits(i, isDigit)
	if j < len(s) && s[j] == '.' && !strings.HasPrefix(s[j:], "..") {
		j = digits(j+1, isDigit)
	}
	if j < len(s) && s[j]|0x20 == 'e' {
		k := j + 1
		if k < len(s) && (s[k] == '+' || s[k] == '-') {
			k++
		}
		if k < len(s) && isDigit(s[k]) {
			j = digits(k, isDigit)
		}
	}
	return j
}

func keyword(word string) (class, bool) {
	var lower [20]byte
	if len(word) > len(lower) {
		return 0, false
	}
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	c, ok := keywords[string(lower[:len(word)])]
	return c, ok
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isHex(c byte) bool   { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
func isIdentStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= utf8.RuneSelf
}
func isIdent(c byte) bool { return isIdentStart(c) || isDigit(c) || c == '$' }
func isOperator(c byte) bool {
	return strings.IndexByte("~!@#^&|`?+-*/%<>=", c) >= 0
}
