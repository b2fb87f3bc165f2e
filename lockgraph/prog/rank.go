package prog

import (
	"cmp"
	"hash/fnv"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// How much importers lose without a function, most first.
const (
	worthExplicit = iota // it reaches a lock that the code asks for
	worthRows            // it reaches what statements lock by themselves, or a connection
	worthLeaves          // it leaves the process
	worthMaybe           // it does so if an interface holds what it can hold
	worthHelper          // it calls what it is given, or what an interface holds
	worthValue           // it makes values
)

// Rank returns the functions of packages that import each other, those first
// that importers lose most without: explicit locks before those of rows, a
// function after those it calls, so that what is kept of a list is whole.
func Rank(pkgs []*Package) []string {
	p := Link(pkgs, nil)
	worth, height := p.worth(), p.heights()
	size := map[string]int{}
	for _, k := range p.keys {
		size[k] = opCount(p.Funcs[k].Body)
	}
	out := slices.Clone(p.keys)
	slices.SortStableFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(worth[a], worth[b]), cmp.Compare(height[a], height[b]), cmp.Compare(size[a], size[b]))
	})
	return out
}

// heights returns how many calls, one in the other, lie below each function.
func (p *Program) heights() map[string]int {
	out := map[string]int{}
	var height func(k string) int
	height = func(k string) int {
		if h, ok := out[k]; ok || p.Funcs[k] == nil {
			return h
		}
		out[k] = 0 // for one that calls itself
		h := 0
		values(p.Funcs[k].Body, func(v *Val) {
			mentions(v, func(v *Val) {
				if v.Kind != VMethod {
					h = max(h, height(v.Str)+1)
				}
			})
		})
		out[k] = h
		return h
	}
	for _, k := range p.keys {
		height(k)
	}
	return out
}

// worth returns what each function is worth to importers.
func (p *Program) worth() map[string]int {
	by := map[int][]string{} // worth → functions that have it by themselves
	callers, refers := map[string][]string{}, map[string][]string{}
	for _, k := range p.keys {
		own, asks := worthValue, p.guards[k]
		values(p.Funcs[k].Body, func(v *Val) {
			mentions(v, func(v *Val) {
				if v.Kind == VMethod {
					asks = true
				} else {
					callers[v.Str] = append(callers[v.Str], k)
					refers[k] = append(refers[k], v.Str)
				}
			})
		})
		visit(p.Funcs[k].Body, func(o *Op) { own = min(own, worthOf(o)) })
		if own > worthMaybe && p.bears[k] {
			own = worthMaybe
		} else if own > worthHelper && (asks || p.takes[k]) {
			own = worthHelper
		}
		by[own] = append(by[own], k)
	}
	out := map[string]int{}
	for w := worthExplicit; w <= worthValue; w++ {
		up := by[w] // what calls one of those that reach locks is worth as much
		var down []string
		for len(up) > 0 {
			k := up[len(up)-1]
			up = up[:len(up)-1]
			if _, done := out[k]; done {
				continue
			}
			out[k] = w
			down = append(down, refers[k]...)
			if w <= worthLeaves {
				up = append(up, callers[k]...)
			}
		}
		for len(down) > 0 { // what makes its keys and handles, or calls it back
			k := down[len(down)-1]
			down = down[:len(down)-1]
			f := p.Funcs[k]
			if _, done := out[k]; !done && f != nil && (p.takes[k] || opCount(f.Body) <= smallBody) {
				out[k] = w
				down = append(down, refers[k]...)
			}
		}
	}
	return out
}

// asksForLock finds the words by which a text asks for a lock.
var asksForLock = regexp.MustCompile(`(?i)for\s+(no\s+key\s+)?update|for\s+(key\s+)?share|pg_\w*advisory|lock\s+table|clause\.Locking`)

// worthOf returns how much an op by itself makes of its function.
func worthOf(o *Op) int {
	switch o.Kind {
	case OpOpen, OpEnd, OpSet:
		return worthRows
	case OpExternal:
		return worthLeaves
	case OpAcquire, OpRelease:
		switch {
		case o.Acq == nil || !o.Acq.Implicit && o.Acq.Family != lockgraph.Mutex:
			return worthExplicit
		case o.Acq.Family == lockgraph.Row || o.Acq.Family == lockgraph.Table && o.Acq.Mode != lockgraph.AccessShare:
			return worthRows
		}
	case OpSQL:
		if _, known := o.Val.AsText(); !known || len(o.Body) == 0 {
			if asksForLock.MatchString(o.Val.String()) {
				return worthExplicit
			}
			if !known {
				return worthRows
			}
		}
	}
	return worthValue
}

// Only returns the packages with the functions in keep, and what is stored in
// fields as far as it matters to these; with nothing in keep nothing but their
// names. What is left out and does something to locks is noted.
func Only(pkgs []*Package, keep map[string]bool) []*Package {
	p := Link(pkgs, nil)
	read := p.reads(pkgs, keep)
	var out []*Package
	for _, pkg := range pkgs {
		q := *pkg
		q.Funcs, q.Impls = nil, nil
		missing := pkg.missing()
		for _, f := range pkg.Funcs {
			if keep[f.Key] {
				q.Funcs = append(q.Funcs, f)
			} else if p.bears[f.Key] || p.guards[f.Key] || p.takes[f.Key] || p.asks(f) {
				missing[hashOf(f.Key)] = true
			}
		}
		for _, m := range pkg.Impls {
			if keep[m.Func] {
				q.Impls = append(q.Impls, m)
			}
		}
		if len(keep) == 0 {
			q.Structs, q.Names = nil, nil
		}
		q.setMissing(missing)
		p.stored(&q, pkg, func(field string, stores []FieldStore) bool { return read[field] || p.mayHold(stores, keep) })
		out = append(out, &q)
	}
	return out
}

// reads returns the fields and variables that the functions in keep read,
// themselves or through what is stored in those.
func (p *Program) reads(pkgs []*Package, keep map[string]bool) map[string]bool {
	n := &needs{p: p, read: map[string]bool{}}
	for k := range keep {
		if f := p.Funcs[k]; f != nil {
			values(f.Body, n.value)
		}
	}
	for before := -1; before < len(n.read); {
		before = len(n.read)
		for _, pkg := range pkgs {
			for _, s := range pkg.Fields {
				if n.read[s.Field] {
					n.value(s.Val)
				}
			}
		}
	}
	return n.read
}

// asks reports whether f calls a method of an interface.
func (p *Program) asks(f *Func) bool {
	found := false
	visit(f.Body, func(o *Op) {
		if o.Kind == OpCall || o.Kind == OpGo {
			mentions(o.Val, func(v *Val) { found = found || v.Kind == VMethod })
		}
	})
	return found
}

// Merge returns what either of two facts tells of one package.
func Merge(a, b *Package) *Package {
	out := *a
	out.Funcs = both(a.Funcs, b.Funcs, func(x, y *Func) int { return cmp.Compare(x.Key, y.Key) })
	out.Fields = both(a.Fields, b.Fields, func(x, y FieldStore) int {
		return cmp.Or(cmp.Compare(x.Field, y.Field), cmp.Compare(x.Func, y.Func), Compare(x.Val, y.Val))
	})
	out.Impls = both(a.Impls, b.Impls, func(x, y Impl) int {
		return cmp.Or(cmp.Compare(x.Method, y.Method), cmp.Compare(x.Type, y.Type), cmp.Compare(x.Func, y.Func), cmp.Compare(x.Sig, y.Sig))
	})
	if len(out.Structs) == 0 {
		out.Structs = b.Structs
	}
	missing := a.missing()
	maps.Copy(missing, b.missing())
	for _, f := range out.Funcs {
		delete(missing, hashOf(f.Key))
	}
	out.setMissing(missing)
	out.FieldsLeft = a.FieldsLeft && b.FieldsLeft
	return &out
}

// both joins two lists, with one of those that compare equal.
func both[T any](a, b []T, compare func(x, y T) int) []T {
	out := slices.Concat(a, b)
	slices.SortStableFunc(out, compare)
	return slices.CompactFunc(out, func(x, y T) bool { return compare(x, y) == 0 })
}

// hashBits bounds the hashes of functions that are missing: a function that
// shares one by chance counts as missing too.
const hashBits = 24

func hashOf(key string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(key))
	s := h.Sum32()
	return (s ^ s>>hashBits) & (1<<hashBits - 1)
}

// missing returns the hashes of the functions that a fact left out; Missing
// holds the distances between them, sorted, which are short.
func (pkg *Package) missing() map[uint32]bool {
	out := map[uint32]bool{}
	last := uint32(0)
	for _, gap := range pkg.Missing {
		last += gap
		out[last] = true
	}
	return out
}

func (pkg *Package) setMissing(hashes map[uint32]bool) {
	pkg.Missing = nil
	last := uint32(0)
	for _, h := range slices.Sorted(maps.Keys(hashes)) {
		pkg.Missing = append(pkg.Missing, h-last)
		last = h
	}
}

// isMissing reports whether a function does something to locks, but a fact
// had no room for it.
func (p *Program) isMissing(key string) bool {
	return len(p.missing) > 0 && p.Funcs[key] == nil && p.missing[hashOf(key)]
}

// untold reports whether a fact left out what is stored in a field.
func (p *Program) untold(field string) bool {
	return p.missing[hashOf(field)] || len(p.fields[field]) == 0 && p.partial[home(field)]
}

// leaveOut notes what facts have left out of packages. Of a field some of
// whose stores are left out nothing is known.
func (p *Program) leaveOut(pkgs []*Package) {
	p.missing, p.partial = map[uint32]bool{}, map[string]bool{}
	ours := map[string]bool{}
	for _, pkg := range pkgs {
		maps.Copy(p.missing, pkg.missing())
		if pkg.FieldsLeft {
			p.partial[pkg.Path] = true
		}
		for _, s := range pkg.Fields {
			ours[s.Field] = ours[s.Field] || home(s.Field) == pkg.Path
		}
	}
	for field := range p.fields {
		if p.missing[hashOf(field)] || p.partial[home(field)] && !ours[field] {
			delete(p.fields, field)
		}
	}
}

// Sizes returns how many bytes the functions take, each with those before it,
// in the compact form of one package.
func Sizes(pkgs []*Package, order []string) []int {
	e := newPacker()
	funcs := map[string]*Func{}
	for _, pkg := range pkgs {
		for _, f := range pkg.Funcs {
			funcs[f.Key] = f
		}
	}
	out := make([]int, len(order))
	for i, k := range order {
		e.value(&e.body, reflect.ValueOf(funcs[k]))
		out[i] = e.size()
	}
	return out
}
