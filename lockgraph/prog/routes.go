package prog

import (
	"slices"
	"sort"
	"strings"
)

// A Route is a function that a program is entered by, under the name of what
// enters it (On and Fn are set), or one router under another (On and To).
// Routers, and commands, are known by where they are kept.
type Route struct {
	On   string // what it is registered on, "" nothing
	Kind string // http, command, cron, task …
	Name string // of a path or a command, of On's part of a path
	To   string // the router below On
	Fn   *Val   // the function, or a parameter of In
	Made bool   // Fn makes the function
	In   string // the function that registers its parameter
	Path *Val   // the name, where it is made of parameters of In
	Verb string // the method before it, if that is known
}

// SameRouter is the kind of a Route that says that On and To are one router.
const SameRouter = "same"

// Handed says of an OpGo that the function is handed to what calls it later.
const Handed = "handed"

// maxRouters bounds the routers between one and the outermost, and the names
// that one has; maxClimbs the routers that are looked at for them.
const (
	maxRouters = 6
	maxClimbs  = 1000
)

// routes are the names of what a program is entered by.
type routes struct {
	entries map[string][]Route  // by function
	above   map[string][]Route  // by the router below
	names   map[string]string   // of commands
	made    map[string]bool     // functions that only make what is registered
	same    map[string]string   // names of one router, each to another of them
	known   map[string][]string // what prefixes has told of a router
	left    int                 // of maxClimbs
}

// one returns the name that stands for all of a router's.
func (r *routes) one(name string) string {
	for r.same[name] != "" {
		name = r.same[name]
	}
	return name
}

func (p *Program) routesOf(pkgs []*Package) *routes {
	r := &routes{entries: map[string][]Route{}, above: map[string][]Route{}, names: map[string]string{}, made: map[string]bool{}, same: map[string]string{}, known: map[string][]string{}}
	for _, pkg := range pkgs {
		for _, e := range pkg.Routes {
			if a, b := r.one(e.On), r.one(e.To); e.Kind == SameRouter && a != b {
				r.same[b] = a
			}
		}
	}
	given := map[string][]Route{} // by the function that registers its parameter
	for _, pkg := range pkgs {
		for _, e := range pkg.Routes {
			switch {
			case e.Kind == SameRouter:
			case e.To != "":
				to := r.one(e.To)
				r.above[to] = append(r.above[to], e)
			case e.Fn == nil:
				r.names[r.one(e.On)] = e.Name
			case e.Fn.Kind == VParam:
				given[e.In] = append(given[e.In], e)
			default:
				p.enter(r, e)
			}
		}
	}
	for depth := 0; len(given) > 0 && depth < maxRouters; depth++ {
		given = p.handedOn(r, given)
	}
	return r
}

// enter notes the functions of a route.
func (p *Program) enter(r *routes, e Route) {
	if e.Kind == "http" && e.Name != "" && strings.Trim(e.Name, " …") == "" {
		return // nothing is known of it
	}
	for _, k := range p.handlers(e) {
		r.entries[k] = append(r.entries[k], e)
		r.made[k] = r.made[k] || e.Made
	}
}

// handedOn notes what the callers of functions that register their parameters
// give them, and returns those that are given it by their callers in turn.
func (p *Program) handedOn(r *routes, given map[string][]Route) map[string][]Route {
	up := map[string][]Route{}
	for _, k := range p.keys {
		f := p.Funcs[k]
		visit(f.Body, func(o *Op) {
			if o.Kind != OpCall && o.Kind != OpGo || o.Val == nil {
				return
			}
			for _, callee := range p.called(o.Val) {
				for _, e := range given[callee] {
					p.give(r, up, e, f, o)
				}
			}
		})
	}
	return up
}

// called returns the functions that a value called is.
func (p *Program) called(v *Val) []string {
	switch v.Kind {
	case VFunc, VClosure:
		return []string{v.Str}
	case VMethod:
		return p.implementers(v)
	}
	return nil
}

// give applies a route to the arguments of a call.
func (p *Program) give(r *routes, up map[string][]Route, e Route, f *Func, o *Op) {
	i := atoi(e.Fn.Str)
	if i >= len(o.Args) {
		return
	}
	if e.Path != nil {
		e.Path = e.Path.with(o.Args)
		e.Name = e.Verb + PathText(e.Path)
	}
	for _, fn := range p.functionsIn(f, o.Args[i], 0) {
		e.Fn = fn
		if fn.Kind == VParam {
			e.In = f.Key
			up[f.Key] = append(up[f.Key], e)
			continue
		}
		p.enter(r, e)
	}
}

// functionsIn returns the functions that an argument is, or that the call
// which makes it is given.
func (p *Program) functionsIn(f *Func, v *Val, depth int) []*Val {
	switch v.Kind {
	case VFunc, VMethod, VParam:
		return []*Val{v}
	case VClosure: // and what it calls in turn
		return append([]*Val{v}, Captured(v)...)
	case VIface:
		if k := p.method(v.Str, "ServeHTTP"); k != "" {
			return []*Val{New(VFunc, k)}
		}
		return p.functionsIn(f, v.Of[0], depth+1)
	case VResult:
		id, _ := splitResult(v.Str)
		made := p.op(f, id)
		if made == nil || depth > 4 {
			return nil
		}
		var out []*Val
		for _, a := range made.Args {
			out = append(out, p.functionsIn(f, a, depth+1)...)
		}
		return out
	}
	return nil
}

// Captured returns the parameters that a closure captures.
func Captured(v *Val) []*Val {
	var out []*Val
	for _, o := range v.Of {
		if o = bare(o); o != nil && o.Kind == VParam {
			out = append(out, o)
		}
	}
	return out
}

// with returns v with parameters replaced by arguments.
func (v *Val) with(args []*Val) *Val {
	if v.Kind == VParam {
		if i := atoi(v.Str); i < len(args) && args[i] != nil {
			return args[i]
		}
		return v
	}
	out := &Val{Kind: v.Kind, Str: v.Str}
	for _, o := range v.Of {
		out.Of = append(out.Of, o.with(args))
	}
	return out
}

// PathText returns the text of a path; a part that is not known is "…", and
// nothing at its beginning.
func PathText(v *Val) string {
	if s, ok := v.AsText(); ok {
		return s
	}
	if v.Kind != VConcat {
		return "…"
	}
	var b strings.Builder
	for _, o := range v.Of {
		s := PathText(o)
		if s == "…" && strings.TrimSpace(b.String()) == "" {
			continue
		}
		b.WriteString(s)
	}
	return b.String()
}

// handlers returns the functions that are entered; of one that makes the
// function, that one and what it holds.
func (p *Program) handlers(e Route) []string {
	var keys []string
	switch e.Fn.Kind {
	case VFunc, VClosure:
		keys = []string{e.Fn.Str}
	case VMethod:
		head, _, _ := strings.Cut(e.Fn.Str, "|")
		at := strings.LastIndexByte(head, '.')
		if k := p.method(head[:at], head[at+1:]); k != "" { // of a type, not of an interface
			keys = []string{k}
		} else {
			keys = p.implementers(e.Fn)
		}
	}
	if !e.Made {
		return keys
	}
	out := slices.Clone(keys)
	for _, k := range p.keys {
		if f := p.Funcs[k]; f.Parent != "" && slices.Contains(out, f.Parent) {
			out = append(out, k)
		}
	}
	return out
}

// named returns the names under which a function is entered, sorted.
func (r *routes) named(key string) []string {
	var out []string
	for _, e := range r.entries[key] {
		for _, prefix := range r.prefixes(e.On) {
			if n := e.text(prefix); !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	sort.Strings(out)
	return out
}

// prefixes returns what stands before the names of a router.
func (r *routes) prefixes(on string) []string {
	out, ok := r.known[on]
	if !ok {
		r.left = maxClimbs
		if out = r.before(on, map[string]bool{}); len(out) == 0 {
			out = []string{""}
		}
		r.known[on] = out
	}
	return out
}

// before returns the same, without what is reached by going round in circles.
// Where there are too many ways, any part may stand before.
func (r *routes) before(on string, seen map[string]bool) []string {
	on = r.one(on)
	seen[on] = true
	defer delete(seen, on)
	above := r.above[on]
	if i := strings.LastIndexByte(on, '#'); len(above) == 0 && strings.HasPrefix(on, "parameter ") && i > 0 { // of whatever implements the method
		method := on[strings.LastIndexByte(on[:i], '.')+1:]
		above = r.above["parameter ."+method]
	}
	if len(above) == 0 || len(seen) > maxRouters {
		return []string{""}
	}
	if r.left--; r.left < 0 {
		return []string{"…"}
	}
	var out []string
	for _, up := range above {
		if seen[r.one(up.On)] {
			if up.Kind == "http" && up.Name != "" { // a router of the program's own around another: any part may stand before
				return []string{"…"}
			}
			continue
		}
		for _, prefix := range r.before(up.On, seen) {
			if up.Kind == "command" {
				prefix = joinWords(prefix, r.names[r.one(up.On)])
			}
			prefix = joinPath(up.Kind, prefix, up.Name)
			if len(out) < maxRouters && !slices.Contains(out, prefix) {
				out = append(out, prefix)
			}
		}
	}
	return out
}

// text returns the name of an entry below a prefix.
func (e Route) text(prefix string) string {
	switch e.Kind {
	case "http":
		verb, path, ok := strings.Cut(e.Name, " ")
		if !ok {
			verb, path = "", e.Name
		}
		return strings.TrimSpace(verb + " " + joinPath(e.Kind, prefix, path))
	case "command":
		return "command " + joinWords(prefix, e.Name)
	}
	return strings.TrimSpace(e.Kind + " " + e.Name)
}

func joinWords(a, b string) string { return strings.TrimSpace(a + " " + b) }

// joinPath puts a path under another; a prefix "-/x" is one that is cut off
// before.
func joinPath(kind, a, b string) string {
	if kind == "command" || kind == "" {
		return joinWords(a, b)
	}
	if cut, ok := strings.CutPrefix(b, "-"); ok {
		return strings.TrimSuffix(a, strings.TrimSuffix(cut, "/"))
	}
	a = strings.TrimSuffix(strings.TrimSuffix(a, "*"), "/")
	if b == "" || b == "/" && a != "" {
		return a
	}
	if !strings.HasPrefix(b, "/") {
		b = "/" + b
	}
	return a + b
}

// ReachedBy returns what reaches a function, sorted, at most limit: the names
// of what the program is entered by, and the functions on the way. Above a
// function that has such a name only those are told that call it by
// themselves, not what registers it.
func (p *Program) ReachedBy(key string, limit int) []string {
	seen := map[string]bool{key: true}
	work := []string{key}
	var out, found, spawned []string
	for len(work) > 0 && len(out) < limit {
		k := work[0]
		work = work[1:]
		names := p.routes.named(k)
		for _, n := range names {
			if len(found) < limit && !slices.Contains(found, n) {
				found = append(found, n)
			}
		}
		if p.routes.made[k] {
			continue
		}
		for _, up := range p.callers[k] {
			if seen[up] || len(names) > 0 && !p.direct[up+"\x00"+k] {
				continue
			}
			if p.spawns[up+"\x00"+k] {
				spawned = append(spawned, "goroutine of "+up)
			}
			seen[up] = true
			out = append(out, up)
			work = append(work, up)
		}
	}
	if len(found) == 0 {
		found = spawned
	}
	out = append(out, found...)
	sort.Strings(out)
	return slices.Compact(out)
}
