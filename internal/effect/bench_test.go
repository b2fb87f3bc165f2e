//go:build unix

package effect

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
)

// typical are statements as services send them; each time they are asked for,
// the text is one that was not seen before.
var typical = []string{
	"SELECT id, v%[1]d FROM t%[2]d WHERE id = $1 FOR UPDATE /* %[1]d */",
	"UPDATE t%[2]d SET state = 'done', n = n + %[1]d WHERE id = $1 AND state <> 'done' RETURNING id",
	"INSERT INTO t%[2]d (id, parent_id, state) VALUES ($1, $2, 'x%[1]d') ON CONFLICT (id) DO UPDATE SET state = excluded.state",
	"DELETE FROM t%[2]d WHERE parent_id = $1 AND n < %[1]d",
	"SELECT a.id, b.state FROM t%[2]d a JOIN t%[3]d b ON b.id = a.parent_id WHERE a.state = 's%[1]d' ORDER BY a.id LIMIT 10 FOR UPDATE OF a SKIP LOCKED",
	"SELECT pg_advisory_xact_lock(hashtextextended('k%[1]d:' || $1, 0))",
	"WITH l AS (SELECT id FROM t%[2]d WHERE n > %[1]d ORDER BY id FOR UPDATE) UPDATE t%[3]d SET n = 0 FROM l WHERE l.id = t%[3]d.parent_id",
	"SELECT f%[2]d($1, %[1]d)",
}

func text(n, tables int) string {
	return fmt.Sprintf(typical[n%len(typical)], n, n%tables, (n+1)%tables)
}

// service is the schema of a service: tables with keys to each other, and two
// functions for each.
func service(tables int) string {
	var b strings.Builder
	for i := range tables {
		fmt.Fprintf(&b, "CREATE TABLE t%d (id bigint PRIMARY KEY, parent_id bigint%s, state text NOT NULL DEFAULT 'new', n int CHECK (n >= 0), made timestamptz DEFAULT now());\n", i, map[bool]string{true: fmt.Sprintf(" REFERENCES t%d (id) ON DELETE CASCADE", i-1)}[i%8 != 0])
		fmt.Fprintf(&b, "CREATE INDEX t%d_state ON t%d (state, n);\n", i, i)
		fmt.Fprintf(&b, "CREATE FUNCTION f%d(a bigint, b int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 FROM t%d WHERE id = a FOR UPDATE; UPDATE t%d SET n = b WHERE id = a; END $$;\n", i, i, i)
		fmt.Fprintf(&b, "CREATE FUNCTION g%d() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.made := now(); RETURN NEW; END $$;\n", i)
		fmt.Fprintf(&b, "CREATE TRIGGER g BEFORE UPDATE ON t%d FOR EACH ROW EXECUTE FUNCTION g%d();\n", i, i)
	}
	return b.String()
}

func serviceCatalog(tables int) *schema.Catalog {
	c := schema.New()
	c.Apply("schema.sql", service(tables))
	return c
}

// spent is the time that the process has had of the processors: other work
// on the machine does not count.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFresh tells the locks of statements that were never seen, beside
// reading them only.
func BenchmarkFresh(b *testing.B) {
	c := serviceCatalog(100)
	per := func(b *testing.B, f func(text string)) {
		n, from := 0, spent()
		for b.Loop() {
			f(text(n, 100))
			n++
		}
		b.ReportMetric(float64(n)/(spent()-from).Seconds(), "statements/s")
	}
	b.Run("read", func(b *testing.B) { per(b, func(s string) { pgsql.Parse(s) }) })
	b.Run("locks", func(b *testing.B) { per(b, func(s string) { Of(c, s) }) })
}

// BenchmarkSchema loads schemas: the largest has 1,000 tables and 2,000
// functions. What one table costs must not grow with their number.
func BenchmarkSchema(b *testing.B) {
	for _, tables := range []int{250, 500, 1000, 2000} {
		b.Run(fmt.Sprint(tables), func(b *testing.B) {
			n, from := 0, spent()
			for b.Loop() {
				n++
				c := schema.New()
				c.Apply("schema.sql", fmt.Sprintf("-- %d\n", n)+service(tables))
				if len(c.Relations) != tables || len(c.Problems) > 0 {
					b.Fatalf("%d relations, %v", len(c.Relations), c.Problems)
				}
			}
			b.ReportMetric(float64((spent()-from).Microseconds())/float64(n*tables), "µs/table")
			b.ReportMetric((spent()-from).Seconds()/float64(n), "s/schema")
		})
	}
}

// BenchmarkScript plays the same texts as migrations, which tell the locks of
// each definition against the schema before it.
func BenchmarkScript(b *testing.B) {
	for _, tables := range []int{100, 200, 400} {
		b.Run(fmt.Sprint(tables), func(b *testing.B) {
			n, from := 0, spent()
			for b.Loop() {
				n++
				Script(schema.New(), "schema.sql", fmt.Sprintf("-- %d\n", n)+service(tables), 1)
			}
			b.ReportMetric(float64((spent()-from).Microseconds())/float64(n*tables), "µs/table")
		})
	}
}

// BenchmarkCatalogSize asks the same of schemas of growing size.
func BenchmarkCatalogSize(b *testing.B) {
	for _, tables := range []int{10, 100, 1000} {
		c := serviceCatalog(tables)
		b.Run(fmt.Sprint(tables), func(b *testing.B) {
			n, from := 0, spent()
			for b.Loop() {
				Of(c, text(n%80, 8))
				n++
			}
			b.ReportMetric(float64(n)/(spent()-from).Seconds(), "statements/s")
		})
	}
}

// BenchmarkLength tells the locks of statements of growing length; what one
// part costs must not grow with their number.
func BenchmarkLength(b *testing.B) {
	c := serviceCatalog(100)
	for _, k := range []struct {
		name       string
		head, part string
		sep, tail  string
		most       int
	}{
		{"values", "INSERT INTO t1 (id, parent_id) VALUES ", "(%d, 1)", ", ", "", 8000},
		{"in", "SELECT 1 FROM t1 WHERE id IN (", "%d", ", ", ") FOR UPDATE", 8000},
		{"and", "SELECT 1 FROM t1 WHERE ", "n <> %d", " AND ", " FOR UPDATE", 4000},
		{"columns", "SELECT ", "pg_advisory_xact_lock(%d)", ", ", "", 2000},
		{"joins", "SELECT 1 FROM t0 a ", "JOIN t1 x%[1]d ON x%[1]d.id = a.id", " ", " FOR UPDATE", 64},
		{"with", "WITH ", "c%[1]d AS (UPDATE t1 SET n = 1 WHERE id = %[1]d RETURNING id)", ", ", " SELECT 1", 256},
		{"statements", "", "UPDATE t1 SET n = 1 WHERE id = %d", ";", "", 400},
	} {
		for _, n := range []int{k.most / 4, k.most / 2, k.most} {
			parts := make([]string, n)
			for i := range parts {
				parts[i] = fmt.Sprintf(k.part, i)
			}
			s := k.head + strings.Join(parts, k.sep) + k.tail
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				from := spent()
				for b.Loop() {
					if ops := Of(c, s); len(ops) == 0 {
						b.Fatal("nothing")
					}
				}
				b.ReportMetric(float64((spent()-from).Nanoseconds())/float64(b.N*n), "ns/part")
			})
		}
	}
}
