package pgsql

import "strings"

// stmt reads one statement, its semicolon included.
func (r *reader) stmt() PL {
	from := r.pos
	if r.depth > maxBlocks {
		return r.unknown(from, "nested too deep")
	}
	if label := r.label(); label != "" {
		r.depth++
		s := r.stmt()
		r.depth--
		s.Label = label
		if s.Block != nil {
			s.Block.Label = label
		}
		return s
	}
	if r.isAssign() {
		return r.assign()
	}
	t := r.peek(0)
	if t.Kind == Word {
		word := strings.ToLower(t.Text)
		if read, ok := readers[word]; ok {
			s := read(r)
			if s.Kind == PLUnknown {
				return r.unknown(from, s.Reason)
			}
			return s
		}
		if sqlWords[word] {
			return r.sql()
		}
	} else if t.Is("(") {
		return r.sql()
	}
	return r.unknown(from, "not a PL/pgSQL statement")
}

// sqlWords are the words that start a statement of SQL.
var sqlWords = func() map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(`abort alter analyse analyze checkpoint cluster comment copy
		create deallocate declare delete discard drop explain grant import insert listen load lock
		merge notify prepare reassign refresh reindex release reset revoke savepoint security select
		set show table truncate unlisten update vacuum values with start`) {
		m[w] = true
	}
	return m
}()

// readers is filled by init: its functions read statements themselves.
var readers map[string]func(*reader) PL

func init() {
	block := func(r *reader) PL {
		s := PL{Kind: PLBlock, Block: r.block("")}
		return s
	}
	readers = map[string]func(*reader) PL{
		"declare": block, "begin": block,
		"if": (*reader).ifStmt, "case": (*reader).caseStmt,
		"loop": (*reader).loop, "while": (*reader).while,
		"for": (*reader).forStmt, "foreach": (*reader).forEach,
		"exit":     func(r *reader) PL { return r.jump(PLExit) },
		"continue": func(r *reader) PL { return r.jump(PLContinue) },
		"return":   (*reader).returnStmt,
		"raise":    (*reader).raise,
		"perform":  (*reader).perform,
		"execute":  (*reader).execute,
		"call":     func(r *reader) PL { return r.text(PLCall) },
		"do":       func(r *reader) PL { return r.text(PLCall) },
		"commit":   func(r *reader) PL { return r.text(PLCommit) },
		"rollback": func(r *reader) PL { return r.text(PLRollback) },
		"get":      func(r *reader) PL { return r.text(PLDiagnostics) },
		"open":     (*reader).open,
		"fetch":    func(r *reader) PL { return r.fetch(PLFetch) },
		"move":     func(r *reader) PL { return r.fetch(PLMove) },
		"close": func(r *reader) PL {
			r.pos++
			s := PL{Kind: PLClose, Target: r.until().Text}
			r.has(";")
			return s
		},
		"assert": func(r *reader) PL {
			r.pos++
			s := PL{Kind: PLAssert}
			s.expr(r.until(","))
			r.until()
			r.has(";")
			return s
		},
		"null": func(r *reader) PL {
			r.pos++
			if !r.has(";") {
				return PL{Reason: "not a PL/pgSQL statement"}
			}
			return PL{Kind: PLNull}
		},
	}
}

func (s *PL) expr(f Frag) { s.Expr, s.ExprOffset = f.Text, f.Offset }
func (s *PL) text(f Frag) { s.Text, s.TextOffset = f.Text, f.Offset }

// isAssign reports whether a target and = or := come next.
func (r *reader) isAssign() bool {
	n := r.targetLen(0)
	return n > 0 && (r.peek(n).Is(":=") || r.peek(n).Is("="))
}

// targetLen counts the tokens of a variable, field or element at n.
func (r *reader) targetLen(n int) int {
	from := n
	if k := r.peek(n).Kind; k != Word && k != Quoted && k != Parm {
		return 0
	}
	n++
	for {
		switch {
		case r.peek(n).Is(".") && (r.peek(n+1).Kind == Word || r.peek(n+1).Kind == Quoted):
			n += 2
		case r.peek(n).Is("["):
			depth := 0
			for r.pos+n < len(r.toks) && !r.peek(n).Is(";") {
				if r.peek(n).Is("[") {
					depth++
				} else if r.peek(n).Is("]") {
					depth--
				}
				n++
				if depth == 0 {
					break
				}
			}
			if depth != 0 {
				return n - from
			}
		default:
			return n - from
		}
	}
}

func (r *reader) target() string {
	n := r.targetLen(0)
	f := r.slice(r.pos, r.pos+n)
	r.pos += n
	if n == 1 {
		return r.toks[r.pos-1].Name()
	}
	return strings.ToLower(f.Text)
}

// targets reads variables parted by commas.
func (r *reader) targets() []string {
	var out []string
	for r.targetLen(0) > 0 {
		out = append(out, r.target())
		if !r.has(",") {
			break
		}
	}
	return out
}

func (r *reader) assign() PL {
	s := PL{Kind: PLAssign, Target: r.target()}
	r.pos++
	s.expr(r.until())
	r.has(";")
	return s
}

func (r *reader) text(kind PLKind) PL {
	s := PL{Kind: kind}
	s.text(r.until())
	r.has(";")
	return s
}

func (r *reader) perform() PL {
	s := r.text(PLPerform)
	// Seven bytes for seven: places in the text stay those of the body.
	s.Text = "SELECT " + s.Text[len("perform"):]
	return s
}

func (r *reader) raise() PL {
	s := PL{Kind: PLRaise, Level: "exception"}
	switch w := r.peek(1); {
	case w.Is("debug"), w.Is("log"), w.Is("info"), w.Is("notice"), w.Is("warning"):
		s.Level = w.Name()
	}
	s.text(r.until())
	r.has(";")
	return s
}

func (r *reader) jump(kind PLKind) PL {
	r.pos++
	s := PL{Kind: kind}
	if !r.end() && !r.is("when") && !r.is(";") {
		s.Target = r.peek(0).Name()
		r.pos++
	}
	if r.has("when") {
		s.expr(r.until())
	}
	r.until()
	r.has(";")
	return s
}

func (r *reader) returnStmt() PL {
	r.pos++
	s := PL{Kind: PLReturn}
	switch {
	case r.is("next") && !r.peek(1).Is("."):
		r.pos++
		s.Kind = PLReturnNext
		s.expr(r.until())
	case r.is("query") && r.peek(1).Is("execute"):
		r.pos += 2
		s.Kind = PLReturnExecute
		s.expr(r.until("using"))
		if r.has("using") {
			s.Args = r.exprs()
		}
	case r.is("query") && !r.peek(1).Is(";"):
		r.pos++
		s.Kind = PLReturnQuery
		s.text(r.until())
	default:
		s.expr(r.until())
	}
	r.has(";")
	return s
}

func (r *reader) execute() PL {
	r.pos++
	s := PL{Kind: PLExecute}
	s.expr(r.until("into", "using"))
	for {
		switch {
		case r.has("into"):
			s.Strict = r.has("strict")
			s.Into = r.targets()
		case r.has("using"):
			s.Args = r.exprs("into")
		default:
			r.until()
			r.has(";")
			return s
		}
	}
}

func (r *reader) open() PL {
	r.pos++
	s := PL{Kind: PLOpen, Target: r.target()}
	if r.is("(") {
		s.Args = r.parenList()
	}
	r.until("for")
	if r.has("for") {
		if r.has("execute") {
			s.expr(r.until("using"))
			if r.has("using") {
				s.Args = r.exprs()
			}
		} else {
			s.text(r.until())
		}
	}
	r.has(";")
	return s
}

func (r *reader) fetch(kind PLKind) PL {
	r.pos++
	s := PL{Kind: kind}
	from := r.pos
	s.text(r.until("from", "in", "into"))
	if r.has("from") || r.has("in") {
		s.Target = r.until("into").Text
	} else if n := r.pos - from; n > 0 {
		// Without FROM the last word is the cursor.
		s.Target = r.toks[r.pos-1].Name()
		s.text(r.slice(from, r.pos-1))
	}
	if r.has("into") {
		s.Into = r.targets()
	}
	r.until()
	r.has(";")
	return s
}

// sql reads a statement of SQL and blanks its INTO.
func (r *reader) sql() PL {
	s := PL{Kind: PLSQL}
	from, to := r.pos, r.pos
	blank := [2]int{-1, -1}
	first := r.peek(0)
	for !r.end() && !r.is(";") {
		// INTO after INSERT, MERGE and in IMPORT belongs to SQL itself.
		own := r.pos > from && (r.peek(-1).Is("insert") || r.peek(-1).Is("merge")) || first.Is("import") || first.Is("create")
		if r.is("into") && !own && blank[0] < 0 {
			blank[0] = r.offset()
			r.pos++
			s.Strict = r.has("strict")
			s.Into = r.targets()
			blank[1] = r.prevEnd()
			continue
		}
		r.pos++
	}
	to = r.pos
	s.text(r.slice(from, to))
	if blank[0] >= 0 {
		a, b := blank[0]-s.TextOffset, blank[1]-s.TextOffset
		gap := strings.Map(func(c rune) rune {
			if c == '\n' {
				return c
			}
			return ' '
		}, s.Text[a:b])
		s.Text = s.Text[:a] + gap + strings.Repeat(" ", b-a-len(gap)) + s.Text[b:]
	}
	r.has(";")
	return s
}
