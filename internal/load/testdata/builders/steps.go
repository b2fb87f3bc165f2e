package builders

import (
	"context"
	"database/sql"

	"github.com/Masterminds/squirrel"
)

// A Query says which widgets are meant.
type Query struct {
	ID, Name, State, Before, After, Owner, Kind, Colour, Size *string
	Max                                                       uint64
	Lock                                                      bool
}

// Choose takes each of many steps or not; one of them locks.
func Choose(ctx context.Context, tx *sql.Tx, q Query) error {
	b := psql.Select("id").From("widgets")
	if q.ID != nil {
		b = b.Where(squirrel.Eq{"id": *q.ID})
	}
	if q.Name != nil {
		b = b.Where(squirrel.Eq{"name": *q.Name})
	}
	if q.State != nil {
		b = b.Where(squirrel.Eq{"state": *q.State})
	}
	if q.Before != nil {
		b = b.Where("deleted_at < ?", *q.Before)
	}
	if q.After != nil {
		b = b.Where("deleted_at > ?", *q.After)
		if q.Before == nil {
			b = b.OrderBy("deleted_at")
		}
	}
	if q.Owner != nil && q.Kind != nil {
		b = b.Where(squirrel.Eq{"name": *q.Owner})
	}
	if q.Colour != nil {
		b = b.Where(squirrel.Eq{"state": *q.Colour})
	} else if q.Size != nil {
		b = b.Where(squirrel.Eq{"state": *q.Size})
	}
	if q.Max > 0 {
		b = b.Limit(q.Max)
	}
	b = b.OrderBy("id")
	if q.Lock {
		b = b.Suffix("FOR UPDATE SKIP LOCKED")
	}
	text, args, err := b.ToSql()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, text, args...)
	return err
}

// Patch sets what it is given; one of the columns refers to widgets.
func Patch(ctx context.Context, tx *sql.Tx, id string, q Query) error {
	b := psql.Update("gadgets")
	if q.Name != nil {
		b = b.Set("name", *q.Name)
	}
	if q.State != nil {
		b = b.Set("state", *q.State)
	}
	if q.Owner != nil {
		b = b.Set("widget_id", *q.Owner)
	}
	if q.Kind != nil {
		b = b.Set("kind", *q.Kind)
	}
	if q.Colour != nil {
		b = b.Set("colour", *q.Colour)
	}
	if q.Size != nil {
		b = b.Set("size", *q.Size)
	}
	_, err := b.Where(squirrel.Eq{"id": id}).RunWith(tx).ExecContext(ctx)
	return err
}

// Put adds a row in each turn.
func Put(ctx context.Context, tx *sql.Tx, ids []string, widget string) error {
	b := psql.Insert("gadgets").Columns("id", "widget_id")
	for _, id := range ids {
		b = b.Values(id, widget)
	}
	_, err := b.RunWith(tx).ExecContext(ctx)
	return err
}

// Steps can be kept as method values.
var (
	selectOf = psql.Select
	updateOf = psql.Update
)

func Kept(ctx context.Context, tx *sql.Tx, id string) error {
	query, args, err := selectOf("id").From("gadgets").Where(squirrel.Eq{"id": id}).Suffix("FOR SHARE").ToSql()
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, query, args...); err != nil {
		return err
	}
	_, err = updateOf("gadgets").Set("state", "kept").Where(squirrel.Eq{"id": id}).RunWith(tx).ExecContext(ctx)
	return err
}
