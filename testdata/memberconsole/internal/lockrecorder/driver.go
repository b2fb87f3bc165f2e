package lockrecorder

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// Connector returns a connector to cfg whose statements r observes.
func (r *Recorder) Connector(cfg pgx.ConnConfig) driver.Connector {
	return &connector{Connector: stdlib.GetConnector(cfg), rec: r}
}

type connector struct {
	driver.Connector
	rec *Recorder
}

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	sc, ok := inner.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("lockrecorder: connection is a %T", inner)
	}
	return &conn{Conn: sc, rec: c.rec, session: &session{pid: sc.Conn().PgConn().PID()}}, nil
}

// conn embeds the driver's connection, so everything but the statements and
// transactions passes through.
type conn struct {
	*stdlib.Conn
	rec     *Recorder
	session *session
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	at := here()
	res, err := c.Conn.ExecContext(ctx, query, args)
	c.rec.statement(c.session, query, at, err)
	return res, err
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	at := here()
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if err != nil {
		c.rec.statement(c.session, query, at, err)
		return nil, err
	}
	return c.observed(rows, query, at), nil
}

// observed puts the observation off until the rows are closed: only then has
// the statement locked all that it locks. database/sql closes them at the end.
func (c *conn) observed(r driver.Rows, query string, at site) driver.Rows {
	return &rows{Rows: r, done: func(err error) { c.rec.statement(c.session, query, at, err) }}
}

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	inner, ok := s.(preparedStmt)
	if !ok {
		return nil, fmt.Errorf("lockrecorder: statement is a %T", s)
	}
	return &stmt{preparedStmt: inner, conn: c, query: query}, nil
}

func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	t, err := c.Conn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	c.rec.begin(c.session)
	return &tx{Tx: t, end: func() { c.rec.end(c.session) }}, nil
}

type tx struct {
	driver.Tx
	end func()
}

func (t *tx) Commit() error {
	defer t.end()
	return t.Tx.Commit()
}

func (t *tx) Rollback() error {
	defer t.end()
	return t.Tx.Rollback()
}

type preparedStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type stmt struct {
	preparedStmt
	conn  *conn
	query string
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	at := here()
	res, err := s.preparedStmt.ExecContext(ctx, args)
	s.conn.rec.statement(s.conn.session, s.query, at, err)
	return res, err
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	at := here()
	rows, err := s.preparedStmt.QueryContext(ctx, args)
	if err != nil {
		s.conn.rec.statement(s.conn.session, s.query, at, err)
		return nil, err
	}
	return s.conn.observed(rows, s.query, at), nil
}

type rows struct {
	driver.Rows
	failed error
	done   func(error)
}

func (r *rows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err != nil && err != io.EOF {
		r.failed = err
	}
	return err
}

func (r *rows) Close() error {
	err := r.Rows.Close()
	if r.done != nil {
		if r.failed == nil {
			r.failed = err
		}
		r.done(r.failed)
		r.done = nil
	}
	return err
}
