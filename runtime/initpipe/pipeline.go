package initpipe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

var pipelines = locks.MustFamily[string]("initpipe", locks.Serializes("two runs of one init pipeline"))

// A Config describes a pipeline. Name, Stages and Session are needed; the
// zero value of the others stands for its default.
type Config struct {
	Name   string // one name, one pipeline: replicas share it
	Stages []Stage

	// Session says how to connect, and when a lost owner is given up. Behind a
	// pooler in transaction mode either name the server itself here or set
	// OneTx.
	Session locks.SessionConfig

	// OneTx makes the whole run one transaction: all of it stays, or nothing.
	OneTx bool

	TablePrefix string        // of the history's tables, "initpipe"; a schema may stand before it
	RunTimeout  time.Duration // of a run, one hour
	LockTimeout time.Duration // lock_timeout of the stages' statements, 5 s

	Locker   *locks.Locker // takes the lock; nil: one of its own
	Logger   *slog.Logger  // nil: slog.Default()
	Observer func(context.Context, Event)
}

// An Event is what happens in a pipeline, for metrics.
type Event struct {
	Kind     EventKind
	Pipeline string
	Run      int64
	Stage    string // StageEnded
	Outcome  string // RunEnded, StageEnded
	Took     time.Duration
	Err      error
}

// An EventKind says what an Event is about.
type EventKind string

// The kinds of events.
const (
	RunStarted     EventKind = "run-started"
	RunEnded       EventKind = "run-ended"
	StageEnded     EventKind = "stage-ended"
	Refused        EventKind = "refused"         // another run holds the lock
	FoundAbandoned EventKind = "found-abandoned" // of Run, whose owner had died
	UnlockFailed   EventKind = "unlock-failed"   // check the state before another run
)

// A Pipeline is a list of stages that runs one at a time. It is safe for
// concurrent use.
type Pipeline struct {
	cfg    Config
	stages []Stage
	locker *locks.Locker
	log    *slog.Logger
	ledger ledger
	pool   *pgxpool.Config // as the caller connects

	now  func() time.Time
	hook func(point, stage string) // tests stop a run there

	closing context.Context
	close   context.CancelCauseFunc
	runs    sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	sessions *locks.Sessions
	side     *pgxpool.Pool // for what is read, and progress
	wholes   *pgxpool.Pool // for runs in one transaction
	current  *run
	doubt    string        // a warning that the tables do not tell
	changed  chan struct{} // closed when the state of this process changes
	cache    cachedState
	reading  chan struct{} // one reader of the state at a time
	opening  chan struct{} // one who opens the sessions
}

// New checks a configuration and returns its pipeline. It opens no connection:
// a server that cannot be reached is an error of Run and State.
func New(cfg Config) (*Pipeline, error) {
	p, err := newPipeline(cfg)
	if err != nil {
		return nil, fmt.Errorf("initpipe: %w", err)
	}
	return p, nil
}

func newPipeline(cfg Config) (*Pipeline, error) {
	cfg.TablePrefix = cmp.Or(cfg.TablePrefix, "initpipe")
	cfg.RunTimeout = cmp.Or(cfg.RunTimeout, time.Hour)
	cfg.LockTimeout = cmp.Or(cfg.LockTimeout, 5*time.Second)
	cfg.Session.OneUse = true // stages leave settings in it
	if cfg.Session.Owner == "" {
		host, _ := os.Hostname()
		cfg.Session.Owner = fmt.Sprintf("%s@%s:%d", filepath.Base(os.Args[0]), host, os.Getpid())
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	switch {
	case badName(cfg.Name):
		return nil, fmt.Errorf("name %q: 1 to %d printable bytes without a colon", cfg.Name, maxName)
	case cfg.RunTimeout < 0 || cfg.LockTimeout < 0:
		return nil, errors.New("RunTimeout or LockTimeout is negative")
	}
	stages, err := checked(cfg)
	if err != nil {
		return nil, err
	}
	ledger, err := newLedger(cfg.TablePrefix)
	if err != nil {
		return nil, err
	}
	pool, err := poolConfig(cfg.Session)
	if err != nil {
		return nil, err
	}
	locker := cfg.Locker
	if locker == nil {
		if locker, err = locks.New(locks.Config{Logger: cfg.Logger}); err != nil {
			return nil, err
		}
	}
	p := &Pipeline{cfg: cfg, stages: stages, locker: locker, log: cfg.Logger.With("pipeline", cfg.Name),
		ledger: ledger, pool: pool, now: time.Now, hook: func(string, string) {}, changed: make(chan struct{}), reading: make(chan struct{}, 1), opening: make(chan struct{}, 1)}
	p.closing, p.close = context.WithCancelCause(context.Background())
	return p, nil
}

func poolConfig(cfg locks.SessionConfig) (*pgxpool.Config, error) {
	switch {
	case (cfg.DSN == "") == (cfg.Pool == nil):
		return nil, errors.New("Session needs one of DSN and Pool")
	case cfg.Pool != nil:
		return cfg.Pool.Copy(), nil
	}
	return pgxpool.ParseConfig(cfg.DSN)
}

// Key returns the advisory lock of the pipeline.
func (p *Pipeline) Key() locks.Key { return pipelines.Key(p.cfg.Name) }

// Close waits until the run of this process has ended, or until ctx does: then
// it cancels the run, which rolls its stage back, and waits for that.
func (p *Pipeline) Close(ctx context.Context) {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		p.runs.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	p.close(ErrClosed)
	<-done
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions != nil {
		p.sessions.Close()
	}
	for _, pool := range []*pgxpool.Pool{p.side, p.wholes} {
		if pool != nil {
			pool.Close()
		}
	}
}

// enter counts a use of the connections, which leave ends.
func (p *Pipeline) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	p.runs.Add(1)
	return nil
}

// open returns the session locks, and finds out on first use what the server
// is.
func (p *Pipeline) open(ctx context.Context) (*locks.Sessions, error) {
	select {
	case p.opening <- struct{}{}:
		defer func() { <-p.opening }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	m := p.sessions
	p.mu.Unlock()
	if m != nil {
		return m, nil
	}
	m, err := p.locker.OpenSessions(ctx, p.cfg.Session)
	if err != nil {
		return nil, explain(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions = m
	return m, nil
}

// aside returns the pool for what is not a part of a run.
func (p *Pipeline) aside() (*pgxpool.Pool, error) { return p.connect(&p.side) }

// connect returns a pool that works behind any pooler, made on first use.
func (p *Pipeline) connect(to **pgxpool.Pool) (*pgxpool.Pool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *to == nil {
		cfg := p.pool.Copy()
		cfg.MaxConns, cfg.MinConns, cfg.MinIdleConns = 4, 0, 0
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
		pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
		if err != nil {
			return nil, explain(err)
		}
		*to = pool
	}
	return *to, nil
}

func (p *Pipeline) setCurrent(r *run) {
	p.mu.Lock()
	p.current = r
	p.mu.Unlock()
	p.pulse()
}

// setDoubt keeps a warning that could not be recorded, "" for none.
func (p *Pipeline) setDoubt(warning string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doubt = warning
}

// live returns the run of this process as it stands, nil for none.
func (p *Pipeline) live() *Report {
	p.mu.Lock()
	r := p.current
	p.mu.Unlock()
	if r == nil {
		return nil
	}
	return r.snapshot()
}

// pulse wakes those who watch the state.
func (p *Pipeline) pulse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.changed)
	p.changed = make(chan struct{})
	p.cache.read = time.Time{}
}

func (p *Pipeline) watch() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

func (p *Pipeline) event(ctx context.Context, e Event) {
	if p.cfg.Observer != nil {
		e.Pipeline = p.cfg.Name
		p.cfg.Observer(ctx, e)
	}
}

// A Request is what somebody asks of a pipeline.
type Request struct {
	Actor  string // who asks; into history
	From   string // run this stage and all after it, even if they have run; "": what has not run
	DryRun bool   // run what is pending in one transaction and roll it back
}

// Run runs what has not run yet, and returns a report of it; its Outcome is
// Unchanged when there was nothing to do. It does not wait: while another run
// holds the lock, the error is an *InProgressError and nothing was written.
//
// When a stage fails, the error is a *StageError; those after it did not run.
// A panic of a stage goes on once the lock is free. The end of ctx cancels
// the run. A report whose Warning is set says that the lock was not seen to be
// free at the end.
func (p *Pipeline) Run(ctx context.Context, req Request) (*Report, error) {
	r, err := p.begin(ctx, req)
	if err != nil {
		return nil, err
	}
	//pglockdep:ignore lock-held-external-call the transaction of the run is rolled back before it waits
	report, err := r.finish(ctx)
	var panicked *PanicError
	if errors.As(err, &panicked) {
		if panicked.Value == errGoexit {
			runtime.Goexit()
		}
		panic(panicked.Value)
	}
	return report, err
}
