package effect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// keyOf returns the key of the one advisory lock that an expression makes.
func keyOf(t *testing.T, args string) []*prog.Val {
	t.Helper()
	got := acquired(nil, "SELECT pg_advisory_xact_lock("+args+")")
	if len(got) != 1 {
		t.Fatalf("%s: %d acquisitions, want 1", args, len(got))
	}
	return got[0].Key
}

// TestKeyOfARow reads keys that are a field of a whole row.
func TestKeyOfARow(t *testing.T) {
	c := catalog(t, bank)
	for _, sql := range []string{
		"SELECT pg_try_advisory_lock((a).id) FROM accounts AS a",
		"SELECT pg_try_advisory_lock((a).id) FROM (SELECT a FROM accounts AS a ORDER BY id LIMIT 1) AS t",
		"SELECT pg_try_advisory_lock((t.row).id) FROM (SELECT (SELECT a FROM accounts AS a LIMIT 1) AS row) AS t",
	} {
		var keys []string
		for _, a := range acquired(c, sql) {
			if a.Family == lockgraph.Advisory {
				keys = append(keys, a.Key[0].String())
			}
		}
		if !slices.Equal(keys, []string{`sqlcol "accounts.id"`}) {
			t.Errorf("%s: keys %q, want column accounts.id", sql, keys)
		}
	}
}

func space(key []*prog.Val) string {
	if len(key) == 2 {
		return "int4x2"
	}
	return "bigint"
}

func TestClassOfAKey(t *testing.T) {
	for _, x := range []struct{ args, id, derivation, prefix, constant string }{
		{"42", "advisory bigint 42", "constant", "", "42"},
		{"'42'::bigint", "advisory bigint 42", "constant", "", "42"},
		{"-1", "advisory bigint -1", "constant", "", "-1"},
		{"(1::bigint << 32) | 2", "advisory bigint 1::bigint << 32 | 2", "constant", "", "4294967298"},
		{"hashtext('x')", "advisory bigint hashtext('x')", "hashtext", "x", "1074944137"},
		{"hashtext('x')::bigint", "advisory bigint hashtext('x')", "hashtext", "x", "1074944137"},
		{"hashtextextended('lifecycle:' || 42, 0)", "advisory bigint hashtextextended('lifecycle:' || 42, 0)", "hashtextextended", "lifecycle:", "-6264533603200062728"},
		{"hashtextextended('account:' || $1::text, 0)", "advisory bigint hashtextextended('account:' || $1::text, 0)", "hashtextextended", "account:", ""},
		{"HASHTEXT( 'a:'||$2 )", "advisory bigint hashtext('a:' || $1)", "hashtext", "a:", ""},
		{"hashtext(format('a:%s', $1))", "advisory bigint hashtext(format('a:%s', $1))", "hashtext", "a:", ""},
		{"$1", "advisory bigint $1", "plain", "", ""},
		{"$1::bigint", "advisory bigint $1", "plain", "", ""},
		{"1, $1", "advisory int4x2 1, $1", "pair", "", ""},
		{"hashtext('ns'), hashtext($1)", "advisory int4x2 hashtext('ns'), hashtext($1)", "pair", "ns", ""},
		{"1, 2", "advisory int4x2 1, 2", "pair", "", "1, 2"},
		{"('x'||substr(md5('lifecycle:42'),1,16))::bit(64)::bigint", "advisory bigint ('x' || substr(md5('lifecycle:42'), 1, 16))::bit(64)::bigint", "server-hash", "lifecycle:42", "-1857741873833576092"},
		{"(hashtext('a')::bigint << 32) | hashtext('b')", "advisory bigint hashtext('a')::bigint << 32 | hashtext('b')", "hashtext", "a", "-68821088"},
		{"nobody($1)", "advisory bigint nobody($1)", "unknown", "", ""},
	} {
		key := keyOf(t, x.args)
		c := ClassOf(&prog.Acq{Family: lockgraph.Advisory, Space: space(key)}, key)
		k := c.Key
		if c.ID != x.id || k.Derivation != x.derivation || k.Prefix != x.prefix || k.Constant != x.constant {
			t.Errorf("%s: %q %s %q %s, want %q %s %q %s", x.args, c.ID, k.Derivation, k.Prefix, k.Constant, x.id, x.derivation, x.prefix, x.constant)
		}
	}
}

func TestClassOfABoundKey(t *testing.T) {
	field := prog.New(prog.VField, "github.com/x/stripe.Subscription.ID", prog.New(prog.VParam, "1"))
	hash := func(v *prog.Val) []*prog.Val {
		return []*prog.Val{prog.New(prog.VApply, "hashtextextended", v, prog.Int(0))}
	}
	for _, x := range []struct {
		key      []*prog.Val
		id, name string
		hash     string
		prefixed bool
	}{
		{hash(field), "advisory bigint hashtextextended($1, 0) of stripe.Subscription.ID", "stripe.Subscription.ID", "", false},
		{hash(prog.New(prog.VConcat, "", prog.Text("sub:"), field)), "advisory bigint hashtextextended('sub:' || $1, 0)", "sub:", "", true},
		{[]*prog.Val{field}, "advisory bigint $1 of stripe.Subscription.ID", "stripe.Subscription.ID", "", false},
		{[]*prog.Val{prog.New(prog.VParam, "2")}, "advisory bigint $1", "$1", "", false},
		{[]*prog.Val{prog.New(prog.VApply, "go-hash fnv64a", prog.New(prog.VConcat, "", prog.Text("job:"), field))}, "advisory bigint fnv64a('job:' || $1)", "job:", "fnv64a", true},
		{[]*prog.Val{prog.New(prog.VApply, "go-hash fnv64a", prog.Text("migrate"))}, "advisory bigint fnv64a('migrate')", "migrate", "fnv64a", false},
	} {
		c := ClassOf(&prog.Acq{Family: lockgraph.Advisory, Space: "bigint"}, x.key)
		if c.ID != x.id || c.Name != x.name || c.Key.Hash != x.hash || c.Key.Prefixed != x.prefixed {
			t.Errorf("%v: id %q name %q hash %q prefixed %v, want %q %q %q %v", x.key[0], c.ID, c.Name, c.Key.Hash, c.Key.Prefixed, x.id, x.name, x.hash, x.prefixed)
		}
	}
}

func TestSessionOfTheBank(t *testing.T) {
	c := catalog(t, bank)
	r := Session(c, "BEGIN; INSERT INTO entries (account_id, amount) VALUES (7, 100);\nSELECT broken from; COMMIT")
	if !r.Failed() || r.Statements[2].Error == nil || r.Statements[2].Error.Line != 2 {
		t.Errorf("the broken statement is not told: %+v", r.Statements[2])
	}
	b, err := r.JSON()
	if err != nil || !strings.Contains(string(b), `"class": "row accounts"`) {
		t.Errorf("JSON: %v\n%s", err, b)
	}
	for _, want := range []string{"3  table accounts", "FOR KEY SHARE", "releases all", "error: line 2, column 19"} {
		if !strings.Contains(r.Text(), want) {
			t.Errorf("text lacks %q:\n%s", want, r.Text())
		}
	}
}

// FuzzSession looks for text that stops the engine.
func FuzzSession(f *testing.F) {
	for _, s := range []string{
		"SELECT 1 FROM a FOR UPDATE", "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT * FROM r) SELECT * FROM r",
		"INSERT INTO entries SELECT * FROM entries RETURNING *", "UPDATE accounts SET (id, owner) = (SELECT 1, 'x')",
		"MERGE INTO accounts USING accounts a ON a.id = accounts.id WHEN MATCHED THEN DELETE", "EXECUTE p(1)", "FETCH c",
		"DO $$ BEGIN LOOP EXIT; END LOOP; END $$", "DO $$BEGIN LOOP EXIT$$", "CREATE VIEW v AS SELECT * FROM v; SELECT * FROM v FOR UPDATE",
		"SELECT * FROM (SELECT * FROM (VALUES (1)) x) y FOR UPDATE OF y", "SELECT format('%s'), a.b.c.d, (x).y[1] FROM t",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := catalog(t, bank)
		Of(c, text)
		out, err := Session(c, text).JSON()
		if err != nil {
			t.Error(err)
		}
		if strings.Contains(string(out), "playing the statement failed: ") {
			t.Errorf("%s", out)
		}
	})
}

// BenchmarkOf plays the queries of a service against its schema: functions,
// triggers and foreign keys hang on its tables.
func BenchmarkOf(b *testing.B) {
	const root = "../../testdata/memberconsole"
	c, _, _, err := schema.Load(root, nil)
	if err != nil {
		b.Fatal(err)
	}
	files, err := filepath.Glob(root + "/queries/*/*.sql")
	if err != nil {
		b.Fatal(err)
	}
	var texts []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range pgsql.Parse(string(text)) {
			texts = append(texts, s.Text)
		}
	}
	if len(texts) < 20 || len(c.Relations) < 10 {
		b.Fatalf("%d statements, %d relations", len(texts), len(c.Relations))
	}
	n := 0
	for b.Loop() {
		Of(c, texts[n%len(texts)])
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "statements/s")
}
