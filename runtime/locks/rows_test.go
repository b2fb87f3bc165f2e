package locks

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func (w *world) tables() {
	for _, sql := range []string{
		"create table acc (id bigint primary key, v int)", "insert into acc select n, 0 from generate_series(1, 20) n",
		"create schema s", `create table s."Doc" ("Key" text primary key)`, `insert into s."Doc" values ('a"b'), ('b\c'), ('Ä'), ('Z'), ('a,b'), ('')`,
		"create table u (id uuid primary key)", "insert into u values ('deadbeef-0001-0203-0405-060708090aff')",
	} {
		ok(w.pool.Exec(bg, sql))(w.t)
	}
}

func TestLockRows(t *testing.T) {
	w := newWorld(t)
	w.tables()
	acc := ok(NewRows[int64](w.reg, "acc", "id"))(t)
	docs := ok(NewRows[orderID](w.reg, `s."Doc"`, `"Key"`))(t)
	ids := ok(NewRows[uuid](w.reg, "u", "id"))(t)
	tx := w.begin()
	found, granted, err := LockRows(bg, w.lock, tx, acc, []int64{7, 3, 99, 3, 12}, ForUpdate, time.Second)
	if err != nil || !granted || !reflect.DeepEqual(found, []int64{3, 7, 12}) {
		t.Errorf("got %v, %v, %v", found, granted, err)
	}
	texts, granted, err := LockRows(bg, w.lock, tx, docs, []orderID{"Ä", "a\"b", "Z", `b\c`, "a,b", ""}, ForShare, time.Second)
	if err != nil || !granted || !reflect.DeepEqual(texts, []orderID{"", "Z", "a\"b", "a,b", `b\c`, "Ä"}) {
		t.Errorf("got %q, %v, %v", texts, granted, err)
	}
	u := uuid{0xde, 0xad, 0xbe, 0xef, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255}
	if got, granted, err := LockRows(bg, w.lock, tx, ids, []uuid{u}, ForKeyShare, time.Second); err != nil || !granted || len(got) != 1 || got[0] != u {
		t.Errorf("got %v, %v, %v", got, granted, err)
	}

	other := w.begin()
	if got, granted, err := LockRows(bg, w.lock, other, acc, []int64{1, 7}, ForNoKeyUpdate, 0); granted || err != nil || got != nil {
		t.Errorf("nowait: %v, %v, %v", got, granted, err)
	}
	if got, granted, err := LockRows(bg, w.lock, other, acc, []int64{1, 7}, ForNoKeyUpdate, 20*time.Millisecond); granted || err != nil || got != nil {
		t.Errorf("bounded: %v, %v, %v", got, granted, err)
	}
	third := w.begin()
	if _, granted, err := LockRows(bg, w.lock, third, acc, []int64{1}, ForUpdate, 0); !granted || err != nil {
		t.Errorf("row 1 is still locked: %v, %v", granted, err)
	}
	if _, granted, err := LockRows(bg, w.lock, other, docs, []orderID{"Z"}, ForKeyShare, 0); !granted || err != nil {
		t.Errorf("key share beside share: %v, %v", granted, err)
	}
	if _, _, err := LockRows(bg, w.lock, other, acc, []int64{1}, Exclusive, 0); err == nil {
		t.Error("an advisory mode locks rows")
	}
	if _, _, err := LockRows(bg, w.lock, nil, acc, []int64{1}, ForUpdate, 0); !errors.Is(err, ErrNoTx) {
		t.Errorf("without transaction: %v", err)
	}
	if _, granted, err := LockRows(bg, w.lock, other, acc, nil, ForUpdate, 0); !granted || err != nil {
		t.Errorf("no ids: %v, %v", granted, err)
	}
}

func TestRowNames(t *testing.T) {
	r := &Registry{}
	for _, c := range [][2]string{{"a b", "id"}, {"acc;drop table x", "id"}, {"a.b.c", "id"}, {"acc", "id) --"}, {"acc", "a.id"}, {"", "id"}, {"Acc", "id"}} {
		if _, err := NewRows[int](r, c[0], c[1]); !errors.Is(err, ErrFamily) {
			t.Errorf("%q (%q): %v", c[0], c[1], err)
		}
	}
}

func TestRowsHaveAPlaceInTheOrder(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Order, c.OrderMode = MustOrder("advisory order < row acc;"), OrderEnforce })
	w.tables()
	acc := ok(NewRows[int64](w.reg, "acc", "id"))(t)
	tx := w.begin()
	lock := func(id int64) error {
		_, _, err := LockRows(bg, w.lock, tx, acc, []int64{id}, ForUpdate, time.Second)
		return err
	}
	if err := lock(5); err != nil {
		t.Error(err)
	}
	if err := lock(4); !errors.Is(err, ErrOrder) {
		t.Errorf("descending: %v", err)
	}
	if err := lock(6); err != nil {
		t.Error(err)
	}
	if err := second(w.lock.Lock(bg, tx, w.order.Key("1"), time.Second)); !errors.Is(err, ErrOrder) {
		t.Errorf("against the order: %v", err)
	}
}

func TestLockRowsNeverDeadlocks(t *testing.T) {
	w := newWorld(t)
	w.tables()
	acc := ok(NewRows[int64](w.reg, "acc", "id"))(t)
	var wg sync.WaitGroup
	for n := range 6 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(5, uint64(n)))
			for range 25 {
				ids := make([]int64, 8)
				for i := range ids {
					ids[i] = rnd.Int64N(20) + 1
				}
				err := w.lock.InTx(bg, w.pool, func(ctx context.Context, tx pgx.Tx) error {
					if _, granted, err := LockRows(ctx, w.lock, tx, acc, ids, ForUpdate, 20*time.Second); err != nil || !granted {
						return fmt.Errorf("granted %v: %w", granted, err)
					}
					_, err := tx.Exec(ctx, "update acc set v = v + 1 where id = any($1)", ids)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
