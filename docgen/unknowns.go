package docgen

import (
	"slices"
	"strings"
)

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
		if u.Kind == "package" {
			continue // what its errors are is the build's to say
		}
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
	if bad := b.unread(); len(bad) > 0 {
		w.WriteString(wrap("Not read to the end, for the build has errors there, which `go build` names ("+thousands(len(bad))+"): "+list(codes(bad), 12)+".", "- ", "  "))
	}
	return w.String()
}

// unread are the packages and modules with errors.
func (b *book) unread() []string {
	var out []string
	for _, u := range b.m.Unknowns {
		if u.Kind == "package" {
			name, _, _ := strings.Cut(u.Reason, " ")
			out = once(out, strings.TrimPrefix(strings.TrimSuffix(name, ":"), b.m.Module+"/"))
		}
	}
	return out
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
