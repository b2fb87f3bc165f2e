// Package handles runs statements on connections that come from elsewhere. The
// comment above each function says on which its statements lock, and how long.
package handles

import (
	"context"
	"database/sql"
	"strings"
	"sync"

	"example.test/handles/mysqlstore"
	"example.test/mysql"
	"example.test/orm"
	"example.test/otel"
)

type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

type Backend struct {
	mu  sync.Mutex
	dsn string
	db  *sql.DB
}

// open opens the pool when it is first asked for.
func (b *Backend) open() (version int, db *sql.DB, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.db != nil {
		return 1, b.db, nil
	}
	db, err = sql.Open("postgres", b.dsn)
	if err != nil {
		return 0, nil, err
	}
	b.db = db
	return 1, db, nil
}

// handle: pool statement
func expire(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, "SELECT 1 FROM services WHERE id = 1 FOR UPDATE SKIP LOCKED")
	return err
}

func Start(ctx context.Context, b *Backend) {
	go every(ctx, func(ctx context.Context) error {
		_, db, err := b.open()
		if err != nil {
			return err
		}
		return expire(ctx, db)
	})
}

func every(ctx context.Context, f func(context.Context) error) {
	for ctx.Err() == nil {
		_ = f(ctx)
	}
}

type server struct{ *Backend }

// handle: pool statement
func put(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, "SELECT 1 FROM endpoints WHERE id = 1 FOR UPDATE")
	return err
}

func passOn(ctx context.Context, q querier) error { return put(ctx, q) }

// Report is a method of a type that nobody outside can name.
func (s server) Report(ctx context.Context) error {
	_, db, err := s.open()
	if err != nil {
		return err
	}
	return passOn(ctx, db)
}

// Mine's constructors open MySQL, or are given a pool by callers that nobody
// sees here.
type Mine struct{ db *sql.DB }

func OpenMine(dsn string) (*Mine, error) {
	db, err := sql.Open("mysql", dsn)
	return &Mine{db: db}, err
}

func NewMine(db *sql.DB) *Mine { return &Mine{db: db} }

func (m *Mine) Claim(ctx context.Context) error {
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT 1 FROM jobs WHERE id = 1 FOR UPDATE"); err != nil {
		return err
	}
	return tx.Commit()
}

// Twin works in the other database, in a transaction of which nothing is known.
func Twin(ctx context.Context, q *mysqlstore.Queue) error { return q.Claim(ctx) }

// A Lite opens SQLite through a library that traces it.
type Lite struct{ db *sql.DB }

func OpenLite(file string) (*Lite, error) {
	db, err := otel.Open("sqlite", file)
	return &Lite{db: db}, err
}

func (l *Lite) Claim(ctx context.Context) error {
	_, err := l.db.ExecContext(ctx, "SELECT 1 FROM jobs WHERE id = 3 FOR UPDATE")
	return err
}

// Either's driver is chosen by who opens it.
type Either struct{ db *sql.DB }

func OpenEither(postgres bool, dsn string) (*Either, error) {
	driver := "mysql"
	if postgres {
		driver = "postgres"
	}
	db, err := sql.Open(driver, dsn)
	return &Either{db: db}, err
}

// handle: pool statement
func (e *Either) Claim(ctx context.Context) error {
	_, err := e.db.ExecContext(ctx, "SELECT 1 FROM jobs WHERE id = 2 FOR UPDATE")
	return err
}

// File opens SQLite for those who have no server; others give it a pool.
type File struct{ db *sql.DB }

func OpenFile(name string) (*File, error) {
	db, err := sql.Open("sqlite", name)
	return &File{db: db}, err
}

func NewFile(db *sql.DB) *File { return &File{db: db} }

// handle: pool statement
func (f *File) Claim(ctx context.Context) error {
	_, err := f.db.ExecContext(ctx, "SELECT 1 FROM jobs WHERE id = 3 FOR UPDATE")
	return err
}

// OnlyFile is never anything else.
type OnlyFile struct{ db *sql.DB }

func OpenOnlyFile(name string) (*OnlyFile, error) {
	db, err := open("sqlite3", name)
	return &OnlyFile{db: db}, err
}

func open(driver, dsn string) (*sql.DB, error) { return sql.Open(driver, dsn) }

func (f *OnlyFile) Claim(ctx context.Context) error {
	_, err := f.db.ExecContext(ctx, "SELECT 1 FROM jobs WHERE id = 4 FOR UPDATE")
	return err
}

// handle: pool statement
func Configured(ctx context.Context, driver, dsn string) error {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "SELECT 1 FROM jobs WHERE id = 5 FOR UPDATE")
	return err
}

// Connected's pool is made of a connector.
type Connected struct{ db *sql.DB }

func Connect(dsn string) (*Connected, error) {
	connector, err := mysql.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return &Connected{db: sql.OpenDB(connector)}, nil
}

func (c *Connected) Claim(ctx context.Context) error {
	_, err := c.db.ExecContext(ctx, "SELECT 1 FROM jobs WHERE id = 6 FOR UPDATE")
	return err
}

// A Unit keeps the transaction and the pool that it was begun on; what runs
// statements is asked for by its type.
type Unit struct {
	db *sql.DB
	tx *sql.Tx
}

func Begin(db *sql.DB) (*Unit, error) {
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	return &Unit{db: db, tx: tx}, nil
}

func (u *Unit) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return runner(u).ExecContext(ctx, query, args...)
}

func runner(q querier) querier {
	switch q := q.(type) {
	case *sql.DB:
		return q
	case *Unit:
		return q.tx
	}
	return nil
}

// handle: tx transaction
func lockIn(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, "SELECT 1 FROM units WHERE id = 1 FOR UPDATE")
	return err
}

func Work(ctx context.Context, db *sql.DB) error {
	u, err := Begin(db)
	if err != nil {
		return err
	}
	defer u.tx.Rollback()
	if err := lockIn(ctx, u); err != nil {
		return err
	}
	return u.tx.Commit()
}

// handle: pool statement
func Mapped(ctx context.Context, m *orm.Map) error {
	return m.Run(ctx, "SELECT 1 FROM jobs WHERE id = 7 FOR UPDATE")
}

type fetcher interface {
	fetch(ctx context.Context) error
}

// A Fetch keeps what it will run.
type Fetch struct {
	q     querier
	query string
}

func (f *Fetch) fetch(ctx context.Context) error {
	_, err := f.q.ExecContext(ctx, f.query)
	return err
}

type Iterator struct{ from fetcher }

func (it *Iterator) All(ctx context.Context) error { return it.from.fetch(ctx) }

// handle: tx transaction
func existing(ctx context.Context, q querier) error {
	it := &Iterator{from: &Fetch{q: q, query: "SELECT 1 FROM tuples WHERE id = 1 FOR UPDATE"}}
	return it.All(ctx)
}

func Write(ctx context.Context, db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := existing(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

type recorder interface{ record(text string) }

// Unrun makes a statement that nothing in sight runs.
func Unrun(r recorder) {
	r.record("SELECT 1 FROM jobs WHERE id = 8 FOR UPDATE")
}

// UnrunParts makes one of parts.
func UnrunParts(r recorder, table string) {
	r.record("SELECT 1 FROM " + table + " WHERE id = 8 FOR UPDATE")
}

var claimNext = strings.TrimSpace("SELECT 1 FROM jobs ORDER BY id LIMIT 1 FOR UPDATE ")

// UnrunKept makes one that a variable of the package keeps.
func UnrunKept(r recorder) { r.record(claimNext) }

// Told says what went wrong for update.
func Told(r recorder) {
	r.record("failed to get job for update")
}

// Wrapped is a transaction that a constructor wraps.
type Wrapped struct{ *sql.Tx }

func wrap(tx *sql.Tx) *Wrapped { return &Wrapped{tx} }

func (b *Backend) Wrapped() (*Wrapped, error) {
	tx, err := b.db.Begin()
	if err != nil {
		return nil, err
	}
	return wrap(tx), nil
}

// handle: tx transaction
func ClaimWrapped(ctx context.Context, b *Backend) error {
	tx, err := b.Wrapped()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT 1 FROM jobs WHERE id = 9 FOR UPDATE"); err != nil {
		return err
	}
	return tx.Commit()
}
