// Package bookings keeps the rooms of a house, with gorm.
package bookings

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A Room can be booked for a night.
type Room struct {
	ID    int64
	Name  string
	State string
}

// A Guest pays for bookings.
type Guest struct {
	ID      int64
	Balance int64
}

// A Booking holds a room for a night.
type Booking struct {
	ID      int64
	RoomID  int64
	GuestID int64
	Night   time.Time
	State   string
}

// House is the service.
type House struct {
	db *gorm.DB
}

// New returns the service on a database.
func New(db *gorm.DB) *House { return &House{db: db} }

// forUpdate locks the rows that a query reads.
func forUpdate(tx *gorm.DB) *gorm.DB {
	return tx.Clauses(clause.Locking{Strength: "UPDATE"})
}

// Book holds a room: the room first, so that two guests meet there.
func (h *House) Book(ctx context.Context, room, guest int64, night time.Time) error {
	return h.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var r Room
		//pglockdep:lock serializes="who gets a room for a night"
		if err := forUpdate(tx).First(&r, "id = ?", room).Error; err != nil {
			return err
		}
		return tx.Create(&Booking{RoomID: room, GuestID: guest, Night: night, State: "held"}).Error
	})
}

// Cancel gives a room back and the money with it.
func (h *House) Cancel(ctx context.Context, booking int64) error {
	return h.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var b Booking
		if err := forUpdate(tx).First(&b, "id = ?", booking).Error; err != nil {
			return err
		}
		var r Room
		if err := forUpdate(tx).First(&r, "id = ?", b.RoomID).Error; err != nil {
			return err
		}
		if err := tx.Model(&Guest{}).Where("id = ?", b.GuestID).Update("balance", gorm.Expr("balance + ?", 100)).Error; err != nil {
			return err
		}
		return tx.Model(&b).Update("state", "cancelled").Error
	})
}

// CloseHouse closes every open room, in the order of their ids.
func (h *House) CloseHouse(ctx context.Context) error {
	return h.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var rooms []Room
		if err := forUpdate(tx).Where("state = ?", "open").Order("id").Find(&rooms).Error; err != nil {
			return err
		}
		for _, r := range rooms {
			if err := tx.Model(&Booking{}).Where("room_id = ?", r.ID).Update("state", "cancelled").Error; err != nil {
				return err
			}
		}
		return tx.Model(&Room{}).Where("state = ?", "open").Update("state", "closed").Error
	})
}

// NextHeld takes a held booking that no other worker has.
func (h *House) NextHeld(ctx context.Context, work func(*Booking) error) error {
	return h.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var b Booking
		err := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Where("state = ?", "held").Order("id").First(&b).Error
		if err != nil {
			return err
		}
		if err := work(&b); err != nil {
			return err
		}
		return tx.Model(&b).Update("state", "confirmed").Error
	})
}
