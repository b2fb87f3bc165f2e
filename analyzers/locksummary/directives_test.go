package locksummary

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestCovered reads directives above a statement of several lines, one above
// the other, and beside a statement.
func TestCovered(t *testing.T) {
	const text = `package p

func f() {
	//pglockdep:ignore guc-leak one
	//pglockdep:ignore null-key two
	g(
		1,
	)
	g(2) //pglockdep:ignore guc-leak beside
	if g(3) { //pglockdep:ignore guc-leak before a body
		g(4)
	}
}

func g(int) bool { return true }
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	d := ReadDirectives(fset, ".", []*ast.File{f}, &types.Info{})
	want := [][2]int{{4, 8}, {5, 8}, {9, 10}, {10, 11}}
	if len(d.Ignores) != len(want) {
		t.Fatalf("read %+v", d.Ignores)
	}
	for i, x := range d.Ignores {
		if x.Line != want[i][0] || x.End != want[i][1] {
			t.Errorf("the directive of line %d covers up to %d, want line %d up to %d", x.Line, x.End, want[i][0], want[i][1])
		}
	}
}
