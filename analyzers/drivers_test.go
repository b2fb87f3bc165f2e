package analyzers_test

import (
	"testing"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/internal/checktest"
	"github.com/pglockdep/pglockdep/internal/modtest"
)

// TestLibraries runs the suite on faulty and right programs over the database
// libraries: database/sql, pgx, sqlx, bun, gorm and errgroup.
func TestLibraries(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the database libraries")
	}
	const dir = "../testdata/drivers"
	modtest.Modules(t, dir)
	checktest.Suite(t, dir, analyzers.Checks)
}
