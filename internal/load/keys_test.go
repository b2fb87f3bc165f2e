package load

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// wantKey matches what the comment above a function of testdata/keys says of
// the key that it builds.
var wantKey = regexp.MustCompile(`(?m)^// key: (.+)\nfunc (?:\(\w+ \*?\w+\) )?(\w+)`)

// TestKeys reads a module that builds advisory keys in many ways: each lock
// has the key that the comment above its function says. The libraries are
// stand-ins with the same signatures.
func TestKeys(t *testing.T) {
	const dir = "testdata/keys"
	res, _ := readModule(t, dir)
	m := prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "none"}).Manifest
	source, err := os.ReadFile(dir + "/keys.go")
	if err != nil {
		t.Fatal(err)
	}
	wants := wantKey.FindAllStringSubmatch(string(source), -1)
	if len(wants) < 50 {
		t.Fatalf("%d functions say what their key is, want 50 or more", len(wants))
	}
	for _, w := range wants {
		want, fn := w[1], w[2]
		if got := keysOf(m, fn); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", fn, got, want)
		}
	}
	var members []string
	for _, c := range m.Classes {
		if c.Key.Prefix == "member:" {
			members = append(members, c.ID)
		}
	}
	if want := []string{"advisory bigint hashtextextended('member:' || $1 || ':' || $2, 0)"}; !slices.Equal(members, want) {
		t.Errorf("members are locked as %q, want %q", members, want)
	}
	for _, p := range m.Paths {
		if strings.HasSuffix(p.Entry, ".Acquire") || strings.HasSuffix(p.Entry, ".Lease") {
			t.Errorf("%s is a path, though all its callers give keys of their own", p.Entry)
		}
	}
}

// keysOf tells how the keys that a path locks are made.
func keysOf(m *lockgraph.Manifest, fn string) []string {
	classes := map[string]*lockgraph.Key{}
	for _, c := range m.Classes {
		classes[c.ID] = c.Key
	}
	var out []string
	var look func(steps []lockgraph.Step)
	look = func(steps []lockgraph.Step) {
		for _, s := range steps {
			if s.Do == "lock" {
				out = append(out, keyText(s.Class, classes[s.Class]))
			}
			look(s.Steps)
			for _, a := range s.Arms {
				look(a.Steps)
			}
		}
	}
	for _, p := range m.Paths {
		if strings.HasSuffix(p.Entry, "."+fn) {
			look(p.Steps)
		}
	}
	return out
}

func keyText(class string, k *lockgraph.Key) string {
	out := k.Derivation
	if k.Hash != "" {
		out += " " + k.Hash
	}
	switch {
	case k.Derivation == "pair":
		out += " " + k.Expr
	case k.Constant != "":
		out += " = " + k.Constant
	case k.Prefix != "":
		out += fmt.Sprintf(" %q", k.Prefix)
	case k.Prefixed:
		out += " " + k.Expr
	default:
		if _, of, ok := strings.Cut(class, " of "); ok {
			out += " of " + of
		}
	}
	return out
}
