// Package model has the rows that the queries of gormgen read.
package model

// An Account is a row of accounts.
type Account struct {
	ID      int64 `gorm:"primaryKey"`
	Owner   string
	Balance int64
}

// An Entry is a row of entries.
type Entry struct {
	ID        int64 `gorm:"primaryKey"`
	AccountID int64
	Amount    int64
}
