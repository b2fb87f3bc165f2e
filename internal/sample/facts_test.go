package sample

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// facts.txt lists, one a line, what a member of the team would write about
// the locks of the member console: "PLACE | TEXT", where PLACE is the name
// that a row of a table or an item of a list begins with, or a section of the
// page, and TEXT stands there word for word. A line "- | FACT | REASON" is a
// fact that the page leaves out.
const leastFacts = 120

func TestFacts(t *testing.T) {
	list, err := os.ReadFile(filepath.Join("testdata", "facts.txt"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(console, "docs", "database-locks.md"))
	if err != nil {
		t.Fatal(err)
	}
	told, left := 0, 0
	for i, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		place, text, _ := strings.Cut(line, " | ")
		if place == "-" {
			if _, why, ok := strings.Cut(text, " | "); !ok || why == "" {
				t.Errorf("facts.txt:%d: no reason why %q is left out", i+1, text)
			}
			left++
			continue
		}
		parts := placesOf(string(page), place)
		if len(parts) == 0 {
			t.Errorf("facts.txt:%d: the page has no place %q", i+1, place)
			continue
		}
		found := false
		for _, p := range parts {
			found = found || strings.Contains(p, text)
		}
		if !found {
			t.Errorf("facts.txt:%d: %s: the page does not say %q, only\n%s", i+1, place, text, strings.Join(parts, "\n"))
			continue
		}
		told++
	}
	t.Logf("%d facts on the page, %d left out", told, left)
	if told < leastFacts {
		t.Errorf("%d facts, want at least %d", told, leastFacts)
	}
}

// placesOf returns the sections, rows and list items of the page that begin
// with the name, each in one line.
func placesOf(page, name string) []string {
	var out []string
	if _, rest, ok := strings.Cut(page, "<!-- pglockdep:begin "+name+" -->"); ok {
		section, _, _ := strings.Cut(rest, "<!-- pglockdep:end ")
		return []string{strings.Join(strings.Fields(section), " ")}
	}
	var item []string
	flush := func() {
		if len(item) > 0 {
			out = append(out, strings.Join(strings.Fields(strings.Join(item, " ")), " "))
		}
		item = nil
	}
	for _, line := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(line, "| "+name+" "), strings.HasPrefix(line, "- "+name):
			flush()
			item = []string{line}
		case item != nil && strings.HasPrefix(line, "  "):
			item = append(item, line)
		default:
			flush()
		}
	}
	flush()
	return out
}
