package effect

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestRules plays the statements of testdata/rules.txt, at least one session
// for every rule, and compares what they lock line by line.
func TestRules(t *testing.T) {
	const file = "testdata/rules.txt"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	var all []string
	for _, block := range strings.Split(strings.TrimSpace(string(b)), "\n\n") {
		got, rule := playBlock(block)
		tested[rule] = true
		all = append(all, got)
		if got != block && !*update {
			t.Errorf("%s: got\n%s\nwant\n%s", rule, got, block)
		}
	}
	for _, r := range Rules() {
		if !tested[r.ID] {
			t.Errorf("rule %s has no case", r.ID)
		}
		delete(tested, r.ID)
	}
	for id := range tested {
		t.Errorf("rule %s is not in the table", id)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(all, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// playBlock plays the sql lines of a block on its schema and returns the
// block with what they lock.
func playBlock(block string) (string, string) {
	c := schema.New()
	var head, sql []string
	rule := ""
	for _, line := range strings.Split(block, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "rule":
			rule = rest
			head = append(head, line)
		case "schema":
			c.Apply("schema.sql", rest)
			head = append(head, line)
		case "data", "known", "why", "offline":
			head = append(head, line) // for the server
		case "sql":
			sql = append(sql, rest)
		}
	}
	r := Session(c, strings.Join(sql, ";\n"))
	out := head
	for i, s := range r.Statements {
		out = append(out, "sql "+sql[i])
		out = append(out, lines(&s)...)
	}
	return strings.Join(out, "\n"), rule
}

func lines(s *Statement) []string {
	var out []string
	for _, q := range s.Acquisitions {
		line := "  " + q.Class + " | " + q.Mode
		for _, x := range []struct {
			on   bool
			text string
		}{
			{q.Scope != "transaction", q.Scope}, {q.Wait != "wait", q.Wait}, {q.Many, "several " + q.Order},
			{len(q.Via) > 0, strings.Join(q.Via, ", ")}, {q.When != "", "when " + q.When},
		} {
			if x.on {
				line += " | " + x.text
			}
		}
		out = append(out, line+" | "+q.Rule)
	}
	for _, w := range s.Waits {
		out = append(out, "  waits for "+w.For)
	}
	for _, x := range s.Releases {
		out = append(out, strings.TrimRight("  releases "+x.Class+map[bool]string{true: "all"}[x.All], " "))
	}
	for _, u := range s.Unknowns {
		out = append(out, "  unknown: "+u.Reason)
	}
	if s.Error != nil {
		out = append(out, fmt.Sprintf("  error: %d:%d %s", s.Error.Line, s.Error.Column, s.Error.Message))
	}
	return out
}
