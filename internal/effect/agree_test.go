package effect

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
)

// reportsTo names the file that the build with the other parser writes its
// reports to.
const reportsTo = "PGLOCKDEP_REPORTS"

var parsers = flag.Bool("parsers", false, "build the other parser too and compare")

// TestParsersAgree plays many sessions under both parsers and wants the same
// reports. The build with cgo runs the one without.
func TestParsersAgree(t *testing.T) {
	if file := os.Getenv(reportsTo); file != "" {
		b, err := json.Marshal(reports(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !*parsers || pgsql.ParserName() == "oliphant" {
		t.Skip("compares with -parsers, from the build with cgo")
	}
	file := filepath.Join(t.TempDir(), "reports.json")
	cmd := exec.Command("go", "test", "-tags", "purego", "-run", "^TestParsersAgree$", "-count=1", ".")
	cmd.Env = append(os.Environ(), reportsTo+"="+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the build without cgo: %v\n%s", err, out)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var other map[string]string
	if err := json.Unmarshal(b, &other); err != nil {
		t.Fatal(err)
	}
	own := reports(t)
	if len(own) < 150 {
		t.Errorf("%d sessions, want at least 150", len(own))
	}
	if diff := cmp.Diff(own, other); diff != "" {
		t.Errorf("the parsers disagree (-pg_query_go +oliphant):\n%s", diff)
	}
}

// reports plays the sessions of the test files, and each statement of the
// sample's migrations on its whole schema.
func reports(t *testing.T) map[string]string {
	out := map[string]string{}
	play := func(name string, c *schema.Catalog, text string) {
		r := Session(c, text)
		for i := range r.Statements {
			if e := r.Statements[i].Error; e != nil {
				e.Message = "syntax error" // worded by each parser
			}
		}
		out[name] = r.Text()
	}
	for _, file := range []string{"testdata/rules.txt", "testdata/live.txt"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(strings.TrimSpace(string(b)), "\n\n") {
			c := readCase(block)
			cat := schema.New()
			cat.Apply("schema.sql", strings.Join(c.schema, ";\n"))
			play(file+" "+c.name+" "+string(rune('a'+i%26)), cat, strings.Join(c.sql, ";\n"))
		}
	}
	f, err := os.Open("testdata/server15.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r recording
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		cat := schema.New()
		cat.Apply("schema.sql", strings.Join(r.Schema, ";\n"))
		play(r.ID, cat, strings.Join(r.SQL, ";\n"))
	}
	files, _ := filepath.Glob("../../testdata/memberconsole/migrations/*.sql")
	cat := schema.New()
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		play(filepath.Base(name), cat.Clone(), string(b))
		cat.Apply(name, string(b))
	}
	return out
}
