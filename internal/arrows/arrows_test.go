package arrows

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

const module = "github.com/pglockdep/pglockdep"

//go:embed arrows.txt
var text string

// outside are the modules that the arrows speak of, by import path.
var outside = map[string]string{
	"github.com/pganalyze/pg_query_go": "PARSER",
	"github.com/sqlc-dev/oliphant":     "PARSER",
	"golang.org/x/tools":               "XTOOLS",
}

func outsider(imp string) string {
	for p, name := range outside {
		if imp == p || strings.HasPrefix(imp, p+"/") {
			return name
		}
	}
	return ""
}

// A rules is the order of arrows.txt, asked about packages.
type rules struct{ *lockgraph.Order }

// name returns the name that stands for a package: its own, else the nearest
// pattern above it.
func (r rules) name(pkg string) (string, bool) {
	if r.Placed(pkg) {
		return pkg, true
	}
	for dir := path.Dir(pkg); dir != "."; dir = path.Dir(dir) {
		if r.Placed(dir + "/*") {
			return dir + "/*", true
		}
	}
	return "", false
}

// crossed returns the arrows that the imports of a module cross; imports maps
// each package, relative to the module, to what it imports.
func (r rules) crossed(imports map[string][]string) []string {
	var out []string
	for pkg, list := range imports {
		name, ok := r.name(pkg)
		if !ok {
			out = append(out, pkg+" stands nowhere in arrows.txt")
			continue
		}
		for _, imp := range list {
			own, ours := strings.CutPrefix(imp, module+"/")
			switch alien := outsider(imp); {
			case alien != "" && !r.direct(alien, name):
				out = append(out, fmt.Sprintf("%s imports %s (%s)", pkg, imp, alien))
			case ours && imports[own] != nil:
				if from, ok := r.name(own); ok && from != name && !r.Less(from, name) {
					out = append(out, fmt.Sprintf("%s imports %s", pkg, own))
				}
				if from, ok := r.name(own); ok && from == name && pkg != own {
					out = append(out, fmt.Sprintf("%s imports its sibling %s", pkg, own))
				}
			}
		}
	}
	sort.Strings(out)
	return out
}

func (r rules) direct(a, b string) bool {
	for _, p := range r.Pairs() {
		if p.A == a && p.B == b {
			return true
		}
	}
	return false
}

// imports reads the import lines of every Go file that is no test, whatever
// its build tags, of the module at root.
func imports(root string) (map[string][]string, error) {
	out := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			_, nested := os.Stat(filepath.Join(file, "go.mod"))
			if file != root && (name == "testdata" || name[0] == '.' || name[0] == '_' || nested == nil) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		if out[pkg] == nil {
			out[pkg] = []string{}
		}
		for _, i := range f.Imports {
			out[pkg] = append(out[pkg], strings.Trim(i.Path.Value, `"`))
		}
		return nil
	})
	return out, err
}

func policy(t *testing.T) rules {
	t.Helper()
	o, err := lockgraph.ParseOrder(text)
	if err != nil {
		t.Fatalf("arrows.txt: %v", err)
	}
	return rules{o}
}

// ignored are packages that no other may import and that the arrows leave
// alone: tools of the repository itself.
func ignored(pkg string) bool {
	return pkg == "." || pkg == "internal/arrows" || strings.HasPrefix(pkg, ".ci") || strings.HasPrefix(pkg, "docs")
}

func TestArrows(t *testing.T) {
	r := policy(t)
	all, err := imports(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if all["lockgraph"] == nil {
		t.Fatal("the module was not read")
	}
	for pkg := range all {
		if ignored(pkg) {
			delete(all, pkg)
		}
	}
	for _, dir := range modules(t) {
		inner, err := imports(filepath.Join("..", "..", filepath.FromSlash(dir)))
		if err != nil {
			t.Fatal(err)
		}
		for pkg, list := range inner {
			all[path.Join(dir, pkg)] = list
		}
	}
	for _, c := range r.crossed(all) {
		t.Error(c)
	}
}

// The words and the programs lean on the standard library alone.
func TestCoreIsStandardLibraryOnly(t *testing.T) {
	all, err := imports(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"lockgraph", "lockgraph/prog"} {
		for _, imp := range all[pkg] {
			first, _, _ := strings.Cut(imp, "/")
			if strings.Contains(first, ".") && !strings.HasPrefix(imp, module+"/") {
				t.Errorf("%s imports %s", pkg, imp)
			}
		}
	}
}

// modules returns the folders of the modules at and below runtime, relative
// to the repository.
func modules(t *testing.T) []string {
	t.Helper()
	root := filepath.Join("..", "..")
	var out []string
	err := filepath.WalkDir(filepath.Join(root, "runtime"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "go.mod" {
			dir, _ := filepath.Rel(root, filepath.Dir(file))
			out = append(out, filepath.ToSlash(dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 || out[0] != "runtime" {
		t.Fatalf("modules under runtime: %q", out)
	}
	return out
}

// What a production program links must reach neither parser nor x/tools,
// through whatever module; only the go command knows those.
func TestRuntimeReachesNoTool(t *testing.T) {
	for _, dir := range modules(t) {
		cmd := exec.Command("go", "list", "-deps", "-json=ImportPath", "./...")
		cmd.Dir = filepath.Join("..", "..", filepath.FromSlash(dir))
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: go list: %v", dir, err)
		}
		deps, err := importPaths(strings.NewReader(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		// A module below internal may hold nothing but tests.
		if dir == "runtime" && len(deps) < 10 {
			t.Errorf("%s: go list named only %d packages", dir, len(deps))
		}
		for _, d := range reached(policy(t), "runtime/*", deps) {
			t.Errorf("%s reaches %s", dir, d)
		}
	}
}

// The core of the runtime stands on pgx and the standard library.
func TestRuntimeNeedsPgxAlone(t *testing.T) {
	all, err := imports(filepath.Join("..", "..", "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	for pkg, list := range all {
		for _, imp := range list {
			first, _, _ := strings.Cut(imp, "/")
			if strings.Contains(first, ".") && !strings.HasPrefix(imp, module+"/runtime/") && !strings.HasPrefix(imp, "github.com/jackc/pgx/v5") {
				t.Errorf("runtime/%s imports %s", pkg, imp)
			}
		}
	}
}

func importPaths(r io.Reader) ([]string, error) {
	var out []string
	dec := json.NewDecoder(r)
	for {
		var p struct{ ImportPath string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, p.ImportPath)
	}
}

// reached returns the dependencies that are denied to a name.
func reached(r rules, name string, deps []string) []string {
	var out []string
	for _, d := range deps {
		if alien := outsider(d); alien != "" {
			if _, denied := r.Denied(alien, name); denied {
				out = append(out, d)
			}
		}
	}
	return out
}

// The test itself must fail when an arrow is crossed.
func TestCrossedArrowsAreFound(t *testing.T) {
	r := policy(t)
	ours := func(pkg string) string { return module + "/" + pkg }
	got := r.crossed(map[string][]string{
		"lockgraph":             {"fmt", ours("lockgraph/prog")},
		"lockgraph/prog":        {ours("lockgraph")},
		"internal/pgsql":        {"github.com/pganalyze/pg_query_go/v5"},
		"internal/schema":       {"github.com/pganalyze/pg_query_go/v5/parser", ours("internal/pgsql")},
		"internal/effect":       {ours("internal/schema"), ours("lockgraph"), "golang.org/x/tools/go/ssa"},
		"internal/dbapi":        {ours("lockgraph")},
		"analyzers/lockorder":   {"golang.org/x/tools/go/analysis", ours("internal/pass")},
		"analyzers/lockmany":    {ours("analyzers/lockorder")},
		"analyzers/locksummary": {ours("internal/effect"), "golang.org/x/tools/go/ssa"},
		"analyzers":             {ours("analyzers/lockorder"), ours("analyzers/lockmany")},
		"docgen":                {ours("lockgraph"), ours("internal/load")},
		"internal/load":         {},
		"runtime/locks":         {ours("lockgraph"), "golang.org/x/tools/go/packages"},
		"runtime/locks/pgxlock": {ours("runtime/locks")},
		"internal/util":         {},
	})
	want := []string{
		"analyzers/lockmany imports its sibling analyzers/lockorder",
		"docgen imports internal/load",
		"internal/dbapi imports lockgraph",
		"internal/effect imports golang.org/x/tools/go/ssa (XTOOLS)",
		"internal/schema imports github.com/pganalyze/pg_query_go/v5/parser (PARSER)",
		"internal/util stands nowhere in arrows.txt",
		"lockgraph imports lockgraph/prog",
		"runtime/locks imports golang.org/x/tools/go/packages (XTOOLS)",
		"runtime/locks imports lockgraph",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	deps := []string{"fmt", "golang.org/x/tools/go/ssa", ours("runtime/locks"), "github.com/sqlc-dev/oliphant"}
	if got := reached(r, "runtime/*", deps); !reflect.DeepEqual(got, []string{"golang.org/x/tools/go/ssa", "github.com/sqlc-dev/oliphant"}) {
		t.Errorf("reached %q", got)
	}
}

func TestImportsAreRead(t *testing.T) {
	root := t.TempDir()
	for name, src := range map[string]string{
		"a/a.go":            "package a\nimport \"fmt\"\n",
		"a/a_pure.go":       "//go:build purego\n\npackage a\nimport \"example.test/x\"\n",
		"a/a_test.go":       "package a\nimport \"testing\"\n",
		"a/testdata/b/b.go": "package b\nimport \"os\"\n",
		"nested/go.mod":     "module nested\n",
		"nested/n.go":       "package n\nimport \"os\"\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := imports(root)
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(got["a"])
	if want := map[string][]string{"a": {"example.test/x", "fmt"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
