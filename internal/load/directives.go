package load

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/config"
)

// directives collects what the comments of the main module say. Names and
// groups travel with the lock programs; the rest is read here.
func (r *Result) directives(pkgs []*packages.Package) {
	for _, p := range pkgs {
		if root := rootOf(p, r); root == r.Root {
			d := locksummary.ReadDirectives(p.Fset, root, p.Syntax, p.TypesInfo)
			r.Directives = append(r.Directives, d.Ignores...)
			r.Faults = append(r.Faults, d.Faults...)
		}
	}
	for _, pkg := range r.Packages {
		if !r.Foreign[pkg.Path] {
			r.Names = append(r.Names, pkg.Names...)
		}
	}
	locksummary.SortNames(r.Names)
}

// symbols reports what the configuration names and the program has not. A
// part of the program may be asked for alone, so that only packages that
// were loaded, or are imported by them, are looked at.
func (r *Result) symbols(pkgs []*packages.Package, cfg *config.Config) {
	if cfg == nil {
		return
	}
	seen := map[string]*types.Package{}
	for _, p := range pkgs {
		seen[p.PkgPath] = p.Types
		for _, imp := range p.Types.Imports() {
			if seen[imp.Path()] == nil {
				seen[imp.Path()] = imp
			}
		}
	}
	for _, s := range cfg.Symbols() {
		path, names := splitSymbol(s.Name)
		if pkg := seen[path]; pkg != nil && !declares(pkg, names) || pkg == nil && strings.HasPrefix(path+"/", r.Module+"/") {
			r.Faults = append(r.Faults, cfg.NoSymbol(s))
		}
	}
}

// splitSymbol takes a symbol apart: its package, then the names below it.
func splitSymbol(symbol string) (path string, names []string) {
	symbol = strings.NewReplacer("(", "", ")", "", "*", "").Replace(symbol)
	slash := strings.LastIndexByte(symbol, '/') + 1
	parts := strings.Split(symbol[slash:], ".")
	return symbol[:slash] + parts[0], parts[1:]
}

// declares reports whether a package has what the names lead to: a variable
// or function, or a field or method of a type.
func declares(pkg *types.Package, names []string) bool {
	if len(names) == 0 || len(names) > 2 {
		return false
	}
	obj := pkg.Scope().Lookup(names[0])
	if obj == nil || len(names) == 1 {
		return obj != nil
	}
	found, _, _ := types.LookupFieldOrMethod(obj.Type(), true, pkg, names[1])
	return found != nil
}
