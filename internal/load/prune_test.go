package load

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestPrune reads functions of a package that imports what is not there.
func TestPrune(t *testing.T) {
	const src = `package p

import (
	"errors"

	"example.test/nowhere"
)

type conn struct{ log nowhere.Logger }

type gone nowhere.Thing

func (c *conn) lock(key int) error { return nil }
func (c *conn) unlock(key int)     {}

func whole(c *conn, keys []int) error {
	var errs []error
outer:
	for _, k := range keys {
		errs = append(errs, c.lock(k))
		if len(errs) > 3 {
			break outer
		}
	}
	return errors.Join(errs...)
}

func logs(c *conn, key int) (int, error) {
	nowhere.Info("locking")
	if err := c.lock(key); err != nil {
		return 0, nowhere.Wrap(err)
	}
	defer func() {
		c.unlock(key)
		nowhere.Info("done")
	}()
	n, err := nowhere.Count(key)
	if err != nil {
		return 0, err
	}
	key++
	key = nowhere.Next(key)
	c.lock(key)
	key = 7
	c.lock(key)
	for _, x := range nowhere.All() {
		c.lock(1)
		c.log.Info(x)
	}
	switch nowhere.Mode(n) {
	case nowhere.Fast:
		c.lock(2)
	default:
		c.lock(3)
	}
	if nowhere.On() {
		c.lock(4)
	}
	var g gone
	_ = g
	return n, nil
}
`
	const want = `func logs(c *conn, key int) (int, error) {
	if err := c.lock(key); err != nil {
		return 0, (*new(map[int]error))[0]
	}
	defer func() {
		c.unlock(key)
	}()
	if (*new(map[int]bool))[0] {
		return 0, (*new(map[int]error))[0]
	}
	key++
	key = 7
	c.lock(key)
	for (*new(map[int]bool))[0] {
		c.lock(1)
	}
	switch {
	case (*new(map[int]bool))[0]:
		c.lock(2)
	default:
		c.lock(3)
	}
	if (*new(map[int]bool))[0] {
		c.lock(4)
	}
	return (*new(map[int]int))[0], nil
}`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := &packages.Package{PkgPath: "p", Fset: fset, Syntax: []*ast.File{f}, IllTyped: true, TypesInfo: &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{}}}
	cfg := types.Config{Importer: importer.ForCompiler(fset, "source", nil), Error: func(err error) { p.TypeErrors = append(p.TypeErrors, err.(types.Error)) }}
	p.Types, _ = cfg.Check("p", fset, p.Syntax, p.TypesInfo)
	if sound(p) {
		t.Fatal("the package has no errors")
	}
	pruned, ok := guts(p)
	if !ok || len(pruned) != 1 {
		t.Fatalf("lacking statements: %d functions, ok %v; want logs alone", len(pruned), ok)
	}
	var b bytes.Buffer
	if err := format.Node(&b, token.NewFileSet(), pruned[0]); err != nil {
		t.Fatal(err)
	}
	if got := squeezed(b.String()); got != squeezed(want) {
		t.Errorf("left is\n%s\nwant\n%s", got, squeezed(want))
	}
	if _, culprit := buildTogether(fset, []*packages.Package{p}); culprit != nil {
		t.Error("what is left breaks the builder")
	}
}

// squeezed drops blank lines and indentation.
func squeezed(s string) string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		if l = strings.Join(strings.Fields(l), " "); l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}
