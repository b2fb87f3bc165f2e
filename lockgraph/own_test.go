package lockgraph

import (
	"strings"
	"testing"
)

func TestOwn(t *testing.T) {
	foreign := func(fn string) bool { return strings.HasPrefix(fn, "others.") }
	begins := Frame{File: "a.go", Line: 1, Func: "shop.Close", Does: "begins a transaction"}
	calls := Frame{File: "a.go", Line: 2, Func: "shop.Close", Does: "calls Lock"}
	takes := Frame{File: "o.go", Line: 9, Func: "others.Lock", Does: "acquires advisory 7 exclusive"}
	other := Frame{File: "b.go", Line: 5, Func: "shop.Post", Does: "calls Lock"}
	for _, c := range []struct {
		what        string
		check, kind string
		fn          string
		related     []Frame
		own         bool
		line        int
	}{
		{"in the program", "lockkey", "weak-key-hash", "shop.Close", nil, true, 9},
		{"in another module", "lockkey", "weak-key-hash", "others.Lock", []Frame{begins, calls, takes}, false, 0},
		{"an order that the program makes", "lockorder", "lock-order-cycle", "others.Lock", []Frame{begins, calls, takes, other, takes}, true, 2},
		{"one that it makes on the other side", "lockorder", "lock-order-cycle", "others.Lock", []Frame{takes, other, takes}, true, 5},
		{"an order within another module", "lockorder", "lock-order-cycle", "others.Lock", []Frame{takes, takes}, false, 0},
		{"one lock raised", "lockupgrade", "lock-upgrade", "others.Lock", []Frame{begins, calls, takes}, true, 2},
		{"two connections", "poolintx", "self-deadlock", "others.Lock", []Frame{begins, calls, takes}, true, 2},
	} {
		f, own := Finding{Check: c.check, Kind: c.kind, File: "o.go", Line: 9, Func: c.fn, Related: c.related}.Own(foreign)
		if own != c.own || own && f.Line != c.line {
			t.Errorf("%s: own %v at line %d, want %v at %d", c.what, own, f.Line, c.own, c.line)
		}
	}
}
