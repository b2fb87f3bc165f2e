package analyzers_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/internal/checktest"
)

// TestLibraries runs the suite on faulty and right programs over the database
// libraries: database/sql, pgx, sqlx, bun, gorm and errgroup.
func TestLibraries(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the database libraries")
	}
	const dir = "../testdata/drivers"
	cmd := exec.Command("go", "list", "-deps", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		if s := string(out); strings.Contains(s, "dial tcp") || strings.Contains(s, "no such host") || strings.Contains(s, "module lookup disabled") {
			t.Skipf("the modules of testdata/drivers are neither in the module cache nor can be downloaded: %s", s)
		}
		t.Fatalf("go list: %v\n%s", err, out)
	}
	checktest.Suite(t, dir, analyzers.Checks)
}
