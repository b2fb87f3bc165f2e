package load

import (
	"context"
	"os"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/schema"
)

// readModule loads the module in dir, whose libraries are stand-ins, with the
// schema files named, or those that it finds.
func readModule(t *testing.T, dir string, files ...string) (*Result, *schema.Catalog) {
	t.Helper()
	cat, _, _, err := schema.Load(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Load(context.Background(), Options{Dir: dir, Patterns: []string{"."}, Resolver: locksummary.NewResolver(cat), Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")})
	if err != nil {
		t.Fatal(err)
	}
	return res, cat
}
