package load

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A program that locks through runtime/locks has exact classes, modes,
// scopes and waits, and nothing unknown.
func TestRuntimeLocksAreKnown(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "runtimelocks")
	cat, _, _, err := schema.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Load(context.Background(), Options{Dir: dir, Patterns: []string{"./..."}, Resolver: locksummary.NewResolver(cat),
		Env: append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")})
	if err != nil {
		t.Fatal(err)
	}
	v := prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "relevant", Relations: locksummary.Relations(cat)})
	unknown := 0
	for _, u := range v.Manifest.Unknowns {
		if unknown++; u.File != "helper/helper.go" || !strings.Contains(u.Reason, "the family of the lock's key is not known: it is a parameter of Run") {
			t.Errorf("%s:%d: %s", u.File, u.Line, u.Reason)
		}
	}
	if unknown != 1 {
		t.Errorf("%d unknowns; the key of helper.Run has a family that is not known", unknown)
	}
	const (
		wallet  = "advisory bigint hashtextextended('wallet:' || $1, 0)"
		invoice = "advisory bigint hashtextextended('inv/' || $1, 7)"
		seat    = "advisory int4x2 1042, $1::integer"
		desk    = "advisory int4x2 1043, $1::integer"
	)
	want := []string{
		"Bill | advisory bigint 8101 | shared | transaction | wait | bounded | ",
		"Bill | " + invoice + " | exclusive | transaction | wait | bounded | ",
		"Book$1 | " + seat + " | exclusive | transaction | wait | bounded | ",
		"Book$1 | " + wallet + " | exclusive | transaction | wait | bounded | ",
		"Careless$1 | " + wallet + " | exclusive | transaction | try |  | ",
		"Index | advisory int4x2 1043, 3 | exclusive | session | try |  | ",
		"Index$1 | advisory bigint 77 | exclusive | session | wait |  | ",
		"Lead | advisory bigint 5003 | exclusive | session | try |  | ",
		"Legacy$1 | " + desk + " | exclusive | transaction | wait | bounded | by 1043, t.id::integer",
		"Legacy$1 | advisory bigint 8101 | exclusive | transaction | try |  | ",
		"Legacy$1 | row core.parcels | FOR SHARE | transaction | wait | bounded | by code",
		"Legacy$2 | advisory bigint 78 | exclusive | session | wait |  | ",
		"Shared$1$1 | " + desk + " | shared | transaction | try |  | ",
		"Forget | " + seat + " | exclusive | session | try |  | ",
		"Old$1 | " + wallet + " | exclusive | transaction | wait | bounded | ",
		"Pay$1 | " + seat + " | exclusive | transaction | wait | bounded | ",
		"Pay$1 | " + wallet + " | exclusive | transaction | try |  | ",
		"Refund$1 | " + seat + " | exclusive | transaction | wait | bounded | ",
		"Refund$1 | " + wallet + " | exclusive | transaction | wait | bounded | ",
		"Split$1 | " + wallet + " | exclusive | transaction | wait | bounded | by hashtextextended('wallet:' || t.id, 0)",
		"Split$1 | row accounts | FOR NO KEY UPDATE | transaction | wait | bounded | by id",
		"Split$1 | row accounts | FOR UPDATE | transaction | nowait |  | by id",
		"Sweep | advisory bigint 8101 | exclusive | session | try |  | ",
		"Sweep$1 | advisory bigint 5001 | exclusive | transaction | try |  | ",
		"Watch | " + seat + " | exclusive | session | try |  | ",
	}
	var got []string
	for _, a := range v.Manifest.Acquisitions {
		bound := ""
		if a.Timeout != "" {
			bound = "bounded"
		}
		fn := a.Func[strings.LastIndex(a.Func, ".")+1:]
		got = append(got, strings.Join([]string{fn, a.Class, a.Mode, a.Scope, a.Wait, bound, a.Order}, " | "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(v.Manifest.Cycles) == 0 {
		t.Error("Book and Refund make no cycle")
	}
	for _, c := range v.Manifest.Cycles {
		if !slices.Equal(c.Classes, []string{wallet, seat}) || c.Verdict != "supported" {
			t.Errorf("cycle %v, %s", c.Classes, c.Verdict)
		}
	}
}
