package locksql

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/internal/pin"
)

// OpenSessions returns the door to session locks on connections of db, which
// is best a pool of its own: a held lock keeps one connection, and the lock
// connections get settings of their own (SessionConfig.Settings). Pool and
// DSN of the configuration stay empty. As locks.Locker.OpenSessions does, it
// refuses poolers that do not keep a session and servers in recovery.
//
// With pgx's stdlib driver the end of a connection is noticed at once; with
// lib/pq, which tells nothing while it is idle, at the next heartbeat.
func OpenSessions(ctx context.Context, l *locks.Locker, db *sql.DB, cfg locks.SessionConfig) (*locks.Sessions, error) {
	if cfg.DSN != "" || cfg.Pool != nil {
		return nil, errors.New("locksql: connections come from the *sql.DB; leave DSN and Pool of SessionConfig empty")
	}
	settings, err := cfg.Settings()
	if err != nil {
		return nil, err
	}
	if err := examine(ctx, db); err != nil {
		return nil, err
	}
	return l.SessionsOn(&source{db, settings}, cfg)
}

// examine tries whether two connections keep sessions of their own that
// exclude each other.
func examine(ctx context.Context, db *sql.DB) error {
	var conns [2]*sql.Conn
	for i := range conns {
		c, err := db.Conn(ctx)
		if err != nil {
			return fmt.Errorf("locksql: examining the server: connection %d of %d: %w", i+1, len(conns), err)
		}
		defer c.Raw(func(any) error { return driver.ErrBadConn }) // what it holds is in doubt
		conns[i] = c
	}
	var standby bool
	if err := conns[0].QueryRowContext(ctx, "select pg_is_in_recovery()").Scan(&standby); err != nil {
		return fmt.Errorf("locksql: examining the server: %w", err)
	}
	if standby {
		return fmt.Errorf("locksql: session locks refused: %w; a standby knows nothing of the locks of its primary", locks.ErrReadOnly)
	}
	evidence, err := shared(ctx, conns)
	if err != nil {
		return fmt.Errorf("locksql: examining the server: %w", err)
	}
	if evidence != "" {
		return fmt.Errorf("locksql: session locks refused: %w (%s); connect them to the server itself or to a pool in session mode, or use transaction locks", locks.ErrPooled, evidence)
	}
	return nil
}

// shared says how the two connections were seen to share a session, "" when
// they were not.
func shared(ctx context.Context, conns [2]*sql.Conn) (string, error) {
	var pids [2]int64
	for range 4 {
		for i, c := range conns {
			var pid int64
			if err := c.QueryRowContext(ctx, "select pg_backend_pid()").Scan(&pid); err != nil {
				return "", err
			}
			if pids[i] != 0 && pids[i] != pid || pids[1-i] == pid {
				return fmt.Sprintf("process %d served a connection that another one served", pid), nil
			}
			pids[i] = pid
		}
	}
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	key := int32(binary.LittleEndian.Uint32(b[:]))
	for i, c := range conns {
		var got bool
		if err := c.QueryRowContext(ctx, "select pg_try_advisory_lock($1::int4, $2::int4)", locks.ProbeNamespace, key).Scan(&got); err != nil {
			return "", err
		}
		if got != (i == 0) {
			return "two open connections did not exclude each other", nil
		}
	}
	return "", nil
}

// A source gives connections of a *sql.DB.
type source struct {
	db       *sql.DB
	settings []locks.Setting
}

// Close leaves the pool alone: it is the caller's.
func (s *source) Close() {}

func (s *source) Conn(ctx context.Context) (pin.Conn, error) {
	c, err := s.db.Conn(ctx)
	if err != nil {
		if stat := s.db.Stats(); ctx.Err() != nil && stat.MaxOpenConnections > 0 && stat.InUse >= stat.MaxOpenConnections {
			return nil, fmt.Errorf("%w: all %d connections are in use: %w", pin.ErrNoConn, stat.MaxOpenConnections, context.Cause(ctx))
		}
		return nil, err
	}
	for _, set := range s.settings {
		// Only what this server has; a platform may refuse a value.
		if _, err := c.ExecContext(ctx, "select set_config(name, $2, false) from pg_settings where name = $1 and setting <> $2", set.Name, set.Value); err != nil && state(err) != "22023" {
			discard(c)
			return nil, err
		}
	}
	conn := &conn{source: s, c: c}
	if err := c.QueryRowContext(ctx, "select pg_backend_pid()").Scan(&conn.pid); err != nil {
		discard(c)
		return nil, err
	}
	return conn, nil
}

func state(err error) string {
	var server interface{ SQLState() string }
	if errors.As(err, &server) {
		return server.SQLState()
	}
	return ""
}

// discard makes the pool close a connection: Close alone would put it back
// as it is.
func discard(c *sql.Conn) {
	c.Raw(func(any) error { return driver.ErrBadConn })
	c.Close()
}

// A conn is one connection that is out.
type conn struct {
	source *source
	c      *sql.Conn
	pid    int64
	gone   bool
}

func (c *conn) PID() uint32 { return uint32(c.pid) }

func args(k pin.Key) (list string, values []any) {
	if k.Pair {
		return "$1::int4, $2::int4", []any{int32(k.Num >> 32), int32(k.Num)}
	}
	return "$1::int8", []any{k.Num}
}

func (c *conn) Try(ctx context.Context, k pin.Key) (bool, error) {
	var pid int64
	var got sql.NullBool
	list, values := args(k)
	err := c.c.QueryRowContext(ctx, "select pg_backend_pid(), case when pg_is_in_recovery() then null else pg_try_advisory_lock("+list+") end", values...).Scan(&pid, &got)
	switch {
	case err != nil:
		return false, c.broken(err)
	case c.same(pid) != nil:
		return false, c.same(pid)
	case !got.Valid:
		return false, pin.ErrReadOnly
	}
	return got.Bool, nil
}

// broken remembers that the driver has given the connection up.
func (c *conn) broken(err error) error {
	c.gone = c.gone || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
	return err
}

func (c *conn) same(pid int64) error {
	if pid != c.pid {
		return fmt.Errorf("%w from %d to %d", pin.ErrMoved, c.pid, pid)
	}
	return nil
}

func (c *conn) Unlock(ctx context.Context, k pin.Key) (bool, error) {
	var pid int64
	var held bool
	var void any
	list, values := args(k)
	err := c.c.QueryRowContext(ctx, "select pg_backend_pid(), pg_advisory_unlock("+list+"), pg_advisory_unlock_all()::text", values...).Scan(&pid, &held, &void)
	if err != nil {
		return false, c.broken(err)
	}
	return held, c.same(pid)
}

const granted = `from pg_locks where locktype = 'advisory' and granted
	and database = (select oid from pg_database where datname = current_database())
	and classid = $1::int8::oid and objid = $2::int8::oid and objsubid = $3`

func lockArgs(k pin.Key) []any {
	class, obj := k.Parts()
	return []any{int64(class), int64(obj), int64(k.Subid())}
}

func (c *conn) Holds(ctx context.Context, k pin.Key) (bool, error) {
	var pid int64
	var held bool
	err := c.c.QueryRowContext(ctx, "select pg_backend_pid(), exists (select "+granted+" and pid = pg_backend_pid())", lockArgs(k)...).Scan(&pid, &held)
	if err != nil {
		return false, c.broken(err)
	}
	return held, c.same(pid)
}

func (c *conn) Advance(ctx context.Context, table string, k pin.Key, family, owner string) (t pin.Ticket, err error) {
	err = c.c.QueryRowContext(ctx, locks.AdvanceSQL(table), k.Subid(), k.Num, family, owner).Scan(&t.Token, &t.Epoch)
	return t, c.broken(err)
}

// Watch reads until the connection ends where the driver lets it; otherwise
// it only waits, and the heartbeat finds out.
func (c *conn) Watch(ctx context.Context) error {
	var native *stdlib.Conn
	if err := c.c.Raw(func(d any) error { native, _ = d.(*stdlib.Conn); return nil }); err != nil {
		return c.broken(err)
	}
	if native == nil {
		<-ctx.Done()
		return nil
	}
	for {
		err := native.Conn().PgConn().WaitForNotification(ctx)
		switch {
		case err == nil: // a notification, which nobody asked for
		case ctx.Err() != nil && !native.Conn().IsClosed():
			return nil
		default:
			c.gone = true
			return err
		}
	}
}

func (c *conn) Ping(ctx context.Context) error {
	_, err := c.c.ExecContext(ctx, "select 1")
	return c.broken(err)
}

func (c *conn) Closed() bool { return c.gone }

func (c *conn) Put() {
	//pglockdep:ignore session-lock-leak after a try that was refused, or an unlock that the server confirmed, and all others with it
	c.c.Close()
}

// Destroy has the pool close the connection and asks the server, over another
// one, until it lists the lock no more.
func (c *conn) Destroy(limit time.Duration, k pin.Key, busy bool) bool {
	done := make(chan struct{})
	go func() { // waits for whoever is inside the driver
		discard(c.c)
		close(done)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if busy {
		c.source.db.ExecContext(ctx, "select pg_terminate_backend($1)", c.pid)
	} else {
		<-done
	}
	for {
		var held bool
		err := c.source.db.QueryRowContext(ctx, "select exists (select "+granted+" and pid = $4)", append(lockArgs(k), c.pid)...).Scan(&held)
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
