package docgen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// rules writes what all paths, or nearly all, have in common.
func (b *book) rules() string {
	if len(b.m.Rules) == 0 {
		return wrap("No rule could be derived: no two paths take the same locks together, and none is declared.", "", "")
	}
	var w strings.Builder
	if slices.ContainsFunc(b.m.Rules, func(r lockgraph.Rule) bool { return r.Declared }) {
		w.WriteString(wrap("Rules are derived from the paths; those the team declared say so.", "", "") + "\n")
	}
	for i, r := range b.m.Rules {
		n := strconv.Itoa(i+1) + ". "
		w.WriteString(wrap(b.rule(&r), n, strings.Repeat(" ", len(n))))
	}
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
		if r.Support == r.Of {
			notes = append(notes, "kept by "+plural(r.Of, "path", "paths"))
		} else {
			notes = append(notes, "kept by "+thousands(r.Support)+" of "+plural(r.Of, "path", "paths"))
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
		return "every transaction of " + b.fnCode(r.Kind) + " takes " + b.the(r.A) + " first", true
	case "before":
		return b.the(r.A) + " is taken before " + b.the(r.B) + " wherever both are taken", true
	case "only-while-holding":
		return b.the(r.B) + " is taken only while " + b.the(r.A) + " is held", true
	case "order":
		return "several instances of " + b.the(r.A) + " are taken " + orderText("by "+strings.TrimPrefix(r.B, "by ")), true
	case "write-under":
		row := b.the(r.B)
		if c := b.classes[r.B]; c != nil && c.Relation != "" {
			row = "rows of " + code(c.Relation)
		}
		return row + " are written only while " + b.the(r.A) + " is held", true
	case "scope":
		return b.scopeText(r)
	}
	return "", false
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
	told := map[string]bool{}
	for _, d := range b.m.Differences {
		for _, f := range d.Funcs {
			told[f] = true
		}
		items = append(items, b.difference(&d))
	}
	if ds := b.derivations(); len(ds) > 1 {
		var ways []string
		for _, d := range ds {
			ways = append(ways, lowerFirst(d.title))
		}
		items = append(items, wrap("**Advisory keys are built in "+plural(len(ds), "way", "ways")+"**: "+strings.Join(ways, "; ")+".", "- ", "  "))
	}
	for _, f := range b.m.Findings {
		if !slices.Contains(driftKinds, f.Kind) || f.Kind == "divergent-path" && told[f.Func] {
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
	return strings.Join(items, "")
}

func (b *book) difference(d *lockgraph.Difference) string {
	var names []string
	for _, f := range d.Funcs {
		names = append(names, b.fn(f))
	}
	text := b.shorten(d.Text)
	if len(names) > 0 {
		text = "**" + list(codes(names), 5) + "**: " + text
	}
	text = strings.TrimSuffix(sentence(text), ".")
	if i := slices.IndexFunc(b.m.Rules, func(r lockgraph.Rule) bool { return r.ID == d.Rule }); i >= 0 && d.Rule != "" {
		text += " (rule " + strconv.Itoa(i+1) + ")"
	}
	return wrap(text+".", "- ", "  ")
}

func lowerFirst(s string) string {
	if s == "" || s[0] == '`' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
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

// unknowns counts and lists what the analysis could not see, by reason.
func (b *book) unknowns() string {
	if len(b.m.Unknowns) == 0 {
		return wrap("Nothing: every statement and every call on a path was followed to its end.", "", "")
	}
	type reason struct {
		text  string
		where []string
	}
	var rs []*reason
	for _, u := range b.m.Unknowns {
		text := b.shorten(strings.TrimSuffix(u.Reason, "."))
		i := slices.IndexFunc(rs, func(r *reason) bool { return r.text == text })
		if i < 0 {
			i = len(rs)
			rs = append(rs, &reason{text: text})
		}
		where := u.Func
		if where == "" {
			where = u.File
		}
		if where == "" {
			where = "the whole program"
		}
		rs[i].where = append(rs[i].where, b.fn(where))
	}
	slices.SortStableFunc(rs, func(x, y *reason) int {
		if len(x.where) != len(y.where) {
			return len(y.where) - len(x.where)
		}
		return strings.Compare(x.text, y.text)
	})
	var w strings.Builder
	w.WriteString(wrap(sentence(plural(len(b.m.Unknowns), "place", "places")+" could not be followed. What stands above may lack locks that are taken there"), "", "") + "\n")
	for _, r := range rs {
		w.WriteString(wrap(sentence(upperFirst(r.text)+" ("+thousands(len(r.where))+"): "+list(counted(r.where), 0)), "- ", "  "))
	}
	return w.String()
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// counted lists names once each, with how often they came.
func counted(names []string) []string {
	n := map[string]int{}
	for _, x := range names {
		n[x]++
	}
	var out []string
	for _, x := range sortedKeys(n) {
		text := code(x)
		if x == "the whole program" {
			text = x
		}
		if n[x] > 1 {
			text += " (" + plural(n[x], "time", "times") + ")"
		}
		out = append(out, text)
	}
	return out
}
