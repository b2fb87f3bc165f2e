package sqldir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Migrate reads a folder of github.com/golang-migrate/migrate: the files
// NNN_name.up.sql. The table is schema_migrations. A database that is marked
// dirty is refused. As with migrate, a file that was applied without a
// transaction and failed leaves that mark.
func Migrate(fsys fs.FS, dir string) (*Folder, error) {
	list, err := read(fsys, dir, func(name string) bool {
		return !leading.MatchString(name) || !strings.HasSuffix(name, ".up.sql")
	})
	if err != nil {
		return nil, err
	}
	for i, f := range list {
		if list[i].version, err = strconv.ParseInt(leading.FindStringSubmatch(f.name)[1], 10, 64); err != nil {
			return nil, fmt.Errorf("sqldir: %s: %w", f.name, err)
		}
		list[i].outside = bare(f.sql)
	}
	return &Folder{list, migrateTable{}}, numbered(list)
}

type migrateTable struct{}

func (migrateTable) pending(ctx context.Context, c conn, _ string, all []file) ([]file, error) {
	if err := script(ctx, c, `CREATE TABLE IF NOT EXISTS schema_migrations (version bigint NOT NULL PRIMARY KEY, dirty boolean NOT NULL)`); err != nil {
		return nil, err
	}
	var version int64
	var dirty bool
	err := c.QueryRow(ctx, `SELECT version, dirty FROM schema_migrations LIMIT 1`).Scan(&version, &dirty)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return all, nil
	case err != nil:
		return nil, err
	case dirty:
		return nil, fmt.Errorf("version %d is marked dirty: find out how much of it was applied, complete or undo it, and clear the mark in schema_migrations", version)
	}
	return later(all, version)
}

func (migrateTable) begin(ctx context.Context, c conn, f file) error {
	return setMigrate(ctx, c, f, true)
}

func (migrateTable) record(ctx context.Context, c conn, _ string, f file) error {
	return setMigrate(ctx, c, f, false)
}

func setMigrate(ctx context.Context, c conn, f file, dirty bool) error {
	//pglockdep:ignore unordered-multi-row-lock golang-migrate's table has one row
	_, err := c.Exec(ctx, `WITH old AS (DELETE FROM schema_migrations WHERE version <> $1)
		INSERT INTO schema_migrations (version, dirty) VALUES ($1, $2) ON CONFLICT (version) DO UPDATE SET dirty = excluded.dirty`, f.version, dirty)
	return err
}
