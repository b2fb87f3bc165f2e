package locksummary

import (
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A Fact is what importers need to know of a package: its lock programs and
// those of what it imports, as far as they matter.
type Fact struct{ Packages []*prog.Package }

// AFact marks Fact as a fact of go/analysis.
func (*Fact) AFact() {}

// String lists what the functions of the package do to locks.
func (f *Fact) String() string {
	var b strings.Builder
	for _, p := range f.Packages {
		b.WriteString(p.Path)
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// A Result is what checks get: the view of the package and what it imports.
type Result struct {
	View  *prog.View
	root  string
	files map[string]*token.File
}

// Settings are what the drivers that know no files are told.
var Settings = struct {
	Root   string   // of the module, "" to look for go.mod upward
	Schema []string // globs relative to it; nil to look for the schema
	Notes  bool
}{}

// Notes reports whether notes are printed.
func Notes() bool { return Settings.Notes }

// Analyzer is the base pass.
var Analyzer = &analysis.Analyzer{
	Name:       "locksummary",
	Doc:        "lock programs of functions, for the other checks",
	Run:        run,
	FactTypes:  []analysis.Fact{(*Fact)(nil)},
	ResultType: reflect.TypeOf((*Result)(nil)),
}

// run never fails and never panics: drivers hide an error of a dependency
// and remember its absence.
func run(p *analysis.Pass) (out any, err error) {
	res := &Result{}
	out = res
	defer func() { _ = recover() }()
	if standard(p.Pkg.Path()) {
		return res, nil
	}
	deps := imported(p)
	if !relevantPackage(p, deps) {
		return res, nil
	}
	dir := packageDir(p)
	res.root = rootDir(dir)
	r := shared(res.root)
	sp := buildPackage(p)
	in := Input{Fset: p.Fset, Files: p.Files, Info: p.TypesInfo, SSA: sp, Dir: dir, Root: res.root, Resolver: r, ReadFile: p.ReadFile,
		InProgram: func(path string) bool { return path == p.Pkg.Path() || deps.has(path) }}
	if p.ReadFile == nil {
		in.ReadFile = os.ReadFile
	}
	own := Summarize(in)
	pkgs := append([]*prog.Package{own}, deps.list...)
	fact := &Fact{Packages: closure(own, deps.list)}
	if bearing(fact) {
		p.ExportPackageFact(fact)
	}
	r.Learn(pkgs...)
	program := prog.Link(pkgs, r)
	res.View = prog.NewView(program, prog.Options{Module: modulePath(p), Implicit: "relevant", Relations: Relations(r.Catalog), Modular: true})
	res.files = map[string]*token.File{}
	for _, f := range p.Files {
		tf := p.Fset.File(f.Pos())
		if tf != nil {
			if rel, err := filepath.Rel(res.root, tf.Name()); err == nil {
				res.files[filepath.ToSlash(rel)] = tf
			}
		}
	}
	return res, nil
}

func modulePath(p *analysis.Pass) string {
	if p.Module != nil {
		return p.Module.Path
	}
	return ""
}

// facts are what the imports of a package export.
type facts struct {
	list []*prog.Package
	byPk map[string]bool
}

func (f *facts) has(path string) bool { return f.byPk[path] }

func imported(p *analysis.Pass) *facts {
	f := &facts{byPk: map[string]bool{}}
	for _, imp := range p.Pkg.Imports() {
		var fact Fact
		if !p.ImportPackageFact(imp, &fact) {
			continue
		}
		for _, pk := range fact.Packages {
			if !f.byPk[pk.Path] {
				f.byPk[pk.Path] = true
				f.list = append(f.list, pk)
			}
		}
	}
	return f
}

// relevantPackage reports whether a package can take locks: packages of the
// main module always, since a service may see only interfaces; third-party
// ones when something they import does.
func relevantPackage(p *analysis.Pass, deps *facts) bool {
	if dbapi.Root(p.Pkg.Path()) {
		return false
	}
	if p.Module == nil || p.Module.Version == "" {
		return true
	}
	if len(deps.list) > 0 {
		return true
	}
	for _, imp := range p.Pkg.Imports() {
		if dbapi.Root(imp.Path()) {
			return true
		}
	}
	return false
}

// closure returns what importers of own need: itself and the functions of
// other packages that it mentions, followed through.
func closure(own *prog.Package, deps []*prog.Package) []*prog.Package {
	slim := prog.Slim(append([]*prog.Package{own}, deps...), own.Path)
	return slim
}

func bearing(f *Fact) bool {
	for _, p := range f.Packages {
		if len(p.Funcs) > 0 {
			return true
		}
	}
	return false
}

func standard(path string) bool { return symval.Standard(path) }

func packageDir(p *analysis.Pass) string {
	for _, f := range p.Files {
		if tf := p.Fset.File(f.Pos()); tf != nil {
			return filepath.Dir(tf.Name())
		}
	}
	return "."
}

func rootDir(dir string) string {
	if Settings.Root != "" {
		return Settings.Root
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

var (
	sharedMu sync.Mutex
	catalogs = map[string]*Resolver{}
)

// shared returns the resolver over the schema of the module at root.
func shared(root string) *Resolver {
	sharedMu.Lock()
	defer sharedMu.Unlock()
	if r := catalogs[root]; r != nil {
		return r
	}
	cat, _, _, err := schema.Load(root, Settings.Schema)
	if err != nil {
		cat = schema.New()
	}
	r := NewResolver(cat)
	catalogs[root] = r
	return r
}

// Relations lists the foreign keys of a catalog.
func Relations(cat *schema.Catalog) lockgraph.Relations {
	var out lockgraph.Relations
	names := make([]string, 0, len(cat.Relations))
	for name := range cat.Relations {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for _, fk := range cat.Relations[name].ForeignKeys {
			out = append(out, lockgraph.ForeignKey{Child: fk.Table, Parent: fk.Parent, OnDelete: fk.OnDelete})
		}
	}
	return out
}

// buildPackage builds the SSA form of the package being analysed; its
// imports are known by their types.
func buildPackage(p *analysis.Pass) *ssa.Package {
	sp := ssa.NewProgram(p.Fset, ssa.GlobalDebug)
	seen := map[*types.Package]bool{}
	var create func(ps []*types.Package)
	create = func(ps []*types.Package) {
		for _, imp := range ps {
			if !seen[imp] {
				seen[imp] = true
				sp.CreatePackage(imp, nil, nil, true)
				create(imp.Imports())
			}
		}
	}
	create(p.Pkg.Imports())
	pkg := sp.CreatePackage(p.Pkg, p.Files, p.TypesInfo, false)
	pkg.Build()
	return pkg
}

// Diagnostic returns a finding as a diagnostic of the package, ok if any
// part of it lies in the package.
func (r *Result) Diagnostic(p *analysis.Pass, f lockgraph.Finding) (analysis.Diagnostic, bool) {
	pos := r.pos(f.File, f.Line)
	d := analysis.Diagnostic{Pos: pos, Category: f.Kind, Message: f.Message}
	for _, x := range f.Related {
		at := r.pos(x.File, x.Line)
		if at == token.NoPos {
			continue
		}
		if d.Pos == token.NoPos {
			d.Pos = at
		}
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: at, Message: x.Does})
	}
	return d, d.Pos != token.NoPos
}

func (r *Result) pos(file string, line int) token.Pos {
	tf := r.files[file]
	if tf == nil || line < 1 || line > tf.LineCount() {
		return token.NoPos
	}
	return tf.LineStart(line)
}
