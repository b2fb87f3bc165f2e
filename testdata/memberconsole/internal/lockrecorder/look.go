package lockrecorder

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// lockedObjects reads the advisory and relation locks of a session. For an
// advisory lock on one bigint, objsubid is 1 and the key is split over classid
// and objid; for one on two int4, objsubid is 2 (PostgreSQL 15, 54.12 pg_locks).
const lockedObjects = `
SELECT l.locktype, coalesce(n.nspname, ''), coalesce(c.relname, ''), coalesce(c.relkind::text, ''), l.mode,
       CASE WHEN l.locktype = 'advisory' AND l.objsubid = 1 THEN ((l.classid::bigint << 32) | l.objid::bigint)::text
            WHEN l.locktype = 'advisory' THEN l.classid::bigint::bit(32)::int4 || ',' || l.objid::bigint::bit(32)::int4
            ELSE '' END,
       coalesce(l.objsubid, 0)
FROM pg_catalog.pg_locks l
LEFT JOIN pg_catalog.pg_class c ON l.locktype = 'relation' AND c.oid = l.relation
LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE l.pid = $1 AND l.granted
  AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
  AND (l.locktype = 'advisory'
       OR l.locktype = 'relation' AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
          AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%')`

// lockedRows reads the row locks of a session on one table.
const lockedRows = `
SELECT l.locked_row::text, m.mode
FROM pgrowlocks($1) l, unnest(l.modes, l.pids) AS m (mode, pid)
WHERE m.pid = $2`

var relationModes = map[string]string{
	"AccessShareLock":          "ACCESS SHARE",
	"RowShareLock":             "ROW SHARE",
	"RowExclusiveLock":         "ROW EXCLUSIVE",
	"ShareUpdateExclusiveLock": "SHARE UPDATE EXCLUSIVE",
	"ShareLock":                "SHARE",
	"ShareRowExclusiveLock":    "SHARE ROW EXCLUSIVE",
	"ExclusiveLock":            "EXCLUSIVE",
	"AccessExclusiveLock":      "ACCESS EXCLUSIVE",
}

// rowModes are the names that pgrowlocks gives a lock by a locking clause
// ("For …") and the lock of an update or a delete.
var rowModes = map[string]string{
	"For Update":        "FOR UPDATE",
	"Update":            "FOR UPDATE",
	"For No Key Update": "FOR NO KEY UPDATE",
	"No Key Update":     "FOR NO KEY UPDATE",
	"For Share":         "FOR SHARE",
	"Share":             "FOR SHARE",
	"For Key Share":     "FOR KEY SHARE",
	"Key Share":         "FOR KEY SHARE",
}

// look returns what a session holds, sorted.
func (r *Recorder) look(ctx context.Context, pid uint32) ([]Lock, error) {
	locks, tables, err := r.objects(ctx, pid)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		rows, err := r.rows(ctx, pid, t)
		if err != nil {
			return nil, err
		}
		locks = append(locks, rows...)
	}
	sortLocks(locks)
	return locks, nil
}

// table is a table in which a session may hold row locks.
type table struct{ schema, name string }

func (t table) qualified() string {
	if t.schema == "public" {
		return t.name
	}
	return t.schema + "." + t.name
}

func (r *Recorder) objects(ctx context.Context, pid uint32) ([]Lock, []table, error) {
	rows, err := r.observer.Query(ctx, lockedObjects, int32(pid))
	if err != nil {
		return nil, nil, fmt.Errorf("pg_locks: %w", err)
	}
	defer rows.Close()
	var locks []Lock
	written, closed := map[table]bool{}, map[table]bool{}
	for rows.Next() {
		var kind, schema, name, relkind, mode, key string
		var sub int16
		if err := rows.Scan(&kind, &schema, &name, &relkind, &mode, &key, &sub); err != nil {
			return nil, nil, fmt.Errorf("pg_locks: %w", err)
		}
		if kind == "advisory" {
			locks = append(locks, advisory(key, sub, mode))
			continue
		}
		t := table{schema, name}
		locks = append(locks, Lock{Family: "table", Relation: t.qualified(), Relkind: relkind, Mode: relationModes[mode]})
		switch mode {
		case "AccessExclusiveLock":
			closed[t] = true // pgrowlocks would wait for it
		case "RowShareLock", "RowExclusiveLock":
			written[t] = relkind == "r"
		}
	}
	if err := rows.Err(); err != nil {
		return nil, nil, fmt.Errorf("pg_locks: %w", err)
	}
	var tables []table
	for t, ok := range written {
		if ok && !closed[t] {
			tables = append(tables, t)
		}
	}
	return locks, tables, nil
}

func advisory(key string, sub int16, mode string) Lock {
	l := Lock{Family: "advisory", Space: "bigint", Key: key, Mode: "exclusive"}
	if sub == 2 {
		l.Space = "int4x2"
	}
	if mode == "ShareLock" {
		l.Mode = "shared"
	}
	return l
}

func (r *Recorder) rows(ctx context.Context, pid uint32, t table) ([]Lock, error) {
	rows, err := r.observer.Query(ctx, lockedRows, pgx.Identifier{t.schema, t.name}.Sanitize(), int32(pid))
	if err != nil {
		return nil, fmt.Errorf("pgrowlocks of %s: %w", t.qualified(), err)
	}
	defer rows.Close()
	var locks []Lock
	for rows.Next() {
		var row, mode string
		if err := rows.Scan(&row, &mode); err != nil {
			return nil, fmt.Errorf("pgrowlocks of %s: %w", t.qualified(), err)
		}
		known, ok := rowModes[mode]
		if !ok {
			return nil, fmt.Errorf("pgrowlocks of %s: mode %q is not known", t.qualified(), mode)
		}
		locks = append(locks, Lock{Family: "row", Relation: t.qualified(), Relkind: "r", Row: row, Mode: known})
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("pgrowlocks of %s: %w", t.qualified(), err)
	}
	return locks, nil
}
