package texts

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
)

// What these functions put into their texts is known when they run.

// unknown: a piece of the text stands where a locking clause can
func End(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT id FROM jobs WHERE id = $1 "+os.Getenv("SUFFIX"), 1)
	return err
}

// unknown: a piece of the text stands where a locking clause can
func EndOfValue(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT id FROM jobs WHERE id = $1"+os.Getenv("SUFFIX"), 1)
	return err
}

// unknown: a piece of the text stands where a locking clause can
func Alias(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("SELECT id FROM jobs %s", os.Getenv("WHERE")))
	return err
}

// unknown: a piece of the text stands where a locking clause can
func Inside(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("UPDATE jobs SET n = 1 WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT 5 %s)", os.Getenv("SUFFIX")))
	return err
}

// unknown: a piece of the text stands where a locking clause can
func Rest(ctx context.Context, tx *sql.Tx, one bool) error {
	rest := ""
	if one {
		rest = "WHERE id = " + os.Getenv("ID") + " " + os.Getenv("SUFFIX")
	}
	_, err := tx.ExecContext(ctx, "SELECT id FROM jobs "+rest)
	return err
}

// unknown: the text cannot be read without the pieces that the caller puts in
func Beginning(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "/* jobs */ "+os.Getenv("BASE")+" WHERE id = $1", 1)
	return err
}

// unknown: the text cannot be read without the pieces that the caller puts in
func Subquery(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("SELECT count(*) FROM (%s) q", os.Getenv("QUERY")))
	return err
}

// Names, values, lists, conditions and directions are told of by nothing.
func Names(ctx context.Context, tx *sql.Tx, desc bool) error {
	by := os.Getenv("DIR")
	if desc {
		by = "DESC"
	}
	for _, q := range []string{
		fmt.Sprintf("SELECT %s FROM jobs ORDER BY id %s", os.Getenv("COLUMNS"), by),
		fmt.Sprintf("SELECT id FROM jobs WHERE state = '%s'", os.Getenv("STATE")),
		fmt.Sprintf("SELECT id FROM jobs WHERE %s ORDER BY %s LIMIT %s", strings.Join(os.Args, " AND "), os.Getenv("BY"), os.Getenv("N")),
		fmt.Sprintf("SELECT count(*) FROM jobs WHERE id = $1 %s", os.Getenv("AND")),
		fmt.Sprintf("INSERT INTO jobs (id) VALUES ($1) %s", os.Getenv("CONFLICT")),
		fmt.Sprintf("SELECT id FROM jobs ORDER BY id %s", strings.ToUpper(os.Getenv("DIR"))),
	} {
		if _, err := tx.ExecContext(ctx, q, 1); err != nil {
			return err
		}
	}
	return nil
}

// A number of a parameter is some value.
//
// locks: row jobs FOR UPDATE wait
func Numbered(ctx context.Context, tx *sql.Tx, args ...any) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("SELECT id FROM jobs WHERE id = $%d FOR UPDATE", len(args)), args...)
	return err
}

// Two numbers alike are not two values alike.
//
// locks: row jobs FOR UPDATE wait
func NumberedTwice(ctx context.Context, tx *sql.Tx, args, others []any) error {
	q := fmt.Sprintf("SELECT id FROM jobs WHERE id = $%d FOR UPDATE", len(args))
	if _, err := tx.ExecContext(ctx, q, args...); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, q, others...)
	return err
}

// A list that is filled on some ways is sent on those.
func Listed(ctx context.Context, tx *sql.Tx, state, kind string) error {
	var sets []string
	if state != "" {
		sets = append(sets, "state = $2")
	}
	if len(sets) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf("UPDATE jobs SET %s WHERE id = $1", strings.Join(sets, ", ")), 1, state)
	return err
}

type shard struct{ table string }

// locks: table ? of texts.lockShard ACCESS EXCLUSIVE wait
func lockShard(ctx context.Context, tx *sql.Tx, s shard) error {
	return run(ctx, tx, fmt.Sprintf("LOCK TABLE %q IN ACCESS EXCLUSIVE MODE", s.table))
}

func run(ctx context.Context, tx *sql.Tx, text string) error {
	_, err := tx.ExecContext(ctx, text)
	return err
}

// Callers that do not know the name are no other locks.
func Shards(ctx context.Context, tx *sql.Tx, all map[string]shard) error {
	if err := lockShard(ctx, tx, all["a"]); err != nil {
		return err
	}
	return lockShard(ctx, tx, shard{table: os.Getenv("SHARD")})
}

var queries = map[string]string{
	"look": "SELECT id FROM jobs WHERE id = $1",
	"lock": "SELECT id FROM jobs WHERE id = $1 FOR UPDATE",
}

func Locks(ctx context.Context, tx *sql.Tx, id int64) error { return query(ctx, tx, "lock", id) }

func Looks(ctx context.Context, tx *sql.Tx, id int64) error { return query(ctx, tx, "look", id) }

// locks: row jobs FOR UPDATE wait
func query(ctx context.Context, tx *sql.Tx, name string, id int64) error {
	_, err := tx.ExecContext(ctx, queries[name], id)
	return err
}

// What a function does that the schema does not have is not known, though
// nothing else here locks.
//
// unknown: function admin.maintain is not in the schema
func Outside(ctx context.Context, db *sql.DB) (n int, err error) {
	err = db.QueryRowContext(ctx, "SELECT admin.maintain()").Scan(&n)
	return n, err
}

// unknown: function admin.ensure is not in the schema
func OutsideOn(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT * FROM admin.ensure($1)", 1)
	return err
}
