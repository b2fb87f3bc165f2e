package locks

import (
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestAnalyzer wants findings of several checks from the one analyzer, one of
// them with a fix that the embedded schema gives.
func TestAnalyzer(t *testing.T) {
	for _, r := range analysistest.Run(t, analysistest.TestData(), Analyzer, "bank") {
		fixes := 0
		for _, d := range r.Diagnostics {
			fixes += len(d.SuggestedFixes)
			if d.Category == "" {
				t.Errorf("no category: %s", d.Message)
			}
		}
		if fixes != 1 {
			t.Errorf("%d fixes, want 1: is the schema read?", fixes)
		}
	}
}

// TestBuild wants BUILD.bazel to name the files that are there and what they
// import.
func TestBuild(t *testing.T) {
	data, err := os.ReadFile("BUILD.bazel")
	if err != nil {
		t.Fatal(err)
	}
	build, _, _ := strings.Cut(string(data), "nogo(")
	for _, m := range regexp.MustCompile(`"([\w.]+\.(?:go|sql|yaml))"`).FindAllStringSubmatch(build, -1) {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("BUILD.bazel: %v", err)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "locks.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(path, "github.com/pglockdep/pglockdep"); ok {
			if label := "@com_github_pglockdep_pglockdep/" + rest; !strings.Contains(build, strconv.Quote(label)) {
				t.Errorf("BUILD.bazel has no %s", label)
			}
		} else if strings.Contains(path, ".") {
			t.Errorf("BUILD.bazel has no label for %s", path)
		}
	}
}
