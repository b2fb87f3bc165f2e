package dbapi

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"sort"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/modtest"
)

// libs loads the export data of everything that testdata/libs imports.
type libs struct {
	export map[string]string
	imp    types.Importer
}

func loadLibs(t *testing.T) *libs {
	t.Helper()
	if testing.Short() {
		t.Skip("compares the tables with the real libraries, which -short leaves out")
	}
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./...")
	cmd.Dir = "testdata/libs"
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		modtest.SkipOffline(t, cmd.Dir, stderr.String())
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	l := &libs{export: map[string]string{}}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, file, _ := strings.Cut(line, "\t")
		l.export[path] = file
	}
	l.imp = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		f, ok := l.export[path]
		if !ok {
			return nil, fmt.Errorf("testdata/libs does not import %s", path)
		}
		return os.Open(f)
	})
	return l
}

// find returns the function with the full symbol as the library declares it.
func (l *libs) find(sym string) (*types.Func, error) {
	recv, name := "", sym
	if strings.HasPrefix(sym, "(") {
		i := strings.IndexByte(sym, ')')
		recv, name = strings.TrimPrefix(sym[1:i], "*"), sym[i+2:]
	} else {
		i := strings.LastIndexByte(sym, '.')
		recv, name = sym[:i], sym[i+1:]
	}
	path, typ := recv, ""
	if strings.HasPrefix(sym, "(") {
		i := strings.LastIndexByte(recv, '.')
		path, typ = recv[:i], recv[i+1:]
	}
	pkg, err := l.imp.Import(path)
	if err != nil {
		return nil, err
	}
	if typ == "" {
		if f, ok := pkg.Scope().Lookup(name).(*types.Func); ok {
			return f, nil
		}
		return nil, fmt.Errorf("no such function")
	}
	obj := pkg.Scope().Lookup(typ)
	if obj == nil {
		return nil, fmt.Errorf("no such type")
	}
	o, _, _ := types.LookupFieldOrMethod(types.NewPointer(obj.Type()), true, pkg, name)
	if types.IsInterface(obj.Type()) {
		o, _, _ = types.LookupFieldOrMethod(obj.Type(), true, pkg, name)
	}
	f, ok := o.(*types.Func)
	if !ok {
		return nil, fmt.Errorf("no such method")
	}
	if got := generic(f.FullName()); got != sym {
		return nil, fmt.Errorf("declared as %s", got)
	}
	return f, nil
}

// TestTablesMatchLibraries compares each line of each table with the
// library: the symbol is declared under that very name, and every index
// points at a parameter or result of the type it is said to have.
func TestTablesMatchLibraries(t *testing.T) {
	l := loadLibs(t)
	var syms []string
	for s := range library().Calls {
		syms = append(syms, s)
	}
	sort.Strings(syms)
	for _, s := range syms {
		f, err := l.find(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		c, _ := Lookup(f.FullName())
		for _, p := range misfits(c, f.Type().(*types.Signature)) {
			t.Errorf("%s: %s", s, p)
		}
	}
	for typ := range library().Kinds {
		name := strings.TrimPrefix(typ, "*")
		i := strings.LastIndexByte(name, '.')
		pkg, err := l.imp.Import(name[:i])
		if err != nil {
			t.Errorf("kind %s: %v", typ, err)
		} else if _, ok := pkg.Scope().Lookup(name[i+1:]).(*types.TypeName); !ok {
			t.Errorf("kind %s: no such type", typ)
		}
	}
	for s := range library().Hash {
		if _, err := l.find(s); err != nil {
			t.Errorf("hash %s: %v", s, err)
		}
	}
	t.Logf("%d symbols, %d types compared", len(syms), len(library().Kinds))
}

// misfits says which indexes of c do not fit the signature.
func misfits(c Call, sig *types.Signature) []string {
	var params []types.Type
	if sig.Recv() != nil {
		params = append(params, sig.Recv().Type())
	}
	for i := range sig.Params().Len() {
		params = append(params, sig.Params().At(i).Type())
	}
	var bad []string
	param := func(what string, i int, fits func(types.Type) bool) {
		if i == None {
			return
		}
		if i >= len(params) {
			bad = append(bad, fmt.Sprintf("%s=%d is out of range", what, i))
		} else if !fits(params[i]) {
			bad = append(bad, fmt.Sprintf("%s=%d is a %s", what, i, params[i]))
		}
	}
	result := func(what string, i int, fits func(types.Type) bool) {
		if i == None {
			return
		}
		if i >= sig.Results().Len() {
			bad = append(bad, fmt.Sprintf("%s=%d is out of range", what, i))
		} else if typ := sig.Results().At(i).Type(); !fits(typ) {
			bad = append(bad, fmt.Sprintf("%s=%d is a %s", what, i, typ))
		}
	}
	isAny := func(types.Type) bool { return true }
	isError := func(t types.Type) bool { return t.String() == "error" }
	isCtx := func(t types.Type) bool { return t.String() == "context.Context" }
	isText := func(t types.Type) bool {
		if c.Does == Builder || c.Does == Finisher {
			return true // a condition may be text or a value
		}
		if (c.Lib == "gopg" || c.Lib == "upper") && types.IsInterface(t) {
			return true // text, or an object that writes itself
		}
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsString != 0
	}
	isFunc := func(t types.Type) bool { _, ok := t.Underlying().(*types.Signature); return ok }
	notCtx := func(t types.Type) bool { return !isCtx(t) && !isError(t) }
	last := len(params) - 1
	param("handle", c.Handle, notCtx)
	param("ctx", c.Ctx, isCtx)
	param("sql", c.SQL, isText)
	param("args", c.Args, func(t types.Type) bool {
		if c.Named {
			return true
		}
		_, ok := t.Underlying().(*types.Slice)
		return ok && (c.ArgsSlice || sig.Variadic() && c.Args == last)
	})
	for what, i := range map[string]int{"stmt": c.Stmt, "batch": c.Batch, "table": c.Table, "name": c.Name, "dsn": c.DSN,
		"driver": c.Driver, "scans": c.Scans, "opts": c.Opts} {
		param(what, i, notCtx)
	}
	param("key", c.Key, isAny)
	param("value", c.Value, isAny)
	param("mode", c.Mode, notCtx)
	param("wait", c.Wait, func(t types.Type) bool { return t.String() == "time.Duration" })
	param("fn", c.Callback, isFunc)
	if c.Callback != None && c.Callback < len(params) {
		if fn, ok := params[c.Callback].Underlying().(*types.Signature); ok {
			if c.CallbackHandle >= fn.Params().Len() || c.CallbackCtx >= fn.Params().Len() {
				bad = append(bad, "the callback has fewer parameters")
			}
			if i := c.CallbackCtx; i != None && i < fn.Params().Len() && !isCtx(fn.Params().At(i).Type()) {
				bad = append(bad, "fnctx is no context")
			}
		}
	}
	result("result", c.Result, func(t types.Type) bool { return !isError(t) })
	result("err", c.ErrResult, isError)
	result("argsresult", c.ArgsResult, isAny)
	// What a line leaves out must not be there either.
	for i, p := range params {
		if isCtx(p) && c.Ctx == None && c.Does != Run && c.Does != Builder {
			bad = append(bad, fmt.Sprintf("takes a context at %d", i))
		}
	}
	for i := range sig.Results().Len() {
		if isError(sig.Results().At(i).Type()) && c.ErrResult == None {
			bad = append(bad, fmt.Sprintf("returns an error at %d", i))
		}
	}
	return bad
}
