package replay

import (
	"context"
	"testing"

	"github.com/pglockdep/pglockdep/internal/pgtest"
)

// The schemas and statements are small ones of the shapes in which cycles
// were found in public programs; docs/design/0010-findings-read.md names them.
const (
	folders = `CREATE TABLE folders (id int PRIMARY KEY); CREATE TABLE files (id int PRIMARY KEY, folder int REFERENCES folders (id));
		INSERT INTO folders VALUES (1), (2); INSERT INTO files VALUES (1, 1)`
	batches = `CREATE TABLE batches (id int PRIMARY KEY); CREATE TABLE payments (id serial PRIMARY KEY, batch int REFERENCES batches (id));
		INSERT INTO batches VALUES (1); INSERT INTO payments (batch) VALUES (1)`
	sessions = `CREATE TABLE sessions (id int PRIMARY KEY); CREATE TABLE tokens (id serial PRIMARY KEY, session int REFERENCES sessions (id) ON DELETE CASCADE, used bool);
		INSERT INTO sessions VALUES (1); INSERT INTO tokens (session) VALUES (1)`
	lines = `CREATE TABLE lines (id int PRIMARY KEY); CREATE TABLE runs (id serial PRIMARY KEY, line int REFERENCES lines (id)); INSERT INTO lines VALUES (1)`
	flows = `CREATE TABLE flows (id int PRIMARY KEY); CREATE TABLE events (flow int REFERENCES flows (id) ON DELETE CASCADE, key text, value text, PRIMARY KEY (flow, key));
		INSERT INTO flows VALUES (1); INSERT INTO events VALUES (1, 'a', 'old')`
	boards = `CREATE TABLE boards (id int PRIMARY KEY);
		CREATE TABLE cards (id int PRIMARY KEY, board int REFERENCES boards (id)); CREATE TABLE runs (id int PRIMARY KEY, board int REFERENCES boards (id));
		INSERT INTO boards VALUES (1); INSERT INTO cards VALUES (1, 1); INSERT INTO runs VALUES (1, 1)`
)

func TestCycles(t *testing.T) {
	dsn := pgtest.Start(t)
	for _, tt := range []struct {
		name  string
		c     Case
		block bool // one side is ended by the server
	}{
		{"file_then_folder", Case{folders, []Side{
			{[]string{`UPDATE files SET id = id WHERE id = 1`}, []string{`UPDATE files SET folder = 2 WHERE id = 1`}},
			{[]string{`SELECT 1 FROM folders WHERE id = 2 FOR UPDATE`}, []string{`SELECT 1 FROM files WHERE id = 1 FOR UPDATE`}}}}, true},
		{"folder_for_no_key_update", Case{folders, []Side{
			{[]string{`UPDATE files SET id = id WHERE id = 1`}, []string{`UPDATE files SET folder = 2 WHERE id = 1`}},
			{[]string{`SELECT 1 FROM folders WHERE id = 2 FOR NO KEY UPDATE`}, []string{`SELECT 1 FROM files WHERE id = 1 FOR UPDATE`}}}}, false},
		{"drafts_replaced", Case{batches, []Side{
			{[]string{`DELETE FROM payments WHERE batch = 1`}, []string{`INSERT INTO payments (batch) VALUES (1)`}},
			{[]string{`SELECT 1 FROM batches WHERE id = 1 FOR UPDATE`}, []string{`DELETE FROM payments WHERE batch = 1`}}}}, true},
		{"token_swapped", Case{sessions, []Side{
			{[]string{`UPDATE tokens SET used = true WHERE session = 1`}, []string{`INSERT INTO tokens (session) VALUES (1)`}},
			{[]string{`SELECT 1 FROM sessions WHERE id = 1 FOR UPDATE`}, []string{`DELETE FROM sessions WHERE id = 1`}}}}, true},
		{"key_share_raised", Case{lines, []Side{
			{[]string{`INSERT INTO runs (line) VALUES (1)`}, []string{`SELECT 1 FROM lines WHERE id = 1 FOR UPDATE`}},
			{[]string{`INSERT INTO runs (line) VALUES (1)`}, []string{`SELECT 1 FROM lines WHERE id = 1 FOR UPDATE`}}}}, true},
		{"advisory_set", Case{``, []Side{
			{[]string{`SELECT pg_advisory_xact_lock(101)`}, []string{`SELECT pg_advisory_xact_lock(x) FROM (VALUES (101), (102)) v (x)`}},
			{[]string{`SELECT pg_advisory_xact_lock(102)`}, []string{`SELECT pg_advisory_xact_lock(x) FROM (VALUES (102), (101)) v (x)`}}}}, true},
		// An update by ON CONFLICT locks no parent: what holds the event
		// does not wait for the flow. (A second update of the row in one
		// transaction would: the check runs where the row is the
		// transaction's own.)
		{"conflict_locks_no_parent", Case{flows, []Side{
			{[]string{`INSERT INTO events VALUES (1, 'a', 'new') ON CONFLICT (flow, key) DO UPDATE SET value = EXCLUDED.value`}, nil},
			{[]string{`SELECT 1 FROM flows WHERE id = 1 FOR UPDATE`}, []string{`DELETE FROM flows WHERE id = 1`}}}}, false},
		{"conflict_beside_locked_parent", Case{flows, []Side{
			{[]string{`SELECT 1 FROM flows WHERE id = 1 FOR UPDATE`}, []string{`DELETE FROM flows WHERE id = 1`}},
			{[]string{`SET LOCAL lock_timeout = '5s'`, `INSERT INTO events VALUES (1, 'a', 'new') ON CONFLICT (flow, key) DO UPDATE SET value = EXCLUDED.value`}, nil}}}, false},
		// A row that is moved to the session that is deleted referred to
		// another one: the action does not look for it. One that was
		// changed before is checked though its key stays, and so is one
		// of several that are moved.
		{"moved_to_deleted", Case{sessions + "; INSERT INTO sessions VALUES (2); INSERT INTO tokens (session) VALUES (2)", []Side{
			{[]string{`SELECT 1 FROM tokens WHERE id = 2 FOR UPDATE`}, []string{`DO 'BEGIN UPDATE tokens SET session = 1 WHERE id = 2; EXCEPTION WHEN foreign_key_violation THEN NULL; END'`}},
			{[]string{`SELECT 1 FROM sessions WHERE id = 1 FOR UPDATE`}, []string{`DELETE FROM sessions WHERE id = 1`}}}}, false},
		{"moved_after_change", Case{sessions, []Side{
			{[]string{`UPDATE tokens SET used = true WHERE id = 1`}, []string{`UPDATE tokens SET session = 1 WHERE id = 1`}},
			{[]string{`SELECT 1 FROM sessions WHERE id = 1 FOR UPDATE`}, []string{`DELETE FROM sessions WHERE id = 1`}}}}, true},
		{"several_moved", Case{sessions + "; INSERT INTO sessions VALUES (2); INSERT INTO tokens (session) VALUES (2)", []Side{
			{[]string{`SELECT 1 FROM tokens FOR UPDATE`}, []string{`UPDATE tokens SET session = 1`}},
			{[]string{`SELECT 1 FROM sessions WHERE id = 1 FOR UPDATE`}, []string{`DELETE FROM sessions WHERE id = 1`}}}}, true},
		// A check that passes found no row: it holds none while the next
		// check waits.
		{"checks_of_referencing_rows", Case{boards, []Side{
			{[]string{`SELECT 1 FROM runs WHERE id = 1 FOR UPDATE`}, []string{`DELETE FROM cards WHERE board = 1`, `DELETE FROM runs WHERE id = 1`}},
			{nil, []string{`SELECT pg_sleep(0.2)`, `DELETE FROM boards WHERE id = 1`}}}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			codes, err := Play(context.Background(), dsn, "replay_"+tt.name, tt.c)
			if err != nil {
				t.Fatal(err)
			}
			ended := 0
			for i, code := range codes {
				switch code {
				case "":
				case Deadlock:
					ended++
				default:
					t.Errorf("side %d ended with %s", i+1, code)
				}
			}
			if (ended == 1) != tt.block || ended > 1 {
				t.Errorf("%d sides ended by a deadlock, want one: %t (%q)", ended, tt.block, codes)
			}
		})
	}
}
