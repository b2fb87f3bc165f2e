package sample

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/pgtest"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// A record is one statement that the sample ran, with the locks that its
// session held after it and not before.
type record struct {
	Test  string     `json:"test"`
	SQL   string     `json:"sql"`
	File  string     `json:"file"`
	Line  int        `json:"line"`
	Stack []string   `json:"stack"`
	Locks []observed `json:"locks"`
}

type observed struct {
	Family   string `json:"family"`
	Relation string `json:"relation"`
	Space    string `json:"space"`
	Key      string `json:"key"`
	Mode     string `json:"mode"`
}

func (o observed) String() string {
	if o.Family == lockgraph.Advisory {
		return fmt.Sprintf("advisory %s %s %s", o.Space, o.Key, o.Mode)
	}
	return fmt.Sprintf("%s %s %s", o.Family, o.Relation, o.Mode)
}

// TestRecorded runs the sample's own tests on a server and compares every
// lock that PostgreSQL shows with what the manifest says of that place.
func TestRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short leaves out what needs a PostgreSQL server")
	}
	dsn := server(t)
	records := recorded(t, dsn)
	v := consoleView(t, "all")
	places := newPlaces(v.Manifest)
	statements, compared := 0, 0
	missed := map[string]int{}
	for _, r := range records {
		if len(r.Stack) == 0 {
			continue // run by a test, not by the sample
		}
		statements++
		at := places.of(r)
		for _, o := range r.Locks {
			compared++
			if !covers(v.Manifest, at, o) {
				missed[fmt.Sprintf("%s:%d: %s: %s is not in the manifest (%s)\n\t%s", r.File, r.Line, symbolOf(r.Stack[0]), kindOf(o), r.Test, firstLine(r.SQL))]++
			}
		}
	}
	if statements < 500 || compared < 500 {
		t.Errorf("%d statements with %d locks were recorded: the sample's tests did not run", statements, compared)
	}
	var list []string
	for m := range missed {
		list = append(list, m)
	}
	sort.Strings(list)
	for _, m := range list {
		t.Errorf("%s (%d times)", m, missed[m])
	}
	t.Logf("%d statements, %d locks compared, %d places missed", statements, compared, len(list))
}

// server returns the connection string of a server, or skips t.
func server(t *testing.T) string {
	if dsn := os.Getenv(pgtest.Env); dsn != "" {
		return dsn
	}
	s, err := pgtest.Launch(os.Stderr)
	if err != nil {
		t.Skipf("skipped: no PostgreSQL server: set %s or install one (%v)", pgtest.Env, err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s.DSN
}

// recorded runs the tests of the sample and returns what they recorded.
func recorded(t *testing.T, dsn string) []record {
	t.Helper()
	file := filepath.Join(t.TempDir(), "records")
	cmd := exec.Command("go", "test", "-count=1", "./...")
	cmd.Dir = console
	cmd.Env = append(os.Environ(), pgtest.Env+"="+dsn, "PGLOCKDEP_RECORD="+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tests of the sample: %v\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []record
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// A places finds the acquisitions of a place.
type places struct {
	lines map[string][]lockgraph.Acquisition
	funcs map[string][]lockgraph.Acquisition
}

func newPlaces(m *lockgraph.Manifest) *places {
	p := &places{lines: map[string][]lockgraph.Acquisition{}, funcs: map[string][]lockgraph.Acquisition{}}
	for _, a := range m.Acquisitions {
		line := a.File + ":" + strconv.Itoa(a.Line)
		p.lines[line] = append(p.lines[line], a)
		p.funcs[a.Func] = append(p.funcs[a.Func], a)
	}
	return p
}

// of returns the acquisitions of the Go call that ran the statement: those of
// its line, and where a call goes over several lines those of its function;
// where a helper runs what it is given, those of the same text at the caller
// that gives it.
func (p *places) of(r record) []lockgraph.Acquisition {
	if at := p.lines[r.File+":"+strconv.Itoa(r.Line)]; len(at) > 0 {
		return at
	}
	at := slices.Clone(p.funcs[symbolOf(r.Stack[0])])
	for _, f := range r.Stack[1:] {
		for _, a := range p.funcs[symbolOf(f)] {
			if strings.TrimSpace(a.SQL) == strings.TrimSpace(r.SQL) {
				at = append(at, a)
			}
		}
	}
	return at
}

var closure = regexp.MustCompile(`\.(?:func)?(\d+)`)

// symbolOf returns the symbol of a function by its runtime name: closures are
// F.func1 and F.func1.2 there.
func symbolOf(name string) string {
	if i := strings.Index(name, "[...]"); i >= 0 {
		name = name[:i] + name[i+5:]
	}
	slash := strings.LastIndexByte(name, '/') + 1
	if i := strings.Index(name[slash:], ".func"); i >= 0 {
		return name[:slash+i] + closure.ReplaceAllString(name[slash+i:], "$$$1")
	}
	return name
}

// covers reports whether one of the acquisitions is the lock. A stronger mode
// counts for rows where an UPDATE may or may not change a key, and for tables
// where a statement that holds the stronger mode takes the weaker one too.
func covers(m *lockgraph.Manifest, at []lockgraph.Acquisition, o observed) bool {
	return slices.ContainsFunc(at, func(a lockgraph.Acquisition) bool {
		c := classByID(m, a.Class)
		if c == nil || c.Family != o.Family {
			return false
		}
		switch o.Family {
		case lockgraph.Advisory:
			return a.Mode == o.Mode && c.Key.Space == o.Space && ofKey(c.Key, o.Key)
		case lockgraph.Row:
			return c.Relation == o.Relation && (a.Mode == o.Mode || a.Implicit && a.Mode == lockgraph.ForUpdate && o.Mode == lockgraph.ForNoKeyUpdate)
		}
		return c.Relation == o.Relation && lockgraph.AtLeast(lockgraph.Table, a.Mode, o.Mode)
	})
}

// ofKey reports whether a key can be of a class: its constant, or what its
// hash can give.
func ofKey(k *lockgraph.Key, key string) bool {
	if k.Constant != "" {
		return k.Constant == key
	}
	n, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return k.Space != "bigint"
	}
	return k.Bits != 32 || n == int64(int32(n))
}

func kindOf(o observed) string {
	if o.Family == lockgraph.Advisory {
		return "advisory " + o.Space + " " + o.Mode
	}
	return o.String()
}

func firstLine(sql string) string {
	line, _, more := strings.Cut(strings.TrimSpace(sql), "\n")
	if more {
		line += " …"
	}
	return line
}

func TestSymbolOf(t *testing.T) {
	for name, want := range map[string]string{
		"example.test/m/internal/a.F":              "example.test/m/internal/a.F",
		"example.test/m/internal/a.(*T).M":         "example.test/m/internal/a.(*T).M",
		"example.test/m/internal/a.(*T).M.func1":   "example.test/m/internal/a.(*T).M$1",
		"example.test/m/internal/a.F.func2.1":      "example.test/m/internal/a.F$2$1",
		"example.test/m/internal/a.F[...].func1":   "example.test/m/internal/a.F$1",
		"example.test/m.v2/internal/a.(*T[...]).M": "example.test/m.v2/internal/a.(*T).M",
	} {
		if got := symbolOf(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestCovers(t *testing.T) {
	m := &lockgraph.Manifest{Classes: []lockgraph.Class{
		{ID: "c", Family: "advisory", Key: &lockgraph.Key{Space: "bigint", Constant: "7"}},
		{ID: "h", Family: "advisory", Key: &lockgraph.Key{Space: "bigint", Derivation: "hashtext", Bits: 32}},
		{ID: "r", Family: "row", Relation: "a"},
		{ID: "t", Family: "table", Relation: "a"},
	}}
	for _, c := range []struct {
		name string
		at   lockgraph.Acquisition
		o    observed
		want bool
	}{
		{"the constant", lockgraph.Acquisition{Class: "c", Mode: "exclusive"}, observed{Family: "advisory", Space: "bigint", Key: "7", Mode: "exclusive"}, true},
		{"another constant", lockgraph.Acquisition{Class: "c", Mode: "exclusive"}, observed{Family: "advisory", Space: "bigint", Key: "8", Mode: "exclusive"}, false},
		{"another mode", lockgraph.Acquisition{Class: "c", Mode: "shared"}, observed{Family: "advisory", Space: "bigint", Key: "7", Mode: "exclusive"}, false},
		{"another space", lockgraph.Acquisition{Class: "c", Mode: "exclusive"}, observed{Family: "advisory", Space: "int4x2", Key: "0,7", Mode: "exclusive"}, false},
		{"a hash of 32 bits", lockgraph.Acquisition{Class: "h", Mode: "exclusive"}, observed{Family: "advisory", Space: "bigint", Key: "-12", Mode: "exclusive"}, true},
		{"no hash of 32 bits", lockgraph.Acquisition{Class: "h", Mode: "exclusive"}, observed{Family: "advisory", Space: "bigint", Key: "7348971437960118746", Mode: "exclusive"}, false},
		{"the row", lockgraph.Acquisition{Class: "r", Mode: "FOR UPDATE"}, observed{Family: "row", Relation: "a", Mode: "FOR UPDATE"}, true},
		{"a row of another table", lockgraph.Acquisition{Class: "r", Mode: "FOR UPDATE"}, observed{Family: "row", Relation: "b", Mode: "FOR UPDATE"}, false},
		{"a weaker row", lockgraph.Acquisition{Class: "r", Mode: "FOR KEY SHARE"}, observed{Family: "row", Relation: "a", Mode: "FOR NO KEY UPDATE"}, false},
		{"a stronger row", lockgraph.Acquisition{Class: "r", Mode: "FOR UPDATE"}, observed{Family: "row", Relation: "a", Mode: "FOR NO KEY UPDATE"}, false},
		{"an update of a key or not", lockgraph.Acquisition{Class: "r", Mode: "FOR UPDATE", Implicit: true}, observed{Family: "row", Relation: "a", Mode: "FOR NO KEY UPDATE"}, true},
		{"the table", lockgraph.Acquisition{Class: "t", Mode: "ROW EXCLUSIVE"}, observed{Family: "table", Relation: "a", Mode: "ACCESS SHARE"}, true},
		{"a weaker table", lockgraph.Acquisition{Class: "t", Mode: "ACCESS SHARE"}, observed{Family: "table", Relation: "a", Mode: "ROW EXCLUSIVE"}, false},
	} {
		if got := covers(m, []lockgraph.Acquisition{c.at}, c.o); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
