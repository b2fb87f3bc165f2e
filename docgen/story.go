package docgen

import (
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A teller turns the steps of one path into prose. Steps that fit into a
// sentence become one; the rest becomes short nested lists.
type teller struct {
	b      *book
	entry  string
	home   string // the package whose name the heading tells
	kind   string // of the transaction that is being told
	open   bool   // a transaction is being told
	pinned bool   // a pinned connection is being told
	room   int    // letters that may stand in one bullet before it is split
	most   int    // levels of lists before what lies deeper is cut, 0 for no limit

	outside map[*lockgraph.Step]bool // locks outside any transaction
	lists   map[string]string        // what was told in a list → the head of that list
}

func (b *book) isPlain(kind string) bool {
	b.txKinds()
	return b.plainKind[kind]
}

// inTx is the teller for what stands inside a transaction: functions that
// its kind names are not named again.
func (t *teller) inTx(s *lockgraph.Step) *teller {
	in := *t
	in.kind = s.Kind
	if s.Handle == lockgraph.HandleConn {
		in.pinned = true
	} else {
		in.open = true
	}
	return &in
}

// fn names a function, without its package where the heading tells it.
func (t *teller) fn(full string) string {
	if s, ok := parseSymbol(full); ok && t.home != "" && s.pkg == t.home && s.recv == "" && t.b.short[full] != "" {
		return s.name
	}
	return t.b.fn(full)
}

func newTeller(b *book, entry string, steps []lockgraph.Step) *teller {
	t := &teller{b: b, entry: entry, outside: map[*lockgraph.Step]bool{}}
	var mark func(steps []lockgraph.Step, in bool)
	mark = func(steps []lockgraph.Step, in bool) {
		for i := range steps {
			s := &steps[i]
			inside := in
			if s.Do == "tx" {
				inside = s.Handle != lockgraph.HandleConn && !b.ofSession(s)
			}
			t.outside[s] = s.Do == "lock" && !in
			mark(s.Steps, inside)
			for j := range s.Arms {
				mark(s.Arms[j].Steps, inside)
			}
		}
	}
	mark(steps, false)
	return t
}

// then joins events that follow each other.
func then(events []string) string {
	text := ""
	for i, e := range events {
		switch {
		case i == 0:
		case strings.HasPrefix(e, "only "), strings.HasPrefix(e, "with "), strings.HasPrefix(e, "in "), strings.HasPrefix(e, "on "):
			text += ", then, "
		default:
			text += ", then "
		}
		text += e
	}
	return text
}

// inline tells steps in one clause.
func (t *teller) inline(steps []lockgraph.Step) string {
	var out []string
	for i := 0; i < len(steps); {
		text, n := t.event(steps[i:])
		// A condition must not seem to cover what comes after it.
		if i+n < len(steps) && strings.HasPrefix(text, "only ") && !strings.HasSuffix(text, "]") {
			text = "[" + text + "]"
		}
		out = append(out, text)
		i += n
	}
	return then(out)
}

// event tells the first step, and those after it that belong to it: locks
// taken through one function are told together, repeats are counted.
func (t *teller) event(steps []lockgraph.Step) (string, int) {
	s := &steps[0]
	switch s.Do {
	case "lock":
		if t.isFresh(s) {
			return t.freshRun(steps)
		}
		if t.b.isOwn(t.entry, s) {
			return t.ownRun(steps)
		}
		return t.lockRun(steps)
	case "tx":
		return t.txHead(s, false) + " [" + orNothing(t.inTx(s).inline(s.Steps)) + "]", 1
	case "branch":
		return t.branch(s), 1
	case "loop":
		text := t.inline(s.Steps)
		switch {
		case single(text) && s.What == repeated && s.Over == "2":
			return text + " twice", 1
		case single(text) && s.What == repeated:
			return text + " " + s.Over + " times", 1
		case single(text):
			return text + " for each " + t.loopHead(s), 1
		}
		return "for each " + t.loopHead(s) + " [" + orNothing(text) + "]", 1
	case "see":
		text := "what " + code(t.fn(s.Entry)) + " takes"
		if s.What != "" {
			text += " (" + s.What + ")"
		}
		return text, 1
	case "external":
		return "a call that leaves the process (" + code(s.What) + ")", 1
	}
	return "a step the page cannot tell (" + code(s.Do) + ")", 1
}

// single reports whether text tells one event and can bear a condition or a
// loop behind it.
func single(text string) bool {
	return text != "" && !strings.Contains(text, ", then") && !strings.Contains(text, "for each ") && !strings.Contains(text, "only when ")
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// lockRun tells consecutive locks that are taken through the same functions.
func (t *teller) lockRun(steps []lockgraph.Step) (string, int) {
	by := t.by(&steps[0])
	var names []string
	var details [][]string
	n := 0
	for n < len(steps) && steps[n].Do == "lock" && t.by(&steps[n]) == by && !t.b.isOwn(t.entry, &steps[n]) && !t.isFresh(&steps[n]) {
		times := 1
		for n+times < len(steps) && steps[n+times].Do == "lock" && t.by(&steps[n+times]) == by && sameLock(&steps[n], &steps[n+times]) {
			times++
		}
		name := t.name(&steps[n])
		if times == 2 {
			name += " twice"
		} else if times > 2 {
			name += " " + plural(times, "time", "times")
		}
		names, details = append(names, name), append(details, t.details(&steps[n]))
		n += times
	}
	var out []string
	for i, name := range names {
		d := strings.Join(details[i], ", ")
		if i == len(names)-1 && by != "" {
			// Behind a semicolon stands what is said of all of them.
			shared := map[int]string{1: by, 2: "both " + by}[len(names)]
			if shared == "" {
				shared = "all " + by
			}
			switch {
			case d == "":
				d = shared
			case len(names) == 1:
				d += ", " + shared
			default:
				d += "; " + shared
			}
		}
		if d != "" {
			name += " (" + d + ")"
		}
		out = append(out, name)
	}
	return then(out), n
}

func sameLock(x, y *lockgraph.Step) bool {
	return x.Class == y.Class && x.Mode == y.Mode && x.Wait == y.Wait && x.Many == y.Many && x.Order == y.Order &&
		(x.Again == y.Again || y.Again == "same")
}

// name is the lock with its mode where the mode is a word.
func (t *teller) name(s *lockgraph.Step) string {
	text := t.b.the(s.Class)
	if s.Many {
		text = t.b.many(s.Class)
	}
	if rest, ok := strings.CutPrefix(text, "the "); ok && t.modeMatters(s) && mode(s.Mode) == s.Mode {
		text = "the " + s.Mode + " " + rest
	}
	return text
}

// modeMatters reports whether the tables leave the mode open.
func (t *teller) modeMatters(s *lockgraph.Step) bool {
	c := t.b.classes[s.Class]
	return c == nil || c.Family == lockgraph.Table || len(t.b.modes[s.Class]) > 1
}

// details says how a lock is taken, where that is not told elsewhere.
func (t *teller) details(s *lockgraph.Step) []string {
	var how []string
	if t.modeMatters(s) && mode(s.Mode) != s.Mode {
		how = append(how, mode(s.Mode))
	}
	switch s.Wait {
	case lockgraph.Try:
		how = append(how, "only if it is free")
	case lockgraph.NoWait:
		how = append(how, "failing rather than waiting")
	case lockgraph.SkipLocked:
		how = append(how, "skipping what others hold")
	}
	if s.Many {
		how = append(how, orderText(s.Order))
	}
	switch s.Again {
	case "same":
		how = append(how, "already held")
	case "maybe":
		how = append(how, "perhaps already held")
	}
	if t.outside[s] {
		if sc := t.b.scope(s.Class); sc == lockgraph.Session {
			how = append(how, "held by the session")
		} else if sc == lockgraph.Statement {
			how = append(how, "gone with its statement")
		}
	}
	return how
}

// ofSession reports whether all that is locked on a caller's connection is
// held by its session.
func (b *book) ofSession(s *lockgraph.Step) bool {
	some, all := false, true
	eachLock(s.Steps, func(l *lockgraph.Step) {
		some = true
		all = all && b.scope(l.Class) == lockgraph.Session
	})
	return s.Handle == "caller" && some && all
}

// scope is the one scope in which a class is taken, "" when there are several.
func (b *book) scope(class string) string {
	scope := ""
	for i, a := range b.sites[class] {
		if i > 0 && a.Scope != scope {
			return ""
		}
		scope = a.Scope
	}
	return scope
}

func orderText(order string) string {
	switch {
	case order == "":
		return "in no fixed order"
	case order == "sorted":
		return "sorted"
	case order == "plan":
		return "in the order the planner chooses"
	}
	if cols, ok := strings.CutPrefix(order, "by "); ok {
		parts := strings.Split(cols, ",")
		for i := range parts {
			name, bytes := strings.CutSuffix(strings.TrimSpace(parts[i]), ` COLLATE "C"`)
			parts[i] = code(name)
			if bytes {
				parts[i] += " by bytes"
			}
		}
		return "in order of " + list(parts, 0)
	}
	return order
}

// by tells through which functions a lock is taken, without those that the
// path's own name tells.
func (t *teller) by(s *lockgraph.Step) string {
	var outer, inner string
	entry := t.b.fn(t.entry)
	for _, full := range s.By {
		name := enclosing(t.fn(full))
		if t.kind != "" && !t.b.isPlain(t.kind) && (full == t.kind || t.b.fn(full) == t.b.fn(t.kind)) {
			return "" // the list of kinds tells how it begins
		}
		if plain := t.b.fn(full); plain == entry || plain == lastWord(t.entry) || strings.HasSuffix(entry, "."+name) {
			continue
		}
		switch {
		case t.b.sqlfunc[full]:
			inner = "inside " + code(name)
		case t.b.queries[full] || t.b.queries[lastName(name)]:
			inner = "through the " + code(lastName(name)) + " query"
		case outer == "":
			outer = code(name)
		}
	}
	switch {
	case outer == "" && inner == "":
		return ""
	case outer == "":
		return inner
	case inner == "":
		return "in " + outer
	}
	return "in " + outer + ", " + inner
}

func lastName(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i+1:]
	}
	return name
}
