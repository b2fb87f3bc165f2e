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

// A row that one key has set to NULL is not found by that key again, whatever
// the number of ways to what it referred to: its other keys are not checked.
func TestARowIsSetToNullOnce(t *testing.T) {
	c := catalog(t, `CREATE TABLE people(id int PRIMARY KEY); CREATE TABLE repos(id int PRIMARY KEY);
CREATE TABLE reviews(id int PRIMARY KEY, source int REFERENCES repos ON DELETE CASCADE, target int REFERENCES repos ON DELETE CASCADE);
CREATE TABLE reviewers(id int PRIMARY KEY, who int REFERENCES people, latest int REFERENCES reviews ON DELETE SET NULL);`)
	for _, a := range acquired(c, "DELETE FROM repos WHERE id = 1") {
		if a.Relation == "people" {
			t.Errorf("row people %s %v", a.Mode, a.Via)
		}
	}
}
