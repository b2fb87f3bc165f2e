package effect

import "testing"

func TestRowsThatTheStatementHolds(t *testing.T) {
	c := catalog(t, `CREATE TABLE t(id int PRIMARY KEY, state int, note text); CREATE TABLE p(a int, b int, n int, PRIMARY KEY (a, b))`)
	const locked = "WITH l AS (SELECT id, state FROM t WHERE state = 1 ORDER BY id FOR UPDATE), m AS (SELECT id FROM l WHERE state = 2) "
	for _, x := range []struct {
		sql  string
		held bool
	}{
		{locked + "UPDATE t SET note = 'x' FROM l WHERE t.id = l.id", true},
		{locked + "UPDATE t SET note = 'x' FROM m WHERE t.id = m.id", true},
		{locked + "UPDATE t SET note = 'x' WHERE id IN (SELECT id FROM m)", true},
		{locked + "UPDATE t SET note = 'x' WHERE id = ANY (ARRAY(SELECT id FROM m))", true},
		{locked + "DELETE FROM t USING l WHERE t.id = l.id", true},
		{locked + "UPDATE t SET note = 'x' FROM l WHERE t.state = l.state", false},
		{locked + "UPDATE t SET note = 'x' FROM l WHERE t.id = l.id + 1", false},
		{locked + "UPDATE t SET note = 'x' FROM l WHERE t.id = l.state", false},
		{"WITH l AS (SELECT a, b FROM p ORDER BY a, b FOR NO KEY UPDATE) UPDATE p SET n = 1 FROM l WHERE (p.a, p.b) = (l.a, l.b)", true},
		{"WITH l AS (SELECT * FROM p ORDER BY a, b FOR NO KEY UPDATE) UPDATE p SET n = 1 WHERE (a, b) IN (SELECT a, b FROM l)", true},
		{"WITH l AS (SELECT a, b FROM p ORDER BY a, b FOR NO KEY UPDATE) UPDATE p SET n = 1 FROM l WHERE p.a = l.a", false},
		{"WITH l AS (SELECT a, b FROM p ORDER BY a, b FOR NO KEY UPDATE) DELETE FROM p USING l WHERE (p.a, p.b) = (l.a, l.b)", false},
		{"UPDATE t SET note = 'x' WHERE id IN (SELECT id FROM t WHERE state = 1 ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 3)", true},
	} {
		got := acquired(c, x.sql)
		if len(got) != 2 {
			t.Errorf("%s: %d acquisitions, want 2", x.sql, len(got))
			continue
		}
		if got[0].Held || got[1].Held != x.held {
			t.Errorf("%s: held already %v, %v, want false, %v", x.sql, got[0].Held, got[1].Held, x.held)
		}
	}
}
