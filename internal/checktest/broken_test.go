package checktest_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/load"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

const console = "../../testdata/memberconsole"

// An edit breaks one file of the sample.
type edit struct {
	name     string
	file     string
	old, new []string // pairs of texts, each once in the file
	kinds    []string // of the findings that appear, one at least
}

var edits = []edit{
	{"an order reversed", "internal/entitlements/grants.go",
		[]string{"\tif err := LockPools(ctx, q, poolID); err != nil {\n\t\treturn fmt.Errorf(\"revoke %s: %w\", grantID, err)\n\t}\n", "\tif _, err := q.SetGrantStatus(ctx, core.SetGrantStatusParams{GrantID: head.GrantID, Status: \"revoked\"})"},
		[]string{"", "\tif err := LockPools(ctx, q, poolID); err != nil {\n\t\treturn fmt.Errorf(\"revoke %s: %w\", grantID, err)\n\t}\n\tif _, err := q.SetGrantStatus(ctx, core.SetGrantStatusParams{GrantID: head.GrantID, Status: \"revoked\"})"},
		[]string{"lock-order-cycle", "divergent-path", "fk-lock-strength"}}, // a weaker lock of the grant would break the cycle
	{"a sort dropped", "internal/entitlements/service.go", []string{"\tslices.Sort(ids)\n"}, []string{""}, []string{"unordered-lock-loop"}},
	{"the session form", "internal/domains/registry.go", []string{"pg_advisory_xact_lock"}, []string{"pg_advisory_lock"}, []string{"session-lock-in-tx", "session-lock-leak", "divergent-path"}},
	{"a key changed", "internal/entitlements/tx.go",
		[]string{"pg_advisory_xact_lock(hashtextextended('entitlement_materialization', 0))"}, []string{"pg_advisory_xact_lock(hashtext('entitlement_materialization'))"},
		[]string{"key-mismatch", "weak-key-hash"}},
	{"a write without the lock", "internal/entitlements/grants.go", []string{"\tif err := LockPools(ctx, q, poolID); err != nil {\n\t\treturn fmt.Errorf(\"revoke %s: %w\", grantID, err)\n\t}\n"}, []string{""},
		[]string{"unlocked-write", "divergent-path", "lock-order-cycle", "fk-lock-strength"}},
	{"a second connection", "internal/entitlements/grants.go", []string{"tx.Queries().GetDefaultPool(ctx, g.OrgID)"}, []string{"core.New(s.db).GetDefaultPool(ctx, g.OrgID)"},
		[]string{"pool-in-tx"}},
	{"an unlock too early", "internal/domains/registry.go",
		[]string{"pg_advisory_xact_lock", "\tif err := tx.Commit(); err != nil {\n\t\treturn fmt.Errorf(\"registry: %w\", err)"},
		[]string{"pg_advisory_lock", "\tif _, err := tx.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, registryAllocationLock); err != nil {\n\t\treturn err\n\t}\n\tif err := tx.Commit(); err != nil {\n\t\treturn fmt.Errorf(\"registry: %w\", err)"},
		[]string{"unlock-before-commit", "session-lock-in-tx", "session-lock-leak", "unlock-result-ignored", "divergent-path"}},
}

// TestBroken breaks the sample in several ways: each time what is reported
// beyond the whole sample is that fault, and leads to the file that has it.
func TestBroken(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the sample once for each fault")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(console)); err != nil {
		t.Fatal(err)
	}
	whole := map[string]bool{}
	for _, f := range faults(t, dir) {
		whole[f.Kind+" "+f.Message] = true
	}
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			file := filepath.Join(dir, filepath.FromSlash(e.file))
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			for i, old := range e.old {
				if n := strings.Count(text, old); n != 1 {
					t.Fatalf("%s has %d times %q, want once", e.file, n, old)
				}
				text = strings.Replace(text, old, e.new[i], 1)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			defer os.WriteFile(file, data, 0o644)
			hit := false
			for _, f := range faults(t, dir) {
				if whole[f.Kind+" "+f.Message] {
					continue
				}
				if !slices.Contains(e.kinds, f.Kind) || !leadsTo(f, e.file) {
					t.Errorf("%s:%d: unexpected %s %s: %s", f.File, f.Line, f.Severity, f.Kind, f.Message)
				}
				hit = true
			}
			if !hit {
				t.Errorf("no %s is reported", strings.Join(e.kinds, " or "))
			}
		})
	}
}

// leadsTo reports whether a finding or a frame of its witness lies in a file.
func leadsTo(f lockgraph.Finding, file string) bool {
	return f.File == file || slices.ContainsFunc(f.Related, func(r lockgraph.Frame) bool { return r.File == file })
}

// faults returns the errors and warnings of the program at dir.
func faults(t *testing.T, dir string) []lockgraph.Finding {
	t.Helper()
	cat, _, _, err := schema.Load(dir, []string{"migrations/*.sql"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := load.Load(context.Background(), load.Options{Dir: dir, Patterns: []string{"./..."}, Resolver: locksummary.NewResolver(cat), Env: append(os.Environ(), "GOWORK=off", "GOPROXY=off")})
	if err != nil {
		t.Fatal(err)
	}
	v := prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "relevant", Relations: locksummary.Relations(cat)})
	var out []lockgraph.Finding
	for _, f := range analyzers.Findings(v) {
		if f.Severity != lockgraph.SeverityNote {
			out = append(out, f)
		}
	}
	return out
}
