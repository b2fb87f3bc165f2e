package locks

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A Querier reads rows: a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// probes are hashed here and by the server: within one block of the hash, a
// whole block, more than one, and text beyond ASCII.
var probes = []string{"lifecycle:42", "invoice:1234567890123", "tenant:été", "order:漢字"}

// VerifyHash asks the server whether it hashes as this package does, and
// fails with ErrHash when it does not: its database has another encoding, or
// the machine another byte order. Locks taken through this package exclude
// each other all the same; those of code that hashes in SQL would not meet
// them.
func VerifyHash(ctx context.Context, db Querier) error {
	encoding, err := serverEncoding(ctx, db)
	if err != nil {
		return fmt.Errorf("locks: checking the hash: %w", err)
	}
	texts := probes
	if encoding != "UTF8" {
		texts = probes[:2] // the others may not exist there
	}
	rows, err := db.Query(ctx, `select t, hashtextextended(t collate "C", 0), hashtextextended(t collate "C", 7) from unnest($1::text[]) as p(t)`, texts)
	if err != nil {
		return fmt.Errorf("locks: checking the hash: %w", err)
	}
	defer rows.Close()
	var wrong []string
	for rows.Next() {
		var text string
		var plain, seeded int64
		if err := rows.Scan(&text, &plain, &seeded); err != nil {
			return fmt.Errorf("locks: checking the hash: %w", err)
		}
		if plain != HashTextExtended(text, 0) || seeded != HashTextExtended(text, 7) {
			wrong = append(wrong, fmt.Sprintf("%q", text))
		}
	}
	switch err := rows.Err(); {
	case err != nil:
		return fmt.Errorf("locks: checking the hash: %w", err)
	case len(wrong) > 0:
		return fmt.Errorf("locks: %w: %s, as on a big-endian machine; let no other code hash in SQL", ErrHash, strings.Join(wrong, ", "))
	case encoding != "UTF8":
		return fmt.Errorf("locks: %w: the database has encoding %s, where ids beyond ASCII have other bytes and so other keys; use a UTF8 database, or ASCII ids alone", ErrHash, encoding)
	}
	return nil
}

func serverEncoding(ctx context.Context, db Querier) (string, error) {
	rows, err := db.Query(ctx, "select current_setting('server_encoding')")
	if err != nil {
		return "", err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
}
