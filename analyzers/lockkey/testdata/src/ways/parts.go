package shop

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// LockTenant is given an id; who calls it is out of sight.
func LockTenant(ctx context.Context, tx *sql.Tx, tenantID int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, tenantID) // want unprefixed-key "is an id as it is"
	return err
}

// LockNumber is given the key of a lock.
func LockNumber(ctx context.Context, tx *sql.Tx, lockID int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, lockID)
	return err
}

// Added joins two ids in a way that others can join to the same number.
func Added(ctx context.Context, tx *sql.Tx, tenant, order int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, tenant*100000+order) // want key-collision "are sums of which one part is multiplied by 100000"
	return err
}

// AddedThere does so in SQL.
func AddedThere(ctx context.Context, tx *sql.Tx, tenant, order int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1::bigint + $2::bigint)`, tenant, order) // want key-collision "are sums of two values"
	return err
}

// Bounded adds less than it multiplies by.
func Bounded(ctx context.Context, tx *sql.Tx, tenant, order int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, tenant*1000+(order&511))
	return err
}

// Shifted gives each its half.
func Shifted(ctx context.Context, tx *sql.Tx, tenant, order int32) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(tenant)<<32+int64(uint32(order)))
	return err
}

// Pair and Packed have one namespace and never meet.
func Pair(ctx context.Context, tx *sql.Tx, feed int32) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(812, $1)`, feed) // want key-space-mix "an id of namespace 812 is locked by two int4 here and by a bigint in Packed"
	return err
}

func Packed(ctx context.Context, tx *sql.Tx, feed int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock((812::bigint << 32) | $1)`, feed)
	return err
}

// Two families begin at two numbers.
func Upper(ctx context.Context, tx *sql.Tx, id int64) error { return at(ctx, tx, 2_000_000+id) }
func Lower(ctx context.Context, tx *sql.Tx, id int64) error { return at(ctx, tx, 1_000_000+id) }

func at(ctx context.Context, tx *sql.Tx, key int64) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, key) // want key-collision "the keys of advisory 2000000 \\+ .1 are ids above 2000000 and those of advisory 1000000 \\+ .1 ids above 1000000"
	return err
}

// A number names a lock, and its method takes it.
type number int64

const (
	ninth number = iota + 9100
	tenth
)

const spare number = 9101 // want key-collision "are the same advisory key, 9101"

func (n number) take(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(n))
	return err
}

func Ninth(ctx context.Context, tx *sql.Tx) error { return ninth.take(ctx, tx) }
func Tenth(ctx context.Context, tx *sql.Tx) error { return tenth.take(ctx, tx) }
func Spare(ctx context.Context, tx *sql.Tx) error { return spare.take(ctx, tx) }

// A member is locked by its organization and its user, and by its user and
// its organization.
func Member(ctx context.Context, tx *sql.Tx, org, user string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, fmt.Sprintf("member:%s:%s", org, user)) // want key-mismatch "locks of .member. are made of org, user here and of user, org in MemberOf"
	return err
}

func MemberOf(ctx context.Context, tx *sql.Tx, user, org string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('member:' || $1 || ':' || $2, 0))`, user, org) // want key-mismatch "are made of user, org here and of org, user in Member"
	return err
}

// An address is lowered here and not there.
func Register(ctx context.Context, tx *sql.Tx, email string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "email:"+strings.ToLower(email)) // want key-mismatch "are made of email .lower case. here and of email .as it is. in Remove .the keys differ where the letters do"
	return err
}

func Remove(ctx context.Context, tx *sql.Tx, email string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "email:"+email) // want key-mismatch "are made of email .as it is. here and of email .lower case. in Register"
	return err
}

// Rename lowers it in SQL, and what a user is made with may be lowered before.
func Rename(ctx context.Context, tx *sql.Tx, email string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('email:' || lower($1), 0))`, email)
	return err
}

type user struct{ Email, Team, Org string }

func Update(ctx context.Context, tx *sql.Tx, u user) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('email:' || $1, 0))`, u.Email)
	return err
}

// Friends are locked the lesser first; the other things of a seat are others.
func Friends(ctx context.Context, tx *sql.Tx, a, b string) error {
	if b < a {
		a, b = b, a
	}
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('friends:' || $1 || ':' || $2, 0))`, a, b)
	return err
}

func Friend(ctx context.Context, tx *sql.Tx, b, a string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('friend:' || $1 || ':' || $2, 0))`, a, b)
	return err
}

func Seat(ctx context.Context, tx *sql.Tx, u user) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('seat:' || $1 || ':' || $2, 0))`, u.Org, u.Team)
	return err
}

func SeatOf(ctx context.Context, tx *sql.Tx, u user, row string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('seat:' || $1 || ':' || $2, 0))`, row, u.Org)
	return err
}
