package load

import (
	"context"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// wantLocks matches what the comment above a function of testdata/texts says
// that its statements lock.
var wantLocks = regexp.MustCompile(`(?m)^// locks: (.+)\nfunc (?:\(\w+ (\*?\w+)\) )?(\w+)`)

// TestTexts reads a module that makes the text of statements in many ways:
// each function locks what the comment above it says, and no other does.
func TestTexts(t *testing.T) {
	const dir = "testdata/texts"
	cat, _, _, err := schema.Load(dir, []string{"schema.sql"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Load(context.Background(), Options{Dir: dir, Patterns: []string{"."}, Resolver: locksummary.NewResolver(cat), Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")})
	if err != nil {
		t.Fatal(err)
	}
	m := prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "none", Relations: locksummary.Relations(cat)}).Manifest
	var source []byte
	for _, name := range []string{"texts.go", "steps.go"} {
		text, err := os.ReadFile(dir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	want := map[string][]string{"(*Mutex).Lock": {"advisory bigint fnv64a($1) of texts.(*Mutex).Lock exclusive wait"}}
	for _, w := range wantLocks.FindAllStringSubmatch(string(source), -1) {
		fn := w[3]
		if w[2] != "" {
			fn = "(" + w[2] + ")." + fn
		}
		want[fn] = strings.Split(w[1], "; ")
	}
	for _, u := range m.Unknowns {
		if strings.Contains(u.Func, "(*Copied)") {
			t.Errorf("%s: %s", u.Func, u.Reason)
		}
	}
	got := map[string][]string{}
	for _, a := range m.Acquisitions {
		fn := strings.TrimPrefix(a.Func, "example.test/texts.")
		got[fn] = append(got[fn], strings.Join([]string{a.Class, a.Mode, a.Wait}, " "))
	}
	for fn := range got {
		if want[fn] == nil {
			t.Errorf("%s locks %q, of which nothing is said", fn, got[fn])
		}
	}
	for fn, locks := range want {
		sort.Strings(got[fn])
		got[fn] = slices.Compact(got[fn]) // a call is listed once for each text that it can run
		sort.Strings(locks)
		if !slices.Equal(got[fn], locks) {
			t.Errorf("%s: %q, want %q", fn, got[fn], locks)
		}
	}
}
