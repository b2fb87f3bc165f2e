package many

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"drivers.test/texts"
)

// The text is a file that another package embeds.
func PutLinks(ctx context.Context, pool *pgxpool.Pool, src, dst []int64, kind []string) error {
	_, err := pool.Exec(ctx, texts.Upsert, src, dst, kind) // want unordered-multi-row-lock "INSERT locks several rows of \"mz_links\" in no fixed order"
	return err
}
