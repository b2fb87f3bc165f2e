package pass

import (
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A Fault is a finding as a check states it.
type Fault struct {
	Kind     string
	Severity string   // "" is the kind's own
	Message  string   // the fact, then the consequence in parentheses
	Hint     string   // the remedy
	Names    []string // what tells it from others of its kind at the same function: class names
	Cut      string   // why it is a guess; it is then one step less severe
	Related  []lockgraph.Frame
	File     string // place other than the node's: a statement of a SQL file, a call on the way
	Line     int
	Func     string // of that place; "" is the node's
}

// A Collector gathers the findings of a check over all traces: one for each
// kind and place, with the shortest witness.
type Collector struct {
	check string
	view  *prog.View
	at    map[place]*lockgraph.Finding
}

type place struct {
	kind, file string
	line       int
	names      string
}

// Collect returns an empty collector for a check of a view.
func Collect(check string, v *prog.View) *Collector {
	return &Collector{check: check, view: v, at: map[place]*lockgraph.Finding{}}
}

// Add reports f at the node of trace tr. A kind that says that something is
// missing is not reported where some callee is out of sight.
func (c *Collector) Add(tr *prog.Trace, n *prog.Node, f Fault) {
	kind, _ := lockgraph.KindOf(f.Kind)
	if kind.Missing && c.view.Modular && len(tr.Holes)+len(tr.Cuts) > 0 {
		return
	}
	if f.Severity == "" {
		f.Severity = kind.Severity
	}
	if f.Cut == "" && tr.Uncalled {
		f.Cut = lockgraph.CutContexts
	}
	if f.Cut != "" {
		f.Severity = Lower(f.Severity)
	}
	out := &lockgraph.Finding{Check: c.check, Kind: f.Kind, Severity: f.Severity, File: n.Pos.File, Line: n.Pos.Line, Func: n.Fn.Key,
		Message: f.Message, Hint: f.Hint, Cut: f.Cut, Related: f.Related}
	if f.File != "" {
		out.File, out.Line = f.File, f.Line
	}
	if f.Func != "" {
		out.Func = f.Func
	}
	out.Fingerprint = strings.Join(append(append([]string{f.Kind}, f.Names...), out.Func), "/")
	key := place{f.Kind, out.File, out.Line, strings.Join(f.Names, "/")}
	if old := c.at[key]; old == nil || better(out, old) {
		c.at[key] = out
	}
}

// better prefers the surer finding, then the one with the shorter witness.
func better(a, b *lockgraph.Finding) bool {
	if x, y := weight(a.Severity), weight(b.Severity); x != y {
		return x > y
	}
	if x, y := len(a.Related), len(b.Related); x != y {
		return x < y
	}
	if a.Message != b.Message {
		return a.Message < b.Message
	}
	for i := range a.Related {
		if x, y := a.Related[i], b.Related[i]; x != y {
			return x.File < y.File || x.File == y.File && (x.Line < y.Line || x.Line == y.Line && x.Does < y.Does)
		}
	}
	return false
}

// Findings returns what was gathered, sorted.
func (c *Collector) Findings() []lockgraph.Finding {
	out := make([]lockgraph.Finding, 0, len(c.at))
	for _, f := range c.at {
		out = append(out, *f)
	}
	lockgraph.SortFindings(out)
	return out
}

func weight(severity string) int {
	switch severity {
	case lockgraph.SeverityError:
		return 3
	case lockgraph.SeverityWarning:
		return 2
	}
	return 1
}

// Lower returns the severity one step below s.
func Lower(s string) string {
	if s == lockgraph.SeverityError {
		return lockgraph.SeverityWarning
	}
	return lockgraph.SeverityNote
}

// Join returns the frames that lead to the first place and then to the
// second; what both share is told once.
func Join(a, b []lockgraph.Frame) []lockgraph.Frame {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return append(append([]lockgraph.Frame{}, a...), b[n:]...)
}

// Takes calls fn for every acquisition of the view.
func Takes(v *prog.View, fn func(tr *prog.Trace, t *prog.Take)) {
	for _, tr := range v.Traces {
		tr.Each(func(n *prog.Node) {
			if n.Kind == prog.OpAcquire && n.Take != nil {
				fn(tr, n.Take)
			}
		}, prog.OpAcquire)
	}
}

// Blocks reports whether a take can wait for another session: not for rows
// that its statement holds already.
func Blocks(t *prog.Take) bool {
	return (t.Wait == lockgraph.Wait || t.Wait == "") && !t.Acq.Held
}

// InTransaction reports whether n takes part in a transaction that outlives
// its statement, as far as is known.
func InTransaction(c *prog.Conn) bool {
	return c.How == "tx" || c.How == "savepoint" || c.How == "param" && c.Static == "tx"
}
