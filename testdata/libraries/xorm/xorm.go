// Package xorm locks through xorm.io/xorm.
//
// library: xorm
// lacks: Savepoint Pinned Prepared Batch Copy Named
package xorm

import (
	"xorm.io/builder"
	"xorm.io/xorm"
)

// An Account is a row of accounts.
type Account struct {
	ID      int64 `xorm:"pk 'id'"`
	Owner   string
	Balance int64
}

// TableName implements names.TableName.
func (Account) TableName() string { return "accounts" }

// An Entry is a row of entries.
type Entry struct {
	Id        int64
	AccountId int64
	Amount    int64
}

// TableName implements names.TableName.
func (Entry) TableName() string { return "entries" }

// A Hold is a row of holds.
type Hold struct {
	Id        int64
	AccountId int64
}

// TableName implements names.TableName.
func (Hold) TableName() string { return "holds" }

// A Receipt is a row of receipts.
type Receipt struct {
	Id        int64
	AccountId int64
}

// TableName implements names.TableName.
func (Receipt) TableName() string { return "receipts" }

// locks: row accounts FOR UPDATE in pool; row entries FOR UPDATE in pool
func Text(engine *xorm.Engine, id int64) error {
	if _, err := engine.Exec(`SELECT 1 FROM accounts WHERE id = ? FOR UPDATE`, id); err != nil {
		return err
	}
	var e Entry
	_, err := engine.SQL(`SELECT * FROM entries WHERE account_id = ? ORDER BY id FOR UPDATE`, id).Get(&e)
	return err
}

// locks: row accounts FOR UPDATE in tx
func Begin(engine *xorm.Engine, id int64) error {
	session := engine.NewSession()
	defer session.Close()
	if err := session.Begin(); err != nil {
		return err
	}
	a := &Account{ID: id}
	if _, err := session.ForUpdate().Get(a); err != nil {
		_ = session.Rollback()
		return err
	}
	return session.Commit()
}

// locks: row accounts FOR UPDATE in tx
func Helper(engine *xorm.Engine, id int64) error {
	_, err := engine.Transaction(func(session *xorm.Session) (any, error) {
		return session.ID(id).ForUpdate().Get(&Account{})
	})
	return err
}

// locks: row accounts FOR UPDATE in caller; row entries FOR UPDATE in caller; row holds FOR UPDATE in caller
func Clause(session *xorm.Session, id int64) error {
	var a Account
	session.Where(builder.Eq{"`id`": id}.And(builder.Neq{"owner": ""}))
	session.ForUpdate()
	if _, err := session.Get(&a); err != nil {
		return err
	}
	if _, err := session.ID(id).Get(&a); err != nil { // the steps above are done with
		return err
	}
	var list []Entry
	if err := session.In("account_id", []int64{id}).Asc("id").ForUpdate().Find(&list); err != nil {
		return err
	}
	return assigned(session, id, id > 0)
}

// assigned locks holds alone: what is assigned with its steps is done with, too,
// once a statement has run.
func assigned(session *xorm.Session, id int64, one bool) error {
	s := session.Where("account_id > 0")
	if one {
		s = s.And("id = ?", id)
	}
	s.ForUpdate()
	if _, err := s.Get(&Hold{}); err != nil {
		return err
	}
	if _, err := s.Get(&Receipt{}); err != nil {
		return err
	}
	s = s.Where("id > 0").ForUpdate()
	if _, err := session.Count(&Hold{}); err != nil {
		return err
	}
	_, err := s.Get(&Receipt{})
	return err
}

// locks: row accounts FOR NO KEY UPDATE in caller; row entries FOR UPDATE in caller
func Change(session *xorm.Session, id int64) error {
	if _, err := session.ID(id).Cols("balance").Update(&Account{Balance: 1}); err != nil {
		return err
	}
	if _, err := session.Insert(&Entry{Id: 1, AccountId: id}); err != nil {
		return err
	}
	_, err := session.Where("account_id = ?", id).Delete(&Entry{})
	return err
}

// locks: row accounts FOR UPDATE in pool
func Struct(engine *xorm.Engine, id int64) (list []Account, err error) {
	err = engine.Where("id = ?", id).ForUpdate().Find(&list)
	return list, err
}

// locks: row accounts FOR UPDATE in caller
func Either(db xorm.Interface, id int64) error {
	_, err := db.Where("id = ?", id).ForUpdate().Get(&Account{})
	return err
}
