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
		reachedText(&w, p.ReachedBy)
		b.stepsText(&w, p.Entry, p.Steps, 1)
	}
	return w.String()
}

// reachedText writes what reaches a path: what enters the program from
// outside, then the functions on the way.
func reachedText(w *strings.Builder, by []string) {
	var outside, on []string
	for _, r := range by {
		if lockgraph.EntryPoint(r) {
			outside = append(outside, r)
		} else {
			on = append(on, r)
		}
	}
	word := "reached by"
	for _, names := range [][]string{outside, on} {
		if len(names) > 0 {
			w.WriteString("  " + word + " " + strings.Join(names, ", ") + "\n")
			word = "through"
		}
	}
}

func (b *book) stepsText(w *strings.Builder, entry string, steps []lockgraph.Step, depth int) {
	pad := strings.Repeat("  ", depth)
	for i := range steps {
		s := &steps[i]
		switch s.Do {
		case "lock":
			w.WriteString(pad + b.lockText(entry, s) + "\n")
		case "tx":
			w.WriteString(pad + b.txText(s) + "\n")
			b.stepsText(w, entry, s.Steps, depth+1)
		case "branch":
			for j, a := range s.Arms {
				head := "when " + a.When
				switch {
				case when(a.When) == "otherwise":
					head = "otherwise"
				case a.When == "":
					head = map[bool]string{true: "either", false: "or"}[j == 0]
				}
				if len(a.Steps) == 0 {
					w.WriteString(pad + head + ": nothing\n")
					continue
				}
				w.WriteString(pad + head + ":\n")
				b.stepsText(w, entry, a.Steps, depth+1)
			}
		case "loop":
			over := s.Over
			if over == "" {
				over = "turn"
			}
			w.WriteString(pad + "for each " + over + ", " + strings.ReplaceAll(orderText(s.Order), "`", "") + ":\n")
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

func (b *book) lockText(entry string, s *lockgraph.Step) string {
	text := s.Class
	if c := b.classes[s.Class]; c != nil {
		text = c.Family + " " + c.Name
	}
	text += "  " + s.Mode
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
	var by []string
	for _, n := range s.By {
		if n := b.fn(n); n != b.fn(entry) && !strings.HasSuffix(b.fn(entry), "."+n) {
			by = append(by, n)
		}
	}
	if len(by) > 0 {
		text += "  (" + strings.Join(by, " > ") + ")"
	}
	return text
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
