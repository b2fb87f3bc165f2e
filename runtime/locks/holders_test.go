package locks

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
)

func TestHolders(t *testing.T) {
	w := newWorld(t)
	named := testdb.Pool(t, w.pool.Config().ConnString(), func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["application_name"] = "billing@pod-7"
	})
	for _, k := range []Key{w.order.Key("é"), w.bill.Key(-42), w.seat.Key(-1), w.admin} {
		tx := ok(named.Begin(bg))(t)
		before := time.Now().Add(-time.Minute)
		ok(w.lock.TryLock(bg, tx, k))(t)
		waiter := w.begin()
		done := make(chan bool)
		go func() {
			granted, err := w.lock.Lock(bg, waiter, k, 20*time.Second)
			done <- granted && err == nil
		}()
		var got []Holder
		for len(got) < 2 {
			got = ok(Holders(bg, w.pool, k))(t)
		}
		h, wait := got[0], got[1]
		if h.PID != int32(tx.Conn().PgConn().PID()) || !h.Granted || h.Application != "billing@pod-7" || h.Mode != Exclusive ||
			h.SinceFrom != SinceTxStart || h.Since.Before(before) || h.Hidden || h.State != "idle in transaction" || h.User == "" || h.Client == "" {
			t.Errorf("%s: holder %+v", k, h)
		}
		if wait.Granted || wait.PID != int32(waiter.Conn().PgConn().PID()) || wait.SinceFrom != SinceWaiting {
			t.Errorf("%s: waiter %+v", k, wait)
		}
		if s := h.String(); !strings.Contains(s, "(billing@pod-7) holds it exclusive, in a transaction since") {
			t.Errorf("holder is told as %q", s)
		}
		tx.Rollback(bg)
		if !<-done {
			t.Error("the waiter was not granted")
		}
		waiter.Rollback(bg)
		if got := ok(Holders(bg, w.pool, k))(t); len(got) != 0 {
			t.Errorf("%s: %v after all ended", k, got)
		}
	}
}

// Without rights pid and application name stay visible, and what is hidden
// is said to be.
func TestHoldersWithoutRights(t *testing.T) {
	w := newWorld(t)
	role := "locks_reader_" + strings.ReplaceAll(w.exec(w.pool, "select current_database()"), "locks_", "")
	ok(w.pool.Exec(bg, "create role "+role+" login"))(t)
	defer w.pool.Exec(bg, "drop role "+role)
	k := w.bill.Key(7)
	tx := w.hold(k, InShareMode)
	conn := ok(w.pool.Acquire(bg))(t)
	defer conn.Release()
	ok(conn.Exec(bg, "set role "+role))(t)
	got := ok(Holders(bg, conn, k))(t)
	ok(conn.Exec(bg, "reset role"))(t)
	if len(got) != 1 || got[0].PID != int32(tx.Conn().PgConn().PID()) || !got[0].Hidden || got[0].SinceFrom != SinceUnknown || got[0].Mode != Share {
		t.Errorf("got %+v", got)
	}
	if s := got[0].String(); !strings.Contains(s, "hidden") {
		t.Errorf("holder is told as %q", s)
	}
	if _, err := Holders(bg, conn, Key{}); err == nil {
		t.Error("no key has holders")
	}
}

// With a fence table the time of a session lock is that of its acquisition.
func TestHoldersOfASessionLock(t *testing.T) {
	w := newWorld(t)
	ok(w.pool.Exec(bg, FenceDDL("fences")))(t)
	s := ok(w.lock.OpenSessions(bg, SessionConfig{DSN: w.pool.Config().ConnString(), FenceTable: "fences"}))(t)
	defer s.Close()
	begun := time.Now().Add(-time.Second)
	held, granted, err := s.TryAcquire(bg, w.bill.Key(1))
	if err != nil || !granted {
		t.Fatal(granted, err)
	}
	got := ok(s.Holders(bg, w.pool, w.bill.Key(1)))(t)
	if len(got) != 1 || got[0].PID != int32(held.PID()) || got[0].SinceFrom != SinceAcquired || got[0].Since.Before(begun) || got[0].Since.After(time.Now().Add(time.Second)) {
		t.Errorf("got %+v", got)
	}
	if got := ok(Holders(bg, w.pool, w.bill.Key(1)))(t); len(got) != 1 || got[0].SinceFrom != SinceSession {
		t.Errorf("without the table: %+v", got)
	}
	if err := held.Release(bg); err != nil {
		t.Error(err)
	}
}

// A transaction on the connection of a session lock does not wait for it,
// and keeps the order with it.
func TestSessionAndItsTransactionAreOneHolder(t *testing.T) {
	w := newWorld(t, tracked(OrderEnforce, &recorder{}))
	s := ok(w.lock.OpenSessions(bg, SessionConfig{DSN: w.pool.Config().ConnString()}))(t)
	defer s.Close()
	_, err := s.Do(bg, w.order.Key("1"), 0, func(ctx context.Context, held *Session) error {
		tx := ok(held.BeginTx(ctx, pgx.TxOptions{}))(t)
		defer tx.Rollback(bg)
		if granted, err := w.lock.Lock(ctx, tx, w.order.Key("1"), time.Second); err != nil || !granted {
			t.Errorf("its own key: %v, %v", granted, err)
		}
		if err := second(w.lock.Lock(ctx, tx, w.bill.Key(1), time.Second)); !errors.Is(err, ErrOrder) {
			t.Errorf("against the order: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The runbook's query finds who holds a key.
func TestRunbookQuery(t *testing.T) {
	page := ok(os.ReadFile("../../docs/runtime/locks.md"))(t)
	query := regexp.MustCompile("(?s)```sql\n(.*?);\n```").FindSubmatch(page)
	if query == nil {
		t.Fatal("the page has no query")
	}
	w := newWorld(t)
	wallets := ok(NewFamily[int64](w.reg, "wallet"))(t)
	count := "select count(*)::text from (" + string(query[1]) + ") q where granted"
	if n := w.exec(w.pool, count); n != "0" {
		t.Errorf("%s holders of a free key", n)
	}
	w.hold(wallets.Key(42))
	w.hold(wallets.Key(43))
	if n := w.exec(w.pool, count); n != "1" {
		t.Errorf("%s holders of a key that one session holds", n)
	}
}
