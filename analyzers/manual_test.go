package analyzers

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/checktest"
	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var update = flag.Bool("update", false, "write the pages under docs/checks")

const pages = "../docs/checks"

// page returns the page of a check: its manual with its kinds.
func page(c *pass.Check) string {
	title, body, _ := strings.Cut(strings.TrimSpace(c.Doc), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- made from analyzers/%s/doc.md by go test ./analyzers -update -->\n\n# %s: %s\n\n", c.Name, c.Name, title)
	b.WriteString("| kind | severity | says |\n|---|---|---|\n")
	for _, k := range c.Kinds {
		kind, _ := lockgraph.KindOf(k)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k, kind.Severity, kind.Title)
	}
	fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(body))
	return b.String()
}

// index returns the list of all checks.
func index() string {
	var b strings.Builder
	b.WriteString("<!-- made by go test ./analyzers -update -->\n\n# The checks\n\n| check | finds | kinds |\n|---|---|---|\n")
	for _, c := range Checks {
		title, _, _ := strings.Cut(strings.TrimSpace(c.Doc), "\n")
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | `%s` |\n", c.Name, c.Name, title, strings.Join(c.Kinds, "` `"))
	}
	b.WriteString("\n`pglockdep explain CHECK` prints the same pages.\n")
	return b.String()
}

func TestPages(t *testing.T) {
	files := map[string]string{"README.md": index()}
	for _, c := range Checks {
		files[c.Name+".md"] = page(c)
	}
	if *update {
		if err := os.MkdirAll(pages, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		file := filepath.Join(pages, name)
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		old, err := os.ReadFile(file)
		if err != nil || string(old) != text {
			t.Errorf("docs/checks/%s is stale; go test ./analyzers -update writes it", name)
		}
	}
}

var sections = []string{"WRONG", "RIGHT", "What it cannot see", "How to silence it"}

func TestManualShape(t *testing.T) {
	for _, c := range Checks {
		title, _, _ := strings.Cut(strings.TrimSpace(c.Doc), "\n")
		if len(title) > 60 || strings.HasSuffix(title, ".") || title == "" || title[:1] != strings.ToLower(title[:1]) {
			t.Errorf("%s: title %q: at most 60 letters, lower case, no period", c.Name, title)
		}
		at := 0
		for _, s := range sections {
			i := strings.Index(c.Doc[at:], "\n## "+s+"\n")
			if i < 0 {
				t.Errorf("%s: no section %q in its place", c.Name, s)
				continue
			}
			at += i
		}
		for _, k := range c.Kinds {
			if kind, ok := lockgraph.KindOf(k); !ok || kind.Check != c.Name {
				t.Errorf("%s: kind %s is not one of its own", c.Name, k)
			}
		}
	}
}

const manualSchema = `CREATE TABLE accounts (id bigint PRIMARY KEY, owner bigint NOT NULL, cents bigint NOT NULL DEFAULT 0);
CREATE TABLE entries (id bigserial PRIMARY KEY, account_id bigint NOT NULL REFERENCES accounts (id), cents bigint NOT NULL);
CREATE TABLE jobs (id bigint PRIMARY KEY, queue text NOT NULL, state text NOT NULL);
`

const manualHead = `package shop

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/http"
	"slices"
	"time"
)

var (
	_ context.Context
	_ *sql.DB
	_ = driver.ErrBadConn
	_ = slices.Sort[[]int]
	_ *http.Client
	_ time.Duration
)

`

// says matches a line of a sample that bears a message.
var says = regexp.MustCompile(`^(.*\S)\s+// (.*\(.*\))$`)

// TestManualSamples runs each check on the samples of its manual: WRONG
// gives the messages that its lines bear, RIGHT gives none.
func TestManualSamples(t *testing.T) {
	for _, c := range Checks {
		t.Run(c.Name, func(t *testing.T) {
			wrong, want := module(t, sample(t, c.Doc, "WRONG"))
			if len(want) == 0 {
				t.Fatal("no line of WRONG bears a message")
			}
			got := map[int][]string{}
			for _, f := range c.Run(checktest.View(t, wrong)) {
				if f.Severity != lockgraph.SeverityNote {
					got[f.Line] = append(got[f.Line], f.Message)
				}
			}
			for line, message := range want {
				found := false
				for _, m := range got[line] {
					found = found || m == message
				}
				if !found {
					t.Errorf("line %d of WRONG bears\n\t%s\nthe check says\n\t%s", line, message, strings.Join(got[line], "\n\t"))
				}
			}
			right, _ := module(t, sample(t, c.Doc, "RIGHT"))
			for _, f := range c.Run(checktest.View(t, right)) {
				if f.Severity != lockgraph.SeverityNote {
					t.Errorf("line %d of RIGHT: %s", f.Line, f.Message)
				}
			}
		})
	}
}

// sample returns the Go code of a section.
func sample(t *testing.T, doc, section string) string {
	t.Helper()
	_, rest, ok := strings.Cut(doc, "\n## "+section+"\n")
	_, rest, ok2 := strings.Cut(rest, "```go\n")
	code, _, ok3 := strings.Cut(rest, "```")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("no Go sample in section %s", section)
	}
	return code
}

// module writes a sample as a module and returns its directory and which
// line bears which message.
func module(t *testing.T, code string) (dir string, messages map[int]string) {
	t.Helper()
	dir = t.TempDir()
	text := manualHead + code
	messages = map[int]string{}
	for i, l := range strings.Split(text, "\n") {
		if m := says.FindStringSubmatch(l); m != nil {
			messages[i+1] = m[2]
		}
	}
	for name, data := range map[string]string{"go.mod": "module example.test/shop\n\ngo 1.26\n", "schema.sql": manualSchema, "shop.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, messages
}
