package docgen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// maxOpen is how many items of a long list stand in the open.
const maxOpen = 40

// rules writes what all paths, or nearly all, have in common.
func (b *book) rules() string {
	if len(b.m.Rules) == 0 {
		return wrap("No rule could be derived: no two paths take the same locks together, and none is declared.", "", "")
	}
	var w strings.Builder
	if slices.ContainsFunc(b.m.Rules, func(r lockgraph.Rule) bool { return r.Declared }) {
		w.WriteString(wrap("Rules are derived from the paths; those the team declared say so.", "", "") + "\n")
	}
	var items []string
	for i, r := range b.m.Rules {
		n := strconv.Itoa(i+1) + ". "
		items = append(items, wrap(b.rule(&r), n, strings.Repeat(" ", len(n))))
	}
	w.WriteString(foldedList(items, maxOpen, "rule"))
	return w.String()
}

// rule states one rule and what supports it.
func (b *book) rule(r *lockgraph.Rule) string {
	text, ok := b.ruleText(r)
	if !ok {
		text = b.shorten(r.Text)
	}
	text = strings.TrimSuffix(sentence(text), ".")
	var notes []string
	if r.Declared {
		notes = append(notes, "declared")
	}
	if r.Of > 0 {
		unit, units := "path", "paths"
		if r.Form == "scope" {
			unit, units = "place", "places"
		}
		if r.Support == r.Of {
			notes = append(notes, "kept by "+plural(r.Of, unit, units))
		} else {
			notes = append(notes, "kept by "+thousands(r.Support)+" of "+plural(r.Of, unit, units))
		}
	}
	if n := len(r.Exceptions); n > 0 {
		var names []string
		for _, e := range r.Exceptions {
			names = append(names, b.fn(e))
		}
		notes = append(notes, "not by "+list(codes(names), 3))
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, "; ") + ")"
	}
	return text + "."
}

func (b *book) ruleText(r *lockgraph.Rule) (string, bool) {
	if b.classes[r.A] == nil && r.Form != "scope" {
		return "", false
	}
	switch r.Form {
	case "first":
		if r.Kind == "" {
			return "every transaction takes " + b.the(r.A) + " first", true
		}
		first, noun := b.the(r.A), "transaction"
		for _, k := range b.txKinds() {
			if s := k.first(); k.name == r.Kind && s != nil && s.Class == r.A {
				first, noun = (&teller{b: b}).name(s), k.noun()
			}
		}
		return "every " + b.fnCode(r.Kind) + " " + noun + " takes " + first + " first", true
	case "before":
		return b.the(r.A) + " is taken before " + b.the(r.B) + " wherever both are taken", true
	case "only-while-holding":
		return b.the(r.B) + " is taken only while " + b.the(r.A) + " is held", true
	case "order":
		return b.many(r.A) + " are taken " + inOrder(r.B), true
	case "write-under":
		return "rows of " + b.relation(r.B) + " are written only while " + b.the(r.A) + " is held", true
	case "scope":
		return b.scopeText(r)
	}
	return "", false
}

// inOrder says the order that a rule names by its column, or as "sorted".
func inOrder(by string) string {
	switch by {
	case "none", "":
		return "in no fixed order"
	case "sorted":
		return "in sorted order"
	case "literal":
		return "in the order the code names them"
	case "given":
		return "in the order the code is given them"
	}
	return orderText("by " + strings.TrimPrefix(by, "by "))
}

func (b *book) scopeText(r *lockgraph.Rule) (string, bool) {
	what := b.the(r.A)
	switch r.A {
	case lockgraph.Advisory, lockgraph.Row, lockgraph.Table:
		what = "every " + r.A + " lock"
	}
	switch r.B {
	case lockgraph.Transaction:
		return what + " belongs to its transaction, so a commit or a rollback releases it", true
	case lockgraph.Session:
		return what + " belongs to its session and is held until it is unlocked", true
	}
	return "", false
}

// driftKinds are the findings that tell of one path beside others.
var driftKinds = []string{"divergent-path", "unlocked-write", "key-mismatch", "key-space-mix", "inconsistent-lock-order", "lock-order-cycle", "fk-cascade-cycle", "order-violation"}

// differences writes where a path does not do what the others do.
func (b *book) differences() string {
	var items []string
	for _, d := range b.m.Differences {
		if d.Form == lockgraph.FormKeys {
			head, rest, _ := strings.Cut(upperFirst(d.Text), ": ")
			items = append(items, wrap("**"+head+"**: "+b.shorten(rest)+".", "- ", "  "))
			continue
		}
		items = append(items, b.difference(&d))
	}
	for _, f := range b.m.Findings {
		// What is only possible stands with the graph, once for two classes.
		if !slices.Contains(driftKinds, f.Kind) || f.Severity == lockgraph.SeverityNote && f.Check == "lockorder" ||
			f.Kind == "divergent-path" && b.saysBroken(&f) || f.Kind == "unlocked-write" && (f.Severity == lockgraph.SeverityNote || b.saysWrite(&f)) {
			continue
		}
		text := upperFirst(b.shorten(f.Message))
		if f.Func != "" {
			text = "**" + b.fnCode(f.Func) + "**: " + b.shorten(f.Message)
		}
		items = append(items, wrap(text+" ("+code(f.Kind)+").", "- ", "  "))
	}
	if len(items) == 0 {
		return wrap("Nowhere: no path breaks a rule that others keep.", "", "")
	}
	return foldedList(items, maxOpen, "difference")
}

// saysBroken reports whether a difference says which rule a path breaks.
func (b *book) saysBroken(f *lockgraph.Finding) bool {
	return slices.ContainsFunc(b.m.Differences, func(d lockgraph.Difference) bool {
		return d.Rule != "" && strings.HasPrefix(f.Fingerprint, f.Kind+"/"+d.Rule+"/")
	})
}

// saysWrite reports whether a difference says what an unlocked write does.
func (b *book) saysWrite(f *lockgraph.Finding) bool {
	for _, d := range b.m.Differences {
		if !strings.HasPrefix(d.Rule, lockgraph.FormWriteUnder+"/") {
			continue
		}
		same := false
		for _, c := range d.Classes {
			rel, ok := strings.CutPrefix(c, "row ")
			same = same || ok && strings.Contains(f.Fingerprint, "/"+rel+"/")
		}
		for _, x := range f.Related {
			if same && slices.Contains(d.Funcs, x.Func) {
				return true
			}
		}
	}
	return false
}

func (b *book) difference(d *lockgraph.Difference) string {
	var names []string
	for _, f := range d.Funcs {
		names = append(names, b.fn(f))
	}
	i := slices.IndexFunc(b.m.Rules, func(r lockgraph.Rule) bool { return r.ID == d.Rule })
	text, rule := "", ""
	if i >= 0 && d.Rule != "" {
		text, rule = b.breaks(d, &b.m.Rules[i]), " (rule "+strconv.Itoa(i+1)+")"
	}
	switch {
	case d.Form == lockgraph.FormSiblings && len(d.Classes) == 1:
		text = b.siblings(d)
	case len(names) == 0:
		text = upperFirst(b.shorten(strings.TrimSuffix(d.Text, ".")))
	case text != "":
		text = "**" + list(codes(names), 5) + "** " + text
	default:
		text = "**" + list(codes(names), 5) + "**: " + b.shorten(strings.TrimSuffix(d.Text, "."))
	}
	return wrap(text+rule+".", "- ", "  ")
}

// siblings tells of paths that do one thing with a lock at different points.
func (b *book) siblings(d *lockgraph.Difference) string {
	var first, peers []string
	for _, f := range d.Funcs {
		if slices.Contains(d.Peers, f) {
			peers = append(peers, b.fn(f))
		} else {
			first = append(first, b.fn(f))
		}
	}
	s := "s"
	if len(first) > 1 {
		s = ""
	}
	leave := " leave"
	if len(peers) == 1 {
		leave = " leaves"
	}
	who := "**" + list(codes(first), 5) + "** "
	if d.Via == "" {
		return who + "lock" + s + " rows of " + b.relation(d.Classes[0]) + " before writing them; " +
			list(codes(peers), 5) + leave + " it to the statement that writes"
	}
	_, others, _ := strings.Cut(d.Text, "; ")
	return who + "take" + s + " " + b.the(d.Classes[0]) + " no sooner than in " + code(d.Via) + "; " + others
}

// breaks says what paths do that break a rule; "" for a form it does not
// know.
func (b *book) breaks(d *lockgraph.Difference, r *lockgraph.Rule) string {
	s, not := "s", "does not take "
	if len(d.Funcs) != 1 {
		s, not = "", "do not take "
	}
	rest := "; " + thousands(r.Support) + " of " + plural(r.Of, "path", "paths")
	x, y := b.the(r.A), b.the(r.B)
	switch r.Form {
	case "first":
		return not + x + " first in a " + b.fnCode(r.Kind) + " transaction" + rest + " do"
	case "before":
		if r.Declared {
			return "take" + s + " " + y + " before " + x + ", against the declared order"
		}
		return "take" + s + " " + y + " before " + x + rest + " take " + x + " first"
	case "only-while-holding":
		return "take" + s + " " + y + " without holding " + x + rest + " hold it"
	case "write-under":
		return "write" + s + " rows of " + b.relation(r.B) + " without holding " + x + rest + " hold it"
	case "order":
		return "take" + s + " " + b.many(r.A) + " " + inOrder(d.Instead) + rest + " take them " + inOrder(r.B)
	}
	return ""
}

func (b *book) relation(class string) string {
	if c := b.classes[class]; c != nil && c.Relation != "" {
		return code(c.Relation)
	}
	return b.the(class)
}

// shorten writes symbols and class ids in a text as the page names them.
func (b *book) shorten(text string) string {
	var names []string
	for full := range b.short {
		if strings.ContainsAny(full, "/(") && strings.Contains(text, full) {
			names = append(names, full)
		}
	}
	for id := range b.labels {
		if len(id) > 40 && strings.Contains(text, id) {
			names = append(names, id)
		}
	}
	// Longest first: one symbol can be the beginning of another.
	slices.SortFunc(names, func(x, y string) int {
		if len(x) != len(y) {
			return len(y) - len(x)
		}
		return strings.Compare(x, y)
	})
	for _, full := range names {
		if l, ok := b.labels[full]; ok {
			text = strings.ReplaceAll(text, full, l)
			continue
		}
		text = strings.ReplaceAll(text, "`"+full+"`", b.fnCode(full))
		text = strings.ReplaceAll(text, full, b.fnCode(full))
	}
	return text
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
