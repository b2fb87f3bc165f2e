package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/pglog"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var logCommand = &command{
	name: "log", args: "[flags] FILE | -",
	short: "tell which code is on the sides of the deadlocks in a log",
	long: `Log reads the deadlock reports in a log of PostgreSQL (text with any prefix and
in any language, csvlog, jsonlog) and finds the code of the program around on
their sides: where the waiting statement is run, which lock it wants there,
and which of what it holds the others wait for. Exit code 0 whatever it finds.`,
	examples: []string{"log server.log"},
	flags:    func(c *invocation) { c.packageFlags() },
	run:      runLog,
}

func runLog(c *invocation) error {
	if len(c.args) != 1 {
		return hint(errors.New("log wants one file"), "or - to read standard input")
	}
	in := c.stdin
	if name := c.args[0]; name != "-" {
		f, err := os.Open(joined(c.workdir(), name))
		if err != nil {
			return fmt.Errorf("reading the log: %w", err)
		}
		defer f.Close()
		in = f
	}
	l, err := pglog.Read(in)
	if err != nil {
		return fmt.Errorf("reading the log: %w", err)
	}
	if n := len(l.Bare); n > 0 {
		fmt.Fprintf(c.stdout, "%d deadlocks without their processes (first on line %d): the server logs with log_error_verbosity = terse\n", n, l.Bare[0])
	}
	if n := len(l.Clients); n > 0 {
		fmt.Fprintf(c.stdout, "%d errors that a program saw (first on line %d): the log of the server tells the processes\n", n, l.Clients[0])
	}
	if len(l.Reports) == 0 {
		fmt.Fprintln(c.stdout, "no deadlock report")
		return nil
	}
	c.args = nil
	a, err := c.analyze()
	if err != nil {
		return err
	}
	c.progress.clear()
	for i := range l.Reports {
		if i > 0 {
			fmt.Fprintln(c.stdout)
		}
		tellReport(c.stdout, a.view.Manifest, &l.Reports[i])
	}
	return nil
}

// A party is one process of a report with the places in the program that run
// its statement.
type party struct {
	wait  pglog.Wait
	text  string
	sites []lockgraph.Acquisition
}

func tellReport(w io.Writer, m *lockgraph.Manifest, r *pglog.Report) {
	fmt.Fprintf(w, "line %d: deadlock of %d processes\n", r.Line, len(r.Waits))
	parties := make([]party, len(r.Waits))
	for i, wait := range r.Waits {
		text := r.Statements[wait.Process]
		parties[i] = party{wait, text, sites(m, text, &wait, r.Relations)}
	}
	for i := range parties {
		p := &parties[i]
		victim := ""
		if i == 0 {
			victim = ", the victim,"
		}
		fmt.Fprintf(w, "  process %d%s waits for %s on %s, held by %d\n", p.wait.Process, victim, p.wait.Mode, objectText(&p.wait.Object, r.Relations), p.wait.BlockedBy)
		fmt.Fprintf(w, "    runs %s\n", oneLine(p.text))
		told := map[string]bool{}
		holding := wanted(parties, p.wait.Process)
		for _, s := range surest(m, p.sites, holding) {
			line := fmt.Sprintf("    %s:%d  %s wants %s (%s)", s.File, s.Line, s.Func, classText(m, s.Class), s.Mode)
			if !told[line] {
				told[line] = true
				fmt.Fprintln(w, line)
			}
			for _, held := range heldBefore(m, s, holding) {
				if !told[held] {
					told[held] = true
					fmt.Fprintln(w, "      "+held)
				}
			}
		}
		if len(p.sites) == 0 {
			fmt.Fprintln(w, "    "+nowhere(p.text))
		}
	}
	for _, f := range m.Findings {
		if covers(&f, parties) {
			fmt.Fprintf(w, "  %s:%d: %s: %s\n", f.File, f.Line, f.Severity, f.Fingerprint)
		}
	}
}

// surest keeps the places at which something is held that the others want,
// where there are any.
func surest(m *lockgraph.Manifest, sites []lockgraph.Acquisition, holding map[string]bool) []lockgraph.Acquisition {
	var out []lockgraph.Acquisition
	for _, s := range sites {
		if len(heldBefore(m, s, holding)) > 0 {
			out = append(out, s)
		}
	}
	if len(out) > 0 {
		return out
	}
	return sites
}

// nowhere says why no place of the program runs a statement.
func nowhere(text string) string {
	switch strings.ToUpper(strings.TrimRight(strings.TrimSpace(text), "; ")) {
	case "COMMIT", "END":
		return "the wait is in COMMIT: deferred constraints and triggers run there"
	case "":
		return "the report does not tell its statement"
	}
	return "no statement of the program that takes a lock reads so"
}

// sites returns the places that run the statement of a waiting process: all
// that take locks in it, those of the awaited kind where there are any.
func sites(m *lockgraph.Manifest, text string, w *pglog.Wait, relations []string) []lockgraph.Acquisition {
	want := bones(text)
	if want == "" {
		return nil
	}
	var all, fit []lockgraph.Acquisition
	for _, a := range m.Acquisitions {
		if got := bones(a.SQL); got != want && !(len(want) >= cutOff && strings.HasPrefix(got, want)) {
			continue
		}
		all = append(all, a)
		family, _, _ := strings.Cut(a.Class, " ")
		if family == familyOf(w.Object.Type) && (family != lockgraph.Row || len(relations) == 0 || ofRelation(m, a.Class, relations)) {
			fit = append(fit, a)
		}
	}
	if len(fit) > 0 {
		return fit
	}
	return all
}

// cutOff is the least length at which a statement may have been cut off by
// the server (track_activity_query_size, at least 100 bytes), its literals
// taken out.
const cutOff = 60

// familyOf returns the lock family that an awaited object belongs to: a row
// shows as the transaction that holds it.
func familyOf(object string) string {
	switch object {
	case "advisory":
		return lockgraph.Advisory
	case "relation":
		return lockgraph.Table
	}
	return lockgraph.Row
}

func ofRelation(m *lockgraph.Manifest, class string, relations []string) bool {
	for i := range m.Classes {
		if m.Classes[i].ID == class {
			rel := m.Classes[i].Relation
			return slices.Contains(relations, rel[strings.LastIndexByte(rel, '.')+1:])
		}
	}
	return false
}

var (
	comments = lazyregexp.New(`(?s)/\*.*?\*/|--[^\n]*`)
	values   = lazyregexp.New(`'(?:[^']|'')*'|\$\d+|\?|\b\d+(?:\.\d+)?\b`)
	spaces   = lazyregexp.New(`\s+`)
	marks    = lazyregexp.New(`\s*([(),=<>;])\s*`)
)

// bones returns a statement without what differs from call to call: values,
// comments, case, spaces, quotes around names.
func bones(text string) string {
	text = comments.ReplaceAllString(text, " ")
	text = values.ReplaceAllString(text, "?")
	text = strings.ToLower(strings.ReplaceAll(text, `"`, ""))
	text = marks.ReplaceAllString(text, "$1")
	return strings.Trim(spaces.ReplaceAllString(text, " "), " ;")
}

// wanted returns the classes that others want of a process.
func wanted(parties []party, process int) map[string]bool {
	out := map[string]bool{}
	for _, p := range parties {
		if p.wait.BlockedBy == process {
			for _, s := range p.sites {
				out[s.Class] = true
			}
		}
	}
	return out
}

// heldBefore lists the paths on which the class of an acquisition is taken
// there while one of the classes is held.
func heldBefore(m *lockgraph.Manifest, at lockgraph.Acquisition, classes map[string]bool) []string {
	var out []string
	for _, e := range m.Edges {
		n := len(e.Witness)
		if e.To != at.Class || !classes[e.From] || n == 0 || e.Witness[n-1].File != at.File || e.Witness[n-1].Line != at.Line {
			continue
		}
		for _, f := range e.Witness[:n-1] {
			if strings.HasPrefix(f.Does, "acquires ") {
				out = append(out, fmt.Sprintf("in %s it holds %s (%s), taken at %s:%d", e.Witness[0].Func, classText(m, e.From), e.Held, f.File, f.Line))
				break
			}
		}
	}
	return out
}

// covers reports whether a finding about order names what two sides want.
func covers(f *lockgraph.Finding, parties []party) bool {
	kind, _ := lockgraph.KindOf(f.Kind)
	if kind.Check != "lockorder" && kind.Check != "lockmany" && kind.Check != "lockupgrade" {
		return false
	}
	met := 0
	for _, p := range parties {
		if slices.ContainsFunc(p.sites, func(s lockgraph.Acquisition) bool {
			return f.File == s.File && f.Line == s.Line ||
				slices.ContainsFunc(f.Related, func(r lockgraph.Frame) bool { return r.File == s.File && r.Line == s.Line })
		}) {
			met++
		}
	}
	return met == len(parties) && met > 0
}

func classText(m *lockgraph.Manifest, id string) string {
	for i := range m.Classes {
		if m.Classes[i].ID == id {
			return m.Classes[i].Display()
		}
	}
	return id
}

func objectText(o *pglog.Object, relations []string) string {
	switch {
	case o.Type == "advisory" && o.Form == "bigint":
		return "advisory lock " + strconv.FormatInt(o.Key, 10)
	case o.Type == "advisory":
		return fmt.Sprintf("advisory lock (%d, %d)", o.Key1, o.Key2)
	case o.Type == "transaction" && len(relations) > 0:
		return "a row (transaction " + o.ID + "; the context names " + strings.Join(relations, ", ") + ")"
	case o.Type == "transaction":
		return "a row (transaction " + o.ID + ")"
	case o.Type == "virtualxid":
		return "the end of transaction " + o.ID
	case o.Type == "tuple":
		return fmt.Sprintf("row %s of relation %d", o.Tuple, o.Relation)
	case o.Type == "relation":
		return fmt.Sprintf("relation %d", o.Relation)
	}
	return "something else"
}

// oneLine shortens a statement for the report.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 120 {
		text = string(r[:119]) + "…"
	}
	if text == "" {
		return "a statement that the report leaves out"
	}
	return text
}
