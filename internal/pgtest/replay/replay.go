// Package replay plays the sides of a cycle on a real server.
//
// A schema and, for each side, statements enter; what the server said to each
// side leaves. The package knows nothing of the analysis: it shows whether a
// cycle that was reported, or one that was ruled out, is one on the server.
package replay

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Deadlock is the code of the error that ends one side of a deadlock
// (manual of version 16, appendix A).
const Deadlock = "40P01"

// A Case is a cycle to play: every side runs its first part, one side after
// the other; then all run their second part at once, and commit.
type Case struct {
	Schema string
	Sides  []Side
}

// A Side is one session.
type Side struct {
	First, Then []string
}

// limit bounds a play: a wait that nobody ends is an error.
const limit = 30 * time.Second

// Play runs the case in a schema of its own, which it drops, and returns the
// error code that each side got, "" where it committed.
func Play(ctx context.Context, dsn, name string, c Case) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conns := make([]*pgx.Conn, len(c.Sides))
	for i := range conns {
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
		defer conn.Close(context.Background())
		if _, err := conn.Exec(ctx, `SET search_path = `+pgx.Identifier{name}.Sanitize()); err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
		conns[i] = conn
	}
	if _, err := conns[0].Exec(ctx, `CREATE SCHEMA `+pgx.Identifier{name}.Sanitize()+`; `+c.Schema); err != nil {
		return nil, fmt.Errorf("replay: schema: %w", err)
	}
	defer conns[0].Exec(context.Background(), `DROP SCHEMA `+pgx.Identifier{name}.Sanitize()+` CASCADE`)
	for i, side := range c.Sides {
		if _, err := conns[i].Exec(ctx, "BEGIN"); err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
		for _, q := range side.First {
			if _, err := conns[i].Exec(ctx, q); err != nil {
				return nil, fmt.Errorf("replay: side %d: %s: %w", i+1, q, err)
			}
		}
	}
	codes, errs := make([]string, len(c.Sides)), make([]error, len(c.Sides))
	var all sync.WaitGroup
	for i, side := range c.Sides {
		all.Go(func() { codes[i], errs[i] = finish(ctx, conns[i], side.Then) })
	}
	all.Wait()
	return codes, errors.Join(errs...)
}

// finish runs the statements and commits; it returns the code of the error
// that ended the transaction.
func finish(ctx context.Context, conn *pgx.Conn, statements []string) (code string, err error) {
	for _, q := range append(statements[:len(statements):len(statements)], "COMMIT") {
		if _, err := conn.Exec(ctx, q); err != nil {
			var said *pgconn.PgError
			if !errors.As(err, &said) {
				return "", fmt.Errorf("replay: %s: %w", q, err)
			}
			_, rerr := conn.Exec(ctx, "ROLLBACK")
			return said.Code, rerr
		}
	}
	return "", nil
}
