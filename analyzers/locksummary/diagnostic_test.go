package locksummary

import (
	"go/ast"
	"go/parser"
	"go/token"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// Drivers run the checks of one package at once, and each may be the first to
// show a line of another package.
func TestDiagnosticAtOnce(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "shop.go", "package shop\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{pass: &analysis.Pass{Fset: fset}, set: &Settings{}, deps: &imports{}, files: []*ast.File{file}, lines: map[string]*token.File{}}
	var checks sync.WaitGroup
	for range 8 {
		checks.Go(func() {
			for line := 1; line <= 500; line++ {
				d := r.Diagnostic(lockgraph.Finding{File: "store/store.go", Line: line, Related: []lockgraph.Frame{{File: "store/store.go", Line: line}}})
				if len(d.Related) != 1 || fset.Position(d.Related[0].Pos).Line != line {
					t.Errorf("line %d: related %v", line, d.Related)
				}
			}
		})
	}
	checks.Wait()
}
