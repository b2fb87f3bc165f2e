package load

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/modtest"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// wantReached matches what the comment above a function of testdata/entries
// says of what reaches it.
var wantReached = regexp.MustCompile(`(?m)^// reached by: (.+)\nfunc (?:\((?:\w+ )?(\*?\w+)\) )?(\w+)`)

// TestEntries reads programs of several frameworks: each function that locks
// is reached by the routes, commands and jobs that the comment above it
// names, and by no other.
func TestEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the frameworks")
	}
	const dir = "../../testdata/entries"
	modtest.Modules(t, dir)
	cat, _, _, err := schema.Load(dir, []string{"schema.sql"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := Load(context.Background(), Options{Dir: dir, Patterns: []string{"./..."}, Resolver: locksummary.NewResolver(cat), Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")})
	if err != nil {
		t.Fatal(err)
	}
	v := prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "none", Relations: locksummary.Relations(cat)})
	want := map[string][]string{}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, filepath.Dir(name))
		if err != nil {
			return err
		}
		for _, w := range wantReached.FindAllStringSubmatch(string(text), -1) {
			fn := w[3]
			if w[2] != "" {
				fn = "(" + w[2] + ")." + fn
			}
			want["entries.test/"+filepath.ToSlash(rel)+"."+fn] = strings.Split(w[1], "; ")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for fn, names := range want {
		var got []string
		for _, p := range v.PathsOf(func(key string) bool { return key == fn || strings.HasPrefix(key, fn+"$") && want[key] == nil }) {
			for _, r := range p.ReachedBy {
				if lockgraph.EntryPoint(r) || slices.Contains(names, r) {
					got = append(got, r)
				}
			}
		}
		sort.Strings(got)
		got = slices.Compact(got)
		sort.Strings(names)
		if !slices.Equal(got, names) {
			t.Errorf("%s is reached by %q, want %q", fn, got, names)
		}
	}
	if len(want) < 30 {
		t.Errorf("%d functions are told of, which is less than there are", len(want))
	}
}
