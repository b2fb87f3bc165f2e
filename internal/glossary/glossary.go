// Package glossary holds the words of the project: one word a thing, in code,
// messages and pages.
//
// The text glossary.txt enters; terms and the page docs/glossary.md leave.
// The package explains words only; what a check reports is told by its own
// manual.
package glossary

import (
	_ "embed"
	"strings"
)

//go:embed glossary.txt
var text string

// A Term is one word and what it means, in one paragraph of Markdown.
type Term struct{ Word, Means string }

// A Group is the terms of one subject.
type Group struct {
	Title string
	Terms []Term
}

// Groups returns the words by subject, in reading order.
func Groups() []Group {
	var out []Group
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch title, isTitle := strings.CutPrefix(line, "== "); {
		case line == "" || strings.HasPrefix(line, "#"):
		case isTitle:
			out = append(out, Group{Title: title})
		case line[0] == '\t' || line[0] == ' ':
			terms := out[len(out)-1].Terms
			t := &terms[len(terms)-1]
			t.Means = strings.TrimSpace(t.Means + " " + strings.TrimSpace(line))
		default:
			g := &out[len(out)-1]
			g.Terms = append(g.Terms, Term{Word: line})
		}
	}
	return out
}

// Terms returns all words in reading order.
func Terms() []Term {
	var out []Term
	for _, g := range Groups() {
		out = append(out, g.Terms...)
	}
	return out
}

// Markdown returns the page docs/glossary.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from internal/glossary/glossary.txt by make generate. -->\n\n# Glossary\n\n" +
		"One word a thing, in the code, the messages and the pages. `pglockdep explain WORD` prints a line of this page.\n")
	for _, g := range Groups() {
		b.WriteString("\n## " + g.Title + "\n\n| word | means |\n|---|---|\n")
		for _, t := range g.Terms {
			b.WriteString("| " + t.Word + " | " + strings.ReplaceAll(t.Means, "|", `\|`) + " |\n")
		}
	}
	return b.String()
}
