package history

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

const (
	programs = 3 // each with a way of its own to the server
	workers  = 4 // of each program
	keys     = 8
)

// A world is a server, the programs on it, and what happened.
type world struct {
	t        *testing.T
	db       *pgxpool.Pool // beside the proxies, for writes and kills
	keys     []locks.Key
	programs []*program
	begun    time.Time
	steps    atomic.Int64
	limit    int64

	mu     sync.Mutex
	ops    []porcupine.Operation
	fences []locks.Fence // the last of each key, and older ones
	counts map[string]int
}

type program struct {
	name  string
	proxy *pglab.Proxy
	locks *locks.Sessions

	mu   sync.Mutex
	open []int // ends that are not known until the way is healed
}

func TestHistory(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("PGLOCKDEP_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	limit := int64(2000)
	if os.Getenv("PGLOCKDEP_FULL") != "" {
		limit = 100_000
	}
	t.Logf("PGLOCKDEP_SEED=%d", seed)
	w := newWorld(t, limit)
	var all sync.WaitGroup
	for i, p := range w.programs {
		for j := range workers {
			r := rand.New(rand.NewPCG(seed, uint64(i*workers+j)))
			all.Go(func() { w.work(p, r) })
		}
	}
	stop := make(chan struct{})
	var chaos sync.WaitGroup
	chaos.Go(func() { w.chaos(rand.New(rand.NewPCG(seed, math.MaxUint64)), stop) })
	all.Wait()
	close(stop)
	chaos.Wait()
	w.check()
}

func newWorld(t *testing.T, limit int64) *world {
	ctx := context.Background()
	server := pglab.NewServer(t, "max_connections=150")
	config, err := pgxpool.ParseConfig(server.DSN() + "&pool_max_conns=16")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, begun: time.Now(), limit: limit, counts: map[string]int{}}
	if w.db, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.db.Close)
	w.exec(locks.FenceDDL("lock_fence"))
	w.exec("CREATE TABLE writes (at bigserial, key int, token bigint)")
	registry := &locks.Registry{}
	family, err := locks.NewFamily[int](registry, "history")
	if err != nil {
		t.Fatal(err)
	}
	w.keys = make([]locks.Key, keys)
	for i := range w.keys {
		w.keys[i] = family.Key(i)
	}
	for i := range programs {
		w.programs = append(w.programs, w.newProgram(i, server))
	}
	return w
}

func (w *world) newProgram(i int, server *pglab.Server) *program {
	p := &program{name: fmt.Sprint("program", i), proxy: pglab.NewProxy(w.t, fmt.Sprintf("%s:%d", server.Host, server.Port))}
	u, err := url.Parse(server.DSN())
	if err != nil {
		w.t.Fatal(err)
	}
	u.Host = fmt.Sprintf("127.0.0.1:%d", p.proxy.Port)
	q := u.Query()
	q.Set("application_name", p.name)
	q.Set("pool_max_conns", "8")
	u.RawQuery = q.Encode()
	locker, err := locks.New(locks.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.t.Fatal(err)
	}
	p.locks, err = locker.OpenSessions(context.Background(), locks.SessionConfig{
		DSN: u.String(), FenceTable: "lock_fence", Heartbeat: 100 * time.Millisecond, Trust: 400 * time.Millisecond,
		ReleaseTimeout: 300 * time.Millisecond, ConnTimeout: time.Second, PollMin: time.Millisecond, PollMax: 5 * time.Millisecond,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(p.locks.Close)
	return p
}

func (w *world) exec(sql string, args ...any) {
	if _, err := w.db.Exec(context.Background(), sql, args...); err != nil {
		w.t.Errorf("%s: %v", sql, err)
	}
}

func (w *world) now() int64 { return time.Since(w.begun).Nanoseconds() }

// note records an action that began at call and has ended now.
func (w *world) note(k int, what kind, token, call int64) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[kinds[what]]++
	w.ops = append(w.ops, porcupine.Operation{Input: action{k, what, token}, Call: call, Return: w.now()})
	return len(w.ops) - 1
}

// noteOpen records an action whose end is known when p's way is healed.
func (w *world) noteOpen(p *program, k int, what kind, token, call int64) {
	i := w.note(k, what, token, call)
	w.mu.Lock()
	w.ops[i].Return = math.MaxInt64
	w.mu.Unlock()
	p.mu.Lock()
	p.open = append(p.open, i)
	p.mu.Unlock()
}

// work takes random steps until there have been enough.
func (w *world) work(p *program, r *rand.Rand) {
	for w.steps.Add(1) <= w.limit {
		k := r.IntN(keys)
		if r.IntN(6) == 0 {
			w.writeOld(k, r)
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		if r.IntN(5) == 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(2000))*time.Microsecond)
		}
		call := w.now()
		var s *locks.Session
		var ok bool
		var err error
		if r.IntN(3) == 0 {
			s, ok, err = p.locks.Acquire(ctx, w.keys[k], time.Duration(1+r.IntN(10))*time.Millisecond)
		} else {
			s, ok, err = p.locks.TryAcquire(ctx, w.keys[k])
		}
		switch {
		case ok:
			w.note(k, grant, s.Fence().Token(), call)
			w.hold(p, s, k, r)
		case err != nil:
			w.noteOpen(p, k, maybe, 0, call)
		}
		cancel()
	}
}

// hold does what an owner does, and ends in one of its ways.
func (w *world) hold(p *program, s *locks.Session, k int, r *rand.Rand) {
	w.mu.Lock()
	w.fences = append(w.fences, s.Fence())
	w.mu.Unlock()
	held := w.now()
	for range r.IntN(3) {
		w.steps.Add(1)
		w.write(k, s.Fence())
	}
	if r.IntN(10) == 0 {
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch r.IntN(12) {
	case 0:
		w.kill(s)
	case 1: // leave a transaction open
		s.BeginTx(ctx, pgx.TxOptions{})
	case 2:
		cancel()
	case 3:
		if tx, err := s.BeginTx(ctx, pgx.TxOptions{}); err == nil {
			tx.Exec(ctx, "INSERT INTO writes (key, token) VALUES ($1, $2)", k, s.Fence().Token())
			tx.Commit(ctx)
		}
	}
	done := make(chan error)
	go func() { done <- s.Release(ctx) }()
	err := <-done
	var failed *locks.ReleaseError
	// A lock that was lost ended some time since it was granted.
	if errors.As(err, &failed) && !failed.Ended {
		w.noteOpen(p, k, free, s.Fence().Token(), held)
		return
	}
	w.note(k, free, s.Fence().Token(), held)
}

func (w *world) kill(s *locks.Session) {
	w.mu.Lock()
	w.counts["killed"]++
	w.mu.Unlock()
	w.exec("SELECT pg_terminate_backend($1::int8::int4)", s.PID())
}

// writeOld writes with a token that may be anybody's.
func (w *world) writeOld(k int, r *rand.Rand) {
	w.mu.Lock()
	var f locks.Fence
	if n := len(w.fences); n > 0 {
		f = w.fences[max(n-1-r.IntN(2*keys), 0)]
	}
	w.mu.Unlock()
	for i := range w.keys {
		if f.Token() != 0 && f.Key() == w.keys[i] {
			w.write(i, f)
		}
	}
}

func (w *world) write(k int, f locks.Fence) {
	ctx := context.Background()
	call := w.now()
	err := pgx.BeginFunc(ctx, w.db, func(tx pgx.Tx) error {
		if err := f.Verify(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO writes (key, token) VALUES ($1, $2)", k, f.Token())
		return err
	})
	switch {
	case err == nil:
		w.note(k, wrote, f.Token(), call)
	case errors.Is(err, locks.ErrFenced):
		w.note(k, refused, f.Token(), call)
	default:
		w.t.Errorf("a write: %v", err)
	}
}

// chaos resets and freezes the programs' ways to the server.
func (w *world) chaos(r *rand.Rand, stop chan struct{}) {
	pause := func(d time.Duration) bool {
		select {
		case <-stop:
			return false
		case <-time.After(d):
			return true
		}
	}
	for n := 0; pause(time.Duration(50+r.IntN(200)) * time.Millisecond); n++ {
		p := w.programs[r.IntN(programs)]
		reset := r.IntN(3) > 0
		if n < 2 { // a short schedule has one of each
			reset = n == 0
		}
		if reset {
			w.count("reset")
			p.proxy.Reset()
			continue
		}
		w.count("frozen")
		p.proxy.Freeze()
		pause(time.Duration(100+r.IntN(800)) * time.Millisecond)
		w.heal(p)
	}
	for _, p := range w.programs {
		w.heal(p)
	}
}

func (w *world) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
}

// heal mends p's way, waits until no session of p from before is left on the
// server, and writes the end of what was open until then.
func (w *world) heal(p *program) {
	p.proxy.Freeze()
	p.proxy.Reset()
	p.mu.Lock()
	open := p.open
	p.open = nil
	p.mu.Unlock()
	var before time.Time
	ctx := context.Background()
	err := w.db.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&before)
	p.proxy.Thaw()
	if err != nil {
		w.t.Error(err)
		return
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		var n int
		// Sessions that were connecting before show in time.
		err := w.db.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE application_name IN ($1, '') AND backend_type = 'client backend'
			AND backend_start < $2 AND pid <> pg_backend_pid() AND (application_name <> '' OR state IS NULL)`, p.name, before).Scan(&n)
		if err != nil || time.Now().After(end) {
			w.t.Errorf("%s: %d sessions of before are left: %v", p.name, n, err)
			return
		}
		if n == 0 {
			break
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, i := range open {
		w.ops[i].Return = w.now()
	}
}

func (w *world) check() {
	w.t.Logf("%d actions: %v", len(w.ops), w.counts)
	for _, want := range []string{"grant", "free", "wrote", "refused", "maybe drew", "killed", "reset", "frozen"} {
		if w.counts[want] == 0 {
			w.t.Errorf("the schedule had no %q", want)
		}
	}
	result, info := porcupine.CheckOperationsVerbose(model, w.ops, 2*time.Minute)
	if result != porcupine.Ok {
		file := filepath.Join(os.TempDir(), "pglockdep-history.html")
		if err := porcupine.VisualizePath(model, info, file); err == nil {
			w.t.Logf("the history is in %s", file)
		}
		w.t.Errorf("the history fits no order: %s", result)
	}
	var unordered int
	if err := w.db.QueryRow(context.Background(), `SELECT count(*) FROM (
		SELECT token, lag(token) OVER (PARTITION BY key ORDER BY at) AS before FROM writes) w WHERE token < before`).Scan(&unordered); err != nil || unordered > 0 {
		w.t.Errorf("%d writes came after one of a later owner: %v", unordered, err)
	}
	var held int
	if err := w.db.QueryRow(context.Background(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`).Scan(&held); err != nil || held > 0 {
		w.t.Errorf("%d locks are held after all: %v", held, err)
	}
}
