package effect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/schema"
)

// generated names the number of statements that TestGenerated makes.
const generated = "PGLOCKDEP_GENERATE"

// TestGenerated makes small schemas and statements, always the same ones,
// runs them on a real server, and wants every lock that it took to be told,
// and no other where rows were met.
func TestGenerated(t *testing.T) {
	want := 150
	if s := os.Getenv(generated); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", generated, err)
		}
		want = n
	}
	r := newRecorder(t)
	const perSchema = 15
	run, failed := 0, 0
	for n := uint64(0); run < want; n++ {
		g := &generator{rand.New(rand.NewPCG(7, n))}
		ddl := g.schema()
		cat := schema.New()
		cat.Apply("schema.sql", strings.Join(ddl, ";\n"))
		r.t = t
		r.reset()
		for _, s := range append(ddl, rows) {
			must(t, r.run, s)
		}
		for range perSchema {
			sql := g.statement()
			report := Session(cat, sql)
			s := r.step(sql, map[held]bool{})
			if s.err != nil {
				failed++ // the statement breaks a constraint
				continue
			}
			run++
			for _, u := range report.Statements[0].Unknowns {
				t.Errorf("schema %d: %s: unknown: %s", n, sql, u.Reason)
			}
			for _, d := range differences(cat, &s, predictions(report, &report.Statements[0]), s.tag.RowsAffected() > 0) {
				if strings.HasPrefix(d, "extra") && s.tag.RowsAffected() == 0 || d == "extra table a ROW SHARE" && strings.Contains(sql, "NULL") {
					continue // no row was met; the parent of a NULL key is released at once (R6.2)
				}
				t.Errorf("schema %d:\n%s\n%s: %s", n, strings.Join(ddl, ";\n"), sql, d)
			}
		}
		if n > uint64(want) {
			t.Fatalf("%d of %d statements ran, %d failed", run, want, failed)
		}
	}
	t.Logf("%d statements ran, %d more failed on the server", run, failed)
}

// A generator makes schemas of the tables a, b and p, and statements on them.
type generator struct{ *rand.Rand }

func (g *generator) one(list ...string) string { return list[g.IntN(len(list))] }

// maybe gives a text in one of n cases.
func (g *generator) maybe(n int, text string) string {
	if g.IntN(n) == 0 {
		return text
	}
	return ""
}

const rows = `INSERT INTO a SELECT g, g, 7 * g, 6 * g FROM generate_series(1, 4) g;
	INSERT INTO b SELECT g, g, g, g FROM generate_series(1, 3) g; INSERT INTO p SELECT g, 1 + g % 2, g FROM generate_series(1, 4) g`

func (g *generator) schema() []string {
	ddl := []string{
		"CREATE TABLE a(id int PRIMARY KEY, u int" + g.maybe(2, " UNIQUE") + ", v int, w int)",
		fmt.Sprintf("CREATE TABLE b(id int PRIMARY KEY, aid int%s REFERENCES a(id)%s%s, v int, w int)", g.maybe(3, " UNIQUE"),
			g.one("", " ON DELETE CASCADE", " ON DELETE SET NULL"), g.one("", " ON UPDATE CASCADE", " DEFERRABLE INITIALLY DEFERRED")),
		"CREATE TABLE p(id int, k int, v int) PARTITION BY LIST (k)",
		"CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)",
		"CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2)",
		"CREATE VIEW av AS SELECT * FROM a WHERE id < 9",
		"CREATE FUNCTION lk(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(i, 1); PERFORM 1 FROM a WHERE id = i FOR SHARE; RETURN i; END $$",
	}
	if g.IntN(3) == 0 {
		ddl = append(ddl, "CREATE UNIQUE INDEX ON a(w)"+g.maybe(2, " WHERE w > 0"))
	}
	if g.IntN(2) == 0 {
		ddl = append(ddl,
			"CREATE FUNCTION tf() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "+g.one("PERFORM pg_advisory_xact_lock_shared(5);", "UPDATE p SET v = 0 WHERE k = 1;", "")+" RETURN coalesce(NEW, OLD); END $$",
			fmt.Sprintf("CREATE TRIGGER tr %s %s ON %s FOR EACH %s EXECUTE FUNCTION tf()", g.one("BEFORE", "AFTER"), g.one("UPDATE", "INSERT", "DELETE", "INSERT OR UPDATE", "UPDATE OF v"), g.one("a", "b"), g.one("ROW", "STATEMENT")))
	}
	return ddl
}

func (g *generator) statement() string {
	id := strconv.Itoa(1 + g.IntN(4))
	lock := g.one(" FOR UPDATE", " FOR NO KEY UPDATE", " FOR SHARE", " FOR KEY SHARE", "")
	switch g.IntN(12) {
	case 0:
		return "SELECT * FROM " + g.one("a", "b", "av", "p") + " WHERE " + g.where(id) + g.maybe(2, " ORDER BY id") + g.maybe(3, " LIMIT 2") + lock
	case 1:
		return "SELECT a.id FROM a JOIN b ON b.aid = a.id WHERE a." + g.where(id) + g.one("", " FOR UPDATE", " FOR UPDATE OF a", " FOR SHARE OF b", " FOR SHARE OF b FOR UPDATE OF a")
	case 2:
		return "UPDATE " + g.one("a", "av") + " SET " + g.set(id) + " WHERE " + g.where(id)
	case 3:
		return "UPDATE b SET " + g.one("v = 7", "aid = 4", "aid = NULL", "aid = aid", "id = id + 10", "v = lk("+id+")") + " WHERE " + g.where(id)
	case 4:
		return "DELETE FROM " + g.one("a", "b", "p", "av") + " WHERE " + g.where(id)
	case 5:
		return "INSERT INTO b(id, aid) VALUES (" + g.one("10, "+id, id+", "+id, "10, NULL", "10, 1), (11, 2") + ")" +
			g.one("", " ON CONFLICT DO NOTHING", " ON CONFLICT (id) DO UPDATE SET v = 8", " ON CONFLICT (id) DO UPDATE SET aid = excluded.aid", " ON CONFLICT (id) DO UPDATE SET id = excluded.id")
	case 6:
		return "INSERT INTO a(id, v) SELECT id + 10, v FROM " + g.one("a", "b", "p") + " WHERE " + g.where(id) + g.maybe(2, " ORDER BY id") + lock
	case 7:
		return "UPDATE p SET " + g.one("v = 3", "k = 1", "k = 2", "v = k") + " WHERE " + g.one("k = 1", "k = 2", "id = "+id, "k IN (1, 2)", "k > 1", "k = 1 AND id = 2")
	case 8:
		return "WITH l AS (SELECT id FROM a WHERE " + g.where(id) + " ORDER BY id" + lock + ") " + g.one("SELECT * FROM l", "UPDATE b SET v = 1 FROM l WHERE l.id = b.aid", "DELETE FROM b USING l WHERE l.id = b.id", "SELECT 1")
	case 9:
		return "MERGE INTO a USING b ON a.id = b.aid WHEN MATCHED THEN " + g.one("UPDATE SET "+g.set(id), "DELETE", "DO NOTHING") + g.maybe(2, " WHEN NOT MATCHED THEN INSERT (id) VALUES (b.id + 20)")
	case 10:
		return "SELECT " + g.one("pg_advisory_xact_lock(id)", "pg_advisory_xact_lock(id, 2)", "lk(id)", "CASE WHEN id = 1 THEN pg_try_advisory_xact_lock(id) END", "coalesce(pg_try_advisory_xact_lock(id), pg_try_advisory_xact_lock_shared(9))") +
			" FROM a WHERE id = " + id + lock
	}
	return "SELECT * FROM b WHERE aid " + g.one("IN (SELECT id FROM a WHERE "+g.where(id)+g.maybe(2, " FOR UPDATE")+")", "= (SELECT min(id) FROM a)", "= ANY (ARRAY[1, "+id+"])") + lock
}

func (g *generator) where(id string) string {
	return g.one("id = "+id, "id = "+id, "id IN (1, "+id+")", "id > 1", "id BETWEEN 2 AND 3")
}

func (g *generator) set(id string) string {
	return g.one("v = 7", "u = 20", "u = u", "id = id", "w = 20", "w = v, v = 0", "v = lk("+id+")", "id = 9")
}
