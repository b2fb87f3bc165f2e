package effect

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pglockdep/pglockdep/internal/pgtest"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// A held is a lock as a server shows it: the relation or key space it is on,
// its mode, and which row or key.
type held struct{ family, what, mode, instance string }

func (h held) class() string { return h.family + " " + h.what + " " + h.mode }

// A recorder runs statements on a real server in one session and reads from
// another which locks that session holds.
type recorder struct {
	t        testing.TB
	run, see *pgx.Conn
	block    *pgx.Conn // holds what the recorded session shall wait for
	pid      uint32
}

const statementLimit = 10 * time.Second

// newRecorder makes a database of its own on the server for tests.
func newRecorder(t testing.TB) *recorder {
	t.Helper()
	dsn := pgtest.Start(t)
	admin := connect(t, dsn, "")
	name := fmt.Sprintf("effect_%d", time.Now().UnixNano())
	must(t, admin, "CREATE DATABASE "+name)
	r := &recorder{t: t, run: connect(t, dsn, name), see: connect(t, dsn, name), block: connect(t, dsn, name)}
	t.Cleanup(func() {
		r.run.Close(context.Background())
		r.see.Close(context.Background())
		r.block.Close(context.Background())
		must(t, admin, "DROP DATABASE "+name+" WITH (FORCE)")
		admin.Close(context.Background())
	})
	must(t, r.see, "CREATE SCHEMA recorder; CREATE EXTENSION pgrowlocks SCHEMA recorder; SET lock_timeout = '200ms'")
	r.pid = r.run.PgConn().PID()
	return r
}

func connect(t testing.TB, dsn, database string) *pgx.Conn {
	t.Helper()
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if database != "" {
		c.Database = database
	}
	conn, err := pgx.ConnectConfig(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// send runs a text by the simple protocol, one with parameters by the
// extended, where every parameter is 1.
func send(c *pgx.Conn, text string) (pgconn.CommandTag, error) {
	ctx, cancel := context.WithTimeout(context.Background(), statementLimit)
	defer cancel()
	if n := parameters(text); n > 0 {
		arg := "1"
		if strings.Contains(text, "ANY($") {
			arg = "{1}"
		}
		args := slices.Repeat([][]byte{[]byte(arg)}, n)
		return c.PgConn().ExecParams(ctx, text, args, nil, nil, nil).Close()
	}
	results, err := c.PgConn().Exec(ctx, text).ReadAll()
	var tag pgconn.CommandTag
	if len(results) > 0 {
		tag = results[len(results)-1].CommandTag
	}
	return tag, err
}

var parameter = regexp.MustCompile(`\$(\d+)`)

func parameters(text string) int {
	n := 0
	if !strings.Contains(text, "$$") && !strings.HasPrefix(text, "PREPARE") {
		for _, g := range parameter.FindAllStringSubmatch(text, -1) {
			i, _ := strconv.Atoi(g[1])
			n = max(n, i)
		}
	}
	return n
}

func must(t testing.TB, c *pgx.Conn, text string) {
	t.Helper()
	if _, err := send(c, text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// reset drops what the last case made.
func (r *recorder) reset() {
	must(r.t, r.run, "ROLLBACK")
	must(r.t, r.run, "DISCARD ALL")
	must(r.t, r.run, `DO $$ DECLARE s text; BEGIN
		FOR s IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|recorder$)' LOOP
			EXECUTE format('DROP SCHEMA %I CASCADE', s);
		END LOOP;
		CREATE SCHEMA public;
	END $$`)
}

const shownName = `CASE WHEN n.nspname = 'public' THEN c.relname WHEN n.nspname LIKE 'pg\_temp%' THEN 'pg_temp.' || c.relname ELSE n.nspname || '.' || c.relname END`

// locks returns what the session holds. Its own look at pg_locks knows
// tables that it has made, the other session's those it has dropped; while it
// waits only the other one can look.
func (r *recorder) locks(waits bool) map[held]bool {
	r.t.Helper()
	out := map[held]bool{}
	shown := map[int64]bool{}
	r.look(r.see, out, shown)
	if !waits {
		r.look(r.run, out, shown)
	}
	r.rowLocks(out)
	return out
}

func (r *recorder) look(by *pgx.Conn, out map[held]bool, shown map[int64]bool) {
	rows, err := by.Query(context.Background(), `SELECT locktype, mode, coalesce(`+shownName+`, ''), coalesce(c.relkind::text, ''),
			coalesce(classid::bigint, 0), coalesce(objid::bigint, 0), coalesce(objsubid, 0), coalesce(relation::bigint, 0)
		FROM pg_locks l LEFT JOIN pg_class c ON locktype = 'relation' AND c.oid = relation LEFT JOIN pg_namespace n ON n.oid = relnamespace
		WHERE pid = $1 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND coalesce(n.nspname, '') NOT IN ('pg_catalog', 'information_schema')`, pgx.QueryExecModeSimpleProtocol, r.pid)
	if err != nil {
		r.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind, mode, rel, relkind string
		var class, obj, oid int64
		var sub int16
		if err := rows.Scan(&kind, &mode, &rel, &relkind, &class, &obj, &sub, &oid); err != nil {
			r.t.Fatal(err)
		}
		switch {
		case shown[oid] && by == r.run:
		case kind == "relation" && (relkind == "r" || relkind == "p"):
			out[held{lockgraph.Table, rel, serverModes[mode], ""}] = true
			if by == r.see {
				shown[oid] = true
			}
		case kind == "advisory":
			space := map[int16]string{1: "bigint", 2: "int4x2"}[sub]
			how := map[string]string{"ExclusiveLock": lockgraph.Exclusive, "ShareLock": lockgraph.Shared}[mode]
			out[held{lockgraph.Advisory, space, how, fmt.Sprintf("%d,%d", class, obj)}] = true
		}
	}
	if err := rows.Err(); err != nil {
		r.t.Fatal(err)
	}
}

var serverModes = map[string]string{
	"AccessShareLock": lockgraph.AccessShare, "RowShareLock": lockgraph.RowShare, "RowExclusiveLock": lockgraph.RowExclusive,
	"ShareUpdateExclusiveLock": lockgraph.ShareUpdateExclusive, "ShareLock": lockgraph.Share,
	"ShareRowExclusiveLock": lockgraph.ShareRowExclusive, "ExclusiveLock": lockgraph.ExclusiveTable, "AccessExclusiveLock": lockgraph.AccessExclusive,
}

// rowModes are the words of pgrowlocks. One that tells of a change leaves
// open whether the row was locked FOR UPDATE before.
var rowModes = map[string]string{
	"For Update": lockgraph.ForUpdate, "Update": lockgraph.ForUpdate, "For No Key Update": lockgraph.ForNoKeyUpdate, "No Key Update": lockgraph.ForNoKeyUpdate,
	"For Share": lockgraph.ForShare, "Share": lockgraph.ForShare, "For Key Share": lockgraph.ForKeyShare, "Key Share": lockgraph.ForKeyShare,
}

// rowLocks adds the row locks of every table that can be read. Rows locked
// by another session than the recorded one are told apart by its pid, those
// of a subtransaction, which have none, by its absence.
func (r *recorder) rowLocks(out map[held]bool) {
	r.t.Helper()
	rows, err := r.see.Query(context.Background(), `SELECT n.nspname, c.relname, `+shownName+` FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE relkind = 'r' AND nspname !~ '^(pg_|information_schema$|recorder$)'`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		r.t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t [3]string, err error) { return t, row.Scan(&t[0], &t[1], &t[2]) })
	if err != nil {
		r.t.Fatal(err)
	}
	for _, t := range tables {
		rows, err := r.see.Query(context.Background(), "SELECT locked_row::text, modes, pids FROM recorder.pgrowlocks($1)", pgx.QueryExecModeSimpleProtocol, pgx.Identifier{t[0], t[1]}.Sanitize())
		if err != nil {
			continue
		}
		for rows.Next() {
			var tid string
			var modes []string
			var pids []int32
			if err := rows.Scan(&tid, &modes, &pids); err != nil {
				r.t.Fatal(err)
			}
			for i, m := range modes {
				if i >= len(pids) || pids[i] == int32(r.pid) || pids[i] == 0 {
					out[held{lockgraph.Row, t[2], rowModes[m], tid + " " + m}] = true
				}
			}
		}
		rows.Close() // a table that cannot be read for want of a lock has no rows to show
	}
}

// A step is what one statement was seen to do.
type step struct {
	before, took map[held]bool // what it held before, and not before
	all          map[held]bool // held after it
	left         map[held]bool // held when its transaction has ended, if it was one of its own
	tag          pgconn.CommandTag
	err          error
	live         bool // whether it could be looked at
	again        bool // whether it was undone, and can be run again
}

// had reports whether a row lock was there before, in whatever word.
func (s *step) had(h held) bool {
	tid, _, _ := strings.Cut(h.instance, " ")
	for o := range s.before {
		if id, _, _ := strings.Cut(o.instance, " "); id == tid && o.class() == h.class() {
			return true
		}
	}
	return false
}

// hidden reports whether a row that reads as changed was locked FOR UPDATE
// before, which leaves open how the change locked it.
func (s *step) hidden(h held) bool {
	tid, ok := strings.CutSuffix(h.instance, " Update")
	return ok && !strings.HasSuffix(tid, " For") && (s.before[held{h.family, h.what, h.mode, tid + " For Update"}] || s.before[held{h.family, h.what, h.mode, tid + " Update"}])
}

// step runs one statement; in autocommit as a transaction of its own, with
// what waits for COMMIT done before it is looked at.
func (r *recorder) step(text string, before map[held]bool) step {
	auto := r.run.PgConn().TxStatus() == 'I'
	if auto && ownTransaction.MatchString(text) {
		tag, err := send(r.run, text)
		return step{tag: tag, err: err}
	}
	if auto && !transactionControl.MatchString(text) {
		must(r.t, r.run, "BEGIN")
	}
	tag, err := send(r.run, text)
	s := step{before: before, tag: tag, err: err, live: err == nil}
	if auto && err == nil && r.run.PgConn().TxStatus() == 'T' && !transactionControl.MatchString(text) {
		_, s.err = send(r.run, "SET CONSTRAINTS ALL IMMEDIATE")
	}
	if s.err == nil {
		s.all = r.locks(false)
		s.took = maps.Clone(s.all)
		maps.DeleteFunc(s.took, func(h held, _ bool) bool { return before[h] || h.family == lockgraph.Row && s.had(h) })
	}
	if auto && !transactionControl.MatchString(text) {
		end := "COMMIT"
		if changesRows.MatchString(text) || err != nil {
			end = "ROLLBACK" // the next statement finds the same rows
			s.again = err == nil && s.err == nil
		}
		must(r.t, r.run, end)
		if s.all != nil {
			s.left = r.locks(false)
		}
	}
	return s
}

var (
	transactionControl = regexp.MustCompile(`(?i)^\s*(BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE|PREPARE TRANSACTION)\b`)
	changesRows        = regexp.MustCompile(`(?i)^\s*(WITH|SELECT|INSERT|UPDATE|DELETE|MERGE|COPY|TRUNCATE|EXECUTE)\b`)
	ownTransaction     = regexp.MustCompile(`(?i)^\s*(VACUUM|CALL|DO|DISCARD ALL|REINDEX .*CONCURRENTLY|CREATE (UNIQUE )?INDEX CONCURRENTLY|DROP INDEX CONCURRENTLY|ALTER TABLE .* DETACH PARTITION .* CONCURRENTLY)\b`)
)

// A told is a lock that the package names for a statement.
type told struct {
	held
	root      string // of a partition
	temporary bool
	when      string
}

func predictions(r *Report, s *Statement) []told {
	classes := map[string]lockgraph.Class{}
	for _, c := range r.Classes {
		classes[c.ID] = c
	}
	var out []told
	for _, q := range s.Acquisitions {
		c := classes[q.Class]
		p := told{held: held{family: c.Family, what: c.Relation, mode: q.Mode}, root: c.PartitionOf, when: q.When, temporary: strings.HasPrefix(c.Relation, "pg_temp.")}
		switch {
		case c.Family == lockgraph.Advisory:
			p.what = c.Key.Space
		case c.Relkind != "" && c.Relkind != "r" && c.Relkind != "p":
			continue
		}
		if q.Wait != lockgraph.Wait {
			p.when = q.Wait // it may not have been got
		}
		out = append(out, p)
	}
	return out
}

// meets reports whether a lock seen is on what is told of, or on a partition
// of it.
func (p told) meets(cat *schema.Catalog, h held) bool {
	if p.family != h.family {
		return false
	}
	for what, n := h.what, 0; n < 8; n++ {
		if what == p.what {
			return true
		}
		rel := cat.Relation("", what)
		if schemaName, name, ok := strings.Cut(what, "."); ok {
			rel = cat.Relation(schemaName, name)
		}
		if rel == nil || rel.PartitionOf == "" {
			return false
		}
		what = rel.PartitionOf
	}
	return false
}

// differences compares what a statement took with what is told of it.
// rows says whether its conditions met any row, without which a row lock
// told of is no fault.
func differences(cat *schema.Catalog, s *step, named []told, rows bool) []string {
	var out []string
	for h := range s.took {
		fits := func(p told) bool {
			return p.meets(cat, h) && (p.mode == h.mode || p.mode == lockgraph.ForNoKeyUpdate && s.hidden(h))
		}
		stronger := false
		for o := range s.all {
			stronger = stronger || o.family == lockgraph.Table && h.family == o.family && o.what == h.what && lockgraph.Stronger(h.family, o.mode, h.mode)
		}
		if !slices.ContainsFunc(named, fits) && !stronger {
			out = append(out, "missed "+h.class())
		}
	}
	for _, p := range named {
		if p.temporary || p.when != "" || p.family == lockgraph.Row && !rows {
			continue
		}
		is := false
		for h := range s.all {
			is = is || p.meets(cat, h) && (h.mode == p.mode || lockgraph.Stronger(p.family, h.mode, p.mode))
		}
		for _, q := range named {
			is = is || q.family == p.family && q.what == p.what && lockgraph.Stronger(p.family, q.mode, p.mode)
		}
		if !is {
			out = append(out, "extra "+p.class())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
