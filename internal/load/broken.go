package load

import (
	"go/ast"
	"go/types"
	"strings"

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
	invalid := func(t types.Type) bool { return !valid(t) }
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if o := p.TypesInfo.ObjectOf(n); o != nil {
				ok = ok && (typeless(o) || !invalid(o.Type()))
			} else if n.Name != "_" && ast.IsExported(n.Name) {
				ok = false
			}
		case *ast.SelectorExpr:
			ok = ok && p.TypesInfo.ObjectOf(n.Sel) != nil
		case *ast.TypeAssertExpr:
			ok = ok && (n.Type == nil || !invalid(p.TypesInfo.TypeOf(n))) // x.(type) of a switch has none
		case *ast.CallExpr, *ast.CompositeLit, *ast.FuncLit, *ast.BinaryExpr, *ast.IndexExpr, *ast.StarExpr, *ast.UnaryExpr:
			ok = ok && !invalid(p.TypesInfo.TypeOf(n.(ast.Expr)))
		}
		return ok
	})
	return ok
}

// typeless reports an object that never has a type: a package, a label, a
// function of the language.
func typeless(o types.Object) bool {
	switch o.(type) {
	case *types.PkgName, *types.Label, *types.Builtin:
		return true
	}
	return strings.HasPrefix(o.Name(), unknownName)
}

// gut takes out of a package's syntax what has no type: such declarations,
// and initial values of such variables. The bodies of functions are mended,
// or taken out too where that is not asked for or does not do.
func gut(p *packages.Package, mend bool) {
	bad := map[types.Object]bool{} // declarations without a type
	m := newMender(p)
	for _, f := range p.Syntax {
		kept := f.Decls[:0:0]
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok {
				kept = append(kept, d)
				continue
			}
			fn, _ := p.TypesInfo.Defs[fd.Name].(*types.Func)
			if fd.Name.Name != "_" && fn == nil || !mend && !typed(p, fd.Type) || fd.Recv != nil && !typed(p, fd.Recv) {
				continue
			}
			if fd.Body != nil && (!typed(p, fd.Body) || !typed(p, fd.Type)) {
				if mend && fn != nil {
					m.body(fd.Body, fn.Signature())
				}
				if !mend || !typed(p, fd.Body) {
					fd.Body = nil
				}
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
	if len(m.decl.Specs) > 0 {
		p.Syntax[0].Decls = append(p.Syntax[0].Decls, m.decl)
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
