// Package sqlboiler locks through models that volatiletech/sqlboiler generated
// from schema.sql.
//
// library: sqlboiler
// lacks: Helper Savepoint Pinned Prepared Batch Copy Named
package sqlboiler

import (
	"context"
	"database/sql"

	"github.com/volatiletech/sqlboiler/v4/boil"
	"github.com/volatiletech/sqlboiler/v4/queries"
	"github.com/volatiletech/sqlboiler/v4/queries/qm"

	"libraries.test/sqlboiler/models"
)

// locks: row accounts FOR UPDATE in pool
func Text(ctx context.Context, db *sql.DB, id int64) error {
	_, err := queries.Raw(`SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id).ExecContext(ctx, db)
	return err
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, id int64) error {
	tx, err := boil.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := models.Accounts(models.AccountWhere.ID.EQ(id), qm.For("UPDATE")).One(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// locks: row accounts FOR UPDATE in caller; row entries FOR UPDATE skip locked in caller
func Clause(ctx context.Context, tx *sql.Tx, id int64, owner string) error {
	mods := []qm.QueryMod{qm.Where("id = ?", id), qm.For("UPDATE")}
	if owner != "" {
		mods = append(mods, models.AccountWhere.Owner.EQ(owner))
	}
	if _, err := models.Accounts(mods...).All(ctx, tx); err != nil {
		return err
	}
	q := models.Entries(models.EntryWhere.AccountID.EQ(id), qm.OrderBy(models.EntryColumns.ID))
	qm.Apply(q.Query, qm.For("UPDATE SKIP LOCKED"))
	_, err := q.All(ctx, tx)
	return err
}

// locks: row accounts FOR NO KEY UPDATE in caller; row entries FOR UPDATE in caller
func Change(ctx context.Context, tx *sql.Tx, a *models.Account) error {
	a.Balance++
	if _, err := a.Update(ctx, tx, boil.Infer()); err != nil {
		return err
	}
	if err := (&models.Entry{ID: 1, AccountID: a.ID}).Insert(ctx, tx, boil.Infer()); err != nil {
		return err
	}
	_, err := models.Entries(models.EntryWhere.AccountID.EQ(a.ID)).DeleteAll(ctx, tx)
	return err
}

// locks: row accounts FOR UPDATE in pool
func Struct(ctx context.Context, db *sql.DB, id int64) (balance int64, err error) {
	var row struct{ Balance int64 }
	err = models.NewQuery(qm.Select("balance"), qm.From("accounts"), qm.Where("id = ?", id), qm.For("UPDATE")).Bind(ctx, db, &row)
	return row.Balance, err
}

// locks: row accounts FOR UPDATE in caller
func Either(ctx context.Context, exec boil.ContextExecutor, id int64) error {
	_, err := models.Accounts(qm.Where("id = ?", id), qm.For("UPDATE")).One(ctx, exec)
	return err
}
