package order

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// What runs on the connection of a transaction is in the transaction.

func RawThenRow(ctx context.Context, tx pgx.Tx) error {
	if err := tx.Conn().PgConn().Exec(ctx, `SELECT pg_advisory_xact_lock(6012)`).Close(); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `SELECT 1 FROM raw_rows WHERE id = 1 FOR UPDATE`)
	return err
}

func RowThenRaw(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT 1 FROM raw_rows WHERE id = 1 FOR UPDATE`); err != nil {
		return err
	}
	return tx.Conn().PgConn().Exec(ctx, `SELECT pg_advisory_xact_lock(6012)`).Close() // want lock-order-cycle "advisory 6012 .exclusive. acquired while holding row \"raw_rows\""
}
