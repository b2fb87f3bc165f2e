package load

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// early locks in a transaction of its own and returns, or goes on with the
// one it is given.
const early = `package early

import (
	"context"
	"database/sql"
)

func Do(ctx context.Context, db *sql.DB, tx *sql.Tx, way string, set map[int]bool) error {
	switch way {
	case "own":
		own, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer own.Rollback()
		if _, err := own.ExecContext(ctx, "select 1 from jobs where id = 1 for update"); err != nil {
			return err
		}
		return own.Commit()
	case "one":
		if _, err := tx.ExecContext(ctx, "select 1 from ones where id = 1 for update"); err != nil {
			return err
		}
	case "two":
		if _, err := tx.ExecContext(ctx, "select 1 from twos where id = 1 for update"); err != nil {
			return err
		}
	}
%s	return nil
}
`

// TestEarlyReturn tells what follows a way that has left as what the other
// ways do, however long it is.
func TestEarlyReturn(t *testing.T) {
	for _, n := range []int{1, 100} {
		var more strings.Builder
		for i := range n {
			fmt.Fprintf(&more, "\tif set[%d] {\n\t\tif _, err := tx.ExecContext(ctx, \"select 1 from t%d where id = 1 for update\"); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n", i, i)
		}
		_, res := loaded(t, ".", map[string]string{"go.mod": "module example.test/early\n\ngo 1.26\n", "early.go": fmt.Sprintf(early, more.String())})
		paths := prog.NewView(res.Program, prog.Options{Module: res.Module}).Manifest.Paths
		if len(paths) != 1 || len(paths[0].Steps) != 1 || paths[0].Steps[0].Do != "branch" {
			t.Fatalf("%d statements after the ways: %+v, want one path of one branch", n, paths)
		}
		alone := false
		for _, a := range paths[0].Steps[0].Arms {
			locks := classesOf(a.Steps)
			if strings.Contains(locks, "jobs") {
				alone = locks == "row jobs"
			} else if !strings.Contains(locks, fmt.Sprintf("row t%d", n-1)) {
				t.Errorf("%d statements after the ways: %q lacks them", n, a.When)
			}
		}
		if !alone {
			t.Errorf("%d statements after the ways: the one that leaves is told to do them", n)
		}
	}
}

// classesOf joins the classes that steps lock, in order.
func classesOf(steps []lockgraph.Step) string {
	var out []string
	for _, s := range steps {
		if s.Do == "lock" {
			out = append(out, s.Class)
		}
		for _, inner := range append([]lockgraph.Arm{{Steps: s.Steps}}, s.Arms...) {
			if text := classesOf(inner.Steps); text != "" {
				out = append(out, text)
			}
		}
	}
	return strings.Join(out, " ")
}
