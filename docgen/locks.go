package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// locks writes the tables of lock classes, one for each family.
func (b *book) locks() string {
	if len(b.m.Classes) == 0 {
		return wrap("The analysis found no lock: no advisory lock, no locking clause, no `LOCK TABLE`.", "", "")
	}
	var w strings.Builder
	w.WriteString(wrap(b.lifetimes(), "", ""))
	missing := 0
	for _, f := range []struct{ family, heading, what string }{
		{lockgraph.Advisory, "Advisory locks", "Key"},
		{lockgraph.Row, "Row locks", "Row"},
		{lockgraph.Table, "Table locks", "Table"},
		{lockgraph.Mutex, "Go locks", "Lock in Go"},
	} {
		cs := b.family(f.family)
		if len(cs) == 0 {
			continue
		}
		w.WriteString("\n### " + f.heading + "\n\n")
		first, more, rest := b.ranked(cs)
		head := "| Lock | " + f.what + " | Mode | Taken by | Serializes |\n|---|---|---|---|---|\n"
		w.WriteString(head + b.rows(first))
		if len(more) > 0 {
			text := "\n" + head + b.rows(more)
			if len(rest) > 0 {
				text += "\n" + wrap("And "+plural(len(rest), "more", "more")+", which `pglockdep graph -format html` has whole: "+list(b.titles(rest), 0)+".", "", "")
			}
			w.WriteString("\n" + folded(plural(len(more)+len(rest), "more", "more")+" of them, nearer to the edge", text))
		}
		for _, c := range cs {
			missing += b2i(c.Serializes == "")
		}
	}
	if missing > 0 {
		w.WriteString("\n" + wrap(sentence(plural(missing, "lock has", "locks have")+" no sentence yet about the purpose; "+
			"`//pglockdep:lock serializes=\"…\"` where the lock is taken (`-- pglockdep:lock` above a query) gives it one"), "", ""))
	}
	return w.String()
}

// Of the locks of a family, maxRows stand in the open, as many more as maxMore
// are folded away, and of the rest only the names are given.
const (
	maxRows = 40
	maxMore = 160
)

// ranked divides the classes of a family, each part by name: those that can
// block each other, that somebody named or described, or that are locked on
// purpose come before those that statements take by themselves.
func (b *book) ranked(cs []*lockgraph.Class) (first, more, rest []*lockgraph.Class) {
	if len(cs) <= maxRows {
		return cs, nil, nil
	}
	ranked := slices.Clone(cs)
	slices.SortStableFunc(ranked, func(x, y *lockgraph.Class) int { return b.weight(y) - b.weight(x) })
	byName := func(part []*lockgraph.Class) []*lockgraph.Class {
		return slices.DeleteFunc(slices.Clone(cs), func(c *lockgraph.Class) bool { return !slices.Contains(part, c) })
	}
	cut := min(len(cs), maxRows+maxMore)
	return byName(ranked[:maxRows]), byName(ranked[maxRows:cut]), byName(ranked[cut:])
}

// weight is how much a reader wants to know of a class.
func (b *book) weight(c *lockgraph.Class) int {
	w := b2i(c.Serializes != "" || given(c)) * 4
	for _, y := range b.m.Cycles {
		if y.Verdict == "supported" && slices.Contains(y.Classes, c.ID) {
			w += 8
			break
		}
	}
	return w + 2*b2i(slices.ContainsFunc(b.sites[c.ID], func(a *lockgraph.Acquisition) bool { return !a.Implicit })) + b2i(len(b.sites[c.ID]) > 1)
}

func (b *book) titles(cs []*lockgraph.Class) []string {
	var out []string
	for _, c := range cs {
		out = append(out, b.title(c))
	}
	return out
}

// rows writes the rows of a table of classes.
func (b *book) rows(cs []*lockgraph.Class) string {
	var w strings.Builder
	for _, c := range cs {
		says := sentence(c.Serializes)
		if says == "" {
			says = "*missing*"
		}
		row := []string{b.title(c), b.what(c), b.modeCell(c), b.takers(c), says}
		for i := range row {
			row[i] = cell(row[i])
		}
		w.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return w.String()
}

// folded hides text behind a line that a reader opens.
func folded(summary, text string) string {
	return "<details>\n<summary>" + summary + "</summary>\n" + text + "\n</details>\n"
}

// foldedList joins list items; of many, those past the first are folded.
func foldedList(items []string, open int, what string) string {
	if len(items) <= open+open/2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:open], "") + "\n" + folded(plural(len(items)-open, "more "+what, "more "+what+"s"), "\n"+strings.Join(items[open:], ""))
}

// family lists the classes of a family by the name the table shows.
func (b *book) family(family string) []*lockgraph.Class {
	var out []*lockgraph.Class
	for i := range b.m.Classes {
		if b.m.Classes[i].Family == family {
			out = append(out, &b.m.Classes[i])
		}
	}
	slices.SortStableFunc(out, func(x, y *lockgraph.Class) int {
		if c := strings.Compare(sortName(b.title(x)), sortName(b.title(y))); c != 0 {
			return c
		}
		return strings.Compare(x.ID, y.ID)
	})
	return out
}

func sortName(s string) string { return strings.ToLower(strings.Trim(s, "`")) }

// lifetimes says in prose how long the locks are held.
func (b *book) lifetimes() string {
	scopes := map[string]map[string]int{}
	tables := 0
	for _, a := range b.m.Acquisitions {
		c := b.classes[a.Class]
		if c == nil {
			continue
		}
		if scopes[c.Family] == nil {
			scopes[c.Family] = map[string]int{}
		}
		scopes[c.Family][a.Scope]++
		if c.Family == lockgraph.Table && !a.Implicit {
			tables++
		}
	}
	adv := scopes[lockgraph.Advisory]
	var s []string
	switch n := adv[lockgraph.Transaction] + adv[lockgraph.Session] + adv[lockgraph.Statement]; {
	case n == 0:
		s = append(s, "No advisory lock is taken.")
	case adv[lockgraph.Transaction] == n:
		s = append(s, "Every advisory lock belongs to its transaction: commit or rollback releases it, and none is held by a session.")
	default:
		var kinds []string
		for _, k := range []struct{ scope, say string }{
			{lockgraph.Transaction, "held until the transaction ends"},
			{lockgraph.Session, "held by the session until it is unlocked or the connection closes"},
			{lockgraph.Statement, "taken outside a transaction and gone with its statement"},
		} {
			if adv[k.scope] > 0 {
				kinds = append(kinds, thousands(adv[k.scope])+" "+map[bool]string{true: "is", false: "are"}[adv[k.scope] == 1]+" "+k.say)
			}
		}
		if n == 1 {
			_, how, _ := strings.Cut(kinds[0], " ")
			s = append(s, "The one advisory lock that is taken "+how+".")
			break
		}
		s = append(s, "Of the "+plural(n, "place", "places")+" that take an advisory lock, "+list(kinds, 0)+".")
	}
	if row := scopes[lockgraph.Row]; row[lockgraph.Statement] > 0 {
		s = append(s, sentence(plural(row[lockgraph.Statement], "row lock is", "row locks are")+" taken outside a transaction and end with their statement"))
	} else if row[lockgraph.Transaction] > 0 {
		s = append(s, "Row locks end with their transaction.")
	}
	if tables == 0 {
		s = append(s, "Nothing runs `LOCK TABLE`.")
	}
	return strings.Join(s, " ")
}

// what tells which object an instance of the class is.
func (b *book) what(c *lockgraph.Class) string {
	if c.Key != nil {
		return b.keyCell(c)
	}
	if c.Relation == "?" {
		return "known only at run time"
	}
	rel := c.Relation
	if rel == "" {
		rel = c.Name
	}
	text := code(rel)
	if c.Family == lockgraph.Row {
		one, many := false, false
		for _, a := range b.sites[c.ID] {
			one, many = one || !a.Many, many || a.Many
		}
		switch {
		case one && many:
			text = "one row of " + text + ", or several"
		case many:
			text = "several rows of " + text
		default:
			text = "one row of " + text
		}
	}
	switch c.Relkind {
	case "p":
		text += " and its partitions"
	case "v":
		text += " (a view)"
	case "m":
		text += " (a materialized view)"
	case "S":
		text += " (a sequence)"
	}
	if c.PartitionOf != "" {
		text += ", a partition of " + code(c.PartitionOf)
	}
	return text
}

func (b *book) keyCell(c *lockgraph.Class) string {
	k := c.Key
	expr := k.Expr
	if expr == "" && len(k.Parts) > 0 {
		expr = strings.Join(k.Parts, ", ")
	}
	switch {
	case expr == "" && k.Constant != "":
		return "the constant " + code(k.Constant)
	case k.Derivation == "constant" && k.Constant != "" && expr != k.Constant:
		return "the constant " + code(k.Constant) + ", from " + code(expr)
	case k.Derivation == "constant":
		return "the constant " + code(expr)
	case k.Derivation == "go-hash":
		return code(expr) + ", hashed in Go (" + k.Hash + ")"
	case expr == "":
		return "unknown"
	}
	return code(expr)
}

// parted are the places that take a class: those that lock it on purpose,
// and those where a statement locks rows because it writes or refers to
// them. Where there are only the latter, they stand for the former.
func (b *book) parted(class string) (explicit, own []*lockgraph.Acquisition) {
	for _, a := range b.sites[class] {
		if a.Implicit {
			own = append(own, a)
		} else {
			explicit = append(explicit, a)
		}
	}
	if explicit == nil {
		return own, nil
	}
	return explicit, own
}

// modeCell lists the modes of a class; where there are several, each says
// who takes it.
func (b *book) modeCell(c *lockgraph.Class) string {
	type use struct {
		text string
		by   []string
	}
	var uses []*use
	sites, own := b.parted(c.ID)
	if len(own) == 0 && len(sites) > 0 && sites[0].Implicit && c.Family == lockgraph.Row {
		sites, own = nil, sites // who takes it stands in the next cell
	}
	for _, a := range sites {
		text := modeText(a, c)
		i := slices.IndexFunc(uses, func(u *use) bool { return u.text == text })
		if i < 0 {
			i = len(uses)
			uses = append(uses, &use{text: text})
		}
		uses[i].by = append(uses[i].by, b.taker(a))
	}
	slices.SortFunc(uses, func(x, y *use) int {
		if len(x.by) != len(y.by) {
			return len(y.by) - len(x.by)
		}
		return strings.Compare(x.text, y.text)
	})
	var out []string
	for _, u := range uses {
		if len(uses) > 1 {
			u.text += " (" + list(codes(u.by), 3) + ")"
		}
		out = append(out, u.text)
	}
	if modes := b.ownModes(own, len(sites) == 0); len(modes) > 0 {
		out = append(out, "statements by themselves: "+list(modes, 0))
	}
	if len(out) == 0 {
		for _, m := range b.modes[c.ID] {
			out = append(out, mode(m))
		}
	}
	return strings.Join(out, "; ")
}

// ownModes lists the modes that statements take by themselves. Where told is
// set, a mode that few take says who.
func (b *book) ownModes(own []*lockgraph.Acquisition, told bool) []string {
	by := map[string][]string{}
	for _, a := range own {
		by[a.Mode] = once(by[a.Mode], b.taker(a))
	}
	var out []string
	for _, m := range sortedKeys(by) {
		text := code(m)
		if told && len(by) > 1 && len(by[m]) <= 2 {
			text += " (" + list(codes(by[m]), 0) + ")"
		}
		out = append(out, text)
	}
	return out
}

func modeText(a *lockgraph.Acquisition, c *lockgraph.Class) string {
	text := mode(a.Mode)
	switch a.Wait {
	case lockgraph.SkipLocked:
		text += ", skipping locked rows"
	case lockgraph.NoWait:
		text += ", `NOWAIT`"
	case lockgraph.Try:
		text += ", only if it is free"
	}
	if c.Family == lockgraph.Advisory {
		switch a.Scope {
		case lockgraph.Session:
			text += ", for the session"
		case lockgraph.Statement:
			text += ", outside a transaction"
		}
	}
	return text
}

// taker is the one name that best finds the place: the SQL function that
// runs the statement, else the query, else the Go function.
func (b *book) taker(a *lockgraph.Acquisition) string {
	switch {
	case len(a.SQLFunc) > 0:
		return a.SQLFunc[len(a.SQLFunc)-1]
	case a.Query != "":
		return a.Query
	}
	return b.fn(a.Func)
}

// takers tells who takes a class: SQL functions, queries with the functions
// that run them, and functions with a statement of their own.
func (b *book) takers(c *lockgraph.Class) string {
	var direct, inSQL []string
	runs := map[string][]string{}
	sites, own := b.parted(c.ID)
	for _, a := range sites {
		switch {
		case len(a.SQLFunc) > 0:
			inSQL = append(inSQL, a.SQLFunc[len(a.SQLFunc)-1])
		case a.Query != "":
			runs[a.Query] = append(runs[a.Query], b.fn(a.Func))
		default:
			direct = append(direct, b.fn(a.Func))
		}
	}
	var out []string
	if d := codes(direct); len(d) > 0 {
		out = append(out, list(d, 8))
	}
	for _, q := range sortedKeys(runs) {
		text := "the " + code(q) + " query"
		by := b.callers(c.ID, q, runs[q])
		if len(by) > 0 {
			text += ", run by " + list(by, 8)
		}
		out = append(out, text)
	}
	if s := codes(inSQL); len(s) == 1 {
		out = append(out, "the SQL function "+s[0])
	} else if len(s) > 1 {
		out = append(out, "the SQL functions "+list(s, 8))
	}
	var writers []string
	for _, a := range own {
		writers = append(writers, b.taker(a))
	}
	if w := codes(writers); len(w) > 0 {
		use := " write or refer to it"
		switch {
		case c.Family == lockgraph.Table && len(w) == 1:
			use = " uses it"
		case c.Family == lockgraph.Table:
			use = " use it"
		case len(w) == 1:
			use = " writes or refers to it"
		}
		out = append(out, "also where "+list(w, 4)+use)
	}
	if len(out) == 0 {
		return "*unknown*"
	}
	return strings.Join(out, "; ")
}

// callers are the functions that run a query for a class, without the generated method
// that bears the query's own name: who calls that one stands in the paths.
func (b *book) callers(class, query string, funcs []string) []string {
	if b.runners == nil {
		b.runners = b.findRunners()
	}
	seen := map[string]bool{}
	for _, f := range append(slices.Clone(funcs), b.runners[class+"\x00"+query]...) {
		if f = enclosing(f); lastName(f) != query {
			seen[f] = true
		}
	}
	// Paths name functions more shortly than places do.
	long := map[string]bool{}
	for f := range seen {
		if last := lastName(f); last != f {
			long[last] = true
		}
	}
	return codes(slices.DeleteFunc(sortedKeys(seen), func(f string) bool { return long[f] }))
}

// findRunners reads from the paths which functions run each query, by the
// class that they take with it.
func (b *book) findRunners() map[string][]string {
	out := map[string][]string{}
	for _, p := range b.m.Paths {
		eachLock(p.Steps, func(s *lockgraph.Step) {
			for i, n := range s.By {
				query := lastName(n)
				if !b.queries[query] {
					continue
				}
				by := p.Entry
				if i > 0 {
					by = s.By[i-1]
				}
				key := s.Class + "\x00" + query
				out[key] = once(out[key], b.fn(by))
			}
		})
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
