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
// import is known by its types only.
func buildSSA(pkgs []*packages.Package) *built {
	b := &built{prog: ssa.NewProgram(pkgs[0].Fset, ssa.GlobalDebug), pkgs: map[*packages.Package]*ssa.Package{}}
	created := map[*types.Package]bool{}
	for _, p := range pkgs {
		if !created[p.Types] {
			created[p.Types] = true
			b.pkgs[p] = b.prog.CreatePackage(p.Types, p.Syntax, p.TypesInfo, true)
		}
	}
	var imported func(ps []*types.Package)
	imported = func(ps []*types.Package) {
		for _, p := range ps {
			if !created[p] {
				created[p] = true
				b.prog.CreatePackage(p, nil, nil, true)
				imported(p.Imports())
			}
		}
	}
	for _, p := range pkgs {
		imported(p.Types.Imports())
	}
	for p, sp := range b.pkgs {
		if !build(sp) {
			delete(b.pkgs, p)
		}
	}
	return b
}

// build builds one package; one that breaks the builder is left out.
func build(sp *ssa.Package) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	sp.Build()
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
