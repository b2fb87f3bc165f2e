package order

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// The model is a type parameter: of a function, of a method's receiver, in a
// closure of either.
type ojTruck struct {
	ID    int64
	State string
}

func (ojTruck) TableName() string { return "oj_trucks" }

type ojDepot struct {
	ID    int64
	Slots int
}

func (ojDepot) TableName() string { return "oj_depots" }

func within[T any](db *gorm.DB, fn func(tx *gorm.DB) (T, error)) (out T, err error) {
	err = db.Transaction(func(tx *gorm.DB) error {
		out, err = fn(tx)
		return err
	})
	return out, err
}

func locked[T any](tx *gorm.DB, id int64) (*T, error) {
	var row T
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&row, "id = ?", id).Error // want lock-order-cycle "row \"oj_(trucks|depots)\" .* acquired while holding"
	return &row, err
}

type repo[T any] struct{ tx *gorm.DB }

func (r repo[T]) lock(id int64) error {
	_, err := locked[T](r.tx, id)
	return err
}

func OjLoad(db *gorm.DB, depot, truck int64) (*ojTruck, error) {
	return within(db, func(tx *gorm.DB) (*ojTruck, error) {
		if err := (repo[ojDepot]{tx}).lock(depot); err != nil {
			return nil, err
		}
		return locked[ojTruck](tx, truck)
	})
}

func OjMove(db *gorm.DB, depot, truck int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		trucks, depots := repo[ojTruck]{tx}, &repo[ojDepot]{tx}
		if err := trucks.lock(truck); err != nil {
			return err
		}
		return depots.lock(depot)
	})
}
