package prog

import "strings"

// smallBody bounds the exported functions that are kept for the values they
// make alone.
const smallBody = 12

// Slim returns what importers of own need of it, given the packages that it
// imports: the functions that bear locks, call what they are given or what
// an interface holds, or make values, and what these refer to. Of a foreign
// package, of which there are many, nothing is needed when none of its
// functions bears a lock; then the result is nil.
func Slim(own *Package, deps []*Package, foreign bool) *Package {
	p := Link(append([]*Package{own}, deps...), nil)
	if foreign && !p.bearsAny(own) {
		return nil
	}
	inSight := map[string]bool{own.Path: true}
	for _, d := range deps {
		inSight[d.Path] = true
	}
	keep := map[string]bool{}
	mine := map[string]*Func{}
	for _, f := range own.Funcs {
		mine[f.Key] = f
	}
	var need func(key string)
	need = func(key string) {
		f := mine[key]
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
					need(m)
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
	open := p.open(own, inSight)
	for _, f := range own.Funcs {
		if p.bears[f.Key] || p.guards[f.Key] || p.takes[f.Key] || open[f.Key] || !foreign && f.Exported && f.Results > 0 && opCount(f.Body) <= smallBody {
			need(f.Key)
		}
	}
	for _, s := range own.Fields {
		mentions(s.Val, func(v *Val) {
			if v.Kind != VMethod {
				need(v.Str)
			}
		})
	}
	s := &Package{}
	*s = *own
	s.Funcs, s.Impls, s.Unknowns = nil, nil, nil
	for _, f := range own.Funcs {
		if keep[f.Key] {
			g := *f
			g.Consts = nil // only the package's own checks look at them
			s.Funcs = append(s.Funcs, &g)
		}
	}
	for _, m := range own.Impls {
		if keep[m.Func] || mine[m.Func] == nil {
			s.Impls = append(s.Impls, m)
		}
	}
	return s
}

func (p *Program) bearsAny(own *Package) bool {
	for _, f := range own.Funcs {
		if p.bears[f.Key] {
			return true
		}
	}
	return false
}

// open returns the functions of a package that call a method of an interface
// of the program, themselves or through others: what such a call does is
// known only to who sees the implementer.
func (p *Program) open(own *Package, inSight map[string]bool) map[string]bool {
	out := map[string]bool{}
	var work []string
	for _, f := range own.Funcs {
		visit(f.Body, func(o *Op) {
			if o.Kind == OpCall || o.Kind == OpGo {
				mentions(o.Val, func(v *Val) {
					if v.Kind == VMethod && inSight[home(v.Str)] && !out[f.Key] {
						out[f.Key] = true
						work = append(work, f.Key)
					}
				})
			}
		})
	}
	for len(work) > 0 {
		k := work[0]
		work = work[1:]
		for _, up := range p.callers[k] {
			if !out[up] {
				out[up] = true
				work = append(work, up)
			}
		}
	}
	return out
}

// home returns the package of a symbol pkg.T.M or pkg.F.
func home(symbol string) string {
	symbol, _, _ = strings.Cut(symbol, "|")
	slash := strings.LastIndexByte(symbol, '/') + 1
	pkg, _, _ := strings.Cut(symbol[slash:], ".")
	return symbol[:slash] + pkg
}

func opCount(ops []Op) int {
	n := 0
	visit(ops, func(*Op) { n++ })
	return n
}
