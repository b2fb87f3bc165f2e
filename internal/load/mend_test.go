package load

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// TestGaps reads a package whose functions use a module that cannot be had:
// what they lock is seen all the same.
func TestGaps(t *testing.T) {
	const dir = "testdata/gaps"
	cat, _, _, err := schema.Load(dir, []string{"schema.sql"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Load(context.Background(), Options{Dir: dir, Patterns: []string{"."}, Resolver: locksummary.NewResolver(cat), Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")})
	if err != nil {
		t.Fatal(err)
	}
	told := false
	for _, u := range res.Unknowns {
		told = told || u.Kind == "package" && strings.Contains(u.Reason, "example.test/missing")
	}
	if !told {
		t.Errorf("the module that cannot be had is not named: %v", res.Unknowns)
	}
	locks := map[string]bool{}
	for _, k := range res.Program.Keys() {
		res.Program.Walk(k).Each(func(n *prog.Node) {
			if n.Take != nil && n.Take.Mode == "FOR UPDATE" {
				locks[k] = true
			}
		})
	}
	for _, fn := range []string{"(*Store).Statement", "If", "Loop", "Range", "Switch", "TypeSwitch", "Select", "Argument", "Inside", "Result",
		"Parameter", "Handed", "Callback", "Closure", "Literal", "Labelled"} {
		if !locks["example.test/gaps."+fn] {
			t.Errorf("%s: its lock is not seen", fn)
		}
	}
}
