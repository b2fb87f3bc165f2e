// Package ways runs on one of two drivers, chosen once.
package ways

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

type Tx interface {
	Exec(ctx context.Context, q string, args ...any) error
	Commit() error
	Rollback() error
}

type Pool interface {
	Begin(ctx context.Context) (Tx, error)
}

type one struct{ db *sql.DB }
type two struct{ db *sql.DB }

type oneTx struct{ tx *sql.Tx }
type twoTx struct{ tx *sql.Tx }

func (p *one) Begin(ctx context.Context) (Tx, error) {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &oneTx{tx}, nil
}

func (p *two) Begin(ctx context.Context) (Tx, error) {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &twoTx{tx}, nil
}

func (t *oneTx) Exec(ctx context.Context, q string, args ...any) error {
	_, err := t.tx.ExecContext(ctx, q, args...)
	return err
}
func (t *oneTx) Commit() error   { return t.tx.Commit() }
func (t *oneTx) Rollback() error { return t.tx.Rollback() }

func (t *twoTx) Exec(ctx context.Context, q string, args ...any) error {
	_, err := t.tx.ExecContext(ctx, q, args...)
	return err
}
func (t *twoTx) Commit() error   { return t.tx.Commit() }
func (t *twoTx) Rollback() error { return t.tx.Rollback() }

type Store struct {
	pool Pool
	mu   sync.Mutex
}

func New(db *sql.DB, second bool) *Store {
	if second {
		return &Store{pool: &two{db}}
	}
	return &Store{pool: &one{db}}
}

// Both commits before it begins again.
func (s *Store) Both(ctx context.Context, ids []int64) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.add(ctx, tx, 1); err != nil {
		return err
	}
	for _, id := range []int64{2, 3} {
		if err := s.add(ctx, tx, id); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return s.rest(ctx, ids)
}

func (s *Store) add(ctx context.Context, tx Tx, id int64) error {
	if id > 1 {
		if err := tx.Exec(ctx, `SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
	}
	return tx.Exec(ctx, `UPDATE accounts SET cents = cents + 1 WHERE id = $1`, id)
}

func (s *Store) rest(ctx context.Context, ids []int64) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.add(ctx, tx, 4); err != nil {
		return err
	}
	return tx.Commit()
}

type Plain struct {
	db *sql.DB
	mu sync.Mutex
}

// Alone holds a mutex all along: one call chain at a time.
func (p *Plain) Alone(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = p.db.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 1`) // want pool-nested-acquire "in a pool of one connection it waits for itself"
	return err
}

// Twice is one cause, told once.
func (p *Plain) Twice(ctx context.Context) error {
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err = p.db.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 1`); err != nil { // want pool-nested-acquire "here and at 1 more place"
		return err
	}
	_, err = p.db.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 2`)
	return err
}

// open ends in three ways: with a connection, with an error that is made out
// of sight, and by a panic.
func (p *Plain) open(ctx context.Context, name string) (conn *sql.Conn, done func() error, err error) {
	if name == "" {
		panic("no name")
	}
	conn, err = p.db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, ctx.Err())
	}
	return conn, conn.Close, nil
}

// Opened uses the connection where there is one.
func (p *Plain) Opened(ctx context.Context, name string) error {
	conn, done, err := p.open(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	if conn == nil {
		_, err = p.db.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 1`)
		return err
	}
	_, err = conn.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 1`)
	return err
}

type doer interface {
	do(ctx context.Context) error
}

// A keeper keeps one of two handles; which one, its user does not see.
type keeper struct{ db execer }

type execer interface {
	ExecContext(ctx context.Context, q string, args ...any) (sql.Result, error)
}

type user struct{ kept doer }

func (k *keeper) do(ctx context.Context) error {
	_, err := k.db.ExecContext(ctx, `UPDATE accounts SET cents = 0 WHERE id = 9`) // want pool-in-tx "a statement runs on the pool"
	return err
}

func (p *Plain) users() []*user { return []*user{{kept: &keeper{db: p.db}}} }

func inTx(tx *sql.Tx) *user { return &user{kept: &keeper{db: tx}} }

func (u *user) Use(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := u.kept.do(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

// A Leader is one of several processes: one of them has the lock.
type Leader struct {
	db   *sql.DB
	lock int64
}

// Lead holds its connection as long as it leads; the others give theirs back.
func (l *Leader) Lead(ctx context.Context, names []string) error {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, l.lock).Scan(&ok); err != nil || !ok {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, l.lock)
	var wg sync.WaitGroup
	for _, n := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			l.work(ctx, n)
		}()
	}
	wg.Wait()
	return l.work(ctx, "last")
}

func (l *Leader) work(ctx context.Context, name string) error {
	tx, err := l.db.BeginTx(ctx, nil) // want pool-nested-acquire "in a pool of one connection it waits for itself"
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE jobs SET state = 'x' WHERE id = 1`); err != nil {
		return err
	}
	return tx.Commit()
}

// Each holds a lock of its own: any number of them run at once.
func (l *Leader) Each(ctx context.Context, id int64) error {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(hashtextextended('each:' || $1, 0))`, id).Scan(&ok); err != nil || !ok {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(hashtextextended('each:' || $1, 0))`, id)
	tx, err := l.db.BeginTx(ctx, nil) // want pool-nested-acquire "when all connections are held this way"
	if err != nil {
		return err
	}
	return tx.Commit()
}

// A Sampler has its leader elected by the database, or elsewhere.
type Sampler struct {
	db      *sql.DB
	outside bool
}

// Sample works without the lock where another server elects the leader: with
// the connection pinned it has the lock.
func (s *Sampler) Sample(ctx context.Context) error {
	unlock, err := s.elect(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = s.db.ExecContext(ctx, `UPDATE jobs SET state = 'sampled' WHERE id = 1`) // want pool-nested-acquire "in a pool of one connection it waits for itself"
	return err
}

func (s *Sampler) elect(ctx context.Context) (func(), error) {
	if s.outside {
		return func() {}, nil
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var ok bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(77)`).Scan(&ok); err != nil || !ok {
		conn.Close()
		return nil, errors.Join(err, context.Canceled)
	}
	return func() {
		conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(77)`)
		conn.Close()
	}, nil
}
