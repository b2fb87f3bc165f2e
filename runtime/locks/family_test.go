package locks

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

type (
	orderID string
	seatID  int16
	uuid    [16]byte
)

// The vectors were recorded from a server; the tool's own hash is tested with
// the same file.
func TestHashAsTheServer(t *testing.T) {
	f, err := os.Open("../../internal/pghash/testdata/text.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var v struct {
			Text     string
			Seed     int64
			Extended int64
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if got := HashTextExtended(v.Text, v.Seed); got != v.Extended {
			t.Errorf("HashTextExtended(%q, %d) = %d, want %d", v.Text, v.Seed, got, v.Extended)
		}
	}
	if n < 40 {
		t.Errorf("read %d vectors, want at least 40", n)
	}
}

func TestKeysOfEveryIDType(t *testing.T) {
	r := &Registry{}
	texts, err := NewFamily[orderID](r, "order")
	if err != nil {
		t.Fatal(err)
	}
	ints, err := NewFamily[int64](r, "lifecycle")
	if err != nil {
		t.Fatal(err)
	}
	uuids, err := NewFamily[uuid](r, "grant")
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := NewPair[seatID](r, "seat", AppMin)
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := NewNumbers[int](r, "shard", 5000, 5015)
	if err != nil {
		t.Fatal(err)
	}
	one, err := NewConst(r, "migrate", -7, Serializes("Migrations"))
	if err != nil {
		t.Fatal(err)
	}
	u := uuid{0xde, 0xad, 0xbe, 0xef, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255}
	for _, c := range []struct {
		key    Key
		name   string
		number int64
	}{
		{texts.Key("漢字"), "order:漢字", HashTextExtended("order:漢字", 0)},
		{texts.Key("漢字"), "order:漢字", -6173697868542703205}, // recorded from a server
		{ints.Key(-42), "lifecycle:-42", HashTextExtended("lifecycle:-42", 0)},
		{uuids.Key(u), "grant:deadbeef-0001-0203-0405-060708090aff", HashTextExtended("grant:deadbeef-0001-0203-0405-060708090aff", 0)},
		{pairs.Key(-1), "seat:-1", 1000<<32 | 0xffffffff},
		{numbers.Key(5003), "shard:5003", 5003},
		{one, "migrate", -7},
	} {
		if err := c.key.Err(); err != nil || c.key.String() != c.name || c.key.Int64() != c.number {
			t.Errorf("got %s %d (%v), want %s %d", c.key, c.key.Int64(), err, c.name, c.number)
		}
	}
	if ns, n := pairs.Key(-1).Pair(); ns != 1000 || n != -1 {
		t.Errorf("pair = %d, %d", ns, n)
	}
}

func TestKeysAreSortedByNumber(t *testing.T) {
	f, err := NewFamily[string](&Registry{}, "invoice")
	if err != nil {
		t.Fatal(err)
	}
	keys := f.Keys("b", "a", "c", "a", "d")
	if len(keys) != 4 {
		t.Fatalf("got %d keys, want 4", len(keys))
	}
	for i := range keys[1:] {
		if keys[i].Int64() >= keys[i+1].Int64() {
			t.Errorf("%v does not ascend", keys)
		}
	}
}

func TestBadKeysSayWhy(t *testing.T) {
	r := &Registry{}
	f, _ := NewFamily[string](r, "order")
	n, _ := NewNumbers[int](r, "shard", 1, 3)
	for _, c := range []struct {
		key  Key
		want string
	}{
		{Key{}, "no family"},
		{Family[string]{}.Key("x"), "no family"},
		{f.Key(""), "id is empty"},
		{f.Key("a\x00b"), "NUL"},
		{f.Key("\xff"), "UTF-8"},
		{n.Key(4), "outside 1 … 3"},
	} {
		if err := c.key.Err(); !errors.Is(err, ErrInvalidKey) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.key, err, c.want)
		}
	}
}

func TestFamiliesThatMeetAreRefused(t *testing.T) {
	r := &Registry{}
	add := func(_ any, err error) error { return err }
	texts := func(name string, o ...FamilyOption) error { return add(NewFamily[string](r, name, o...)) }
	ints := func(name string, o ...FamilyOption) error { return add(NewFamily[int](r, name, o...)) }
	ids := func(name string, o ...FamilyOption) error { return add(NewFamily[uuid](r, name, o...)) }
	pair := func(name string, ns Namespace, o ...FamilyOption) error {
		return add(NewPair[int32](r, name, ns, o...))
	}
	numbers := func(name string, a, b int64) error { return add(NewNumbers(r, name, a, b)) }
	constant := func(name string, n int64) error { return add(NewConst(r, name, n)) }
	for i, c := range []struct {
		err  error
		want string
	}{
		{texts("order"), ""},
		{texts("order"), "registered already"},
		{pair("order", 1001), "registered already"},
		{texts("order:item"), `begins with prefix "order:"`},
		{texts("order:item", Seed(1)), ""},
		{texts("shop", Prefix("order")), `begins with prefix "order"`},
		{ints("account"), ""},
		{ints("account:sub"), ""}, // no integer goes on with "sub"
		{ints("digits", Prefix("account:7")), `begins with prefix "account:"`},
		{ids("grant"), ""},
		{ids("beef", Prefix("grant:beef")), `begins with prefix "grant:"`},
		{ids("zone", Prefix("grant:zone:")), ""},
		{texts("bare", Prefix("")), "a prefix is"},
		{texts("a < b"), "a name has no"},
		{pair("seat", 1001), ""},
		{pair("row", 1001), "namespace 1001"},
		{pair("low", 7), "reserved"},
		{pair("old", 7, ReservedNamespace()), ""},
		{numbers("shard", 100, 200), ""},
		{numbers("part", 200, 300), "both contain 200"},
		{numbers("none", 3, 2), "is empty"},
		{constant("migrate", 150), "both contain 150"},
		{constant("migrate", 99), ""},
		{constant("other", 99), "both contain 99"},
	} {
		switch {
		case c.want == "" && c.err != nil:
			t.Errorf("%d: %v", i, c.err)
		case c.want != "" && (!errors.Is(c.err, ErrFamily) || !strings.Contains(c.err.Error(), c.want)):
			t.Errorf("%d: %v, want %q", i, c.err, c.want)
		}
	}
}

func TestMustPanics(t *testing.T) {
	MustFamily[string]("family_test only")
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, ErrFamily) {
			t.Errorf("recovered %v", err)
		}
	}()
	MustFamily[int]("family_test only")
}
