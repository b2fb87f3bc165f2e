// Package gorm locks through gorm.io/gorm.
//
// library: gorm
// lacks: Batch Copy
package gorm

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// An Account is a row of accounts.
type Account struct {
	ID      int64
	Owner   string
	Balance int64
}

// An Entry is a row of entries.
type Entry struct {
	ID        int64
	AccountID int64
	Amount    int64
}

// A Hold is a row of holds.
type Hold struct {
	ID        int64
	AccountID int64
}

// Holds is a list of rows.
type Holds []*Hold

// A Receipt is a row of receipts.
type Receipt struct {
	ID        int64
	AccountID int64
}

// locks: row accounts FOR UPDATE in caller; row entries FOR UPDATE in caller
func Text(ctx context.Context, db *gorm.DB, id int64) (a Account, err error) {
	if err := db.WithContext(ctx).Raw(`SELECT * FROM accounts WHERE id = ? FOR UPDATE`, id).Scan(&a).Error; err != nil {
		return a, err
	}
	return a, db.Exec(`SELECT 1 FROM entries WHERE account_id = ? ORDER BY id FOR UPDATE`, id).Error
}

// locks: row accounts FOR UPDATE in tx
func Begin(ctx context.Context, db *gorm.DB, id int64) error {
	tx := db.WithContext(ctx).Begin()
	if tx.Error != nil {
		return tx.Error
	}
	defer tx.Rollback()
	if err := tx.Exec(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id).Error; err != nil {
		return err
	}
	return tx.Commit().Error
}

// locks: row accounts FOR UPDATE in tx
func Helper(ctx context.Context, db *gorm.DB, id int64) error {
	return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		return tx.Exec(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id).Error
	})
}

// locks: row accounts FOR UPDATE in savepoint; row entries FOR UPDATE nowait in tx
func Savepoint(ctx context.Context, db *gorm.DB, id int64) error {
	return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Transaction(func(tx *gorm.DB) error {
			return tx.Exec(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id).Error
		}); err != nil {
			return err
		}
		tx.SavePoint("entries")
		if err := tx.Exec(`SELECT 1 FROM entries WHERE account_id = ? ORDER BY id FOR UPDATE NOWAIT`, id).Error; err != nil {
			return tx.RollbackTo("entries").Error
		}
		return nil
	})
}

// forShare is a scope.
func forShare(db *gorm.DB) *gorm.DB { return db.Clauses(clause.Locking{Strength: "SHARE"}) }

// locks: row accounts FOR UPDATE in tx; row entries FOR UPDATE skip locked in tx; row entries FOR SHARE in tx; row holds FOR UPDATE in tx; row holds FOR NO KEY UPDATE in tx; row receipts FOR SHARE in tx
func Clause(ctx context.Context, db *gorm.DB, id int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var a Account
		if err := tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).First(&a, id).Error; err != nil {
			return err
		}
		var entries []Entry
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: clause.LockingOptionsSkipLocked}).
			Where("account_id = ?", id).Order("id").Find(&entries).Error; err != nil {
			return err
		}
		if err := tx.Scopes(forShare).Where(&Entry{AccountID: id}).Order("id").Find(&entries).Error; err != nil {
			return err
		}
		return dropped(tx, id, id > 0)
	})
}

// dropped locks holds and, if one, receipts: a step whose result nobody uses
// changes a chain that has been begun, and no other. Then it locks what it finds.
func dropped(db *gorm.DB, id int64, one bool) error {
	var h Hold
	var r Receipt
	db.Clauses(clause.Locking{Strength: "KEY SHARE"})
	if err := db.First(&h).Error; err != nil {
		return err
	}
	if db.Name() == "sqlite" { // it is not
		return db.Clauses(clause.Locking{Strength: "KEY SHARE"}).First(&r).Error
	}
	query := db.Model(&Hold{})
	query.Clauses(clause.Locking{Strength: "UPDATE"})
	if one {
		query = query.Where("id = ?", id)
	}
	if err := query.First(&h).Error; err != nil {
		return err
	}
	apart := db.Where("account_id = ?", id).Session(&gorm.Session{})
	apart.Clauses(clause.Locking{Strength: "KEY SHARE"})
	if err := apart.First(&r).Error; err != nil {
		return err
	}
	last := apart.Order("id")
	if one {
		last.Clauses(clause.Locking{Strength: "SHARE"})
	}
	if err := last.First(&r).Error; err != nil {
		return err
	}
	var list Holds
	return db.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("account_id = ?", id).Find(&list).Error
}

// locks: row accounts FOR NO KEY UPDATE in tx; row entries FOR UPDATE in tx
func Change(ctx context.Context, db *gorm.DB, id int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Model(&Account{}).Where("id = ?", id).Update("balance", 0).Error; err != nil {
			return err
		}
		return tx.Where("account_id = ?", id).Delete(&Entry{}).Error
	})
}

// locks: advisory 7 exclusive in conn
func Pinned(ctx context.Context, db *gorm.DB) error {
	return db.WithContext(ctx).Connection(func(tx *gorm.DB) error {
		if err := tx.Exec(`SELECT pg_advisory_lock(7)`).Error; err != nil {
			return err
		}
		return tx.WithContext(context.WithoutCancel(ctx)).Exec(`SELECT pg_advisory_unlock(7)`).Error
	})
}

// locks: row accounts FOR UPDATE in caller
func Prepared(ctx context.Context, db *gorm.DB, id int64) error {
	tx := db.Session(&gorm.Session{PrepareStmt: true, Context: ctx})
	return tx.Exec(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id).Error
}

// locks: row accounts FOR UPDATE in caller
func Named(ctx context.Context, db *gorm.DB, id int64) error {
	return db.WithContext(ctx).Exec(`SELECT 1 FROM accounts WHERE id = @id FOR UPDATE`, map[string]any{"id": id}).Error
}

// locks: row accounts FOR UPDATE in caller
func Struct(ctx context.Context, db *gorm.DB, id int64) (a Account, err error) {
	err = db.WithContext(ctx).Raw(`SELECT * FROM accounts WHERE id = ? FOR UPDATE`, id).First(&a).Error
	return a, err
}

// locks: row accounts FOR UPDATE in caller
func Either(db *gorm.DB, id int64) error {
	return db.Exec(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id).Error
}
