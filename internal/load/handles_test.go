package load

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// wantHandle matches what the comment above a function of testdata/handles
// says of the connection that it locks on.
var wantHandle = regexp.MustCompile(`(?m)^// handle: (.+)\nfunc (?:\(\w+ (\*?\w+)\) )?(\w+)`)

// TestHandles reads a module whose functions lock on connections that come
// from elsewhere: each on what the comment above it says, and no other locks.
// A statement that nothing in sight runs is an unknown.
func TestHandles(t *testing.T) {
	const dir = "testdata/handles"
	res, _ := readModule(t, dir)
	var source []byte
	for _, file := range []string{"handles.go", "counted.go", "adapters.go", "traced.go", "turns.go", "named.go", "stores.go", "tables.go", "hooks.go"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	want := map[string][]string{}
	for _, w := range wantHandle.FindAllStringSubmatch(string(source), -1) {
		fn := w[3]
		if w[2] != "" {
			fn = "(" + w[2] + ")." + fn
		}
		want[fn] = strings.Split(w[1], "; ")
	}
	m := prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "none"}).Manifest
	var unknowns []string
	for _, u := range m.Unknowns {
		if strings.HasSuffix(u.Func, ".Truncate") {
			t.Errorf("%s, which nothing calls, is told: %s", u.Func, u.Reason)
		}
		if !strings.HasPrefix(u.Reason, "a text that asks for a lock is used here") {
			continue
		}
		unknowns = append(unknowns, strings.TrimPrefix(u.Func, "example.test/handles."))
	}
	if !slices.Equal(unknowns, []string{"Unrun", "UnrunParts", "UnrunKept"}) {
		t.Errorf("unknowns in %q, want Unrun, UnrunKept and UnrunParts", unknowns)
	}
	got := map[string][]string{}
	for _, a := range m.Acquisitions {
		fn := strings.TrimPrefix(a.Func, "example.test/handles.")
		got[fn] = append(got[fn], a.Handle+" "+a.Scope)
		if want[fn] == nil {
			t.Errorf("%s locks on %s %s, of which nothing is said", fn, a.Handle, a.Scope)
		}
	}
	for fn, handles := range want {
		if !slices.Equal(got[fn], handles) {
			t.Errorf("%s: %q, want %q", fn, got[fn], handles)
		}
	}
	for _, p := range m.Paths { // the others work in its transaction
		if strings.Contains(p.Entry, "(*Runs)") && !strings.HasSuffix(p.Entry, ".Cancel") {
			t.Errorf("%s is a path of its own", p.Entry)
		}
	}
}

// TestCutWalks reads the module with walks that are cut soon: a function that
// was not reached for that is walked by itself.
func TestCutWalks(t *testing.T) {
	const dir = "testdata/handles"
	res, _ := readModule(t, dir)
	res.Program.Limits.Nodes = 5
	told := map[string]bool{}
	for _, a := range prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "none"}).Manifest.Acquisitions {
		told[strings.TrimPrefix(a.Func, "example.test/handles.")] = true
	}
	for _, fn := range []string{"counted", "(*Vault).put", "CountedHere", "existing"} {
		if !told[fn] {
			t.Errorf("nothing is told of %s: %v", fn, told)
		}
	}
}
