package pgsql

func (r *reader) ifStmt() PL {
	s := PL{Kind: PLIf}
	for r.isAny("if", "elsif", "elseif") {
		r.pos++
		c := r.until("then")
		if !r.has("then") {
			return PL{Reason: "IF without THEN"}
		}
		s.Arms = append(s.Arms, PLArm{Cond: c.Text, Offset: c.Offset, Body: r.stmts()})
	}
	r.finish(&s, "if")
	return s
}

func (r *reader) caseStmt() PL {
	r.pos++
	s := PL{Kind: PLCase}
	if !r.is("when") {
		s.expr(r.until("when"))
	}
	for r.has("when") {
		c := r.until("then")
		if !r.has("then") {
			return PL{Reason: "CASE without THEN"}
		}
		s.Arms = append(s.Arms, PLArm{Cond: c.Text, Offset: c.Offset, Body: r.stmts()})
	}
	r.finish(&s, "case")
	return s
}

// finish reads ELSE and END. What stands between the two by mistake is kept
// as unknown.
func (r *reader) finish(s *PL, what string) {
	if r.has("else") {
		s.HasElse = true
		s.Else = r.stmts()
	}
	for !r.end() && !r.is("end") {
		from := r.pos
		if r.is("exception") {
			break
		}
		s.Else = append(s.Else, r.unknown(from, "out of place"))
		s.Else = append(s.Else, r.stmts()...)
	}
	r.close(what)
}

// body reads LOOP … END LOOP.
func (r *reader) body(s *PL) {
	if !r.has("loop") {
		s.Kind, s.Reason = PLUnknown, "loop without LOOP"
		return
	}
	s.Body = r.stmts()
	for !r.end() && !r.is("end") && !r.is("exception") {
		from := r.pos
		s.Body = append(s.Body, r.unknown(from, "out of place"))
		s.Body = append(s.Body, r.stmts()...)
	}
	r.close("loop")
}

func (r *reader) loop() PL {
	s := PL{Kind: PLLoop}
	r.body(&s)
	return s
}

func (r *reader) while() PL {
	r.pos++
	s := PL{Kind: PLWhile}
	s.expr(r.until("loop"))
	r.body(&s)
	return s
}

func (r *reader) forEach() PL {
	r.pos++
	s := PL{Kind: PLForEach, Vars: r.targets()}
	r.until("in")
	if !r.has("in") || !r.has("array") {
		return PL{Reason: "FOREACH without IN ARRAY"}
	}
	s.expr(r.until("loop"))
	r.body(&s)
	return s
}

func (r *reader) forStmt() PL {
	r.pos++
	s := PL{Vars: r.targets()}
	if !r.has("in") {
		return PL{Reason: "FOR without IN"}
	}
	if r.has("execute") {
		s.Kind = PLForExecute
		s.expr(r.until("using", "loop"))
		if r.has("using") {
			s.Args = r.exprs("loop")
		}
		r.body(&s)
		return s
	}
	s.Reverse = r.is("reverse") && r.has("reverse")
	from := r.pos
	low := r.until("..", "loop")
	if r.has("..") {
		s.Kind = PLForInt
		s.expr(low)
		s.Upper = r.until("by", "loop").Text
		if r.has("by") {
			s.By = r.until("loop").Text
		}
		r.body(&s)
		return s
	}
	to := r.pos
	if r.isCursor(from, to) {
		s.Kind = PLForCursor
		s.Target = r.toks[from].Name()
		r.pos = from + 1
		s.Args = r.parenList()
		r.pos = to
	} else {
		s.Kind = PLForQuery
		s.text(low)
	}
	r.body(&s)
	return s
}

// isCursor reports whether the tokens are a name, with or without arguments.
func (r *reader) isCursor(from, to int) bool {
	if from >= to || r.toks[from].Kind != Word && r.toks[from].Kind != Quoted {
		return false
	}
	if r.toks[from].Keyword && sqlWords[r.toks[from].Name()] {
		return false
	}
	return to == from+1 || r.toks[from+1].Is("(") && r.toks[to-1].Is(")")
}
