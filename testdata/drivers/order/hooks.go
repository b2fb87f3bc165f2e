package order

import "gorm.io/gorm"

// gorm runs the hooks of a model in the transaction of its statement.
type OkComment struct {
	ID     int64
	PostID int64
	Body   string
}

func (OkComment) TableName() string { return "ok_comments" }

func (c *OkComment) AfterCreate(tx *gorm.DB) error {
	return tx.Exec("UPDATE ok_posts SET comments = comments + 1 WHERE id = ?", c.PostID).Error
}

// BeforeDelete is no hook: gorm gives it a handle.
func (c *OkComment) BeforeDelete() error { return nil }

func OkAdd(db *gorm.DB, post int64, body string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec("UPDATE ok_stats SET seen = now() WHERE post_id = ?", post).Error; err != nil {
			return err
		}
		return tx.Create(&OkComment{PostID: post, Body: body}).Error
	})
}

func OkHide(db *gorm.DB, post int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec("UPDATE ok_posts SET hidden = true WHERE id = ?", post).Error; err != nil {
			return err
		}
		return tx.Exec("UPDATE ok_stats SET hidden = hidden + 1 WHERE post_id = ?", post).Error // want lock-order-cycle "row \"ok_stats\" .* acquired while holding row \"ok_posts\""
	})
}

// On the pool, the statement and its hooks are a transaction of their own.
type OkNote struct {
	ID     int64
	PostID int64
}

func (OkNote) TableName() string { return "ok_notes" }

func (n *OkNote) BeforeCreate(tx *gorm.DB) error {
	return tx.Exec("SELECT pg_advisory_xact_lock(41, ?)", int32(7)).Error
}

func OkNoted(db *gorm.DB, post int64) error { return db.Create(&OkNote{PostID: post}).Error }
