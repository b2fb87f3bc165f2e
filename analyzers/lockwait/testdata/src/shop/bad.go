package shop

import (
	"context"
	"database/sql"
	"net/http"
	"os/exec"
	"sync"
	"time"
)

type Mailer interface {
	Send(to string) error
}

type webMailer struct{ hc *http.Client }

func (m *webMailer) Send(to string) error {
	resp, err := m.hc.Get("https://mail.example/" + to)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

type Shop struct {
	db   *sql.DB
	mail Mailer
}

func New(db *sql.DB) *Shop { return &Shop{db, &webMailer{http.DefaultClient}} }

func (s *Shop) inTx(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *Shop) notify(to string) error { return s.mail.Send(to) }

// Close calls out through a helper and an interface.
func (s *Shop) Close(ctx context.Context, id int64) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		return s.notify("owner") // want lock-held-external-call "^an HTTP call is made in .*Shop.*notify while row \"accounts\" .FOR UPDATE. is held"
	})
}

func retry(n int, fn func() error) error {
	var err error
	for i := 0; i < n; i++ {
		if err = fn(); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// Backoff sleeps between its tries, and another lock is held meanwhile.
func (s *Shop) Backoff(ctx context.Context, id int64) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('shop:' || $1, 0))`, id); err != nil {
			return err
		}
		return retry(3, func() error { // want lock-held-external-call "^the code sleeps in retry while"
			_, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'x' WHERE id = $1`, id)
			return err
		})
	})
}

// Wait waits for goroutines, a channel and a process.
func (s *Shop) Wait(ctx context.Context, id int64, done chan struct{}) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		var wg sync.WaitGroup
		wg.Go(func() { http.Get("https://a.example") })
		wg.Wait() // want lock-held-external-call "^the code waits for goroutines while row \"jobs\""
		select {  // want lock-held-external-call "^the code waits for a channel while"
		case <-done:
		case <-ctx.Done():
		}
		return exec.CommandContext(ctx, "true").Run() // want lock-held-external-call "^a process is run while"
	})
}

// Written holds a row that no statement asked to lock: worth a note.
func (s *Shop) Written(ctx context.Context, id int64) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'x' WHERE id = $1`, id); err != nil {
			return err
		}
		_, err := http.Get("https://a.example") // want lock-held-external-call "^an HTTP call is made while row \"jobs\" .FOR NO KEY UPDATE. is held"
		return err
	})
}

// Forever waits without any bound.
func Forever(db *sql.DB, conn *sql.Conn) error {
	if _, err := conn.ExecContext(context.Background(), `SELECT pg_advisory_lock(601)`); err != nil { // want no-lock-timeout "has no lock_timeout and runs under a context that never ends"
		return err
	}
	_, err := conn.ExecContext(context.Background(), `SELECT pg_advisory_unlock(601)`)
	return err
}

// NoContext cannot be given a bound.
func NoContext(tx *sql.Tx, id int64) error {
	_, err := tx.Exec(`SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id) // want no-lock-timeout "^the wait for row \"accounts\""
	return err
}

// Caller trusts the caller with a lock of the whole program.
func Caller(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `LOCK TABLE jobs IN EXCLUSIVE MODE`) // want no-lock-timeout "runs under the caller's context"
	return err
}

// Two instances: this one tries, the other waits, and its wait is the fault.
func Build(ctx context.Context, conn *sql.Conn) error {
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(602)`).Scan(&ok); err != nil || !ok {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(602)`)
	_, err := conn.ExecContext(ctx, `REINDEX INDEX CONCURRENTLY jobs_pkey`)
	return err
}

func Follow(ctx context.Context, tx *sql.Tx) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(602)`) // want cic-under-blocking-lock "^Follow waits for advisory 602 while"
	return err
}

// InTx runs what PostgreSQL refuses in a transaction.
func InTx(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `DROP INDEX CONCURRENTLY jobs_pkey`); err != nil { // want cic-under-open-tx "inside a transaction"
		return err
	}
	return tx.Commit()
}

// Beside runs it on a second connection.
func Beside(ctx context.Context, db, ddl *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'migrating' WHERE id = 1`); err != nil {
		return err
	}
	if _, err := ddl.ExecContext(ctx, `CREATE INDEX CONCURRENTLY jobs_queue ON jobs (queue)`); err != nil { // want cic-under-open-tx "^concurrent DDL runs while Beside has a transaction open"
		return err
	}
	return tx.Commit()
}

type payer interface{ Pay(cents int64) error }

type bank struct{ hc *http.Client }

func (b *bank) Pay(cents int64) error {
	resp, err := b.hc.Get("https://bank.example/pay")
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// A sandbox pays nobody, and guards what it counts.
type sandbox struct {
	mu   sync.Mutex
	paid int64
}

func (s *sandbox) Pay(cents int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paid += cents
	return nil
}

func (s *sandbox) Report(ctx context.Context, db *sql.DB) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := db.ExecContext(ctx, `UPDATE accounts SET cents = $1 WHERE id = 1`, s.paid)
	return err
}

func newPayer(live bool) payer {
	if live {
		return &bank{http.DefaultClient}
	}
	return &sandbox{}
}

// Settle and Refund pay under the lock of the account, each by a call of its own.
func (s *Shop) Settle(ctx context.Context, id int64, live bool) error {
	p := newPayer(live)
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		return p.Pay(100) // want lock-held-external-call "^an HTTP call is made in .*bank.*Pay while row \"accounts\""
	})
}

func (s *Shop) Refund(ctx context.Context, id int64) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		return newPayer(id > 0).Pay(-100) // want lock-held-external-call "^an HTTP call is made in .*bank.*Pay while row \"accounts\""
	})
}
