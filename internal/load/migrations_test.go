package load

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

const first = `CREATE TABLE jobs (id int PRIMARY KEY, state text);
CREATE FUNCTION claim(p_id int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM jobs WHERE id = p_id FOR UPDATE;
END $$;
CREATE FUNCTION outer_claim(p_id int) RETURNS void LANGUAGE sql AS $$ SELECT claim(p_id) $$;
CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7);
  RETURN NEW;
END $$;
CREATE TRIGGER touch BEFORE INSERT OR UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION touched();
`

const second = `ALTER TABLE jobs ADD n int;

LOCK TABLE jobs IN SHARE MODE;
DO $$
BEGIN
  PERFORM claim(1);
  LOCK TABLE jobs;
END $$;
UPDATE jobs SET n = 1;
`

// third locks a table under the name that the second one's schema gave it.
const third = "LOCK TABLE work;"

func view(t *testing.T, implicit string) *prog.View {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"m/1_first.up.sql": first, "m/2_second.up.sql": second,
		"m/3_rename.up.sql": "ALTER TABLE jobs RENAME TO work;", "m/4_third.up.sql": third} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cat, ms, _, err := schema.Load(root, nil)
	if err != nil || len(cat.Problems) > 0 {
		t.Fatal(err, cat.Problems)
	}
	res := locksummary.NewResolver(cat)
	p := prog.Link([]*prog.Package{Migrations(nil, ms, implicit == "all"), Routines(cat)}, res)
	return prog.NewView(p, prog.Options{Implicit: implicit, Relations: locksummary.Relations(cat)})
}

func TestMigrationsAndRoutines(t *testing.T) {
	v := view(t, "relevant")
	var got []string
	for _, a := range v.Manifest.Acquisitions {
		got = append(got, strings.Join([]string{a.File, strconv.Itoa(a.Line), a.Func, a.Class, a.Mode, a.Scope, a.Handle, strings.Join(a.SQLFunc, ">"), a.SQLFile}, " | "))
	}
	want := []string{
		"m/1_first.up.sql | 6 | function outer_claim | row jobs | FOR UPDATE | transaction | param | outer_claim>claim | m/1_first.up.sql:4",
		"m/1_first.up.sql | 7 | function touched | advisory bigint 7 | exclusive | transaction | param | touched | m/1_first.up.sql:9",
		"m/2_second.up.sql | 3 | migration 2_second | table jobs | SHARE | transaction | tx |  | ",
		"m/2_second.up.sql | 4 | migration 2_second | row jobs | FOR UPDATE | transaction | tx | claim | m/1_first.up.sql:4",
		"m/2_second.up.sql | 4 | migration 2_second | table jobs | ACCESS EXCLUSIVE | transaction | tx |  | m/2_second.up.sql:7",
		"m/2_second.up.sql | 9 | migration 2_second | advisory bigint 7 | exclusive | transaction | tx | touched | m/1_first.up.sql:9",
		"m/4_third.up.sql | 1 | migration 4_third | table work | ACCESS EXCLUSIVE | transaction | tx |  | ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var entries []string
	for _, p := range v.Manifest.Paths {
		entries = append(entries, p.Entry)
	}
	if want := []string{"function outer_claim", "function touched", "migration 2_second", "migration 4_third"}; !slices.Equal(sorted(entries), want) {
		t.Errorf("paths %q, want %q", entries, want)
	}
	implicit := 0
	for _, a := range view(t, "all").Manifest.Acquisitions {
		if a.Implicit && strings.HasPrefix(a.Func, "migration ") {
			implicit++
		}
	}
	if implicit < 4 {
		t.Errorf("%d implicit locks of migrations under -implicit all", implicit)
	}
}

func sorted(s []string) []string { slices.Sort(s); return s }
func TestMigrationNames(t *testing.T) {
	ms := []schema.Migration{{File: "a/m/1_x.sql", Name: "1_x"}, {File: "b/m/1_x.sql", Name: "1_x"}, {File: "b/m/2_y.sql", Name: "2_y"}}
	if got, want := migrationNames(ms), []string{"a/m/1_x", "b/m/1_x", "2_y"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
