package faults

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
)

var update = flag.Bool("update", false, "write docs/runtime/faults.md from this run")

const page = "../../../docs/runtime/faults.md"

// A fault is one row of the page.
type fault struct {
	group string
	name  string
	must  string // what has to hold
	run   func(t *testing.T, s *stand) string
	alone bool // it measures time, and wants the machine for itself
}

// A stand is what a row is tried on.
type stand struct {
	*lab
	*audit
	server string
}

// matrix is every fault, in the order of the page.
var matrix = [][]fault{plain, waiting, holding, connections, processes, networks, poolers, failover, writing, transactions, leaks}

func TestFaults(t *testing.T) {
	if *update && !full {
		t.Fatal("the page is written from a full run: set PGLOCKDEP_FULL=1")
	}
	server := os.Getenv(pglab.Env)
	if server == "" {
		server = pglab.NewServer(t, "max_connections=200").DSN()
	}
	var mu sync.Mutex
	seen := map[string]string{}
	t.Run("row", func(t *testing.T) {
		for _, group := range matrix {
			for _, f := range group {
				t.Run(strings.ReplaceAll(f.name, " ", "-"), func(t *testing.T) {
					if !f.alone {
						t.Parallel()
					}
					s := &stand{lab: newLab(t, server), audit: newAudit(), server: server}
					what := f.run(t, s)
					t.Log(what)
					mu.Lock()
					defer mu.Unlock()
					seen[f.name] = what
				})
			}
		}
	})
	if *update && !t.Failed() {
		if err := os.WriteFile(page, []byte(render(seen, about(t, server))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPage compares the rows of the page with the matrix; what was seen is
// that of the full run that wrote it.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, " | "); len(cells) == 3 && strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| fault") {
			if strings.TrimSpace(strings.Trim(cells[2], "|\n ")) == "" {
				t.Errorf("%q has nothing in the last column", cells[0])
			}
			rows = append(rows, cells[0]+" | "+cells[1])
		}
	}
	var want []string
	for _, group := range matrix {
		for _, f := range group {
			want = append(want, "| "+f.name+" | "+f.must)
		}
	}
	if got, want := strings.Join(rows, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("docs/runtime/faults.md has other rows than the matrix; run `PGLOCKDEP_FULL=1 go test ./internal/faults -update` in runtime\ngot:\n%s\nwant:\n%s", got, want)
	}
}

func about(t *testing.T, server string) string {
	l := newLab(t, server)
	pgxVersion := must(exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/jackc/pgx/v5").Output())
	return fmt.Sprintf("PostgreSQL %s, PgBouncer %s, pgx %s, %d processors, %s", get[string](l, `SELECT split_part(current_setting('server_version'), ' ', 1)`),
		pglab.BouncerVersion(t), bytes.TrimSpace(pgxVersion), runtime.NumCPU(), runtime.Version())
}

func render(seen map[string]string, about string) string {
	var b strings.Builder
	b.WriteString(`# Faults under a held lock

What ` + "`runtime/locks`" + ` does when something breaks. Each row is a test that breaks it (` + "`runtime/internal/faults`" + `)
and looks at the server, not at what the library says of itself: who is listed in ` + "`pg_locks`" + `, what can be acquired
next, which writes were committed. The last column is what one run saw. The figures are of that machine; the limits that
the tests hold them to stand in the middle column.

The page is written by ` + "`PGLOCKDEP_FULL=1 go test ./internal/faults -update`" + ` in ` + "`runtime`" + `; this one on
` + about + `.

`)
	b.WriteString(`Besides, programs take, lose and give back locks at random while connections are killed, reset and frozen, and write with
tokens old and new (` + "`runtime/internal/history`" + `): a checker has to find one order that explains every grant, end and
write. ` + "`PGLOCKDEP_FULL=1`" + ` makes it 100,000 steps, ` + "`PGLOCKDEP_SEED`" + ` repeats a schedule.

`)
	b.WriteString(`The rows are those of pgx. On database/sql the same tests run as far as its drivers differ (` + "`locksql/pqtest`" + `): with pgx's
stdlib a loss is told at once, with lib/pq, which tells nothing while a connection is idle, at the next heartbeat: after
` + "`Heartbeat`" + ` and a round trip at most, 2 s unless set otherwise.

`)
	for _, group := range matrix {
		fmt.Fprintf(&b, "## %s\n\n| fault | must hold | seen |\n|---|---|---|\n", group[0].group)
		for _, f := range group {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", f.name, f.must, cmp.Or(seen[f.name], "not run"))
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestMain(m *testing.M) {
	if role := os.Getenv("PGLAB_ROLE"); role != "" {
		os.Exit(child(role))
	}
	flag.Parse()
	// Most rows wait for a time to pass.
	flag.Set("test.parallel", "6")
	code := m.Run()
	if leak := leaked(); leak != "" && code == 0 {
		fmt.Println("goroutines are left after all tests:\n" + leak)
		code = 1
	}
	os.Exit(code)
}

// leaked returns the stacks of goroutines that are in the library, or wait
// for it, some time after the last test.
func leaked() string {
	var left []string
	for range 50 {
		left = left[:0]
		buf := make([]byte, 1<<22)
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(g, "pglockdep/runtime/locks.") || strings.Contains(g, "pgxpool.") {
				left = append(left, g)
			}
		}
		if len(left) == 0 {
			return ""
		}
		time.Sleep(100 * time.Millisecond)
	}
	return strings.Join(left, "\n\n")
}
