package pgsql

import (
	"fmt"
	"strings"
)

// maxBlocks bounds how deep blocks and control structures may nest.
const maxBlocks = 200

// ParseBody reads the body of a PL/pgSQL function or DO block. A statement
// that cannot be read becomes a PLUnknown; the error tells of a body that
// has no block at all or must not be read. The block is shared, read-only.
func ParseBody(text string) (*Block, error) {
	b, ok := bodies.get(text)
	if !ok {
		b.block, b.err = parseBody(text)
		bodies.put(text, b)
	}
	return b.block, b.err
}

func parseBody(body string) (b *Block, err error) {
	defer func() {
		if p := recover(); p != nil {
			b, err = nil, errorAt(body, 0, fmt.Sprintf("reading the PL/pgSQL body failed: %v", p))
		}
	}()
	toks, _ := Scan(body)
	if len(body) > maxBytes || strings.IndexByte(body, 0) >= 0 {
		return nil, guard(body, nil)
	}
	r := &reader{src: body}
	for _, t := range toks {
		if t.Kind != Comment {
			r.toks = append(r.toks, t)
		}
	}
	r.options()
	label := r.label()
	if !r.is("declare") && !r.is("begin") {
		return nil, errorAt(body, r.offset(), "PL/pgSQL body does not start with DECLARE or BEGIN")
	}
	b = r.block(label)
	if !r.end() {
		r.pos = len(r.toks)
		f := r.slice(restAt(r.toks, b.End), r.pos)
		b.Body = append(b.Body, PL{Kind: PLUnknown, Text: f.Text, TextOffset: f.Offset,
			Offset: f.Offset, End: len(body), Reason: "after the end of the block"})
	}
	if i := invalidAt(body); i < len(body) {
		return b, errorAt(body, i, "invalid UTF-8 in PL/pgSQL body")
	}
	return b, nil
}

// restAt is the first token that starts at or after an offset.
func restAt(toks []Token, offset int) int {
	for i, t := range toks {
		if t.Start >= offset {
			return i
		}
	}
	return len(toks)
}

type reader struct {
	src   string
	toks  []Token // without comments
	pos   int
	depth int
}

func (r *reader) peek(n int) Token {
	if r.pos+n >= 0 && r.pos+n < len(r.toks) {
		return r.toks[r.pos+n]
	}
	return Token{Start: len(r.src), End: len(r.src)}
}

func (r *reader) end() bool        { return r.pos >= len(r.toks) }
func (r *reader) offset() int      { return r.peek(0).Start }
func (r *reader) is(w string) bool { return r.peek(0).Is(w) }
func (r *reader) has(w string) bool { // takes the token when it is w
	if !r.is(w) {
		return false
	}
	r.pos++
	return true
}

func (r *reader) isAny(words ...string) bool {
	for _, w := range words {
		if r.is(w) {
			return true
		}
	}
	return false
}

// options skips "#variable_conflict …" and the like.
func (r *reader) options() {
	for r.peek(0).Kind == Operator && strings.HasPrefix(r.peek(0).Text, "#") {
		from := r.offset()
		n := strings.IndexByte(r.src[from:], '\n')
		if n < 0 {
			n = len(r.src) - from
		}
		for !r.end() && r.offset() < from+n {
			r.pos++
		}
	}
}

func (r *reader) label() string {
	if r.is("<<") && r.peek(2).Is(">>") {
		name := r.peek(1).Name()
		r.pos += 3
		return name
	}
	return ""
}

// until reads up to one of the words outside parentheses and CASE, or to a
// semicolon, which it leaves.
func (r *reader) until(words ...string) Frag {
	start, cases, parens := r.pos, 0, 0
	for !r.end() && !r.is(";") {
		if parens <= 0 && cases <= 0 && r.isAny(words...) {
			break
		}
		switch {
		case r.isAny("(", "["):
			parens++
		case r.isAny(")", "]"):
			parens--
		case r.is("case"):
			cases++
		case r.is("end"):
			cases--
		}
		r.pos++
	}
	return r.slice(start, r.pos)
}

// slice is the text from token i to before token j.
func (r *reader) slice(i, j int) Frag {
	if j = min(j, len(r.toks)); i >= j {
		return Frag{Offset: r.peek(i - r.pos).Start}
	}
	return Frag{r.src[r.toks[i].Start:r.toks[j-1].End], r.toks[i].Start}
}

func (r *reader) block(label string) *Block {
	b := &Block{Label: label, Offset: r.offset()}
	if r.has("declare") {
		b.Decls = r.decls()
	}
	if !r.has("begin") {
		b.End = r.offset()
		return b
	}
	b.Body = r.stmts()
	for !r.end() && !r.is("end") {
		if r.has("exception") {
			for r.is("when") {
				b.Handlers = append(b.Handlers, r.handler())
			}
			continue
		}
		// An ELSE or WHEN that belongs to nothing.
		b.Body = append(b.Body, r.unknown(r.pos, "out of place"))
		b.Body = append(b.Body, r.stmts()...)
	}
	r.close("")
	b.End = r.prevEnd()
	return b
}

// prevEnd is where the token before ends. What is skipped by count may reach
// past the last token of a body that breaks off.
func (r *reader) prevEnd() int {
	if r.pos = min(r.pos, len(r.toks)); r.pos == 0 {
		return 0
	}
	return r.toks[r.pos-1].End
}

// close takes END [what] [label] ;
func (r *reader) close(what string) {
	if !r.has("end") {
		return
	}
	if what != "" {
		r.has(what)
	}
	if k := r.peek(0).Kind; k == Word || k == Quoted {
		r.pos++
	}
	r.has(";")
}

func (r *reader) handler() Handler {
	h := Handler{Offset: r.offset()}
	r.pos++
	for {
		c := r.until("or", "then")
		h.Conditions = append(h.Conditions, strings.ToLower(c.Text))
		if !r.has("or") {
			break
		}
	}
	r.has("then")
	h.Body = r.stmts()
	return h
}

// stmts reads statements up to a word that ends a list of them.
func (r *reader) stmts() []PL {
	r.depth++
	defer func() { r.depth-- }()
	var out []PL
	for !r.end() && !r.stop() {
		if r.has(";") {
			continue
		}
		from := r.pos
		s := r.stmt()
		if r.pos == from {
			s = r.unknown(from, "cannot be read")
		}
		s.Offset, s.End = r.toks[from].Start, r.prevEnd()
		out = append(out, s)
	}
	return out
}

func (r *reader) stop() bool {
	if r.is("exception") {
		return r.peek(1).Is("when")
	}
	return r.isAny("end", "else", "elsif", "elseif", "when")
}

// unknown takes the rest of the statement that began at token from.
func (r *reader) unknown(from int, reason string) PL {
	for !r.end() && !r.is(";") {
		r.pos++
	}
	f := r.slice(from, r.pos)
	r.has(";")
	return PL{Kind: PLUnknown, Text: f.Text, TextOffset: f.Offset, Offset: f.Offset, End: r.prevEnd(), Reason: reason}
}

func (r *reader) decls() []Decl {
	var out []Decl
	for !r.end() && !r.is("begin") {
		if r.has("declare") || r.has(";") {
			continue
		}
		out = append(out, r.decl())
	}
	return out
}

func (r *reader) decl() Decl {
	d := Decl{Offset: r.offset(), Name: r.peek(0).Name()}
	r.pos++
	if r.is("alias") && r.peek(1).Is("for") {
		d.Alias = r.peek(2).Name()
		r.until()
		r.has(";")
		return d
	}
	if r.is("cursor") || r.isAny("no", "scroll") {
		r.until("cursor")
		r.pos++
		d.Cursor = true
		if r.is("(") {
			d.CursorArgs = r.cursorArgs()
		}
		if !r.has("for") {
			r.has("is")
		}
		q := r.until()
		d.Query, d.QueryOffset = q.Text, q.Offset
		r.has(";")
		return d
	}
	d.Constant = r.has("constant")
	d.Type = typeText(r.until("collate", "not", "default", ":=", "=").Text)
	if r.is("collate") {
		r.until("not", "default", ":=", "=")
	}
	if r.has("not") {
		d.NotNull = r.has("null")
	}
	if r.has("default") || r.has(":=") || r.has("=") {
		e := r.until()
		d.Default, d.DefaultOffset = e.Text, e.Offset
	}
	r.until()
	r.has(";")
	return d
}

// typeText is the type as PostgreSQL prints it, or as written in lower case
// when the grammar alone cannot tell (%TYPE, %ROWTYPE).
func typeText(s string) string {
	if s != "" && !strings.Contains(s, "%") {
		if r := parseOne("SELECT NULL::" + s); r.err == nil {
			if ts := r.tree.GetSelectStmt().GetTargetList(); len(ts) == 1 {
				if c := ts[0].GetResTarget().GetVal().GetTypeCast(); c != nil {
					return TypeName(c.TypeName)
				}
			}
		}
	}
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

func (r *reader) cursorArgs() []string {
	var names []string
	for _, f := range r.parenList() {
		toks, _ := Scan(f.Text)
		if len(toks) > 0 {
			names = append(names, toks[0].Name())
		}
	}
	return names
}

// parenList takes "( … )" and returns its parts.
func (r *reader) parenList() []Frag {
	if !r.has("(") {
		return nil
	}
	list := r.exprs(")")
	r.has(")")
	return list
}

// exprs reads expressions parted by commas up to one of the words.
func (r *reader) exprs(words ...string) []Frag {
	var out []Frag
	for {
		f := r.until(append(words, ",")...)
		if f.Text != "" {
			out = append(out, f)
		}
		if !r.has(",") {
			return out
		}
	}
}
