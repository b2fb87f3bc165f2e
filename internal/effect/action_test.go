package effect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A tree of spaces with many things in each: every thing is reached again on
// each level, and told a few times.
func TestCascadesThatRepeatThemselves(t *testing.T) {
	var schema strings.Builder
	schema.WriteString("CREATE TABLE spaces(id int PRIMARY KEY, parent int REFERENCES spaces ON DELETE CASCADE);\n")
	for i := range 40 {
		fmt.Fprintf(&schema, "CREATE TABLE thing%d(id int PRIMARY KEY, space int REFERENCES spaces ON DELETE CASCADE);\n", i)
	}
	c := catalog(t, schema.String())
	rows := map[string]bool{}
	prog.Visit(Of(c, "DELETE FROM spaces WHERE id = 1"), func(o *prog.Op) {
		switch {
		case o.Kind == prog.OpUnknown:
			t.Errorf("unknown: %s", o.Str)
		case o.Kind == prog.OpAcquire && o.Acq.Family == "row":
			rows[o.Acq.Relation] = true
		}
	})
	if len(rows) != 41 {
		t.Errorf("rows of %d tables are locked, want 41", len(rows))
	}
}
