package locks

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
)

// A Space is a set of advisory keys that can meet each other. The two spaces
// never do (PostgreSQL 16 manual, 9.27.10).
type Space uint8

// The spaces of advisory keys.
const (
	BigintSpace Space = iota + 1 // pg_advisory_lock(bigint)
	PairSpace                    // pg_advisory_lock(int4, int4)
	rowSpace                     // the rows of tables, which are no advisory keys
)

func (s Space) String() string {
	switch s {
	case BigintSpace:
		return "bigint"
	case PairSpace:
		return "int4, int4"
	case rowSpace:
		return "rows"
	}
	return "none"
}

// A Key is one advisory lock of a family. Keys are comparable; they are made
// by families and constants, and the zero Key names no lock.
type Key struct {
	fam   *family
	n     int64  // the bigint, or namespace and key of a pair
	text  string // the id of a family of text or UUID ids
	num   int64  // the id of a family of integers
	fault keyFault
}

type keyFault uint8

const (
	sound keyFault = iota
	emptyID
	nulByte
	notUTF8
	outsideRange
)

// Family returns the name of the family, "" for the zero Key.
func (k Key) Family() string {
	if k.fam == nil {
		return ""
	}
	return k.fam.name
}

// ID returns the id within the family, "" for a constant.
func (k Key) ID() string {
	switch {
	case k.fam == nil || k.fam.made == byConst:
		return ""
	case k.fam.id == intID:
		return strconv.FormatInt(k.num, 10)
	}
	return k.text
}

// Space returns the key space that the key lies in.
func (k Key) Space() Space {
	if k.fam == nil {
		return 0
	}
	return k.fam.space
}

// Int64 returns the key as PostgreSQL sees it: the bigint, or a pair with its
// namespace in the upper half.
func (k Key) Int64() int64 { return k.n }

// Pair returns the two numbers of a key of PairSpace.
func (k Key) Pair() (namespace, key int32) { return int32(k.n >> 32), int32(k.n) }

// String returns family and id, as in "lifecycle:42".
func (k Key) String() string {
	if k.fam == nil {
		return "no key"
	}
	if k.fam.made == byConst {
		return k.fam.name
	}
	return k.fam.name + ":" + k.ID()
}

// LogValue makes slog print family, id and number of the key.
func (k Key) LogValue() slog.Value {
	if k.fam == nil {
		return slog.StringValue(k.String())
	}
	number := strconv.FormatInt(k.n, 10)
	if k.fam.space == PairSpace {
		ns, n := k.Pair()
		number = fmt.Sprintf("%d, %d", ns, n)
	}
	return slog.GroupValue(slog.String("family", k.fam.name), slog.String("id", k.ID()), slog.String("number", number))
}

// Err returns nil for a key that can be locked, else an error that wraps
// ErrInvalidKey and says what is wrong with it.
func (k Key) Err() error {
	if k.fam != nil && k.fault == sound {
		return nil
	}
	return k.invalid()
}

func (k Key) invalid() error {
	if k.fam == nil {
		return fmt.Errorf("%w: it belongs to no family; make keys with the Key method of a registered family", ErrInvalidKey)
	}
	why := map[keyFault]string{
		emptyID:      "its id is empty, so all such callers would share one lock; use a constant if that is meant",
		nulByte:      "its id has a NUL byte, which PostgreSQL text cannot hold",
		notUTF8:      "its id is not valid UTF-8",
		outsideRange: fmt.Sprintf("the number lies outside %d … %d", k.fam.lo, k.fam.hi),
	}[k.fault]
	return fmt.Errorf("%w: %s %q: %s", ErrInvalidKey, k.fam.name, k.ID(), why)
}

// compareKeys orders keys as every user of LockAll takes them: by space and
// by the number that PostgreSQL sees, not by text. Rows go by their id.
func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Space(), b.Space()), cmp.Compare(a.n, b.n), strings.Compare(a.text, b.text))
}

// same reports whether two keys are one lock, of whatever family.
func same(a, b Key) bool {
	if a.fam == nil || b.fam == nil || a.Space() != b.Space() || a.n != b.n {
		return false
	}
	return a.fam.made != byRow || a.fam == b.fam && a.text == b.text
}

// distinct sorts keys and drops those that are the same lock.
func distinct(keys []Key) []Key {
	out := slices.Clone(keys)
	slices.SortFunc(out, compareKeys)
	return slices.CompactFunc(out, same)
}
