// Package gormgen locks through queries that gorm.io/gen generated.
//
// library: gorm.io/gen
// lacks: Text Pinned Prepared Batch Copy Named
package gormgen

import (
	"context"

	"gorm.io/gorm/clause"

	"libraries.test/gormgen/model"
	"libraries.test/gormgen/query"
)

//go:generate go run ./generate

var forUpdate = clause.Locking{Strength: "UPDATE"}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, q *query.Query, id int64) error {
	tx := q.Begin()
	defer tx.Rollback()
	if _, err := tx.Account.WithContext(ctx).Clauses(forUpdate).Where(tx.Account.ID.Eq(id)).First(); err != nil {
		return err
	}
	return tx.Commit()
}

// locks: row accounts FOR UPDATE in tx
func Helper(ctx context.Context, q *query.Query, id int64) error {
	return q.Transaction(func(tx *query.Query) error {
		_, err := tx.Account.WithContext(ctx).Where(tx.Account.ID.Eq(id)).Clauses(forUpdate).Take()
		return err
	})
}

// locks: row accounts FOR UPDATE in savepoint
func Savepoint(ctx context.Context, q *query.Query, id int64) error {
	return q.Transaction(func(tx *query.Query) error {
		return tx.Transaction(func(inner *query.Query) error {
			_, err := inner.Account.WithContext(ctx).Where(inner.Account.ID.Eq(id)).Clauses(forUpdate).Take()
			return err
		})
	})
}

// locks: row accounts FOR UPDATE in tx; row entries FOR UPDATE skip locked in tx
func Clause(ctx context.Context, q *query.Query, id int64) error {
	return q.Transaction(func(tx *query.Query) error {
		a, e := tx.Account, tx.Entry
		if _, err := a.WithContext(ctx).Clauses(forUpdate).Where(a.ID.Eq(id), a.Owner.Neq("")).First(); err != nil {
			return err
		}
		_, err := e.WithContext(ctx).Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).
			Where(e.AccountID.Eq(id)).Order(e.ID).Find()
		return err
	})
}

// locks: row accounts FOR NO KEY UPDATE in tx; row entries FOR UPDATE in tx
func Change(ctx context.Context, q *query.Query, id int64) error {
	return q.Transaction(func(tx *query.Query) error {
		a := tx.Account
		if _, err := a.WithContext(ctx).Where(a.ID.Eq(id)).UpdateSimple(a.Balance.Add(1)); err != nil {
			return err
		}
		if err := tx.Entry.WithContext(ctx).Create(&model.Entry{ID: 1, AccountID: id}); err != nil {
			return err
		}
		_, err := tx.Entry.WithContext(ctx).Where(tx.Entry.AccountID.Eq(id)).Delete()
		return err
	})
}

// locks: row accounts FOR UPDATE in pool
func Struct(ctx context.Context, id int64) (*model.Account, error) {
	a := query.Account
	return a.WithContext(ctx).Clauses(forUpdate).Where(a.ID.Eq(id)).First()
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, q *query.Query, id int64) error {
	_, err := q.WithContext(ctx).Account.Clauses(forUpdate).Where(q.Account.ID.Eq(id)).First()
	return err
}
