package change

import (
	"fmt"
	"io"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// Formats are the names that Write knows.
var Formats = []string{"text", "markdown", "json"}

// Write writes a delta in the named format.
func (d *Delta) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		return lockgraph.EncodeJSON(w, d)
	case "markdown":
		_, err := io.WriteString(w, d.markdown())
		return err
	}
	_, err := io.WriteString(w, d.text())
	return err
}

// warning is what a changed key means while it is rolled out.
const warning = "as long as old and new versions run side by side, they do not exclude each other"

// A part is one section: its title and its lines, each with lines below it.
type part struct {
	title string
	items []item
}

type item struct {
	text  string
	below []string
}

// parts are the sections that have something to say, what is new first.
func (d *Delta) parts(code func(string) string) []part {
	var out []part
	add := func(title string, items []item) {
		if len(items) > 0 {
			out = append(out, part{title, items})
		}
	}
	add("new locks", locks(d.NewLocks, code))
	var keys []item
	for _, k := range d.ChangedKeys {
		keys = append(keys, item{"the key of " + code(k.Name) + " is now " + code(k.New) + ", was " + code(k.Old), []string{"taken by " + short(k.TakenBy, code), "warning: " + warning}})
	}
	add("changed keys", keys)
	add("new order", orders(d.NewEdges, code, "is now taken while", "before, only the other way round was taken"))
	add("new findings", faults(d.NewFindings, code))
	add("removed locks", locks(d.GoneLocks, code))
	add("order no longer taken", orders(d.GoneEdges, code, "is no longer taken while", "it is taken the other way round now"))
	add("findings gone", faults(d.GoneFindings, code))
	return out
}

func locks(list []Lock, code func(string) string) []item {
	var out []item
	for _, l := range list {
		it := item{text: code(l.Name)}
		if len(l.TakenBy) > 0 {
			it.below = append(it.below, "taken by "+short(l.TakenBy, code))
		}
		if len(l.While) > 0 {
			it.below = append(it.below, "while holding "+named(l.While, code))
		}
		if len(l.Before) > 0 {
			it.below = append(it.below, "before "+named(l.Before, code))
		}
		out = append(out, it)
	}
	return out
}

func orders(list []Edge, code func(string) string, verb, reverse string) []item {
	var out []item
	for _, e := range list {
		it := item{text: fmt.Sprintf("%s (%s) %s %s (%s) is held", code(e.To), e.Wanted, verb, code(e.From), e.Held)}
		if e.Path != "" {
			it.below = append(it.below, fmt.Sprintf("by %s, %s:%d", code(lockgraph.Short(e.Path)), e.File, e.Line))
		}
		if e.Reverses {
			it.below = append(it.below, reverse)
		}
		out = append(out, it)
	}
	return out
}

func faults(list []lockgraph.Finding, code func(string) string) []item {
	var out []item
	for _, f := range list {
		at := f.File
		if f.Line > 0 {
			at += fmt.Sprintf(":%d", f.Line)
		}
		out = append(out, item{text: fmt.Sprintf("%s %s: %s [%s]", code(at), f.Severity, f.Message, f.Kind)})
	}
	return out
}

func short(funcs []string, code func(string) string) string {
	var out []string
	for _, f := range funcs {
		out = append(out, code(lockgraph.Short(f)))
	}
	return strings.Join(out, ", ")
}

func named(names []string, code func(string) string) string {
	var out []string
	for _, n := range names {
		out = append(out, code(n))
	}
	return strings.Join(out, ", ")
}

func (d *Delta) text() string {
	var b strings.Builder
	for i, p := range d.parts(func(s string) string { return s }) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.title + "\n")
		for _, it := range p.items {
			b.WriteString("    " + it.text + "\n")
			for _, l := range it.below {
				b.WriteString("        " + l + "\n")
			}
		}
	}
	if b.Len() == 0 {
		return "no lock, order, key or finding differs\n"
	}
	return b.String()
}

func (d *Delta) markdown() string {
	var b strings.Builder
	b.WriteString("## Database locks\n\n")
	for _, p := range d.parts(code) {
		b.WriteString("**" + strings.ToUpper(p.title[:1]) + p.title[1:] + "**\n\n")
		for _, it := range p.items {
			b.WriteString("- " + it.text + "\n")
			for _, l := range it.below {
				if rest, ok := strings.CutPrefix(l, "warning: "); ok {
					l = "⚠️ " + rest
				}
				b.WriteString("  - " + l + "\n")
			}
		}
		b.WriteByte('\n')
	}
	if d.Empty() {
		b.WriteString("This change takes no new lock, in no new order, under no new key.\n")
	}
	return b.String()
}

// code writes a name as Markdown shows code, whatever letters it has.
func code(s string) string {
	if s == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + strings.ReplaceAll(s, "\n", " ") + fence
}
