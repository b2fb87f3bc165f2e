package sample

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/docgen"
)

// TestPage keeps the sample's page as `pglockdep docs` writes it.
func TestPage(t *testing.T) {
	e, v := setUp(t)
	name := filepath.Join(console, "docs", "database-locks.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := docgen.Render(page, v.Manifest, docgen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if string(fresh) != string(page) {
		t.Errorf("testdata/memberconsole/docs/database-locks.md is stale; make generate writes it\n%s",
			docgen.UnifiedDiff(page, fresh, "database-locks.md", "database-locks.md (generated)"))
	}
	if want := "**Advisory keys are built in 4 ways**"; !strings.Contains(string(fresh), want) {
		t.Errorf("the page does not say %s", want)
	}
	for _, l := range e.Locks {
		want := l.KeyExpr
		if l.Family == "row" {
			want = l.Relation
		}
		if want = strings.ReplaceAll(want, "|", `\|`); !strings.Contains(string(fresh), "`"+want+"`") {
			t.Errorf("the page does not tell the %s lock by `%s`", l.Name, want)
		}
	}
}
