package builders

import (
	"os"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Scoped is given what may lock.
func Scoped(tx *gorm.DB, scope func(*gorm.DB) *gorm.DB) error {
	var w Widget
	return tx.Scopes(scope).First(&w, "w").Error
}

// Either is known on one way alone.
func Either(tx *gorm.DB, lock bool) error {
	q := tx
	if lock {
		q = tx.Clauses(clause.Locking{Strength: os.Getenv("STRENGTH")})
	}
	var w Widget
	return q.First(&w, "w").Error
}
