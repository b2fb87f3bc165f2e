package schema

import (
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
