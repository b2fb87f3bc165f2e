package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/report"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// explainProgram explains a lock or a finding of the program around. It
// returns the names of both when nothing has the one asked for; a program
// that cannot be read has none.
func (c *invocation) explainProgram(asked string) (found bool, names []string) {
	c.args = nil
	a, err := c.analyze()
	c.progress.clear()
	if err != nil {
		return false, nil
	}
	m := a.view.Manifest
	for _, f := range findingsNamed(m, asked) {
		explainFinding(c, &f)
		found = true
	}
	if found {
		return true, nil
	}
	locks := locksNamed(m, asked)
	for i := range locks {
		if i > 0 {
			fmt.Fprintln(c.stdout)
		}
		explainLock(c.stdout, m, locks[i])
	}
	for i := range m.Classes {
		names = append(names, strings.TrimSuffix(m.Classes[i].Name, ":"))
	}
	for _, f := range m.Findings {
		names = append(names, f.Fingerprint)
	}
	return len(locks) > 0, names
}

// findingsNamed returns the findings with a fingerprint, or at a place.
func findingsNamed(m *lockgraph.Manifest, asked string) []lockgraph.Finding {
	var out []lockgraph.Finding
	for _, f := range m.Findings {
		if f.Fingerprint == asked || f.File != "" && fmt.Sprintf("%s:%d", f.File, f.Line) == asked {
			out = append(out, f)
		}
	}
	return out
}

// explainFinding prints a finding whole, with how it is accepted.
func explainFinding(c *invocation, f *lockgraph.Finding) {
	text := report.Options{Color: color(c.stdout), Bare: true}
	_ = report.Text(c.stdout, []lockgraph.Finding{*f}, nil, text) // standard output is all there is
	kind, _ := lockgraph.KindOf(f.Kind)
	fmt.Fprintf(c.stdout, "    fingerprint: %s\n", f.Fingerprint)
	if kind.Title != "" {
		fmt.Fprintf(c.stdout, "    %s: %s; pglockdep explain %s tells what is right\n", f.Kind, kind.Title, f.Kind)
		fmt.Fprintf(c.stdout, "    to accept it: //pglockdep:ignore %s REASON above the line\n", f.Kind)
	}
	fmt.Fprintln(c.stdout)
}

// locksNamed returns the classes that a name means: all of them where it is
// the relation of several.
func locksNamed(m *lockgraph.Manifest, asked string) []*lockgraph.Class {
	var out []*lockgraph.Class
	for i := range m.Classes {
		c := &m.Classes[i]
		names := []string{c.ID, c.Name, c.Relation, c.Display(), c.Family + " " + c.Name, c.Family + " " + c.Relation}
		if c.Key != nil {
			names = append(names, c.Key.Prefix, c.Key.Constant, c.Key.Expr)
		}
		if slices.ContainsFunc(names, func(n string) bool {
			return n != "" && (strings.EqualFold(n, asked) || strings.EqualFold(strings.TrimSuffix(n, ":"), asked))
		}) {
			out = append(out, c)
		}
	}
	return out
}

// explainLock prints what the manifest knows of one class.
func explainLock(w io.Writer, m *lockgraph.Manifest, c *lockgraph.Class) {
	fmt.Fprintln(w, c.Display())
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %-11s %s\n", name, text)
		}
	}
	row("id", c.ID)
	row("serializes", c.Serializes)
	row("relation", c.Relation)
	row("partition", c.PartitionOf)
	if k := c.Key; k != nil {
		row("key", k.Expr)
		row("made by", strings.Join(strings.Fields(k.Derivation+" "+k.Hash), " ")+", "+k.Space)
		row("constant", k.Constant)
		if !k.Prefixed {
			row("namespace", "none: another family or library can use the same number")
		}
	}
	section(w, "taken by", takers(m, c.ID))
	section(w, "taken next, while this is held", edges(m, c.ID, true))
	section(w, "held, when this is taken", edges(m, c.ID, false))
	var lines []string
	for _, p := range takingPaths(m, m.Paths, c.ID) {
		lines = append(lines, p.Entry)
	}
	section(w, "paths", lines)
	lines = nil
	for _, f := range m.Findings {
		if strings.Contains(f.Message, c.Display()) {
			lines = append(lines, fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Severity, f.Fingerprint))
		}
	}
	section(w, "findings", lines)
}

func section(w io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s\n", title)
	for _, l := range lines {
		fmt.Fprintf(w, "    %s\n", l)
	}
}

// takers lists where a class is taken, each place and mode once.
func takers(m *lockgraph.Manifest, id string) []string {
	var out []string
	for _, a := range m.Acquisitions {
		if a.Class != id {
			continue
		}
		words := []string{fmt.Sprintf("%s:%d", a.File, a.Line), lockgraph.Short(a.Func), a.Mode, a.Scope}
		if a.Query != "" {
			words = append(words, "query "+a.Query)
		}
		if len(a.SQLFunc) > 0 {
			words = append(words, "by "+strings.Join(a.SQLFunc, ", "))
		}
		if a.Wait != lockgraph.Wait {
			words = append(words, a.Wait)
		}
		if a.Implicit {
			words = append(words, "by the statement itself")
		}
		if line := strings.Join(words, "  "); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// edges lists the classes on the other ends of the edges from or to a class,
// each with its modes and one path that shows it.
func edges(m *lockgraph.Manifest, id string, from bool) []string {
	display := func(id string) string {
		for i := range m.Classes {
			if m.Classes[i].ID == id {
				return m.Classes[i].Display()
			}
		}
		return id
	}
	var out []string
	seen := map[string]bool{}
	for _, e := range m.Edges {
		text := ""
		switch {
		case from && e.From == id:
			text = fmt.Sprintf("%s (%s), held %s", display(e.To), e.Wanted, e.Held)
		case !from && e.To == id:
			text = fmt.Sprintf("%s (%s), taken %s", display(e.From), e.Held, e.Wanted)
		}
		if text == "" || seen[text] {
			continue
		}
		seen[text] = true
		if n := len(e.Witness); n > 0 {
			last := e.Witness[n-1]
			text += fmt.Sprintf("  %s:%d  %s", last.File, last.Line, lockgraph.Short(e.Witness[0].Func))
		}
		out = append(out, text)
	}
	return out
}
