// Package builders takes locks through the builders of libraries.
package builders

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/Masterminds/squirrel"
	"github.com/gobuffalo/pop/v6"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type Widget struct {
	ID        string `gorm:"primaryKey"`
	Name      string
	State     string
	DeletedAt gorm.DeletedAt
}

type Gad struct {
	ID       string
	WidgetID string
}

func (Gad) TableName() string { return "gadgets" }

const strength = "UPDATE"

// A literal over lines, its strength a constant; the table is the model's.
func LockWidget(tx *gorm.DB, id string) (*Widget, error) {
	var w Widget
	err := tx.Clauses(clause.Locking{
		Strength: strength,
		Options:  "SKIP LOCKED",
	}).Where("id = ?", id).First(&w).Error
	return &w, err
}

func FindGad(tx *gorm.DB, id string) (*Gad, error) {
	var g Gad
	return &g, tx.Where("id = ?", id).First(&g).Error
}

// The lock is asked for here and taken in FindGad.
func LockGad(db *gorm.DB, id string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		_, err := FindGad(tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE", Table: clause.Table{Name: clause.CurrentTable}}), id)
		return err
	})
}

func sharing(state string) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Where("state = ?", state).Clauses(clause.Locking{Strength: "SHARE"})
	}
}

// A function adds the clause.
func ShareWidgets(db *gorm.DB) error {
	return db.Transaction(func(tx *gorm.DB) error {
		var ws []Widget
		return tx.Scopes(sharing("new")).Order("id").Find(&ws).Error
	})
}

// Placeholders are the library's.
func LockKey(db *gorm.DB, key int64) error {
	return db.Transaction(func(tx *gorm.DB) error {
		return tx.Exec("SELECT pg_advisory_xact_lock(?)", key).Error
	})
}

var psql = squirrel.StatementBuilder.PlaceholderFormat(squirrel.Dollar)

func find(ctx context.Context, tx *sql.Tx, id string, lock bool) error {
	q := psql.Select("id").From("widgets").Where(squirrel.Eq{"id": id})
	if lock {
		q = q.Suffix("FOR UPDATE")
	}
	text, args, err := q.ToSql()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, text, args...)
	return err
}

// One caller of find locks.
func Locking(ctx context.Context, tx *sql.Tx, id string) error { return find(ctx, tx, id, true) }

func Reading(ctx context.Context, tx *sql.Tx, id string) error { return find(ctx, tx, id, false) }

func Set(ctx context.Context, db *sql.DB, id string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := psql.Update("widgets").Set("state", "set").Where(squirrel.Eq{"id": id}).RunWith(tx).ExecContext(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

type store struct{ *pop.Connection }

func (s *store) in(fn func(*store) error) error {
	if s.TX == nil {
		return s.Connection.Transaction(func(tx *pop.Connection) error {
			inner := *s
			inner.Connection = tx
			return fn(&inner)
		})
	}
	return fn(s)
}

type Sweeper struct{ statements []string }

func NewSweeper(old bool) *Sweeper {
	s := &Sweeper{}
	table := Gad{}.TableName()
	s.statements = append(s.statements, fmt.Sprintf("delete from %q where id in (select id from %q limit 10 for update skip locked)", table, table))
	if old {
		s.statements = append(s.statements, "delete from widgets where id in (select id from widgets limit 10 for update skip locked)")
	}
	return s
}

// One of several statements that another function made.
func (s *Sweeper) Sweep(c *pop.Connection, n int) error {
	return (&store{c}).in(func(tx *store) error {
		_, err := tx.RawQuery(s.statements[n%len(s.statements)]).ExecWithCount()
		return err
	})
}
