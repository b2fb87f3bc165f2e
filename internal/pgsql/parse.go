package pgsql

import (
	"fmt"
	"strings"
	"sync"
)

// A Stmt is one statement of a text.
type Stmt struct {
	Text   string   // as written, without the semicolon and the comments before it
	Offset int      // of Text in the input, in bytes
	Line   int      // of Text in the input, from 1
	Lead   string   // the comments between the statement before and this one
	Tree   *Node    // shared, read-only; nil when Err is set
	Err    *Error   // its place is one of the input
	Bound  string   // the text that locations in Tree point into: Text, or Text with its placeholders numbered
	Names  []string // names of the placeholders that were numbered: Names[0] is $1; "" for ? and $n
}

// ParserName is the name of the SQL parser behind the door.
func ParserName() string { return parserName }

// Grammar is the major version of PostgreSQL whose grammar is read.
func Grammar() int { return grammar }

// Parse reads text statement by statement. What psql would not send to the
// server (backslash commands, COPY data) is left out. A statement that
// cannot be read has Err and no Tree; the others are there all the same.
func Parse(text string) []Stmt { return parse(text, -1) }

// ParseDefinitions reads text as Parse does for readers of what it defines: of
// the statements that only change or describe what is there, as seeds and dumps
// have many, those past the first most are left out unread.
func ParseDefinitions(text string, most int) []Stmt { return parse(text, most) }

// parse reads at most so many statements that define nothing, all of them
// when that is negative.
func parse(text string, most int) (stmts []Stmt) {
	// A fault of our own in finding the statements is an error of the text.
	defer func() {
		if p := recover(); p != nil {
			stmts = []Stmt{{Text: text, Line: 1, Bound: text, Err: errorAt(text, 0, fmt.Sprintf("reading the text failed: %v", p))}}
		}
	}()
	r, known := memo.get(text)
	if known && r.whole {
		return []Stmt{r.statement(text)}
	}
	pieces := split(text)
	if len(pieces) == 1 && pieces[0] == (piece{end: len(text)}) {
		if !known {
			r = parseFresh(text)
		}
		r.whole = true
		memo.put(text, r)
		return []Stmt{r.statement(text)}
	}
	if most >= 0 && len(pieces) > most {
		pieces = defining(text, pieces, most)
	}
	stmts = make([]Stmt, 0, len(pieces))
	line, at := 1, 0
	for _, p := range pieces {
		for ; at < p.start; at++ {
			if text[at] == '\n' {
				line++
			}
		}
		s := Stmt{Text: text[p.start:p.end], Offset: p.start, Line: line, Lead: text[p.lead:p.start]}
		r := parseOne(s.Text)
		s.Tree, s.Bound, s.Names = r.tree, r.bound, r.names
		if r.err != nil {
			s.Err = errorAt(text, p.start+r.err.Offset, r.err.Message)
		}
		stmts = append(stmts, s)
	}
	return stmts
}

// A result is what is kept of a parsed statement; the places of its error
// are those of the statement alone.
type result struct {
	tree  *Node
	err   *Error
	bound string
	names []string
	whole bool // the text was given as it is, one statement and nothing beside it
}

// statement is the result for a text that is the statement alone.
func (r result) statement(text string) Stmt {
	s := Stmt{Text: text, Line: 1, Tree: r.tree, Bound: r.bound, Names: r.names}
	if r.err != nil {
		s.Err = errorAt(text, r.err.Offset, r.err.Message)
	}
	return s
}

func parseOne(text string) result {
	if r, ok := memo.get(text); ok {
		return r
	}
	r := parseFresh(text)
	memo.put(text, r)
	return r
}

func parseFresh(text string) (r result) {
	defer func() {
		if p := recover(); p != nil {
			r = result{bound: text, err: errorAt(text, 0, fmt.Sprintf("reading the statement failed: %v", p))}
		}
	}()
	room := tokenRoom.Get().(*[]Token)
	toks, _ := scan((*room)[:0], text)
	defer func() {
		clear(toks) // they point into text
		*room = toks[:0]
		if cap(toks) <= maxRoom {
			tokenRoom.Put(room)
		}
	}()
	r = result{bound: text}
	if r.err = guard(text, toks); r.err != nil {
		return r
	}
	// Numbered first: "@name" also reads as an operator and a column.
	if bound, names := rebind(text, toks); bound != text {
		if tree, err := parseTree(bound); err == nil {
			return result{tree: tree, bound: bound, names: names}
		}
	}
	r.tree, r.err = parseTree(text)
	return r
}

// tokenRoom holds room for the tokens of a statement, which nobody keeps.
var tokenRoom = sync.Pool{New: func() any { return new([]Token) }}

const maxRoom = 4096 // tokens

// brief shortens a message that quotes the rest of the text, as that of a
// string without an end does.
func brief(message string) string {
	const most = 120
	line, _, more := strings.Cut(message, "\n")
	if len(line) <= most && !more {
		return message
	}
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "")
	}
	return strings.TrimRight(line, "\r") + "…"
}

// parseTree is the one place that enters the parser.
func parseTree(text string) (tree *Node, err *Error) {
	defer func() {
		if p := recover(); p != nil {
			tree, err = nil, errorAt(text, 0, fmt.Sprintf("parser failed: %v", p))
		}
	}()
	stmts, cursor, e := enter(text)
	if e != nil {
		offset := 0
		if cursor > 0 {
			offset = byteOffset(text, cursor)
		}
		return nil, errorAt(text, offset, brief(e.Error()))
	}
	switch len(stmts) {
	case 0:
		return nil, errorAt(text, 0, "no statement")
	case 1:
		return stmts[0].Stmt, nil
	}
	return nil, errorAt(text, int(stmts[1].StmtLocation), "several statements where one is expected")
}
