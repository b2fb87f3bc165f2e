package effect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A Report is what a session locks, statement by statement.
type Report struct {
	Classes    []lockgraph.Class `json:"classes"`
	Statements []Statement       `json:"statements"`
	Error      *Error            `json:"error"`
}

// A Statement is what one statement of a session does to locks.
type Statement struct {
	SQL          string    `json:"sql"`
	Acquisitions []Taking  `json:"acquisitions"`
	Waits        []Waiting `json:"waits"`
	Releases     []Release `json:"releases"`
	Settings     []Setting `json:"settings"`
	Unknowns     []Unknown `json:"unknowns"`
	Error        *Error    `json:"error"`
}

// A Taking is one lock that a statement takes.
type Taking struct {
	Class    string   `json:"class"`
	Mode     string   `json:"mode"`
	Scope    string   `json:"scope"`
	Wait     string   `json:"wait"`
	Implicit bool     `json:"implicit"`
	Many     bool     `json:"many"`
	Order    string   `json:"order"`
	Rule     string   `json:"rule"`
	When     string   `json:"when"`
	Via      []string `json:"via"`
}

// A Waiting is a wait that is no lock of the families.
type Waiting struct {
	For  string `json:"for"`
	Rule string `json:"rule"`
}

// A Release is a class that a statement lets go of, or all of them.
type Release struct {
	Class string `json:"class"`
	All   bool   `json:"all"`
}

// A Setting is a parameter that a statement sets.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Local bool   `json:"local"`
}

// An Unknown is something that could not be told.
type Unknown struct {
	Reason string `json:"reason"`
}

// An Error says why a statement could not be read, and where.
type Error struct {
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`

	source string // the line
}

// Failed reports whether a statement of the session is in error.
func (r *Report) Failed() bool {
	for _, s := range r.Statements {
		if s.Error != nil {
			return true
		}
	}
	return r.Error != nil
}

// JSON returns the report in its JSON shape.
func (r *Report) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("writing the report: %w", err)
	}
	return b.Bytes(), nil
}

// Text returns the report for people: each statement with its locks in
// order.
func (r *Report) Text() string {
	var b strings.Builder
	for i, s := range r.Statements {
		if i > 0 {
			b.WriteByte('\n')
		}
		s.text(&b)
	}
	return b.String()
}

func (s *Statement) text(b *strings.Builder) {
	b.WriteString(printable(strings.Join(strings.Fields(s.SQL), " ")) + "\n")
	w := tabwriter.NewWriter(b, 0, 1, 2, ' ', 0)
	for i, t := range s.Acquisitions {
		fmt.Fprintf(w, "  %d\t%s\t%s\t%s\t%s\t%s\n", i+1, t.Class, t.Mode, t.rows(), t.Rule, t.notes())
	}
	w.Flush()
	for _, x := range s.Waits {
		fmt.Fprintf(b, "  waits for %s  %s\n", x.For, x.Rule)
	}
	for _, x := range s.Releases {
		if x.All {
			b.WriteString("  releases all\n")
		} else {
			fmt.Fprintf(b, "  releases %s\n", x.Class)
		}
	}
	for _, x := range s.Settings {
		local := ""
		if x.Local {
			local = " for the transaction"
		}
		fmt.Fprintf(b, "  sets %s to %q%s\n", x.Name, x.Value, local)
	}
	for _, x := range s.Unknowns {
		fmt.Fprintf(b, "  unknown: %s\n", x.Reason)
	}
	if s.Error != nil {
		fmt.Fprintf(b, "  error: line %d, column %d: %s\n", s.Error.Line, s.Error.Column, s.Error.Message)
		b.WriteString(s.Error.caret())
	}
}

// caret shows the line of an error and where in it the error is.
func (e *Error) caret() string {
	const before, after = 60, 40
	line := []rune(printable(strings.ReplaceAll(e.source, "\t", " ")))
	at := e.Column - 1
	if at < 0 || at > len(line) {
		return ""
	}
	from, to := max(0, at-before), min(len(line), at+after)
	return "    " + string(line[from:to]) + "\n    " + strings.Repeat(" ", at-from) + "^\n"
}

// printable puts a mark in place of control characters and what is no text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

func (t *Taking) rows() string {
	switch {
	case !t.Many:
		return ""
	case t.Order == "" || t.Order == "plan":
		return "several, in no fixed order"
	}
	return "several, " + t.Order
}

func (t *Taking) notes() string {
	var out []string
	if t.Scope != lockgraph.Transaction {
		out = append(out, t.Scope)
	}
	if t.Wait != lockgraph.Wait {
		out = append(out, t.Wait)
	}
	out = append(out, t.Via...)
	if t.When != "" {
		out = append(out, "when "+t.When)
	}
	return strings.Join(out, "; ")
}
