package locks_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

// Families are package variables: a second one of the same name, or one that
// could make the same key, fails at start.
var (
	wallets = locks.MustFamily[int64]("wallet", locks.Serializes("Changes of one wallet's balance"))
	seats   = locks.MustPair[int32]("seat", 1042)
	sweep   = locks.MustConst("sweep", 8101)
)

// The order in which they are taken, the text that pglockdep checks too.
var order = locks.MustOrder(`
	sweep < wallet;
	wallet < seat; # a booking pays before it seats
`)

func open(ctx context.Context) *pgxpool.Pool {
	pool, err := pgxpool.New(ctx, os.Getenv(testdb.Env))
	if err != nil {
		panic(err)
	}
	return pool
}

func ExampleLocker_TryLock() {
	ctx := context.Background()
	pool := open(ctx)
	defer pool.Close()
	l, _ := locks.New(locks.Config{})

	err := l.InTx(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		granted, err := l.TryLock(ctx, tx, wallets.Key(42))
		if err != nil {
			return err
		}
		fmt.Println("first:", granted)
		return l.InTx(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
			granted, err := l.TryLock(ctx, tx, wallets.Key(42))
			fmt.Println("second:", granted) // not an error: somebody else is at it
			return err
		})
	})
	fmt.Println(err)

	_, err = l.TryLock(ctx, nil, wallets.Key(42))
	fmt.Println(errors.Is(err, locks.ErrNoTx))
	// Output:
	// first: true
	// second: false
	// <nil>
	// true
}

func ExampleLocker_LockAll() {
	ctx := context.Background()
	pool := open(ctx)
	defer pool.Close()
	l, _ := locks.New(locks.Config{Order: order, OrderMode: locks.OrderEnforce, Logger: slog.New(slog.DiscardHandler)})

	err := l.InTx(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		keys := append(wallets.Keys(7, 3), seats.Key(1)) // any order: LockAll has its own
		granted, err := l.LockAll(ctx, tx, keys, time.Second)
		fmt.Println(granted, err)
		return err
	})
	fmt.Println(err)

	// One by one, the declared order is kept at run time.
	err = l.InTx(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := l.Lock(ctx, tx, seats.Key(1), time.Second); err != nil {
			return err
		}
		_, err := l.Lock(ctx, tx, wallets.Key(7), time.Second)
		return err
	})
	fmt.Println(err)
	// Output:
	// true <nil>
	// <nil>
	// locks: Lock wallet:7: wallet:7 (exclusive) wanted while seat:1 (exclusive) is held; declared order: wallet < seat
}

func ExampleHolders() {
	ctx := context.Background()
	pool := open(ctx)
	defer pool.Close()
	l, _ := locks.New(locks.Config{})

	l.InTx(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local application_name = 'billing@pod-7'"); err != nil {
			return err
		}
		if _, err := l.TryLock(ctx, tx, sweep); err != nil {
			return err
		}
		list, err := locks.Holders(ctx, pool, sweep)
		if err != nil {
			return err
		}
		for _, h := range list {
			fmt.Println(h.Application, h.Mode, h.SinceFrom)
		}
		return nil
	})
	// Output:
	// billing@pod-7 exclusive transaction
}
