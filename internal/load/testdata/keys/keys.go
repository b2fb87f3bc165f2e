// Package keys builds advisory keys in the ways that programs do. The
// comment above each function says how its key is made: derivation, hash
// function, then the literal that starts the hashed text, or the constant, or
// the field that it is read from.
package keys

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"hash/fnv"
	"hash/maphash"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/google/uuid"
)

const (
	lockJobs = iota + 100
	lockUsers
)

type LockID int64

const migrateLock LockID = 7741

var seed = maphash.MakeSeed()

var table = crc64.MakeTable(crc64.ISO)

var lockNames = map[string]int64{"jobs": 11, "users": 12}

type Config struct{ LockKey int64 }

type Job struct {
	ID    int64
	Queue string
	Ref   uuid.UUID
}

func lock(ctx context.Context, tx *sql.Tx, key int64) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", key)
	return err
}

func hashed(s string) int64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return int64(h.Sum64())
}

// key: go-hash fnv64a "job:"
func FnvSprintf(ctx context.Context, tx *sql.Tx, j *Job) error {
	h := fnv.New64a()
	fmt.Fprintf(h, "job:%d", j.ID)
	return lock(ctx, tx, int64(h.Sum64()))
}

// key: go-hash fnv64a "queue/"
func FnvParts(ctx context.Context, tx *sql.Tx, j *Job) error {
	h := fnv.New64a()
	_, _ = h.Write([]byte("queue/"))
	_, _ = io.WriteString(h, j.Queue)
	return lock(ctx, tx, int64(h.Sum64()&0x7fffffffffffffff))
}

// key: go-hash fnv64a "user:"
func Helper(ctx context.Context, tx *sql.Tx, id string) error {
	return lock(ctx, tx, hashed("user:"+id))
}

// key: go-hash crc32 "tenant-"
func Crc(ctx context.Context, tx *sql.Tx, tenant string) error {
	return lock(ctx, tx, int64(crc32.ChecksumIEEE([]byte("tenant-"+tenant))))
}

// key: go-hash crc32 "tenant-"
func CrcUpdate(ctx context.Context, tx *sql.Tx, tenant string) error {
	sum := crc32.Update(0, crc32.IEEETable, []byte("tenant-"+tenant))
	return lock(ctx, tx, int64(sum))
}

// key: go-hash crc64 "t:"
func Crc64(ctx context.Context, tx *sql.Tx, tenant string) error {
	return lock(ctx, tx, int64(crc64.Checksum([]byte("t:"+tenant), table)))
}

// key: go-hash sha256 "acct:"
func Sha(ctx context.Context, tx *sql.Tx, id string) error {
	sum := sha256.Sum256([]byte("acct:" + id))
	return lock(ctx, tx, int64(binary.BigEndian.Uint64(sum[:8])))
}

// key: go-hash sha1 "acct:"
func ShaNew(ctx context.Context, tx *sql.Tx, id string) error {
	h := sha1.New()
	h.Write([]byte("acct:" + id))
	return lock(ctx, tx, int64(binary.LittleEndian.Uint64(h.Sum(nil)[:8])>>1))
}

// key: go-hash md5 "m:"
func Md5Loop(ctx context.Context, tx *sql.Tx, id string) error {
	sum := md5.Sum([]byte(fmt.Sprintf("m:%s", id)))
	var key int64
	for i := 0; i < 8; i++ {
		key = key<<8 | int64(sum[i])
	}
	return lock(ctx, tx, key)
}

// key: go-hash md5 "m:"
func Md5Hex(ctx context.Context, tx *sql.Tx, id string) error {
	sum := md5.Sum([]byte("m:" + id))
	key, err := strconv.ParseInt(hex.EncodeToString(sum[:])[:15], 16, 64)
	if err != nil {
		return err
	}
	return lock(ctx, tx, key)
}

// key: go-hash sha256 "big:"
func BigInt(ctx context.Context, tx *sql.Tx, id string) error {
	sum := sha256.Sum256([]byte("big:" + id))
	n := new(big.Int).SetBytes(sum[:])
	return lock(ctx, tx, n.Int64())
}

// key: go-hash bytes of keys.lock
func BigText(ctx context.Context, tx *sql.Tx, name string) error {
	return lock(ctx, tx, big.NewInt(0).SetBytes([]byte(name)).Int64())
}

// key: go-hash sha256 "read:"
func BinaryRead(ctx context.Context, tx *sql.Tx, id string) error {
	sum := sha256.Sum256([]byte("read:" + id))
	var key int64
	if err := binary.Read(bytes.NewReader(sum[:]), binary.BigEndian, &key); err != nil {
		return err
	}
	return lock(ctx, tx, key)
}

// key: go-hash xxhash64 "x:"
func XX(ctx context.Context, tx *sql.Tx, id string) error {
	return lock(ctx, tx, int64(xxhash.Sum64String("x:"+id)))
}

// key: go-hash xxhash64 "x:"
func XXDigest(ctx context.Context, tx *sql.Tx, id string) error {
	d := xxhash.New()
	_, _ = d.WriteString("x:")
	_, _ = d.WriteString(id)
	return lock(ctx, tx, int64(d.Sum64()))
}

// key: go-hash maphash "mh:"
func Map(ctx context.Context, tx *sql.Tx, id string) error {
	return lock(ctx, tx, int64(maphash.String(seed, "mh:"+id)))
}

// key: go-hash maphash "mh:"
func MapHash(ctx context.Context, tx *sql.Tx, id string) error {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString("mh:" + id)
	return lock(ctx, tx, int64(h.Sum64()))
}

// key: go-hash bytes of keys.Job.Ref
func UuidHalf(ctx context.Context, tx *sql.Tx, j *Job) error {
	return lock(ctx, tx, int64(binary.BigEndian.Uint64(j.Ref[:8])))
}

// key: go-hash bytes of keys.Job.Ref
func UuidXor(ctx context.Context, tx *sql.Tx, j *Job) error {
	hi, lo := binary.BigEndian.Uint64(j.Ref[0:8]), binary.BigEndian.Uint64(j.Ref[8:16])
	return lock(ctx, tx, int64(hi^lo))
}

// key: go-hash sum of keys.lock
func SumOfChars(ctx context.Context, tx *sql.Tx, name string) error {
	var key int64
	for _, c := range name {
		key = key*31 + int64(c)
	}
	return lock(ctx, tx, key)
}

// key: plain of keys.Job.ID
func PlainID(ctx context.Context, tx *sql.Tx, j *Job) error { return lock(ctx, tx, j.ID) }

// key: plain of keys.Job.ID
func ParsedID(ctx context.Context, tx *sql.Tx, j *Job) error {
	n, err := strconv.ParseInt(strconv.FormatInt(j.ID, 10), 10, 64)
	if err != nil {
		return err
	}
	return lock(ctx, tx, n)
}

// key: constant = 100
func Iota(ctx context.Context, tx *sql.Tx) error { return lock(ctx, tx, lockJobs) }

// key: constant = 7741
func Typed(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", migrateLock)
	return err
}

// key: constant = 11
func FromMap(ctx context.Context, tx *sql.Tx) error { return lock(ctx, tx, lockNames["jobs"]) }

// key: constant = 101
func Formatted(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", lockUsers))
	return err
}

// key: constant = 101
func Strconv(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock("+strconv.Itoa(lockUsers)+")")
	return err
}

// key: pair 100, $1
func Pair(ctx context.Context, tx *sql.Tx, j *Job) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1, $2)", lockJobs, int32(j.ID))
	return err
}

// key: pair 100, hashtext($1)
func PairHash(ctx context.Context, tx *sql.Tx, j *Job) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d, hashtext($1))", lockJobs), j.Queue)
	return err
}

// key: plain of keys.Job.ID
func Shifted(ctx context.Context, tx *sql.Tx, j *Job) error {
	return lock(ctx, tx, int64(lockJobs)<<32|j.ID)
}

// key: hashtext "job:"
func Hashtext(ctx context.Context, tx *sql.Tx, j *Job) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", fmt.Sprintf("job:%d", j.ID))
	return err
}

// key: hashtextextended "job:"
func HashtextJoined(ctx context.Context, tx *sql.Tx, j *Job) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", strings.Join([]string{"job:", j.Queue}, ""))
	return err
}

// key: hashtext "job:"
func HashtextSum(ctx context.Context, tx *sql.Tx, j *Job) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1)::bigint << 32 | hashtext($2)::bigint)", "job:"+j.Queue, j.Queue)
	return err
}

// key: server-hash "job:"
func Md5Bits(ctx context.Context, tx *sql.Tx, j *Job) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(('x' || substr(md5($1), 1, 16))::bit(64)::bigint)", "job:"+j.Queue)
	return err
}

// key: plain of keys.TableOid
func TableOid(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock('jobs'::regclass::oid::bigint)")
	return err
}

// key: constant = 5
func FromConfig(ctx context.Context, tx *sql.Tx) error {
	c := Config{LockKey: 5}
	return c.take(ctx, tx)
}

func (c Config) take(ctx context.Context, tx *sql.Tx) error { return lock(ctx, tx, c.LockKey) }

// key: go-hash fnv64a "of:"
func Method(ctx context.Context, tx *sql.Tx, j *Job) error { return lock(ctx, tx, j.key()) }

func (j *Job) key() int64 { return hashed(fmt.Sprint("of:", j.ID)) }

// key: go-hash fnv64a "grp:"
func Joined(ctx context.Context, tx *sql.Tx, a, b string) error {
	return lock(ctx, tx, hashed(strings.Join([]string{"grp", a, b}, ":")))
}

// key: go-hash fnv64a "id:"
func Built(ctx context.Context, tx *sql.Tx, id string) error {
	var b strings.Builder
	b.WriteString("id:")
	b.WriteString(id)
	return lock(ctx, tx, hashed(b.String()))
}

// key: go-hash fnv32a "w:"
func Fnv32(ctx context.Context, tx *sql.Tx, id string) error {
	h := fnv.New32a()
	h.Write([]byte("w:" + id))
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int32(h.Sum32()))
	return err
}

// key: go-hash fnv64a "opt:"
func Conn(ctx context.Context, db *sql.DB, id string) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	key := hashed("opt:" + id)
	var ok bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&ok); err != nil || !ok {
		return err
	}
	_, err = conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", key)
	return err
}

// key: go-hash fnv64a fnv64a($1 || ':lock:' || $2)
func Middle(ctx context.Context, tx *sql.Tx, j *Job) error {
	return lock(ctx, tx, hashed(j.Queue+":lock:"+strconv.FormatInt(j.ID, 10)))
}

// key: go-hash crc32 = 1856466978
func Whole(ctx context.Context, tx *sql.Tx) error {
	return lock(ctx, tx, int64(crc32.ChecksumIEEE([]byte("migrations"))))
}

func ofParts(parts ...string) int64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return int64(h.Sum64())
}

// key: go-hash fnv64a "job"
func Parts(ctx context.Context, tx *sql.Tx, id string) error {
	return lock(ctx, tx, ofParts("job", id))
}

func joined(parts ...string) int64 { return hashed(strings.Join(parts, ":")) }

// key: go-hash fnv64a "job:"
func PartsJoined(ctx context.Context, tx *sql.Tx, id string) error {
	return lock(ctx, tx, joined("job", id))
}

func formatted(format string, args ...any) int64 { return hashed(fmt.Sprintf(format, args...)) }

// key: go-hash fnv64a "job/"
func PartsFormatted(ctx context.Context, tx *sql.Tx, id string) error {
	return lock(ctx, tx, formatted("job/%s/%d", id, 3))
}

var cleanupKey = hashed("cleanup")

// key: go-hash fnv64a = -6028003110606329165
func Global(ctx context.Context, tx *sql.Tx) error { return lock(ctx, tx, cleanupKey) }

type Locker struct {
	db  *sql.DB
	key int64
}

func NewLocker(db *sql.DB, name string) *Locker {
	return &Locker{db: db, key: hashed("locker:" + name)}
}

// key: go-hash fnv64a "locker:"
func (l *Locker) Try(ctx context.Context) (bool, error) {
	var ok bool
	err := l.db.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", l.key).Scan(&ok)
	return ok, err
}

type Kind int32

const (
	KindJob Kind = iota + 1
	KindUser
)

type Key struct {
	Kind Kind
	ID   int32
}

func take(ctx context.Context, tx *sql.Tx, k Key) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1, $2)", k.Kind, k.ID)
	return err
}

// key: pair 2, $1
func PairOfKind(ctx context.Context, tx *sql.Tx, id int32) error {
	return take(ctx, tx, Key{KindUser, id})
}

type keyer interface{ Key() int64 }

func (k Key) Key() int64 { return hashed("row:" + strconv.Itoa(int(k.ID))) }

func takeAny(ctx context.Context, tx *sql.Tx, k keyer) error { return lock(ctx, tx, k.Key()) }

// key: go-hash fnv64a "row:"
func Any(ctx context.Context, tx *sql.Tx, k Key) error { return takeAny(ctx, tx, k) }

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Acquire takes the key that its callers give.
func Acquire(ctx context.Context, q querier, key int64) (bool, error) {
	var ok bool
	err := q.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&ok)
	return ok, err
}

// key: constant = 2172
func Channel(ctx context.Context, db *sql.DB) error {
	_, err := Acquire(ctx, db, 2172)
	return err
}

// key: go-hash fnv64a "sync:"
func Sync(ctx context.Context, db *sql.DB, network string) error {
	return sync(ctx, db, "sync:"+network)
}

func sync(ctx context.Context, db *sql.DB, name string) error {
	_, err := Acquire(ctx, db, hashed(name))
	return err
}

// Lease takes the key that its callers give, on their connection.
func Lease(ctx context.Context, conn *sql.Conn, key int64) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_try_advisory_lock_shared($1)", key)
	return err
}

type pool struct {
	afterConnect func(context.Context, *sql.Conn) error
}

func newPool() *pool { return &pool{afterConnect: lease} }

// key: constant = 5585
func lease(ctx context.Context, conn *sql.Conn) error { return Lease(ctx, conn, 5585) }

// What a key is made of is a class, wherever its parts come from.

// key: hashtextextended "member:"
func Member(ctx context.Context, tx *sql.Tx, org, user string) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", "member:"+org+":"+user)
	return err
}

// key: hashtextextended "member:"
func MemberHere(ctx context.Context, tx *sql.Tx, org string) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('member:' || $1 || ':' || $2, 0))", org, uuid.New().String())
	return err
}

// Which entry of a table it is, the caller tells.

// key: constant = 12
func ByName(ctx context.Context, tx *sql.Tx) error { return byName(ctx, tx, "users") }

func byName(ctx context.Context, tx *sql.Tx, name string) error {
	id, ok := lockNames[name]
	if !ok {
		return errors.New("no such lock")
	}
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", id)
	return err
}

type kind int

const (
	small kind = iota
	large
)

// key: constant = 902
func ByKind(ctx context.Context, tx *sql.Tx) error { return byKind(ctx, tx, large) }

func byKind(ctx context.Context, tx *sql.Tx, k kind) error {
	keys := [...]int64{small: 901, large: 902}
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", keys[int(k)])
	return err
}
