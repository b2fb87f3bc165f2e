package carried

import (
	"context"
	"database/sql"
	"fmt"
)

type txKind struct{}

type rawStore interface{ Raw() *sql.DB }

type kindStore struct{ db *sql.DB }

func (p *kindStore) Raw() *sql.DB { return p.db }

func beginKind(s rawStore) (*sql.Tx, error) {
	tx, err := s.Raw().Begin()
	if err != nil {
		return tx, fmt.Errorf("x: %w", err)
	}
	return tx, nil
}

func kindTx(ctx context.Context, s rawStore) (context.Context, *sql.Tx, func(), func() error, error) {
	tx, has := ctx.Value(txKind{}).(*sql.Tx)
	if !has {
		tx, err := beginKind(s)
		if err != nil || tx == nil {
			return ctx, nil, func() {}, func() error { return nil }, fmt.Errorf("failed: %w", err)
		}
		ctx = context.WithValue(ctx, txKind{}, tx)
		return ctx, tx, func() { tx.Rollback() }, func() error { return tx.Commit() }, nil
	}
	return ctx, tx, func() {}, func() error { return nil }, nil
}

// Count begins no other transaction: the context has one, by its type.
func (p *kindStore) Count(ctx context.Context, id int64) error {
	ctx, _, rollback, commit, err := kindTx(ctx, p)
	if err != nil {
		return err
	}
	defer rollback()
	return commit()
}

func (p *kindStore) Connect(ctx context.Context, id int64) error {
	ctx, tx, rollback, commit, err := kindTx(ctx, p)
	if err != nil {
		return err
	}
	defer rollback()
	if _, err := tx.Exec(`SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	if err := p.Count(ctx, id); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE accounts SET cents = 1 WHERE id = $1`, id); err != nil {
		return err
	}
	return commit()
}
