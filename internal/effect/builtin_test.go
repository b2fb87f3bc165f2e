package effect

import (
	"context"
	"testing"

	"github.com/pglockdep/pglockdep/internal/schema"
)

// TestFunctionsOfTheServer calls functions of the server, and its types as
// functions, which is a cast; what is neither is an unknown.
func TestFunctionsOfTheServer(t *testing.T) {
	c := schema.New()
	c.Apply("schema.sql", "CREATE TABLE t (a text)")
	for sql, unknowns := range map[string]int{
		"SELECT inet(a), date(a), uuid(a), int4(a), macaddr(a), int4range(1, 2), tsquery(a) FROM t": 0,
		"SELECT atand(1), lo_tell(1), trim_array(ARRAY[1], 1), enum_first(NULL::text)":              0,
		"SELECT confer(a) FROM t": 1,
	} {
		if got := Session(c, sql).Statements[0].Unknowns; len(got) != unknowns {
			t.Errorf("%s: unknowns %v, want %d", sql, got, unknowns)
		}
	}
}

// TestTypesOfTheServer asks a server for the types that can be called.
func TestTypesOfTheServer(t *testing.T) {
	r := newRecorder(t)
	rows, err := r.see.Query(context.Background(), `SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace
		AND typtype IN ('b', 'r', 'm') AND typname !~ '^_' AND typname <> 'gtsvector' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if !known(name) {
			t.Errorf("type %s is not known", name)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
