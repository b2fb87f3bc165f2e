package analyzers_test

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/analyzers/locksummary"
)

// maxFact bounds the fact of any package of a sample.
const maxFact = 64 << 10

const sample = "../testdata/memberconsole"

// TestDrivers runs the suite under the checker, which tests facts, and under
// a driver that knows no modules, reads no files and shows facts of direct
// imports only, as Bazel's does. Both must report the same.
func TestDrivers(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks a program with everything it imports")
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: sample, Env: append(os.Environ(), "GOWORK=off", "GOPROXY=off")}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(analyzers.Analyzers(), pkgs, &checker.Options{SanityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	inChecker := map[string]bool{}
	largest, where := 0, ""
	for act := range graph.All() {
		if act.Err != nil {
			t.Errorf("%v: %v", act, act.Err)
		}
		for _, f := range act.AllPackageFacts() {
			if f.Package == act.Package.Types {
				if n := encodedSize(t, f.Fact); n > largest {
					largest, where = n, f.Package.Path()
				}
			}
		}
		if act.IsRoot {
			for _, d := range act.Diagnostics {
				inChecker[line(act.Package.Fset, d)] = true
			}
		}
	}
	t.Logf("the largest fact has %d bytes: %s", largest, where)
	if largest == 0 || largest > maxFact {
		t.Errorf("the largest fact has %d bytes, want at most %d: %s", largest, maxFact, where)
	}
	if len(inChecker) == 0 {
		t.Error("the checker finds nothing")
	}
	root, err := filepath.Abs(sample)
	if err != nil {
		t.Fatal(err)
	}
	inSandbox := sandbox(t, analyzers.New(analyzers.Config{Root: root, Schema: schemaTexts(t, root)}), pkgs)
	if diff := cmp.Diff(inChecker, inSandbox); diff != "" {
		t.Errorf("the drivers report different things (-checker +sandbox):\n%s", diff)
	}
}

func line(fset *token.FileSet, d analysis.Diagnostic) string {
	at := fset.Position(d.Pos)
	return fmt.Sprintf("%s:%d: %s: %s", filepath.Base(at.Filename), at.Line, d.Category, d.Message)
}

func encodedSize(t *testing.T, f analysis.Fact) int {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(f); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

func schemaTexts(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob(filepath.Join(root, "migrations", "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(root, f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.ToSlash(rel)] = string(data)
	}
	return out
}

// sandbox is a driver of the poorest kind.
func sandbox(t *testing.T, suite []*analysis.Analyzer, roots []*packages.Package) map[string]bool {
	out := map[string]bool{}
	facts := map[*types.Package][]byte{}
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.Module == nil || len(p.Syntax) == 0 {
			return // the standard library has no facts there
		}
		results := map[*analysis.Analyzer]any{}
		var run func(a *analysis.Analyzer)
		run = func(a *analysis.Analyzer) {
			if _, done := results[a]; done {
				return
			}
			for _, r := range a.Requires {
				run(r)
			}
			pass := &analysis.Pass{Analyzer: a, Fset: p.Fset, Files: p.Syntax, Pkg: p.Types, TypesInfo: p.TypesInfo, TypesSizes: p.TypesSizes, ResultOf: results,
				Report: func(d analysis.Diagnostic) {
					if p.Module.Main {
						out[line(p.Fset, d)] = true
					}
				},
				ImportPackageFact: func(pkg *types.Package, f analysis.Fact) bool {
					direct := false
					for _, imp := range p.Types.Imports() {
						direct = direct || imp == pkg
					}
					data, ok := facts[pkg]
					if !ok || !direct {
						return false
					}
					if err := gob.NewDecoder(bytes.NewReader(data)).Decode(f); err != nil {
						t.Errorf("%s: %v", pkg.Path(), err)
					}
					return true
				},
				ExportPackageFact: func(f analysis.Fact) {
					var b bytes.Buffer
					if err := gob.NewEncoder(&b).Encode(f); err != nil {
						t.Errorf("%s: %v", p.PkgPath, err)
					}
					facts[p.Types] = b.Bytes()
				},
			}
			res, err := a.Run(pass)
			if err != nil {
				t.Errorf("%s on %s: %v", a.Name, p.PkgPath, err)
			}
			results[a] = res
		}
		for _, a := range suite {
			run(a)
		}
	})
	return out
}

// TestBroken wants no error and no panic of a pass that lacks what passes
// have.
func TestBroken(t *testing.T) {
	p := &analysis.Pass{Analyzer: locksummary.Analyzer, Fset: token.NewFileSet(), Pkg: types.NewPackage("example.test/m", "m"),
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false }, ExportPackageFact: func(analysis.Fact) {}}
	res, err := locksummary.Analyzer.Run(p)
	if err != nil || reflect.TypeOf(res) != locksummary.Analyzer.ResultType {
		t.Errorf("%v, %v", res, err)
	}
	for _, a := range analyzers.Analyzers() {
		p.Analyzer, p.ResultOf = a, map[*analysis.Analyzer]any{locksummary.Analyzer: res}
		p.Report = func(d analysis.Diagnostic) { t.Errorf("%s reports %s", a.Name, d.Message) }
		if _, err := a.Run(p); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
}

func TestNames(t *testing.T) {
	if err := analysis.Validate(analyzers.New(analyzers.Config{})); err != nil {
		t.Error(err)
	}
	var names []string
	for _, a := range analyzers.Analyzers() {
		names = append(names, a.Name)
	}
	sort.Strings(names)
	var checks []string
	for _, c := range analyzers.Checks {
		checks = append(checks, c.Name)
	}
	sort.Strings(checks)
	if diff := cmp.Diff(checks, names); diff != "" {
		t.Error(diff)
	}
}
