package order

import (
	"crypto/rand"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A row that is made in the transaction is waited for by nobody, though
// another refers to it by the address of its key; and a reference that nobody
// sets is NULL.

type OjRun struct {
	ID          string
	ParentRunID *string
	State       string
}

type OjOrder struct {
	ID          int64
	SourceRunID *string
	State       string
}

type OjStep struct {
	ID      string
	OrderID int64
	RunID   *string
}

type Started struct {
	Run  *OjRun
	Step *OjStep
}

func StartOj(db *gorm.DB, order int64) (*Started, error) {
	var out *Started
	err := db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Model(&OjOrder{}).Where("id = ?", order).Update("state", "started").Error; err != nil {
			return err
		}
		run := &OjRun{ID: rand.Text(), State: "pending"}
		if err := tx.Create(run).Error; err != nil {
			return err
		}
		step := &OjStep{ID: rand.Text(), OrderID: order, RunID: &run.ID}
		if err := tx.Create(step).Error; err != nil {
			return err
		}
		announce(run)
		out = &Started{Run: run, Step: step}
		return nil
	})
	return out, err
}

func announce(*OjRun) {}

func StopOj(db *gorm.DB, run string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var r OjRun
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&r, "id = ?", run).Error; err != nil {
			return err
		}
		return tx.Model(&OjOrder{}).Where("source_run_id = ?", run).Update("state", "stopped").Error
	})
}

type OkRun struct {
	ID          string
	ParentRunID *string
	State       string
}

type OkOrder struct {
	ID          int64
	SourceRunID *string
	State       string
}

// ResumeOk sets the reference before the row is made.
func ResumeOk(db *gorm.DB, order int64, parent string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Model(&OkOrder{}).Where("id = ?", order).Update("state", "resumed").Error; err != nil {
			return err
		}
		run := &OkRun{ID: rand.Text(), State: "pending"}
		refer(run, parent)
		return tx.Create(run).Error
	})
}

func refer(r *OkRun, parent string) { r.ParentRunID = &parent }

func StopOk(db *gorm.DB, run string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var r OkRun
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&r, "id = ?", run).Error; err != nil {
			return err
		}
		return tx.Model(&OkOrder{}).Where("source_run_id = ?", run).Update("state", "stopped").Error
	})
}

// The key that the server gives a row is in its record once it is inserted.
type OlOrder struct {
	ID    int64
	State string
}

func (OlOrder) TableName() string { return "ol_orders" }

type OlLine struct {
	ID      int64
	OrderID int64
	Sku     string
}

func (OlLine) TableName() string { return "ol_lines" }

func PlaceOl(db *gorm.DB, stock int64, skus []string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		order := OlOrder{State: "new"}
		if err := tx.Create(&order).Error; err != nil {
			return err
		}
		if err := tx.Exec("UPDATE ol_stock SET n = n - 1 WHERE order_id = ?", order.ID).Error; err != nil {
			return err
		}
		for _, sku := range skus {
			if err := tx.Create(&OlLine{OrderID: order.ID, Sku: sku}).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

func CancelOl(db *gorm.DB, id int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var order OlOrder
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&order, id).Error; err != nil {
			return err
		}
		return tx.Exec("UPDATE ol_stock SET n = n + 1 WHERE order_id = ?", id).Error
	})
}
