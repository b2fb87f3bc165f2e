package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A teller turns the steps of one path into prose. Steps that fit into a
// sentence become one; the rest becomes short nested lists.
type teller struct {
	b     *book
	entry string
	room  int // letters that may stand in one bullet before it is split
}

// then joins events that follow each other.
func then(events []string) string { return strings.Join(events, ", then ") }

// inline tells steps in one clause.
func (t *teller) inline(steps []lockgraph.Step) string {
	var out []string
	for i := 0; i < len(steps); {
		text, n := t.event(steps[i:])
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
		return t.lockRun(steps)
	case "tx":
		return t.txHead(s, false) + " that takes " + orNothing(t.inline(s.Steps)), 1
	case "branch":
		return t.branch(s), 1
	case "loop":
		return t.loopHead(s) + " (" + orNothing(t.inline(s.Steps)) + ")", 1
	case "see":
		return "what " + t.b.fnCode(s.Entry) + " takes", 1
	case "external":
		return "a call that leaves the process (" + code(s.What) + ")", 1
	}
	return "a step the page cannot tell (" + code(s.Do) + ")", 1
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
	n := 0
	for n < len(steps) && steps[n].Do == "lock" && t.by(&steps[n]) == by {
		text, times := t.lock(&steps[n]), 1
		for n+times < len(steps) && steps[n+times].Do == "lock" && t.by(&steps[n+times]) == by && sameLock(&steps[n], &steps[n+times]) {
			times++
		}
		n += times
		if times == 2 {
			text += " twice"
		} else if times > 2 {
			text += " " + plural(times, "time", "times")
		}
		names = append(names, text)
	}
	text := then(names)
	if by != "" {
		if len(names) == 2 {
			by = "both " + by
		} else if len(names) > 2 {
			by = "all " + by
		}
		text += " (" + by + ")"
	}
	return text, n
}

func sameLock(x, y *lockgraph.Step) bool {
	return x.Class == y.Class && x.Mode == y.Mode && x.Wait == y.Wait && x.Many == y.Many && x.Order == y.Order &&
		(x.Again == y.Again || y.Again == "same")
}

// lock names what is taken, and how where that is not told elsewhere.
func (t *teller) lock(s *lockgraph.Step) string {
	text := t.b.the(s.Class)
	if s.Many {
		text = t.b.many(s.Class)
	}
	var how []string
	c := t.b.classes[s.Class]
	if c == nil || len(t.b.modes[s.Class]) > 1 || c.Family == lockgraph.Table {
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
		how = append(how, "perhaps the one already held")
	}
	if len(how) > 0 {
		text += ", " + strings.Join(how, ", ")
	}
	if len(how) > 1 {
		text = t.b.the(s.Class)
		if s.Many {
			text = t.b.many(s.Class)
		}
		text += " [" + strings.Join(how, ", ") + "]"
	}
	return text
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
			parts[i] = code(strings.TrimSpace(parts[i]))
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
		name := t.b.fn(full)
		name = closure.ReplaceAllString(name, "")
		if name == entry || strings.HasSuffix(entry, "."+name) {
			continue
		}
		switch {
		case t.b.sqlfunc[full]:
			inner = "inside " + code(name)
		case t.b.queries[full] || t.b.queries[lastName(name)]:
			inner = code(lastName(name)) + " query"
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

// arms joins the arms that do the same and drops what only repeats.
func (t *teller) arms(s *lockgraph.Step) (told []lockgraph.Arm, empty bool) {
	var texts []string
	for _, a := range s.Arms {
		text := t.inline(a.Steps)
		if text == "" {
			empty = true
			continue
		}
		if i := slices.Index(texts, text); i >= 0 {
			switch {
			case told[i].When == "" || a.When == "":
				told[i].When = ""
			case a.When != told[i].When:
				told[i].When += " or " + when(a.When)
			}
			continue
		}
		texts = append(texts, text)
		told = append(told, lockgraph.Arm{When: when(a.When), Steps: a.Steps})
	}
	return told, empty
}

// when writes a condition: code as code, words as words.
func when(cond string) string {
	cond = strings.TrimSpace(cond)
	if cond == "" || strings.Contains(cond, "`") {
		return cond
	}
	switch strings.ToLower(cond) {
	case "else", "otherwise", "default":
		return "otherwise"
	}
	if strings.ContainsAny(cond, "=<>!&|(){}[]\"_.") || !strings.Contains(cond, " ") {
		return code(cond)
	}
	return cond
}

// caseOf opens the n-th arm of a branch.
func caseOf(cond string, n int) string {
	switch {
	case cond == "otherwise":
		return "otherwise"
	case cond == "" && n == 0:
		return "in some cases"
	case cond == "":
		return "in others"
	}
	return "when " + cond
}

func (t *teller) branch(s *lockgraph.Step) string {
	told, empty := t.arms(s)
	switch {
	case len(told) == 0:
		return "nothing more"
	case len(told) == 1 && !empty:
		return t.inline(told[0].Steps)
	case len(told) == 1:
		text := t.inline(told[0].Steps)
		cond := "only in some cases"
		if told[0].When == "otherwise" {
			cond = "in the other cases"
		} else if told[0].When != "" {
			cond = "only when " + told[0].When
		}
		if strings.Contains(text, ", then ") {
			return cond + " [" + text + "]"
		}
		return text + " (" + cond + ")"
	}
	var arms []string
	for i, a := range told {
		arms = append(arms, caseOf(a.When, i)+" "+t.inline(a.Steps))
	}
	if empty {
		arms = append(arms, "otherwise nothing")
	}
	return "one of: " + strings.Join(arms, "; ") + ";"
}

func (t *teller) loopHead(s *lockgraph.Step) string {
	over := strings.TrimSpace(s.Over)
	switch {
	case over == "":
		over = "turn of a loop"
	case strings.ContainsAny(over, "()[]._") || !strings.Contains(over, " ") && strings.ToLower(over) != over:
		over = "element of " + code(over)
	case !strings.Contains(over, " "):
		over = "of " + code(over)
	}
	return "for each " + over + ", " + orderText(s.Order)
}

// txHead names a transaction: its kind, its handle and its bound.
func (t *teller) txHead(s *lockgraph.Step, second bool) string {
	article := "a"
	if second {
		article = "another"
	}
	var text string
	switch s.Handle {
	case "caller":
		text = "the caller's transaction"
	case "savepoint":
		text = article + " savepoint"
	case "conn":
		text = article + " transaction on a pinned connection"
	default:
		text = article + " transaction"
	}
	if s.Kind != "" && s.Handle != "caller" && s.Handle != "savepoint" {
		text = article + " " + t.b.fnCode(s.Kind) + strings.TrimPrefix(text, article)
	}
	var more []string
	if s.Timeout != "" && (s.Kind == "" || !t.b.boundByKind(s)) {
		more = append(more, "waits bounded by "+s.Timeout)
	}
	if s.End == "rollback" {
		more = append(more, "always rolled back")
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}
