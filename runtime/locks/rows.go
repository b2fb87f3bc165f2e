package locks

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/locks/internal/driver"
)

// Rows are the rows of one table, told apart by one column.
type Rows[T ID] struct{ f *family }

// A name is written as in SQL: core.pools, or core."Pools".
var relationName = regexp.MustCompile(`^([a-z_][a-z0-9_$]*|"[^"\x00]+")(\.([a-z_][a-z0-9_$]*|"[^"\x00]+"))?$`)

// NewRows registers the rows of a table so that they have a place in the
// lock order; column is its key. It fails with ErrFamily when the table is
// registered already.
func NewRows[T ID](r *Registry, table, column string, opts ...FamilyOption) (Rows[T], error) {
	bare := strings.ReplaceAll(table, `"`, "")
	if !relationName.MatchString(table) || !relationName.MatchString(column) || strings.Contains(column, ".") {
		return Rows[T]{}, fmt.Errorf("%w: %s (%s): a table and its column are written as in SQL, core.pools or core.\"Pools\"", ErrFamily, table, column)
	}
	f := &family{name: bare, class: "row " + bare, made: byRow, space: rowSpace, id: kindOf[T](), table: table, column: column}
	f.apply(opts)
	if err := r.add(f); err != nil {
		return Rows[T]{}, err
	}
	return Rows[T]{f}, nil
}

// MustRows is NewRows in the Default registry; it panics where NewRows fails.
func MustRows[T ID](table, column string, opts ...FamilyOption) Rows[T] {
	return must(NewRows[T](Default, table, column, opts...))
}

// Name returns the table.
func (r Rows[T]) Name() string { return Key{fam: r.f}.Family() }

func (r Rows[T]) key(id T) Key {
	if r.f == nil {
		return Key{}
	}
	k := Key{fam: r.f}
	k.setID(nil, any(id))
	if k.fault == emptyID {
		k.fault = sound
	}
	k.n = k.num
	return k
}

// LockRows locks the rows of the given ids in mode ForUpdate,
// ForNoKeyUpdate, ForShare or ForKeyShare until the transaction ends, in
// ascending order of their ids whatever that of the argument is. It waits at
// most as long as asked for each row; a wait of 0 is NOWAIT. It returns the
// ids that it found, in that order, and false, with nothing locked, when
// another transaction held a row for longer.
func LockRows[T ID](ctx context.Context, l *Locker, tx pgx.Tx, rows Rows[T], ids []T, mode Mode, wait time.Duration, opts ...Option) (found []T, ok bool, err error) {
	return LockRowsOn(ctx, l, adapted(tx), rows, ids, mode, wait, joined(opts))
}

// LockRowsOn is LockRows for the adapters of this module.
func LockRowsOn[T ID](ctx context.Context, l *Locker, tx driver.Tx, rows Rows[T], ids []T, mode Mode, wait time.Duration, o Option) (found []T, ok bool, err error) {
	if len(ids) == 0 {
		return nil, true, nil
	}
	keys := make([]Key, len(ids))
	for i, id := range ids {
		keys[i] = rows.key(id)
	}
	keys = distinct(keys)
	each := func(scan func(...any) error) error {
		var id T
		err := scan(&id)
		found = append(found, id)
		return err
	}
	ok, err = l.lockRows(ctx, tx, keys, mode, wait, o, each)
	if err != nil || !ok {
		return nil, false, failed(fmt.Sprintf("LockRows of %d rows from", len(keys)), keys[0], err)
	}
	return found, true, nil
}

func (l *Locker) lockRows(ctx context.Context, tx driver.Tx, keys []Key, mode Mode, wait time.Duration, o Option, each func(func(...any) error) error) (bool, error) {
	if mode < ForKeyShare || mode > ForUpdate {
		return false, fmt.Errorf("%w: mode %s locks no rows", ErrInvalidKey, mode)
	}
	if wait != 0 {
		if err := l.bounded(wait); err != nil {
			return false, err
		}
	}
	own, err := l.enter(tx, o, keys...)
	if err != nil {
		return false, err
	}
	at := Attempt{Key: keys[0], Count: len(keys), Scope: TxScope, Mode: mode, Wait: wait}
	if own != nil && wait > 0 {
		if err := l.ordered(ctx, own, keys, mode); err != nil {
			return false, err
		}
	}
	ctx, start := l.begin(ctx, at)
	ok, err := selectRows(ctx, tx, keys, at, each)
	if ok && own != nil {
		stack := callers()
		for _, k := range keys {
			own.add(grant{k, mode, TxScope, stack})
		}
	}
	l.end(ctx, at, start, ok, err)
	return ok, err
}

func selectRows(ctx context.Context, tx driver.Tx, keys []Key, at Attempt, each func(func(...any) error) error) (bool, error) {
	f := keys[0].fam
	sql := f.lockSQL(at.Mode)
	list := []driver.Statement{{SQL: sqlSave}}
	if at.Wait > 0 {
		list = append(list, driver.Statement{SQL: sqlBound, Args: []any{millis(at.Wait)}})
	} else {
		sql += " nowait"
	}
	list = append(list, driver.Statement{SQL: sql, Args: []any{arrayOf(keys)}, Each: each})
	if at.Wait > 0 {
		list = append(list, driver.Statement{SQL: sqlUnbound})
	}
	list = append(list, driver.Statement{SQL: sqlRelease})
	done, err := tx.Batch(ctx, list)
	switch {
	case err == nil:
		return true, nil
	case done == 0:
		return false, explain(err)
	}
	return false, back(ctx, tx, err)
}

// lockSQL selects the ids in the order in which their rows are locked: the
// locking step stands above the sort (PostgreSQL 16 manual, SELECT). Texts
// are sorted by their bytes, as the keys here are.
func (f *family) lockSQL(m Mode) string {
	typ, collate := "bigint", ""
	switch f.id {
	case textID:
		typ, collate = "text", ` collate "C"`
	case uuidID:
		typ = "uuid"
	}
	return "select " + f.column + " from " + f.table + " where " + f.column + " = any($1::" + typ + "[]) order by " + f.column + collate + " " + strings.ToLower(m.String())
}

// arrayOf writes ids as the text of an array, which every driver can send.
func arrayOf(keys []Key) string {
	var b strings.Builder
	for i, k := range keys {
		b.WriteByte("{,"[min(i, 1)])
		if k.fam.id == intID {
			b.WriteString(decimal(k.num))
			continue
		}
		b.WriteByte('"')
		b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(k.text))
		b.WriteByte('"')
	}
	return b.String() + "}"
}
