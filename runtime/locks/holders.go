package locks

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Since says how the time of a Holder is known: PostgreSQL keeps none for
// a lock that is held.
type Since string

// What a time of a Holder rests on.
const (
	SinceUnknown  Since = "unknown"     // hidden, or nothing to go by
	SinceTxStart  Since = "transaction" // the transaction began then: a lock of it is as old or younger, one of the session may be older
	SinceSession  Since = "session"     // the session began then: the lock is as old or younger
	SinceWaiting  Since = "waiting"     // it waits since then
	SinceAcquired Since = "acquired"    // a fence row says when it was taken
)

// A Holder is a session that holds a key or waits for it.
type Holder struct {
	PID         int32
	Granted     bool   // false: it waits
	Mode        Mode   // Exclusive or Share
	Application string // application_name, cut by the server at 63 bytes
	User        string
	Client      string // address, "" for a local socket or when hidden
	State       string // active, idle in transaction …
	Since       time.Time
	SinceFrom   Since
	Hidden      bool // the role may not see client, state and times; pg_read_all_stats shows them
}

func (h Holder) String() string {
	verb := "holds"
	if !h.Granted {
		verb = "waits for"
	}
	s := fmt.Sprintf("pid %d (%s) %s it %s", h.PID, h.Application, verb, h.Mode)
	switch {
	case h.Hidden:
		s += "; more is hidden from this role"
	case h.SinceFrom == SinceTxStart:
		s += fmt.Sprintf(", in a transaction since %s", h.Since.UTC().Format(time.RFC3339))
	case h.SinceFrom == SinceSession:
		s += fmt.Sprintf(", in a session since %s", h.Since.UTC().Format(time.RFC3339))
	case h.SinceFrom != SinceUnknown:
		s += fmt.Sprintf(", since %s", h.Since.UTC().Format(time.RFC3339))
	}
	return s
}

// The columns of pg_locks that make up a key: PostgreSQL 16 manual, 54.12.
// What another role's session does is NULL without pg_read_all_stats; pid and
// application name stay visible. waitstart came with PostgreSQL 14.
const sqlHolders = `select l.pid, l.granted, l.mode = 'ShareLock',
	coalesce(a.application_name, ''), coalesce(a.usename::text, ''), coalesce(host(a.client_addr), ''), coalesce(a.state, ''),
	case when l.granted then a.xact_start end, a.backend_start, (to_jsonb(l) ->> 'waitstart')::timestamptz, a.backend_start is null
from pg_locks l left join pg_stat_activity a using (pid)
where l.locktype = 'advisory' and l.objsubid = $3
	and l.database = (select oid from pg_database where datname = current_database())
	and l.classid = $1::int8::oid and l.objid = $2::int8::oid
order by not l.granted, l.pid`

// Holders returns the sessions that hold a key or wait for it, holders first.
// It needs no rights; what the role may not see is left empty and marked
// Hidden. It reads pg_locks whole: for people and for rare decisions, not for
// a loop.
func Holders(ctx context.Context, db Querier, k Key) ([]Holder, error) {
	if err := k.Err(); err != nil {
		return nil, failed("Holders", k, err)
	}
	sub := 1 // a bigint; 2 for a pair
	if k.Space() == PairSpace {
		sub = 2
	}
	rows, err := db.Query(ctx, sqlHolders, int64(uint32(k.n>>32)), int64(uint32(k.n)), sub)
	if err != nil {
		return nil, failed("Holders", k, err)
	}
	out, err := pgx.CollectRows(rows, scanHolder)
	return out, failed("Holders", k, err)
}

func scanHolder(row pgx.CollectableRow) (h Holder, err error) {
	var shared bool
	var tx, session, waiting *time.Time
	err = row.Scan(&h.PID, &h.Granted, &shared, &h.Application, &h.User, &h.Client, &h.State, &tx, &session, &waiting, &h.Hidden)
	h.Mode, h.SinceFrom = Exclusive, SinceUnknown
	if shared {
		h.Mode = Share
	}
	switch {
	case waiting != nil:
		h.Since, h.SinceFrom = *waiting, SinceWaiting
	case !h.Granted:
	case tx != nil:
		h.Since, h.SinceFrom = *tx, SinceTxStart
	case session != nil:
		h.Since, h.SinceFrom = *session, SinceSession
	}
	return h, err
}

// Holders is the function Holders, which also takes the time from the fence
// table, where the configuration names one: it is exact.
func (m *Sessions) Holders(ctx context.Context, db Querier, k Key) ([]Holder, error) {
	list, err := Holders(ctx, db, k)
	if err != nil || m.cfg.FenceTable == "" || len(list) == 0 || !list[0].Granted || len(list) > 1 && list[1].Granted {
		return list, err
	}
	p := pinKey(k)
	rows, err := db.Query(ctx, "select acquired_at from "+quoteTable(m.cfg.FenceTable)+" where space = $1 and key = $2", p.Subid(), p.Num)
	if err != nil {
		return nil, failed("Holders", k, err)
	}
	at, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return nil, failed("Holders", k, err)
	}
	if len(at) == 1 {
		list[0].Since, list[0].SinceFrom = at[0], SinceAcquired
	}
	return list, nil
}
