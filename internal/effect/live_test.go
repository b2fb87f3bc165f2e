package effect

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/schema"
)

// A liveCase is a session to run on a server: a schema, the rows in it, and
// statements.
type liveCase struct {
	name         string
	schema, data []string
	sql          []string
	offline      string // why it is not run
	known        []string
}

// TestRulesLive runs the sessions of testdata/rules.txt, which has one for
// every rule, and those of the other files on a real server, and compares what
// the server took, and in which order, with what is told.
func TestRulesLive(t *testing.T) {
	r := newRecorder(t)
	files := []string{"testdata/rules.txt", "testdata/live.txt", "testdata/shapes.txt"}
	if more := os.Getenv("PGLOCKDEP_LIVE"); more != "" {
		files = []string{more}
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(strings.TrimSpace(string(b)), "\n\n") {
			c := readCase(block)
			t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
				if c.offline == "" {
					c.compare(t, r)
				}
			})
		}
	}
}

// standard holds the tables that many cases use.
var standard = map[string]struct {
	schema []string
	data   string
}{
	"acct":   {[]string{"CREATE TABLE acct(id int PRIMARY KEY, email text UNIQUE, bal int NOT NULL DEFAULT 0, note text)"}, "INSERT INTO acct SELECT g, 'u' || g, 100 * g, 'n' FROM generate_series(1, 5) g"},
	"parent": {[]string{"CREATE TABLE parent(id int PRIMARY KEY, code text UNIQUE, name text)"}, "INSERT INTO parent SELECT g, 'c' || g, 'p' || g FROM generate_series(1, 5) g"},
	"child": {[]string{"CREATE TABLE child(id int PRIMARY KEY, parent_id int REFERENCES parent(id), v int)", "CREATE INDEX child_parent_idx ON child(parent_id)"},
		"INSERT INTO child VALUES (11, 1, 0), (12, 1, 0), (21, 2, 0)"},
	"ta": {[]string{"CREATE TABLE ta(id int PRIMARY KEY, bid int, v int)"}, "INSERT INTO ta VALUES (1, 1, 0), (2, 2, 0), (3, NULL, 0)"},
	"tb": {[]string{"CREATE TABLE tb(id int PRIMARY KEY, v int)"}, "INSERT INTO tb VALUES (1, 0), (2, 0), (3, 0)"},
	"pt": {[]string{"CREATE TABLE pt(id int, k int, v int, PRIMARY KEY (id, k)) PARTITION BY LIST (k)", "CREATE TABLE pt1 PARTITION OF pt FOR VALUES IN (1)",
		"CREATE TABLE pt2 PARTITION OF pt FOR VALUES IN (2)", "CREATE TABLE pt3 PARTITION OF pt FOR VALUES IN (3)"}, "INSERT INTO pt SELECT g, 1 + g % 3, 0 FROM generate_series(1, 6) g"},
	"k": {[]string{"CREATE TABLE k(id int PRIMARY KEY, u int UNIQUE, un int, p int, x int, d int, inc int, m1 int, m2 int, plain int, nn int)", "CREATE UNIQUE INDEX k_un ON k(un)",
		"CREATE UNIQUE INDEX k_partial ON k(p) WHERE p > 0", "CREATE UNIQUE INDEX k_expr ON k((x + 0))", "ALTER TABLE k ADD CONSTRAINT k_d UNIQUE (d) DEFERRABLE",
		"CREATE UNIQUE INDEX k_m ON k(m1, m2) INCLUDE (inc)", "CREATE INDEX k_plain ON k(plain)"}, "INSERT INTO k SELECT g, g, g, g, g, g, g, g, g, g, g FROM generate_series(1, 3) g"},
	"x": {[]string{"CREATE TABLE x1(id int, v int)", "CREATE TABLE x2(id int, v int)", "CREATE TABLE x3(id int, v int)", "CREATE TABLE x4(id int, v int)", "CREATE TABLE x5(id int, v int)"},
		"INSERT INTO x1 VALUES (1, 1); INSERT INTO x2 VALUES (1, 1); INSERT INTO x3 VALUES (1, 1); INSERT INTO x4 VALUES (1, 1); INSERT INTO x5 VALUES (1, 1)"},
}

func readCase(block string) *liveCase {
	c := &liveCase{}
	for _, line := range strings.Split(block, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "rule", "case":
			c.name = rest
		case "use":
			for _, n := range strings.Fields(rest) {
				c.schema = append(c.schema, standard[n].schema...)
				c.data = append(c.data, standard[n].data)
			}
		case "schema":
			c.schema = append(c.schema, rest)
		case "data":
			c.data = append(c.data, rest)
		case "sql":
			c.sql = append(c.sql, rest)
		case "offline":
			c.offline = rest
		case "known":
			c.known = append(c.known, rest)
		}
	}
	return c
}

// compare runs a case; differences that stand under "known" are limits that
// must still be there.
func (c *liveCase) compare(t *testing.T, r *recorder) {
	cat := schema.New()
	cat.Apply("schema.sql", strings.Join(c.schema, ";\n"))
	report := Session(cat, strings.Join(c.sql, ";\n"))
	if len(report.Statements) != len(c.sql) {
		t.Fatalf("%d statements are read, want %d", len(report.Statements), len(c.sql))
	}
	for _, s := range report.Statements {
		for _, u := range s.Unknowns {
			t.Errorf("%s: unknown: %s", s.SQL, u.Reason)
		}
	}
	r.t = t
	r.reset()
	for _, s := range append(c.schema[:len(c.schema):len(c.schema)], c.data...) {
		must(t, r.run, s)
	}
	var got []string
	before := map[held]bool{}
	for i, sql := range c.sql {
		s := r.step(sql, before)
		if s.err != nil {
			t.Errorf("%s: %v", sql, s.err)
			return
		}
		if !s.live {
			continue
		}
		if before = s.all; s.left != nil {
			before = s.left
		}
		named := predictions(report, &report.Statements[i])
		diff := differences(cat, &s, named, true)
		if s.again {
			diff = append(diff, misplaced(cat, r.order(sql, s.took), named)...)
		}
		for _, d := range diff {
			if !slices.Contains(c.known, d) {
				t.Errorf("%s: %s", sql, d)
			}
		}
		got = append(got, diff...)
	}
	slices.Sort(got)
	got = slices.Compact(got)
	for _, d := range c.known {
		if !slices.Contains(got, d) {
			t.Errorf("no longer seen: %s", d)
		}
	}
}
