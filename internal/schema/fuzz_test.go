package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

func FuzzApply(f *testing.F) {
	for _, s := range []string{service, functions,
		"CREATE TABLE a () INHERITS (a); ALTER TABLE a INHERIT a; ALTER TABLE a ATTACH PARTITION a DEFAULT; DROP TABLE a CASCADE",
		"CREATE VIEW v AS SELECT * FROM v; CREATE OR REPLACE VIEW v AS VALUES (1); ALTER VIEW v RENAME TO w",
		"DO $$ BEGIN EXECUTE 'DO ''BEGIN ALTER TABLE a ADD b int; END'''; END $$",
		"CREATE TABLE t (EXCLUDE USING gist (a WITH =), a serial, LIKE t INCLUDING ALL); ALTER TABLE t DROP a, DROP CONSTRAINT x",
		"CREATE INDEX ON t ((a)); ALTER INDEX i RENAME TO j; DROP INDEX a, b.c; CREATE RULE r AS ON SELECT TO t DO INSTEAD SELECT 1",
		"CREATE POLICY p ON t USING (true); ALTER POLICY p ON t WITH CHECK (false); DROP POLICY p ON t; DROP TRIGGER g ON t",
		"ALTER FUNCTION f RENAME TO g; DROP FUNCTION f; CREATE FUNCTION f() RETURNS int RETURN 1; SELECT f('ALTER TABLE x RENAME TO y')",
		"DO $$BEGIN LOOP EXIT$$", "DO $$BEGIN EXECUTE$$; DO 'begin <<a'",
		"SET search_path = ''; SELECT set_config('search_path', NULL, true); CREATE SCHEMA s CREATE TABLE t (id int); DROP SCHEMA s, public",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := New()
		c.Apply("f.sql", text)
		for _, p := range c.Problems {
			if strings.Contains(p.Message, "failed: ") {
				t.Fatal(p.Message)
			}
		}
		d := c.Clone()
		for _, st := range pgsql.Parse(text) {
			d.ApplyStmt(st, "f.sql", st.Line)
		}
		for name, r := range d.Relations {
			if name != r.Name {
				t.Errorf("%s is called %s", name, r.Name)
			}
			for _, up := range d.Ancestors(name) {
				if up == r {
					t.Errorf("%s is its own ancestor", name)
				}
			}
			_ = d.Children(name)
		}
	})
}

// FuzzMigration looks for files whose way up has other lines than the file.
func FuzzMigration(f *testing.F) {
	for _, s := range []string{
		"-- +goose Up\nCREATE TABLE a ();\n-- +goose Down\nDROP TABLE a;\n-- +goose Up\nSELECT 1;", "-- +goose NO TRANSACTION\n-- +goose Up", "--+migrate Up notransaction\nSELECT 1",
		"-- migrate:up transaction:false\nSELECT 1;\n-- migrate:down", "SELECT 1;\n---- create above / drop below ----\nSELECT 2", "---- tern: disable-tx ----\nSELECT 1",
		"-- atlas:txmode none\n\nSELECT 1", "CREATE TABLE {{ .Schema }}.a (); {{ template \"x\" . }}", "CREATE TABLE %s.a (x text DEFAULT '%s'); SELECT %", "\ufeff-- +goose Up\r\nSELECT 1\r\n",
	} {
		f.Add("1_a.sql", s)
	}
	for _, name := range []string{"V1.2__a.sql", "R__a.sql", "U1__a.sql", "001.up.sql", "1_a.tx.up.sql", "3-x/up.sql", "schema.sql", "V__.sql", "/"} {
		f.Add(name, "SELECT 1")
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		m := newMigration(name, text)
		at := strings.Split(text, "\n")
		for i, l := range strings.Split(m.Up, "\n") {
			n := m.UpLine - 1 + i
			if strings.TrimSpace(l) == "" {
				continue
			}
			if n >= len(at) || !strings.HasPrefix(strings.TrimSpace(at[n]), strings.TrimSpace(l)[:1]) && !strings.ContainsAny(at[n], "{%") {
				t.Fatalf("line %d of the way up is %q, of the file it is line %d", i+1, l, n+1)
			}
		}
		files := []string{name, "1_b.sql", "V2__c.sql", "R__d.sql", name}
		sortMigrations(files)
		again := slices.Clone(files)
		sortMigrations(again)
		if !slices.Equal(files, again) {
			t.Fatalf("sorted %q, sorted again %q", files, again)
		}
	})
}
