package docgen

import (
	"path"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// maxPath is how many lines a path may fill before it is told more tightly.
const maxPath = 12

// maxWhole is how many lines the most tightly told path may fill before what
// lies deep in it is cut, and maxCut how many may be left then.
const (
	maxWhole = 2 * maxPath
	maxCut   = maxPath + maxPath/2
)

// maxPaths is how many paths a page tells in the open; of more, each part is
// folded away under its heading, and each path is told in few lines.
const maxPaths = 200

// paths writes the order in which each path takes its locks.
func (b *book) paths() string {
	if len(b.m.Paths) == 0 {
		return wrap("No path takes a lock.", "", "")
	}
	var w strings.Builder
	w.WriteString(wrap("Each path lists its locks in the order it takes them. A lock is held until the transaction"+
		" that took it ends, unless something else is said; \"already held\" and \"again\" mark one that the same transaction has taken before."+
		" Rows that a statement locks by itself are told where they are locked first."+
		" Of the implementations of an interface, those that lock are told.", "", ""))
	w.WriteString(b.kinds())
	groups := b.groups()
	many := len(b.m.Paths) > maxPaths
	for _, g := range groups {
		tales := b.tales(g)
		text := strings.Join(tales, "")
		if many {
			text = folded(plural(len(tales), "item", "items"), "\n"+text)
		}
		w.WriteString("\n### " + g.name + "\n\n" + text)
	}
	return w.String()
}

// sqlFunctions is the heading of what SQL functions take.
const sqlFunctions = "SQL functions"

type group struct {
	name  string
	home  string // the package the name tells, if any
	named bool   // the team gave the name
	paths []*told
}

// A told is a path, or an SQL function, as the page tells it.
type told struct {
	entry     string
	reachedBy []string
	steps     []lockgraph.Step
}

// groups sorts the paths under the name the team gave, else their package.
func (b *book) groups() []group {
	var out []group
	add := func(p *lockgraph.Path, steps []lockgraph.Step) {
		name, home := b.groupOf(p)
		j := slices.IndexFunc(out, func(g group) bool { return g.name == name })
		if j < 0 {
			j = len(out)
			out = append(out, group{name: name, home: home, named: p.Group != "" && p.Group != sqlFunctions})
		}
		out[j].paths = append(out[j].paths, &told{p.Entry, p.ReachedBy, steps})
	}
	for i := range b.m.Paths {
		if !b.within(i) {
			add(&b.m.Paths[i], b.trees[i])
		}
	}
	for i := range b.routines {
		add(&b.routines[i], b.routines[i].Steps)
	}
	rank := func(g group) int {
		switch {
		case g.name == "Migrations":
			return 3
		case g.name == sqlFunctions:
			return 2
		case g.home != "" && g.home != b.m.Module && !strings.HasPrefix(g.home, b.m.Module+"/"):
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(x, y group) int {
		if r := rank(x) - rank(y); r != 0 {
			return r
		}
		return strings.Compare(strings.Trim(x.name, "`"), strings.Trim(y.name, "`"))
	})
	for _, g := range out {
		slices.SortStableFunc(g.paths, func(x, y *told) int {
			return strings.Compare(lastWord(b.fn(x.entry))+" "+x.entry, lastWord(b.fn(y.entry))+" "+y.entry)
		})
	}
	return out
}

// within reports whether a path is a function literal whose locks the path of
// the function around it tells.
func (b *book) within(i int) bool {
	outer := enclosing(b.m.Paths[i].Entry)
	if outer == b.m.Paths[i].Entry {
		return false
	}
	keys := b.shareKeys(b.trees[i])
	var holds func(steps []lockgraph.Step) bool
	holds = func(steps []lockgraph.Step) bool {
		all := b.shareKeys(steps)
		for at := range all {
			if len(keys) <= len(all)-at && slices.Equal(keys, all[at:at+len(keys)]) {
				return true
			}
		}
		return slices.ContainsFunc(steps, func(s lockgraph.Step) bool {
			return holds(s.Steps) || slices.ContainsFunc(s.Arms, func(a lockgraph.Arm) bool { return holds(a.Steps) })
		})
	}
	j := slices.IndexFunc(b.m.Paths, func(p lockgraph.Path) bool { return p.Entry == outer })
	return j >= 0 && holds(b.trees[j])
}

// groupOf is the heading under which a path stands, and the package that
// the heading names.
func (b *book) groupOf(p *lockgraph.Path) (name, home string) {
	switch {
	case p.Group != "":
		return p.Group, ""
	case strings.HasPrefix(p.Entry, "migration "):
		return "Migrations", ""
	case strings.HasPrefix(p.Entry, "sql "), strings.HasPrefix(p.Entry, "function "):
		return sqlFunctions, ""
	}
	pkg := pkgOf(p.Entry)
	if rel, ok := strings.CutPrefix(pkg, b.m.Module+"/"); ok {
		return code(rel), pkg
	}
	if pkg == "" || pkg == b.m.Module {
		return code(moduleName(b.m.Module)), pkg
	}
	return code(pkg), pkg
}

var majorVersion = lazyregexp.New(`/v[0-9]+$`)

// moduleName is the last element of a module's path, without its version.
func moduleName(module string) string { return path.Base(majorVersion.ReplaceAllString(module, "")) }

// A tale is what one path does, or several that do the same.
type tale struct {
	names []string
	by    []string // what reaches them
	key   string
	body  func(head string) string
	fresh []string // the rows it inserts, where it locks nothing else
	parts []*tale  // of the function literals of one function, where there are several
}

// tales tells the paths of a group; those that do the same are told once, and
// those that only insert rows in one item.
func (b *book) tales(g group) []string {
	var usual []string
	if g.named {
		usual = b.usual(g.paths)
	}
	var tales []*tale
	for _, p := range g.paths {
		t := b.tale(g, p, usual)
		i := slices.IndexFunc(tales, func(x *tale) bool { return x.key == t.key })
		if i < 0 {
			tales = append(tales, t)
			continue
		}
		tales[i].names = once(tales[i].names, t.names[0])
		tales[i].by = append(tales[i].by, t.by...)
	}
	word := ", reached by "
	if g.name == sqlFunctions {
		word = ", run by "
	}
	var out, inserts []string
	for _, t := range tales {
		if len(t.fresh) > 0 {
			inserts = append(inserts, list(t.names, 0)+" ("+list(t.fresh, 4)+")")
		}
	}
	for _, t := range literals(tales) {
		if len(t.fresh) > 0 && len(inserts) > 1 {
			continue
		}
		slices.Sort(t.by)
		t.by = slices.DeleteFunc(slices.Compact(t.by), func(by string) bool { return slices.Contains(t.names, by) })
		head := list(t.names, 0)
		if len(t.by) > 0 {
			head += word + list(t.by, 4)
		}
		out = append(out, t.body(head))
	}
	if len(inserts) > 1 {
		out = append(out, wrap("These only insert rows, which nobody else can lock before they are committed: "+list(inserts, 0)+".", "- ", "  "))
	}
	return out
}

// literals joins the tales of several function literals of one function.
func literals(tales []*tale) []*tale {
	var out []*tale
	for _, t := range tales {
		i := slices.IndexFunc(out, func(o *tale) bool { return slices.Equal(o.names, t.names) })
		if i < 0 {
			out = append(out, &tale{names: t.names, by: t.by, fresh: t.fresh, body: t.body})
			continue
		}
		o := out[i]
		if len(o.parts) == 0 {
			o.parts = []*tale{{body: o.body}}
		}
		o.parts, o.by, o.fresh = append(o.parts, t), append(o.by, t.by...), nil
		o.body = func(head string) string {
			text := wrap(head+", in "+thousands(len(o.parts))+" places:", "- ", "  ")
			for n, part := range o.parts {
				name := "In another"
				if n == 0 {
					name = "In one"
				}
				text += "  " + strings.ReplaceAll(strings.TrimSuffix(part.body(name), "\n"), "\n", "\n  ") + "\n"
			}
			return text
		}
	}
	return out
}

func (b *book) tale(g group, p *told, usual []string) *tale {
	steps := b.told(p.entry, b.share(p.entry, p.steps))
	if g.name == sqlFunctions {
		steps = withoutCaller(steps)
	}
	t := newTeller(b, p.entry, steps)
	t.home = g.home
	if g.name == sqlFunctions {
		t.outside = nil // a function works in the transaction of its statement
	}
	var lacks []string
	if len(steps) > 0 {
		lacks = b.lacks(p.entry, steps, usual)
	}
	return &tale{
		names: []string{code(t.fn(p.entry))}, by: b.reachers(p.reachedBy), key: t.body("", steps, 120), fresh: t.onlyNew(steps),
		body: func(head string) string { return without(t.fit(head, steps), "", lacks) },
	}
}

// withoutCaller leaves out that an SQL function works in the transaction of
// its statement.
func withoutCaller(steps []lockgraph.Step) []lockgraph.Step {
	var out []lockgraph.Step
	for _, s := range steps {
		s.Steps = withoutCaller(s.Steps)
		s.Arms = slices.Clone(s.Arms)
		for j := range s.Arms {
			s.Arms[j].Steps = withoutCaller(s.Arms[j].Steps)
		}
		if s.Do == "tx" && s.Handle == "caller" {
			out = append(out, s.Steps...)
			continue
		}
		out = append(out, s)
	}
	return out
}

// onlyNew lists the rows that steps insert, nil where they do anything else.
func (t *teller) onlyNew(steps []lockgraph.Step) []string {
	var rows []string
	other := false
	eachStep(steps, func(s *lockgraph.Step) {
		switch {
		case s.Do == "lock" && t.isFresh(s):
			rows = once(rows, strings.TrimPrefix(t.b.the(s.Class), "the "))
		case s.Do != "tx" && s.Do != "branch" && s.Do != "loop":
			other = true
		}
	})
	if other {
		return nil
	}
	return rows
}

// reachers tells what reaches a path, as code: what enters the program from
// outside where that is known, else the functions on the way. A program's own
// main package is left out where others are on the way too.
func (b *book) reachers(by []string) []string {
	var outside, on, mains []string
	main := map[string]bool{}
	for _, r := range by {
		if strings.HasSuffix(r, ".main") {
			main[pkgOf(r)] = true
		}
	}
	for _, r := range by {
		start, spawned := strings.CutPrefix(r, "goroutine of ")
		switch {
		case spawned:
			on = append(on, "a goroutine of "+code(b.fn(start)))
		case lockgraph.EntryPoint(r):
			if !strings.HasSuffix(r, " …") { // a route of which nothing is known
				outside = append(outside, code(r))
			}
		case main[pkgOf(r)]:
			mains = append(mains, code(b.fn(r)))
		default:
			on = append(on, code(b.fn(r)))
		}
	}
	for _, names := range [][]string{outside, on, mains} {
		if len(names) > 0 {
			return names
		}
	}
	return nil
}

// fit tells a path as a short nested list, more tightly while it is long. A
// path that stays long is cut: what lies deep is told by its locks alone, and
// the command that tells it whole is named.
func (t *teller) fit(head string, steps []lockgraph.Step) string {
	whole, cut := maxWhole, maxCut
	if len(t.b.m.Paths) > maxPaths {
		whole, cut = maxPath, maxPath/2
	}
	text := ""
	for _, room := range []int{120, 180, 260} {
		if text = t.body(head, steps, room); strings.Count(text, "\n") <= maxPath {
			return text
		}
	}
	if strings.Count(text, "\n") <= whole {
		return text
	}
	head += " (in short; `pglockdep paths -func " + lastName(enclosing(t.entry)) + "` tells all of it)"
	for t.most = 4; t.most > 0; t.most-- {
		if text = t.body(head, steps, 260); strings.Count(text, "\n") <= cut {
			return text
		}
	}
	return wrap(head+": "+t.some(steps)+".", "- ", "  ")
}

// some tells which locks steps take, without the order and what decides it.
func (t *teller) some(steps []lockgraph.Step) string {
	var names []string
	eachStep(steps, func(s *lockgraph.Step) {
		switch s.Do {
		case "lock":
			names = once(names, t.name(s))
		case "see", "external":
			text, _ := t.event([]lockgraph.Step{{Do: s.Do, Entry: s.Entry, What: map[bool]string{true: s.What}[s.Do == "external"]}})
			names = once(names, text)
		}
	})
	switch len(names) {
	case 0:
		return "nothing"
	case 1:
		return "in some cases, " + names[0]
	}
	return "some of " + list(names, 8)
}

// body tells a whole path: its name, the transaction it lives in, and what
// that takes. With one transaction there is no level for it.
func (t *teller) body(head string, steps []lockgraph.Step, room int) string {
	t.room = room
	t.lists = map[string]string{}
	if len(steps) == 0 {
		return wrap(head+" takes no lock.", "- ", "  ")
	}
	if len(steps) == 1 && steps[0].Do == "tx" {
		return t.tx(head+": ", &steps[0], 0, false)
	}
	return t.told(head+":", steps, 0)
}

// told writes a bullet: in one sentence where there is room, else with the
// steps below it.
func (t *teller) told(head string, steps []lockgraph.Step, depth int) string {
	pad := strings.Repeat("  ", depth)
	// A level for one loop or one transaction alone would say nothing.
	if len(steps) == 1 && depth > 0 {
		if text := t.lone(head, steps, depth); text != "" {
			return text
		}
	}
	text := t.inline(steps)
	if len([]rune(text)) <= t.room*2 && !t.deep(steps) {
		return wrap(head+" "+text+".", pad+"- ", pad+"  ")
	}
	if len(steps) == 1 && depth == 0 {
		if text := t.lone(head, steps, depth); text != "" {
			return text
		}
	}
	head = strings.TrimRight(head, ",:")
	if t.most > 0 && depth >= t.most {
		return wrap(head+": "+t.some(steps)+".", pad+"- ", pad+"  ")
	}
	if depth > 0 {
		// What was told in a list before is not told again.
		if first, ok := t.lists[text]; ok {
			return wrap(head+": the same again as above, under “"+first+"”.", pad+"- ", pad+"  ")
		}
		t.lists[text] = head
	}
	return wrap(head+":", pad+"- ", pad+"  ") + t.bullets(steps, depth+1)
}

// lone tells what is one loop, condition or transaction without a level of its
// own for that, "" where it is none.
func (t *teller) lone(head string, steps []lockgraph.Step, depth int) string {
	s := &steps[0]
	sign := ", "
	if depth == 0 && strings.HasSuffix(head, ":") {
		sign = ": "
	}
	under := strings.TrimRight(head, ",:") + sign
	end := map[bool]string{true: ",", false: ":"}[depth == 0]
	switch only := t.only(s); {
	case s.Do == "tx":
		return t.tx(under, s, depth, false)
	case s.Do == "loop":
		return t.told(under+"for each "+t.loopHead(s)+end, s.Steps, depth)
	case only != nil && depth == 0:
		return t.told(under+onlyWhen(only.When)+end, only.Steps, depth)
	}
	return ""
}

// only is the arm of a branch outside of which nothing happens.
func (t *teller) only(s *lockgraph.Step) *lockgraph.Arm {
	if s.Do != "branch" {
		return nil
	}
	told, _, empty := t.arms(s)
	if len(told) != 1 || !empty {
		return nil
	}
	return &told[0]
}

// deep reports whether steps hold something that a sentence tells badly: a
// choice, or a loop around more than one event.
func (t *teller) deep(steps []lockgraph.Step) bool {
	for i := range steps {
		s := &steps[i]
		switch s.Do {
		case "tx":
			return true
		case "loop":
			if !single(t.inline(s.Steps)) || t.deep(s.Steps) {
				return true
			}
		case "branch":
			told, texts, empty := t.arms(s)
			if len(told) > 1 || len(told) == 1 && empty && i+1 < len(steps) {
				return true
			}
			if len(told) == 1 && (!single(texts[0]) || t.deep(told[0].Steps)) {
				return true
			}
		}
	}
	return false
}

// bullets writes steps as a list: what is simple runs together, a branch or
// a loop that needs room has its own level.
func (t *teller) bullets(steps []lockgraph.Step, depth int) string {
	pad := strings.Repeat("  ", depth)
	var w strings.Builder
	var run []string
	seen := 0       // transactions told
	var next string // how the next bullet is tied to the last
	held := false   // a lock outside the transactions may be held
	called := false // the last one told is the caller's
	bullet := func(text string) {
		w.WriteString(wrap(upperFirst(next+text)+".", pad+"- ", pad+"  "))
	}
	flush := func() {
		if len(run) > 0 {
			bullet(then(run))
			run, next = nil, "then "
		}
	}
	for i := 0; i < len(steps); {
		s := &steps[i]
		text, n := t.event(steps[i:])
		held = held || t.outside[s]
		switch {
		case s.Do == "tx":
			flush()
			head := next
			if seen > 0 && depth == 1 && s.Handle != "savepoint" && s.Handle != "caller" && !called {
				head = map[bool]string{true: "then, after that one has ended, ", false: "then, with nothing held, "}[held]
			}
			w.WriteString(t.tx(upperFirst(head), s, depth, seen > 0))
			seen, next, called = seen+1, "then ", s.Handle == "caller"
		case !t.deep(steps[i : i+1]):
			if s.Do == "external" && depth == 1 && seen > 0 && !held {
				text = "with nothing held, " + text
			}
			if len(run) > 0 && len([]rune(then(run)))+len([]rune(text)) > 2*t.room {
				flush()
			}
			run = append(run, text)
			if s.Do == "branch" && strings.HasPrefix(text, "only ") {
				flush()
				next = "then, in every case, "
			}
		case s.Do == "loop":
			flush()
			w.WriteString(t.told(upperFirst(next+"for each "+t.loopHead(s))+":", s.Steps, depth))
			next = "after the loop, "
		default:
			flush()
			w.WriteString(t.armBullets(s, depth))
			next = "then, in every case, "
		}
		i += n
	}
	flush()
	return w.String()
}

// armBullets writes a bullet for each arm of a branch.
func (t *teller) armBullets(s *lockgraph.Step, depth int) string {
	var w strings.Builder
	told, _, empty := t.arms(s)
	lacks := t.armLacks(told)
	for j, a := range told {
		cond := caseOf(a.When, j, j == len(told)-1 && !empty)
		if len(told) == 1 && empty {
			cond = onlyWhen(a.When)
		}
		w.WriteString(without(t.told(upperFirst(cond)+":", a.Steps, depth), strings.Repeat("  ", depth), lacks[j]))
	}
	if empty && len(told) > 1 {
		w.WriteString(strings.Repeat("  ", depth) + "- Otherwise nothing.\n")
	}
	return w.String()
}

// tx writes the bullet of a transaction. Head is what stands before it.
func (t *teller) tx(head string, s *lockgraph.Step, depth int, second bool) string {
	text := t.txHead(s, second)
	if head == "" {
		text = upperFirst(text)
	}
	if len(s.Steps) == 0 {
		pad := strings.Repeat("  ", depth)
		return wrap(head+text+", no lock.", pad+"- ", pad+"  ")
	}
	return t.inTx(s).told(head+text+",", s.Steps, depth)
}
