package order

import (
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A variable that one way makes anew and leaves, and the other saves as it
// was read: what is saved keeps its foreign key.

type OmDesk struct {
	ID   int64
	Open int
}

type OmSeat struct {
	ID     int64
	DeskID int64
	Name   string
	Value  []byte
	Since  *time.Time
}

type Seats struct {
	tx   *gorm.DB
	desk *OmDesk
	note func(name, what string)
}

func (s *Seats) Put(name string, value []byte) error {
	now := time.Now()
	var seat OmSeat
	err := s.tx.Where("desk_id = ?", s.desk.ID).Where("name = ?", name).First(&seat).Error
	if err != nil {
		if !errors.Is(err, gorm.ErrRecordNotFound) {
			return err
		}
		seat = OmSeat{DeskID: s.desk.ID, Name: name, Value: value, Since: &now}
		if err := s.tx.Create(&seat).Error; err != nil {
			return err
		}
		s.note(name, "create")
		return nil
	}
	seat.Value = value
	seat.Since = &now
	if err := s.tx.Save(&seat).Error; err != nil {
		return err
	}
	s.note(name, "update")
	return nil
}

func PutOmSeat(db *gorm.DB, desk *OmDesk, name string, value []byte) error {
	return db.Transaction(func(tx *gorm.DB) error {
		s := &Seats{tx: tx, desk: desk, note: func(string, string) {}}
		return s.Put(name, value)
	})
}

func CloseOmDesk(db *gorm.DB, id int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var d OmDesk
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&d, id).Error; err != nil {
			return err
		}
		return tx.Model(&OmSeat{}).Where("desk_id = ?", id).Update("name", "closed").Error
	})
}
