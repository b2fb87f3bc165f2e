package lockgraph

import (
	"reflect"
	"strings"
	"testing"
)

// bank builds the two orders of a small service: one function takes an
// account's advisory lock, then its row, the other the row first.
func bank() *Graph {
	const key = "advisory bigint hashtextextended('account:' || $1::text, 0)"
	classes := []Class{
		{ID: key, Family: Advisory, Name: "account:"},
		{ID: "row accounts", Family: Row, Name: "accounts", Relation: "accounts", Relkind: "r"},
	}
	leaf := func(p string) []string { return []string{"param " + p} }
	adv := func(frames ...Frame) Take {
		return Take{Class: key, Family: Advisory, Mode: Exclusive, Wait: Wait, Scope: Transaction,
			Inst: Inst{Known: true, Text: "account: " + "param 2", Leaves: leaf("2")}, Frames: frames}
	}
	row := func(mode string, implicit bool, frames ...Frame) Take {
		return Take{Class: "row accounts", Family: Row, Mode: mode, Wait: Wait, Scope: Transaction, Implicit: implicit,
			Inst: Inst{Known: true, Text: "id = param 2", Columns: []Column{{"id", "param 2"}}}, Frames: frames}
	}
	const store = "example.test/bank.(*Store)."
	post := Frame{store + "Post", "bank.go", 18, "begins a transaction and calls Post$1"}
	begin := Frame{store + "Close", "bank.go", 29, "begins a transaction"}
	postLock := adv(post, Frame{store + "Post$1", "bank.go", 19, "acquires advisory account: exclusive"})
	postRow := row(ForNoKeyUpdate, true, post, Frame{store + "Post$1", "bank.go", 22, `acquires row "accounts" FOR NO KEY UPDATE`})
	closeRow := row(ForUpdate, false, begin, Frame{store + "Close", "bank.go", 34, `acquires row "accounts" FOR UPDATE`})
	closeLock := adv(begin, Frame{store + "Close", "bank.go", 37, "acquires advisory account: exclusive"})
	return Build(classes, []Proposal{
		{Trace: store + "Post", Held: []*Take{&postLock}, Want: &postRow},
		{Trace: store + "Close", Held: []*Take{&closeRow}, Want: &closeLock},
	}, nil)
}

func TestFindingOfTwoOrders(t *testing.T) {
	g := bank()
	got := g.Findings()
	const store = "example.test/bank.(*Store)."
	want := []Finding{{
		Check: "lockorder", Kind: "lock-order-cycle", Severity: SeverityError,
		File: "bank.go", Line: 37, Func: store + "Close",
		Message:     `advisory account: (exclusive) acquired while holding row "accounts" (FOR UPDATE); Post takes them in the opposite order (possible deadlock)`,
		Hint:        "take advisory account: first in Close, as Post does",
		Fingerprint: "lock-order-cycle/advisory account:/row accounts",
		Related: []Frame{
			{store + "Close", "bank.go", 29, "begins a transaction"},
			{store + "Close", "bank.go", 34, `acquires row "accounts" FOR UPDATE`},
			{store + "Close", "bank.go", 37, "acquires advisory account: exclusive"},
			{store + "Post", "bank.go", 18, "begins a transaction and calls Post$1"},
			{store + "Post$1", "bank.go", 19, "acquires advisory account: exclusive"},
			{store + "Post$1", "bank.go", 22, `acquires row "accounts" FOR NO KEY UPDATE`},
		},
		Sides: []int{3, 3},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	wantCycle := []Cycle{{Classes: []string{g.Edges[0].From, "row accounts"}, Verdict: Supported, GatedBy: []string{}, Edges: []int{0, 1}}}
	if !reflect.DeepEqual(g.Cycles, wantCycle) {
		t.Errorf("cycles %+v, want %+v", g.Cycles, wantCycle)
	}
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name  string
		rel   Relations
		paths []string
		want  []string // "severity kind: message | hint"
	}{
		{"the order that fewer paths take is the one reported", nil, []string{
			"P: row a UP id=x; row b UP id=x", "Q: row b UP id=y; row a UP id=y", "R: row b UP id=y; row a UP id=y"},
			[]string{`error lock-order-cycle: row "b" (FOR UPDATE) acquired while holding row "a" (FOR UPDATE); Q and 1 more path take them in the opposite order (possible deadlock) | take row "b" first in P, as Q does`}},
		{"three hops are all named", nil, []string{
			"P: row a UP id=x; row b UP id=y", "Q: row b UP id=x; row c UP id=y", "R: row c UP id=x; row a UP id=y"},
			[]string{`error lock-order-cycle: row "a" (FOR UPDATE) acquired while holding row "c" (FOR UPDATE); P takes row "b" while holding row "a", Q takes row "c" while holding row "b" (possible deadlock) | take row "a" before row "c" in R`}},
		{"three hops, one of them to a parent", nil, []string{
			"P: row a UP id=x; row b UP id=x", "Q: row b UP id=x; row c UP id=x", "R: row c UP id=x; row a KS id=x implicit fkfrom=d"},
			[]string{`warning lock-order-cycle: row "a" (FOR KEY SHARE) acquired while holding row "c" (FOR UPDATE); P takes row "b" while holding row "a", Q takes row "c" while holding row "b" (possible deadlock) | take row "a" before row "c" in R`}},
		{"nothing ties them: a note", nil, []string{
			"P: row a NK id=x implicit; row b NK id=y implicit", "Q: row b NK id=y implicit; row a NK id=x implicit"},
			[]string{`note lock-order-cycle: row "a" (FOR NO KEY UPDATE) acquired while holding row "b" (FOR NO KEY UPDATE); P takes them in the opposite order (possible deadlock) | take row "a" first in Q, as P does`}},
		{"a guess is one step lower", nil, []string{
			"P: row a UP id=x; row b UP id=x cut", "Q: row b UP id=y; row a UP id=y"},
			[]string{`warning lock-order-cycle: row "a" (FOR UPDATE) acquired while holding row "b" (FOR UPDATE); P takes them in the opposite order (possible deadlock) | take row "a" first in Q, as P does`}},
		{"a path against itself", nil, []string{
			"P: row a UP id=x; adv b x one; row a UP id=y"},
			[]string{`error lock-order-cycle: advisory b (exclusive) acquired while holding row "a" (FOR UPDATE); P itself also takes them in the opposite order (possible deadlock) | take advisory b first everywhere in P`}},
		{"a mutex", nil, []string{
			"P: mutex m x one; row a NK id=x implicit", "Q: row a NK id=x implicit; mutex m x one"},
			[]string{`error mixed-lock-order: mutex m (exclusive) acquired while holding row "a" (FOR NO KEY UPDATE); P takes them in the opposite order (possible deadlock that PostgreSQL cannot see) | take mutex m first in Q, as P does`}},
		{"over two connections", nil, []string{
			"P: row a UP id=x; row b UP id=x session=2", "Q: row b UP id=y; row a UP id=y", "R: row b UP id=y; row a UP id=y"},
			[]string{`error lock-order-cycle: row "b" (FOR UPDATE) acquired while holding row "a" (FOR UPDATE); Q and 1 more path take them in the opposite order (possible deadlock that PostgreSQL cannot see) | take row "b" first in P, as Q does`}},
		{"over two connections, bounded", nil, []string{
			"P: row a UP id=x; row b UP id=x session=2 bounded", "Q: row b UP id=y; row a UP id=y", "R: row b UP id=y; row a UP id=y"},
			[]string{`error lock-order-cycle: row "b" (FOR UPDATE) acquired while holding row "a" (FOR UPDATE); Q and 1 more path take them in the opposite order (possible deadlock) | take row "b" first in P, as Q does`}},
		{"a chain of which every hop is a guess is told once a pair", nil, []string{
			"P: row a NK id=x implicit; row b NK id=y implicit", "Q: row b NK id=x implicit; row a NK id=y implicit",
			"R: row b NK id=x implicit; row c NK id=y implicit", "S: row c NK id=x implicit; row a NK id=y implicit"},
			[]string{`note lock-order-cycle: row "a" (FOR NO KEY UPDATE) acquired while holding row "b" (FOR NO KEY UPDATE); P takes them in the opposite order (possible deadlock) | take row "a" first in Q, as P does`}},
		{"a trigger", nil, []string{
			"P: row a UP id=x; row b NK id=x implicit via=trigger_count", "Q: row b UP id=y; row a UP id=y"},
			[]string{`error trigger-lock: row "b" (FOR NO KEY UPDATE by trigger count) acquired while holding row "a" (FOR UPDATE); Q takes them in the opposite order (possible deadlock) | take row "b" first in P, as Q does`}},
		{"a statement whose trigger closes several", nil, []string{
			"P: row a UP id=x; row c UP id=x; row b UP id=x via=trigger_count", "Q: row b UP id=y; row a UP id=y", "R: row b UP id=y; row c UP id=y"},
			[]string{`error trigger-lock: row "b" (FOR UPDATE by trigger count) acquired while holding row "a" (FOR UPDATE); Q takes them in the opposite order; 1 more cycle closes here (possible deadlock) | take row "b" first in P, as Q does`}},
		{"a referential action", Relations{{Child: "b", Parent: "a", OnDelete: "cascade"}}, []string{
			"P: row a UP id=x implicit; row b UP aid=x implicit via=foreign_key_fkb", "Q: row b UP id=y; row a UP id=z"},
			[]string{`error fk-cascade-cycle: row "b" (FOR UPDATE by foreign key fkb) acquired while holding row "a" (FOR UPDATE); Q takes them in the opposite order (possible deadlock) | take row "b" first in P, as Q does`}},
		{"a foreign key check against FOR UPDATE", Relations{{Child: "b", Parent: "a"}}, []string{
			"P: row a UP id=x; row b NK aid=x implicit", "Q: row b NK id=y implicit; row a KS id=z implicit fkfrom=b via=foreign_key_fkb"},
			[]string{`error lock-order-cycle: row "a" (FOR KEY SHARE by foreign key fkb) acquired while holding row "b" (FOR NO KEY UPDATE); P takes them in the opposite order (possible deadlock) | lock row "a" FOR NO KEY UPDATE where no key column changes: inserts of children then need not wait`}},
		{"a foreign key that the statement leaves as it is", Relations{{Child: "b", Parent: "a"}}, []string{
			"P: row a UP id=x; row b NK aid=x implicit", "Q: row b NK id=y implicit; row a KS id=z implicit fkfrom=b rechecked"},
			[]string{`warning lock-order-cycle: row "a" (FOR KEY SHARE) acquired while holding row "b" (FOR NO KEY UPDATE); P takes them in the opposite order (possible deadlock; row "a" is locked only where the row of b was changed before) | lock row "a" FOR NO KEY UPDATE where no key column changes: inserts of children then need not wait`}},
		{"rows that make the statement fail", Relations{{Child: "b", Parent: "a"}}, []string{
			"P: row a UP id=x; row b KS aid=x implicit refuses", "Q: row b UP id=y; row a UP id=y"},
			[]string{`warning lock-order-cycle: row "a" (FOR UPDATE) acquired while holding row "b" (FOR UPDATE); P takes them in the opposite order (possible deadlock; row "b" is waited for only by a statement that then fails) | take row "a" first in Q, as P does`}},
		{"rows that the other side deletes meanwhile", Relations{{Child: "b", Parent: "a"}}, []string{
			"P: row a UP id=x; row b KS aid=x implicit refuses", "Q: row b UP id=y implicit; row a UP id=y"},
			[]string{`error lock-order-cycle: row "a" (FOR UPDATE) acquired while holding row "b" (FOR UPDATE); P takes them in the opposite order (possible deadlock) | take row "a" first in Q, as P does`}},
		{"soft-deleted rows", nil, []string{
			"P: row a UP id=x marked=deleted_at; row b UP id=x", "Q: row b UP id=y; row a UP id=y"},
			[]string{`warning lock-order-cycle: row "a" (FOR UPDATE) acquired while holding row "b" (FOR UPDATE); P takes them in the opposite order (possible deadlock; row "a" is locked only once deleted_at marks it) | take row "a" first in Q, as P does`}},
		{"soft-deleted rows of both", nil, []string{
			"P: row a UP id=x marked=deleted_at; row b UP id=x", "Q: row b UP id=y; row a UP id=y marked=deleted_at"},
			[]string{`error lock-order-cycle: row "a" (FOR UPDATE) acquired while holding row "b" (FOR UPDATE); P takes them in the opposite order (possible deadlock) | take row "a" first in Q, as P does`}},
		{"a way without such rows is preferred", nil, []string{
			"P: row a UP id=x marked=deleted_at; row b UP id=x", "R: row a UP id=x; row b UP id=x", "Q: row b UP id=y; row a UP id=y"},
			[]string{`error lock-order-cycle: row "a" (FOR UPDATE) acquired while holding row "b" (FOR UPDATE); R and 1 more path take them in the opposite order (possible deadlock) | take row "a" first in Q, as R does`}},
		{"one finding for all modes and shapes", nil, []string{
			"P: row a UP id=x; row b UP id=x", "P2: row a NK id=x; row b SH id=x", "Q: row b UP id=y; row a UP id=y", "Q2: row b NK id=y; row a NK id=y"},
			[]string{`error lock-order-cycle: row "a" (FOR NO KEY UPDATE) acquired while holding row "b" (FOR NO KEY UPDATE), here and in 1 more path; P2 and 1 more path take them in the opposite order (possible deadlock) | take row "a" first in Q2, as P2 does`}},
		{"gated", nil, []string{
			"P: adv g x one; row a UP id=x; row b UP id=x", "Q: adv g x one; row b UP id=y; row a UP id=y"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := []string{}
			for _, f := range graphOf(t, c.rel, c.paths...).Findings() {
				got = append(got, f.Severity+" "+f.Kind+": "+f.Message+" | "+f.Hint)
				if strings.ContainsAny(f.Fingerprint, "0123456789") {
					t.Errorf("fingerprint %q holds a number", f.Fingerprint)
				}
			}
			if len(got) != len(c.want) || len(got) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("findings\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// A function takes two rows of one class in the order of its arguments.
func TestSelfPairs(t *testing.T) {
	for _, c := range []struct {
		name  string
		paths []string
		want  []string
	}{
		{"arguments swapped", []string{"Transfer: row a UP id=x; row a UP id=y"}, []string{"supported Transfer Transfer"}},
		{"constants in one order", []string{"P: row a UP id=1; row a UP id=2"}, nil},
		{"constants in two orders", []string{"P: row a UP id=1; row a UP id=2", "Q: row a UP id=2; row a UP id=1"}, []string{"supported P Q"}},
		{"the same row", []string{"P: row a UP id=x; row a UP id=x"}, nil},
		{"share locks", []string{"P: row a SH id=x; row a SH id=y"}, nil},
		{"a loop", []string{"P: row a UP id=x loop; row a UP id=y loop"}, nil},
		{"many", []string{"P: row a UP gid=x many; row a UP id=y"}, nil},
		{"written only, by arguments", []string{"P: row a NK id=x implicit; row a NK id=y implicit"}, []string{"supported P P"}},
		{"written after both were asked for", []string{"P: row a UP gid=g many; row a NK id=x implicit; row a NK id=y implicit"}, nil},
		{"under one lock", []string{"P: adv g x one; row a UP id=x; row a UP id=y"}, nil},
		{"a guess", []string{"P: row a UP id=x; row a UP id=y cut"}, []string{"possible P P"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range graphOf(t, nil, c.paths...).SelfPairs() {
				got = append(got, p.Verdict+" "+Short(p.First.Trace)+" "+Short(p.Second.Trace))
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("pairs %q, want %q", got, c.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	n := nameClasses([]Class{
		{ID: "advisory bigint 1", Family: Advisory, Name: "jobs"}, {ID: "advisory bigint 2", Family: Advisory, Name: "jobs"},
		{ID: "row core.pools", Family: Row, Relation: "core.pools"},
	})
	for id, want := range map[string]string{
		"advisory bigint 1": "advisory jobs [bigint 1]", "row core.pools": `row "core.pools"`, "row none": "row none",
	} {
		if got := n.display(id); got != want {
			t.Errorf("display(%s) = %s, want %s", id, got, want)
		}
	}
	if n.slug("advisory bigint 1") == n.slug("advisory bigint 2") {
		t.Error("two classes share a slug")
	}
	short := shorten([]string{"a/b.(*S).Run", "a/b.(*T).Run", "a/c.Do", "a/b.(*S).Run", "migration 0001_init.up"})
	want := map[string]string{"a/b.(*S).Run": "(*S).Run", "a/b.(*T).Run": "(*T).Run", "a/c.Do": "Do", "migration 0001_init.up": "migration 0001_init.up"}
	if !reflect.DeepEqual(short, want) {
		t.Errorf("shorten: %v", short)
	}
	if got := shorten([]string{"x/b.Run", "x/c.Run"}); got["x/b.Run"] != "b.Run" || got["x/c.Run"] != "c.Run" {
		t.Errorf("shorten by package: %v", got)
	}
}
