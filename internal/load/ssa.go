package load

import (
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
// which would wait for it.
func buildSSA(pkgs []*packages.Package) *built {
	b := &built{prog: ssa.NewProgram(pkgs[0].Fset, ssa.GlobalDebug), pkgs: map[*packages.Package]*ssa.Package{}}
	created := map[*types.Package]bool{}
	var broken []*packages.Package
	for _, p := range pkgs {
		switch {
		case !sound(p):
			broken = append(broken, p)
		case !created[p.Types]:
			created[p.Types] = true
			b.pkgs[p] = b.prog.CreatePackage(p.Types, p.Syntax, p.TypesInfo, true)
		}
	}
	for _, p := range pkgs {
		createImports(b.prog, p.Types.Imports(), created)
	}
	for _, sp := range b.pkgs {
		sp.Build()
	}
	for _, p := range broken {
		if sp := buildAlone(p); sp != nil {
			b.pkgs[p] = sp
		}
	}
	return b
}

// createImports adds packages that are known by their types only.
func createImports(sp *ssa.Program, pkgs []*types.Package, created map[*types.Package]bool) {
	for _, p := range pkgs {
		if !created[p] {
			created[p] = true
			sp.CreatePackage(p, nil, nil, true)
			createImports(sp, p.Imports(), created)
		}
	}
}

// buildAlone builds one package; one that breaks the builder is left out.
func buildAlone(p *packages.Package) (sp *ssa.Package) {
	defer func() {
		if recover() != nil {
			sp = nil
		}
	}()
	gut(p)
	alone := ssa.NewProgram(p.Fset, ssa.GlobalDebug)
	sp = alone.CreatePackage(p.Types, p.Syntax, p.TypesInfo, true)
	createImports(alone, p.Types.Imports(), map[*types.Package]bool{p.Types: true})
	sp.Build()
	return sp
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
