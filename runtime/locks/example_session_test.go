package locks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

var nightly = locks.MustFamily[string]("nightly", locks.Serializes("two runs of one report"))

func ExampleSessions_Do() {
	ctx := context.Background()
	locker, err := locks.New(locks.Config{})
	if err != nil {
		panic(err)
	}
	sessions, err := locker.OpenSessions(ctx, locks.SessionConfig{DSN: os.Getenv(testdb.Env)})
	if err != nil {
		panic(err)
	}
	defer sessions.Close()

	ran, err := sessions.Do(ctx, nightly.Key("report"), 0, func(ctx context.Context, s *locks.Session) error {
		// A second run, here or in another program, is told no.
		_, again, err := sessions.TryAcquire(context.Background(), s.Key())
		fmt.Println("second run:", again)
		return err
	})
	fmt.Println("first run:", ran, err)
	// Output:
	// second run: false
	// first run: true <nil>
}

// A write on another connection is refused once the lock has moved on.
func ExampleFence_Verify() {
	ctx := context.Background()
	dsn := os.Getenv(testdb.Env)
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		panic(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, locks.FenceDDL("example_fence")); err != nil {
		panic(err)
	}
	defer conn.Exec(ctx, "DROP TABLE example_fence")
	locker, err := locks.New(locks.Config{})
	if err != nil {
		panic(err)
	}
	sessions, err := locker.OpenSessions(ctx, locks.SessionConfig{DSN: dsn, FenceTable: "example_fence"})
	if err != nil {
		panic(err)
	}
	defer sessions.Close()

	write := func(f locks.Fence) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if err := f.Verify(ctx, tx); err != nil {
				return err
			}
			return nil // the writes come here
		})
	}
	s, ok, err := sessions.Acquire(ctx, nightly.Key("import"), time.Second)
	if err != nil || !ok {
		panic(err)
	}
	fence := s.Fence()
	fmt.Println("owner:", write(fence))
	if err := s.Release(ctx); err != nil {
		panic(err)
	}
	next, _, err := sessions.Acquire(ctx, nightly.Key("import"), time.Second)
	if err != nil {
		panic(err)
	}
	fmt.Println("after the next owner came:", errors.Is(write(fence), locks.ErrFenced))
	next.Release(ctx)
	// Output:
	// owner: <nil>
	// after the next owner came: true
}
