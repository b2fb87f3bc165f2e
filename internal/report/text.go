package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// Colours of a terminal (ECMA-48, select graphic rendition).
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	yellow = "1;33"
	blue   = "1;34"
)

var severityColor = map[string]string{
	lockgraph.SeverityError:   red,
	lockgraph.SeverityWarning: yellow,
	lockgraph.SeverityNote:    blue,
}

// why says what a guess rests on.
var why = map[string]string{
	lockgraph.CutText:      "part of the SQL text is not known",
	lockgraph.CutCallee:    "a call could not be resolved",
	lockgraph.CutHandle:    "the connection is not known",
	lockgraph.CutRecursion: "a recursion was cut short",
	lockgraph.CutSize:      "a function was too large to keep whole",
	lockgraph.CutContexts:  "a function is seen apart from its callers, who may hold more, or has none in this program",
	lockgraph.CutDepth:     "a call chain was too long to follow",
	lockgraph.CutGoto:      "a goto hides the order",
}

// Text writes findings to be read on a terminal: the place, the severity
// and the fact on one line, below it what proves it and what helps, and a
// last line that counts.
func Text(w io.Writer, findings []lockgraph.Finding, unknowns []lockgraph.Unknown, opts Options) error {
	p := &printer{opts: opts}
	for _, f := range sorted(findings) {
		p.finding(&f)
	}
	if opts.Verbose {
		p.unknowns(sortedUnknowns(unknowns))
	}
	if opts.Bare {
		_, err := io.WriteString(w, p.b.String())
		return err
	}
	if len(findings) > 0 || opts.Verbose && len(unknowns) > 0 {
		p.b.WriteByte('\n')
	}
	p.b.WriteString(summary(findings, len(unknowns), opts.Verbose) + "\n")
	_, err := io.WriteString(w, p.b.String())
	return err
}

type printer struct {
	opts Options
	b    strings.Builder
}

func (p *printer) paint(color, s string) string {
	if !p.opts.Color || color == "" || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

// A piece is text with its colour; width counts its letters only.
type piece struct{ color, text string }

// line writes pieces, broken at spaces where the terminal ends.
func (p *printer) line(indent, rest string, pieces ...piece) {
	p.b.WriteString(indent)
	at := utf8.RuneCountInString(indent)
	for i, pc := range pieces {
		run := ""
		for j, word := range strings.Split(visible(pc.text), " ") {
			n := utf8.RuneCountInString(word)
			switch {
			case j == 0:
			case p.opts.Width > 0 && at+1+n > p.opts.Width && (i > 0 || run != ""):
				p.b.WriteString(p.paint(pc.color, run) + "\n" + rest)
				run, at = "", utf8.RuneCountInString(rest)
			default:
				run += " "
				at++
			}
			run += word
			at += n
		}
		p.b.WriteString(p.paint(pc.color, run))
	}
	p.b.WriteByte('\n')
}

// visible makes control characters harmless: messages quote source text.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return '\ufffd'
		}
		return r
	}, s)
}

func place(file string, line int) string {
	switch {
	case file == "":
		return "-"
	case line <= 0:
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

func (p *printer) finding(f *lockgraph.Finding) {
	p.line("", "    ", piece{bold, place(f.File, f.Line) + ":"}, piece{"", " "}, piece{severityColor[f.Severity], f.Severity + ":"},
		piece{"", " " + f.Message}, piece{dim, " [" + f.Kind + "]"})
	widest := 0
	for _, r := range f.Related {
		widest = max(widest, utf8.RuneCountInString(place(r.File, r.Line)))
	}
	for _, r := range f.Related {
		at := place(r.File, r.Line)
		at += strings.Repeat(" ", widest-utf8.RuneCountInString(at))
		text := r.Does
		if r.Func != "" {
			text = short(r.Func) + " " + text
		}
		p.line("    ", strings.Repeat(" ", widest+8), piece{dim, at}, piece{"", "  " + text})
	}
	if f.Cut != "" {
		reason := why[f.Cut]
		if reason == "" {
			reason = f.Cut
		}
		p.line("    ", "      ", piece{dim, "a guess: " + reason})
	}
	if p.opts.Verbose && f.Fingerprint != "" {
		p.line("    ", "      ", piece{dim, "fingerprint: " + f.Fingerprint})
	}
	for _, h := range strings.Split(f.Hint, "\n") {
		if h != "" {
			p.line("    ", "      ", piece{bold, "hint:"}, piece{"", " " + h})
		}
	}
}

func (p *printer) unknowns(us []lockgraph.Unknown) {
	for _, u := range us {
		text := " " + u.Reason
		if u.Func != "" {
			text += " (in " + short(u.Func) + ")"
		}
		p.line("", "    ", piece{bold, place(u.File, u.Line) + ":"}, piece{"", " "}, piece{dim, "not understood:"}, piece{"", text})
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// summary counts findings by severity, and the unknowns.
func summary(findings []lockgraph.Finding, unknowns int, listed bool) string {
	n := map[string]int{}
	for _, f := range findings {
		n[f.Severity]++
	}
	var parts []string
	for _, s := range []struct{ severity, one, many string }{
		{lockgraph.SeverityError, "error", "errors"},
		{lockgraph.SeverityWarning, "warning", "warnings"},
		{lockgraph.SeverityNote, "note", "notes"},
	} {
		if n[s.severity] > 0 {
			parts = append(parts, count(n[s.severity], s.one, s.many))
		}
	}
	text := strings.Join(parts, ", ")
	if text == "" {
		text = "no findings"
	}
	if unknowns > 0 {
		text += "; " + count(unknowns, "site", "sites") + " could not be read"
		if !listed && unknowns == 1 {
			text += "; -v lists it"
		} else if !listed {
			text += "; -v lists them"
		}
	}
	return text
}
