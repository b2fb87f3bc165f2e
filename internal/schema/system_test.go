package schema

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/internal/pgtest"
)

var update = flag.Bool("update", false, "write system.sql anew")

const tables = `
SELECT format(E'CREATE TABLE pg_catalog.%I (\n%s\n);', c.relname,
	string_agg(format(E'\t%I %s%s', a.attname, format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END), E',\n' ORDER BY a.attnum))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'r'
GROUP BY c.relname ORDER BY c.relname COLLATE "C"`

const indexes = `
SELECT pg_get_indexdef(i.indexrelid) || ';'
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'r' AND i.indisunique
ORDER BY i.indexrelid::regclass::text COLLATE "C"`

const references = `
SELECT line FROM (SELECT format('-- %s.%s -> %s.%s', fktable, fkcols[1], pktable, pkcols[1]) AS line
	FROM pg_get_catalog_foreign_keys() WHERE cardinality(fkcols) = 1 AND NOT is_array) x ORDER BY line COLLATE "C"`

const views = `
SELECT format('CREATE VIEW pg_catalog.%I AS%s', relname, pg_get_viewdef(oid))
FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'v' ORDER BY oid`

// TestSystem compares system.sql with what the server says of its own
// catalogs.
func TestSystem(t *testing.T) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var major int
	if err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000`).Scan(&major); err != nil {
		t.Fatal(err)
	}
	if major != 15 {
		t.Skipf("system.sql is of version 15, the server's is %d", major)
	}
	var b strings.Builder
	for _, q := range []string{tables, indexes, references, views} {
		rows, err := conn.Query(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	if *update {
		if err := os.WriteFile("system.sql", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if b.String() != systemText {
		t.Errorf("system.sql is not what the server has: go test ./internal/schema -run TestSystem -update")
	}
}

func TestSystemIsRead(t *testing.T) {
	s := readSystem()
	for _, p := range s.catalog.Problems {
		t.Errorf("%s:%d: %s", p.File, p.Line, p.Message)
	}
	r := System("", "pg_authid")
	if r == nil || len(r.Indexes) != 2 || r.Indexes[0].Columns[0] != "oid" && r.Indexes[1].Columns[0] != "oid" {
		t.Fatalf("pg_authid is %+v", r)
	}
	if v := System("pg_catalog", "pg_roles"); v == nil || !strings.Contains(v.View, "pg_authid") {
		t.Errorf("pg_roles is %+v", v)
	}
	if System("public", "pg_authid") != nil || System("", "accounts") != nil || System("", "pg_mine") != nil {
		t.Error("a relation that is no catalog is found")
	}
	c := New()
	c.Apply("schema.sql", `CREATE TABLE a (id bigint PRIMARY KEY); CREATE TABLE b (a bigint PRIMARY KEY REFERENCES a);
		CREATE TABLE c (x bigint REFERENCES b (a), self bigint UNIQUE REFERENCES c (self))`)
	for from, to := range map[string]string{"c.x": "a.id", "b.a": "a.id", "a.id": "a.id", "c.self": "c.self", "none.x": "none.x",
		"pg_catalog.pg_auth_members.member": "pg_authid.oid"} {
		if got := c.Identity(from); got != to {
			t.Errorf("identity of %s is %s, want %s", from, got, to)
		}
	}
}
