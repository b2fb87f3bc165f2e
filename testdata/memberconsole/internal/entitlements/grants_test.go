package entitlements_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"example.test/memberconsole/internal/entitlements"
	"example.test/memberconsole/internal/testdb"
)

var ctx = context.Background()

// fixture is a service on a fresh database with one organization, which holds
// the default.
type fixture struct {
	db  *testdb.DB
	cat testdb.Catalog
	org testdb.Org
	ent *entitlements.Service
}

func setUp(t *testing.T) fixture {
	t.Helper()
	db := testdb.New(t)
	f := fixture{db: db, cat: testdb.NewCatalog(t, db), ent: entitlements.New(db.DB, testdb.Log)}
	f.org = testdb.NewOrg(t, db, "first")
	return f
}

// act runs a grant act in a materializing transaction.
func (f fixture) act(t *testing.T, fn func(tx *entitlements.Materializing) error) error {
	t.Helper()
	tx, err := entitlements.BeginMaterializing(ctx, f.db.DB)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (f fixture) wantSites(t *testing.T, org testdb.Org, want int64) {
	t.Helper()
	if got := testdb.Amount(t, f.db, org.Pool, "fedwiki.sites"); got != want {
		t.Errorf("sites of the pool: %d, want %d", got, want)
	}
}

func (f fixture) wantStatus(t *testing.T, grant, want string) {
	t.Helper()
	if got := testdb.One[string](t, f.db, `SELECT status FROM core.grants WHERE grant_id = $1`, grant); got != want {
		t.Errorf("status of the grant: %s, want %s", got, want)
	}
}

func TestProvisionOrganization(t *testing.T) {
	f := setUp(t)
	id, err := f.ent.ProvisionOrganization(ctx, "second", "member", "second")
	if err != nil {
		t.Fatal(err)
	}
	pool := testdb.One[string](t, f.db, `SELECT pool_id FROM core.resource_pools WHERE org_id = $1`, id)
	f.wantSites(t, testdb.Org{Pool: pool}, 1)
	if n := testdb.One[int](t, f.db, `SELECT count(*) FROM core.desired_state_outbox WHERE recipient_id = $1`, pool); n != 2 {
		t.Errorf("%d notices about the new pool, want one for each key", n)
	}
}

func TestConferGrantReplacesTheLowerTier(t *testing.T) {
	f := setUp(t)
	id, err := f.ent.ConferGrant(ctx, entitlements.Grant{OrgID: f.org.ID, Product: f.cat.Plus, Reason: "gift"})
	if err != nil {
		t.Fatal(err)
	}
	f.wantStatus(t, id, "active")
	f.wantSites(t, f.org, 3)
	if _, err := f.ent.ConferGrant(ctx, entitlements.Grant{OrgID: f.org.ID, Product: f.cat.Addon, Quantity: 2, Reason: "gift"}); err != nil {
		t.Fatal(err)
	}
	f.wantSites(t, f.org, 7)
}

func TestRevokeGrantResumesWhatItReplaced(t *testing.T) {
	f := setUp(t)
	plus := testdb.Grant(t, f.db, f.org, f.cat.Plus)
	pro := testdb.Grant(t, f.db, f.org, f.cat.Pro)
	f.wantStatus(t, plus, "replaced")
	err := f.act(t, func(tx *entitlements.Materializing) error {
		return f.ent.RevokeGrantTx(ctx, tx, pro, "by mistake")
	})
	if err != nil {
		t.Fatal(err)
	}
	f.wantStatus(t, pro, "revoked")
	f.wantStatus(t, plus, "active")
	f.wantSites(t, f.org, 3)
}

func TestRevokeGrantRestoresTheFloor(t *testing.T) {
	f := setUp(t)
	testdb.Run(t, f.db, `UPDATE core.grants SET resumable = false`)
	plus := testdb.Grant(t, f.db, f.org, f.cat.Plus)
	err := f.act(t, func(tx *entitlements.Materializing) error {
		return f.ent.RevokeGrantTx(ctx, tx, plus, "over")
	})
	if err != nil {
		t.Fatal(err)
	}
	f.wantSites(t, f.org, 1)
	reason := testdb.One[string](t, f.db, `SELECT g.reason FROM core.grants g JOIN core.provisions p ON p.source_id = g.grant_id::text WHERE p.status = 'live'`)
	if reason != "default" {
		t.Errorf("what is live was granted for %q, want the default", reason)
	}
}

func TestExpireGrant(t *testing.T) {
	f := setUp(t)
	plus := testdb.Grant(t, f.db, f.org, f.cat.Plus)
	if err := f.act(t, func(tx *entitlements.Materializing) error { return f.ent.ExpireGrantTx(ctx, tx, plus) }); err != nil {
		t.Fatal(err)
	}
	f.wantStatus(t, plus, "expired")
	f.wantSites(t, f.org, 1)

	t.Run("of no organization", func(t *testing.T) {
		loose := testdb.One[string](t, f.db, `INSERT INTO core.grants (product_id, reason) VALUES ($1, 'loose') RETURNING grant_id`, f.cat.Plus)
		if err := f.act(t, func(tx *entitlements.Materializing) error { return f.ent.ExpireGrantTx(ctx, tx, loose) }); err != nil {
			t.Fatal(err)
		}
		f.wantStatus(t, loose, "expired")
		err := f.act(t, func(tx *entitlements.Materializing) error { return f.ent.RevokeGrantTx(ctx, tx, loose, "") })
		if !errors.Is(err, entitlements.ErrNoPool) {
			t.Errorf("revoke: %v, want %v", err, entitlements.ErrNoPool)
		}
	})
}

func TestExtendAndManageGrant(t *testing.T) {
	f := setUp(t)
	until := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	waiting := testdb.One[string](t, f.db, `INSERT INTO core.grants (org_id, product_id, reason, status) VALUES ($1, $2, 'later', 'waiting') RETURNING grant_id`, f.org.ID, f.cat.Plus)
	endOf := func(grant string) time.Time {
		return testdb.One[time.Time](t, f.db, `SELECT coalesce(ends_at, 'epoch') FROM core.grants WHERE grant_id = $1`, grant)
	}

	err := f.act(t, func(tx *entitlements.Materializing) error { return f.ent.ExtendWaitingGrantTx(ctx, tx, waiting, until) })
	if err != nil || !endOf(waiting).Equal(until) {
		t.Errorf("extend waiting: %v, ends %v, want %v", err, endOf(waiting), until)
	}
	later := until.AddDate(1, 0, 0)
	err = f.act(t, func(tx *entitlements.Materializing) error { return f.ent.ManageGrantTx(ctx, tx, waiting, later) })
	if err != nil || !endOf(waiting).Equal(later) {
		t.Errorf("manage waiting: %v, ends %v, want %v", err, endOf(waiting), later)
	}

	plus := testdb.Grant(t, f.db, f.org, f.cat.Plus)
	if err := f.act(t, func(tx *entitlements.Materializing) error { return f.ent.ManageGrantTx(ctx, tx, plus, later) }); err != nil {
		t.Fatal(err)
	}
	head := testdb.One[string](t, f.db, `SELECT grant_id FROM core.grants WHERE extends_grant_id = $1`, plus)
	f.wantStatus(t, plus, "expired")
	f.wantStatus(t, head, "active")
	f.wantSites(t, f.org, 3)
	// The old end of the lineage leads to its head.
	if err := f.act(t, func(tx *entitlements.Materializing) error { return f.ent.RevokeGrantTx(ctx, tx, plus, "over") }); err != nil {
		t.Fatal(err)
	}
	f.wantStatus(t, head, "revoked")
	f.wantSites(t, f.org, 1)
}

func TestConferralNeedsTheRendezvous(t *testing.T) {
	f := setUp(t)
	_, err := f.db.Plain.Exec(`SELECT core.confer($1, $2, 'grant', 'x', 1)`, f.org.Pool, f.cat.Plus)
	if err == nil || !strings.Contains(err.Error(), "materialization_rendezvous_missing") {
		t.Errorf("confer outside the rendezvous: %v", err)
	}
}
