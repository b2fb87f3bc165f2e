package initpipe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A ledger is the tables that record runs, their stages, and which version of
// each stage the database has seen. The last is written in the transaction of
// the stage.
type ledger struct{ run, stage, applied, index, open string }

func newLedger(prefix string) (ledger, error) {
	parts := strings.Split(prefix, ".")
	last := parts[len(parts)-1]
	if len(parts) > 2 || slices.Contains(parts, "") || len(last) > 48 || strings.ContainsRune(prefix, 0) {
		return ledger{}, fmt.Errorf("table prefix %q: a name of at most 48 bytes, or a schema and one", prefix)
	}
	name := func(suffix string) string {
		return pgx.Identifier(append(slices.Clone(parts[:len(parts)-1]), last+suffix)).Sanitize()
	}
	return ledger{name("_run"), name("_stage"), name("_applied"), pgx.Identifier{last + "_run_recent"}.Sanitize(), pgx.Identifier{last + "_run_open"}.Sanitize()}, nil
}

// DDL returns the statements that make the tables of a prefix, for a database
// in which the service may not.
func DDL(prefix string) (string, error) {
	l, err := newLedger(prefix)
	if err != nil {
		return "", fmt.Errorf("initpipe: %w", err)
	}
	return l.ddl(), nil
}

func (l ledger) ddl() string {
	return strings.NewReplacer("$run", l.run, "$stage", l.stage, "$applied", l.applied, "$index", l.index, "$open", l.open).Replace(`CREATE TABLE IF NOT EXISTS $run (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pipeline text NOT NULL,
    outcome text NOT NULL,
    owner text NOT NULL,
    actor text NOT NULL,
    pid integer NOT NULL,
    session_start timestamptz,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    error text NOT NULL DEFAULT '',
    warning text NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS $index ON $run (pipeline, id DESC);
CREATE INDEX IF NOT EXISTS $open ON $run (pipeline) WHERE outcome = 'running';
CREATE TABLE IF NOT EXISTS $stage (
    run bigint NOT NULL REFERENCES $run ON DELETE CASCADE,
    position integer NOT NULL,
    name text NOT NULL,
    title text NOT NULL,
    version integer NOT NULL,
    outside boolean NOT NULL,
    outcome text NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    done bigint NOT NULL DEFAULT 0,
    total bigint NOT NULL DEFAULT 0,
    step text NOT NULL DEFAULT '',
    error text NOT NULL DEFAULT '',
    sqlstate text NOT NULL DEFAULT '',
    PRIMARY KEY (run, position)
);
CREATE TABLE IF NOT EXISTS $applied (
    pipeline text NOT NULL,
    stage text NOT NULL,
    version integer NOT NULL,
    run bigint NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (pipeline, stage)
);
`)
}

// A db is a connection or a transaction.
type db interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
	Query(context.Context, string, ...any) (pgx.Rows, error)
	QueryRow(context.Context, string, ...any) pgx.Row
	Begin(context.Context) (pgx.Tx, error)
}

// A past is what the tables say before a run.
type past struct {
	tables   bool           // they are there
	versions map[string]int // by stage
	open     bool           // a run is recorded as running
}

func (l ledger) read(ctx context.Context, c db, pipeline string) (past, error) {
	p := past{versions: map[string]int{}}
	err := c.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AND to_regclass($3) IS NOT NULL`, l.run, l.stage, l.applied).Scan(&p.tables)
	if err != nil || !p.tables {
		return p, err
	}
	if err := c.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+l.run+` WHERE pipeline = $1 AND outcome = 'running')`, pipeline).Scan(&p.open); err != nil {
		return p, err
	}
	rows, err := c.Query(ctx, `SELECT stage, version FROM `+l.applied+` WHERE pipeline = $1`, pipeline)
	if err != nil {
		return p, err
	}
	var stage string
	var version int
	_, err = pgx.ForEachRow(rows, []any{&stage, &version}, func() error {
		p.versions[stage] = version
		return nil
	})
	return p, err
}

// ensure makes the tables where they are not.
func (l ledger) ensure(ctx context.Context, c db, p past) error {
	if p.tables {
		return nil
	}
	_, err := c.Exec(ctx, l.ddl(), pgx.QueryExecModeSimpleProtocol)
	return err
}

// abandon ends the runs that are recorded as running. Only the owner of the
// lock may call it: it knows that they are not.
func (l ledger) abandon(ctx context.Context, c db, pipeline string) ([]int64, error) {
	rows, err := c.Query(ctx, `WITH gone AS (
		UPDATE `+l.run+` SET outcome = 'abandoned', ended_at = clock_timestamp(), error = 'its owner died; the next owner found out'
		WHERE pipeline = $1 AND outcome = 'running' RETURNING id
	), stages AS (
		UPDATE `+l.stage+` s SET ended_at = clock_timestamp(), outcome = CASE
			WHEN s.outcome = 'pending' THEN 'not-run'
			WHEN EXISTS (SELECT FROM `+l.applied+` a WHERE a.pipeline = $1 AND a.stage = s.name AND a.run = s.run) THEN 'done'
			WHEN s.outside THEN 'partial' ELSE 'rolled-back' END
		FROM gone WHERE s.run = gone.id AND s.outcome IN ('pending', 'running')
	) SELECT id FROM gone ORDER BY id`, pipeline)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// begin records a run and its stages, and returns its id and beginning.
func (l ledger) begin(ctx context.Context, c db, pipeline string, r *Report) (id int64, at time.Time, err error) {
	err = c.QueryRow(ctx, `INSERT INTO `+l.run+` (pipeline, outcome, owner, actor, pid, session_start)
		SELECT $1, 'running', $2, $3, pg_backend_pid(), (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())
		RETURNING id, started_at`, pipeline, r.Owner, r.Actor).Scan(&id, &at)
	if err != nil {
		return 0, at, err
	}
	return id, at, l.stages(ctx, c, id, r)
}

func (l ledger) stages(ctx context.Context, c db, id int64, r *Report) error {
	for i, s := range r.Stages {
		_, err := c.Exec(ctx, `INSERT INTO `+l.stage+` (run, position, name, title, version, outside, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			id, i, s.Name, s.Title, s.Version, s.Outside, string(s.Outcome))
		if err != nil {
			return err
		}
	}
	return nil
}

// note records how one stage stands.
func (l ledger) note(ctx context.Context, c db, id int64, i int, s StageReport) error {
	_, err := c.Exec(ctx, `UPDATE `+l.stage+` SET outcome = $3, started_at = $4, ended_at = $5, done = $6, total = $7, step = $8, error = $9, sqlstate = $10
		WHERE run = $1 AND position = $2`, id, i, string(s.Outcome), nullTime(s.Started), nullTime(s.Ended), s.Done, s.Total, s.Step, s.Error, s.SQLState)
	return err
}

// tell records how far a running stage is, from beside the run.
func (l ledger) tell(ctx context.Context, c interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
}, id int64, i int, s StageReport) error {
	_, err := c.Exec(ctx, `UPDATE `+l.stage+` SET done = $3, total = $4, step = $5 WHERE run = $1 AND position = $2 AND outcome = 'running'`, id, i, s.Done, s.Total, s.Step)
	return err
}

// apply records the version of a stage, in its transaction where it has one.
func (l ledger) apply(ctx context.Context, c db, pipeline string, s Stage, run int64) error {
	_, err := c.Exec(ctx, `INSERT INTO `+l.applied+` (pipeline, stage, version, run) VALUES ($1, $2, $3, $4)
		ON CONFLICT (pipeline, stage) DO UPDATE SET version = excluded.version, run = excluded.run, applied_at = excluded.applied_at`,
		pipeline, s.Name, s.Version, run)
	return err
}

// appliedBy reports whether a run has committed a stage.
func (l ledger) appliedBy(ctx context.Context, c db, pipeline, stage string, run int64) (ok bool, err error) {
	err = c.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+l.applied+` WHERE pipeline = $1 AND stage = $2 AND run = $3)`, pipeline, stage, run).Scan(&ok)
	return ok, err
}

// end records the end of a run and of its stages, unless somebody else has,
// and reports whether it did.
func (l ledger) end(ctx context.Context, c db, r *Report) (recorded bool, err error) {
	err = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE `+l.run+` SET outcome = $2, ended_at = clock_timestamp(), error = $3 WHERE id = $1 AND outcome = 'running'`, r.Run, string(r.Outcome), r.Error)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		recorded = true
		for i, s := range r.Stages {
			if err := l.note(ctx, tx, r.Run, i, s); err != nil {
				return err
			}
		}
		return nil
	})
	return recorded && err == nil, err
}

func (l ledger) warn(ctx context.Context, c interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
}, id int64, text string) error {
	_, err := c.Exec(ctx, `UPDATE `+l.run+` SET warning = $2 WHERE id = $1`, id, text)
	return err
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// unusable wraps an error of the tables; one of the connection is none of them.
func (l ledger) unusable(err error) error {
	if err == nil || sqlState(err) == "" || errors.Is(explain(err), ErrUnreachable) {
		return explain(err)
	}
	return &HistoryError{DDL: l.ddl(), Err: err}
}
