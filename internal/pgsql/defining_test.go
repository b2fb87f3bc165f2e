package pgsql

import (
	"slices"
	"testing"
)

func TestDefinesNothing(t *testing.T) {
	for stmt, want := range map[string]bool{
		"INSERT INTO a VALUES (1)":                                true,
		"insert\ninto a select 1":                                 true,
		"UPDATE a SET b = 1":                                      true,
		"DELETE FROM a":                                           true,
		"COPY a (b) FROM stdin":                                   true,
		"COMMENT ON TABLE a IS 'x'":                               true,
		"SELECT setval('s', 1)":                                   true,
		"SELECT pg_catalog.setval('s', 1, true)":                  true,
		"SELECT setval('s', 1), set_config('search_path', '', t)": false,
		"SELECT pg_catalog.set_config('search_path', '', false)":  false,
		"SELECT make_table()":                                     false,
		"SELECT 1 INTO t":                                         false,
		"WITH w AS (SELECT 1) INSERT INTO a SELECT 1 FROM w":      false,
		"inserted":                    false,
		"CREATE TABLE insert (a int)": false,
		"DO $$ BEGIN INSERT INTO a VALUES (1); END $$": false,
		"": false,
	} {
		if got := definesNothing(stmt); got != want {
			t.Errorf("%q: %v, want %v", stmt, got, want)
		}
	}
}

func TestParseDefinitions(t *testing.T) {
	const text = "CREATE TABLE a (b int);\nINSERT INTO a VALUES (1);\nINSERT INTO a VALUES (2);\n-- of c\nCREATE TABLE c (d int);\nINSERT bad;\nSELECT 1"
	for most, want := range map[int][]int{0: {1, 5, 7}, 1: {1, 2, 5, 7}, 9: {1, 2, 3, 5, 6, 7}} {
		var lines []int
		for _, st := range ParseDefinitions(text, most) {
			lines = append(lines, st.Line)
			if st.Line == 5 && st.Lead != "\n-- of c\n" {
				t.Errorf("most %d: the comment before is %q", most, st.Lead)
			}
		}
		if !slices.Equal(lines, want) {
			t.Errorf("most %d: statements at the lines %v, want %v", most, lines, want)
		}
	}
}
