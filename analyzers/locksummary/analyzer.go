package locksummary

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Analyzer is the base pass with the default settings.
var Analyzer = New(Default)

// New returns a base pass with settings of its own. A driver must not run two
// of them on one package.
func New(s *Settings) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "locksummary",
		Doc:        "lock programs of functions, for the other checks",
		URL:        "https://github.com/pglockdep/pglockdep",
		Run:        s.run,
		FactTypes:  []analysis.Fact{(*Fact)(nil)},
		ResultType: reflect.TypeFor[*Result](),
	}
}

// run never fails and never panics: drivers hide an error of a dependency
// and remember its absence. Whatever breaks, the fact still hands on what the
// imports know.
func (s *Settings) run(p *analysis.Pass) (out any, err error) {
	res := &Result{}
	out = res
	if symval.Standard(p.Pkg.Path()) || !s.Tests && onlyTests(p) {
		return res, nil
	}
	deps := &imports{}
	defer func() {
		if recover() != nil {
			res.pass = nil // nothing is looked for
			export(p, deps.sections, deps.packages)
		}
	}()
	deps = imported(p)
	if !relevantPackage(p, deps) {
		return res, nil
	}
	own := s.summarize(p, deps, res)
	if p.Pkg.Name() == "main" || !s.Tests && withTests(p) {
		return res, nil // nobody imports it, but for tests
	}
	foreign := third(p)
	slim := prog.Slim(own, deps.packages, foreign)
	if slim == nil {
		export(p, deps.sections, deps.packages)
		return res, nil
	}
	sec := Section{Path: own.Path, Foreign: foreign, Seen: res.seen()}
	sec.Schema = res.schema()
	slim.Routes = nil // they are told of a whole program
	export(p, append([]Section{sec}, deps.sections...), append([]*prog.Package{slim}, deps.packages...))
	return res, nil
}

// export hands sections on to importers, if there are any.
func export(p *analysis.Pass, sections []Section, packages []*prog.Package) {
	if len(sections) > 0 {
		p.ExportPackageFact(&Fact{Sections: fitted(sections, packages)})
	}
}

// summarize makes the lock programs of the package, and readies res for the
// checks.
func (s *Settings) summarize(p *analysis.Pass, deps *imports, res *Result) *prog.Package {
	dir := packageDir(p)
	root := s.rootDir(dir)
	env := s.env(root)
	files := p.Files
	if !s.Tests {
		files = nil
		for _, f := range p.Files {
			if !testFile(p, f) {
				files = append(files, f)
			}
		}
	}
	if third(p) {
		env = &environment{set: &Settings{Texts: map[string]string{}}, root: root, cfg: env.cfg}
	}
	for i, sec := range deps.sections {
		if sec.Foreign {
			deps.packages[i] = prog.Resolved(deps.packages[i], lazyResolver{env})
		}
	}
	in := Input{Fset: p.Fset, Files: files, Info: p.TypesInfo, SSA: buildPackage(p), Dir: dir, Root: root, Resolver: lazyResolver{env}, Known: Known(env.cfg), ReadFile: p.ReadFile,
		InProgram: func(path string) bool { return path == p.Pkg.Path() || deps.has(path) }}
	if p.ReadFile == nil {
		in.ReadFile = os.ReadFile
	}
	own := Summarize(in)
	res.pass, res.set, res.env, res.root, res.own, res.deps, res.files = p, s, env, root, own, deps, files
	return own
}

// relevantPackage reports whether a package can take locks: packages of the
// main module always, since a service may see only interfaces; third-party
// ones when something they import does.
func relevantPackage(p *analysis.Pass, deps *imports) bool {
	if dbapi.Root(p.Pkg.Path()) {
		return false
	}
	if !third(p) || len(deps.sections) > 0 {
		return true
	}
	for _, imp := range p.Pkg.Imports() {
		if dbapi.Root(imp.Path()) {
			return true
		}
	}
	return false
}

// third reports whether a package is of another module than the one being
// analysed. Some drivers name no modules; then no package is.
func third(p *analysis.Pass) bool { return p.Module != nil && p.Module.Version != "" }

func onlyTests(p *analysis.Pass) bool {
	for _, f := range p.Files {
		if !testFile(p, f) {
			return false
		}
	}
	return true
}

// withTests reports whether a package is compiled together with its tests.
func withTests(p *analysis.Pass) bool {
	return slices.ContainsFunc(p.Files, func(f *ast.File) bool { return testFile(p, f) })
}

func testFile(p *analysis.Pass, f *ast.File) bool {
	tf := p.Fset.File(f.Package)
	return tf != nil && strings.HasSuffix(tf.Name(), "_test.go")
}

func packageDir(p *analysis.Pass) string {
	for _, f := range p.Files {
		if tf := p.Fset.File(f.Package); tf != nil {
			return filepath.Dir(tf.Name())
		}
	}
	return "."
}

// buildPackage builds the SSA form of the package being analysed; its
// imports are known by their types.
func buildPackage(p *analysis.Pass) *ssa.Package {
	sp := ssa.NewProgram(p.Fset, ssa.GlobalDebug)
	seen := map[*types.Package]bool{p.Pkg: true}
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
