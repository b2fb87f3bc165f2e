package prog

// Slim returns what importers of the package at path need of the packages:
// the functions that bear locks, call what they are given, or make values
// that such functions use, and those that can be reached from path.
func Slim(pkgs []*Package, path string) []*Package {
	p := Link(pkgs, nil)
	keep := map[string]bool{}
	var need func(key string)
	need = func(key string) {
		f := p.Funcs[key]
		if f == nil || keep[key] {
			return
		}
		keep[key] = true
		refer := func(v *Val) {
			switch v.Kind {
			case VFunc, VClosure:
				need(v.Str)
			case VMethod:
				for _, m := range p.implementers(v) {
					if p.bears[m] {
						need(m)
					}
				}
			}
		}
		visit(f.Body, func(o *Op) {
			mentions(o.Val, refer)
			for _, a := range o.Args {
				mentions(a, refer)
			}
		})
	}
	for _, pkg := range pkgs {
		if pkg.Path != path {
			continue
		}
		for _, f := range pkg.Funcs {
			if p.bears[f.Key] || p.takes[f.Key] || f.Exported && len(f.Body) > 0 && len(f.Body) <= 6 {
				need(f.Key)
			}
		}
	}
	var out []*Package
	for _, pkg := range pkgs {
		s := &Package{Path: pkg.Path, Names: pkg.Names, Structs: pkg.Structs, Incomplete: pkg.Incomplete}
		for _, f := range pkg.Funcs {
			if keep[f.Key] || pkg.Path != path && p.bears[f.Key] {
				s.Funcs = append(s.Funcs, f)
			}
		}
		for _, m := range pkg.Impls {
			if keep[m.Func] || p.bears[m.Func] {
				s.Impls = append(s.Impls, m)
			}
		}
		s.Fields = pkg.Fields
		if len(s.Funcs) > 0 || len(s.Names) > 0 || len(s.Structs) > 0 {
			out = append(out, s)
		}
	}
	return out
}
