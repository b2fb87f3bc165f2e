// Package sqldir makes a stage of an init pipeline from a folder of SQL files,
// as goose, golang-migrate, tern or atlas lay it out, or a plain one.
//
// A folder of an fs.FS enters (an embed.FS, os.DirFS); a stage leaves that
// applies what has not been applied, and keeps the table in which the tool
// keeps that, so that both can work on one database by turns. The tools
// themselves are not linked. The package knows neither migrations in Go nor
// templates nor down migrations: what it cannot apply as the tool would is an
// error when the folder is read.
package sqldir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pglockdep/pglockdep/runtime/initpipe"
)

// A Folder is a folder of SQL files that was read and understood.
type Folder struct {
	files []file // in the order in which they are applied
	table table
}

// A file is one migration.
type file struct {
	name    string
	version int64  // of goose, golang-migrate and tern
	sum     string // of atlas and plain folders
	sql     string
	outside bool // without a transaction
}

// A table is how a tool records what it has applied.
type table interface {
	// pending makes the table where it is not, and returns the files that
	// have not been applied.
	pending(ctx context.Context, c conn, stage string, all []file) ([]file, error)
	// begin records that a file is being applied outside of a transaction.
	begin(ctx context.Context, c conn, f file) error
	// record records that a file has been applied.
	record(ctx context.Context, c conn, stage string, f file) error
}

// A conn is a connection or a transaction.
type conn interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
	Query(context.Context, string, ...any) (pgx.Rows, error)
	QueryRow(context.Context, string, ...any) pgx.Row
}

// Stage returns the stage that applies the folder. Its version is the number
// of files, so that it runs again when one is added.
//
// The pending files are applied in one transaction, all or none. When any file
// of the folder wants none (CREATE INDEX CONCURRENTLY), the stage runs outside
// of a transaction: each file is then applied in one of its own, but for those
// that want none.
func (f *Folder) Stage(name string) initpipe.Stage {
	s := initpipe.Stage{Name: name, Version: len(f.files)}
	if slices.ContainsFunc(f.files, func(f file) bool { return f.outside }) {
		s.RunConn = func(ctx context.Context, c *pgx.Conn, p *initpipe.Progress) error { return f.one(ctx, c, name, p) }
	} else {
		s.Run = func(ctx context.Context, tx pgx.Tx, p *initpipe.Progress) error { return f.all(ctx, tx, name, p) }
	}
	return s
}

// Files returns the names of the files, in the order in which they are applied.
func (f *Folder) Files() []string {
	out := make([]string, len(f.files))
	for i, f := range f.files {
		out[i] = f.name
	}
	return out
}

// all applies what is pending in one transaction.
func (f *Folder) all(ctx context.Context, tx pgx.Tx, stage string, p *initpipe.Progress) error {
	list, err := f.table.pending(ctx, tx, stage, f.files)
	if err != nil {
		return err
	}
	for i, file := range list {
		p.Step(file.name)
		p.Count(int64(i), int64(len(list)))
		if err := f.apply(ctx, tx, stage, file); err != nil {
			return err
		}
	}
	p.Count(int64(len(list)), int64(len(list)))
	return nil
}

func (f *Folder) apply(ctx context.Context, c conn, stage string, file file) error {
	if err := script(ctx, c, file.sql); err != nil {
		return fmt.Errorf("%s: %w", file.name, err)
	}
	if err := f.table.record(ctx, c, stage, file); err != nil {
		return fmt.Errorf("recording %s: %w", file.name, err)
	}
	return nil
}

// one applies what is pending file by file.
func (f *Folder) one(ctx context.Context, c *pgx.Conn, stage string, p *initpipe.Progress) error {
	list, err := f.table.pending(ctx, c, stage, f.files)
	if err != nil {
		return err
	}
	for i, file := range list {
		p.Step(file.name)
		p.Count(int64(i), int64(len(list)))
		if file.outside {
			err = f.bare(ctx, c, stage, file)
		} else {
			err = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return f.apply(ctx, tx, stage, file) })
		}
		if err != nil {
			return err
		}
	}
	p.Count(int64(len(list)), int64(len(list)))
	return nil
}

// bare applies a file without a transaction, statement by statement.
func (f *Folder) bare(ctx context.Context, c *pgx.Conn, stage string, file file) error {
	if err := f.table.begin(ctx, c, file); err != nil {
		return fmt.Errorf("recording %s: %w", file.name, err)
	}
	for _, sql := range split(file.sql) {
		if err := script(ctx, c, sql); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
	}
	if err := f.table.record(ctx, c, stage, file); err != nil {
		return fmt.Errorf("recording %s: %w", file.name, err)
	}
	return nil
}

func script(ctx context.Context, c conn, sql string) error {
	_, err := c.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	return err
}

// read returns the SQL files of a folder by name, without those that skip
// says yes to. A folder without any is an error: it is a wrong path.
func read(fsys fs.FS, dir string, skip func(string) bool) ([]file, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("sqldir: %w", err)
	}
	var out []file
	for _, e := range entries { // by name
		if e.IsDir() || path.Ext(e.Name()) != ".sql" || skip(e.Name()) {
			continue
		}
		b, err := fs.ReadFile(fsys, path.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("sqldir: %w", err)
		}
		out = append(out, file{name: e.Name(), sql: strings.TrimPrefix(string(b), "\ufeff")})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("sqldir: %s has no SQL files of this format", dir)
	}
	return out, nil
}

// numbered sorts files by version, and refuses two of one.
func numbered(list []file) error {
	slices.SortStableFunc(list, func(a, b file) int {
		switch {
		case a.version < b.version:
			return -1
		case a.version > b.version:
			return 1
		}
		return 0
	})
	for i := 1; i < len(list); i++ {
		if list[i].version == list[i-1].version {
			return fmt.Errorf("sqldir: %s and %s have one version", list[i-1].name, list[i].name)
		}
	}
	return nil
}

// later returns the files after version, of a tool that keeps one number.
func later(all []file, version int64) ([]file, error) {
	at := slices.IndexFunc(all, func(f file) bool { return f.version > version })
	if version > 0 && !slices.ContainsFunc(all, func(f file) bool { return f.version == version }) {
		return nil, fmt.Errorf("the database is at version %d, which no file of the folder has", version)
	}
	if at < 0 {
		return nil, nil
	}
	return all[at:], nil
}

// exists reports whether a table is there.
func exists(ctx context.Context, c conn, table string) (ok bool, err error) {
	err = c.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, table).Scan(&ok)
	return ok, err
}

var errNoTx = errors.New("it has statements that no transaction may contain; mark it as the tool wants it")
