package locks

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"
)

// An ID is a type whose values tell the locks of one family apart. An array
// of 16 bytes is a UUID and enters the key in its canonical text form.
type ID interface {
	~string | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~[16]byte
}

// A PairID is a type whose values all fit the second number of a pair.
type PairID interface {
	~int8 | ~int16 | ~int32 | ~uint8 | ~uint16
}

// An IntID is an integer id that is its own key.
type IntID interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

// A Namespace is the first number of a pair.
type Namespace int32

// The namespaces up to ReservedMax belong to libraries, this one among them;
// those from AppMin on belong to applications.
const (
	ReservedMax Namespace = 999
	AppMin      Namespace = ReservedMax + 1
)

type derivation uint8

const (
	byHash derivation = iota + 1
	byPair
	byNumber
	byConst
	byRow
)

type idKind uint8

const (
	textID idKind = iota + 1
	intID
	uuidID
)

// A family is what the families and constants of all types share.
type family struct {
	name   string
	class  string // as pglockdep names it: "advisory lifecycle", "row core.pools"
	doc    string
	made   derivation
	space  Space
	id     idKind
	prefix string // byHash
	seed   int64
	ns     Namespace // byPair
	lo, hi int64     // byNumber, byConst: inclusive
	table  string    // byRow, as written in SQL
	column string
	sample func() Key
}

// A Registry knows all families of a program, so that two of them can
// neither bear one name nor make one key. The zero Registry is empty and
// ready; it is safe for concurrent use.
type Registry struct {
	mu   sync.Mutex
	list []*family
}

// Default is the registry of the Must functions.
var Default = &Registry{}

func (r *Registry) add(f *family) error {
	if err := f.check(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.list {
		if f.name == g.name {
			return fmt.Errorf("%w: %q is registered already", ErrFamily, f.name)
		}
		if why := overlap(f, g); why != "" {
			return fmt.Errorf("%w: %q and %q can make the same key: %s", ErrFamily, g.name, f.name, why)
		}
	}
	r.list = append(r.list, f)
	return nil
}

func (f *family) check() error {
	switch {
	case strings.TrimSpace(f.name) == "" || strings.ContainsAny(f.name, "<,;#!\"\n\t\x00"):
		return fmt.Errorf("%w: %q: a name has no <,;#!\", no line breaks and is not empty", ErrFamily, f.name)
	case f.made == byHash && (f.prefix == "" || strings.ContainsRune(f.prefix, 0) || !utf8.ValidString(f.prefix)):
		return fmt.Errorf("%w: %q: a prefix is valid UTF-8 without NUL and not empty; without one the ids of other code would meet its keys", ErrFamily, f.name)
	case f.made == byNumber && f.lo > f.hi:
		return fmt.Errorf("%w: %q: the range %d … %d is empty", ErrFamily, f.name, f.lo, f.hi)
	}
	return nil
}

// overlap says how keys of two families can be one and the same by
// construction; a chance collision of hashes is none.
func overlap(f, g *family) string {
	switch {
	case f.made == byHash && g.made == byHash && f.seed == g.seed:
		short, long := f, g
		if len(short.prefix) > len(long.prefix) {
			short, long = g, f
		}
		if rest, ok := strings.CutPrefix(long.prefix, short.prefix); ok && short.id.begins(rest) {
			return fmt.Sprintf("prefix %q begins with prefix %q", long.prefix, short.prefix)
		}
	case f.made == byPair && g.made == byPair && f.ns == g.ns:
		return fmt.Sprintf("both use namespace %d", f.ns)
	case f.ranged() && g.ranged() && f.lo <= g.hi && g.lo <= f.hi:
		return fmt.Sprintf("both contain %d", max(f.lo, g.lo))
	}
	return ""
}

func (f *family) ranged() bool { return f.made == byNumber || f.made == byConst }

// begins reports whether the text of an id of the kind can begin with s.
func (k idKind) begins(s string) bool {
	switch k {
	case intID:
		return strings.Trim(strings.TrimPrefix(s, "-"), "0123456789") == "" && len(s) <= len("-9223372036854775808")
	case uuidID:
		return strings.Trim(s, "0123456789abcdef-") == "" && len(s) <= 36
	}
	return true
}

// A FamilyOption changes how a family makes its keys.
type FamilyOption func(*family, *options)

type options struct{ reserved bool }

// Prefix sets the text that stands before the id in what is hashed, for keys
// that other code makes too. Without it the prefix is the name and a colon.
func Prefix(text string) FamilyOption { return func(f *family, _ *options) { f.prefix = text } }

// Seed sets the second argument of hashtextextended; without it, 0.
func Seed(n int64) FamilyOption { return func(f *family, _ *options) { f.seed = n } }

// Serializes says in one sentence what the locks of the family are for. It
// goes into the exported file.
func Serializes(what string) FamilyOption { return func(f *family, _ *options) { f.doc = what } }

// ReservedNamespace lets a pair use a namespace below AppMin, for keys that
// older code makes too.
func ReservedNamespace() FamilyOption { return func(_ *family, o *options) { o.reserved = true } }

func (f *family) apply(opts []FamilyOption) (o options) {
	for _, opt := range opts {
		opt(f, &o)
	}
	return o
}

// A Family makes the keys hashtextextended(prefix || id, seed), computed here
// bit for bit as the server does. The zero Family makes invalid keys.
type Family[T ID] struct{ f *family }

// NewFamily registers a family whose keys are the hash of its name, a colon
// and the id. It fails with ErrFamily when the registry holds the name
// already, or a family that can make the same key.
func NewFamily[T ID](r *Registry, name string, opts ...FamilyOption) (Family[T], error) {
	f := &family{name: name, class: "advisory " + name, made: byHash, space: BigintSpace, prefix: name + ":", id: kindOf[T]()}
	f.apply(opts)
	fam := Family[T]{f}
	f.sample = func() Key { return fam.Key(sampleOf[T]()) }
	if err := r.add(f); err != nil {
		return Family[T]{}, err
	}
	return fam, nil
}

// MustFamily is NewFamily in the Default registry for package variables; it
// panics where NewFamily fails.
func MustFamily[T ID](name string, opts ...FamilyOption) Family[T] {
	return must(NewFamily[T](Default, name, opts...))
}

func must[F any](f F, err error) F {
	if err != nil {
		panic(err)
	}
	return f
}

// Name returns the name of the family.
func (f Family[T]) Name() string { return Key{fam: f.f}.Family() }

// Key returns the key of one id. What is wrong with the id, Key.Err tells,
// and every lock of the key.
func (f Family[T]) Key(id T) Key {
	if f.f == nil {
		return Key{}
	}
	k := Key{fam: f.f}
	var room [96]byte
	buf := append(room[:0], f.f.prefix...)
	buf = k.setID(buf, any(id))
	k.n = hashExtended(buf, uint64(f.f.seed))
	return k
}

// Keys returns the keys of several ids, each once, in the order in which
// they are to be locked.
func (f Family[T]) Keys(ids ...T) []Key { return keysOf(f.Key, ids) }

func keysOf[T any](key func(T) Key, ids []T) []Key {
	out := make([]Key, len(ids))
	for i, id := range ids {
		out[i] = key(id)
	}
	return distinct(out)
}

// A PairFamily makes the keys (namespace, id).
type PairFamily[T PairID] struct{ f *family }

// NewPair registers a family of pairs with a namespace of its own. It fails
// with ErrFamily when the name or the namespace is taken, and for a reserved
// namespace.
func NewPair[T PairID](r *Registry, name string, ns Namespace, opts ...FamilyOption) (PairFamily[T], error) {
	f := &family{name: name, class: "advisory " + name, made: byPair, space: PairSpace, ns: ns, id: intID}
	if o := f.apply(opts); ns < AppMin && !o.reserved {
		return PairFamily[T]{}, fmt.Errorf("%w: %q: namespace %d is reserved; applications begin at %d", ErrFamily, name, ns, AppMin)
	}
	fam := PairFamily[T]{f}
	f.sample = func() Key { return fam.Key(42) }
	if err := r.add(f); err != nil {
		return PairFamily[T]{}, err
	}
	return fam, nil
}

// MustPair is NewPair in the Default registry; it panics where NewPair fails.
func MustPair[T PairID](name string, ns Namespace, opts ...FamilyOption) PairFamily[T] {
	return must(NewPair[T](Default, name, ns, opts...))
}

// Name returns the name of the family.
func (f PairFamily[T]) Name() string { return Key{fam: f.f}.Family() }

// Key returns the key of one id.
func (f PairFamily[T]) Key(id T) Key {
	if f.f == nil {
		return Key{}
	}
	return Key{fam: f.f, n: int64(f.f.ns)<<32 | int64(uint32(int32(id))), num: int64(id)}
}

// Keys returns the keys of several ids, each once, in the order in which
// they are to be locked.
func (f PairFamily[T]) Keys(ids ...T) []Key { return keysOf(f.Key, ids) }

// A NumberFamily makes keys that are plain numbers of a range, for code that
// locks ids without a hash.
type NumberFamily[T IntID] struct{ f *family }

// NewNumbers registers a family that owns the bigint keys first … last. It
// fails with ErrFamily when the name or a part of the range is taken.
func NewNumbers[T IntID](r *Registry, name string, first, last T, opts ...FamilyOption) (NumberFamily[T], error) {
	f := &family{name: name, class: "advisory " + name, made: byNumber, space: BigintSpace, lo: int64(first), hi: int64(last), id: intID}
	f.apply(opts)
	fam := NumberFamily[T]{f}
	f.sample = func() Key { return fam.Key(first) }
	if err := r.add(f); err != nil {
		return NumberFamily[T]{}, err
	}
	return fam, nil
}

// MustNumbers is NewNumbers in the Default registry; it panics where
// NewNumbers fails.
func MustNumbers[T IntID](name string, first, last T, opts ...FamilyOption) NumberFamily[T] {
	return must(NewNumbers(Default, name, first, last, opts...))
}

// Name returns the name of the family.
func (f NumberFamily[T]) Name() string { return Key{fam: f.f}.Family() }

// Key returns the key of one number, an invalid one outside the range.
func (f NumberFamily[T]) Key(id T) Key {
	if f.f == nil {
		return Key{}
	}
	k := Key{fam: f.f, n: int64(id), num: int64(id)}
	if k.n < f.f.lo || k.n > f.f.hi {
		k.fault = outsideRange
	}
	return k
}

// Keys returns the keys of several numbers, each once, in the order in which
// they are to be locked.
func (f NumberFamily[T]) Keys(ids ...T) []Key { return keysOf(f.Key, ids) }

// NewConst registers a single bigint key. It fails with ErrFamily when the
// name or the number is taken.
func NewConst(r *Registry, name string, n int64, opts ...FamilyOption) (Key, error) {
	f := &family{name: name, class: "advisory " + name, made: byConst, space: BigintSpace, lo: n, hi: n}
	f.apply(opts)
	k := Key{fam: f, n: n}
	f.sample = func() Key { return k }
	if err := r.add(f); err != nil {
		return Key{}, err
	}
	return k, nil
}

// MustConst is NewConst in the Default registry; it panics where NewConst
// fails.
func MustConst(name string, n int64, opts ...FamilyOption) Key {
	return must(NewConst(Default, name, n, opts...))
}

// setID stores an id of a hashed family and appends its text.
func (k *Key) setID(buf []byte, id any) []byte {
	switch v := id.(type) {
	case string:
		return k.setText(buf, v)
	case int64:
		return k.setInt(buf, v)
	case int:
		return k.setInt(buf, int64(v))
	}
	v := reflect.ValueOf(id)
	switch kind := v.Kind(); {
	case kind == reflect.String:
		return k.setText(buf, v.String())
	case v.CanInt():
		return k.setInt(buf, v.Int())
	case v.CanUint():
		return k.setInt(buf, int64(v.Uint()))
	}
	var u [16]byte
	reflect.Copy(reflect.ValueOf(u[:]), v)
	return k.setText(buf, formatUUID(u))
}

func kindOf[T ID]() idKind {
	switch kind := reflect.TypeFor[T]().Kind(); kind {
	case reflect.String:
		return textID
	case reflect.Array:
		return uuidID
	default:
		return intID
	}
}

func sampleOf[T ID]() (id T) {
	v := reflect.ValueOf(&id).Elem()
	switch {
	case v.Kind() == reflect.String:
		v.SetString("42")
	case v.CanInt():
		v.SetInt(42)
	case v.CanUint():
		v.SetUint(42)
	default:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(0x11 * (i % 15)))
		}
	}
	return id
}

// probeNamespace is the reserved one that tells whether a connection keeps its
// session.
const probeNamespace Namespace = 1
