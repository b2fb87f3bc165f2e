package shop

import (
	"context"
	"database/sql"
	"net/http"
	"time"
)

// After calls out when the transaction is over.
func (s *Shop) After(ctx context.Context, id int64) error {
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
		return err
	})
	if err != nil {
		return err
	}
	_, err = http.Get("https://a.example")
	return err
}

// Before calls out before the lock is taken.
func (s *Shop) Before(ctx context.Context, id int64) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := http.Get("https://a.example"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
		return err
	})
}

// Aside calls out in a goroutine: the transaction does not wait for it.
func (s *Shop) Aside(ctx context.Context, id int64) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		go http.Get("https://a.example")
		go func() { http.Get("https://b.example") }()
		return nil
	})
}

// Bounded waits for a minute, or for what the transaction says.
func Bounded(ctx context.Context, tx *sql.Tx, id int64) error {
	c, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := tx.ExecContext(c, `LOCK TABLE jobs IN EXCLUSIVE MODE`); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `SET LOCAL lock_timeout = '5s'`); err != nil {
		return err
	}
	_, err := tx.ExecContext(context.Background(), `SELECT pg_advisory_xact_lock(603)`)
	return err
}

// Lead waits for work while it holds a lock that is there for that.
func Lead(ctx context.Context, conn *sql.Conn, jobs chan int64) error {
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(604)`).Scan(&ok); err != nil || !ok {
		return err
	}
	for id := range jobs {
		time.Sleep(time.Second)
		if _, err := conn.ExecContext(ctx, `UPDATE jobs SET state = 'x' WHERE id = $1`, id); err != nil {
			return err
		}
	}
	_, err := conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(604)`)
	return err
}

// Peek asks whether something is there; it does not wait.
func (s *Shop) Peek(ctx context.Context, id int64, done chan struct{}) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		select {
		case <-done:
		default:
		}
		if ctx.Err() != nil {
			<-ctx.Done()
		}
		return nil
	})
}

// Alone builds an index while it holds a lock that others only try.
func Alone(ctx context.Context, conn *sql.Conn) error {
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(605)`).Scan(&ok); err != nil || !ok {
		return err
	}
	if _, err := conn.ExecContext(ctx, `CREATE INDEX CONCURRENTLY jobs_state ON jobs (state)`); err != nil {
		return err
	}
	_, err := conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(605)`)
	return err
}
