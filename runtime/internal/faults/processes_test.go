package faults

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

var processes = []fault{
	{group: "The program dies or stands still", name: "kill -9, idle", must: "free at once, without a timeout", run: killed(false)},
	{name: "kill -9 inside a statement", must: "free within client_connection_check_interval, not at the end of the statement", run: killed(true)},
	{name: "SIGSTOP and back", must: "the stopped owner keeps the lock; if another gets it all the same, the old owner's write is refused when it goes on", run: stopped},
}

const quick = "300ms 1s 2s"

func killed(busy bool) func(*testing.T, *stand) string {
	return func(t *testing.T, s *stand) string {
		m := s.open(s.audit, fenced)
		p := startChild(t, s.dsn, quick, nil)
		if busy {
			p.say("sleep")
			within(t, 10*time.Second, "the child's statement runs", func() bool {
				return get[bool](s.lab, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1::int8 AND query LIKE '%pg_sleep%' AND state = 'active')", p.pid)
			})
		}
		if _, ok, err := m.TryAcquire(t.Context(), jobs.Key("a")); ok || err != nil {
			t.Fatalf("a second owner: %v %v", ok, err)
		}
		begun := time.Now()
		p.cmd.Process.Kill()
		took := within(t, 10*time.Second, "the lock of the dead program is free", func() bool { return s.holder(jobs.Key("a")) == 0 })
		next := acquire(t, m, jobs.Key("a"), 10*time.Second)
		if next.Fence().Token() <= p.token {
			t.Errorf("token %d came after %d", next.Fence().Token(), p.token)
		}
		// Half of the 2 s after which the server would miss a program that
		// does not answer.
		if took := time.Since(begun); took > time.Second && !busy {
			t.Errorf("the next owner came after %v", took)
		}
		release(t, s.audit, next)
		s.free()
		return fmt.Sprintf("free after %v", took.Round(time.Millisecond))
	}
}

func stopped(t *testing.T, s *stand) string {
	m := s.open(s.audit, fenced)
	p := startChild(t, s.dsn, quick, nil)
	p.say("write")
	p.wait("wrote")
	p.cmd.Process.Signal(syscall.SIGSTOP)
	pause := time.Duration(many(3, 30)) * time.Second
	if _, ok, err := m.Acquire(t.Context(), jobs.Key("a"), pause); ok || err != nil {
		t.Fatalf("a second owner beside the stopped one: %v %v", ok, err)
	}
	s.kill(p.pid)
	next := acquire(t, m, jobs.Key("a"), 10*time.Second)
	if err := s.write(next.Fence(), "next"); err != nil {
		t.Fatal(err)
	}
	p.cmd.Process.Signal(syscall.SIGCONT)
	p.say("write")
	p.wait("fenced")
	p.wait("lost")
	if n := get[int](s.lab, "SELECT count(*) FROM writes WHERE owner = 'child'"); n != 1 {
		t.Errorf("the child wrote %d rows", n)
	}
	release(t, s.audit, next)
	s.free()
	return fmt.Sprintf("stopped for %v; then its write was refused and the loss told", pause)
}
