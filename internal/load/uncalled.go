package load

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Of the functions that a package exports a program must use as many as n-1
// in n, and its other packages one in two, before the rest counts as left
// over: who uses less may be an example or a tool beside a library.
const usedShare = 4

// uncalled returns the exported functions that nothing in the program names,
// by symbol, for packages that one of its commands is built of and of which
// it uses nearly all. Methods are left out: what an interface or a library by
// reflection calls has no name. Each name in a package with errors may be
// that of any function.
func uncalled(pkgs []*packages.Package, foreign map[string]bool) map[string]bool {
	built := ofCommands(pkgs)
	if len(built) == 0 {
		return nil
	}
	used, byOthers, named := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range pkgs {
		if foreign[p.PkgPath] {
			continue
		}
		for _, o := range p.TypesInfo.Uses {
			if f, ok := o.(*types.Func); ok && f.Exported() && f.Signature().Recv() == nil {
				name := f.FullName()
				used[name] = true
				byOthers[name] = byOthers[name] || f.Pkg().Path() != p.PkgPath
			}
		}
		if !sound(p) {
			for _, file := range p.Syntax {
				ast.Inspect(file, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						named[id.Name] = true
					}
					return true
				})
			}
		}
	}
	out := map[string]bool{}
	for _, p := range pkgs {
		if foreign[p.PkgPath] || !built[p.Types] {
			continue
		}
		var left []string
		all, apart := 0, 0 // those that others use
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				fd, ok := d.(*ast.FuncDecl)
				if !ok || fd.Recv != nil || !fd.Name.IsExported() {
					continue
				}
				all++
				name := p.TypesInfo.Defs[fd.Name].(*types.Func).FullName()
				if byOthers[name] {
					apart++
				} else if !used[name] && !named[fd.Name.Name] && !namedElsewhere(fd) {
					left = append(left, name)
				}
			}
		}
		if usedShare*len(left) > all || 2*apart < all {
			continue
		}
		for _, f := range left {
			out[f] = true
		}
	}
	return out
}

// namedElsewhere reports whether a directive makes a function known by a name
// that Go code does not show.
func namedElsewhere(fd *ast.FuncDecl) bool {
	if fd.Doc == nil {
		return false
	}
	for _, c := range fd.Doc.List {
		if strings.HasPrefix(c.Text, "//export ") || strings.HasPrefix(c.Text, "//go:linkname ") {
			return true
		}
	}
	return false
}

// ofCommands returns the packages that the main packages among pkgs import,
// directly or through others.
func ofCommands(pkgs []*packages.Package) map[*types.Package]bool {
	out := map[*types.Package]bool{}
	var add func(p *types.Package)
	add = func(p *types.Package) {
		for _, imp := range p.Imports() {
			if !out[imp] {
				out[imp] = true
				add(imp)
			}
		}
	}
	for _, p := range pkgs {
		if p.Types.Name() == "main" {
			add(p.Types)
		}
	}
	return out
}
