package pgsql

import "strings"

// A piece is the place of one statement; lead is where the comments before
// it begin.
type piece struct{ lead, start, end int }

const bom = "\ufeff"

// split cuts text into statements as psql does (PostgreSQL 16, psqlscan.l),
// except that a parenthesis left open does not swallow what follows: only
// CREATE RULE has semicolons between parentheses.
func split(text string) []piece {
	sp := splitter{lexer: lexer{s: text, plain: true}}
	if strings.HasPrefix(text, bom) {
		sp.pos = len(bom)
	}
	sp.begin()
	for {
		t, ok := sp.next()
		if !ok {
			if sp.retreat() {
				continue
			}
			sp.flush()
			return sp.out
		}
		sp.take(t)
	}
}

type splitter struct {
	lexer
	out         []piece
	lead        int
	start, end  int // of the statement; start < 0 when it has not begun
	words       []string
	paren       int
	atomic      int // depth of BEGIN ATOMIC … END
	prevBegin   bool
	firstSemi   int // end of the statement at its first inner semicolon, or -1
	firstSemiAt int // where to go on after it
}

func (sp *splitter) begin() {
	*sp = splitter{lexer: sp.lexer, out: sp.out, lead: sp.pos, start: -1, firstSemi: -1}
}

func (sp *splitter) flush() {
	if sp.start >= 0 {
		sp.out = append(sp.out, piece{sp.lead, sp.start, sp.end})
	}
	sp.begin()
}

// retreat goes back to the first inner semicolon of a body that never ended.
func (sp *splitter) retreat() bool {
	open := sp.atomic > 0 || sp.paren > 0 && sp.isRule()
	if sp.firstSemi < 0 || sp.start < 0 || !open {
		return false
	}
	sp.out = append(sp.out, piece{sp.lead, sp.start, sp.firstSemi})
	sp.pos = sp.firstSemiAt
	sp.begin()
	return true
}

func (sp *splitter) take(t Token) {
	switch {
	case t.Kind == Comment && !t.Open: // one that never ends hides what follows: an error, not a comment
		return
	case t.Is(";"):
		if sp.atomic > 0 || sp.paren > 0 && sp.isRule() {
			if sp.firstSemi < 0 {
				sp.firstSemi, sp.firstSemiAt = sp.end, t.End
			}
			break
		}
		copying := sp.isCopy()
		sp.flush()
		if copying {
			sp.skipData()
		}
		return
	case t.Is("\\"):
		sp.flush()
		sp.skipLine()
		sp.lead = sp.pos
		return
	case t.Is("("):
		sp.paren++
	case t.Is(")"):
		sp.paren = max(0, sp.paren-1)
	case t.Kind == Word:
		sp.word(t)
	}
	sp.prevBegin = t.Is("begin")
	if sp.start < 0 {
		sp.start = t.Start
	}
	sp.end = t.End
}

func (sp *splitter) word(t Token) {
	if len(sp.words) < 4 || len(sp.words) < 512 && sp.words[0] == "copy" {
		if sp.words == nil {
			sp.words = make([]string, 0, 4)
		}
		sp.words = append(sp.words, telling(t.Text))
	}
	if !sp.isRoutine() || sp.paren > 0 {
		return
	}
	switch {
	case sp.atomic == 0 && t.Is("atomic") && sp.prevBegin:
		sp.atomic = 1
	case sp.atomic > 0 && t.Is("case"):
		sp.atomic++
	case sp.atomic > 0 && t.Is("end"):
		sp.atomic--
	}
}

// telling returns, in lower case, a word that tells how a statement goes on,
// "" for any other.
func telling(word string) string {
	var lower [len("procedure")]byte
	if len(word) > len(lower) {
		return ""
	}
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return tellingWords[string(lower[:len(word)])]
}

var tellingWords = map[string]string{
	"create": "create", "or": "or", "replace": "replace", "function": "function", "procedure": "procedure", "rule": "rule",
	"copy": "copy", "from": "from", "stdin": "stdin",
}

// created is the word that says what is created.
func (sp *splitter) created() string {
	w := sp.words
	if len(w) < 2 || w[0] != "create" {
		return ""
	}
	if len(w) == 4 && w[1] == "or" && w[2] == "replace" {
		return w[3]
	}
	return w[1]
}

func (sp *splitter) isRoutine() bool {
	c := sp.created()
	return c == "function" || c == "procedure"
}

func (sp *splitter) isRule() bool { return sp.created() == "rule" }

func (sp *splitter) isCopy() bool {
	if len(sp.words) == 0 || sp.words[0] != "copy" {
		return false
	}
	for i, w := range sp.words {
		if w == "stdin" && sp.words[i-1] == "from" {
			return true
		}
	}
	return false
}

func (sp *splitter) skipLine() {
	if n := strings.IndexByte(sp.s[sp.pos:], '\n'); n >= 0 {
		sp.pos += n + 1
	} else {
		sp.pos = len(sp.s)
	}
}

// skipData passes over the data of COPY … FROM stdin. Without the line "\."
// there is none: the text is not a script of psql.
func (sp *splitter) skipData() {
	for i := sp.pos; ; {
		n := strings.IndexByte(sp.s[i:], '\n')
		if n < 0 {
			return
		}
		i += n + 1
		if strings.HasPrefix(sp.s[i:], `\.`) {
			sp.pos = i
			sp.skipLine()
			sp.lead = sp.pos
			return
		}
	}
}
