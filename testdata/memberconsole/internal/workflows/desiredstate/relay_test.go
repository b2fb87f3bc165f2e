package desiredstate_test

import (
	"context"
	"testing"

	"example.test/memberconsole/internal/testdb"
	"example.test/memberconsole/internal/workflows/desiredstate"
)

// recipient holds what is pushed to it.
type recipient map[string]desiredstate.Answer

func (r recipient) Push(_ context.Context, _ string, rec desiredstate.Record) (desiredstate.Answer, error) {
	a := desiredstate.Answer{Content: rec.Content, Generation: rec.Generation}
	r[rec.Address.ID] = a
	return a, nil
}

func (r recipient) ReadBack(_ context.Context, _ string, a desiredstate.Address) (desiredstate.Answer, error) {
	return r[a.ID], nil
}

func TestRelayBringsARecipientUpToDate(t *testing.T) {
	ctx := context.Background()
	db := testdb.New(t)
	testdb.NewCatalog(t, db)
	testdb.Run(t, db, `INSERT INTO core.connections (name, endpoint) VALUES ('farm', 'http://farm.test')`)
	org := testdb.NewOrg(t, db, "first")
	site := testdb.Site(t, db, org, "a.test", "active")
	held := recipient{}
	relay := desiredstate.New(db.DB, held)

	pass := func() int {
		t.Helper()
		n, err := relay.ProcessDesiredStateOutbox(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := relay.Dispatch(ctx); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := pass(); n != 3 {
		t.Errorf("%d notices, want two of the pool and one of the site", n)
	}
	if got, want := held[org.Pool].Content, "fedwiki.sites=1,storage.gb=1"; got != want {
		t.Errorf("pool holds %q, want %q", got, want)
	}
	if got, want := held[site].Content, "a.test=active"; got != want {
		t.Errorf("site holds %q, want %q", got, want)
	}
	testdb.Run(t, db, `UPDATE fedwiki.sites SET status = 'parked'`)
	pass()
	if got := held[site]; got.Content != "a.test=parked" || got.Generation != 2 {
		t.Errorf("site holds %+v, want the second generation, parked", got)
	}
	if n := pass(); n != 0 {
		t.Errorf("%d notices when nothing changed, want none", n)
	}
	held[site] = desiredstate.Answer{Content: "tampered", Generation: 9}
	if err := relay.ReadBack(ctx); err != nil {
		t.Fatal(err)
	}
	got := testdb.One[string](t, db, `SELECT p.observed_content FROM core.desired_state_projections p JOIN core.desired_state_records r USING (record_id) WHERE r.recipient_id = $1`, site)
	if got != "tampered" {
		t.Errorf("projection of the site is %q, want what the recipient holds", got)
	}
}
