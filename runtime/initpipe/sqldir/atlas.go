package sqldir

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Atlas reads a folder of versioned migrations of atlas: VERSION_name.sql,
// beside atlas.sum, whose hashes are compared. "-- atlas:txmode none" runs a
// file without a transaction; checkpoints, imports and templates are refused.
// The table is atlas_schema_revisions in the schema of that name.
func Atlas(fsys fs.FS, dir string) (*Folder, error) {
	list, err := read(fsys, dir, func(string) bool { return false })
	if err != nil {
		return nil, err
	}
	sum, err := fs.ReadFile(fsys, path.Join(dir, "atlas.sum"))
	if err != nil {
		return nil, fmt.Errorf("sqldir: %w", err)
	}
	want := atlasSum(list)
	if string(sum) != want {
		return nil, errors.New("sqldir: atlas.sum does not match the files: one was changed, added or removed without atlas migrate hash")
	}
	for i := range list {
		if err := list[i].fromAtlas(); err != nil {
			return nil, fmt.Errorf("sqldir: %s: %w", list[i].name, err)
		}
	}
	return &Folder{list, atlasTable{}}, nil
}

// atlasSum computes atlas.sum, and sets the hash of each file: that of all
// files up to it.
func atlasSum(list []file) string {
	var lines strings.Builder
	chain, total := sha256.New(), sha256.New()
	for i, f := range list {
		fmt.Fprint(chain, f.name, f.sql)
		list[i].sum = base64.StdEncoding.EncodeToString(chain.Sum(nil))
		fmt.Fprint(total, f.name, list[i].sum)
		fmt.Fprintf(&lines, "%s h1:%s\n", f.name, list[i].sum)
	}
	return fmt.Sprintf("h1:%s\n%s", base64.StdEncoding.EncodeToString(total.Sum(nil)), lines.String())
}

func (f *file) fromAtlas() error {
	for line := range strings.Lines(f.sql) {
		note, ok := strings.CutPrefix(strings.TrimSpace(line), "-- atlas:")
		if !ok {
			continue
		}
		switch word, value, _ := strings.Cut(note, " "); {
		case word == "txmode" && strings.TrimSpace(value) == "none":
			f.outside = true
		case word == "txmode", word == "nolint":
		default:
			return fmt.Errorf("-- atlas:%s is not supported; run atlas itself in a stage", note)
		}
	}
	if !f.outside && bare(f.sql) {
		return errNoTx
	}
	return nil
}

type atlasTable struct{}

const atlasRevisions = `atlas_schema_revisions.atlas_schema_revisions`

func (f file) atlasVersion() (version, words string) {
	version, words, _ = strings.Cut(strings.TrimSuffix(f.name, ".sql"), "_")
	return version, words
}

func (atlasTable) pending(ctx context.Context, c conn, _ string, all []file) ([]file, error) {
	ok, err := exists(ctx, c, atlasRevisions)
	if err == nil && !ok {
		err = script(ctx, c, `CREATE SCHEMA IF NOT EXISTS atlas_schema_revisions;
CREATE TABLE `+atlasRevisions+` (
	version varchar NOT NULL PRIMARY KEY, description varchar NOT NULL, type bigint NOT NULL DEFAULT 2,
	applied bigint NOT NULL DEFAULT 0, total bigint NOT NULL DEFAULT 0, executed_at timestamptz NOT NULL,
	execution_time bigint NOT NULL, error text, error_stmt text, hash varchar NOT NULL, partial_hashes jsonb, operator_version varchar NOT NULL
)`)
	}
	if err != nil {
		return nil, err
	}
	rows, err := c.Query(ctx, `SELECT version, hash, applied < total FROM `+atlasRevisions+` WHERE version !~ '^\.'`)
	if err != nil {
		return nil, err
	}
	applied := map[string]string{}
	var version, hash string
	var partly bool
	_, err = pgx.ForEachRow(rows, []any{&version, &hash, &partly}, func() error {
		if partly {
			return fmt.Errorf("version %s was applied in part; see %s", version, atlasRevisions)
		}
		applied[version] = hash
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []file
	for _, f := range all {
		v, _ := f.atlasVersion()
		switch _, ok := applied[v]; {
		case !ok:
			out = append(out, f)
		case len(out) > 0:
			return nil, fmt.Errorf("%s is older than version %s, which was applied", out[0].name, v)
		}
		delete(applied, v)
	}
	for v := range applied {
		return nil, fmt.Errorf("version %s was applied and is not in the folder", v)
	}
	return out, nil
}

func (atlasTable) begin(context.Context, conn, file) error { return nil }

func (atlasTable) record(ctx context.Context, c conn, _ string, f file) error {
	version, words := f.atlasVersion()
	n := len(split(f.sql))
	_, err := c.Exec(ctx, `INSERT INTO `+atlasRevisions+` (version, description, type, applied, total, executed_at, execution_time, hash, operator_version)
		VALUES ($1, $2, 2, $3, $3, $4, 0, $5, 'pglockdep initpipe')`, version, words, n, time.Now(), f.sum)
	return err
}
