package load

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestUnsettled reads programs in which something is missing: what the module
// itself lacks stays missing while its files stay the same, what another
// module has may be there tomorrow.
func TestUnsettled(t *testing.T) {
	const mod = "module example.test/a\n\ngo 1.25\n"
	for _, c := range []struct {
		name, gomod, code string
		want              bool
	}{
		{"whole", mod, "package a\n\nimport _ \"database/sql\"\n", false},
		{"a generated package of its own", mod, "package a\n\nimport \"example.test/a/gen\"\n\nvar X = gen.X\n", false},
		{"an error of types", mod, "package a\n\nvar X int = \"\"\n", false},
		{"another module, nowhere required", mod, "package a\n\nimport \"example.com/b\"\n\nvar X = b.X\n", true},
		{"another module that cannot be had", mod + "\nrequire example.com/b v1.0.0\n", "package a\n\nimport \"example.com/b\"\n\nvar X = b.X\n", true},
	} {
		_, res := loaded(t, ".", map[string]string{"go.mod": c.gomod, "a.go": c.code, "ok/ok.go": "package ok\n"})
		if res.Unsettled != c.want {
			t.Errorf("%s: unsettled %v, want %v", c.name, res.Unsettled, c.want)
		}
	}
}

// TestAbsent names a package that no module has as the go command does: its
// importers only learn that they get nothing.
func TestAbsent(t *testing.T) {
	const code = "package %s\n\nimport \"example.com/none/b\"\n\nvar X = b.X\n"
	_, res := loaded(t, ".", map[string]string{"go.mod": "module example.test/a\n\ngo 1.25\n", "a.go": fmt.Sprintf(code, "a"), "c/c.go": fmt.Sprintf(code, "c"), "ok/ok.go": "package ok\n"})
	var got []string
	for _, u := range res.Unknowns {
		if strings.Contains(u.Reason, "could not import") {
			got = append(got, fmt.Sprintf("%s:%d: %s", u.File, u.Line, u.Reason))
		}
	}
	want := []string{
		"a.go:3: example.test/a: could not import example.com/none/b: no required module provides package example.com/none/b",
		"c/c.go:3: example.test/a/c: could not import example.com/none/b: no required module provides package example.com/none/b",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
