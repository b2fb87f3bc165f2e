package faults

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

var failover = []fault{
	{group: "Standby and failover", name: "standby", must: "session locks refused: it would grant what the primary has granted", run: standby},
	{name: "promotion beside a living primary", must: "both grant, as PostgreSQL does; tokens of the new primary are higher, and the old owner's write is refused there, before and after a new owner comes", run: promotion},
}

// replicated starts a primary with a lab on it and its standby.
func replicated(t *testing.T) (l *lab, standby *pglab.Server) {
	primary := pglab.NewServer(t)
	l = newLab(t, primary.DSN())
	return l, primary.NewStandby(t)
}

// at returns the lab's address on another server.
func (l *lab) at(s *pglab.Server) string {
	config := must(pgx.ParseConfig(l.dsn))
	return fmt.Sprintf("postgres://postgres@%s:%d/%s?sslmode=disable", s.Host, s.Port, config.Database)
}

func standby(t *testing.T, s *stand) string {
	l, replica := replicated(t)
	held := acquire(t, l.open(s.audit), jobs.Key("a"), time.Second)
	if _, err := l.try(s.audit, through(l.at(replica))); !errors.Is(err, locks.ErrReadOnly) {
		t.Errorf("%v", err)
	}
	env, err := locks.Examine(t.Context(), must(pgx.ParseConfig(l.at(replica))))
	if err != nil || !env.Standby {
		t.Errorf("%+v %v", env, err)
	}
	release(t, s.audit, held)
	return "as it must"
}

func promotion(t *testing.T, s *stand) string {
	l, replica := replicated(t)
	m := l.open(s.audit, fenced)
	old := acquire(t, m, jobs.Key("a"), time.Second)
	if err := l.write(old.Fence(), "old"); err != nil {
		t.Fatal(err)
	}
	there := &lab{t: t, dsn: l.at(replica)}
	there.look()
	t.Cleanup(func() { there.eye.Close(t.Context()) })
	within(t, 10*time.Second, "the standby has the token", func() bool {
		return get[int](there, "SELECT count(*) FROM lock_fence WHERE token = $1", old.Fence().Token()) == 1
	})
	replica.Promote()
	if err := there.write(old.Fence(), "old"); !errors.Is(err, locks.ErrFenced) {
		t.Errorf("the old owner's write before a new one came: %v", err)
	}
	m2 := there.open(newAudit(), fenced)
	next := acquire(t, m2, jobs.Key("a"), time.Second)
	if next.Fence().Token() <= old.Fence().Token() || next.Fence().Epoch() == old.Fence().Epoch() {
		t.Errorf("token %d of %s came after %d of %s", next.Fence().Token(), next.Fence().Epoch(), old.Fence().Token(), old.Fence().Epoch())
	}
	if err := there.write(next.Fence(), "next"); err != nil {
		t.Error(err)
	}
	if err := there.write(old.Fence(), "old"); !errors.Is(err, locks.ErrFenced) {
		t.Errorf("the old owner's write: %v", err)
	}
	// Tokens that the old primary drew after the standby left are lower too.
	release(t, s.audit, old)
	for range 3 {
		again := acquire(t, m, jobs.Key("a"), time.Second)
		if again.Fence().Token() >= next.Fence().Token() {
			t.Errorf("the old primary drew %d, and the new one had drawn %d", again.Fence().Token(), next.Fence().Token())
		}
		release(t, s.audit, again)
	}
	release(t, newAudit(), next)
	return fmt.Sprintf("epoch %s, then %s", timeline(old), timeline(next))
}

func timeline(s *locks.Session) string { return fmt.Sprint("timeline ", s.Fence().Token()>>40) }
