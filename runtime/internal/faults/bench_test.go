package faults

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

const (
	crowdSize = 1000
	work      = time.Millisecond // what is done under a lock
)

// BenchmarkCrowd has a thousand goroutines take session locks, all of one key
// or each of its own, hold them for a millisecond and give them back: with
// the library, and with bare SQL on a pool of the same size. Beside them a
// query that has nothing to do with locks runs on the program's own pool;
// with bare SQL that is the pool the locks are taken on. One op is one lock.
func BenchmarkCrowd(b *testing.B) {
	server := pglab.NewServer(b, "max_connections=150")
	for _, keys := range []int{1, crowdSize} {
		for _, way := range []string{"locks", "bare blocking", "bare try"} {
			b.Run(fmt.Sprintf("keys=%d/%s", keys, way), func(b *testing.B) {
				l := newLab(b, server.DSN())
				config := must(pgxpool.ParseConfig(l.dsn))
				config.MaxConns = 50
				pool := must(pgxpool.NewWithConfig(b.Context(), config))
				defer pool.Close()
				take := bare(pool, way == "bare blocking")
				if way == "locks" {
					locker := must(locks.New(locks.Config{Logger: slog.New(slog.DiscardHandler)}))
					m := must(locker.OpenSessions(b.Context(), locks.SessionConfig{Pool: config}))
					defer m.Close()
					take = func(ctx context.Context, k locks.Key) error {
						_, err := m.Do(ctx, k, time.Minute, func(context.Context, *locks.Session) error { time.Sleep(work); return nil })
						return err
					}
				}
				measure(b, pool, keys, take)
			})
		}
	}
}

func measure(b *testing.B, pool *pgxpool.Pool, keys int, take func(context.Context, locks.Key) error) {
	var left atomic.Int64
	left.Store(int64(b.N))
	var worst, query atomic.Int64
	stop := make(chan struct{})
	var beside, all sync.WaitGroup
	beside.Go(func() {
		for {
			begun := time.Now()
			if _, err := pool.Exec(b.Context(), "SELECT 1"); err == nil {
				raise(&query, time.Since(begun))
			}
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	b.ResetTimer()
	for i := range crowdSize {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				begun := time.Now()
				if err := take(b.Context(), jobs.Key(fmt.Sprint(i%keys))); err != nil {
					b.Error(err)
					return
				}
				raise(&worst, time.Since(begun))
			}
		})
	}
	all.Wait()
	b.StopTimer()
	close(stop)
	beside.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "locks/s")
	b.ReportMetric(float64(worst.Load())/1e6, "worst-wait-ms")
	b.ReportMetric(float64(query.Load())/1e6, "worst-query-ms")
}

func raise(max *atomic.Int64, d time.Duration) {
	for {
		old := max.Load()
		if int64(d) <= old || max.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

// bare takes a lock as programs do that have no library for it.
func bare(pool *pgxpool.Pool, blocking bool) func(context.Context, locks.Key) error {
	return func(ctx context.Context, k locks.Key) error {
		for {
			c, err := pool.Acquire(ctx)
			if err != nil {
				return err
			}
			ok := true
			if blocking {
				_, err = c.Exec(ctx, "SELECT pg_advisory_lock($1)", k.Int64())
			} else {
				err = c.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", k.Int64()).Scan(&ok)
			}
			if ok && err == nil {
				time.Sleep(work)
				_, err = c.Exec(ctx, "SELECT pg_advisory_unlock($1)", k.Int64())
			}
			c.Release()
			if err != nil || ok {
				return err
			}
			time.Sleep(25 * time.Millisecond)
		}
	}
}

// BenchmarkSession is one lock without contention, beside the two statements
// that it consists of.
func BenchmarkSession(b *testing.B) {
	server := pglab.NewServer(b)
	l := newLab(b, server.DSN())
	b.Run("locks", func(b *testing.B) {
		b.ReportAllocs()
		locker := must(locks.New(locks.Config{Logger: slog.New(slog.DiscardHandler)}))
		m := must(locker.OpenSessions(b.Context(), locks.SessionConfig{DSN: l.dsn}))
		defer m.Close()
		k := jobs.Key("a")
		for b.Loop() {
			s, ok, err := m.TryAcquire(b.Context(), k)
			if !ok {
				b.Fatal(err)
			}
			if err := s.Release(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		pool := must(pgxpool.New(b.Context(), l.dsn))
		defer pool.Close()
		k := jobs.Key("a").Int64()
		for b.Loop() {
			c := must(pool.Acquire(b.Context()))
			var ok bool
			if err := c.QueryRow(b.Context(), "SELECT pg_try_advisory_lock($1)", k).Scan(&ok); err != nil || !ok {
				b.Fatal(ok, err)
			}
			if err := c.QueryRow(b.Context(), "SELECT pg_advisory_unlock($1)", k).Scan(&ok); err != nil || !ok {
				b.Fatal(ok, err)
			}
			c.Release()
		}
	})
}
