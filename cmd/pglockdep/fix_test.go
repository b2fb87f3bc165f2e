package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFix wants check -fix and go vet -fix to make the edits that the
// analyzers suggest, these to compile, and their findings to be gone.
func TestFix(t *testing.T) {
	const from = "../../internal/fix/testdata/src"
	for pkg, left := range map[string][]string{"shop": {"shop.Limited", "shop.Keyless", "shop.Escaped"}, "xact": nil, "unlock": nil} {
		t.Run(pkg, func(t *testing.T) {
			program := func() string {
				dir := copied(t, filepath.Join(from, pkg))
				if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.test/"+pkg+"\n\ngo 1.26\n"), 0o666); err != nil {
					t.Fatal(err)
				}
				return dir
			}
			text := func(dir, name string) string {
				t.Helper()
				data, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			dir := program()
			want := text(dir, pkg+".go.golden")
			if diff := cmp.Diff(want, withSARIF(t, dir, text(dir, pkg+".go"))); diff != "" {
				t.Errorf("the fixes in SARIF are other edits (-want +got):\n%s", diff)
			}
			var stdout, stderr bytes.Buffer
			Run([]string{"check", "-C", dir, "-fix"}, nil, &stdout, &stderr)
			if diff := cmp.Diff(want, text(dir, pkg+".go")); diff != "" {
				t.Errorf("check -fix makes other edits (-want +got):\n%s\n%s", diff, stderr.Bytes())
			}
			if mended, edits := strings.Count(stderr.String(), ": mended "), lines(text(dir, pkg+".go.golden"), text(program(), pkg+".go")); mended != edits {
				t.Errorf("%d findings are told as mended, %d lines differ:\n%s", mended, edits, stderr.Bytes())
			}
			if out, err := exec.Command("go", "-C", dir, "vet", ".").CombinedOutput(); err != nil {
				t.Errorf("what was mended does not compile: %s", out)
			}
			for _, f := range checkList(t, dir) {
				if fn := f.Func[strings.LastIndexByte(f.Func, '/')+1:]; fixable(f.Kind) && !slices.Contains(left, fn) {
					t.Errorf("still there after its fix: %s:%d: %s", f.File, f.Line, f.Message)
				}
			}
			byVet := program()
			if out, err := vetCommand(t, byVet, "-fix").CombinedOutput(); err != nil {
				t.Logf("go vet -fix: %v\n%s", err, out)
			}
			if diff := cmp.Diff(want, text(byVet, pkg+".go")); diff != "" {
				t.Errorf("go vet -fix makes other edits (-want +got):\n%s", diff)
			}
		})
	}
}

// withSARIF returns the text of the only file of a program with the fixes made
// that check -format sarif suggests.
func withSARIF(t *testing.T, dir, text string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	Run([]string{"check", "-C", dir, "-format", "sarif"}, nil, &stdout, &stderr)
	var doc struct {
		Runs []struct {
			Results []struct {
				Fixes []struct {
					ArtifactChanges []struct {
						Replacements []struct {
							DeletedRegion   struct{ StartLine, StartColumn, EndLine, EndColumn int }
							InsertedContent struct{ Text string }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	starts := []int{0}
	for i, c := range []byte(text) {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	offset := func(line, column int) int { // of a file in ASCII
		return starts[line-1] + column - 1
	}
	var edits []edit
	for _, r := range doc.Runs[0].Results {
		for _, f := range r.Fixes {
			for _, x := range f.ArtifactChanges[0].Replacements {
				at := x.DeletedRegion
				edits = append(edits, edit{start: offset(at.StartLine, at.StartColumn), end: offset(at.EndLine, at.EndColumn), text: x.InsertedContent.Text})
			}
		}
	}
	return string(edited([]byte(text), edits))
}

// TestPlace counts columns as UTF-16 does.
func TestPlace(t *testing.T) {
	if line, column := placeIn([]byte("a\nä𝄞b")); line != 2 || column != 5 {
		t.Errorf("line %d, column %d; want 2 and 5", line, column)
	}
}

func fixable(kind string) bool {
	return kind == "session-lock-in-tx" || kind == "unlock-cancelable-ctx" || kind == "unordered-multi-row-lock" || kind == "session-lock-leak"
}

// lines counts the lines of a that b has not.
func lines(a, b string) int {
	n := 0
	for line := range strings.Lines(a) {
		if !strings.Contains(b, line) {
			n++
		}
	}
	return n
}
