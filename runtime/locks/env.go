package locks

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Pooler is what stands between a program and PostgreSQL, by how it behaves.
type Pooler uint8

// What a program can be connected through.
const (
	NoPooler          Pooler = iota + 1 // the server itself, or what cannot be told from it
	SessionPooler                       // a session for each client: session locks work
	TransactionPooler                   // a session for each transaction: only transaction locks work
	StatementPooler                     // a session for each statement: there are no transactions
)

var poolerNames = [...]string{"unknown", "no pooler", "a pooler in session mode", "a pooler in transaction mode", "a pooler in statement mode"}

func (p Pooler) String() string { return poolerNames[p] }

// An Environment is what was found out about a server and the way to it.
type Environment struct {
	Pooler   Pooler
	Proxied  bool   // the server's process is not the one that the connection names
	Standby  bool   // the server is in recovery
	Version  int    // server_version_num
	Evidence string // how the pooler was told
}

// A PoolerError refuses session locks behind a pooler; it is ErrPooled.
type PoolerError struct {
	Pooler   Pooler
	Evidence string
}

func (e *PoolerError) Error() string {
	return fmt.Sprintf("locks: session locks refused: %v: %v (%s); connect session locks to the server itself or to a pool in session mode, or use transaction locks",
		e.Pooler, ErrPooled, e.Evidence)
}

// Is makes the error ErrPooled.
func (e *PoolerError) Is(target error) bool { return target == ErrPooled }

// Examine connects twice and finds out what the connections lead to. No
// setting or name is believed: what tells a pooler is that a session changes
// between two statements, or that two clients share one.
func Examine(ctx context.Context, config *pgx.ConnConfig) (Environment, error) {
	env, err := examine(ctx, config)
	if errors.Is(err, ErrPooled) || errors.Is(err, ErrReadOnly) {
		err = nil
	}
	return env, err
}

// examine refuses what session locks cannot live on.
func examine(ctx context.Context, config *pgx.ConnConfig) (Environment, error) {
	p := probe{}
	defer p.close()
	for i := range p.conns {
		conn, err := pgx.ConnectConfig(ctx, config.Copy())
		if err != nil {
			return Environment{}, explain(fmt.Errorf("locks: examining the server: %w", err))
		}
		p.conns[i] = conn
	}
	env, err := p.run(ctx)
	switch {
	case err != nil:
		return env, explain(fmt.Errorf("locks: examining the server: %w", err))
	case env.Pooler > SessionPooler:
		return env, &PoolerError{env.Pooler, env.Evidence}
	case env.Standby:
		return env, fmt.Errorf("locks: session locks refused: %w; a standby knows nothing of the locks of its primary", ErrReadOnly)
	}
	return env, nil
}

// A probe is two clients of one server.
type probe struct {
	conns [2]*pgx.Conn
	pids  [2]uint32
}

func (p *probe) close() {
	for _, c := range p.conns {
		if c != nil {
			c.Close(context.Background())
		}
	}
}

const probeRounds = 4

func (p *probe) run(ctx context.Context) (Environment, error) {
	env := Environment{Pooler: NoPooler, Evidence: "both connections kept a session of their own, which excluded each other"}
	row := p.conns[0].QueryRow(ctx, `SELECT pg_is_in_recovery(), current_setting('server_version_num')::int`, pgx.QueryExecModeExec)
	if err := row.Scan(&env.Standby, &env.Version); err != nil {
		return env, err
	}
	shared, err := p.sharedSession(ctx)
	if err == nil && shared == "" {
		shared, err = p.sharedLock(ctx)
	}
	if err != nil {
		return env, err
	}
	for i, c := range p.conns {
		env.Proxied = env.Proxied || c.PgConn().PID() != p.pids[i]
	}
	switch {
	case shared != "":
		env.Evidence = shared
		env.Pooler, err = p.transactions(ctx)
	case env.Proxied:
		env.Pooler = SessionPooler
	}
	return env, err
}

// sharedSession says how the two clients were seen to share sessions.
func (p *probe) sharedSession(ctx context.Context) (string, error) {
	for range probeRounds {
		for i, c := range p.conns {
			var pid uint32
			err := c.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&pid)
			if err != nil && i == 1 && p.pids[i] == 0 {
				err = fmt.Errorf("a second connection got no session; a pool in session mode needs room for two: %w", err)
			}
			if err != nil {
				return "", err
			}
			switch {
			case p.pids[i] != 0 && p.pids[i] != pid:
				return fmt.Sprintf("one connection was served by process %d and then by %d", p.pids[i], pid), nil
			case p.pids[1-i] == pid:
				return fmt.Sprintf("process %d served two open connections", pid), nil
			}
			p.pids[i] = pid
		}
	}
	return "", nil
}

// sharedLock tries whether a session lock excludes the other client. Its key
// is a random one of a namespace that applications may not use.
func (p *probe) sharedLock(ctx context.Context) (string, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	key := int32(binary.LittleEndian.Uint32(b[:]))
	for _, step := range []struct {
		client  int
		sql     string
		want    bool
		instead string
	}{
		{0, `SELECT pg_try_advisory_lock($1, $2)`, true, "a lock of a fresh key was refused"},
		{1, `SELECT pg_try_advisory_lock($1, $2)`, false, "two open connections were granted one lock"},
		{0, `SELECT pg_advisory_unlock($1, $2)`, true, "a lock was gone at its unlock"},
	} {
		var got bool
		row := p.conns[step.client].QueryRow(ctx, step.sql, pgx.QueryExecModeExec, int32(probeNamespace), key)
		if err := row.Scan(&got); err != nil {
			return "", err
		}
		if got != step.want {
			p.unlock(ctx, key)
			return step.instead, nil
		}
	}
	return "", nil
}

// unlock tries to take the probe's lock off a session that a pooler has put
// aside.
func (p *probe) unlock(ctx context.Context, key int32) {
	for range probeRounds {
		for _, c := range p.conns {
			//pglockdep:ignore unlock-result-ignored which session has the lock is not known; it is tried on each
			_, _ = c.Exec(ctx, `SELECT pg_advisory_unlock($1, $2)`, pgx.QueryExecModeExec, int32(probeNamespace), key)
		}
	}
}

// transactions tells transaction from statement mode: the latter has none.
func (p *probe) transactions(ctx context.Context) (Pooler, error) {
	tx, err := p.conns[0].Begin(ctx)
	if err != nil {
		if sqlState(err) != "" || p.conns[0].IsClosed() {
			return StatementPooler, nil
		}
		return 0, err
	}
	return TransactionPooler, tx.Rollback(ctx)
}

// A setting is a parameter of the lock connections' sessions.
type setting struct{ name, value string }

// settings are the parameters that bound how long the server keeps the lock
// of a client that is gone (PostgreSQL 16 manual, 20.3.2 and 20.11.1). Behind
// a pooler they bound how long the server believes in the pooler.
func settings(cfg SessionConfig) []setting {
	budget := int(cfg.ServerTimeout / time.Second)
	idle := max(budget/2, 1)
	count := 3
	interval := (budget - idle) / count
	if interval == 0 {
		interval, count = 1, max(budget-idle, 1)
	}
	return []setting{
		{"tcp_keepalives_idle", fmt.Sprint(idle)},
		{"tcp_keepalives_interval", fmt.Sprint(interval)},
		{"tcp_keepalives_count", fmt.Sprint(count)},
		{"tcp_user_timeout", fmt.Sprint(budget * 1000)},
		{"client_connection_check_interval", fmt.Sprint(max(cfg.Heartbeat.Milliseconds()/4, 100))},
		// A lock connection is idle by trade.
		{"idle_session_timeout", "0"},
	}
}

// applySettings sets those of list that the server knows, and reads the
// process that serves the connection. A platform that refuses a setting
// (client_connection_check_interval needs a poll that tells of hang-ups) is
// left with the others.
func applySettings(ctx context.Context, c *pgx.Conn, list []setting, pid *uint32) error {
	var values strings.Builder
	args := []any{pgx.QueryExecModeExec}
	for i, s := range list {
		fmt.Fprintf(&values, ", ($%d::text, $%d::text)", 2*i+1, 2*i+2)
		args = append(args, s.name, s.value)
	}
	sql := `SELECT pg_backend_pid(), count(set_config(v.name, v.value, false))
		FROM (VALUES ` + strings.TrimPrefix(values.String(), ", ") + `) v(name, value) JOIN pg_settings s USING (name)`
	err := c.QueryRow(ctx, sql, args...).Scan(pid, nil)
	if sqlState(err) != codeInvalidValue {
		return err
	}
	if len(list) == 1 {
		return nil
	}
	for _, s := range list {
		if err := applySettings(ctx, c, []setting{s}, pid); err != nil {
			return err
		}
	}
	return nil
}

const codeInvalidValue = "22023" // invalid_parameter_value
