package docgen

import (
	"path"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// A book is a manifest opened for writing about it: short names for the
// functions it speaks of, labels for its classes, and what the wording of
// one place needs to know of all others.
type book struct {
	m       *lockgraph.Manifest
	opts    Options
	classes map[string]*lockgraph.Class
	labels  map[string]string // class id → how prose calls it
	short   map[string]string // full symbol → how prose calls it
	modes   map[string][]string
	queries map[string]bool
	sqlfunc map[string]bool
	sites   map[string][]*lockgraph.Acquisition

	kindList  []*txKind
	plainKind map[string]bool
	own       map[string]bool    // class, mode and taker of locks that statements take by themselves
	trees     [][]lockgraph.Step // what each path does, folded
	routines  []lockgraph.Path   // what SQL functions do that several paths run
	shared    map[string][]sequence
	runners   map[string][]string
	ends      map[string][]string // class id → what ends waits for it
}

func newBook(m *lockgraph.Manifest, opts Options) *book {
	if opts.MaxNodes == 0 {
		opts.MaxNodes = 30
	}
	b := &book{
		m: m, opts: opts,
		classes: map[string]*lockgraph.Class{},
		labels:  map[string]string{},
		modes:   map[string][]string{},
		queries: map[string]bool{},
		sqlfunc: map[string]bool{},
		sites:   map[string][]*lockgraph.Acquisition{},
		own:     map[string]bool{},
	}
	for i := range m.Classes {
		b.classes[m.Classes[i].ID] = &m.Classes[i]
	}
	for i := range m.Acquisitions {
		a := &m.Acquisitions[i]
		b.sites[a.Class] = append(b.sites[a.Class], a)
		if a.Query != "" {
			b.queries[a.Query] = true
		}
		for _, f := range a.SQLFunc {
			b.sqlfunc[f] = true
		}
		b.addMode(a.Class, a.Mode)
		for _, taker := range takersOf(a) {
			k := a.Class + "\x00" + a.Mode + "\x00" + taker
			own, seen := b.own[k]
			b.own[k] = a.Implicit && (own || !seen)
		}
	}
	for _, p := range m.Paths {
		eachLock(p.Steps, func(s *lockgraph.Step) { b.addMode(s.Class, s.Mode) })
	}
	b.short = shortNames(symbols(m))
	b.label()
	for i := range m.Paths {
		b.trees = append(b.trees, b.fold(m.Paths[i].Steps, false))
	}
	b.routines = b.findRoutines()
	return b
}

// takersOf are the names under which a step of a path can mention a place.
func takersOf(a *lockgraph.Acquisition) []string {
	if n := len(a.SQLFunc); n > 0 {
		return a.SQLFunc[n-1:]
	}
	if a.Query != "" {
		return []string{a.Query}
	}
	return []string{a.Func, lastName(enclosing(a.Func))}
}

func (b *book) addMode(class, mode string) {
	if !slices.Contains(b.modes[class], mode) {
		b.modes[class] = append(b.modes[class], mode)
		slices.Sort(b.modes[class])
	}
}

// eachLock visits the lock steps of a tree in execution order.
func eachLock(steps []lockgraph.Step, visit func(*lockgraph.Step)) {
	for i := range steps {
		s := &steps[i]
		if s.Do == "lock" {
			visit(s)
		}
		eachLock(s.Steps, visit)
		for j := range s.Arms {
			eachLock(s.Arms[j].Steps, visit)
		}
	}
}

func eachStep(steps []lockgraph.Step, visit func(*lockgraph.Step)) {
	for i := range steps {
		visit(&steps[i])
		eachStep(steps[i].Steps, visit)
		for j := range steps[i].Arms {
			eachStep(steps[i].Arms[j].Steps, visit)
		}
	}
}

// symbols lists every Go symbol that the page may have to name.
func symbols(m *lockgraph.Manifest) []string {
	seen := map[string]bool{}
	add := func(names ...string) {
		for _, n := range names {
			if n != "" {
				seen[n] = true
			}
		}
	}
	for _, a := range m.Acquisitions {
		add(a.Func)
	}
	for _, e := range m.Edges {
		for _, f := range e.Witness {
			add(f.Func)
		}
	}
	for _, p := range m.Paths {
		add(p.Entry)
		add(p.ReachedBy...)
		eachStep(p.Steps, func(s *lockgraph.Step) {
			add(s.Entry, s.Kind)
			add(s.By...)
		})
	}
	for _, r := range m.Rules {
		add(r.Exceptions...)
		add(r.Kind)
	}
	for _, d := range m.Differences {
		add(d.Funcs...)
	}
	for _, f := range m.Findings {
		add(f.Func)
		for _, r := range f.Related {
			add(r.Func)
		}
	}
	for _, u := range m.Unknowns {
		add(u.Func)
	}
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

var closure = lazyregexp.New(`(\$\d+)+$`)

// enclosing is the function that holds a closure.
func enclosing(full string) string {
	if !strings.Contains(full, "$") {
		return full
	}
	return closure.ReplaceAllString(full, "")
}

// A symbol in parts: import path, receiver type, name.
type symbol struct{ pkg, recv, name string }

// parseSymbol reads "path/pkg.(*T).M$1" and its simpler forms. Closures are
// named by the function that holds them: a reader looks for that one.
func parseSymbol(full string) (symbol, bool) {
	full = enclosing(full)
	if strings.ContainsAny(full, " \t") {
		return symbol{}, false
	}
	dir, last := "", full
	if i := strings.LastIndexByte(full, '/'); i >= 0 {
		dir, last = full[:i+1], full[i+1:]
	}
	pkg, rest, ok := strings.Cut(last, ".")
	if !ok {
		return symbol{name: last}, dir == ""
	}
	s := symbol{pkg: dir + pkg, name: rest}
	if strings.HasPrefix(rest, "(") {
		if recv, name, ok := strings.Cut(rest, ")."); ok {
			s.recv, s.name = strings.TrimLeft(recv, "(*"), name
		}
	} else if recv, name, ok := strings.Cut(rest, "."); ok {
		s.recv, s.name = recv, name
	}
	return s, s.name != ""
}

// forms are the ways to write a symbol, shortest first.
func (s symbol) forms() []string {
	switch {
	case s.pkg == "":
		return []string{s.name}
	case s.recv != "":
		return []string{s.recv + "." + s.name, path.Base(s.pkg) + "." + s.recv + "." + s.name, s.pkg + "." + s.recv + "." + s.name}
	}
	return []string{path.Base(s.pkg) + "." + s.name, s.pkg + "." + s.name}
}

// shortNames gives every symbol the shortest form that no other symbol
// shares. Symbols that differ only in the closure share their name.
func shortNames(all []string) map[string]string {
	meaning := map[string]map[symbol]bool{}
	parsed := map[string]symbol{}
	for _, full := range all {
		s, ok := parseSymbol(full)
		if !ok {
			continue
		}
		parsed[full] = s
		for _, f := range s.forms() {
			if meaning[f] == nil {
				meaning[f] = map[symbol]bool{}
			}
			meaning[f][s] = true
		}
	}
	out := map[string]string{}
	for full, s := range parsed {
		forms := s.forms()
		out[full] = forms[len(forms)-1]
		for _, f := range forms {
			if len(meaning[f]) == 1 {
				out[full] = f
				break
			}
		}
	}
	return out
}

// fn is the short name of a function, as prose writes it, without quotes.
func (b *book) fn(full string) string {
	if s, ok := b.short[full]; ok {
		return s
	}
	return full
}

// code writes a name as a Markdown code span. Spaces mark names that are
// titles already ("migration 0007_name").
func code(name string) string {
	if rest, ok := strings.CutPrefix(name, "migration "); ok {
		return "migration " + code(rest)
	}
	for _, kind := range []string{"sql ", "function "} {
		if rest, ok := strings.CutPrefix(name, kind); ok {
			return code(rest)
		}
	}
	if strings.Contains(name, "`") {
		return "`` " + name + " ``"
	}
	return "`" + name + "`"
}

func (b *book) fnCode(full string) string { return code(b.fn(full)) }

// pkgOf is the import path a symbol lies in, "" when it lies in none.
func pkgOf(full string) string {
	s, ok := parseSymbol(full)
	if !ok {
		return ""
	}
	return s.pkg
}

// list joins words as English does and counts what it leaves out.
func list(words []string, most int) string {
	if most > 0 && len(words) > most+1 {
		return strings.Join(words[:most], ", ") + " and " + plural(len(words)-most, "more", "more")
	}
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// codes turns names into sorted, distinct code spans.
func codes(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	for i, n := range names {
		names[i] = code(n)
	}
	return names
}
