package locksummary

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// An Input is one package as a driver has it.
type Input struct {
	Fset  *token.FileSet
	Files []*ast.File
	Info  *types.Info
	SSA   *ssa.Package
	Dir   string // of the package's files
	Root  string // of its module; file names are relative to it
	// InProgram reports whether a package has lock programs of its own, so
	// that calls into it are followed.
	InProgram func(path string) bool
	Resolver  prog.Resolver
	Known     map[string]dbapi.Call // what the configuration says of functions
	// ReadFile reads an embedded file; nil means os.ReadFile.
	ReadFile func(name string) ([]byte, error)
}

// A unit is the package being summarized.
type unit struct {
	in    Input
	fset  *token.FileSet
	info  *types.Info
	res   prog.Resolver
	texts map[string]string
	out   *prog.Package
	given map[*types.Named]bool // structs handed to builders
	// prepared are the texts of statements by the names they are prepared
	// under; nil until asked for.
	prepared map[string]*prog.Val
	// support are the files that exist for tests: they import testing, or
	// their package does and is named for it.
	support  map[string]bool
	sessions map[types.Type]bool // whether they are, or hold, a connection or transaction; as far as asked
	other    bool                // it is for another database than PostgreSQL
	boil     map[string]bool     // files that sqlboiler has generated
}

func (u *unit) pos(p token.Pos) prog.Pos {
	at := u.fset.Position(p)
	file := at.Filename
	if rel, err := filepath.Rel(u.in.Root, file); err == nil && u.in.Root != "" {
		file = rel
	}
	return prog.Pos{File: filepath.ToSlash(file), Line: at.Line, Col: at.Column}
}

func (u *unit) inProgram(f *types.Func) bool {
	return f.Pkg() != nil && (u.in.InProgram == nil || u.in.InProgram(f.Pkg().Path()))
}

// Summarize returns the lock programs of a package. It never fails: what
// cannot be read is listed under Unknowns, and a package that breaks it is
// marked incomplete.
func Summarize(in Input) (out *prog.Package) {
	u := &unit{in: in, fset: in.Fset, info: in.Info, res: in.Resolver, texts: map[string]string{}, given: map[*types.Named]bool{}}
	u.out = &prog.Package{Path: in.SSA.Pkg.Path()}
	out = u.out
	u.support = u.testSupport()
	u.boil = u.boiled()
	u.other = otherDatabase(in.SSA.Pkg)
	u.embedded()
	for _, fn := range u.functions() {
		u.function(fn)
	}
	u.methods()
	u.routes()
	u.tables()
	u.directives()
	u.models(u.given)
	sort.Slice(out.Funcs, func(i, j int) bool { return out.Funcs[i].Key < out.Funcs[j].Key })
	sort.Slice(out.Fields, func(i, j int) bool {
		a, b := out.Fields[i], out.Fields[j]
		if a.Field != b.Field {
			return a.Field < b.Field
		}
		if a.Func != b.Func {
			return a.Func < b.Func
		}
		return a.Val.String() < b.Val.String()
	})
	sort.Slice(out.Impls, func(i, j int) bool {
		a, b := out.Impls[i], out.Impls[j]
		if a.Method != b.Method {
			return a.Method < b.Method
		}
		return a.Type < b.Type
	})
	return out
}

// testSupport returns the files that exist for tests. One such file does not
// make a package: services keep fixtures beside what they are for.
func (u *unit) testSupport() map[string]bool {
	out := map[string]bool{}
	for _, f := range u.in.Files {
		for _, imp := range f.Imports {
			switch strings.Trim(imp.Path.Value, `"`) {
			case "testing", "github.com/stretchr/testify/mock", "github.com/golang/mock/gomock", "go.uber.org/mock/gomock":
				out[u.fset.Position(f.Pos()).Filename] = true
			}
		}
	}
	if len(out) > 0 && testName.MatchString(u.in.SSA.Pkg.Path()) {
		for _, f := range u.in.Files {
			out[u.fset.Position(f.Pos()).Filename] = true
		}
	}
	return out
}

// testName matches the paths of packages that are named for tests.
var testName = lazyregexp.New(`(?i)(^|[/_.-])(x?tests?|testing|mocks?|fakes?|fixtures?|\w+tests?|test\w*|\w+mocks?|mock\w*)$`)

// functions returns the package's functions, methods and closures in order.
func (u *unit) functions() []*ssa.Function {
	var out []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if fn == nil || fn.Blocks == nil {
			return
		}
		out = append(out, fn)
		for _, a := range fn.AnonFuncs {
			add(a)
		}
	}
	for _, f := range u.in.Files {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok {
				if obj, ok := u.info.Defs[fd.Name].(*types.Func); ok {
					add(u.in.SSA.Prog.FuncValue(obj))
				}
			}
		}
	}
	if init := u.in.SSA.Func("init"); init != nil {
		for _, a := range init.AnonFuncs {
			add(a)
		}
		u.function(init)
	}
	return out
}

// goMigration matches the files of migrations that are written in Go: their
// tool runs them once, by the number in their name. One with a whole time in
// it is a migration in any folder.
var goMigration = lazyregexp.New(`(?i)migrat[^/]*/(?:.*/)?v?[0-9]+(?:[^/a-z][^/]*)?\.go$|(?:^|/)(?:19|20)[0-9]{10,}_[^/]*\.go$`)

// function adds one function's lock program; a panic of ours loses only it.
func (u *unit) function(fn *ssa.Function) {
	if rangeFunc(fn) {
		return
	}
	key := symval.Symbol(fn)
	f := &prog.Func{Key: key, Pos: u.pos(fn.Pos()), Params: len(fn.Params), Names: paramNames(fn), Results: fn.Signature.Results().Len()}
	defer func() {
		if r := recover(); r != nil {
			u.out.Unknowns = append(u.out.Unknowns, lockgraph.Unknown{File: f.Pos.File, Line: f.Pos.Line, Func: key, Kind: "internal",
				Reason: "this function could not be read: " + panicText(r)})
			u.out.Incomplete = "a function could not be read"
		}
	}()
	f.Test = u.support[u.fset.Position(fn.Pos()).Filename] || strings.HasSuffix(f.Pos.File, "_test.go")
	f.Main = fn.Pkg != nil && fn.Pkg.Pkg.Name() == "main" && fn.Name() == "main"
	f.Exported = exported(fn)
	if goMigration.MatchString(f.Pos.File) {
		f.Origin = prog.OriginMigration
	}
	if fn.Parent() != nil {
		f.Parent = symval.Symbol(fn.Parent())
	}
	if c, ok := u.in.Known[key]; ok && c.Does == dbapi.Exec {
		u.out.Funcs = append(u.out.Funcs, f) // the configuration says what its calls do
		return
	}
	if m, ok := fn.Object().(*types.Func); ok && !symval.Followed(m) {
		u.out.Funcs = append(u.out.Funcs, f)
		return
	}
	b := newBuilder(u, fn)
	if u.ofModel(fn) {
		f.Origin = prog.OriginGenerated
	}
	switch s := fn.Syntax().(type) {
	case *ast.FuncDecl:
		if body := b.boilWrite(); body != nil {
			f.Body = body
		} else if s.Body != nil {
			f.Body = b.block(s.Body.List)
			f.Consts = u.consts(s.Body)
		}
	case *ast.FuncLit:
		f.Body = b.block(s.Body.List)
		f.Consts = u.consts(s)
	default:
		f.Body = u.initial(b, fn)
	}
	f.Body = undone(prune(b.sendBatches(f.Body)))
	f.Sets, f.Left = b.f.Sets(), b.f.Left()
	u.bound(fn, f)
	u.fieldStores(b, fn, key)
	u.out.Funcs = append(u.out.Funcs, f)
}

// initial returns the calls that give package variables their numbers, texts
// and lock families, or the table that they stand for.
func (u *unit) initial(b *builder, fn *ssa.Function) []prog.Op {
	var out []prog.Op
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok || call.Call.StaticCallee() == nil {
				continue
			}
			if t, basic := call.Type().Underlying().(*types.Basic); !ofLocks(call.Type()) && (!basic || t.Info()&(types.IsInteger|types.IsString) == 0) && !holdsTable(call.Type(), 0) {
				continue
			}
			c := b.f.Call(call)
			if c.Known || c.Method == nil || !u.inProgram(c.Method) {
				continue
			}
			out = append(out, prog.Op{Kind: prog.OpCall, ID: c.ID, Pos: u.pos(call.Pos()), Val: prog.New(prog.VFunc, c.Symbol), Args: b.f.Args(c)})
		}
	}
	return out
}

// ofLocks reports a type of runtime/locks: a family, or a key.
func ofLocks(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && strings.HasSuffix(n.Obj().Pkg().Path(), "/runtime/locks")
}

// holdsTable reports whether a type is built around a library's table, as
// the variables of generated packages are.
func holdsTable(t types.Type, depth int) bool {
	st, ok := pointee(t).Underlying().(*types.Struct)
	for i := 0; ok && i < st.NumFields() && depth < maxEmbedded; i++ {
		f := st.Field(i)
		if f.Embedded() && (symval.HandleKind(f.Type()) == "table" || holdsTable(f.Type(), depth+1)) {
			return true
		}
	}
	return false
}

func panicText(r any) string {
	switch r := r.(type) {
	case error:
		return r.Error()
	case string:
		return r
	}
	return "unexpected shape"
}

// exported reports whether other packages can call fn, directly or through
// a method of an exported type.
func exported(fn *ssa.Function) bool {
	if fn.Parent() != nil || fn.Object() == nil || !fn.Object().Exported() {
		return false
	}
	if r := fn.Signature.Recv(); r != nil {
		t := r.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok {
			return n.Obj().Exported()
		}
	}
	return true
}

// paramNames returns the names of a function's parameters.
func paramNames(fn *ssa.Function) []string {
	out := make([]string, len(fn.Params))
	for i, p := range fn.Params {
		out[i] = p.Name()
	}
	return out
}

// prune drops branches and loops that hold nothing.
func prune(ops []prog.Op) []prog.Op {
	var out []prog.Op
	for _, o := range ops {
		switch o.Kind {
		case prog.OpBranch:
			n := 0
			for i := range o.Arms {
				o.Arms[i].Body = prune(o.Arms[i].Body)
				n += len(o.Arms[i].Body)
			}
			if n == 0 {
				continue
			}
		case prog.OpLoop:
			o.Body = prune(o.Body)
			if len(o.Body) == 0 && o.How != "forever" {
				continue
			}
		}
		out = append(out, o)
	}
	return out
}

// outer reports whether a struct comes from outside the function; seen are
// the values where ways meet that lead to it.
func outer(v ssa.Value, seen map[ssa.Value]bool) bool {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		case *ssa.Phi:
			if seen[x] {
				return false
			}
			if seen == nil {
				seen = map[ssa.Value]bool{}
			}
			seen[x] = true
			for _, e := range x.Edges {
				if outer(e, seen) {
					return true
				}
			}
			return false
		case *ssa.Alloc, *ssa.Call:
			return false
		default:
			return true
		}
	}
}

// onlyReturned reports a struct that the function makes, and that leaves it
// only as a result.
func onlyReturned(v ssa.Value) bool {
	made, ok := v.(*ssa.Alloc)
	if !ok {
		return false
	}
	returned := false
	for work := []ssa.Value{made}; len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, use := range *v.Referrers() {
			switch x := use.(type) {
			case *ssa.Return:
				returned = true
			case *ssa.FieldAddr: // a field is set or read
			case *ssa.MakeInterface:
				work = append(work, x)
			case *ssa.UnOp:
				work = append(work, x)
			case *ssa.DebugRef:
			default:
				return false
			}
		}
	}
	return returned
}

// methods lists the methods of the package's types, for calls through
// interfaces. Methods promoted from embedded fields belong to the type too;
// those of an embedded interface are no function.
func (u *unit) methods() {
	scope := u.in.SSA.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		if !ok || types.IsInterface(named) {
			continue
		}
		for _, t := range []types.Type{named, types.NewPointer(named)} {
			ms := types.NewMethodSet(t)
			for i := 0; i < ms.Len(); i++ {
				sel := ms.At(i)
				m := sel.Obj().(*types.Func)
				if m.Pkg() == nil {
					continue
				}
				in := prog.Impl{Type: symval.TypeString(t), Method: m.Name(), Sig: symval.Signature(m.Type().(*types.Signature))}
				if len(sel.Index()) == 1 || !types.IsInterface(m.Type().(*types.Signature).Recv().Type()) {
					in.Func = symval.ObjectSymbol(m)
				}
				u.out.Impls = append(u.out.Impls, in)
			}
		}
	}
}

// tables lists the table names of model types, by their TableName methods.
func (u *unit) tables() {
	for _, f := range u.out.Funcs {
		if !strings.HasSuffix(f.Key, ").TableName") {
			continue
		}
		for _, o := range f.Body {
			if o.Kind == prog.OpExit && len(o.Args) > 0 {
				if t, ok := o.Args[0].AsText(); ok {
					typ := strings.NewReplacer("(*", "", "(", "", ")", "").Replace(strings.TrimSuffix(f.Key, ".TableName"))
					u.out.Names = append(u.out.Names, prog.Name{Of: "table " + typ, Name: t})
				}
			}
		}
	}
	SortNames(u.out.Names)
}

// directives takes in what the comments of the files say of locks and paths.
func (u *unit) directives() {
	d := ReadDirectives(u.fset, u.in.Root, u.in.Files, u.info)
	u.out.Names = append(u.out.Names, d.Names...)
	for _, f := range u.out.Funcs {
		if g, ok := d.Groups[f.Key]; ok {
			f.Doc.Group = g
		}
	}
}

// embedded reads the files that //go:embed puts in string and byte slice
// variables.
func (u *unit) embedded() {
	read := u.in.ReadFile
	if read == nil {
		read = os.ReadFile
	}
	for _, f := range u.in.Files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				doc := v.Doc
				if doc == nil {
					doc = g.Doc
				}
				pattern := embedPattern(doc)
				if pattern == "" || len(v.Names) != 1 || strings.ContainsAny(pattern, "*?[") {
					continue
				}
				name := filepath.Join(u.in.Dir, filepath.FromSlash(pattern))
				if st, err := os.Stat(name); u.in.ReadFile == nil && (err != nil || st.IsDir() || st.Size() > 1<<20) {
					continue
				}
				data, err := read(name)
				if err != nil {
					at := u.pos(v.Pos())
					u.out.Unknowns = append(u.out.Unknowns, lockgraph.Unknown{File: at.File, Line: at.Line, Kind: "text", Reason: "the embedded file " + pattern + " could not be read"})
					continue
				}
				u.embed(v.Names[0].Name, strings.ToValidUTF8(string(data), "\uFFFD"))
			}
		}
	}
}

// maxEmbed bounds the texts that other packages are told of.
const maxEmbed = 1 << 14

// embed notes the text of a variable, for other packages too if they can read
// it.
func (u *unit) embed(name, text string) {
	v := u.in.SSA.Pkg.Path() + "." + name
	u.texts[v] = text
	if token.IsExported(name) && len(text) <= maxEmbed {
		u.out.Fields = append(u.out.Fields, prog.FieldStore{Field: v, Func: u.in.SSA.Pkg.Path() + ".init", Val: prog.Text(text)})
	}
}

func embedPattern(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	for _, c := range doc.List {
		if p, ok := strings.CutPrefix(c.Text, "//go:embed "); ok {
			return strings.Trim(strings.TrimSpace(p), "\"`")
		}
	}
	return ""
}
