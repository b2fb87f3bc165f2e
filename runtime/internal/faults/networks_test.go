package faults

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

var networks = []fault{
	{group: "The network is cut", name: "cut while idle", must: "the owner is told within Trust and 0.5 s, the server frees within ServerTimeout and 1.5 s; the owner stops first; its write is refused after healing", run: cut(false)},
	{name: "cut inside a statement", must: "the server frees within ServerTimeout and 1.5 s, though the statement would run on; the old owner's write is refused after healing", run: cut(true)},
	{name: "answers stay out", must: "through a proxy that holds everything back and acknowledges it, for machines that grant no namespaces: the owner is told within Trust and 0.5 s, the server still has the lock; its write is refused after healing", run: heldBack},
}

// On the wire of a namespace: a proxy would answer the keepalives.
func cut(busy bool) func(*testing.T, *stand) string {
	return func(t *testing.T, s *stand) string {
		wire := pglab.NewNetwork(t)
		server := pglab.NewServer(t)
		l := newLab(t, server.DSN())
		m := l.open(s.audit, fenced)
		u := must(url.Parse(l.dsn))
		u.Host = fmt.Sprintf("%s:%d", wire.Here, server.Port)
		p := startChild(t, u.String(), quick, func(name string) *exec.Cmd { return wire.Command(name) })
		p.say("write")
		p.wait("wrote")
		if busy {
			p.say("sleep")
			within(t, 10*time.Second, "the child's statement runs", func() bool {
				return get[bool](l, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1::int8 AND query LIKE '%pg_sleep%' AND state = 'active')", p.pid)
			})
		}
		if _, ok, err := m.TryAcquire(t.Context(), jobs.Key("a")); ok || err != nil {
			t.Fatalf("a second owner: %v %v", ok, err)
		}
		begun := time.Now()
		wire.Cut()
		// Trust and ServerTimeout are 1 s and 2 s.
		freed := within(t, 30*time.Second, "the server frees the lock", func() bool { return l.holder(jobs.Key("a")) == 0 })
		if freed > 3500*time.Millisecond {
			t.Errorf("free after %v", freed)
		}
		next := acquire(t, m, jobs.Key("a"), 10*time.Second)
		if err := l.write(next.Fence(), "next"); err != nil {
			t.Fatal(err)
		}
		told := ""
		if !busy {
			nano := must(strconv.ParseInt(strings.Fields(p.wait("lost"))[1], 10, 64))
			lost := time.Unix(0, nano).Sub(begun)
			if lost > freed {
				t.Errorf("the owner was told after %v, and the server had freed the lock after %v", lost, freed)
			}
			if lost > 1500*time.Millisecond {
				t.Errorf("the owner was told after %v", lost)
			}
			told = fmt.Sprintf("told after %v, ", lost.Round(10*time.Millisecond))
		}
		wire.Heal()
		p.say("write")
		p.wait("fenced")
		release(t, s.audit, next)
		within(t, 5*time.Second, "nothing is held", func() bool { return l.held() == 0 })
		return fmt.Sprintf("%sfree after %v (Trust 1 s, ServerTimeout 2 s)", told, freed.Round(10*time.Millisecond))
	}
}

func heldBack(t *testing.T, s *stand) string {
	server := must(pgx.ParseConfig(s.dsn))
	proxy := pglab.NewProxy(t, fmt.Sprintf("%s:%d", server.Host, server.Port))
	u := must(url.Parse(s.dsn))
	u.Host = fmt.Sprintf("127.0.0.1:%d", proxy.Port)
	const trust = time.Second
	direct, m := s.open(s.audit, fenced), s.open(s.audit, fenced, through(u.String()), timing(trust/4, trust, 10*trust))
	held := acquire(t, m, jobs.Key("a"), time.Second)
	begun := time.Now()
	proxy.Freeze()
	select {
	case <-held.Lost():
	case <-time.After(trust + 500*time.Millisecond):
		t.Error("the loss was not told")
	}
	told := time.Since(begun)
	if _, ok, err := direct.TryAcquire(t.Context(), jobs.Key("a")); ok || err != nil {
		t.Errorf("the server freed the lock of a connection that is acknowledged: %v %v", ok, err)
	}
	proxy.Thaw()
	next := acquire(t, direct, jobs.Key("a"), 10*time.Second)
	if err := s.write(held.Fence(), "old"); !errors.Is(err, locks.ErrFenced) {
		t.Errorf("the old owner's write: %v", err)
	}
	held.Release(t.Context())
	release(t, s.audit, next)
	s.oneOwner(t)
	return fmt.Sprintf("told after %v (Trust 1 s)", told.Round(10*time.Millisecond))
}
