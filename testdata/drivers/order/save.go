package order

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A row that is saved as it was read keeps its foreign keys, and the server
// does not look at the parent. One that is moved is checked.

type OhDesk struct {
	ID   int64
	Open int
}

type OhSeat struct {
	ID     int64
	DeskID int64
	Name   string
}

func findOhSeat(tx *gorm.DB, id int64) (*OhSeat, error) {
	var s OhSeat
	if err := tx.First(&s, id).Error; err != nil {
		return nil, err
	}
	return &s, nil
}

func RenameOhSeat(db *gorm.DB, id int64, name string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		s, err := findOhSeat(tx, id)
		if err != nil {
			return err
		}
		s.Name = name
		return tx.Save(s).Error
	})
}

func CloseOhDesk(db *gorm.DB, id int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var d OhDesk
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&d, id).Error; err != nil {
			return err
		}
		return tx.Model(&OhSeat{}).Where("desk_id = ?", id).Update("name", "closed").Error
	})
}

type OiDesk struct {
	ID   int64
	Open int
}

type OiSeat struct {
	ID     int64
	DeskID int64
	Name   string
}

func MoveOiSeat(db *gorm.DB, id, desk int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var s OiSeat
		if err := tx.First(&s, id).Error; err != nil {
			return err
		}
		s.DeskID = desk
		return tx.Save(&s).Error
	})
}

func CloseOiDesk(db *gorm.DB, id int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var d OiDesk
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&d, id).Error; err != nil { // want fk-lock-strength "row \"oi_desks\" is locked FOR UPDATE though no key of it changes; MoveOiSeat"
			return err
		}
		return tx.Model(&OiSeat{}).Where("desk_id = ?", id).Update("name", "closed").Error // want lock-order-cycle "row \"oi_seats\" .FOR NO KEY UPDATE. acquired while holding row \"oi_desks\" .FOR UPDATE.; MoveOiSeat"
	})
}
