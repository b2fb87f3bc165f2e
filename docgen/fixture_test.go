package docgen

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// The manifests that the tests write about: the worked example of the JSON
// shapes, and a clinic that has one of everything.

func bank(t *testing.T) *lockgraph.Manifest {
	t.Helper()
	data, err := os.ReadFile("testdata/bank.json")
	if err != nil {
		t.Fatal(err)
	}
	m := new(lockgraph.Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		t.Fatal(err)
	}
	return m
}

const mod = "example.test/clinic"

const (
	calendar = "advisory bigint hashtextextended('calendar', 0)"
	patient  = "advisory bigint hashtext($1)::bigint of patient"
	invoice  = "advisory bigint hashtext($1)::bigint of invoice"
	roomKey  = "advisory bigint hashtextextended('room:' || $1::text, 0)"
	boot     = "advisory bigint 7308613709768880000"
	shard    = "advisory int4x2 (12, $1)"
	visits   = "row clinic.visits"
	bills    = "row billing.bills"
	beds     = "row clinic.beds"
	outbox   = "row clinic.outbox"
	audit    = "table audit.entries"
)

func lock(class, mode string, by ...string) lockgraph.Step {
	return lockgraph.Step{Do: "lock", Class: class, Mode: mode, Wait: "wait", Again: "no", By: by}
}

func again(s lockgraph.Step) lockgraph.Step { s.Again = "same"; return s }

func several(s lockgraph.Step, order string) lockgraph.Step {
	s.Many, s.Order = true, order
	return s
}

func waiting(s lockgraph.Step, wait string) lockgraph.Step { s.Wait = wait; return s }

func tx(kind, timeout string, steps ...lockgraph.Step) lockgraph.Step {
	return lockgraph.Step{Do: "tx", Kind: kind, Handle: "tx", Timeout: timeout, End: "either", Steps: steps}
}

func inCaller(steps ...lockgraph.Step) lockgraph.Step {
	return lockgraph.Step{Do: "tx", Handle: "caller", End: "caller", Steps: steps}
}

func branch(arms ...lockgraph.Arm) lockgraph.Step { return lockgraph.Step{Do: "branch", Arms: arms} }

func arm(when string, steps ...lockgraph.Step) lockgraph.Arm {
	return lockgraph.Arm{When: when, Steps: steps}
}

func loop(over, order string, steps ...lockgraph.Step) lockgraph.Step {
	return lockgraph.Step{Do: "loop", Over: over, Order: order, Steps: steps}
}

func see(entry string) lockgraph.Step { return lockgraph.Step{Do: "see", Entry: entry} }

func external(what string) lockgraph.Step { return lockgraph.Step{Do: "external", What: what} }

func site(id, class, mode, fn, query string, sqlfunc ...string) lockgraph.Acquisition {
	return lockgraph.Acquisition{ID: id, Class: class, Mode: mode, Scope: "transaction", Wait: "wait",
		Func: mod + fn, Query: query, SQLFunc: sqlfunc, Handle: "tx", File: "x.go", Line: 1}
}

func edge(from, held, to, wanted, fn string) lockgraph.Edge {
	return lockgraph.Edge{From: from, Held: held, To: to, Wanted: wanted,
		Witness: []lockgraph.Frame{{Func: mod + fn, File: "x.go", Line: 3, Does: "begins a transaction"}}}
}

const (
	x  = lockgraph.Exclusive
	sh = lockgraph.Shared
	fu = lockgraph.ForUpdate
)

func clinic() *lockgraph.Manifest {
	m := &lockgraph.Manifest{
		Version: 1, Module: mod, Tool: lockgraph.Tool{Version: "test", Parser: "pg_query_go v5", Grammar: 16},
		Classes: []lockgraph.Class{
			{ID: boot, Family: "advisory", Name: "bootKey", Key: &lockgraph.Key{Space: "bigint", Derivation: "constant", Expr: "7308613709768880000", Constant: "7308613709768880000", Bits: 64}},
			{ID: patient, Family: "advisory", Name: "Patient", Serializes: "two admissions of one patient", Key: &lockgraph.Key{Space: "bigint", Derivation: "hashtext", Expr: "hashtext($1)::bigint", Bits: 32}},
			{ID: invoice, Family: "advisory", Name: "Invoice", Serializes: "Two runs that bill one invoice.", Key: &lockgraph.Key{Space: "bigint", Derivation: "hashtext", Expr: "hashtext($1)::bigint", Bits: 32}},
			{ID: calendar, Family: "advisory", Name: "Calendar rendezvous", Serializes: "A change of opening hours against every booking", Key: &lockgraph.Key{Space: "bigint", Derivation: "hashtextextended", Expr: "hashtextextended('calendar', 0)", Constant: "-77", Bits: 64}},
			{ID: roomKey, Family: "advisory", Name: "room:", Key: &lockgraph.Key{Space: "bigint", Derivation: "hashtextextended", Prefix: "room:", Prefixed: true, Expr: "hashtextextended('room:' || $1::text, 0)", Bits: 64}},
			{ID: shard, Family: "advisory", Name: "shardLock", Key: &lockgraph.Key{Space: "int4x2", Derivation: "pair", Prefixed: true, Expr: "12, $1", Parts: []string{"12", "$1"}}},
			{ID: bills, Family: "row", Name: "billing.bills", Relation: "billing.bills", Relkind: "p"},
			{ID: beds, Family: "row", Name: "Bed", Relation: "clinic.beds", Relkind: "r", Serializes: "Two admissions to one bed"},
			{ID: outbox, Family: "row", Name: "clinic.outbox", Relation: "clinic.outbox", Relkind: "r"},
			{ID: visits, Family: "row", Name: "clinic.visits", Relation: "clinic.visits", Relkind: "r"},
			{ID: audit, Family: "table", Name: "audit.entries", Relation: "audit.entries", Relkind: "r"},
		},
	}
	clinicSites(m)
	clinicPaths(m)
	clinicVerdicts(m)
	return m
}

func clinicSites(m *lockgraph.Manifest) {
	booking, hours := "/internal/desk.BeginBooking", "/internal/desk.BeginHours"
	many := site("9", bills, fu, "/internal/billing.(*Runner).Close", "LockOpenBills")
	many.Many, many.Order = true, "by id"
	claim := site("10", outbox, fu, "/internal/relay.(*Relay).Claim", "ClaimOutbox")
	claim.Wait, claim.Many = lockgraph.SkipLocked, true
	implicit := site("11", visits, lockgraph.ForNoKeyUpdate, "/internal/desk.(*Desk).Move", "")
	implicit.Implicit = true
	session := site("12", boot, x, "/cmd/clinic.lead", "")
	session.Scope, session.Handle, session.Wait = "session", "conn", lockgraph.Try
	m.Acquisitions = []lockgraph.Acquisition{
		site("1", calendar, sh, booking, ""), site("2", calendar, x, hours, ""),
		site("3", patient, x, "/internal/desk.(*Desk).Admit", ""),
		site("4", roomKey, x, "/internal/db.(*Queries).LockRoom", "LockRoom"),
		site("5", beds, fu, "/internal/desk.(*Desk).Admit", "", "clinic.admit"),
		site("6", beds, fu, "/internal/desk.(*Desk).Discharge", "", "clinic.discharge"),
		site("7", visits, fu, "/internal/db.(*Queries).LockVisit", "LockVisit"),
		site("8", invoice, x, "/internal/billing.(*Runner).Bill$1", ""),
		many, claim, implicit, session,
		site("13", audit, lockgraph.ShareRowExclusive, "/internal/billing.(*Runner).Close", ""),
		site("14", shard, x, "/internal/relay.(*Relay).Claim", ""),
	}
}

func clinicPaths(m *lockgraph.Manifest) {
	booking, hours := mod+"/internal/desk.BeginBooking", mod+"/internal/desk.BeginHours"
	desk, bill := mod+"/internal/desk.(*Desk).", mod+"/internal/billing.(*Runner)."
	rendezvous, exclusive := lock(calendar, sh, booking), lock(calendar, x, hours)
	bed := func(fn string) lockgraph.Step { return lock(beds, fu, fn) }
	visit := lock(visits, fu, mod+"/internal/db.(*Queries).LockVisit", "LockVisit")
	m.Paths = []lockgraph.Path{
		{Entry: bill + "Bill", ReachedBy: []string{"POST /bills", "job nightly"}, Steps: []lockgraph.Step{
			tx("", "", lock(invoice, x, bill+"Bill$1"), lock(bills, fu, bill+"Bill$1"))}},
		{Entry: bill + "Close", Steps: []lockgraph.Step{tx("", "2s",
			lock(audit, lockgraph.ShareRowExclusive, bill+"Close"), several(lock(bills, fu, bill+"Close", "LockOpenBills"), "by id"))}},
		{Entry: desk + "Admit", ReachedBy: []string{"POST /admissions"}, Group: "Admissions", Steps: []lockgraph.Step{
			tx(booking, "5s", rendezvous, lock(patient, x, desk+"Admit"), visit, bed("clinic.admit"), again(bed("clinic.admit")))}},
		{Entry: desk + "Discharge", Group: "Admissions", Steps: []lockgraph.Step{
			tx(booking, "5s", rendezvous, bed("clinic.discharge"), visit,
				branch(arm("the stay is billed", lock(invoice, x, mod+"/internal/billing.Bill")), arm("")))}},
		{Entry: desk + "Move", Group: "Admissions", Steps: []lockgraph.Step{
			tx(booking, "5s", rendezvous, visit,
				branch(arm("from == to", lock(visits, lockgraph.ForNoKeyUpdate, desk+"Move")),
					arm("the ward differs", loop("beds", "by id", bed("clinic.admit")), lock(roomKey, x, desk+"enter", "LockRoom")),
					arm("otherwise")),
				lock(visits, lockgraph.ForNoKeyUpdate, desk+"Move"))}},
		{Entry: desk + "SetHours", Group: "Opening hours", Steps: []lockgraph.Step{
			tx(hours, "5s", exclusive,
				loop("room of the change", "sorted", lock(roomKey, x, desk+"eachRoom", "LockRoom"),
					loop("visits", "", again(visit), branch(arm("v.Moved", see(desk+"Move")), arm("", bed("clinic.discharge")))))),
			external("mail.Client.Send"),
			tx(booking, "5s", rendezvous, several(lock(visits, fu, desk+"SetHours"), ""))}},
		{Entry: desk + "CloseDay", Group: "Opening hours", Steps: []lockgraph.Step{tx(hours, "5s", exclusive)}},
		{Entry: desk + "OpenDay", Group: "Opening hours", Steps: []lockgraph.Step{tx(hours, "5s", exclusive)}},
		{Entry: mod + "/internal/desk.LockFor", Steps: []lockgraph.Step{inCaller(visit)}},
		{Entry: mod + "/internal/relay.(*Relay).Claim", Steps: []lockgraph.Step{
			tx("", "", waiting(lock(shard, x, mod+"/internal/relay.(*Relay).Claim"), lockgraph.Try),
				waiting(several(lock(outbox, fu, "ClaimOutbox"), ""), lockgraph.SkipLocked), external("net/http.Client.Do"))}},
		{Entry: mod + "/cmd/clinic.lead", Steps: []lockgraph.Step{waiting(lock(boot, x, mod+"/cmd/clinic.lead"), lockgraph.Try)}},
		{Entry: "migration 0007_audit", Steps: []lockgraph.Step{tx("", "", lock(audit, lockgraph.AccessExclusive, "migration 0007_audit"))}},
	}
}

func clinicVerdicts(m *lockgraph.Manifest) {
	admit, discharge := "/internal/desk.(*Desk).Admit", "/internal/desk.(*Desk).Discharge"
	m.Edges = []lockgraph.Edge{
		edge(visits, fu, beds, fu, admit), edge(beds, fu, visits, fu, discharge),
		edge(calendar, sh, visits, fu, admit), edge(calendar, sh, beds, fu, admit), edge(calendar, sh, patient, x, admit),
		edge(patient, x, visits, fu, admit), edge(patient, x, beds, fu, admit),
		edge(invoice, x, bills, fu, "/internal/billing.(*Runner).Bill"),
		edge(audit, lockgraph.ShareRowExclusive, bills, fu, "/internal/billing.(*Runner).Close"),
		edge(roomKey, x, beds, fu, "/internal/desk.(*Desk).SetHours"), edge(beds, fu, roomKey, x, "/internal/desk.(*Desk).Move"),
	}
	m.Edges[7].Cut = lockgraph.CutCallee
	m.Cycles = []lockgraph.Cycle{
		{Classes: []string{beds, visits}, Verdict: "supported", Edges: []int{0, 1}},
		{Classes: []string{beds, roomKey}, Verdict: "gated", GatedBy: []string{calendar}, Edges: []int{9, 10}},
	}
	m.Rules = []lockgraph.Rule{
		{ID: "r1", Form: "first", A: calendar, Kind: mod + "/internal/desk.BeginBooking", Support: 4, Of: 4, Text: "t"},
		{ID: "r2", Form: "before", A: visits, B: beds, Support: 2, Of: 3, Exceptions: []string{mod + discharge}, Text: "t"},
		{ID: "r3", Form: "order", A: bills, B: "id", Support: 1, Of: 1, Text: "t", Declared: true},
		{ID: "r4", Form: "scope", A: "row", B: "transaction", Support: 9, Of: 9, Text: "t"},
		{ID: "r5", Form: "write-under", A: patient, B: visits, Support: 3, Of: 3, Text: "t"},
		{ID: "r6", Form: "only-while-holding", A: calendar, B: beds, Support: 3, Of: 3, Text: "t"},
		{ID: "r8", Form: "order", A: beds, B: "id", Support: 3, Of: 4, Exceptions: []string{mod + discharge}, Text: "t"},
		{ID: "r7", Form: "later", A: calendar, Text: "a form of a later version names " + mod + discharge},
	}
	m.Differences = []lockgraph.Difference{
		{ID: "d1", Rule: "r2", Funcs: []string{mod + discharge}, Classes: []string{visits, beds}, Text: "takes the bed row before the visit row"},
		{ID: "d2", Rule: "r8", Funcs: []string{mod + discharge}, Classes: []string{beds}, Instead: "by name", Text: "t"},
		{ID: "d3", Form: "keys", Funcs: []string{mod + admit, mod + discharge}, Classes: []string{calendar, invoice},
			Text: "advisory keys are built in 2 ways: `hashtext` of a bare value; a literal constant"},
		{ID: "d4", Form: "siblings", Funcs: []string{mod + admit, mod + discharge}, Peers: []string{mod + discharge}, Classes: []string{beds}, Text: "t"},
		{ID: "d5", Form: "siblings", Funcs: []string{mod + discharge}, Classes: []string{beds}, Via: "clinic.leave",
			Text: "Discharge takes it no sooner than in clinic.leave; 3 of 4 paths that call it hold it by then"},
	}
	m.Findings = []lockgraph.Finding{
		{Check: "lockdrift", Kind: "unlocked-write", Severity: "warning", Func: mod + "/internal/desk.(*Desk).Import",
			Message: "rows of \"clinic.beds\" written without advisory Patient, which Admit holds", Fingerprint: "f1", File: "x.go", Line: 4},
		{Check: "lockdrift", Kind: "divergent-path", Severity: "note", Func: mod + "/internal/desk.leave", // in a helper of d1's path
			Message: "Discharge takes the visit after the bed", Fingerprint: "divergent-path/r2/" + mod + "/internal/desk.leave", File: "x.go", Line: 4},
		{Check: "lockwait", Kind: "no-lock-timeout", Severity: "note", Func: mod + admit, Message: "not for the page", Fingerprint: "f2", File: "x.go", Line: 4},
	}
	m.Unknowns = []lockgraph.Unknown{
		{Func: mod + "/internal/search.(*Index).Query", Reason: "the SQL text is not constant", Kind: "text", File: "x.go", Line: 1},
		{Func: mod + "/internal/search.(*Index).Query", Reason: "the SQL text is not constant", Kind: "text", File: "x.go", Line: 2},
		{Func: mod + "/internal/search.Drop", Reason: "the SQL text is not constant", Kind: "text", File: "x.go", Line: 9},
		{File: "migrations/0004.sql", Reason: "EXECUTE of a text built at run time", Kind: "dynamic"},
	}
}
