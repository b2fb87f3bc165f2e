package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strconv"

	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// buildSSA builds the SSA form of packages that have syntax; what they
// import is known by its types only. A package with errors in its types is
// kept out of the program of the others: what upsets its builder must not
// reach them, which would wait for it. So is one that breaks the builder all
// the same; lost are those that break it even then. Each program is handed
// to read as soon as it is built; the one of the sound packages is returned,
// the others are dropped.
func buildSSA(pkgs []*packages.Package, read func(*built)) (b *built, lost []*packages.Package) {
	apart := map[*packages.Package]bool{}
	var whole []*packages.Package
	for _, p := range pkgs {
		if apart[p] = !sound(p); !apart[p] {
			whole = append(whole, p)
		}
	}
	b, broken := buildAll(pkgs[0].Fset, whole)
	for _, p := range broken {
		apart[p] = true
	}
	read(b)
	for _, layer := range layers(pkgs, apart) {
		again, bodies := layer, map[*packages.Package][]*ast.FuncDecl{}
		for _, mend := range []bool{true, false} {
			var rest, broken []*packages.Package
			for _, p := range again {
				if mend {
					bodies[p] = untyped(p)
				} else {
					for _, fd := range bodies[p] {
						fd.Body = nil // as mended it breaks the builder
					}
				}
				if guts(p, mend) {
					rest = append(rest, p)
				} else {
					broken = append(broken, p)
				}
			}
			more, culprits := buildAll(pkgs[0].Fset, rest)
			read(more)
			again = append(broken, culprits...)
		}
		lost = append(lost, again...)
	}
	return b, lost
}

// untyped are the functions of a package in which something has no type.
func untyped(p *packages.Package) []*ast.FuncDecl {
	var out []*ast.FuncDecl
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && !(typed(p, fd.Body) && typed(p, fd.Type)) {
				out = append(out, fd)
			}
		}
	}
	return out
}

// layers groups the packages that are built apart so that none sees another
// of its group: each knows those below it by their types only.
func layers(pkgs []*packages.Package, apart map[*packages.Package]bool) [][]*packages.Package {
	broken := map[*types.Package]bool{}
	for p := range apart {
		broken[p.Types] = apart[p]
	}
	below := map[*types.Package]int{}
	var depth func(p *types.Package) int
	depth = func(p *types.Package) int {
		n, ok := below[p]
		if ok {
			return n
		}
		below[p] = 0 // of a cycle, which only a broken package has
		for _, imp := range p.Imports() {
			d := depth(imp)
			if broken[imp] {
				d++
			}
			n = max(n, d)
		}
		below[p] = n
		return n
	}
	var out [][]*packages.Package
	for _, p := range pkgs {
		if !apart[p] {
			continue
		}
		d := depth(p.Types)
		for len(out) <= d {
			out = append(out, nil)
		}
		out[d] = append(out[d], p)
	}
	return out
}

// buildAll builds packages as one program, without those that break the
// builder, which it returns.
func buildAll(fset *token.FileSet, pkgs []*packages.Package) (b *built, broken []*packages.Package) {
	for {
		b, culprit := buildTogether(fset, pkgs)
		if culprit == nil {
			return b, broken
		}
		broken = append(broken, culprit) // once more without it: what waits for it would wait for ever
		pkgs = slices.DeleteFunc(slices.Clone(pkgs), func(p *packages.Package) bool { return p == culprit })
	}
}

// buildTogether builds packages as one program. It stops at the first that
// breaks the builder and returns it.
func buildTogether(fset *token.FileSet, pkgs []*packages.Package) (*built, *packages.Package) {
	b := &built{prog: ssa.NewProgram(fset, ssa.GlobalDebug), pkgs: map[*packages.Package]*ssa.Package{}}
	created := map[*types.Package]bool{}
	for _, p := range pkgs {
		if created[p.Types] {
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

// guts takes out of a package what has no type and reports whether that went
// well.
func guts(p *packages.Package, mend bool) (ok bool) {
	defer func() { ok = recover() == nil }()
	gut(p, mend)
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
	cg := vta.CallGraph(all, nil)
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
