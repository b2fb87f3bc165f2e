package docgen

import (
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// PathsText writes paths as plain indented text, one step a line, for a
// terminal. Classes are looked up in m.
func PathsText(m *lockgraph.Manifest, paths []lockgraph.Path) string {
	whole := *m
	whole.Paths = paths
	b := newBook(&whole, Options{})
	var w strings.Builder
	for i, p := range paths {
		if i > 0 {
			w.WriteByte('\n')
		}
		w.WriteString(p.Entry + "\n")
		b.reachedText(&w, p.ReachedBy)
		b.stepsText(&w, p.Entry, p.Steps, 1)
	}
	return w.String()
}

// columns is the width of a terminal that the text is laid out for.
const columns = 80

// flow writes a line that starts with text; words that the terminal has no
// room for go on below it.
func flow(w *strings.Builder, pad, text string, words []string) {
	at := pad + text
	for _, word := range words {
		if len([]rune(at))+1+len([]rune(word)) > columns {
			w.WriteString(at + "\n")
			at = pad + "   "
		}
		at += " " + word
	}
	w.WriteString(at + "\n")
}

// reachedText writes what reaches a path: what enters the program from
// outside, then the functions on the way.
func (b *book) reachedText(w *strings.Builder, by []string) {
	var outside, on []string
	for _, r := range by {
		if lockgraph.EntryPoint(r) {
			outside = append(outside, r)
		} else {
			on = append(on, b.fn(r))
		}
	}
	word := "reached by"
	for _, names := range [][]string{outside, on} {
		if len(names) == 0 {
			continue
		}
		for i := range names[:len(names)-1] {
			names[i] += ","
		}
		flow(w, "  ", word, names)
		word = "through"
	}
}

func (b *book) stepsText(w *strings.Builder, entry string, steps []lockgraph.Step, depth int) {
	pad := strings.Repeat("  ", depth)
	for i := range steps {
		s := &steps[i]
		switch s.Do {
		case "lock":
			text, by := b.lockText(s), b.byText(entry, s)
			if all := strings.Join(append([]string{pad + text + " "}, by...), " "); len(by) == 0 || len([]rune(all)) <= columns {
				w.WriteString(strings.TrimRight(all, " ") + "\n")
				continue
			}
			w.WriteString(pad + text + "\n")
			flow(w, pad, "   ", by)
		case "tx":
			w.WriteString(pad + b.txText(s) + "\n")
			b.stepsText(w, entry, s.Steps, depth+1)
		case "branch":
			b.armsText(w, entry, oneSometimes(s).Arms, depth)
		case "loop":
			w.WriteString(pad + "for each " + b.turnsText(s) + ":\n")
			b.stepsText(w, entry, s.Steps, depth+1)
		case "see":
			w.WriteString(pad + "see " + s.Entry + "\n")
		case "external":
			w.WriteString(pad + "leaves the process: " + s.What + "\n")
		default:
			w.WriteString(pad + s.Do + "\n")
		}
	}
}

// armsText writes the arms of a branch; those that lock nothing are one line
// at the end, or none where one arm alone locks.
func (b *book) armsText(w *strings.Builder, entry string, arms []lockgraph.Arm, depth int) {
	pad := strings.Repeat("  ", depth)
	var locking []lockgraph.Arm
	for _, a := range arms {
		if len(a.Steps) > 0 {
			locking = append(locking, a)
		}
	}
	only := len(locking) == 1 && len(arms) > 1
	for j, a := range locking {
		head := "when " + a.When
		switch {
		case when(a.When) == "otherwise":
			head = "otherwise"
		case when(a.When) == "":
			head = map[bool]string{true: "either", false: "or"}[j == 0]
		}
		if only {
			head = "only " + strings.Replace(strings.Replace(head, "either", "in some cases", 1), "otherwise", "in the other cases", 1)
		}
		w.WriteString(pad + head + ":\n")
		b.stepsText(w, entry, a.Steps, depth+1)
	}
	if len(locking) < len(arms) && !only {
		w.WriteString(pad + "otherwise: nothing\n")
	}
}

// turnsText tells what a loop runs over and in which order.
func (b *book) turnsText(s *lockgraph.Step) string {
	over := s.Over
	switch {
	case over == "":
		over = "turn"
	case untyped.MatchString(over):
		over = "element of a list"
	}
	switch {
	case s.Order == "" && s.Each == "given":
		return over + ", in the order it has"
	case bareLoop(s) && b.routine(s) == "":
		return over
	}
	return over + ", " + strings.ReplaceAll(orderText(s.Order), "`", "")
}

func (b *book) lockText(s *lockgraph.Step) string {
	text := s.Class
	if c := b.classes[s.Class]; c != nil {
		text = c.Family + " " + c.Name
	}
	text += "  " + s.Mode
	switch {
	case s.Fresh && s.Mode == lockgraph.ForKeyShare:
		text += ", on a row of its own"
	case s.Fresh:
		text += ", new"
	case s.Implicit:
		text += ", implicit"
	}
	if s.Many {
		text += ", several " + strings.ReplaceAll(orderText(s.Order), "`", "")
	}
	if s.Wait != "" && s.Wait != lockgraph.Wait {
		text += ", " + s.Wait
	}
	switch s.Again {
	case "same":
		text += ", already held"
	case "maybe":
		text += ", perhaps already held"
	}
	return text
}

// byText names the functions through which a lock is taken, in words that a
// line can be broken between.
func (b *book) byText(entry string, s *lockgraph.Step) []string {
	var by []string
	for _, n := range s.By {
		if n := b.fn(n); n != b.fn(entry) && !strings.HasSuffix(b.fn(entry), "."+n) {
			by = append(by, n)
		}
	}
	for i := range by {
		if i == 0 {
			by[i] = "(" + by[i]
		}
		if i < len(by)-1 {
			by[i] += " >"
		} else {
			by[i] += ")"
		}
	}
	return by
}

func (b *book) txText(s *lockgraph.Step) string {
	text := "transaction"
	switch s.Handle {
	case "caller":
		text = "the caller's transaction"
	case "savepoint":
		text = "savepoint"
	case lockgraph.HandleConn:
		text = "pinned connection"
	}
	if s.Kind != "" {
		text += " " + b.fn(s.Kind)
	}
	if s.Timeout != "" {
		text += ", lock_timeout " + s.Timeout
	}
	if s.End == "rollback" && s.Handle != lockgraph.HandleConn {
		text += ", rolled back"
	}
	return text
}
