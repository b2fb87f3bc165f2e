package prog

import (
	"slices"
	"strings"
)

// smallBody bounds the functions that are kept for the values they make
// alone.
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
	n := &needs{p: p, mine: map[string]*Func{}, keep: map[string]bool{}, read: map[string]bool{}}
	for _, f := range own.Funcs {
		n.mine[f.Key] = f
	}
	open := p.open(own, inSight)
	for _, f := range own.Funcs {
		if p.bears[f.Key] || p.guards[f.Key] || p.takes[f.Key] || open[f.Key] || !foreign && f.Exported && (f.Results > 0 && opCount(f.Body) <= smallBody || len(f.Left) > 0) {
			n.function(f.Key)
		}
	}
	s := &Package{}
	*s = *own
	for before := -1; before < len(n.keep)+len(n.read); {
		before = len(n.keep) + len(n.read)
		p.stored(s, own, func(field string, stores []FieldStore) bool {
			return n.read[field] || p.mayHold(stores, n.keep) || (home(field) != own.Path || exportedField(field)) && slices.ContainsFunc(stores, tells)
		})
		for _, x := range s.Fields {
			n.value(x.Val)
		}
	}
	s.Funcs, s.Impls, s.Unknowns = nil, nil, nil
	for _, f := range own.Funcs {
		if n.keep[f.Key] {
			g := *f
			g.Consts = nil // only the package's own checks look at them
			s.Funcs = append(s.Funcs, &g)
		}
	}
	for _, m := range own.Impls {
		if n.keep[m.Func] || n.mine[m.Func] == nil && p.Funcs[m.Func] != nil {
			s.Impls = append(s.Impls, m)
		}
	}
	return s
}

// A needs finds what functions need of their package.
type needs struct {
	p    *Program
	mine map[string]*Func
	keep map[string]bool // functions
	read map[string]bool // fields and variables
}

func (n *needs) function(key string) {
	f := n.mine[key]
	if f == nil || n.keep[key] {
		return
	}
	n.keep[key] = true
	values(f.Body, n.value)
	for _, s := range f.Sets {
		n.value(s.Val)
	}
	for _, s := range f.Left {
		n.value(s.Val)
	}
}

func (n *needs) value(v *Val) {
	if v == nil {
		return
	}
	switch v.Kind {
	case VFunc, VClosure:
		n.function(v.Str)
	case VSet:
		n.function(v.setter())
	case VMethod:
		for _, m := range n.p.implementers(v) {
			n.function(m)
		}
	case VField, VGlobal:
		n.read[v.Str] = true
	}
	for _, o := range v.Of {
		n.value(o)
	}
}

// values calls fn for the values of ops.
func values(ops []Op, fn func(*Val)) {
	visit(ops, func(o *Op) {
		fn(o.Conn)
		fn(o.Val)
		fn(o.Use.CtxVal)
		for _, a := range o.Args {
			fn(a)
		}
		for _, a := range o.Arms {
			fn(a.Guard)
		}
		if o.Acq != nil {
			for _, k := range o.Acq.Key {
				fn(k)
			}
			for _, c := range o.Acq.Row {
				fn(c.Val)
			}
		}
	})
}

// stored puts into to what pkg stores in the fields that are needed, and notes
// which of the others importers could ask for. Of one that many places store
// in it is not known what it holds; only stores that may keep a connection are
// of use then.
func (p *Program) stored(to, pkg *Package, needed func(field string, stores []FieldStore) bool) {
	missing := to.missing()
	to.Fields, to.FieldsLeft = nil, pkg.FieldsLeft
	for i := 0; i < len(pkg.Fields); {
		field, from := pkg.Fields[i].Field, i
		for i < len(pkg.Fields) && pkg.Fields[i].Field == field {
			i++
		}
		stores, ours := pkg.Fields[from:i], home(field) == pkg.Path
		switch {
		case needed(field, stores):
			if len(stores) <= maxStores {
				to.Fields = append(to.Fields, stores...)
				continue
			}
			missing[hashOf(field)] = true
			for _, s := range stores {
				if hasResult(s.Val) && p.bears[s.Func] {
					to.Fields = append(to.Fields, s)
				}
			}
		case !ours:
			missing[hashOf(field)] = true
		case exportedField(field):
			to.FieldsLeft = true
		}
	}
	to.setMissing(missing)
}

// mayHold reports whether a function in keep may leave a connection in a
// field by one of the stores.
func (p *Program) mayHold(stores []FieldStore, keep map[string]bool) bool {
	return slices.ContainsFunc(stores, func(s FieldStore) bool { return keep[s.Func] && p.bears[s.Func] && hasResult(s.Val) })
}

func hasResult(v *Val) bool {
	return v != nil && (v.Kind == VResult || v.Kind == VConn || slices.ContainsFunc(v.Of, hasResult))
}

// tells reports whether a store tells more than where its value comes from.
func tells(s FieldStore) bool { return tellsOf(s.Val) }

func tellsOf(v *Val) bool {
	if v == nil {
		return false
	}
	switch v.Kind {
	case VFunc, VClosure, VMethod, VIface, VHandle, VConn, VMod:
		return true
	case VConst:
		return v.Str != "nil" && !strings.HasPrefix(v.Str, "b:")
	}
	for _, o := range v.Of {
		if tellsOf(o) {
			return true
		}
	}
	return false
}

// exportedField reports whether other packages can name a field or variable.
func exportedField(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return last != "" && strings.ToUpper(last[:1]) == last[:1]
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
