package effect

import (
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

const bank = `CREATE TABLE accounts (id bigint PRIMARY KEY, owner text, balance bigint);
CREATE TABLE entries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account_id bigint REFERENCES accounts (id), amount bigint);
CREATE FUNCTION core.confer(p_id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('grant:' || p_id::text, 0));
  UPDATE accounts SET balance = 0 WHERE id = p_id;
END $$;`

func catalog(t testing.TB, text string) *schema.Catalog {
	t.Helper()
	c := schema.New()
	c.Apply("db/schema.sql", text)
	for _, p := range c.Problems {
		t.Fatalf("schema: line %d: %s", p.Line, p.Message)
	}
	return c
}

// acquired returns the acquisitions of a text, tables left out.
func acquired(c *schema.Catalog, text string) []*prog.Acq {
	var out []*prog.Acq
	var walk func(ops []prog.Op)
	walk = func(ops []prog.Op) {
		for _, o := range ops {
			if o.Kind == prog.OpAcquire && o.Acq.Family != lockgraph.Table && !o.Acq.Fresh {
				out = append(out, o.Acq)
			}
			walk(o.Body)
			for _, a := range o.Arms {
				walk(a.Body)
			}
		}
	}
	walk(Of(c, text))
	return out
}

func row(a *prog.Acq) string {
	var parts []string
	for _, c := range a.Row {
		parts = append(parts, c.Name+"="+c.Val.String())
	}
	return strings.Join(parts, " ")
}

func TestRowsOfALookup(t *testing.T) {
	c := catalog(t, bank)
	for _, x := range []struct {
		sql, row     string
		unique, many bool
		source       string
	}{
		{"SELECT 1 FROM accounts WHERE id = $1 AND owner = 'x' FOR UPDATE", `id=sqlparam "1"`, true, false, ""},
		{"SELECT 1 FROM accounts WHERE $2 = id FOR UPDATE", `id=sqlparam "2"`, true, false, ""},
		{"SELECT 1 FROM accounts WHERE owner = __hole3__ FOR UPDATE", `owner=sqlhole "3"`, false, true, "equality"},
		{"UPDATE accounts SET __hole1__ WHERE id = ?", `id=hole "a placeholder behind a piece that is not known"`, true, false, ""},
		{"UPDATE accounts SET balance = ?, owner = __hole1__ WHERE id = ?", `id=sqlparam "2"`, true, false, ""},
		{"UPDATE accounts SET __hole1__ WHERE id = $2", `id=sqlparam "2"`, true, false, ""},
		{"SELECT 1 FROM accounts WHERE id = ? AND __hole1__ FOR UPDATE", `id=sqlparam "1"`, true, false, ""},
		{"SELECT 1 FROM accounts WHERE __hole1__ AND id = ? FOR UPDATE", `id=hole "a placeholder behind a piece that is not known"`, true, false, ""},
		{"SELECT 1 FROM accounts WHERE id = ANY($1) FOR UPDATE", "", false, true, "any"},
		{"SELECT 1 FROM accounts WHERE id IN (SELECT account_id FROM entries) FOR UPDATE", "", false, true, "subquery"},
		{"SELECT 1 FROM accounts WHERE balance > 0 FOR UPDATE", "", false, true, "range"},
		{"SELECT 1 FROM accounts FOR UPDATE", "", false, true, "all"},
		{"SELECT 1 FROM accounts a JOIN entries e ON e.account_id = a.id WHERE e.id = 3 FOR UPDATE OF a", `id=sqlcol "entries.account_id"`, true, false, ""},
		{"SELECT 1 FROM accounts a JOIN entries e ON e.account_id = a.id FOR UPDATE OF a", `id=sqlcol "entries.account_id"`, false, true, "join"},
		{"UPDATE accounts SET balance = v.b FROM (VALUES (1, 2), (3, 4)) v (id, b) WHERE accounts.id = v.id", `id=sqlcol ".id"`, false, true, "values"},
	} {
		got := acquired(c, x.sql)
		if len(got) != 1 {
			t.Errorf("%s: %d acquisitions, want 1", x.sql, len(got))
			continue
		}
		a := got[0]
		if row(a) != x.row || a.Unique != x.unique || a.Many != x.many || a.Source != x.source {
			t.Errorf("%s: row %s unique %v many %v source %q, want %s %v %v %q", x.sql, row(a), a.Unique, a.Many, a.Source, x.row, x.unique, x.many, x.source)
		}
	}
}

func TestOneRowIsProved(t *testing.T) {
	c := catalog(t, `CREATE TABLE s(id int PRIMARY KEY, a int, b int);
CREATE TABLE t(id int PRIMARY KEY, uid int, email text, gone timestamptz, sid int);
CREATE UNIQUE INDEX ON t(uid) WHERE gone IS NULL; CREATE UNIQUE INDEX ON t(lower(email));`)
	for _, x := range []struct {
		sql  string
		many bool
	}{
		{"SELECT 1 FROM t WHERE uid = $1 AND gone IS NULL FOR UPDATE", false},
		{"SELECT 1 FROM t x WHERE x.uid = $1 AND x.gone IS NULL FOR UPDATE", false},
		{"SELECT 1 FROM t WHERE uid = $1 FOR UPDATE", true},
		{"SELECT 1 FROM t WHERE uid = $1 AND gone IS NOT NULL FOR UPDATE", true},
		{"SELECT 1 FROM t WHERE lower(email) = lower($1) FOR UPDATE", false},
		{"SELECT 1 FROM t WHERE email = $1 FOR UPDATE", true},
		{"SELECT 1 FROM t WHERE lower(email) = lower(t.email) FOR UPDATE", true},
		{"SELECT 1 FROM t JOIN s ON s.a = t.id WHERE s.a = $1 FOR UPDATE OF t", false},
		{"SELECT 1 FROM t JOIN s ON s.a = t.id WHERE s.b = $1 FOR UPDATE OF t", true},
		{"SELECT 1 FROM t WHERE id IN (SELECT a FROM s WHERE id = $1) FOR UPDATE", false},
		{"SELECT 1 FROM t WHERE id IN (SELECT a FROM s WHERE b = $1) FOR UPDATE", true},
		{"UPDATE t SET gone = now() FROM s WHERE s.id = $1 AND t.id = s.a", false},
		{"UPDATE t SET gone = now() FROM s WHERE s.b = $1 AND t.id = s.a", true},
	} {
		got := acquired(c, x.sql)
		if len(got) != 1 || got[0].Many != x.many {
			t.Errorf("%s: %d acquisitions, many %v, want %v", x.sql, len(got), len(got) == 1 && got[0].Many, x.many)
		}
	}
}

func TestOrderOfInsertedRows(t *testing.T) {
	c := catalog(t, "CREATE TABLE src(k text, v int); CREATE TABLE n(state text, kind text, n int, PRIMARY KEY (state, kind)); CREATE TYPE st AS ENUM ('a')")
	const upsert = " ON CONFLICT (state, kind) DO UPDATE SET n = 1"
	for _, x := range []struct{ sql, order, cut string }{
		{"INSERT INTO n(kind, state) SELECT k, v::text FROM src ORDER BY v::text, k DESC" + upsert, "by state, kind desc", ""},
		{"INSERT INTO n SELECT k, st(k)::text, v FROM src ORDER BY 1" + upsert, "by state", ""},
		{"INSERT INTO n SELECT k, k, v FROM src" + upsert, "plan", ""},
		{"INSERT INTO n(state, kind, n) VALUES __hole1__" + upsert, "plan", ""},
		{"INSERT INTO n(state, kind, n) VALUES ($1, $2, $3)" + upsert, "", ""},
	} {
		ops := Of(c, x.sql)
		i := slices.IndexFunc(ops, func(o prog.Op) bool { return o.Kind == prog.OpAcquire && o.Acq.Family == lockgraph.Row && !o.Acq.Fresh })
		if i < 0 {
			t.Errorf("%s: no row is locked", x.sql)
			continue
		}
		if a := ops[i].Acq; a.Order != x.order || a.Many != (x.order != "") || ops[i].Cut != x.cut {
			t.Errorf("%s: many %v order %q cut %q, want order %q cut %q", x.sql, a.Many, a.Order, ops[i].Cut, x.order, x.cut)
		}
		for _, o := range ops {
			if o.Kind == prog.OpUnknown {
				t.Errorf("%s: unknown: %s", x.sql, o.Str)
			}
		}
	}
}

func TestAFunctionIsPlayedWithItsArguments(t *testing.T) {
	got := acquired(catalog(t, bank), "SELECT core.confer($1)")
	if len(got) != 2 {
		t.Fatalf("%d acquisitions, want 2", len(got))
	}
	if s, want := got[0].Key[0].String(), `apply "hashtextextended"(concat(const "s:grant:", apply "::text"(sqlparam "1")), const "i:0")`; s != want {
		t.Errorf("key %s, want %s", s, want)
	}
	if row(got[1]) != `id=sqlparam "1"` {
		t.Errorf("row %s", row(got[1]))
	}
	if f := got[1].SQLFunc; len(f) != 1 || f[0] != "core.confer" || got[1].SQLFile != "db/schema.sql:6" {
		t.Errorf("function %v at %s, want core.confer at db/schema.sql:6", f, got[1].SQLFile)
	}
}

func TestHolesInAText(t *testing.T) {
	for _, x := range []struct{ sql, want, cut string }{
		{"SELECT 1 FROM accounts WHERE id = 1 FOR UPDATE __hole1__", "row accounts", lockgraph.CutText},
		{"SELECT 1 FROM __hole0__ WHERE id = 1 FOR UPDATE", "row __hole0__", lockgraph.CutText},
		{"SELECT 1 FROM accounts WHERE id = __hole0__ FOR UPDATE", "row accounts", ""},
		{"SELECT 1 FROM accounts WHERE id = $__hole0__ AND owner = ANY($__hole1__) FOR UPDATE", "row accounts", ""},
		{"UPDATE accounts SET __hole0__, owner = $1 WHERE id = $2", "row accounts", ""},
		{"SELECT __hole0__ FROM accounts WHERE id = $1 __hole1__ ORDER BY id FOR UPDATE", "row accounts", lockgraph.CutText},
		{"SELECT 1 FROM accounts WHERE id IN (1, __hole0__) AND __hole1__ AND owner = 2 __hole2__ LIMIT 1 FOR UPDATE", "row accounts", lockgraph.CutText},
		{"WITH batch AS (SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE) UPDATE accounts SET __hole0__ FROM batch WHERE accounts.id = batch.id", "row accounts", ""},
	} {
		found := false
		for _, o := range Of(catalog(t, bank), x.sql) {
			if o.Kind == prog.OpAcquire && o.Acq.Family+" "+o.Acq.Relation == x.want {
				found = true
				if o.Cut != x.cut {
					t.Errorf("%s: cut %q, want %q", x.sql, o.Cut, x.cut)
				}
			}
		}
		if !found {
			t.Errorf("%s: no %s", x.sql, x.want)
		}
	}
	ops := Of(nil, "SELECT 1 FROM a WHERE __hole0__ = = 1 FOR UPDATE")
	if len(ops) != 1 || ops[0].Kind != prog.OpUnknown || ops[0].How != "text" {
		t.Errorf("a text that cannot be read gives %v, want one unknown", ops)
	}
	if ops := Of(nil, "this is no SQL"); len(ops) != 0 {
		t.Errorf("a text without a word about locks gives %v, want nothing", ops)
	}
}

func TestUnknowns(t *testing.T) {
	c := catalog(t, bank+`
CREATE FUNCTION loop_a() RETURNS void LANGUAGE sql AS 'SELECT loop_b()';
CREATE FUNCTION loop_b() RETURNS void LANGUAGE sql AS 'SELECT loop_a()';
CREATE FUNCTION dyn(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE t; END $$;`)
	for sql, how := range map[string]string{
		"SELECT loop_a()":            "recursion",
		"SELECT dyn($1)":             "dynamic",
		"SELECT 1 FROM nowhere":      "relation",
		"SELECT nobody(1)":           "function",
		"DO LANGUAGE plperl 'print'": "language",
	} {
		found := false
		for _, o := range Of(c, sql) {
			found = found || o.Kind == prog.OpUnknown && o.How == how
		}
		if !found {
			t.Errorf("%s: no unknown of kind %s", sql, how)
		}
	}
	if ops := Of(nil, "SELECT nobody(id) FROM nowhere"); len(ops) != 1 || ops[0].Kind != prog.OpAcquire {
		t.Errorf("without a schema: %v, want the table lock alone", ops)
	}
}

func TestBranchesAndLoopsOfPLpgSQL(t *testing.T) {
	c := catalog(t, bank+`
CREATE FUNCTION f(a bigint, ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x bigint; r record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(a) THEN RETURN; END IF;
  FOREACH x IN ARRAY ids LOOP PERFORM 1 FROM accounts WHERE id = x FOR UPDATE; END LOOP;
  FOR r IN SELECT id FROM entries ORDER BY id LOOP PERFORM pg_advisory_xact_lock(r.id); END LOOP;
END $$;`)
	var kinds []string
	var walk func(ops []prog.Op, depth string)
	walk = func(ops []prog.Op, depth string) {
		for _, o := range ops {
			switch o.Kind {
			case prog.OpAcquire:
				if o.Acq.Family != lockgraph.Table {
					kinds = append(kinds, depth+o.Acq.Family)
				}
			case prog.OpBranch:
				for _, a := range o.Arms {
					kinds = append(kinds, depth+"when "+a.When)
					walk(a.Body, depth+" ")
				}
			case prog.OpLoop:
				kinds = append(kinds, depth+"loop "+o.Order)
				walk(o.Body, depth+" ")
			}
		}
	}
	walk(Of(c, "SELECT f($1, $2)"), "")
	want := []string{"advisory", "when NOT pg_try_advisory_xact_lock(a)", "when not (NOT pg_try_advisory_xact_lock(a))", " loop ", "  row", " loop by id", "  advisory"}
	if got := strings.Join(kinds, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestADeferredKeyIsCheckedAtCommit(t *testing.T) {
	c := catalog(t, "CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (pid int REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED)")
	got := acquired(c, "INSERT INTO c VALUES ($1)")
	if len(got) != 1 || got[0].Relation != "p" || got[0].When != "at commit" || got[0].FKFrom != "c" {
		t.Errorf("got %+v, want the parent row at commit", got)
	}
}

func TestDefinitionsActOnWhatFollows(t *testing.T) {
	c := catalog(t, bank)
	before := len(c.Relations)
	got := acquired(c, "CREATE TABLE u (id int PRIMARY KEY); UPDATE u SET id = 2 WHERE id = 1")
	if len(got) != 1 || got[0].Mode != lockgraph.ForUpdate || !got[0].Unique {
		t.Errorf("got %+v, want one row FOR UPDATE", got)
	}
	if len(c.Relations) != before {
		t.Errorf("the caller's catalog was changed")
	}
}

// Of several statements, one that cannot be read for its holes hides none of
// the others, and is no guess of theirs.
func TestStatementsWithHoles(t *testing.T) {
	c := catalog(t, bank)
	text := "SELECT pg_advisory_xact_lock(7);\nCREATE TRIGGER t AFTER " + prog.HoleName(1) + " ON accounts FOR EACH ROW EXECUTE FUNCTION f();\n" +
		"SELECT id FROM accounts WHERE id = 1 " + prog.HoleName(2) + ";\nSELECT id FROM entries WHERE id = 1 FOR UPDATE;\nUPDATE entries SET amount = " + prog.HoleName(3) + " BY CHANCE"
	got := acquired(c, text)
	if len(got) != 2 || got[0].Family != lockgraph.Advisory || got[1].Family != lockgraph.Row {
		t.Errorf("%+v, want an advisory lock and one of a row", got)
	}
	cuts, unknown := map[string]string{}, 0
	for _, o := range Of(c, text) {
		if o.Kind == prog.OpUnknown {
			unknown++
		}
		if o.Kind == prog.OpAcquire {
			cuts[o.Acq.Family+" "+o.Acq.Relation] = o.Cut
		}
	}
	if cuts["advisory "] != "" || cuts["row entries"] != "" || cuts["table accounts"] != lockgraph.CutText {
		t.Errorf("%q, want a guess of what follows accounts", cuts)
	}
	if unknown == 0 {
		t.Error("nothing is told of the statement that cannot be read")
	}
}
