package docgen

import (
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// told writes the paths of a manifest as one line.
func toldPaths(m *lockgraph.Manifest) string {
	return strings.Join(strings.Fields(newBook(m, Options{}).paths()), " ")
}

func wants(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("the page lacks %q:\n%s", w, got)
		}
	}
}

// TestTransactionOrCallers folds a helper that begins a transaction unless its
// caller has one: where all of a kind do so under one condition, the kind says
// it, else the path.
func TestTransactionOrCallers(t *testing.T) {
	d := mod + "/internal/desk."
	body := func(by string) []lockgraph.Step {
		return []lockgraph.Step{lock(calendar, sh, by), lock(beds, fu, by)}
	}
	two := func(by, cond string) []lockgraph.Step {
		return []lockgraph.Step{branch(arm("tx == nil", tx(d+"inTx", "", body(by)...)), arm(cond, inCaller(body(by)...)))}
	}
	m := clinic()
	m.Paths = []lockgraph.Path{{Entry: d + "A", Steps: two(d+"A", "tx != nil")}, {Entry: d + "B", Steps: two(d+"B", "tx != nil")}}
	wants(t, toldPaths(m), "`desk.inTx` (2 transactions): the caller's transaction when `tx != nil`; takes the shared Calendar rendezvous first;",
		"- `A` and `B`: in an `inTx` transaction, the shared Calendar rendezvous, then the Bed row.")
	m.Paths[1].Steps = two(d+"B", "nested")
	wants(t, toldPaths(m), "- `A`: in an `inTx` transaction (the caller's when `tx != nil`), the shared")
	// Something else is done in the caller's transaction: two ways.
	other := two(d+"A", "tx != nil")
	other[0].Arms[1].Steps[0].Steps = other[0].Arms[1].Steps[0].Steps[:1]
	m.Paths = []lockgraph.Path{{Entry: d + "A", Steps: other}}
	wants(t, toldPaths(m), "When `tx == nil`, in a transaction", "When `tx != nil`, inside the caller's transaction")
}

// TestSometimesIsSaidOnce tells locks behind several returns of which nothing
// is known as taken in some cases.
func TestSometimesIsSaidOnce(t *testing.T) {
	d := mod + "/internal/desk."
	rest := branch(arm("", lock(visits, fu, d+"A")), arm(""))
	for range 3 {
		rest = branch(arm(""), arm("", rest))
	}
	m := clinic()
	m.Paths = []lockgraph.Path{{Entry: d + "A", Steps: []lockgraph.Step{tx("", "", lock(beds, fu, d+"A"), rest)}}}
	wants(t, toldPaths(m), "- `A`: in a transaction, the Bed row, then, only in some cases, the `visits` row")
}

// TestSQLFunctionsAreToldOnce tells what an SQL function takes under its name,
// without the conditions and loops of those that run it.
func TestSQLFunctionsAreToldOnce(t *testing.T) {
	d := mod + "/internal/desk."
	admit := func(by, again string) []lockgraph.Step {
		first := lock(beds, fu, by, "clinic.admit")
		first.Again = again
		return []lockgraph.Step{first, branch(arm("v_ward IS NULL", lock(visits, fu, by, "clinic.admit")), arm(""))}
	}
	m := clinic()
	m.Paths = []lockgraph.Path{
		{Entry: d + "A", Steps: []lockgraph.Step{tx("", "", lock(beds, fu, d+"A"), loop("patients", "by id", admit(d+"A", "same")...))}},
		{Entry: d + "B", Steps: []lockgraph.Step{tx("", "", branch(arm("urgent", admit(d+"B", "no")...), arm("")))}},
	}
	wants(t, toldPaths(m),
		"- `A`: in a transaction, the Bed row, then what `clinic.admit` takes (the Bed row again) for each of `patients`, in order of `id`.",
		"- `B`: in a transaction, only when `urgent`, what `clinic.admit` takes.",
		"### SQL functions - `clinic.admit`, run by `desk.A` and `desk.B`: the Bed row, then, only when `v_ward IS NULL`, the `visits` row")
}

// TestPathsWithTransactionsAreReferredTo tells a path with transactions of its
// own once, and says at a reference that they are its own.
func TestPathsWithTransactionsAreReferredTo(t *testing.T) {
	d := mod + "/internal/desk."
	one := tx("", "", lock(calendar, x, d+"One"), lock(patient, x, d+"One"), lock(beds, fu, d+"One"), lock(invoice, x, d+"One"))
	m := clinic()
	m.Paths = []lockgraph.Path{
		{Entry: d + "One", Steps: []lockgraph.Step{one}},
		{Entry: d + "All", Steps: []lockgraph.Step{loop("ids", "sorted", one)}},
	}
	wants(t, toldPaths(m), "- `All`: what `One` takes (in a transaction of its own) for each of `ids`, sorted.",
		"- `One`: in a transaction, the exclusive Calendar rendezvous")
}

// TestWhatIsNotTaken says of the paths of a group that the team named what
// they leave out, and of an arm what all other arms take.
func TestWhatIsNotTaken(t *testing.T) {
	d := mod + "/internal/desk."
	m := clinic()
	m.Paths = []lockgraph.Path{
		{Entry: d + "A", Group: "Wards", Steps: []lockgraph.Step{tx("", "", lock(calendar, sh, d+"A"), lock(beds, fu, d+"A"))}},
		{Entry: d + "B", Group: "Wards", Steps: []lockgraph.Step{tx("", "", lock(calendar, sh, d+"B"), lock(beds, fu, d+"B"))}},
		{Entry: d + "C", Group: "Wards", Steps: []lockgraph.Step{tx("", "", lock(calendar, sh, d+"C"))}},
		{Entry: d + "D", Group: "Wards"},
		{Entry: d + "E", Steps: []lockgraph.Step{tx("", "", branch(arm("a", lock(beds, fu, d+"E"), lock(patient, x, d+"E")), arm("b", lock(beds, fu, d+"E"), lock(invoice, x, d+"E")), arm("c", lock(patient, x, d+"E"))))}},
		{Entry: d + "F", Steps: []lockgraph.Step{tx("", "", lock(patient, x, d+"F"))}},
	}
	got := toldPaths(m)
	wants(t, got, "- `desk.C`: in a transaction, the shared Calendar rendezvous; no Bed row.", "- `desk.D` takes no lock.",
		"- When `c`: the Patient lock; no Bed row.", "- `F`: in a transaction, the Patient lock.")
	if n := strings.Count(got, "no Bed row"); n != 2 {
		t.Errorf("said %d times, want twice:\n%s", n, got)
	}
}

// TestStatementsByThemselves tells what runs by itself or in the caller's
// transaction as one, and not as a transaction for each statement.
func TestStatementsByThemselves(t *testing.T) {
	d := mod + "/internal/desk."
	one := func(s lockgraph.Step) lockgraph.Step {
		return branch(arm("in a transaction of its own", s), arm("in the caller's transaction", inCaller(s)))
	}
	m := clinic()
	m.Paths = []lockgraph.Path{{Entry: d + "A", Steps: []lockgraph.Step{one(lock(beds, fu, d+"A")), one(lock(visits, fu, d+"A"))}}}
	got := toldPaths(m)
	wants(t, got, "- `A`: inside the caller's transaction, where there is one, the Bed row, then the `visits` row")
	if strings.Contains(got, "with nothing held") {
		t.Errorf("one transaction is told as two:\n%s", got)
	}
}

// TestFunctionLiterals tells the literals of one function together, and one
// that the path of the function tells already not at all.
func TestFunctionLiterals(t *testing.T) {
	d := mod + "/internal/desk."
	m := clinic()
	m.Paths = []lockgraph.Path{
		{Entry: d + "A$1", Steps: []lockgraph.Step{inCaller(lock(beds, fu, d+"A"))}},
		{Entry: d + "A$2", Steps: []lockgraph.Step{inCaller(lock(visits, fu, d+"A"))}},
		{Entry: d + "B", Steps: []lockgraph.Step{tx("", "", lock(beds, fu, d+"B"), lock(invoice, x, d+"B"))}},
		{Entry: d + "B$1", Steps: []lockgraph.Step{inCaller(lock(beds, fu, d+"B"), lock(invoice, x, d+"B"))}},
	}
	got := toldPaths(m)
	wants(t, got, "- `A`, in 2 places: - In one: inside the caller's transaction, the Bed row. - In another: inside the caller's transaction, the `visits` row")
	if n := strings.Count(got, "- `B`"); n != 1 {
		t.Errorf("`B` is told %d times:\n%s", n, got)
	}
}

// TestRepeatsAreCounted tells what is done twice in a row once, and says so:
// it may be on other instances.
func TestRepeatsAreCounted(t *testing.T) {
	d := mod + "/internal/desk."
	choice := branch(arm("urgent", lock(beds, fu, d+"A")), arm(""))
	m := clinic()
	m.Paths = []lockgraph.Path{
		{Entry: d + "A", Steps: []lockgraph.Step{tx("", "", lock(patient, x, d+"A"), choice, choice, choice)}},
		{Entry: d + "B", Steps: []lockgraph.Step{tx("", "", see(d+"C"), see(d+"C"), lock(invoice, x, d+"B"))}},
	}
	wants(t, toldPaths(m), "for each of 3 turns", "what `C` takes twice, then the Invoice lock")
}
