package wait

import (
	"bytes"
	"context"
	"database/sql"
	"net/http"
	"net/smtp"
	"os/exec"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
)

type Notifier interface {
	Notify(ctx context.Context, id int64) error
}
type httpNotifier struct{ c *http.Client }

func (h httpNotifier) Notify(ctx context.Context, id int64) error {
	req, err := http.NewRequestWithContext(ctx, "POST", "http://x", bytes.NewReader(nil))
	if err != nil {
		return err
	}
	resp, err := h.c.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

type Svc struct {
	db *sqlx.DB
	n  Notifier
}

func NewSvc(db *sqlx.DB) *Svc { return &Svc{db, httpNotifier{http.DefaultClient}} }

func (s *Svc) Pay(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.GetContext(ctx, &n, `SELECT n FROM wa_rows WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if err := s.n.Notify(ctx, id); err != nil { // want lock-held-external-call "an HTTP call is made in .*Notify while row \"wa_rows\""
		return err
	}
	return tx.Commit()
}

func Mail(ctx context.Context, db *bun.DB, id int64) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewUpdate().Table("wb_rows").Set("n = 1").Where("id = ?", id).Exec(ctx); err != nil {
			return err
		}
		return smtp.SendMail("x", nil, "a", []string{"b"}, nil)
	})
}

func Sleep(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(7001, $1::int)`, id); err != nil { // want key-overflow "an int64 is given to a lock of two int4, advisory 7001, \\$1::integer"
			return err
		}
		time.Sleep(time.Second) // want lock-held-external-call "the code sleeps while advisory 7001, \\$1::integer"
		_, err := tx.Exec(ctx, `UPDATE wc_rows SET n = 1 WHERE id = $1`, id)
		return err
	})
}

func Send(ctx context.Context, pool *pgxpool.Pool, id int64, out chan<- int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT 1 FROM wd_rows WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		out <- id // want lock-held-external-call "the code waits for a channel while row \"wd_rows\""
		return nil
	})
}

func Recv(ctx context.Context, pool *pgxpool.Pool, id int64, in <-chan int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT 1 FROM we_rows WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		n := <-in // want lock-held-external-call "the code waits for a channel while row \"we_rows\""
		_, err := tx.Exec(ctx, `UPDATE we_rows SET n = $2 WHERE id = $1`, id, n)
		return err
	})
}

func Run(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`SELECT 1 FROM wf_rows WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if err := exec.CommandContext(ctx, "convert").Run(); err != nil { // want lock-held-external-call "a process is run while row \"wf_rows\""
		return err
	}
	return tx.Commit()
}

func Index(ctx context.Context, db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`UPDATE wg_rows SET n = 1 WHERE id = 1`); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `CREATE INDEX CONCURRENTLY wg_n ON wg_rows (n)`); err != nil { // want cic-under-open-tx "concurrent DDL runs while Index has a transaction open on another connection" pool-in-tx "a statement runs on the pool while Index has a transaction of the same pool open"
		return err
	}
	return tx.Commit()
}

func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, `SELECT pg_advisory_lock(7002)`); err != nil { // want cic-under-blocking-lock "Migrate waits for advisory 7002 while its holder runs DDL concurrently"
		return err
	}
	defer c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(7002)`)
	_, err = c.Exec(ctx, `REINDEX INDEX CONCURRENTLY wg_n`)
	return err
}

func MigrateGood(ctx context.Context, pool *pgxpool.Pool) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	var ok bool
	for !ok {
		if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock(7003)`).Scan(&ok); err != nil {
			return err
		}
		if !ok {
			time.Sleep(time.Second)
		}
	}
	defer c.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(7003)`)
	_, err = c.Exec(ctx, `DROP INDEX CONCURRENTLY wg_n`)
	return err
}

func LockTable(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(context.Background(), `LOCK TABLE wg_rows IN ACCESS EXCLUSIVE MODE`)
	return err
}
