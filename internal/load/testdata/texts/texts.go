// Package texts makes the text of statements in the ways that programs do. The
// comment above each function says what its statements lock.
package texts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"strconv"
	"strings"
	"text/template"
	"time"
)

type Query struct {
	query strings.Builder
	Args  []any
}

func New(stmt string) *Query {
	q := &Query{}
	q.query.WriteString(stmt + " ")
	return q
}
func (q *Query) B(clause string, args ...any) {
	q.query.WriteString(clause + " ")
	q.Args = append(q.Args, args...)
}
func (q *Query) String() string { return q.query.String() }

// locks: row jobs FOR UPDATE skip locked
func OwnBuilder(tx *sql.Tx, id int64) error {
	q := New("UPDATE jobs SET")
	q.B("state = ?", "x")
	q.B("WHERE state is null")
	q.B("AND id IN (SELECT id FROM jobs WHERE id = $1 FOR UPDATE SKIP LOCKED)", id)
	_, err := tx.Exec(q.String(), q.Args...)
	return err
}

type Prepare struct {
	DB  *sql.DB
	Ctx context.Context
	Err error
}

func (p *Prepare) P(query string) (s *sql.Stmt) {
	if p.Err != nil {
		return nil
	}
	s, p.Err = p.DB.PrepareContext(p.Ctx, query)
	return s
}

type Store struct {
	db      *sql.DB
	lockRot *sql.Stmt
	findRot *sql.Stmt
	adv     *sql.Stmt
}

func NewStore(ctx context.Context, db *sql.DB) (*Store, error) {
	p := &Prepare{DB: db, Ctx: ctx}
	return &Store{
		db:      db,
		lockRot: p.P(`LOCK TABLE rotations IN EXCLUSIVE MODE`),
		findRot: p.P(`SELECT id FROM rotations WHERE id = $1 FOR UPDATE`),
		adv:     p.P(`select pg_try_advisory_xact_lock($1)`),
	}, p.Err
}

// locks: table rotations EXCLUSIVE wait; advisory bigint 77 exclusive try; row rotations FOR UPDATE wait
func (s *Store) Prepared(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.StmtContext(ctx, s.lockRot).ExecContext(ctx); err != nil {
		return err
	}
	var ok bool
	if err := tx.Stmt(s.adv).QueryRowContext(ctx, 77).Scan(&ok); err != nil {
		return err
	}
	var n int64
	return tx.StmtContext(ctx, s.findRot).QueryRowContext(ctx, 1).Scan(&n)
}

// Copied is a set of statements that its copies for a transaction share.
type Copied struct {
	tx   *sql.Tx
	lock *sql.Stmt
}

func PrepareCopied(ctx context.Context, db *sql.DB) (*Copied, error) {
	c := Copied{}
	var err error
	if c.lock, err = db.PrepareContext(ctx, `SELECT 1 FROM rotations WHERE id = 5 FOR UPDATE`); err != nil {
		return nil, err
	}
	return &c, nil
}

func (c *Copied) With(tx *sql.Tx) *Copied { return &Copied{tx: tx, lock: c.lock} }

// locks: row rotations FOR UPDATE wait
func (c *Copied) Claim(ctx context.Context) error {
	_, err := c.tx.StmtContext(ctx, c.lock).ExecContext(ctx)
	return err
}

func (s *Store) wrapTx(ctx context.Context, tx *sql.Tx, stmt *sql.Stmt) *sql.Stmt {
	if tx == nil {
		return stmt
	}
	return tx.StmtContext(ctx, stmt)
}

// locks: row rotations FOR UPDATE wait
func (s *Store) PreparedWrapped(ctx context.Context, tx *sql.Tx) error {
	var n int64
	return s.wrapTx(ctx, tx, s.findRot).QueryRowContext(ctx, 1).Scan(&n)
}

// own runs a statement in a transaction of its own.
func (s *Store) own(ctx context.Context, stmt *sql.Stmt, args ...any) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.StmtContext(ctx, stmt).ExecContext(ctx, args...); err != nil {
		return err
	}
	return tx.Commit()
}

// locks: row rotations FOR UPDATE wait
func (s *Store) PreparedHanded(ctx context.Context, id int64) (err error) {
	run := func(stmt *sql.Stmt) bool {
		err = s.own(ctx, stmt, id)
		return err == nil
	}
	run(s.findRot)
	return err
}

type LockID []int

func NewJobLock(id int) LockID { return LockID{7, id} }

func (l LockID) toDBParams() string {
	s := []string{}
	for i := range l {
		s = append(s, fmt.Sprintf("$%d", i+1))
	}
	return strings.Join(s, ",")
}
func (l LockID) toDBArgs() []any {
	out := []any{}
	for _, x := range l {
		out = append(out, x)
	}
	return out
}

type lockDB struct{ conn *sql.DB }

// locks: advisory bigint $1 of texts.(*lockDB).Variadic exclusive try
func (db *lockDB) Variadic(id LockID) (bool, error) {
	var acquired bool
	err := db.conn.QueryRow(`SELECT pg_try_advisory_lock(`+id.toDBParams()+`)`, id.toDBArgs()...).Scan(&acquired)
	return acquired, err
}

type txKey struct{}
type Accessor interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

func GetAccessor(ctx context.Context, db *sql.DB) Accessor {
	if a, ok := ctx.Value(txKey{}).(Accessor); ok {
		return a
	}
	return db
}

const SQLForUpdate = "FOR UPDATE"

// locks: row jobs FOR UPDATE wait
func (s *Store) find(ctx context.Context, id int64, lock bool) (int64, error) {
	sqlQuery := "SELECT id FROM jobs WHERE id = $1"
	if lock {
		sqlQuery += "\n" + SQLForUpdate
	}
	db := GetAccessor(ctx, s.db)
	var n int64
	err := db.QueryRowContext(ctx, sqlQuery, id).Scan(&n)
	return n, err
}

func (s *Store) Accessed(ctx context.Context, id int64) error {
	return s.WithTx(ctx, func(ctx context.Context) error {
		_, err := s.find(ctx, id, true)
		return err
	})
}

func (s *Store) WithTx(ctx context.Context, fn func(ctx context.Context) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(context.WithValue(ctx, txKey{}, tx)); err != nil {
		return err
	}
	return tx.Commit()
}

// locks: advisory bigint sha256('lakefs:' || $1) exclusive wait
func StringKey(ctx context.Context, conn *sql.Conn, table string) (err error) {
	h := sha256.Sum256([]byte("lakefs:" + table))
	aid := strconv.FormatInt(int64(binary.BigEndian.Uint64(h[:8])), 10)
	_, err = conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, aid)
	if err != nil {
		return err
	}
	defer func(ctx context.Context) {
		_, unlockErr := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, aid)
		if err == nil {
			err = unlockErr
		}
	}(ctx)
	return nil
}

type ExecQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// locks: advisory bigint crc32($1) of texts.acquire exclusive try
func acquire(ctx context.Context, conn ExecQuerier, id uint32, timeout time.Duration) error {
	for {
		rows, err := conn.QueryContext(ctx, "SELECT pg_try_advisory_lock($1)", id)
		if err != nil {
			return err
		}
		switch ok, err := scanBool(rows); {
		case err != nil:
			return err
		case ok:
			return nil
		}
		time.Sleep(timeout)
	}
}
func scanBool(rows *sql.Rows) (b bool, err error) {
	defer rows.Close()
	if !rows.Next() {
		return false, errors.New("no row")
	}
	return b, rows.Scan(&b)
}

type Driver struct {
	ExecQuerier
}
type UnlockFunc func() error

func (d *Driver) Lock(ctx context.Context, name string, timeout time.Duration) (UnlockFunc, error) {
	id := crc32.ChecksumIEEE([]byte(name))
	conn, err := single(ctx, d.ExecQuerier)
	if err != nil {
		return nil, err
	}
	if err := acquire(ctx, conn, id, timeout); err != nil {
		return nil, err
	}
	return func() error {
		rows, err := conn.QueryContext(ctx, "SELECT pg_advisory_unlock($1)", id)
		if err != nil {
			return err
		}
		_, err = scanBool(rows)
		return err
	}, nil
}
func single(ctx context.Context, conn ExecQuerier) (ExecQuerier, error) {
	if c, ok := conn.(*sql.DB); ok {
		return c.Conn(ctx)
	}
	return conn, nil
}

var tmpl = template.Must(template.New("q").Parse(`SELECT id FROM jobs WHERE state = '{{.State}}' FOR UPDATE SKIP LOCKED`))

// locks: row jobs FOR UPDATE skip locked
func Template(ctx context.Context, tx *sql.Tx, state string) error {
	var b bytes.Buffer
	if err := tmpl.Execute(&b, map[string]any{"State": state}); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, b.String())
	return err
}

var stmts = map[string]string{
	"lock":   "SELECT id FROM jobs WHERE id = $1 FOR UPDATE NOWAIT",
	"select": "SELECT id FROM jobs WHERE id = $1",
}

// locks: row jobs FOR UPDATE nowait
func FromTable(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, stmts["lock"], 1)
	return err
}

// locks: row jobs FOR UPDATE skip locked; row jobs FOR UPDATE wait
func Clauses(ctx context.Context, tx *sql.Tx, skip bool) error {
	clauses := []string{"SELECT id", "FROM jobs", "WHERE state = 'x'"}
	clauses = append(clauses, "FOR UPDATE")
	if skip {
		clauses = append(clauses, "SKIP LOCKED")
	}
	_, err := tx.ExecContext(ctx, strings.Join(clauses, " "))
	return err
}

type opts struct{ lock string }
type Option func(*opts)

func ForUpdate() Option  { return func(o *opts) { o.lock = " FOR UPDATE" } }
func SkipLocked() Option { return func(o *opts) { o.lock = " FOR UPDATE SKIP LOCKED" } }

// locks: row jobs FOR UPDATE skip locked; row jobs FOR UPDATE wait
func get(ctx context.Context, tx *sql.Tx, id int64, os ...Option) error {
	var o opts
	for _, f := range os {
		f(&o)
	}
	_, err := tx.ExecContext(ctx, "SELECT id FROM jobs WHERE id = $1"+o.lock, id)
	return err
}

func Optioned(ctx context.Context, tx *sql.Tx) error { return get(ctx, tx, 1, SkipLocked()) }

type Strength int

const (
	None Strength = iota
	Update
	Share
)

func (s Strength) String() string {
	switch s {
	case Update:
		return "FOR UPDATE"
	case Share:
		return "FOR SHARE"
	}
	return ""
}

func load(ctx context.Context, tx *sql.Tx, s Strength) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("SELECT id FROM jobs WHERE id = $1 %s", s), 1)
	return err
}

// locks: row jobs FOR SHARE wait; row jobs FOR UPDATE wait
func Stringer(ctx context.Context, tx *sql.Tx) error { return load(ctx, tx, Share) }

type Dialect interface{ ForUpdate() string }
type pg struct{}

func (pg) ForUpdate() string { return " FOR UPDATE" }

type lite struct{}

func (lite) ForUpdate() string { return "" }

type Repo struct {
	d  Dialect
	db *sql.DB
}

func NewRepo(db *sql.DB, driver string) *Repo {
	if driver == "pg" {
		return &Repo{pg{}, db}
	}
	return &Repo{lite{}, db}
}

// locks: row jobs FOR UPDATE wait
func (r *Repo) Dialected(ctx context.Context) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT id FROM jobs WHERE id = $1"+r.d.ForUpdate(), 1); err != nil {
		return err
	}
	return tx.Commit()
}

func hashKey(s string) int64 { h := fnv.New64a(); h.Write([]byte(s)); return int64(h.Sum64()) }

type Mutex struct {
	db   *sql.DB
	conn *sql.Conn
	key  int64
}

func NewMutex(db *sql.DB, name string) *Mutex { return &Mutex{db: db, key: hashKey(name)} }
func (m *Mutex) Lock(ctx context.Context) (err error) {
	if m.conn, err = m.db.Conn(ctx); err != nil {
		return err
	}
	_, err = m.conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", m.key)
	return err
}
func (m *Mutex) Unlock(ctx context.Context) error {
	defer m.conn.Close()
	_, err := m.conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", m.key)
	return err
}
func UseMutex(ctx context.Context, db *sql.DB) error {
	m := NewMutex(db, "reports:daily")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(ctx)
	return nil
}

// locks: table jobs SHARE ROW EXCLUSIVE wait; table rotations ACCESS EXCLUSIVE wait
func QueriesList(ctx context.Context, tx *sql.Tx) error {
	for _, q := range []string{"LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE", "LOCK TABLE rotations"} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// locks: row jobs FOR KEY SHARE wait; row jobs FOR NO KEY UPDATE wait
func Multi(ctx context.Context, tx *sql.Tx, id int64) error {
	var b strings.Builder
	fmt.Fprintf(&b, "SELECT id FROM %s WHERE id = $1 ", "jobs")
	if id > 5 {
		b.WriteString("FOR NO KEY UPDATE")
	} else {
		b.WriteString("FOR KEY SHARE")
	}
	_, err := tx.ExecContext(ctx, b.String(), id)
	return err
}

// locks: row jobs FOR UPDATE wait
func Replaced(ctx context.Context, tx *sql.Tx) error {
	q := strings.ReplaceAll("SELECT id FROM {table} FOR UPDATE", "{table}", "jobs")
	q = strings.NewReplacer("{x}", "y").Replace(q)
	_, err := tx.ExecContext(ctx, strings.TrimSuffix(q, ";")+" OF jobs")
	return err
}

// A preparer prepares statements until one fails.
type preparer struct {
	ctx context.Context
	db  *sql.DB
	err error
}

func (p *preparer) prepare(query string) (stmt *sql.Stmt) {
	if p.err != nil {
		return nil
	}
	stmt, p.err = p.db.PrepareContext(p.ctx, query)
	return stmt
}

// A Prepared keeps what was prepared through a method value.
type Prepared struct{ lock *sql.Stmt }

func NewPrepared(ctx context.Context, db *sql.DB) (*Prepared, error) {
	prep := &preparer{ctx: ctx, db: db}
	p := prep.prepare
	return &Prepared{lock: p("SELECT id FROM jobs WHERE id = $1 FOR NO KEY UPDATE")}, prep.err
}

// locks: row jobs FOR NO KEY UPDATE wait
func (s *Prepared) Lock(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.StmtContext(ctx, s.lock).ExecContext(ctx, id)
	return err
}

// locks: row jobs FOR UPDATE wait
func MethodValue(ctx context.Context, tx *sql.Tx, id int64) error {
	exec := tx.ExecContext
	_, err := exec(ctx, "SELECT id FROM jobs WHERE id = $1 FOR UPDATE", id)
	return err
}

func MethodHanded(ctx context.Context, tx *sql.Tx, id int64) error {
	return twice(ctx, tx.ExecContext, id)
}

// locks: row jobs FOR UPDATE wait
func twice(ctx context.Context, exec func(context.Context, string, ...any) (sql.Result, error), id int64) error {
	if _, err := exec(ctx, "SELECT id FROM jobs WHERE id = $1 FOR UPDATE", id); err != nil {
		return err
	}
	return nil
}

// A Setup runs texts that it is given one by one, in a transaction.
type Setup struct{ db *sql.DB }

type step struct{ name, query string }

func inOne(ctx context.Context, db *sql.DB, queries ...string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, query := range queries {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// locks: row rotations FOR UPDATE wait
func inSteps(ctx context.Context, db *sql.DB, steps []step) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, s := range steps {
		if _, err := tx.ExecContext(ctx, s.query); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// locks: row jobs FOR UPDATE wait
func (s *Setup) One(ctx context.Context) error {
	return inOne(ctx, s.db, "SELECT id FROM jobs WHERE id = 1 FOR UPDATE")
}

// locks: row jobs FOR SHARE wait
func (s *Setup) Made(ctx context.Context, id int64) error {
	return inOne(ctx, s.db, fmt.Sprintf("SELECT id FROM jobs WHERE id = %d FOR SHARE", id))
}

func (s *Setup) Steps(ctx context.Context) error {
	return inSteps(ctx, s.db, []step{{"lock", "SELECT id FROM rotations WHERE id = 1 FOR UPDATE"}})
}
