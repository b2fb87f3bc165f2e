package load

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// sound reports whether everything in a package has a type: imports that
// cannot be found leave gaps without an error of their own.
func sound(p *packages.Package) bool {
	if len(p.TypeErrors) > 0 {
		return false
	}
	if !p.IllTyped && len(p.Errors) == 0 {
		return true
	}
	for _, f := range p.Syntax {
		if !typed(p, f) {
			return false
		}
	}
	return true
}

// typed reports whether every call, name and selection below n has a type.
func typed(p *packages.Package, n ast.Node) bool {
	ok := true
	invalid := func(t types.Type) bool { return t == nil || t == types.Typ[types.Invalid] }
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if o := p.TypesInfo.ObjectOf(n); o != nil {
				if _, pkg := o.(*types.PkgName); !pkg && invalid(o.Type()) {
					ok = false
				}
			} else if n.Name != "_" && ast.IsExported(n.Name) {
				ok = false
			}
		case *ast.SelectorExpr:
			ok = ok && p.TypesInfo.ObjectOf(n.Sel) != nil
		case *ast.CallExpr, *ast.CompositeLit, *ast.FuncLit, *ast.BinaryExpr, *ast.IndexExpr, *ast.StarExpr, *ast.UnaryExpr, *ast.TypeAssertExpr:
			ok = ok && !invalid(p.TypesInfo.TypeOf(n.(ast.Expr)))
		}
		return ok
	})
	return ok
}

// gut takes out of a package's syntax what has no type: the bodies of such
// functions, such declarations, and initial values of such variables. The
// rest can be read.
func gut(p *packages.Package) {
	bad := map[types.Object]bool{} // declarations without a type
	for _, f := range p.Syntax {
		kept := f.Decls[:0:0]
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok {
				kept = append(kept, d)
				continue
			}
			if fd.Name.Name != "_" && p.TypesInfo.Defs[fd.Name] == nil || !typed(p, fd.Type) || fd.Recv != nil && !typed(p, fd.Recv) {
				continue
			}
			if fd.Body != nil && !typed(p, fd.Body) {
				fd.Body = nil
			}
			kept = append(kept, d)
		}
		f.Decls = kept
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				g.Specs = specs(p, g.Specs, bad)
			}
		}
	}
	order := p.TypesInfo.InitOrder[:0:0]
	for _, in := range p.TypesInfo.InitOrder {
		ok := typed(p, in.Rhs)
		for _, v := range in.Lhs {
			ok = ok && !bad[v] && v.Type() != types.Typ[types.Invalid]
		}
		if ok {
			order = append(order, in)
		}
	}
	p.TypesInfo.InitOrder = order
}

// specs returns the declarations whose names are known.
func specs(p *packages.Package, list []ast.Spec, bad map[types.Object]bool) []ast.Spec {
	kept := list[:0:0]
	for _, s := range list {
		ok := true
		names := []*ast.Ident{}
		switch s := s.(type) {
		case *ast.ValueSpec:
			names = s.Names
		case *ast.TypeSpec:
			names = append(names, s.Name)
		}
		for _, n := range names {
			o := p.TypesInfo.Defs[n]
			ok = ok && (n.Name == "_" || o != nil)
		}
		if ok {
			kept = append(kept, s)
			continue
		}
		for _, n := range names {
			if o := p.TypesInfo.Defs[n]; o != nil {
				bad[o] = true
			}
		}
	}
	return kept
}
