package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/locktest"
)

var waiting = []fault{
	{group: "While waiting", name: "context ends while waiting", must: "an error at once, in the line and at the server; nothing is held", run: cancelWaiting},
	{name: "the wait runs out at the grant", must: "0 held after a no; none later either", run: timeoutAtGrant, alone: true},
	{name: "context ends at the grant", must: "0 held after an error", run: cancelAtGrant(nil), alone: true},
	{name: "context ends at the grant, with pgx's cancel requests", must: "0 held after an error", run: cancelAtGrant(cancelRequests), alone: true},
	{name: "context ends between grant and answer", must: "an error; 0 held when it is returned", run: cancelAtAnswer},
}

func cancelWaiting(t *testing.T, s *stand) string {
	m, other := s.open(s.audit), s.open(s.audit)
	k := jobs.Key("a")
	held := acquire(t, m, k, time.Second)
	worst := time.Duration(0)
	for _, ahead := range []int{0, 1} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan time.Time, ahead+1)
		for range ahead + 1 {
			go func() {
				if _, ok, err := other.Acquire(ctx, k, time.Minute); ok || !errors.Is(err, context.Canceled) {
					t.Errorf("%v %v", ok, err)
				}
				done <- time.Now()
			}()
		}
		time.Sleep(30 * time.Millisecond)
		begun := time.Now()
		cancel()
		for range ahead + 1 {
			worst = max(worst, (<-done).Sub(begun))
		}
	}
	if worst > 500*time.Millisecond {
		t.Errorf("the error came after %v", worst)
	}
	release(t, s.audit, held)
	s.free()
	return fmt.Sprintf("error within %v", worst.Round(10*time.Microsecond))
}

func timeoutAtGrant(t *testing.T, s *stand) string {
	m, other := s.open(s.audit), s.open(s.audit, func(c *locks.SessionConfig) { c.PollMin, c.PollMax = time.Millisecond/2, time.Millisecond })
	k := jobs.Key("a")
	n, refused, granted := many(300, 3000), 0, 0
	for range n {
		held := acquire(t, m, k, 5*time.Second)
		done := make(chan error)
		go func() {
			time.Sleep(time.Millisecond + rand.N(2*time.Millisecond))
			done <- s.release(held)
		}()
		next, ok, err := other.Acquire(t.Context(), k, 2*time.Millisecond)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		switch {
		case ok:
			granted++
			release(t, s.audit, next)
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			t.Fatal(err)
		default:
			refused++
			s.free()
		}
	}
	time.Sleep(50 * time.Millisecond)
	s.free()
	s.oneOwner(t)
	if refused == 0 || granted == 0 {
		t.Errorf("%d refused and %d granted: the race was not met", refused, granted)
	}
	return fmt.Sprintf("%d trials: %d granted, %d not and 0 of these held", n, granted, refused)
}

func cancelRequests(c *pgxpool.Config) {
	c.ConnConfig.BuildContextWatcherHandler = func(pg *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: pg, DeadlineDelay: 100 * time.Millisecond}
	}
}

func cancelAtGrant(change func(*pgxpool.Config)) func(*testing.T, *stand) string {
	return func(t *testing.T, s *stand) string {
		m := s.open(s.audit, pooled(func(c *pgxpool.Config) {
			if change != nil {
				change(c)
			}
		}))
		release(t, s.audit, acquire(t, m, jobs.Key("a"), time.Second))
		reach := time.Millisecond // nears what a grant takes here, so that the end meets it
		n, failed := many(100, 400), 0
		for range n {
			ctx, cancel := context.WithTimeout(t.Context(), reach/4+rand.N(reach))
			held, ok, err := m.TryAcquire(ctx, jobs.Key("a"))
			switch {
			case ok:
				reach = max(reach-reach/16, time.Microsecond)
				release(t, s.audit, held)
			case err == nil:
				t.Fatal("refused a lock that nobody held")
			default:
				failed++
				reach += reach / 8
				s.free()
			}
			cancel()
		}
		s.free()
		if failed == 0 {
			t.Error("no call met the end of its context")
		}
		return fmt.Sprintf("%d trials: %d errors, 0 of these held", n, failed)
	}
}

func cancelAtAnswer(t *testing.T, s *stand) string {
	for range 20 {
		var gate locktest.Gate
		m := s.open(s.audit, pooled(func(c *pgxpool.Config) { gate.Watch(c.ConnConfig) }))
		release(t, s.audit, acquire(t, m, jobs.Key("warm"), time.Second))
		ctx, cancel := context.WithCancel(t.Context())
		gate.OnAnswer(func() {
			if s.holder(jobs.Key("a")) == 0 {
				t.Error("the server had not granted the lock yet")
			}
			cancel()
		})
		held, ok, err := m.TryAcquire(ctx, jobs.Key("a"))
		if ok {
			release(t, s.audit, held)
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if ok || s.count(locks.Destroyed) == 0 {
			t.Errorf("granted %v, %d connections destroyed: the cancel came too late to test anything", ok, s.count(locks.Destroyed))
		}
		s.free()
	}
	return "20 trials: the connection destroyed and its end seen, 0 held"
}
