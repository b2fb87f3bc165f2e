package dbapi

import (
	"strings"
	"testing"
)

// TestForks looks up what forks have as what their originals have.
func TestForks(t *testing.T) {
	for _, f := range forks {
		if !Root(f.fork) || !Root(f.fork+"/logging") {
			t.Errorf("%s is no root", f.fork)
		}
		found := 0
		for sym, want := range library().Calls {
			if !strings.Contains(sym, f.of) {
				continue
			}
			found++
			if got, ok := Lookup(strings.Replace(sym, f.of, f.fork, 1)); !ok || got != want {
				t.Errorf("%s of %s: %v %v, want %v", sym, f.fork, got, ok, want)
			}
		}
		for typ, kind := range library().Kinds {
			if strings.Contains(typ, f.of) && HandleKind(strings.Replace(typ, f.of, f.fork, 1)) != kind {
				t.Errorf("%s of %s is no %s", typ, f.fork, kind)
			}
		}
		if found == 0 {
			t.Errorf("no call of %s", f.of)
		}
	}
	if !TxField("github.com/ory/pop/v6.Connection.TX") {
		t.Error("the transaction of ory/pop is no such field")
	}
}
