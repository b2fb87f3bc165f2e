package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Whatever the page depends on changes the name of the state.
func TestStateFile(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GOWORK", "off")
	above, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(above, "module")
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.test/m\n\ngo 1.24\n")
	write("a.go", "package m\n")
	write("schema/1.sql", "create table t (id int);\n")
	write("docs/locks.md", "page\n")
	state := func(change func(*invocation)) string {
		t.Helper()
		c := newInvocation(docsCommand, nil, io.Discard, io.Discard)
		c.dir = root
		if change != nil {
			change(c)
		}
		name, err := c.stateFile(filepath.Join(root, "docs/locks.md"))
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	last := state(nil)
	if state(nil) != last {
		t.Error("the same tree has two states")
	}
	mark(last)
	if !seen(last) {
		t.Error("a state that was marked is not seen")
	}
	for _, step := range []struct{ what, name, text string }{
		{"an edited file", "a.go", "package m // x\n"},
		{"a new file", "b.go", "package m\n"},
		{"an embedded file", "b.txt", "select 1 for update"},
		{"the schema", "schema/1.sql", "create table t (id bigint);\n"},
		{"the page", "docs/locks.md", "page.\n"},
		{"the configuration", "pglockdep.yaml", "page: docs/locks.md\n"},
		{"a configuration above", "../pglockdep.yaml", "page: x.md\n"},
		{"the modules", "go.sum", "x\n"},
	} {
		write(step.name, step.text)
		now := state(nil)
		if now == last {
			t.Errorf("%s does not change the state", step.what)
		}
		if seen(now) {
			t.Errorf("after %s the page counts as right", step.what)
		}
		last = now
	}
	for what, change := range map[string]func(*invocation){
		"-tags":     func(c *invocation) { c.tags = "x" },
		"-implicit": func(c *invocation) { c.implicit = "all" },
		"-schema":   func(c *invocation) { c.schema = list{"schema/*.sql"} },
		"packages":  func(c *invocation) { c.args = []string{"./x"} },
	} {
		if state(change) == last {
			t.Errorf("%s does not change the state", what)
		}
	}

	unknowable := func(what string) {
		t.Helper()
		c := newInvocation(docsCommand, nil, io.Discard, io.Discard)
		c.dir = root
		if _, err := c.stateFile(filepath.Join(root, "docs/locks.md")); !errors.Is(err, errNoState) {
			t.Errorf("%s: %v, want errNoState", what, err)
		}
	}
	write("../other/other.go", "package other\n")
	write("go.mod", "module example.test/m\n\ngo 1.24\n\nreplace example.test/other => ../other\n")
	unknowable("a module outside the tree")
	write("go.mod", "module example.test/m\n\ngo 1.24\n")
	if err := os.Symlink(filepath.Join(above, "other"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	unknowable("a link out of the tree")
}
