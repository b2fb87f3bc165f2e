package symval

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestSignature: what parameters are called and which alias names a type
// makes no other signature.
func TestSignature(t *testing.T) {
	const src = `package p
type Tx interface{ Exec() }
type TxAlias = Tx
type alike interface {
	A(n int, fn func(tx Tx) error, more ...[]func(a int) map[string]func(x any)) (done func(err error))
	B(m int, cb func(exec TxAlias) error, rest ...[]func(b int) map[string]func(y interface{})) func(error)
}
type unlike interface {
	C(n int, fn func(tx *Tx) error, more ...[]func(a int) map[string]func(x any)) func(error)
	D(n int, fn func(tx Tx) error, more [][]func(a int) map[string]func(x any)) (done func(err ...error))
}`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("p", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := func(iface, method string) string {
		m, _, _ := types.LookupFieldOrMethod(pkg.Scope().Lookup(iface).Type(), false, pkg, method)
		return Signature(m.Type().(*types.Signature))
	}
	a := of("alike", "A")
	if b := of("alike", "B"); a != b {
		t.Errorf("A is %s\nB is %s", a, b)
	}
	for _, name := range []string{"C", "D"} {
		if s := of("unlike", name); s == a {
			t.Errorf("%s and A have one signature: %s", name, s)
		}
	}
}
