package docgen

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := UnifiedDiff(want, []byte(got), file, "got"); d != "" {
		t.Errorf("the text has changed; look at it and run go test -update:\n%s", d)
	}
}

func TestPages(t *testing.T) {
	for name, m := range map[string]*lockgraph.Manifest{"bank": bank(t), "clinic": clinic(), "empty": {Version: 1, Module: "example.test/none"}} {
		got, err := Render(nil, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".md", string(got))
		again, err := Render(got, m, Options{})
		if err != nil || string(again) != string(got) {
			t.Errorf("%s: a page written twice differs: %v\n%s", name, err, UnifiedDiff(got, again, "once", "twice"))
		}
		golden(t, name+".dot", DOT(m))
		golden(t, name+".mmd", Mermaid(m))
		golden(t, name+".txt", PathsText(m, m.Paths))
	}
}
