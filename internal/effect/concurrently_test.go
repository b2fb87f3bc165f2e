package effect

import (
	"slices"
	"testing"

	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// TestConcurrentlyLive holds up each CONCURRENTLY statement by a transaction
// that uses the table, and compares what the statement holds while it waits.
// That it does wait for the transaction is the other half of R10.4.
func TestConcurrentlyLive(t *testing.T) {
	r := newRecorder(t)
	const ddl = `CREATE TABLE t(id int PRIMARY KEY, v int); CREATE INDEX t_v ON t(v);
		CREATE TABLE p(id int, k int) PARTITION BY LIST (k); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2)`
	cat := schema.New()
	cat.Apply("schema.sql", ddl)
	for _, tt := range []struct {
		use, sql string
		passing  bool // its locks are given up before it waits
	}{
		{"UPDATE t SET v = 1", "CREATE INDEX CONCURRENTLY t_w ON t(v)", false},
		{"UPDATE t SET v = 1", "CREATE UNIQUE INDEX CONCURRENTLY t_x ON t(id)", false},
		{"SELECT 1 FROM t", "DROP INDEX CONCURRENTLY t_v", false},
		{"UPDATE t SET v = 1", "REINDEX TABLE CONCURRENTLY t", false},
		{"UPDATE t SET v = 1", "REINDEX INDEX CONCURRENTLY t_v", false},
		{"SELECT 1 FROM p", "ALTER TABLE p DETACH PARTITION p2 CONCURRENTLY", true},
	} {
		t.Run(tt.sql, func(t *testing.T) {
			r.t = t
			r.reset()
			must(t, r.run, ddl)
			must(t, r.run, "INSERT INTO t VALUES (1, 1); INSERT INTO p VALUES (1, 1)")
			must(t, r.block, "BEGIN")
			must(t, r.block, tt.use)
			done := make(chan error, 1)
			go func() {
				_, err := send(r.run, tt.sql)
				done <- err
			}()
			if !r.waits(done) {
				t.Error("it does not wait for the transaction")
			}
			seen := r.locks(true)
			must(t, r.block, "ROLLBACK")
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			report := Session(cat, tt.sql)
			named := predictions(report, &report.Statements[0])
			if len(report.Statements[0].Waits) == 0 {
				t.Error("no wait is told")
			}
			for h := range seen {
				if h.family == lockgraph.Table && !slices.ContainsFunc(named, func(p told) bool { return p.meets(cat, h) && p.mode == h.mode }) {
					t.Errorf("missed %s", h.class())
				}
			}
			for _, p := range named {
				if !tt.passing && !seen[p.held] {
					t.Errorf("extra %s", p.class())
				}
			}
		})
	}
}
