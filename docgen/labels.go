package docgen

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// label chooses how prose calls each class: a name that a person gave as it
// is, any other as code, with the word that tells the family.
func (b *book) label() {
	relations := map[string]int{}
	for i := range b.m.Classes {
		c := &b.m.Classes[i]
		relations[c.Family+" "+bare(c.Relation)]++
	}
	used := map[string]int{}
	for i := range b.m.Classes {
		c := &b.m.Classes[i]
		b.labels[c.ID] = label(c, relations[c.Family+" "+bare(c.Relation)] == 1)
		if sym, ok := parseSymbol(c.Name); ok && sym.recv != "" && strings.Contains(c.Name, "(") {
			// The key was named after the function that builds it.
			b.labels[c.ID] = code(sym.forms()[0]) + " " + noun(c.Family)
		}
		if by, ok := madeBy(c); ok && c.Relation == "?" {
			b.labels[c.ID] = noun(c.Family) + " that " + b.fnCode(by) + " names at run time"
		}
		used[b.labels[c.ID]]++
	}
	for i := range b.m.Classes {
		// Two classes of one name are told apart by their keys, not numbered.
		c := &b.m.Classes[i]
		if l := b.labels[c.ID]; used[l] > 1 {
			if by, ok := madeBy(c); ok {
				b.labels[c.ID] = l + " of " + b.fnCode(by)
			} else if c.Key != nil && c.Key.Expr != "" {
				b.labels[c.ID] = l + " on " + code(c.Key.Expr)
			} else {
				b.labels[c.ID] = l + " (" + code(c.ID) + ")"
			}
		}
	}
}

// madeBy is the function that makes the name of a class's relation, which is
// not known, or not whole, before it runs.
func madeBy(c *lockgraph.Class) (string, bool) {
	if !strings.Contains(c.Relation, "?") {
		return "", false
	}
	_, by, ok := strings.Cut(c.ID, " of ")
	return lastWord(by), ok
}

func bare(relation string) string {
	if i := strings.LastIndexByte(relation, '.'); i >= 0 {
		return relation[i+1:]
	}
	return relation
}

func label(c *lockgraph.Class, lone bool) string {
	name, human := c.Name, given(c)
	if name == "" {
		name = c.ID
	}
	switch {
	case human:
		return withNoun(name, noun(c.Family))
	case c.Relation != "" && lone:
		return code(bare(c.Relation)) + " " + noun(c.Family)
	case c.Relation != "":
		return code(c.Relation) + " " + noun(c.Family)
	}
	return code(name) + " " + noun(c.Family)
}

func noun(family string) string {
	switch family {
	case lockgraph.Row:
		return "row"
	case lockgraph.Table:
		return "table"
	case lockgraph.Mutex:
		return "mutex"
	}
	return "lock"
}

// given reports whether a person named the class: relations and prefixes
// name themselves, and names taken from code are single words.
func given(c *lockgraph.Class) bool {
	n := c.Name
	if n == "" || n == c.Relation || n == c.ID || strings.Contains(c.Relation, "?") {
		return false
	}
	if c.Key != nil && (n == c.Key.Prefix || n == c.Key.Expr || n == c.Key.Constant) {
		return false
	}
	if strings.ContainsAny(n, "_.$()':/*") {
		return false
	}
	if strings.Contains(n, " ") {
		return true
	}
	r := []rune(n)
	return unicode.IsUpper(r[0]) && !slices.ContainsFunc(r[1:], unicode.IsUpper)
}

func withNoun(name, noun string) string {
	low := strings.ToLower(name)
	for _, w := range []string{"lock", "row", "rows", "table", "mutex", "rendezvous", "gate", "barrier", "record"} {
		if low == w || strings.HasSuffix(low, " "+w) {
			return name
		}
	}
	return name + " " + noun
}

// the is the label of a class with its article.
func (b *book) the(class string) string {
	if l, ok := b.labels[class]; ok {
		return "the " + l
	}
	return "the lock " + code(class)
}

// many is the label of several instances of a class.
func (b *book) many(class string) string {
	l, ok := b.labels[class]
	if !ok {
		return "several locks " + code(class)
	}
	for _, w := range []string{"row", "lock", "record", "mutex"} {
		if head, ok := strings.CutSuffix(l, " "+w); ok {
			return "several " + head + " " + w + map[bool]string{true: "es", false: "s"}[w == "mutex"]
		}
	}
	return "several of " + b.the(class)
}

// mode writes a mode: row and table modes are SQL, the others are words.
func mode(m string) string {
	if m == lockgraph.Shared || m == lockgraph.Exclusive {
		return m
	}
	return code(m)
}

// title names the class in a table or a picture, without the article.
func (b *book) title(c *lockgraph.Class) string {
	l := b.labels[c.ID]
	if given(c) {
		return c.Name
	}
	if c.Family == lockgraph.Advisory {
		return strings.TrimSuffix(l, " lock")
	}
	return l
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// sentence gives text a capital and a final period.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	s = string(r)
	if strings.ContainsRune(".!?:", r[len(r)-1]) {
		return s
	}
	return s + "."
}

// cell makes text safe for one cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}

const width = 88

var opener = lazyregexp.New(`^([-+*>=|]+|#+|\d+[.)]|<!--.*)$`)

// wrap fills text to the page's width. The first line begins with first,
// the others with rest; code spans are never broken.
func wrap(text, first, rest string) string {
	var w strings.Builder
	line := first
	empty := true
	for _, word := range words(text) {
		// A word that would open a list or a heading stays where it is.
		if !empty && !opener.MatchString(word) && len([]rune(line))+1+len([]rune(word)) > width {
			w.WriteString(line + "\n")
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	w.WriteString(line + "\n")
	return w.String()
}

// words splits text at spaces outside code spans.
func words(text string) []string {
	var out []string
	word, in := "", false
	for _, r := range text {
		switch {
		case r == '`':
			in = !in
			word += string(r)
		case (r == ' ' || r == '\n') && !in:
			if word != "" {
				out = append(out, word)
			}
			word = ""
		default:
			word += string(r)
		}
	}
	if word != "" {
		out = append(out, word)
	}
	return out
}
