package initpipe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// A Status is what an operator wants to know first.
type Status string

// The statuses of a pipeline.
const (
	StatusPending     Status = "pending"     // stages have not run at their version
	StatusRunning     Status = "running"     // the lock is held
	StatusInitialised Status = "initialised" // every stage has run
	StatusFailed      Status = "failed"      // the last run failed, was cancelled or abandoned, and stages are left
	StatusInterrupted Status = "interrupted" // the last run is recorded as running, and nobody holds the lock
	StatusOutdated    Status = "outdated"    // the database has seen newer versions than this program has
)

// A State is how a pipeline stands, as any replica tells it. That it runs is
// told by the lock; the tables add what they know.
type State struct {
	Pipeline string        `json:"pipeline"`
	Status   Status        `json:"status"`
	Now      time.Time     `json:"now"`
	Holder   *Holder       `json:"holder,omitempty"`
	Stage    string        `json:"stage,omitempty"` // that runs now
	Since    time.Time     `json:"since,omitzero"`  // the run began
	Stages   []StageReport `json:"stages"`          // of the run that goes on or was last, else of the program
	Warning  string        `json:"warning,omitempty"`
	History  []Report      `json:"history"`           // the newest first, without their stages
	Problem  string        `json:"problem,omitempty"` // why the history cannot be told
}

const historyShown = 20

// State tells how the pipeline stands. It writes nothing.
func (p *Pipeline) State(ctx context.Context) (*State, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.runs.Done()
	return p.state(ctx)
}

const stateWait = 10 * time.Second // for an answer of the server

func (p *Pipeline) state(ctx context.Context) (*State, error) {
	ctx, cancel := context.WithTimeout(ctx, stateWait)
	defer cancel()
	pool, err := p.aside()
	if err != nil {
		return nil, err
	}
	holders, err := locks.Holders(ctx, pool, p.Key())
	if err != nil {
		return nil, explain(err)
	}
	v, err := p.ledger.view(ctx, pool, p.cfg.Name)
	st := &State{Pipeline: p.cfg.Name, Now: p.now(), History: v.runs}
	switch code := sqlState(err); {
	case code == codeNoTable:
	case code == codeNoRight:
		st.Problem = err.Error()
	case err != nil:
		return nil, explain(err)
	}
	st.Stages = p.merge(v)
	p.judge(st, v, holders)
	return st, nil
}

// judge decides the status, the lock first.
func (p *Pipeline) judge(st *State, v view, holders []locks.Holder) {
	held := len(holders) > 0 && holders[0].Granted
	if !held {
		st.Status = p.idleStatus(v)
		if len(v.runs) > 0 {
			st.Warning = v.runs[0].Warning
		}
		p.mu.Lock()
		st.Warning = cmp.Or(st.Warning, p.doubt)
		p.mu.Unlock()
		return
	}
	h := holders[0]
	st.Status, st.Holder = StatusRunning, &Holder{PID: h.PID, Owner: h.Application, Client: h.Client}
	if h.SinceFrom != locks.SinceUnknown {
		st.Since = h.Since
	}
	if stage := p.announced(h.Application); stage != "" {
		st.Stage, st.Holder.Owner = stage, ""
	}
	switch live := p.live(); {
	case live != nil && p.livePID() == h.PID: // this process holds it
		st.Since, st.Stage, st.Holder.Owner, st.Holder.Actor = live.Started, live.current(), live.Owner, live.Actor
		if len(live.Stages) > 0 {
			st.Stages = live.Stages
		}
	case v.alive && v.pid == h.PID:
		run := v.runs[0]
		st.Since, st.Holder.Owner, st.Holder.Actor = run.Started, run.Owner, run.Actor
		if now := run.current(); now != "" {
			st.Stage = now
		}
	default: // a run that is one transaction, or a rehearsal: only application_name tells
		for i := range st.Stages {
			if st.Stages[i].Name == st.Stage {
				st.Stages[i].Outcome = StageRunning
			}
		}
	}
}

// application is the application_name of a session that runs a stage. The
// server cuts it at 63 bytes and replaces what is not ASCII, so the place of
// the stage comes first.
func (p *Pipeline) application(s Stage) string {
	return fmt.Sprintf("initpipe %d/%d %s: %s", p.position(s.Name)+1, len(p.stages), p.cfg.Name, s.Name)
}

// announced returns the stage that an application_name tells, "" for none.
func (p *Pipeline) announced(application string) string {
	var i, n int
	if _, err := fmt.Sscanf(application, "initpipe %d/%d ", &i, &n); err != nil || n != len(p.stages) || i < 1 || i > n {
		return ""
	}
	return p.stages[i-1].Name
}

func (p *Pipeline) idleStatus(v view) Status {
	todo := false
	for _, s := range p.stages {
		switch seen := v.versions[s.Name]; {
		case seen > s.Version:
			return StatusOutdated
		case seen < s.Version:
			todo = true
		}
	}
	last := Outcome("")
	if len(v.runs) > 0 {
		last = v.runs[0].Outcome
	}
	switch {
	case last == Running:
		return StatusInterrupted
	case !todo:
		return StatusInitialised
	case last == Failed || last == Cancelled || last == Abandoned:
		return StatusFailed
	}
	return StatusPending
}

// merge returns the stages of the program as the last run left them.
func (p *Pipeline) merge(v view) []StageReport {
	out := make([]StageReport, len(p.stages))
	for i, s := range p.stages {
		out[i] = StageReport{Name: s.Name, Title: s.Title, Version: s.Version, Outside: s.outside(), Outcome: Pending}
		if len(v.runs) > 0 {
			at := slices.IndexFunc(v.runs[0].Stages, func(r StageReport) bool { return r.Name == s.Name && r.Version == s.Version })
			if at >= 0 {
				out[i] = v.runs[0].Stages[at]
				out[i].Title = s.Title
			}
		}
		if seen := v.versions[s.Name]; seen == s.Version && (out[i].Outcome == Pending || out[i].Outcome == NotRun || out[i].Outcome == InDoubt) {
			out[i].Outcome = UpToDate
		}
	}
	return out
}

// livePID returns the server process of the run of this program.
func (p *Pipeline) livePID() int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.current == nil:
		return 0
	case p.current.session != nil:
		return int32(p.current.session.PID())
	}
	return int32(p.current.whole.conn.PgConn().PID())
}

// inProgress tells who has the lock that was refused. Many are refused at a
// time, and share the answer.
func (p *Pipeline) inProgress(ctx context.Context) error {
	st, err := p.recent(ctx)
	if err == nil && st.Holder == nil {
		st, err = p.state(ctx)
	}
	if err != nil {
		return err
	}
	e := &InProgressError{Stage: st.Stage, Since: st.Since, Retry: p.retry(st)}
	if st.Holder != nil {
		e.Holder = *st.Holder
	}
	return e
}

const (
	retryMin = 2 * time.Second
	retryMax = time.Minute
)

// retry guesses when it is worth to ask again: when a run that takes as long
// as the last one that succeeded is over.
func (p *Pipeline) retry(st *State) time.Duration {
	typical := time.Duration(0)
	for _, r := range st.History {
		if r.Outcome == Succeeded {
			typical = r.Took(st.Now)
			break
		}
	}
	if typical == 0 || st.Since.IsZero() {
		return 5 * time.Second
	}
	return min(max(typical-st.Now.Sub(st.Since), retryMin), retryMax)
}

// A view is what the tables tell an onlooker.
type view struct {
	runs     []Report // the newest first; the first with its stages
	pid      int32    // of the first
	alive    bool     // its session is there
	versions map[string]int
}

// view reads the tables in one round trip.
func (l ledger) view(ctx context.Context, pool *pgxpool.Pool, pipeline string) (v view, err error) {
	v.versions = map[string]int{}
	var b pgx.Batch
	b.Queue(`SELECT r.id, r.outcome, r.owner, r.actor, r.started_at, r.ended_at, r.error, r.warning, r.pid,
			EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = r.pid AND coalesce(a.backend_start = r.session_start, true))
		FROM `+l.run+` r WHERE r.pipeline = $1 ORDER BY r.id DESC LIMIT $2`, pipeline, historyShown).Query(func(rows pgx.Rows) error {
		for first := true; rows.Next(); first = false {
			var r Report
			var ended *time.Time
			var pid int32
			var alive bool
			if err := rows.Scan(&r.Run, &r.Outcome, &r.Owner, &r.Actor, &r.Started, &ended, &r.Error, &r.Warning, &pid, &alive); err != nil {
				return err
			}
			r.Ended = fromNull(ended)
			if first {
				v.pid, v.alive = pid, alive && r.Outcome == Running
			}
			v.runs = append(v.runs, r)
		}
		return rows.Err()
	})
	var stages []StageReport
	b.Queue(`SELECT name, title, version, outside, outcome, started_at, ended_at, done, total, step, error, sqlstate FROM `+l.stage+`
		WHERE run = (SELECT max(id) FROM `+l.run+` WHERE pipeline = $1) ORDER BY position`, pipeline).Query(func(rows pgx.Rows) (err error) {
		stages, err = pgx.CollectRows(rows, scanStage)
		return err
	})
	b.Queue(`SELECT stage, version FROM `+l.applied+` WHERE pipeline = $1`, pipeline).Query(func(rows pgx.Rows) error {
		var stage string
		var version int
		_, err := pgx.ForEachRow(rows, []any{&stage, &version}, func() error {
			v.versions[stage] = version
			return nil
		})
		return err
	})
	err = pool.SendBatch(ctx, &b).Close()
	if len(v.runs) > 0 {
		v.runs[0].Stages = stages
	}
	return v, err
}

func scanStage(row pgx.CollectableRow) (s StageReport, err error) {
	var started, ended *time.Time
	err = row.Scan(&s.Name, &s.Title, &s.Version, &s.Outside, &s.Outcome, &started, &ended, &s.Done, &s.Total, &s.Step, &s.Error, &s.SQLState)
	s.Started, s.Ended = fromNull(started), fromNull(ended)
	return s, err
}

func fromNull(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// A cachedState spares the server from many onlookers.
type cachedState struct {
	state *State
	read  time.Time
}

const stateAge = 300 * time.Millisecond

// recent returns the state as it was at most stateAge ago. One caller at a
// time asks the server.
func (p *Pipeline) recent(ctx context.Context) (*State, error) {
	select {
	case p.reading <- struct{}{}:
		defer func() { <-p.reading }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	c := p.cache
	p.mu.Unlock()
	if c.state != nil && time.Since(c.read) < stateAge {
		return c.state, nil
	}
	begun := time.Now()
	st, err := p.State(ctx)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return nil, err // that of the caller alone
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cache = cachedState{state: st, read: begun}
	return st, err
}
