package docgen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// TestEveryStepIsTold writes random trees of steps, in which each lock is
// taken by a function of its own: the page may fold, and cut what is long if
// it says so, but drop nothing silently; the text drops nothing.
func TestEveryStepIsTold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := 0
	name := func() string { n++; return fmt.Sprintf("core.f%d", n) }
	var tree func(depth int) []lockgraph.Step
	tree = func(depth int) []lockgraph.Step {
		var out []lockgraph.Step
		for range r.IntN(4) {
			switch k := r.IntN(9); {
			case k < 4 || depth > 5:
				s := lock(beds, fu, name())
				if r.IntN(3) == 0 {
					s = several(s, "by id")
				}
				out = append(out, s)
			case k == 4:
				out = append(out, tx("", "", tree(depth+1)...))
			case k == 5:
				out = append(out, loop("xs", "", tree(depth+1)...))
			case k < 8:
				out = append(out, branch(arm("a is b", tree(depth+1)...), arm("c", tree(depth+1)...), arm("", tree(depth+1)...)))
			default:
				out = append(out, external(name()), lockgraph.Step{Do: name()}, see(name()))
			}
		}
		return out
	}
	cut := 0
	for range 60 {
		n = 0
		m := clinic()
		m.Paths = []lockgraph.Path{{Entry: mod + "/internal/desk.Any", Steps: tree(0)}}
		page, text := newBook(m, Options{}).paths(), PathsText(m, m.Paths)
		if again := newBook(m, Options{}).paths(); again != page {
			t.Fatal("two runs differ")
		}
		short := strings.Contains(page, "`Any` (in short; `pglockdep paths -func Any` tells all of it)")
		if short {
			cut++
		}
		for i := range n {
			f := fmt.Sprintf("core.f%d", i+1)
			if !short && !strings.Contains(page, f+"`") {
				t.Fatalf("the page does not tell %s:\n%s", f, page)
			}
			if !strings.Contains(text+"\n", f) {
				t.Fatalf("the text does not tell %s:\n%s", f, text)
			}
		}
		for l := range strings.Lines(page) {
			if len([]rune(l)) > width+1 && strings.Contains(strings.TrimSpace(l), " ") && !strings.Contains(l, "`") {
				t.Errorf("a line is too long: %s", l)
			}
		}
		if told := page[strings.Index(page, "- `Any`"):]; strings.Count(told, "\n") > maxWhole {
			t.Errorf("a path of %d lines:\n%s", strings.Count(told, "\n"), told)
		}
	}
	if cut == 0 || cut == 60 {
		t.Errorf("%d of 60 paths are cut", cut)
	}
}

func TestRepeatsAreFolded(t *testing.T) {
	m := clinic()
	step := lock(beds, fu, "clinic.admit")
	m.Paths = []lockgraph.Path{
		{Entry: mod + "/internal/desk.B", Steps: []lockgraph.Step{tx("", "", step, again(step), again(step))}},
		{Entry: mod + "/internal/desk.A", Steps: []lockgraph.Step{tx("", "", step, again(step), again(step))}},
		{Entry: mod + "/internal/desk.C", Steps: []lockgraph.Step{tx("", "", branch(arm("x < 1", step), arm("x > 9", step), arm("")))}},
	}
	got := newBook(m, Options{}).paths()
	for _, want := range []string{
		"- `A` and `B`: in a transaction, the Bed row 3 times (inside `clinic.admit`).",
		"- `C`: in a transaction, only when `x < 1` or `x > 9`, the Bed row (inside\n  `clinic.admit`).",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
}

func TestSecondTransactions(t *testing.T) {
	m := clinic()
	step := lock(beds, fu, "clinic.admit")
	m.Paths = []lockgraph.Path{
		{Entry: mod + "/internal/desk.A", Steps: []lockgraph.Step{tx("", "", step, tx("", "", step))}},
		{Entry: mod + "/internal/desk.B", Steps: []lockgraph.Step{tx("", "", step), tx("", "", step)}},
		{Entry: mod + "/internal/desk.C", Steps: []lockgraph.Step{lock(boot, x, mod+"/internal/desk.C"), tx("", "", step), tx("", "", step)}},
	}
	got := strings.Join(strings.Fields(newBook(m, Options{}).paths()), " ")
	for _, want := range []string{
		"Then in a second transaction (while the first is open), the Bed row",
		"Then, with nothing held, in another transaction, the Bed row",
		"The `bootKey` lock (held by the session). - Then in a transaction, the Bed row (inside `clinic.admit`). - Then, after that one has ended, in another transaction",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
}

func TestKeysThatCanMeet(t *testing.T) {
	key := func(derivation, space, constant string, prefixed bool, bits int, parts ...string) *lockgraph.Key {
		return &lockgraph.Key{Derivation: derivation, Space: space, Constant: constant, Prefixed: prefixed, Bits: bits, Parts: parts}
	}
	pre := func(k *lockgraph.Key, p string) *lockgraph.Key { k.Prefix, k.Prefixed = p, true; return k }
	for _, c := range []struct {
		name string
		x, y *lockgraph.Key
		want string
	}{
		{"two spaces", key("hashtext", "bigint", "", false, 32), key("pair", "int4x2", "", false, 0), ""},
		{"equal constants", key("constant", "bigint", "7", false, 64), key("constant", "bigint", "7", false, 64), "0have the same key `7`"},
		{"other constants", key("constant", "bigint", "7", false, 64), key("constant", "bigint", "8", false, 64), ""},
		{"bare hashes", key("hashtext", "bigint", "", false, 32), key("hashtext", "bigint", "", false, 32), "1hash bare values"},
		{"one prefix", pre(key("hashtextextended", "bigint", "", true, 64), "a:"), pre(key("hashtextextended", "bigint", "", true, 64), "a:"), "1hash strings with the same prefix `a:`"},
		{"two prefixes", pre(key("hashtextextended", "bigint", "", true, 64), "a:"), pre(key("hashtextextended", "bigint", "", true, 64), "b:"), ""},
		{"a constant within 32 bits", key("constant", "bigint", "-7", false, 64), key("hashtext", "bigint", "", false, 32), "2lie in one range"},
		{"a constant beyond 32 bits", key("constant", "bigint", "2147483648", false, 64), key("hashtext", "bigint", "", false, 32), ""},
		{"ids and a hash", key("plain", "bigint", "", false, 64), key("hashtext", "bigint", "", false, 32), "2lie in one range"},
		{"ids and a negative constant", key("plain", "bigint", "", false, 64), key("constant", "bigint", "-1", false, 64), ""},
		{"pairs of one family", key("pair", "int4x2", "", true, 0, "1", "$1"), key("pair", "int4x2", "", true, 0, "1", "$1"), "1are pairs with the same first half `1`"},
		{"pairs of two families", key("pair", "int4x2", "", true, 0, "1", "$1"), key("pair", "int4x2", "", true, 0, "2", "$1"), ""},
		{"unknown", key("unknown", "bigint", "", false, 0), key("constant", "bigint", "1", false, 64), "9lie in one space"},
	} {
		for _, got := range []string{meet(c.x, c.y), meet(c.y, c.x)} {
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
	}
}

func TestBirthday(t *testing.T) {
	// The exact n for 1 % is sqrt(-2^33 ln 0.99) = 9,292; n²/2^33 gives 9,268.
	if got := birthday(&lockgraph.Key{Derivation: "hashtext"}); !strings.Contains(got, "*n*²/2³³") || !strings.Contains(got, "about 9,300 values") {
		t.Errorf("got %q", got)
	}
	if got := birthday(&lockgraph.Key{Derivation: "plain", Bits: 64}); got != "" {
		t.Errorf("an id as it is has no birthday: %q", got)
	}
}

func TestSharedPathsAreToldOnce(t *testing.T) {
	m := clinic()
	d := mod + "/internal/desk."
	body := func(by string) []lockgraph.Step {
		return []lockgraph.Step{lock(calendar, sh, by), loop("beds", "by id", lock(beds, fu, by, "clinic.admit")),
			branch(arm("moved", lock(visits, fu, by, "LockVisit")), arm("")), lock(patient, x, by)}
	}
	m.Paths = []lockgraph.Path{
		{Entry: d + "AdmitTx", Steps: []lockgraph.Step{inCaller(body(d + "AdmitTx")...)}},
		{Entry: d + "TwinTx", Steps: []lockgraph.Step{inCaller(body(d + "TwinTx")...)}},
		{Entry: d + "Serve", Steps: []lockgraph.Step{tx("", "", append([]lockgraph.Step{lock(invoice, x, d+"Serve")}, body("AdmitTx")...)...)}},
		{Entry: d + "Partly", Steps: []lockgraph.Step{tx("", "", body("AdmitTx")[:3]...)}},
	}
	got := strings.Join(strings.Fields(newBook(m, Options{}).paths()), " ")
	for _, want := range []string{
		"- `AdmitTx` and `TwinTx`: inside the caller's transaction: - The shared Calendar rendezvous, then the Bed row",
		"- `Serve`: in a transaction, the Invoice lock, then what `AdmitTx` takes.",
		"- `Partly`: in a transaction: - The shared Calendar rendezvous (in `AdmitTx`), then the Bed row",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
}

func TestOwnLocksOfStatementsAreToldTogether(t *testing.T) {
	m := clinic()
	add := func(class, mode, query string) {
		a := site(query+class, class, mode, "/internal/db.(*Queries)."+query, query)
		a.Implicit = true
		m.Acquisitions = append(m.Acquisitions, a)
	}
	add(visits, lockgraph.ForNoKeyUpdate, "UpdateVisit")
	add(beds, lockgraph.ForKeyShare, "UpdateVisit")
	by := mod + "/internal/desk.Save"
	step := lock(beds, lockgraph.ForKeyShare, by, "UpdateVisit")
	held := step
	held.Again = "maybe"
	m.Paths = []lockgraph.Path{{Entry: by, Steps: []lockgraph.Step{tx("", "",
		lock(patient, x, by), lock(visits, lockgraph.ForNoKeyUpdate, by, "UpdateVisit"), step, lock(invoice, x, by), held)}}}
	got := strings.Join(strings.Fields(newBook(m, Options{}).paths()), " ")
	want := "- `Save`: in a transaction, the Patient lock, then the `visits` row and the Bed row (written or referred to by `UpdateVisit`), then the Invoice lock."
	if !strings.Contains(got, want) {
		t.Errorf("the page lacks %q:\n%s", want, got)
	}
}
