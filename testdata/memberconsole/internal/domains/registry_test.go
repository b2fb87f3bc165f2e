package domains_test

import (
	"context"
	"errors"
	"testing"

	"example.test/memberconsole/internal/domains"
	"example.test/memberconsole/internal/ids"
	"example.test/memberconsole/internal/testdb"
)

func TestRegistryKeepsOwnersApart(t *testing.T) {
	ctx := context.Background()
	db := testdb.New(t)
	reg := domains.NewRegistry(db.DB)
	one, two := domains.Owner{Kind: "fedwiki", ID: ids.New()}, domains.Owner{Kind: "mail", ID: ids.New()}
	reserve := func(name string, o domains.Owner) error {
		return reg.WithLock(ctx, func(tx *domains.Tx) error { return tx.Reserve(ctx, name, o) })
	}
	if err := reserve("coop.test", one); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"coop.test", "sub.coop.test", "test"} {
		if err := reserve(name, two); !errors.Is(err, domains.ErrTaken) {
			t.Errorf("reserve %s: %v, want %v", name, err, domains.ErrTaken)
		}
	}
	if err := reserve("sub.coop.test", one); err != nil {
		t.Errorf("reserve below an own name: %v", err)
	}
	err := reg.WithLock(ctx, func(tx *domains.Tx) error {
		if err := tx.Place(ctx, "coop.test", one); err != nil {
			return err
		}
		return tx.Release(ctx, "sub.coop.test", one)
	})
	if err != nil {
		t.Fatal(err)
	}
	held, err := reg.OfKind(ctx, "fedwiki")
	if err != nil || len(held) != 1 || held[0].State != "placed" {
		t.Errorf("held %v, %v, want the placed name", held, err)
	}
	err = reg.WithLock(ctx, func(tx *domains.Tx) error { return tx.Release(ctx, "coop.test", two) })
	if !errors.Is(err, domains.ErrNotOwned) {
		t.Errorf("release of another's name: %v, want %v", err, domains.ErrNotOwned)
	}
}
