package shop

import (
	"context"
	"database/sql"
)

const rowsOfOwner = `SELECT id, balance
	FROM accounts
	WHERE owner = ANY($1)
	FOR UPDATE`

func Literal(ctx context.Context, tx *sql.Tx, owners []int64) error {
	_, err := tx.QueryContext(ctx, "SELECT id FROM accounts WHERE owner = ANY($1) FOR UPDATE", owners) // want `a locking clause locks several rows of "accounts" in no fixed order`
	return err
}

func Constant(ctx context.Context, tx *sql.Tx, owners []int64) error {
	_, err := tx.QueryContext(ctx, rowsOfOwner, owners) // want `a locking clause locks several rows of "accounts" in no fixed order`
	return err
}

// The result has a column of the key's name, by which ORDER BY would sort.
func Renamed(ctx context.Context, tx *sql.Tx, owners []int64) error {
	_, err := tx.QueryContext(ctx, "SELECT balance AS id FROM accounts a WHERE owner = ANY($1) FOR NO KEY UPDATE", owners) // want `a locking clause locks several rows of "accounts" in no fixed order`
	return err
}

// A key of two columns, one of them a keyword.
func Quoted(ctx context.Context, tx *sql.Tx, days []string) error {
	_, err := tx.QueryContext(ctx, `SELECT * FROM entries WHERE "day" = ANY($1) FOR UPDATE`, days) // want `a locking clause locks several rows of "entries" in no fixed order`
	return err
}

// Which rows a LIMIT leaves is a matter of judgement.
func Limited(ctx context.Context, tx *sql.Tx, owners []int64) error {
	_, err := tx.QueryContext(ctx, "SELECT id FROM accounts WHERE owner = ANY($1) LIMIT 5 FOR UPDATE", owners) // want `a locking clause locks several rows of "accounts" in no fixed order`
	return err
}

// Without a primary key there is no order to choose.
func Keyless(ctx context.Context, tx *sql.Tx, owners []int64) error {
	_, err := tx.QueryContext(ctx, "SELECT owner FROM notes WHERE owner = ANY($1) FOR UPDATE", owners) // want `a locking clause locks several rows of "notes" in no fixed order`
	return err
}

// Offsets of an escaped text are not those of the text.
func Escaped(ctx context.Context, tx *sql.Tx, owners []int64) error {
	_, err := tx.QueryContext(ctx, "SELECT id\nFROM accounts WHERE owner = ANY($1) FOR UPDATE", owners) // want `a locking clause locks several rows of "accounts" in no fixed order`
	return err
}
