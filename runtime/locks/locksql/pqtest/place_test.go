package pqtest

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/locksql"
)

// at opens a pool of the same driver at another address.
func (w *world) at(dsn string) *sql.DB {
	w.Helper()
	if w.driver == "pgx" {
		dsn += "&default_query_exec_mode=exec" // as behind any pooler of transactions
	} else {
		dsn += "&binary_parameters=yes"
	}
	db := ok(sql.Open(w.driver, dsn))(w)
	w.Cleanup(func() { db.Close() })
	return db
}

func TestPoolersAreRefused(t *testing.T) {
	each(t, func(w *world) {
		for _, mode := range []string{"transaction", "statement"} {
			for _, size := range []int{1, 3} {
				db := w.at(pglab.NewBouncer(w, w.dsn, mode, size))
				if _, err := locksql.OpenSessions(bg, w.lock, db, locks.SessionConfig{}); !errors.Is(err, locks.ErrPooled) {
					w.Errorf("%s mode, a pool of %d: %v", mode, size, err)
				}
			}
		}
		s, err := locksql.OpenSessions(bg, w.lock, w.at(pglab.NewBouncer(w, w.dsn, "session", 5)), locks.SessionConfig{})
		if err != nil {
			w.Fatalf("session mode: %v", err)
		}
		held, granted, err := s.TryAcquire(bg, w.order.Key("1"))
		if !granted || w.advisory() != "1" {
			w.Fatalf("session mode: %v %v, %s locks", granted, err, w.advisory())
		}
		if err := held.Release(bg); err != nil || w.left() != "0" {
			w.Errorf("session mode: %v, %s locks are left", err, w.advisory())
		}
	})
}

func TestStandbysAreRefused(t *testing.T) {
	replica := pglab.NewServer(t).NewStandby(t)
	each(t, func(w *world) {
		if _, err := locksql.OpenSessions(bg, w.lock, w.at(replica.DSN()), locks.SessionConfig{}); !errors.Is(err, locks.ErrReadOnly) {
			w.Errorf("%v", err)
		}
	})
}
