package load

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestUncalled finds the functions that a program has left over, and tells
// them from those of a library with an example beside it.
func TestUncalled(t *testing.T) {
	const (
		mod   = "module example.test/a\n\ngo 1.26\n"
		store = `package store

func Add()     {}
func Get()     {}
func Take[T any](T) {}
func Drop()    { drop() }
func drop()    {}
func Keep()    {}

type Item struct{}

func (Item) Delete() {}
`
		three = "package main\n\nimport \"example.test/a/store\"\n\nfunc main() { store.Add(); store.Take(1); f := store.Get; f(); store.Keep() }\n"
	)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"one of five", map[string]string{"store/s.go": store, "cmd/c/main.go": three}, "example.test/a/store.Drop"},
		{"through another package", map[string]string{"store/s.go": store, "mid/m.go": strings.NewReplacer("package main", "package mid", "func main", "func Mid").Replace(three),
			"main.go": "package main\n\nimport \"example.test/a/mid\"\n\nfunc main() { mid.Mid() }\n"}, "example.test/a/store.Drop"},
		{"a library", map[string]string{"store/s.go": store, "mid/m.go": strings.NewReplacer("package main", "package mid", "func main", "func Mid").Replace(three)}, ""},
		{"an example beside a library", map[string]string{"store/s.go": store,
			"example/main.go": "package main\n\nimport \"example.test/a/store\"\n\nfunc main() { store.Add(); store.Get() }\n"}, ""},
		{"named by a directive", map[string]string{"store/s.go": strings.Replace(store, "func Drop()", "//go:linkname Drop other.Drop\nfunc Drop()", 1), "cmd/c/main.go": three}, ""},
		{"a package that cannot be read whole", map[string]string{"store/s.go": store, "cmd/c/main.go": three, "b/b.go": "package b\n\nvar X = none.X\n"}, "example.test/a/store.Drop"},
		{"perhaps named there", map[string]string{"store/s.go": store, "cmd/c/main.go": three, "b/b.go": "package b\n\nvar X = none.X(Drop.Drop)\n"}, ""},
	} {
		c.files["go.mod"] = mod
		_, res := loaded(t, ".", c.files)
		if got := strings.Join(slices.Sorted(maps.Keys(res.Program.Uncalled)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
