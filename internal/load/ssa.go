package load

import (
	"go/ast"
	"go/types"
	"sort"
	"strconv"

	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// buildSSA builds the SSA form of packages that have syntax; what they
// import is known by its types only. A package with errors in its types gets
// a program of its own: what upsets its builder must not reach the others,
// which would wait for it. So does one that breaks the builder all the same;
// lost are those that break it even then.
func buildSSA(pkgs []*packages.Package) (b *built, lost []*packages.Package) {
	alone := map[*packages.Package]bool{}
	for _, p := range pkgs {
		alone[p] = !sound(p)
	}
	for {
		var culprit *packages.Package
		if b, culprit = buildTogether(pkgs, alone); culprit == nil {
			break
		}
		alone[culprit] = true // once more without it: what waits for it would wait for ever
	}
	for _, p := range pkgs {
		if !alone[p] {
			continue
		}
		if sp := buildAlone(p); sp != nil {
			b.pkgs[p] = sp
		} else {
			lost = append(lost, p)
		}
	}
	return b, lost
}

// buildTogether builds the packages that are not built alone as one program.
// It stops at the first that breaks the builder and returns it.
func buildTogether(pkgs []*packages.Package, alone map[*packages.Package]bool) (*built, *packages.Package) {
	b := &built{prog: ssa.NewProgram(pkgs[0].Fset, ssa.GlobalDebug), pkgs: map[*packages.Package]*ssa.Package{}}
	created := map[*types.Package]bool{}
	for _, p := range pkgs {
		if alone[p] || created[p.Types] {
			continue
		}
		created[p.Types] = true
		sp := create(b.prog, p.Types, p.Syntax, p.TypesInfo)
		if sp == nil {
			return nil, p
		}
		b.pkgs[p] = sp
	}
	for _, p := range pkgs {
		createImports(b.prog, p.Types.Imports(), created)
	}
	for _, p := range pkgs {
		if sp := b.pkgs[p]; sp != nil && !builds(sp) {
			return nil, p
		}
	}
	return b, nil
}

// create adds a package to a program, nil when it breaks the builder: types
// read from incomplete export data can hold what no sound package has.
func create(prog *ssa.Program, p *types.Package, files []*ast.File, info *types.Info) (sp *ssa.Package) {
	defer func() {
		if recover() != nil {
			sp = nil
		}
	}()
	return prog.CreatePackage(p, files, info, true)
}

// builds builds a package and reports whether that went well.
func builds(sp *ssa.Package) (ok bool) {
	defer func() { ok = recover() == nil }()
	sp.Build()
	return true
}

// createImports adds packages that are known by their types only.
func createImports(sp *ssa.Program, pkgs []*types.Package, created map[*types.Package]bool) {
	for _, p := range pkgs {
		if !created[p] {
			created[p] = true
			create(sp, p, nil, nil)
			createImports(sp, p.Imports(), created)
		}
	}
}

// buildAlone builds one package in a program of its own, nil when it breaks
// the builder.
func buildAlone(p *packages.Package) *ssa.Package {
	if !guts(p) {
		return nil
	}
	alone := ssa.NewProgram(p.Fset, ssa.GlobalDebug)
	sp := create(alone, p.Types, p.Syntax, p.TypesInfo)
	if sp == nil {
		return nil
	}
	createImports(alone, p.Types.Imports(), map[*types.Package]bool{p.Types: true})
	if !builds(sp) {
		return nil
	}
	return sp
}

// guts takes out of a package what has no type and reports whether that went
// well.
func guts(p *packages.Package) (ok bool) {
	defer func() { ok = recover() == nil }()
	gut(p)
	return true
}

// resolve fills in the callees that the call graph proves for calls of
// interface methods and function values.
func (b *built) resolve(p *prog.Program) {
	defer func() {
		// The call graph is a help, not a need: where a broken package upsets
		// it, interface calls are followed to every implementer that locks.
		if recover() != nil {
			p.Dynamic = map[string][]string{}
		}
	}()
	all := ssautil.AllFunctions(b.prog)
	cg := vta.CallGraph(all, cha.CallGraph(b.prog))
	sites := map[string]map[string]bool{}
	for fn, node := range cg.Nodes {
		if fn == nil || fn.Blocks == nil || p.Funcs[symval.Symbol(fn)] == nil {
			continue
		}
		var ids map[ssa.CallInstruction]int
		for _, e := range node.Out {
			if e.Site == nil || e.Site.Common().StaticCallee() != nil {
				continue
			}
			key := symval.Symbol(e.Callee.Func)
			if p.Funcs[key] == nil {
				continue
			}
			if ids == nil {
				ids = symval.Numbers(fn)
			}
			at := symval.Symbol(fn) + ":" + strconv.Itoa(ids[e.Site])
			if sites[at] == nil {
				sites[at] = map[string]bool{}
			}
			sites[at][key] = true
		}
	}
	for at, set := range sites {
		var keys []string
		for k := range set {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		p.Dynamic[at] = keys
	}
}
