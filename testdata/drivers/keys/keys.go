package keys

import (
	"context"
	"crypto/md5"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"hash/crc64"
	"hash/fnv"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
)

// same constant in two features, typed through const expr and through SQL literal
const (
	lockImport = 710000 + 1
	lockExport = 710001 // want key-collision "keys\\.lockImport and keys\\.lockExport are the same advisory key, 710001"
)

func Import(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lockImport)
	return err
}
func Export(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lockExport)
	return err
}

func SQLLit(tx *gorm.DB) error {
	return tx.Transaction(func(tx *gorm.DB) error { return tx.Exec(`SELECT pg_advisory_xact_lock(720001)`).Error })
}

const cleanupKey = 0xAFC81

func Cleanup(ctx context.Context, db *bun.DB) error {
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(?)", cleanupKey)
		return err
	})
}

// ranges
const base1, base2 int64 = 1_000_000, 1_000_100

func A1(ctx context.Context, tx *sql.Tx, shard int32) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, base1+int64(shard))
	return err
}
func A2(ctx context.Context, tx *sql.Tx, shard int32) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, base2+int64(shard)) // want key-collision "an id past 100 is a key of the other"
	return err
}

// weak hashes
func W1(ctx context.Context, tx *sql.Tx, name string) error {
	key := int64(crc32.ChecksumIEEE([]byte("w1:" + name)))
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, key)
	return err
}
func W2(ctx context.Context, tx *sqlx.Tx, name string) error {
	h := fnv.New32a()
	fmt.Fprintf(h, "w2:%s", name)
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, h.Sum32())
	return err
}
func W3(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('w3:' || $1))`, name)
	return err
}
func W4(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(abs(hashtextextended('w4:' || $1, 0)))`, name) // want weak-key-hash "abs makes one key of two hashes for advisory w4:"
	return err
}
func W5(ctx context.Context, tx pgx.Tx, name string) error {
	h := fnv.New64a()
	h.Write([]byte("w5:" + name))
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(h.Sum64()%100000))
	return err
}
func W6(db *gorm.DB, name string) error {
	return db.Transaction(func(tx *gorm.DB) error {
		k := adler32.Checksum([]byte("w6:" + name))
		return tx.Exec(`SELECT pg_advisory_xact_lock(?)`, k).Error
	})
}
func keyOf(parts ...string) int64 {
	sum := md5.Sum([]byte(fmt.Sprint(parts)))
	return int64(binary.BigEndian.Uint32(sum[:4]))
}
func W7(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, keyOf("w7", name)) // want unprefixed-key "the key of advisory keys\\.W7 hashes a value without a prefix" weak-key-hash "md5 leaves 32 bits for the key of advisory keys\\.W7"
	return err
}
func W8(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(('x' || substr(md5('w8:' || $1), 1, 8))::bit(32)::int)`, name)
	return err
}
func WGood(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('wg:' || $1, 0))`, name)
	return err
}
func WGood2(ctx context.Context, tx pgx.Tx, name string) error {
	sum := md5.Sum([]byte("wg2:" + name))
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(binary.BigEndian.Uint64(sum[:8])))
	return err
}
func WGood3(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(crc64.Checksum([]byte("wg3:"+name), crc64.MakeTable(crc64.ISO))))
	return err
}

// unprefixed
func U1(ctx context.Context, tx pgx.Tx, userID int64) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, userID) // want unprefixed-key "the key of advisory keys\\.U1 is an id as it is"
	return err
}
func U2(ctx context.Context, tx *sqlx.Tx, email string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, email) // want unprefixed-key "the key of advisory keys\\.U2 hashes a value without a prefix"
	return err
}

type Invoice struct{ ID int64 }

func U3(db *gorm.DB, inv Invoice) error {
	return db.Transaction(func(tx *gorm.DB) error {
		return tx.Exec(`SELECT pg_advisory_xact_lock(?)`, inv.ID).Error // want unprefixed-key "the key of advisory keys\\.Invoice\\.ID is an id as it is"
	})
}

// overflow
func O1(ctx context.Context, pool *pgxpool.Pool, tenant, doc int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1::int4, $2::int4)`, tenant, doc) // want key-overflow "an int64 is given to a lock of two int4, advisory keys\\.O1\\$1"
		return err
	})
}
func O2(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(77, $1)`, crc32.ChecksumIEEE([]byte(name))) // want key-overflow "a uint32 is given to a lock of two int4, advisory 77, crc32\\(\\$1\\)"
	return err
}
func OGood(ctx context.Context, tx pgx.Tx, tenant int32) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(78, $1)`, tenant)
	return err
}

// space mix: bigint here, two int4 there
func S1(ctx context.Context, tx pgx.Tx, account int32) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(8801, $1)`, account) // want key-space-mix "an id of namespace 8801 is locked by two int4 here and by a bigint in S2"
	return err
}
func S2(ctx context.Context, tx pgx.Tx, account int32) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock((8801::bigint << 32) | $1)`, account)
	return err
}

// mismatch: one resource under two derivations
func M1(ctx context.Context, tx pgx.Tx, order int64) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('order:' || $1::text, 0))`, order) // want key-mismatch "locks of \"order\" are keyed by hashtextextended with seed 0 here and by fnv64a in M2"
	return err
}
func M2(ctx context.Context, tx pgx.Tx, order int64) error {
	h := fnv.New64a()
	h.Write([]byte("order:" + strconv.FormatInt(order, 10)))
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(h.Sum64())) // want key-mismatch "locks of \"order\" are keyed by fnv64a here and by hashtextextended with seed 0 in M1"
	return err
}
func M3(ctx context.Context, tx pgx.Tx, order int64) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('cust:' || $1::text))`, order) // want key-mismatch "locks of \"cust\" are keyed by hashtext here and by hashtextextended with seed 0 in M4"
	return err
}
func M4(ctx context.Context, tx pgx.Tx, order int64) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('cust:' || $1::text, 0))`, order) // want key-mismatch "locks of \"cust\" are keyed by hashtextextended with seed 0 here and by hashtext in M3"
	return err
}

// null
func N1(ctx context.Context, tx *sql.Tx, parent *int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, parent) // want null-key "the key of advisory keys\\.N1 is made of a \\*int64, which can be NULL"
	return err
}
func N2(ctx context.Context, tx *sql.Tx, parent sql.NullInt64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(9901, $1)`, parent) // want null-key "the key of advisory 9901, \\$1 is made of a sql\\.NullInt64, which can be NULL"
	return err
}
func N3(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(parent_id) FROM kn_nodes WHERE id = $1`, id) // want null-key "the key of advisory kn_nodes\\.id is made of column kn_nodes\\.parent_id, which can be NULL" unprefixed-key "the key of advisory kn_nodes\\.id is an id as it is"
	return err
}
func N4(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock((SELECT owner_id FROM kn_nodes WHERE id = $1))`, id) // want unprefixed-key "the key of advisory kn_nodes\\.owner_id is an id as it is"
	return err
}
func NGood(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(owner_id) FROM kn_nodes WHERE id = $1`, id) // want unprefixed-key "the key of advisory kn_nodes\\.owner_id is an id as it is"
	return err
}
func NGood2(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(coalesce(parent_id, 0)) FROM kn_nodes WHERE id = $1`, id)
	return err
}

// locked by one key, released by another
func HeldBy(ctx context.Context, pool *pgxpool.Pool, name string, fn func() error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	h := fnv.New64a()
	h.Write([]byte("keyed:" + name))
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(h.Sum64())); err != nil {
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(hashtextextended('keyed:' || $1, 0))`, name) // want key-mismatch "locks of \"keyed\" are released by a key of hashtextextended with seed 0, and taken by one of fnv64a in HeldBy"
	return fn()
}

// one prefix, written in two ways
func Settle(ctx context.Context, tx pgx.Tx, account string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('settled:' || $1, 0))`, account) // want key-mismatch "locks of \"settled\" are keyed by \"settled:\" here and by \"settled-\" in Unsettle"
	return err
}

func Unsettle(ctx context.Context, tx pgx.Tx, account string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('settled-' || $1, 0))`, account) // want key-mismatch "locks of \"settled\" are keyed by \"settled-\" here and by \"settled:\" in Settle"
	return err
}

// SettleAll locks one thing, which is none of them.
func SettleAll(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('settled', 0))`)
	return err
}

// a key that is made of a declared constant
const lockBase = 720000

func Rebase(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockBase+7))
	return err
}

const lockReport = 720007 // want key-collision "keys\\.lockBase \\+ 7 and keys\\.lockReport are the same advisory key, 720007"

func Report(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lockReport)
	return err
}

// a 64-bit id in a text that a chain runs
func OverGorm(tx *gorm.DB, build int64) (ok bool, err error) {
	err = tx.Raw(`SELECT pg_try_advisory_xact_lock(79, ?)`, build).Scan(&ok).Error // want key-overflow "an int64 is given to a lock of two int4"
	return ok, err
}

func OverBun(ctx context.Context, tx bun.Tx, build int64) error {
	_, err := tx.NewRaw(`SELECT pg_advisory_xact_lock(80, ?)`, build).Exec(ctx) // want key-overflow "an int64 is given to a lock of two int4"
	return err
}
