package docgen

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"os"
)

func TestUnifiedDiff(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"a\n", "a\n", ""},
		{"", "a\nb", "--- x\n+++ y\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"},
		{"a\n", "", "--- x\n+++ y\n@@ -1 +0,0 @@\n-a\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			"--- x\n+++ y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
	} {
		if got := UnifiedDiff([]byte(c.a), []byte(c.b), "x", "y"); got != c.want {
			t.Errorf("from %q to %q:\n%s\nwant\n%s", c.a, c.b, got, c.want)
		}
	}
}

// TestUnifiedDiffApplies gives the diffs of random texts to patch, which
// must rebuild the second text from the first.
func TestUnifiedDiffApplies(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		patch = ""
	}
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var w strings.Builder
		for range r.IntN(40) {
			fmt.Fprintf(&w, "line %d\n", r.IntN(6))
		}
		return w.String()
	}
	for n := range 60 {
		a, b := text(), text()
		if got := apply(edits(splitLines([]byte(a)), splitLines([]byte(b))), splitLines([]byte(a)), splitLines([]byte(b))); got != b {
			t.Fatalf("script of %q to %q gives %q", a, b, got)
		}
		if patch == "" || a == b || a == "" || b == "" || n > 20 {
			continue
		}
		file := filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(file, []byte(a), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(patch, "-s", file)
		cmd.Stdin = strings.NewReader(UnifiedDiff([]byte(a), []byte(b), "a", "b"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("patch: %v\n%s", err, out)
		}
		if got, _ := os.ReadFile(file); string(got) != b {
			t.Fatalf("patch of %q gives %q, want %q", a, got, b)
		}
	}
}

func apply(es []edit, x, y []string) string {
	var w strings.Builder
	for _, e := range es {
		switch e.op {
		case ' ':
			w.WriteString(x[e.i])
		case '+':
			w.WriteString(y[e.j])
		}
	}
	return w.String()
}

func TestUnifiedDiffOfLargeTexts(t *testing.T) {
	var a, b strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&a, "old %d\n", i)
		fmt.Fprintf(&b, "new %d\n", i)
	}
	got := UnifiedDiff([]byte(a.String()), []byte(b.String()), "a", "b")
	if n := strings.Count(got, "\n"); n != 2+1+12000 {
		t.Errorf("%d lines", n)
	}
}
