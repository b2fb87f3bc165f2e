package locks

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks/internal/driver"
)

// adapted returns what the locks see of a transaction: that of locktest is
// an adapter itself.
func adapted(tx pgx.Tx) driver.Tx {
	inner := tx
	if s, ok := tx.(*sessionTx); ok && s != nil {
		inner = s.Tx
	}
	if t, ok := inner.(driver.Tx); ok {
		return t
	}
	return pgxTx{tx}
}

// pgxTx is a pgx transaction as the locks see it.
type pgxTx struct{ tx pgx.Tx }

func (t pgxTx) Sealed(driver.Sealed) {}

// State reads what pgx knows. Only the type of a savepoint tells that it is
// one: pgx has no method for it.
func (t pgxTx) State() driver.State {
	if t.tx == nil {
		return driver.NoTx
	}
	v := reflect.ValueOf(t.tx)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return driver.NoTx
	}
	conn := t.tx.Conn()
	if conn == nil || conn.IsClosed() {
		return driver.NoTx
	}
	switch conn.PgConn().TxStatus() {
	case 'E':
		if finished(t.tx) {
			return driver.NoTx // the connection serves another by now
		}
		return driver.Aborted
	case 'T':
	default:
		return driver.NoTx
	}
	if savepoint(v) {
		return driver.Nested
	}
	return driver.Open
}

// savepoint reports whether a pgx.Tx is a pseudo nested transaction, also
// when a struct that embeds the interface wraps it.
func savepoint(v reflect.Value) bool {
	for range 8 {
		switch v.Type().String() {
		case "*pgx.dbSimulatedNestedTx":
			return true
		case "*pgx.dbTx", "*pgxpool.Tx":
			return false
		}
		for v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return false
		}
		if v = v.FieldByName("Tx"); !v.IsValid() || v.Kind() != reflect.Interface || v.IsNil() {
			return false
		}
		v = v.Elem()
	}
	return false
}

const holdingKey = "github.com/pglockdep/pglockdep/runtime/locks.holding"

// Holding keeps the value with the connection, so that it ends with it.
func (t pgxTx) Holding(make func() driver.Holding) driver.Holding {
	h := connHolding(t.tx.Conn(), make)
	h.Enter(t.tx, func(earlier any) bool { return finished(earlier.(pgx.Tx)) })
	return h
}

func connHolding(c *pgx.Conn, make func() driver.Holding) driver.Holding {
	data := c.PgConn().CustomData()
	h, _ := data[holdingKey].(driver.Holding)
	if h == nil {
		h = make()
		data[holdingKey] = h
	}
	return h
}

// finished asks a transaction whether it has ended. Under a cancelled
// context nothing is sent.
func finished(tx pgx.Tx) bool {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := tx.Prepare(ctx, "", "select")
	return errors.Is(err, pgx.ErrTxClosed)
}

func (t pgxTx) Bool(ctx context.Context, sql string, args ...any) (bool, error) {
	var b bool
	err := t.tx.QueryRow(ctx, sql, args...).Scan(&b)
	return b, err
}

func (t pgxTx) Batch(ctx context.Context, list []driver.Statement) (int, error) {
	var b pgx.Batch
	for _, s := range list {
		b.Queue(s.SQL, s.Args...)
	}
	res := t.tx.SendBatch(ctx, &b)
	for i, s := range list {
		if err := result(res, s); err != nil {
			res.Close()
			return i, err
		}
	}
	return len(list), res.Close()
}

func result(res pgx.BatchResults, s driver.Statement) error {
	if s.Each == nil {
		_, err := res.Exec()
		return err
	}
	rows, err := res.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := s.Each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Script runs them in one round trip: pgx uses the simple protocol for text
// without parameters.
func (t pgxTx) Script(ctx context.Context, list ...string) error {
	_, err := t.tx.Exec(ctx, strings.Join(list, "; "))
	return err
}

const killWait = 5 * time.Second

func (t pgxTx) Kill() {
	ctx, cancel := context.WithTimeout(context.Background(), killWait)
	defer cancel()
	t.tx.Conn().Close(ctx)
}
