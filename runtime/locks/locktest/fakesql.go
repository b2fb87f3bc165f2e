package locktest

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pglockdep/pglockdep/runtime/locks"
	"github.com/pglockdep/pglockdep/runtime/locks/internal/driver"
	"github.com/pglockdep/pglockdep/runtime/locks/internal/pin"
)

// The statements that package locks sends; the fake reads no others.
var (
	advisory = regexp.MustCompile(`^select pg_(try_)?advisory_xact_lock(_shared)?\(`)
	rowLocks = regexp.MustCompile(`^select \S+ from (\S+) where .* (for (?:update|no key update|share|key share))( nowait)?$`)
	rowModes = map[string]locks.Mode{"for update": locks.ForUpdate, "for no key update": locks.ForNoKeyUpdate, "for share": locks.ForShare, "for key share": locks.ForKeyShare}
)

// Bool runs a try of package locks.
func (t *Tx) Bool(ctx context.Context, sql string, args ...any) (bool, error) {
	granted := false
	err := t.statement(ctx, driver.Statement{SQL: sql, Args: args, Each: func(scan func(...any) error) error { return scan(&granted) }})
	return granted, err
}

// Batch runs statements of package locks.
func (t *Tx) Batch(ctx context.Context, list []driver.Statement) (int, error) {
	for i, s := range list {
		if err := t.statement(ctx, s); err != nil {
			return i, err
		}
	}
	return len(list), nil
}

// Script runs statements of package locks, in an aborted transaction too.
func (t *Tx) Script(ctx context.Context, list ...string) error {
	_, err := t.Batch(ctx, func() (out []driver.Statement) {
		for _, sql := range list {
			out = append(out, driver.Statement{SQL: sql})
		}
		return out
	}())
	return err
}

func (t *Tx) statement(ctx context.Context, s driver.Statement) error {
	back := strings.HasPrefix(s.SQL, "rollback to savepoint ")
	if err := t.ready(ctx, back); err != nil {
		return err
	}
	if m := advisory.FindStringSubmatch(s.SQL); m != nil {
		return t.failed(t.advisory(ctx, s, m[1] != "", m[2] != ""))
	}
	if m := rowLocks.FindStringSubmatch(s.SQL); m != nil {
		return t.failed(t.rows(ctx, s, m[1], rowModes[m[2]], m[3] != ""))
	}
	if strings.HasPrefix(s.SQL, "SELECT 1 FROM ") && len(s.Args) == 4 {
		return t.fence(ctx, s)
	}
	f, unlock := t.c.lock()
	defer unlock()
	now := &t.c.tx
	switch {
	case back:
		t.c.back(f, now.depth)
	case strings.HasPrefix(s.SQL, "savepoint "):
		now.depth++
	case strings.HasPrefix(s.SQL, "release savepoint "):
		t.c.release(now.depth)
	case strings.Contains(s.SQL, "set_config('pglockdep.lock_timeout'"):
		now.before, now.bound = now.bound, milliseconds(s.Args[0])
	case strings.Contains(s.SQL, "set_config('lock_timeout', $1"):
		now.bound = milliseconds(s.Args[0])
	case strings.Contains(s.SQL, "set_config('lock_timeout', current_setting("):
		now.bound = now.before
	default:
		return fmt.Errorf("locktest: the fake does not know the statement %q", s.SQL)
	}
	return nil
}

func (t *Tx) advisory(ctx context.Context, s driver.Statement, try, shared bool) error {
	mode := locks.Exclusive
	if shared {
		mode = locks.Share
	}
	f, unlock := t.c.lock()
	err := f.lock
	f.lock = nil
	w, depth, bound := want{keyID(argKey(s.Args)), mode}, t.c.tx.depth, t.c.tx.bound
	if err != nil || try {
		defer unlock()
		if err != nil {
			return err
		}
		granted := f.table.try(t.c, w, depth)
		return s.Each(func(dest ...any) error { *dest[0].(*bool) = granted; return nil })
	}
	unlock()
	return t.c.wait(ctx, w, depth, bound)
}

func argKey(args []any) pin.Key {
	if len(args) == 2 {
		return pin.Key{Num: int64(args[0].(int32))<<32 | int64(uint32(args[1].(int32))), Pair: true}
	}
	return pin.Key{Num: args[0].(int64)}
}

// rows locks rows one after the other; each id that is asked for has one.
func (t *Tx) rows(ctx context.Context, s driver.Statement, table string, mode locks.Mode, nowait bool) error {
	_, unlock := t.c.lock()
	depth, bound := t.c.tx.depth, t.c.tx.bound
	unlock()
	for _, id := range elements(s.Args[0].(string)) {
		w := want{lockID{table: table, row: id}, mode}
		if nowait && t.blocked(w) {
			return &pgconn.PgError{Severity: "ERROR", Code: "55P03", Message: "could not obtain lock on row in relation " + strconv.Quote(table)}
		}
		if err := t.c.wait(ctx, w, depth, bound); err != nil {
			return err
		}
		if err := s.Each(func(dest ...any) error { return setID(dest[0], id) }); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) blocked(w want) bool {
	f, unlock := t.c.lock()
	defer unlock()
	return len(f.table.blockers(t.c, w)) > 0
}

// elements splits the text of an array.
func elements(array string) (out []string) {
	rest := strings.TrimSuffix(strings.TrimPrefix(array, "{"), "}")
	for rest != "" {
		if rest[0] != '"' {
			var one string
			one, rest, _ = strings.Cut(rest, ",")
			out = append(out, one)
			continue
		}
		var b strings.Builder
		i := 1
		for ; rest[i] != '"'; i++ {
			if rest[i] == '\\' {
				i++
			}
			b.WriteByte(rest[i])
		}
		out = append(out, b.String())
		rest = strings.TrimPrefix(rest[i+1:], ",")
	}
	return out
}

// setID stores the text of an id in a locks.ID.
func setID(dest any, text string) error {
	v := reflect.ValueOf(dest).Elem()
	switch {
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.CanInt(), v.CanUint():
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return err
		}
		v.Set(reflect.ValueOf(n).Convert(v.Type()))
	default: // a UUID
		hex := strings.ReplaceAll(text, "-", "")
		for i := range v.Len() {
			n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
			if err != nil {
				return err
			}
			v.Index(i).SetUint(n)
		}
	}
	return nil
}

// fence reads the row of a fence, which the next owner's session then waits
// to change.
func (t *Tx) fence(ctx context.Context, s driver.Statement) error {
	k := pin.Key{Num: s.Args[1].(int64), Pair: s.Args[0].(int16) == 2}
	w := want{fenceID(k), locks.ForShare}
	_, unlock := t.c.lock()
	depth := t.c.tx.depth
	unlock()
	if err := t.c.wait(ctx, w, depth, 0); err != nil {
		return err
	}
	f, unlock := t.c.lock()
	valid := f.tokens[k] == s.Args[2].(int64) && f.epochName() == s.Args[3].(string)
	if !valid {
		f.table.drop(func(h *hold) bool { return h.conn == t.c && h.want == w })
	}
	unlock()
	if !valid {
		return nil
	}
	return s.Each(func(...any) error { return nil })
}
