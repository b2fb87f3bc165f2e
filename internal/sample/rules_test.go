package sample

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

func TestRules(t *testing.T) {
	e, v := setUp(t)
	exact := 0
	for _, r := range e.Rules {
		t.Run(fmt.Sprint(r.ID, " ", r.Form), func(t *testing.T) {
			problem := compareRule(e, v.Manifest, r)
			if problem != "" {
				t.Fatalf("%s: %s", r.Text, problem)
			}
			exact++
		})
	}
	t.Logf("%d of %d rules exact", exact, len(e.Rules))
}

// compareRule returns what is wrong with the tool's form of the rule.
func compareRule(e *expectation, m *lockgraph.Manifest, want expectedRule) string {
	names := classNames(e, m)
	kinds := consoleTeller(e, m).kinds
	for _, b := range stringsOf(want.B) {
		if problem := ofOne(names, kinds, m, want, b); problem != "" {
			return problem
		}
	}
	if want.B == nil {
		return ofOne(names, kinds, m, want, "")
	}
	return ""
}

func ofOne(names, kinds map[string]string, m *lockgraph.Manifest, want expectedRule, b string) string {
	for _, r := range m.Rules {
		if r.Form != want.Form || !named(names, r.A, want.A) {
			continue
		}
		if b != "" && r.B != b && !named(names, r.B, b) {
			continue
		}
		if want.Kind != "" && kinds[r.Kind] != want.Kind[strings.LastIndexByte(want.Kind, '.')+1:] {
			continue
		}
		return exceptions(m, r.Exceptions, want.Exceptions)
	}
	return "not stated"
}

// named reports whether the class is the one that the expectation names,
// with its mode or as the bare relation.
func named(names map[string]string, class, want string) bool {
	name := names[class]
	if name == "" {
		name = class
	}
	return want == name || strings.HasPrefix(want, name+" ") || name == "row "+want
}

// exceptions compares functions: a path that the expected one calls stands
// for it.
func exceptions(m *lockgraph.Manifest, got, want []string) string {
	stands := func(f, w string) bool {
		return f == w || slices.ContainsFunc(m.Paths, func(p lockgraph.Path) bool { return p.Entry == f && slices.Contains(p.ReachedBy, w) })
	}
	for _, f := range got {
		if !slices.ContainsFunc(want, func(w string) bool { return stands(f, w) }) {
			return f + " is no exception"
		}
	}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(f string) bool { return stands(f, w) }) {
			return w + " is an exception, too"
		}
	}
	return ""
}

func TestDifferences(t *testing.T) {
	e, v := setUp(t)
	told := 0
	for _, d := range e.Differences {
		if !slices.ContainsFunc(v.Manifest.Differences, func(x lockgraph.Difference) bool {
			return x.Form == d.Form && about(v.Manifest, x.Funcs, d.Funcs)
		}) {
			t.Errorf("%s: not told", d.About)
			continue
		}
		told++
	}
	t.Logf("%d of %d differences told", told, len(e.Differences))
}

// about reports whether a difference names one of the functions that are
// expected, or the path that they are part of.
func about(m *lockgraph.Manifest, got, want []string) bool {
	for _, f := range got {
		for _, w := range want {
			if f == w {
				return true
			}
			if strings.HasPrefix(w, packageOf(f)+".") && slices.ContainsFunc(m.Paths, func(p lockgraph.Path) bool { return p.Entry == f && calls(p.Steps, lockgraph.Short(w)) }) {
				return true
			}
		}
	}
	return false
}

func packageOf(symbol string) string {
	slash := strings.LastIndexByte(symbol, '/') + 1
	pkg, _, _ := strings.Cut(symbol[slash:], ".")
	return symbol[:slash] + pkg
}

// calls reports whether a lock of the steps is taken by way of the function.
func calls(steps []lockgraph.Step, name string) bool {
	for _, s := range steps {
		if slices.Contains(s.By, name) || calls(s.Steps, name) {
			return true
		}
		for _, a := range s.Arms {
			if calls(a.Steps, name) {
				return true
			}
		}
	}
	return false
}
