package load

import (
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// wantLocks matches what the comment above a function of testdata/texts says
// that its statements lock.
var wantLocks = regexp.MustCompile(`(?m)^// locks: (.+)\nfunc (?:\(\w+ (\*?\w+)\) )?(\w+)`)

// wantUnknown matches what the comment above a function of
// testdata/texts/pieces.go says that is not known of its text.
var wantUnknown = regexp.MustCompile(`(?m)^// unknown: (.+)\nfunc (\w+)`)

// TestTexts reads a module that makes the text of statements in many ways:
// each function locks what the comment above it says, and no other does.
func TestTexts(t *testing.T) {
	const dir = "testdata/texts"
	res, cat := readModule(t, dir, "schema.sql")
	m := prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "none", Relations: locksummary.Relations(cat)}).Manifest
	var source []byte
	for _, name := range []string{"texts.go", "steps.go", "pieces.go"} {
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
	unknown := map[string]string{}
	for _, w := range wantUnknown.FindAllStringSubmatch(string(source), -1) {
		unknown[w[2]] = w[1]
	}
	for _, u := range m.Unknowns {
		fn := strings.TrimPrefix(u.Func, "example.test/texts.")
		switch want := unknown[fn]; {
		case want != "" && strings.HasPrefix(u.Reason, want):
			delete(unknown, fn)
		case strings.Contains(u.Func, "(*Copied)"), strings.HasSuffix(u.File, "pieces.go") && fn != "lockShard":
			t.Errorf("%s: %s", u.Func, u.Reason)
		}
	}
	for fn, want := range unknown {
		t.Errorf("%s: no unknown %q", fn, want)
	}
	told := map[string]bool{}
	for _, p := range m.Paths {
		told[strings.TrimPrefix(p.Entry, "example.test/texts.")] = true
		if strings.HasSuffix(p.Entry, ".NumberedTwice") {
			if locks := p.Steps[0].Steps; len(locks) != 2 || locks[1].Again != "maybe" {
				t.Errorf("%s: %+v, want the second row to be another one perhaps", p.Entry, locks)
			}
		}
	}
	if !told["Locks"] || told["Looks"] {
		t.Errorf("the entry of a table that a caller names is not the one it runs: %v", told)
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
