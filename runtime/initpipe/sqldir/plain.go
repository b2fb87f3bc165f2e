package sqldir

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// Plain reads a folder of SQL files without a tool. They are applied by name,
// each once, and recorded in the table initpipe_file with their hash: a file
// that was changed after it was applied is an error, and so is one that is
// gone. Files with statements that no transaction may contain run without one.
func Plain(fsys fs.FS, dir string) (*Folder, error) {
	list, err := read(fsys, dir, func(string) bool { return false })
	if err != nil {
		return nil, err
	}
	for i, f := range list {
		sum := sha256.Sum256([]byte(f.sql))
		list[i].sum, list[i].outside = hex.EncodeToString(sum[:]), bare(f.sql)
	}
	return &Folder{list, plainTable{}}, nil
}

type plainTable struct{}

func (plainTable) pending(ctx context.Context, c conn, stage string, all []file) ([]file, error) {
	_, err := c.Exec(ctx, `CREATE TABLE IF NOT EXISTS initpipe_file (
    folder text NOT NULL,
    name text NOT NULL,
    sum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (folder, name)
)`)
	if err != nil {
		return nil, err
	}
	rows, err := c.Query(ctx, `SELECT name, sum FROM initpipe_file WHERE folder = $1`, stage)
	if err != nil {
		return nil, err
	}
	applied := map[string]string{}
	var name, sum string
	_, err = pgx.ForEachRow(rows, []any{&name, &sum}, func() error {
		applied[name] = sum
		return nil
	})
	if err != nil {
		return nil, err
	}
	return unapplied(all, applied)
}

// unapplied compares the files with what was applied, by name and hash.
func unapplied(all []file, applied map[string]string) ([]file, error) {
	var out []file
	for _, f := range all {
		switch sum, ok := applied[f.name]; {
		case !ok:
			out = append(out, f)
		case sum != f.sum:
			return nil, fmt.Errorf("%s was changed after it was applied; put the change into a new file", f.name)
		}
		delete(applied, f.name)
	}
	for name := range applied {
		return nil, fmt.Errorf("%s was applied and is not in the folder", name)
	}
	return out, nil
}

func (plainTable) begin(context.Context, conn, file) error { return nil }

func (plainTable) record(ctx context.Context, c conn, stage string, f file) error {
	_, err := c.Exec(ctx, `INSERT INTO initpipe_file (folder, name, sum) VALUES ($1, $2, $3)`, stage, f.name, f.sum)
	return err
}
