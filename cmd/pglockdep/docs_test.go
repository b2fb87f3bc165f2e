package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWriteFile replaces files that are there in several ways; whatever
// happens, the old or the new content is there, and nothing else.
func TestWriteFile(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(file string) error
		fails   bool
	}{
		{"new, in a folder that is not there", func(file string) error { return os.Remove(filepath.Dir(file)) }, false},
		{"deleted meanwhile", func(file string) error {
			if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
				return err
			}
			return os.Remove(file)
		}, false},
		{"there, with rights of its own", func(file string) error { return os.WriteFile(file, []byte("old"), 0o640) }, false},
		{"not to be written", func(file string) error { return os.WriteFile(file, []byte("old"), 0o440) }, os.Geteuid() != 0},
		{"in a folder not to be written", func(file string) error { return os.Chmod(filepath.Dir(file), 0o555) }, os.Geteuid() != 0},
	} {
		dir := filepath.Join(t.TempDir(), "docs")
		file := filepath.Join(dir, "page.md")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := c.prepare(file); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Stat(file)
		old, _ := os.ReadFile(file)
		err := writeFile(file, []byte("new"))
		os.Chmod(dir, 0o777)
		if (err != nil) != c.fails {
			t.Errorf("%s: error %v", c.name, err)
		}
		want := "new"
		if c.fails {
			want = string(old)
		}
		if got, _ := os.ReadFile(file); string(got) != want {
			t.Errorf("%s: holds %q, want %q", c.name, got, want)
		}
		if after, err := os.Stat(file); err == nil && before != nil && after.Mode() != before.Mode() {
			t.Errorf("%s: mode %v, was %v", c.name, after.Mode(), before.Mode())
		}
		if list, _ := os.ReadDir(dir); len(list) > 1 {
			t.Errorf("%s: left %v", c.name, list)
		}
	}
}
