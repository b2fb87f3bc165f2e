package locks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/locks/internal/driver"
	"github.com/pglockdep/pglockdep/runtime/locks/internal/pin"
)

// A pgxSource is a pool of connections that serve session locks alone.
type pgxSource struct {
	pool    *pgxpool.Pool
	config  *pgx.ConnConfig // for connections beside the pool
	proxied bool
}

func openSource(ctx context.Context, cfg SessionConfig) (pin.Source, Environment, error) {
	config, err := lockPool(cfg)
	if err != nil {
		return nil, Environment{}, err
	}
	env, err := examine(ctx, config.ConnConfig)
	if err != nil {
		return nil, env, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, env, fmt.Errorf("locks: %w", err)
	}
	return &pgxSource{pool: pool, config: config.ConnConfig, proxied: env.Proxied}, env, nil
}

// lockPool makes the pool's configuration from the caller's.
func lockPool(cfg SessionConfig) (*pgxpool.Config, error) {
	var config *pgxpool.Config
	switch {
	case (cfg.DSN == "") == (cfg.Pool == nil):
		return nil, errors.New("locks: SessionConfig needs one of DSN and Pool")
	case cfg.Pool != nil:
		config = cfg.Pool.Copy()
	default:
		var err error
		if config, err = pgxpool.ParseConfig(cfg.DSN); err != nil {
			return nil, fmt.Errorf("locks: %w", err)
		}
	}
	// What belongs to the caller's own connections has no place on ours.
	config.PrepareConn, config.BeforeAcquire, config.AfterRelease = nil, nil, nil //nolint:staticcheck // BeforeAcquire is deprecated and may be set
	config.MinConns, config.MinIdleConns = 0, 0
	conn := config.ConnConfig
	conn.DialFunc = drainingDial(conn.DialFunc, cfg.ReleaseTimeout, cfg.Trust)
	// A cancel request may arrive after its statement and hit the next one,
	// and a statement that it ends may have locked before: on a lock
	// connection a context that ends closes the connection.
	conn.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()}
	}
	after := config.AfterConnect
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		if after != nil {
			if err := after(ctx, c); err != nil {
				return err
			}
		}
		var pid uint32
		if err := applySettings(ctx, c, settings(cfg), &pid); err != nil {
			return err
		}
		c.PgConn().CustomData()[backendPID] = pid
		return nil
	}
	return config, nil
}

func (s *pgxSource) Close() { s.pool.Close() }

func (s *pgxSource) Conn(ctx context.Context) (pin.Conn, error) {
	c, err := s.pool.Acquire(ctx)
	if err == nil {
		pid, _ := c.Conn().PgConn().CustomData()[backendPID].(uint32)
		return &pgxConn{source: s, pooled: c, conn: c.Conn(), pid: pid}, nil
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, err
	}
	why := "connecting took too long"
	if stat := s.pool.Stat(); stat.AcquiredConns() >= stat.MaxConns() {
		why = fmt.Sprintf("all %d lock connections hold locks", stat.MaxConns())
	}
	return nil, fmt.Errorf("%w: %s: %w", pin.ErrNoConn, why, err)
}

// A pgxConn is one connection of a pgxSource that is out.
type pgxConn struct {
	source *pgxSource
	pooled *pgxpool.Conn
	conn   *pgx.Conn
	pid    uint32 // of the server's process, which a pooler hides from pgx
}

const backendPID = "github.com/pglockdep/pglockdep/runtime/locks.backend"

func (c *pgxConn) PID() uint32 { return c.pid }

// The process id is asked for along with each lock: behind a pooler it is the
// server's own, and it must not change from one statement to the next.
const (
	tryKey    = `SELECT pg_backend_pid(), CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_try_advisory_lock($1) END`
	tryPair   = `SELECT pg_backend_pid(), CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_try_advisory_lock($1, $2) END`
	freeKey   = `SELECT pg_backend_pid(), pg_advisory_unlock($1), pg_advisory_unlock_all()::text`
	freePair  = `SELECT pg_backend_pid(), pg_advisory_unlock($1, $2), pg_advisory_unlock_all()::text`
	holdsLock = `SELECT pg_backend_pid(), EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND classid = $1 AND objid = $2 AND objsubid = $3)`
)

func (c *pgxConn) Try(ctx context.Context, k pin.Key) (bool, error) {
	var pid uint32
	var ok *bool
	sql, args := keyed(tryKey, tryPair, k)
	if err := c.conn.QueryRow(ctx, sql, args...).Scan(&pid, &ok); err != nil {
		return false, err
	}
	if err := c.same(pid); err != nil {
		return false, err
	}
	if ok == nil {
		return false, pin.ErrReadOnly
	}
	return *ok, nil
}

func keyed(one, pair string, k pin.Key) (string, []any) {
	if k.Pair {
		return pair, []any{int32(k.Num >> 32), int32(k.Num)}
	}
	return one, []any{k.Num}
}

func (c *pgxConn) Unlock(ctx context.Context, k pin.Key) (bool, error) {
	var pid uint32
	var held bool
	sql, args := keyed(freeKey, freePair, k)
	if err := c.conn.QueryRow(ctx, sql, args...).Scan(&pid, &held, nil); err != nil {
		return false, err
	}
	return held, c.same(pid)
}

func (c *pgxConn) Holds(ctx context.Context, k pin.Key) (bool, error) {
	var pid uint32
	var held bool
	class, obj := k.Parts()
	if err := c.conn.QueryRow(ctx, holdsLock, class, obj, k.Subid()).Scan(&pid, &held); err != nil {
		return false, err
	}
	return held, c.same(pid)
}

func (c *pgxConn) same(pid uint32) error {
	if pid != c.pid {
		return fmt.Errorf("%w from %d to %d", pin.ErrMoved, c.pid, pid)
	}
	return nil
}

func (c *pgxConn) Advance(ctx context.Context, table string, k pin.Key, family, owner string) (pin.Ticket, error) {
	var t pin.Ticket
	err := c.conn.QueryRow(ctx, fmt.Sprintf(advanceFence, quoteTable(table)), k.Subid(), k.Num, family, owner).Scan(&t.Token, &t.Epoch)
	return t, err
}

func (c *pgxConn) Watch(ctx context.Context) error {
	for {
		err := c.conn.PgConn().WaitForNotification(ctx)
		switch {
		case err == nil: // a notification, which nobody asked for
		case ctx.Err() != nil && !c.conn.IsClosed():
			return nil
		default:
			return err
		}
	}
}

func (c *pgxConn) Ping(ctx context.Context) error { return c.conn.Ping(ctx) }

func (c *pgxConn) Closed() bool { return c.conn.IsClosed() }

func (c *pgxConn) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	return c.conn.BeginTx(ctx, options)
}

func (c *pgxConn) Holding(make func() driver.Holding) driver.Holding {
	return connHolding(c.conn, make)
}

func (c *pgxConn) Put() {
	//pglockdep:ignore session-lock-leak after a try that was refused, or an unlock that the server confirmed, and all others with it
	c.pooled.Release()
}

func (c *pgxConn) Destroy(limit time.Duration, k pin.Key, busy bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	pg := c.conn.PgConn()
	raw := drained(pg.Conn())
	if busy {
		// Another goroutine may be inside the driver: end what runs and cut
		// the wire below it, and leave the rest to that goroutine.
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			_ = pg.CancelRequest(ctx)
		}()
	} else {
		_ = c.conn.Close(ctx)
	}
	ended := raw != nil && raw.end()
	if c.source.proxied {
		ended = c.source.awaitFree(ctx, c.pid, k)
	}
	if busy {
		c.pooled.Hijack()
	} else {
		c.pooled.Release()
	}
	return ended
}

// awaitFree asks over a connection of its own until the server lists k as
// granted to pid no more. Behind a pooler, the end of our connection is not
// that of the server's.
func (s *pgxSource) awaitFree(ctx context.Context, pid uint32, k pin.Key) bool {
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return false
	}
	defer conn.Close(context.Background())
	class, obj := k.Parts()
	for {
		var held bool
		err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = $1
			AND classid = $2 AND objid = $3 AND objsubid = $4)`, pgx.QueryExecModeExec, pid, class, obj, k.Subid()).Scan(&held)
		if err != nil {
			return false
		}
		if !held {
			return true
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return false
		}
	}
}

// quoteTable quotes a table's name, which may have a schema before it.
func quoteTable(name string) string {
	return pgx.Identifier(strings.Split(name, ".")).Sanitize()
}
