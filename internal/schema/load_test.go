package schema

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// write makes a folder of files: name → text.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestLoad(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		globs []string
		tool  string
		order string // files
		rels  string // relations, each name:line
	}{
		{"goose", map[string]string{
			"db/migrations/00002_b.sql": "-- +goose Up\n-- +goose StatementBegin\nCREATE TABLE b (a_id int REFERENCES a);\n-- +goose StatementEnd\n-- +goose Down\nDROP TABLE b;\n",
			"db/migrations/00001_a.sql": "-- +goose NO TRANSACTION\n\n-- +goose Up\nCREATE TABLE a (id int PRIMARY KEY);\n\n-- +goose Down\nDROP TABLE a;\n",
			"vendor/x/1_x.sql":          "-- +goose Up\nCREATE TABLE x (id int);",
			"testdata/1_y.sql":          "-- +goose Up\nCREATE TABLE y (id int);",
		}, nil, "goose", "db/migrations/00001_a.sql(no tx) db/migrations/00002_b.sql", "a:4 b:3"},
		{"golang-migrate", map[string]string{
			"migrations/10_c.up.sql": "CREATE TABLE c (id int);", "migrations/10_c.down.sql": "DROP TABLE c;",
			"migrations/2_b.up.sql": "\nCREATE TABLE b (id int);", "migrations/2_b.down.sql": "DROP TABLE b;",
		}, nil, "golang-migrate", "migrations/2_b.up.sql migrations/10_c.up.sql", "b:2 c:1"},
		{"tern", map[string]string{
			"m/001_a.sql": "CREATE TABLE a (id int);\n---- create above / drop below ----\nDROP TABLE a;",
			"m/002_b.sql": "---- tern: disable-tx ----\nCREATE TABLE b (id int);\n---- create above / drop below ----\nDROP TABLE b;",
			"m/003_c.sql": "DROP TABLE a;",
		}, nil, "tern", "m/001_a.sql m/002_b.sql(no tx) m/003_c.sql", "b:2"},
		{"folders and functions beside them", map[string]string{
			"db/migrations/2-b/up.sql":       "CREATE TABLE b (id int);",
			"db/migrations/10-c/up.sql":      "CREATE TABLE %s.c (id int); CREATE TABLE \"%[1]s\".d (id int); CREATE INDEX %s IF NOT EXISTS i ON %s.c (id);",
			"db/migrations/10-c/down.sql":    "DROP TABLE c;",
			"db/migrations/1-a/up.sql":       "\nCREATE TABLE a (id int);",
			"db/idempotent/base.sql":         "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'LOCK TABLE a'; CREATE TABLE e (id int);",
			"db/queries/a.sql":               "SELECT * FROM a;",
			"elsewhere/functions/others.sql": "CREATE FUNCTION g() RETURNS void LANGUAGE sql AS 'LOCK TABLE a'",
		}, nil, "numbered", "db/migrations/1-a/up.sql db/migrations/2-b/up.sql db/migrations/10-c/up.sql db/idempotent/base.sql(no tx)", "a:2 b:1 c:1 d:1 e:1"},
		{"what migrations began with", map[string]string{
			"database/base.sql":          "CREATE TABLE a (id int); CREATE TABLE c (id int);",
			"database/mysql.sql":         "CREATE TABLE a (id int) ENGINE=InnoDB;",
			"database/other.sql":         "CREATE TABLE o (id int);",
			"database/structure.sql":     "CREATE TABLE a (id int, n int); CREATE TABLE b (id int, n int);",
			"database/patches/1_0_1.sql": "ALTER TABLE a ADD COLUMN n int; CREATE TABLE b (id int);",
			"database/patches/1_0_2.sql": "ALTER TABLE b ADD COLUMN n int; CREATE TABLE IF NOT EXISTS c (id int);",
		}, nil, "numbered", "database/base.sql(no tx) database/patches/1_0_1.sql database/patches/1_0_2.sql", "a:1 b:1 c:1"},
		{"ways down by their names", map[string]string{
			"db/schemas/upto-v1.0.0-a.sql":     "CREATE TABLE a (id int);",
			"db/schemas/upto-v2.0.0-b.sql":     "CREATE TABLE b (id int);",
			"db/schemas/downfrom-v2.0.0-b.sql": "DROP TABLE b;",
			"db/schemas/rollback_a.sql":        "DROP TABLE a; CREATE TABLE z (id int);",
		}, nil, "schema", "db/schemas/upto-v1.0.0-a.sql(no tx) db/schemas/upto-v2.0.0-b.sql(no tx)", "a:1 b:1"},
		{"dbmate", map[string]string{
			"db/migrations/20240101_a.sql": "-- migrate:up transaction:false\nCREATE TABLE a (id int);\n-- migrate:down\nDROP TABLE a;\n-- migrate:up\nCREATE TABLE b (id int);\n",
			"db/schema.sql":                "CREATE TABLE dumped (id int);",
		}, nil, "dbmate", "db/migrations/20240101_a.sql(no tx)", "a:2 b:6"},
		{"sql-migrate", map[string]string{
			"migrations/1_a.sql": "-- +migrate Up\nCREATE TABLE a (id int);\n-- +migrate Down\nDROP TABLE a;\n",
			"migrations/2_b.sql": "-- +migrate Up notransaction\nCREATE TABLE b (id int);\n",
		}, nil, "sql-migrate", "migrations/1_a.sql migrations/2_b.sql(no tx)", "a:2 b:2"},
		{"atlas", map[string]string{
			"m/atlas.sum": "h1:x", "m/2024_a.sql": "-- atlas:txmode none\n\nCREATE TABLE a (id int);",
		}, nil, "atlas", "m/2024_a.sql(no tx)", "a:3"},
		{"flyway", map[string]string{
			"sql/V1__a.sql": "CREATE TABLE a (id int);", "sql/V1_10__c.sql": "ALTER TABLE a RENAME TO c;",
			"sql/V1_2__b.sql": "ALTER TABLE a ADD n int;", "sql/R__v.sql": "CREATE OR REPLACE VIEW v AS SELECT n FROM c;", "sql/U1__a.sql": "DROP TABLE a;",
		}, nil, "flyway", "sql/V1__a.sql sql/V1_2__b.sql sql/V1_10__c.sql sql/R__v.sql", "c:1 v:1"},
		{"numbered", map[string]string{
			"migrations/1-a.sql": "CREATE TABLE a (id int);", "migrations/notes.sql": "SELECT 1;",
		}, nil, "numbered", "migrations/1-a.sql", "a:1"},
		{"twins", map[string]string{
			"store/mysql/1_a.sql": "CREATE TABLE `a` (id int AUTO_INCREMENT);", "store/mysql/2_a.sql": "CREATE TABLE `b` (id int);",
			"store/sqlite/1_a.sql": "CREATE TABLE a (id int);", "store/sqlite/2_a.sql": "CREATE TABLE z (id int);",
			"store/postgres/1_a.sql": "CREATE TABLE a (id int);", "store/postgres/2_b.sql": "CREATE TABLE b (id int);",
		}, nil, "numbered", "store/postgres/1_a.sql store/postgres/2_b.sql", "a:1 b:1"},
		{"two services", map[string]string{
			"a/migrations/1_a.sql": "-- +goose Up\nCREATE TABLE a (id int);", "b/migrations/1_b.sql": "-- +goose Up\nCREATE TABLE b (id int);",
		}, nil, "goose", "a/migrations/1_a.sql b/migrations/1_b.sql", "a:2 b:2"},
		{"sqlc 2", map[string]string{
			"sqlc.yaml":    "version: \"2\"\nsql:\n  - engine: postgresql\n    schema: [\"db/m\", \"db/extra.sql\"]\n    queries: q\n  - engine: mysql\n    schema: my.sql\n",
			"db/m/1_a.sql": "-- +goose Up\nCREATE TABLE a (id int);\n-- +goose Down\nDROP TABLE a;", "db/extra.sql": "CREATE TABLE e (id int);", "my.sql": "CREATE TABLE my (id int);",
		}, nil, "sqlc", "db/m/1_a.sql db/extra.sql(no tx)", "a:2 e:1"},
		{"sqlc 1 in JSON", map[string]string{
			"db/sqlc.json":    `{"version": "1", "packages": [{"schema": "schema/*.sql", "queries": "q"}]}`,
			"db/schema/b.sql": "CREATE TABLE b (id int);", "db/schema/a.sql": "CREATE TABLE a (id int);",
		}, nil, "sqlc", "db/schema/a.sql(no tx) db/schema/b.sql(no tx)", "a:1 b:1"},
		{"schema file", map[string]string{
			"internal/db/schema.sql": "CREATE TABLE a (id int);", "internal/db/queries.sql": "SELECT 1;",
		}, nil, "schema", "internal/db/schema.sql(no tx)", "a:1"},
		{"any file", map[string]string{"store/tables_pg.sql": "CREATE TABLE a (id int);", "q.sql": "SELECT 1;"}, nil,
			"schema", "store/tables_pg.sql(no tx)", "a:1"},
		{"flyway in folders", map[string]string{
			"db/migration/V1__a.sql": "CREATE TABLE a (id int);", "db/migration/more/V1.1__b.sql": "ALTER TABLE a RENAME TO b;", "db/migration/V2__c.sql": "ALTER TABLE b RENAME TO c;",
			"db/migration/V3__i.sql": "CREATE INDEX CONCURRENTLY i ON c (id);", "db/migration/V4__j.sql": "CREATE INDEX j ON c (id);", "db/migration/V4__j.sql.conf": "executeInTransaction=false\n",
			"db/migration/more/R__v.sql": "CREATE OR REPLACE VIEW v AS SELECT 1 AS n;", "db/migration/B2__base.sql": "CREATE TABLE based (id int);", "db/migration/afterMigrate.sql": "SELECT 1;",
		}, nil, "flyway", "db/migration/V1__a.sql db/migration/more/V1.1__b.sql db/migration/V2__c.sql db/migration/V3__i.sql(no tx) db/migration/V4__j.sql(no tx) db/migration/more/R__v.sql", "c:1 v:1"},
		{"bun", map[string]string{
			"m/20240101_a.tx.up.sql": "CREATE TABLE a (id int);", "m/20240102_b.up.sql": "CREATE TABLE b (id int);", "m/20240102_b.down.sql": "DROP TABLE b;",
		}, nil, "golang-migrate", "m/20240101_a.tx.up.sql m/20240102_b.up.sql(no tx)", "a:1 b:1"},
		{"one statement that refuses transactions", map[string]string{
			"m/1_a.up.sql": "CREATE TABLE a (id int);", "m/2_i.up.sql": "CREATE INDEX CONCURRENTLY i ON a (id);",
		}, nil, "golang-migrate", "m/1_a.up.sql m/2_i.up.sql(no tx)", "a:1"},
		{"sql-migrate with bodies", map[string]string{
			"m/1_a.sql": "-- +migrate Up\n-- +migrate StatementBegin\nCREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n DELETE FROM a;\nEND $$;\n-- +migrate StatementEnd\nCREATE TABLE a (id int);\n-- +migrate Down\nDROP TABLE a;\n",
		}, nil, "sql-migrate", "m/1_a.sql", "a:7"},
		{"goose with a step in Go", map[string]string{
			"m/00001_a.sql": "-- +goose Up\nCREATE TABLE a (id int);",
			"m/00002_b.go":  "package m\n\nfunc init() { goose.AddMigration(up, down) }\n\nfunc up(tx *sql.Tx) error {\n\t_, err := tx.Exec(`CREATE TABLE b (\n\t\tid int)`)\n\treturn err\n}\n\nfunc down(tx *sql.Tx) error {\n\t_, err := tx.Exec(\"DROP TABLE b\")\n\treturn err\n}\n",
			"m/00003_c.sql": "-- +goose Up\nALTER TABLE b RENAME TO c;",
		}, nil, "goose", "m/00001_a.sql m/00002_b.go(no tx) m/00003_c.sql", "a:2 c:6"},
		{"texts of Go", map[string]string{
			"go.mod":                 "module x",
			"store/schema.go":        "package store\n\nconst place = `b`\n\nconst schema = `\nCREATE TABLE a (id int PRIMARY KEY);\nCREATE TABLE b (a int REFERENCES a);\n`\n\nvar more = []string{\n\t\"CREATE UNIQUE INDEX i ON \" + place + \" (a)\",\n\t\"DELETE FROM a\",\n}\n\nconst dropSchema = `DROP TABLE b`\n",
			"store/schema_test.go":   "package store\n\nconst t = `CREATE TABLE z (id int)`\n",
			"store/sqlite/schema.go": "package sqlite\n\nconst s = `CREATE TABLE y (id INTEGER PRIMARY KEY AUTOINCREMENT)`\n",
			"a/alter.go":             "package a\n\nvar m = migrate.Migration{Up: []string{`ALTER TABLE b ADD n int`}, Down: []string{`ALTER TABLE b DROP n`}}\n\nvar g = add(func() { exec(`CREATE INDEX k ON b (n)`) }, func() { exec(`DROP TABLE a`) })\n",
		}, nil, "go", "store/schema.go(no tx) store/schema.go(no tx) a/alter.go(no tx) a/alter.go(no tx)", "a:6 b:7"},
		{"nothing", map[string]string{"main.go": "package main"}, nil, "", "", ""},
		{"globs", map[string]string{
			"z.sql": "CREATE TABLE z (id int);", "m/2_b.up.sql": "ALTER TABLE a ADD n int;", "m/1_a.up.sql": "CREATE TABLE a (id int);",
			"m/1_a.down.sql": "DROP TABLE a;", "d/x/1.sql": "CREATE TABLE x (id int);",
		}, []string{"z.sql", "m", "d/**/*.sql"}, "config", "z.sql(no tx) m/1_a.up.sql m/2_b.up.sql d/x/1.sql(no tx)", "a:1 x:1 z:1"},
		{"template", map[string]string{
			"migrations/1_a.up.sql":          "CREATE TABLE {{ index .Options \"Namespace\" }}.a (id int, n text DEFAULT '{{1,2}}');\n{{ template \"x\" . }}\nCREATE TABLE b (id int);",
			"migrations/fixtures/1_z.up.sql": "CREATE TABLE z (id int);",
		}, nil, "golang-migrate", "migrations/1_a.up.sql", "a:1 b:3"},
		{"bom and crlf", map[string]string{"schema.sql": "\ufeff-- x\r\nCREATE TABLE a (\r\n id int);\r\n"}, nil, "schema", "schema.sql(no tx)", "a:2"},
	} {
		c, ms, src, err := Load(write(t, tt.files), tt.globs)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var files, rels []string
		for _, m := range ms {
			s := m.File
			if !m.InTx {
				s += "(no tx)"
			}
			files = append(files, s)
		}
		for _, n := range strings.Fields(names(c)) {
			rels = append(rels, n+":"+strconv.Itoa(c.Relations[n].Line))
		}
		if src.Tool != tt.tool || strings.Join(files, " ") != tt.order || strings.Join(rels, " ") != tt.rels {
			t.Errorf("%s: tool %s, files %v, relations %v", tt.name, src.Tool, files, rels)
		}
		for _, p := range c.Problems {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
}

func TestLoadTrouble(t *testing.T) {
	root := write(t, map[string]string{"a.sql": "CREATE TABLE a (id int);"})
	c, _, _, err := Load(root, []string{"gone.sql", "a.sql"})
	if err != nil || c.Relations["a"] == nil || len(c.Problems) != 1 || c.Problems[0].File != "gone.sql" ||
		strings.Contains(c.Problems[0].Message, root) {
		t.Errorf("%v %+v", err, c.Problems)
	}
	if _, _, _, err := Load(filepath.Join(root, "gone"), nil); err == nil {
		t.Error("a root that is not there is no error")
	}
	root = write(t, map[string]string{
		"m/1_a.sql": "CREATE TABLE a (id int);", "m/2_b.sql": "\xff\xfeC\x00R\x00", "m/3_c.sql": "CREATE TABLE c (id int);",
		"m/4_d.sql": "CREATE TABLE `d` (x int);\nCREATE TABLE `e` (x int);\nCREATE TABLE `f` (x int);",
	})
	c, _, _, _ = Load(root, nil)
	if names(c) != "a c" || len(c.Problems) != 2 {
		t.Errorf("relations %s, problems %+v", names(c), c.Problems)
	}
}

// A long seed leaves the catalog as the definitions around and in it alone do.
func TestLoadSeed(t *testing.T) {
	rows := func(n int) string {
		return strings.Repeat("INSERT INTO a (id, note) VALUES (1, 'x; CREATE TABLE no (id int);');\n", n)
	}
	parts := []string{
		"CREATE TABLE a (id bigint PRIMARY KEY, note text);\n",
		"COPY a (id, note) FROM stdin;\n1\tx\n\\.\n",
		"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a VALUES (2, 'y'); RETURN NEW; END $$;\n",
		"CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW EXECUTE FUNCTION f();\n",
		"DO $$ BEGIN INSERT INTO a VALUES (3, 'z'); CREATE TABLE b (id bigint REFERENCES a (id)); END $$;\n",
		"SELECT pg_catalog.set_config('search_path', 'app', false);\nCREATE TABLE c (id bigint PRIMARY KEY);\n",
	}
	names := func(text string) string {
		c, _, _, err := Load(write(t, map[string]string{"schema.sql": text}), []string{"schema.sql"})
		if err != nil || len(c.Problems) > 0 {
			t.Fatal(err, c.Problems)
		}
		return fmt.Sprint(slices.Sorted(maps.Keys(c.Relations)), slices.Sorted(maps.Keys(c.Functions)), len(c.Relation("", "a").Triggers), c.SearchPath)
	}
	want, got := names(strings.Join(parts, "")), names(strings.Join(parts, rows(mostRows)))
	if got != want {
		t.Errorf("with seeds between: %s, without: %s", got, want)
	}
}
