// Package content is the init pipeline of the example service: tables, static
// data, notes and an index. What enters is a connection string; a
// configuration leaves, which the service and the init container share.
package content

import (
	"context"
	"embed"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/initpipe"
	"github.com/pglockdep/pglockdep/runtime/initpipe/sqldir"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

//go:embed schema/*.sql
var schema embed.FS

// Config returns the pipeline on the database that dsn names. pace makes the
// notes take their time, so that a demonstration has something to show.
func Config(dsn string, pace time.Duration, log *slog.Logger) (initpipe.Config, error) {
	tables, err := sqldir.Plain(schema, "schema")
	if err != nil {
		return initpipe.Config{}, err
	}
	create := tables.Stage("schema")
	create.Title = "Create tables"
	return initpipe.Config{
		Name:       "content",
		Session:    locks.SessionConfig{DSN: dsn},
		Logger:     log,
		RunTimeout: 10 * time.Minute,
		Stages: []initpipe.Stage{
			create,
			{Name: "courses", Title: "Seed courses", Run: courses},
			{Name: "notes", Title: "Write notes", Timeout: 5 * time.Minute, Run: notes(pace)},
			{Name: "index", Title: "Build the index of titles", RunConn: titles},
		},
	}, nil
}

type course struct{ slug, title string }

var list = []course{
	{"locks", "Locks in order"}, {"keys", "Typed keys"}, {"fences", "Fences"}, {"poolers", "Poolers"}, {"runs", "One run at a time"},
}

func courses(ctx context.Context, tx pgx.Tx, p *initpipe.Progress) error {
	// Upserts lock rows: all of them in the order of their key.
	list := slices.SortedFunc(slices.Values(list), func(a, b course) int { return strings.Compare(a.slug, b.slug) })
	for i, c := range list {
		p.Step(c.title)
		_, err := tx.Exec(ctx, `INSERT INTO course (slug, title) VALUES ($1, $2) ON CONFLICT (slug) DO UPDATE SET title = excluded.title`, c.slug, c.title)
		if err != nil {
			return err
		}
		p.Count(int64(i+1), int64(len(list)))
	}
	return nil
}

func notes(pace time.Duration) func(context.Context, pgx.Tx, *initpipe.Progress) error {
	return func(ctx context.Context, tx pgx.Tx, p *initpipe.Progress) error {
		for i, c := range list {
			p.Step(c.title)
			_, err := tx.Exec(ctx, `INSERT INTO note (course, body) VALUES ($1, $2) ON CONFLICT (course, body) DO NOTHING`, c.slug, fmt.Sprintf("Read about %s.", c.slug))
			if err != nil {
				return err
			}
			p.Count(int64(i+1), int64(len(list)))
			if pace > 0 && !p.DryRun() {
				select {
				case <-time.After(pace):
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return nil
	}
}

// titles builds an index while others write. One that a run before left
// invalid is dropped first.
func titles(ctx context.Context, conn *pgx.Conn, p *initpipe.Progress) error {
	p.Step("drop what is invalid")
	var invalid bool
	err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('course_title') AND NOT indisvalid)`).Scan(&invalid)
	if err != nil {
		return err
	}
	if invalid {
		if _, err := conn.Exec(ctx, `DROP INDEX CONCURRENTLY course_title`); err != nil {
			return err
		}
	}
	p.Step("build")
	_, err = conn.Exec(ctx, `CREATE INDEX CONCURRENTLY IF NOT EXISTS course_title ON course (lower(title))`)
	return err
}
