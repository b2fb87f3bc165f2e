package schema

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDump reads what pg_dump wrote of a schema, rows of COPY and lines for
// psql included, and wants the catalog of the schema's own text.
func TestDump(t *testing.T) {
	read := func(name string) *Catalog {
		b, err := os.ReadFile(filepath.Join("testdata/dump", name))
		if err != nil {
			t.Fatal(err)
		}
		c := New()
		c.applyText(name, string(b), 1)
		for _, p := range c.Problems {
			t.Errorf("%s:%d: %s", p.File, p.Line, p.Message)
		}
		return c
	}
	source, dumped := read("source.sql"), read("dump.sql")
	if a, b := names(source), names(dumped); !same(a, b) {
		t.Errorf("relations %s, dumped %s", a, b)
	}
	for name := range source.Relations {
		if diff := cmp.Diff(settled(dump(source, name)), settled(dump(dumped, name))); diff != "" {
			t.Errorf("%s: as written, as dumped:\n%s", name, diff)
		}
	}
	for name, fs := range source.Functions {
		for i, f := range fs {
			g := dumped.Functions[name]
			if i >= len(g) || !f.sameInputs(g[i]) || f.Language != g[i].Language || f.Settings["search_path"] != g[i].Settings["search_path"] || len(g[i].Body) == 0 {
				t.Errorf("function %s is dumped as %+v", name, g)
			}
		}
	}
	if diff := cmp.Diff(len(source.Domains["posint"]), len(dumped.Domains["posint"])); diff != "" {
		t.Error(diff)
	}
}

func same(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// settled is a dump of a relation in one order and spelling: the server
// writes expressions in its own, and names the indexes of partitions.
func settled(s string) []string {
	var out []string
	for _, l := range strings.Split(strings.TrimSpace(s), "\n") {
		word, rest, _ := strings.Cut(l, " ")
		switch word {
		case "view", "check", "policy", "rule":
			l, _, _ = strings.Cut(rest, " ")
			if word == "view" {
				l = ""
			}
		case "index":
			if strings.Contains(s, "\nof ") {
				continue
			}
		case "r", "p", "v", "m", "S", "by", "of", "inherits", "col", "fk", "trigger":
		default:
			continue // a line within an expression
		}
		out = append(out, word+strings.NewReplacer("(", "", ")", "", "::text", "", "::integer", "", " ", "").Replace(l))
	}
	slices.Sort(out)
	return out
}
