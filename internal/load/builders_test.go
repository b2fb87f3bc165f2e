package load

import (
	"sort"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// TestBuilders reads a module that locks through gorm, squirrel and pop; the
// libraries are stand-ins with the same signatures.
func TestBuilders(t *testing.T) {
	const dir = "testdata/builders"
	res, cat := readModule(t, dir, "schema.sql")
	m := prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "relevant", Relations: locksummary.Relations(cat)}).Manifest
	var got []string
	for _, a := range m.Acquisitions {
		if !a.Implicit || a.Mode == "FOR NO KEY UPDATE" || a.Mode == "FOR KEY SHARE" {
			got = append(got, strings.Join([]string{strings.TrimPrefix(a.Func, "example.test/builders."), a.Class, a.Mode, a.Wait, a.Handle}, " | "))
		}
	}
	sort.Strings(got)
	want := []string{
		"(*Sweeper).Sweep$1 | row gadgets | FOR KEY SHARE | wait | tx",
		"(*Sweeper).Sweep$1 | row gadgets | FOR UPDATE | skip locked | tx",
		"(*Sweeper).Sweep$1 | row widgets | FOR UPDATE | skip locked | tx",
		"Choose | row widgets | FOR UPDATE | skip locked | tx",
		"Kept | row gadgets | FOR NO KEY UPDATE | wait | tx",
		"Kept | row gadgets | FOR SHARE | wait | tx",
		"LockGad$1 | row gadgets | FOR NO KEY UPDATE | wait | tx",
		"LockKey$1 | advisory bigint $1 of builders.LockKey$1 | exclusive | wait | tx",
		"LockWidget | row widgets | FOR UPDATE | skip locked | param",
		"Patch | row gadgets | FOR NO KEY UPDATE | wait | tx",
		"Patch | row widgets | FOR KEY SHARE | wait | tx",
		"Put | row widgets | FOR KEY SHARE | wait | tx",
		"Set | row widgets | FOR NO KEY UPDATE | wait | tx",
		"ShareWidgets$1 | row widgets | FOR SHARE | wait | tx",
		"find | row widgets | FOR UPDATE | wait | tx",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	unknown := map[string]string{
		"Scoped": "a part of the statement that a builder makes could lock, and is not known: scope not known",
		"Either": "the statement that a builder makes is not known: strength of the locking clause not known",
	}
	for _, u := range m.Unknowns {
		if fn := strings.TrimPrefix(u.Func, "example.test/builders."); unknown[fn] == u.Reason {
			delete(unknown, fn)
		}
		if u.File == "steps.go" {
			t.Errorf("%s:%d is not known: %s", u.File, u.Line, u.Reason)
		}
	}
	for fn, reason := range unknown {
		t.Errorf("%s: no unknown %q", fn, reason)
	}
	for _, p := range m.Paths {
		if strings.HasSuffix(p.Entry, ".Reading") {
			t.Error("a path that only reads is told as one that locks")
		}
	}
}
