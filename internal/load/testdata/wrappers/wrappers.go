// Package wrappers has values of one interface that wrap each other in an
// order that only the running program knows.
package wrappers

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"
)

// An Account books amounts.
type Account interface {
	Book(ctx context.Context, from, to int64) error
}

type stored struct{ db *sql.DB }

func (s *stored) Book(ctx context.Context, from, to int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, id := range []int64{from, to} {
		if _, err := tx.ExecContext(ctx, "SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE", id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "SELECT 1 FROM owners WHERE account = $1 FOR SHARE", id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

type logged struct{ next Account }

func (l *logged) Book(ctx context.Context, from, to int64) error {
	err := l.next.Book(ctx, from, to)
	log.Print(err)
	return err
}

type limited struct{ next Account }

func (l *limited) Book(ctx context.Context, from, to int64) error {
	if from == to {
		return errors.New("same account")
	}
	return l.next.Book(ctx, from, to)
}

type retried struct{ next Account }

func (r *retried) Book(ctx context.Context, from, to int64) error {
	return again(func() error { return r.next.Book(ctx, from, to) })
}

func again(do func() error) error {
	if err := do(); err == nil {
		return nil
	}
	time.Sleep(time.Second)
	return do()
}

type timed struct{ next Account }

func (t *timed) Book(ctx context.Context, from, to int64) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return t.next.Book(ctx, from, to)
}

type audited struct{ next Account }

func (a *audited) Book(ctx context.Context, from, to int64) error {
	if err := a.next.Book(ctx, from, to); err != nil {
		return errors.Join(err, a.next.Book(ctx, to, from))
	}
	return nil
}

// Open wraps the stored accounts as the names say.
func Open(db *sql.DB, names []string) Account {
	var a Account = &stored{db}
	for _, name := range names {
		switch name {
		case "log":
			a = &logged{a}
		case "limit":
			a = &limited{a}
		case "retry":
			a = &retried{a}
		case "time":
			a = &timed{a}
		case "audit":
			a = &audited{a}
		}
	}
	return a
}

// Serve books what it is told to, one server at a time.
func Serve(ctx context.Context, db *sql.DB, names []string, orders <-chan [2]int64) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(7)"); err != nil {
		return err
	}
	defer conn.ExecContext(context.Background(), "SELECT pg_advisory_unlock(7)")
	a := Open(db, names)
	for o := range orders {
		if err := a.Book(ctx, o[0], o[1]); err != nil {
			return err
		}
	}
	return nil
}

// A Node is a folder or a file.
type Node interface {
	Remove(ctx context.Context, tx *sql.Tx) error
}

type file struct{ id int64 }

func (f *file) Remove(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT 1 FROM files WHERE id = $1 FOR UPDATE", f.id)
	return err
}

type folder struct {
	id    int64
	nodes []Node
}

func (f *folder) Remove(ctx context.Context, tx *sql.Tx) error {
	for _, n := range f.nodes {
		if err := n.Remove(ctx, tx); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "SELECT 1 FROM folders WHERE id = $1 FOR UPDATE", f.id)
	return err
}

// Clean removes a tree.
func Clean(ctx context.Context, db *sql.DB, root Node) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := root.Remove(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Nodes makes a tree.
func Nodes(ids []int64) Node {
	f := &folder{id: 1}
	for _, id := range ids {
		f.nodes = append(f.nodes, &file{id}, &folder{id: id})
	}
	return f
}
