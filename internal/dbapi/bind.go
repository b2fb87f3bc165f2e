package dbapi

import (
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
)

// An Arg is one argument of a builder step, as far as it is known.
type Arg struct {
	Text  string // Known: the constant; of a text with unknown identifiers, the text with the caller's hole names in it
	Known bool   // Text is the whole value
	Name  string // of the field that the value is read from
	Type  string // Go type of the value
	List  []Arg  // elements of a slice literal, or arguments of Call; nil: not known
	Call  string // full symbol of the function that made the value: "gorm.io/gorm.Expr"
	Chain []Step // the value is a chain: sub-query, group of conditions, what a scope adds
	Model *Model // the struct that a model argument points to
	Table string // the model's table when it is known and Model is not
	Key   int    // Ref of the model's primary key value, 0 not known
	// Fields are the entries of a composite literal: fields of a struct by Go
	// name, entries of a map by key. Not nil but empty: a literal without any.
	Fields map[string]Arg
	// Same are the fields that hold what the row was read with: writing them
	// changes nothing.
	Same map[string]bool
	Ref  int // the caller's name for the value, rendered as $n; 0: the value is not known
}

// A Step is one call of a builder chain, oldest first. Args leaves the
// receiver and a context out.
type Step struct {
	Method string
	Args   []Arg
	Lib    string // the library, "" that of the chain around it
}

// A writer makes text and remembers what its parameters stand for.
type writer struct {
	lib  string // of the whole chain
	refs []int
	why  []string
	open string // of why: the first that could lock
}

// note records why the text says less than the program does.
func (w *writer) note(why string) {
	for _, o := range w.why {
		if o == why {
			return
		}
	}
	w.why = append(w.why, why)
}

// couldLock records that what the text does not say of the program could lock.
func (w *writer) couldLock(why string) {
	w.note(why)
	if w.open == "" {
		w.open = why
	}
}

// ref returns a parameter for the value ref.
func (w *writer) ref(ref int) string {
	w.refs = append(w.refs, ref)
	return "$" + strconv.Itoa(len(w.refs))
}

// value returns a as SQL: a parameter, a literal, an expression, a sub-query.
func (w *writer) value(a Arg) string {
	switch {
	case exprCalls[a.Call]:
		return w.expr(a)
	case identTypes[a.Type] && a.Known:
		return ident(a.Text)
	case safeTypes[a.Type] && a.Known:
		return a.Text
	case len(a.Chain) > 0:
		return "(" + w.subquery(a.Chain) + ")"
	case a.isNil():
		return "NULL"
	case a.Ref == 0 && a.Known:
		return literal(a)
	}
	return w.ref(a.Ref)
}

// isNil reports a value that is nil in the source.
func (a Arg) isNil() bool {
	return a.Ref == 0 && a.Known && a.Text == "nil" && a.Type == "untyped nil"
}

// expr returns the text of an expression value: a call such as
// gorm.Expr(text, args…) or the literal of its type.
func (w *writer) expr(a Arg) string {
	if len(a.List) == 0 || !a.List[0].Known {
		w.note("expression not known")
		return w.ref(0)
	}
	return w.bind(a.List[0].Text, exprStyle(a.Call), a.List[1:])
}

// exprCalls are the functions whose value is SQL text with parameters.
var exprCalls = map[string]bool{
	"gorm.io/gorm.Expr": true, "github.com/Masterminds/squirrel.Expr": true, "github.com/uptrace/bun.SafeQuery": true,
	"github.com/go-pg/pg/v10.SafeQuery": true, "github.com/doug-martin/goqu/v9.L": true, "github.com/doug-martin/goqu/v9.Literal": true,
}

// identTypes are texts that name something, safeTypes those that stand in a
// statement as they are.
var (
	identTypes = map[string]bool{"github.com/uptrace/bun/schema.Ident": true, "github.com/uptrace/bun/schema.Name": true, "github.com/go-pg/pg/v10/types.Ident": true}
	safeTypes  = map[string]bool{"github.com/uptrace/bun/schema.Safe": true, "github.com/go-pg/pg/v10/types.Safe": true}
)

// Verbatim reports whether text of the type is no parameter of a statement
// but a part of it.
func Verbatim(typ string) bool { return identTypes[typ] || safeTypes[typ] }

func exprStyle(call string) string {
	switch call {
	case "github.com/uptrace/bun.SafeQuery", "github.com/go-pg/pg/v10.SafeQuery":
		return "bun"
	case "gorm.io/gorm.Expr":
		return "gorm"
	}
	return "?"
}

// literal returns a constant as SQL.
func literal(a Arg) string {
	if a.Type == "" || strings.Contains(a.Type, "string") {
		return "'" + strings.ReplaceAll(a.Text, "'", "''") + "'"
	}
	return a.Text
}

// many reports whether a is a slice that a library spreads over a list.
func (a Arg) many() bool {
	if a.List != nil && a.Call == "" {
		return true
	}
	return strings.HasPrefix(a.Type, "[]") && a.Type != "[]byte" && a.Type != "[]uint8"
}

// in returns a comparison with any of a: a list when its elements are known,
// an array otherwise, so that the reader sees that it may be several.
func (w *writer) in(a Arg, not bool) string {
	if len(a.Chain) > 0 || a.List != nil && a.Call == "" {
		op := "IN "
		if not {
			op = "NOT IN "
		}
		if len(a.Chain) > 0 {
			return op + w.value(a)
		}
		return op + w.tuple(a.List)
	}
	if not {
		return "<> ALL (" + w.value(a) + ")"
	}
	return "= ANY (" + w.value(a) + ")"
}

// severalRows returns the rows that writing a slice of models makes: two
// stand for all of them, and each value for the whole slice, whose order the
// rows have.
func (w *writer) severalRows(dest Arg, columns int) [][]string {
	w.refs = w.refs[:len(w.refs)-columns] // of the one row that was written for it
	rows := make([][]string, 2)
	for i := range rows {
		for range columns {
			rows[i] = append(rows[i], w.ref(dest.Ref))
		}
	}
	return rows
}

// tuple returns "(a, b)"; of nothing, "(NULL)".
func (w *writer) tuple(list []Arg) string {
	if len(list) == 0 {
		return "(NULL)"
	}
	parts := make([]string, len(list))
	for i, e := range list {
		if e.List != nil && e.Call == "" {
			parts[i] = w.tuple(e.List)
			continue
		}
		parts[i] = w.value(e)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// Bind writes the placeholders of text, in a library's style, as $1, $2 …,
// and returns the Refs of the arguments they stand for. Styles are those of
// Call.Style; "" returns the text as it is. reason tells of a placeholder
// without its value.
func Bind(text, style string, args []Arg) (out string, params []int, reason string) {
	w := &writer{}
	if style == "" {
		for _, a := range args {
			w.refs = append(w.refs, a.Ref)
		}
		return text, w.refs, ""
	}
	out = w.bind(text, style, args)
	return out, w.refs, strings.Join(w.why, "; ")
}

// bind writes the placeholders of text as parameters of w.
func (w *writer) bind(text, style string, args []Arg) string {
	b := &binder{w: w, text: text, style: style, args: args, names: map[string]string{}}
	if style == ":name" && len(args) == 1 && args[0].many() {
		b.text = twoRows(text)
	}
	for b.at < len(b.text) {
		b.step()
	}
	return b.out.String()
}

// values matches the word before the row of an INSERT.
var values = lazyregexp.New(`(?i)\bVALUES\s*\(`)

// twoRows writes the row after VALUES twice: a library writes one for each
// element of a slice, and two stand for all of them.
func twoRows(text string) string {
	m := values.FindStringIndex(text)
	if m == nil {
		return text
	}
	start, depth := m[1]-1, 0
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '\'', '"':
			i += quoted(text[i:], text[i]) - 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i+1] + ", " + text[start:i+1] + text[i+1:]
			}
		}
	}
	return text
}

type binder struct {
	w     *writer
	text  string
	style string
	args  []Arg
	at    int // in text
	next  int // in args
	out   strings.Builder
	names map[string]string
}

// step copies one byte, quoted text or comment, or writes one placeholder.
func (b *binder) step() {
	c, rest := b.text[b.at], b.text[b.at:]
	switch {
	case c == '\'' || c == '"':
		b.copy(quoted(rest, c))
	case strings.HasPrefix(rest, "--"):
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		b.copy(n)
	case c == '\\' && b.style == "bun" && strings.HasPrefix(rest, `\?`):
		b.at++
		b.copy(1)
	case c == '?' && b.style == "?" && strings.HasPrefix(rest, "??"):
		b.at++
		b.copy(1)
	case c == '?' && (b.style == "?" || b.style == "gorm"):
		b.at++
		b.positional()
	case c == '?' && (b.style == "bun" || b.style == "go-pg"):
		b.at++
		b.bunMark()
	case c == '$' && len(rest) > 1 && digit(rest[1]):
		b.numbered()
	case c == ':' && b.style == ":name":
		b.colon()
	case c == '@' && (b.style == "gorm" || b.style == "@name"):
		b.named(1, wordLen(rest[1:]))
	default:
		b.copy(1)
	}
}

func (b *binder) copy(n int) {
	b.out.WriteString(b.text[b.at : b.at+n])
	b.at += n
}

// positional writes the next argument.
func (b *binder) positional() {
	if b.next >= len(b.args) {
		b.w.note("placeholder without its value")
		b.out.WriteString(b.w.ref(0))
		return
	}
	a := b.args[b.next]
	b.next++
	b.put(a)
}

// numbered writes "$n" of a text that has PostgreSQL's own placeholders, which
// every library here passes on.
func (b *binder) numbered() {
	n := 1
	for b.at+n < len(b.text) && digit(b.text[b.at+n]) {
		n++
	}
	name := b.text[b.at : b.at+n]
	b.at += n
	if s, ok := b.names[name]; ok {
		b.out.WriteString(s)
		return
	}
	ref := 0
	if i, err := strconv.Atoi(name[1:]); err == nil && i >= 1 && i <= len(b.args) {
		ref = b.args[i-1].Ref
	}
	b.names[name] = b.w.ref(ref)
	b.out.WriteString(b.names[name])
}

// put writes one argument where its placeholder stood. A slice stands in a
// list: "IN ?" and "IN (?)" of one whose length is not known become
// "= ANY ($n)".
func (b *binder) put(a Arg) {
	if len(a.Chain) > 0 && strings.HasSuffix(strings.TrimRight(b.out.String(), " "), "(") && strings.HasPrefix(b.text[b.at:], ")") {
		b.out.WriteString(b.w.subquery(a.Chain)) // "(?)": one pair of parentheses is enough
		return
	}
	a = listed(a)
	if a.isNil() && strings.HasSuffix(strings.ToLower(b.out.String()), " in ") {
		b.out.WriteString(b.w.tuple(nil))
		return
	}
	if a.Known || !a.many() && (len(a.Chain) > 0 || exprCalls[a.Call] || a.Type != "" || b.style == "?") {
		b.out.WriteString(b.w.value(a))
		return
	}
	head := strings.TrimRight(b.out.String(), " \t\n")
	paren := strings.HasSuffix(head, "(")
	word := strings.TrimRight(strings.TrimSuffix(head, "("), " \t\n")
	lower := strings.ToLower(word)
	if b.w.lib == "squirrel" && !strings.HasSuffix(lower, " in") { // it spreads no slice
		b.out.WriteString(b.w.ref(a.Ref))
		return
	}
	if !strings.HasSuffix(lower, " in") || paren && !strings.HasPrefix(strings.TrimLeft(b.text[b.at:], " \t\n"), ")") {
		if a.List != nil && a.Call == "" {
			s := b.w.tuple(a.List)
			if paren {
				s = s[1 : len(s)-1]
			}
			b.out.WriteString(s)
		} else {
			b.out.WriteString(b.w.value(a))
		}
		return
	}
	not := strings.HasSuffix(lower, " not in")
	word = word[:len(word)-len("in")]
	if not {
		word = strings.TrimRight(word, " \t\n")
		word = word[:len(word)-len("not")]
	}
	b.out.Reset()
	b.out.WriteString(word + b.w.in(a, not))
	if paren {
		b.at += strings.IndexByte(b.text[b.at:], ')') + 1
	}
}

// listed returns the slice that a function makes a list of.
func listed(a Arg) Arg {
	if a.Call == "github.com/uptrace/bun.In" || a.Call == "github.com/uptrace/bun.List" || a.Call == "github.com/go-pg/pg/v10.In" {
		if len(a.List) == 1 && a.List[0].List != nil && a.List[0].Call == "" {
			return a.List[0]
		}
		return Arg{Type: "[]any", Ref: a.Ref}
	}
	return a
}

// bunMark writes "?", "?0" or "?name" of bun and go-pg.
func (b *binder) bunMark() {
	n := wordLen(b.text[b.at:])
	word := b.text[b.at : b.at+n]
	if word == "" {
		b.positional()
		return
	}
	if i, err := strconv.Atoi(word); err == nil {
		b.at += n
		if i < len(b.args) {
			b.put(b.args[i])
		} else {
			b.w.note("placeholder without its value")
			b.out.WriteString(b.w.ref(0))
		}
		return
	}
	b.named(0, n)
}

// colon writes ":name"; "::" is a cast, "::::" the escape of one.
func (b *binder) colon() {
	rest := b.text[b.at:]
	switch n := wordLen(rest[1:]); {
	case strings.HasPrefix(rest, "::::"):
		b.at += 2
		b.copy(2)
	case strings.HasPrefix(rest, "::"):
		b.copy(2)
	case n > 0:
		b.named(1, n)
	default:
		b.copy(1)
	}
}

// named writes the argument with the name of n bytes that follows a mark of
// skip bytes. One name is one parameter.
func (b *binder) named(skip, n int) {
	if n == 0 {
		b.copy(max(skip, 1))
		return
	}
	name := b.text[b.at+skip : b.at+skip+n]
	if b.style == ":name" && len(b.args) == 1 && b.args[0].many() { // the whole slice, whose order the rows have
		b.at += skip + n
		b.out.WriteString(b.w.ref(b.args[0].Ref))
		return
	}
	a, ok := byName(b.args, name)
	if !ok && b.style == "gorm" {
		b.copy(skip + n) // an operator, or a part of a word
		return
	}
	b.at += skip + n
	if s, ok := b.names[name]; ok {
		b.out.WriteString(s)
		return
	}
	if !ok {
		b.w.note("value of " + name + " not known")
	}
	before := len(b.w.refs)
	b.put(a)
	if len(b.w.refs) == before+1 && !a.many() {
		b.names[name] = "$" + strconv.Itoa(len(b.w.refs))
	}
}

// byName returns the value that args give the name: an entry of a map, a
// field of a struct, a named argument.
func byName(args []Arg, name string) (Arg, bool) {
	for _, a := range args {
		if a.Call == "database/sql.Named" && len(a.List) == 2 && a.List[0].Text == name {
			return a.List[1], true
		}
		if a.Type == "database/sql.NamedArg" && a.Fields["Name"].Text == name {
			return a.Fields["Value"], true
		}
		if v, ok := a.Fields[name]; ok {
			return v, true
		}
		if a.Model != nil {
			for _, c := range a.Model.Columns {
				if v, ok := a.Fields[c.Field]; ok && c.Name == name {
					return v, true
				}
			}
		}
		for _, k := range sortedKeys(a.Fields) {
			if strings.EqualFold(k, name) || Snake(k) == name {
				return a.Fields[k], true
			}
		}
	}
	return Arg{}, false
}

// quoted returns the length of the quoted text that s starts with.
func quoted(s string, q byte) int {
	for i := 1; i < len(s); i++ {
		if s[i] == q {
			return i + 1
		}
	}
	return len(s)
}

// wordLen returns the length of the name that s starts with.
func wordLen(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return i
		}
	}
	return len(s)
}
