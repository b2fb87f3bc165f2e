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

// Tern reads a folder of github.com/jackc/tern: NNN_name.sql, numbered from 1
// without a gap, the text above "---- create above / drop below ----".
// Templates are refused. The table is public.schema_version.
func Tern(fsys fs.FS, dir string) (*Folder, error) {
	list, err := read(fsys, dir, func(name string) bool { return !leading.MatchString(name) })
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := list[i].fromTern(); err != nil {
			return nil, fmt.Errorf("sqldir: %s: %w", list[i].name, err)
		}
	}
	if err := numbered(list); err != nil {
		return nil, err
	}
	for i, f := range list {
		if f.version != int64(i+1) {
			return nil, fmt.Errorf("sqldir: %s: the files are numbered from 1 without a gap, and it is the one of place %d", f.name, i+1)
		}
	}
	return &Folder{list, ternTable{}}, nil
}

const (
	ternBelow = "---- create above / drop below ----"
	ternNoTx  = "---- tern: disable-tx ----"
)

func (f *file) fromTern() (err error) {
	if f.version, err = strconv.ParseInt(leading.FindStringSubmatch(f.name)[1], 10, 32); err != nil {
		return err
	}
	f.sql, _, _ = strings.Cut(f.sql, ternBelow)
	if strings.Contains(f.sql, "{{") {
		return errors.New("it is a template; run tern itself in a stage")
	}
	f.outside = strings.Contains(f.sql, ternNoTx)
	if !f.outside && bare(f.sql) {
		return errNoTx
	}
	return nil
}

type ternTable struct{}

func (ternTable) pending(ctx context.Context, c conn, _ string, all []file) ([]file, error) {
	err := script(ctx, c, `CREATE TABLE IF NOT EXISTS public.schema_version (version int4 NOT NULL);
		INSERT INTO public.schema_version (version) SELECT 0 WHERE NOT EXISTS (SELECT FROM public.schema_version)`)
	if err != nil {
		return nil, err
	}
	rows, err := c.Query(ctx, `SELECT version FROM public.schema_version`)
	if err != nil {
		return nil, err
	}
	version, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int32])
	if err != nil {
		return nil, fmt.Errorf("public.schema_version: %w", err)
	}
	return later(all, int64(version))
}

func (ternTable) begin(context.Context, conn, file) error { return nil }

func (ternTable) record(ctx context.Context, c conn, _ string, f file) error {
	//pglockdep:ignore unordered-multi-row-lock tern's table has one row
	_, err := c.Exec(ctx, `UPDATE public.schema_version SET version = $1`, f.version)
	return err
}
