package docgen

import (
	"regexp"
	"slices"
	"strings"
)

// maxPlaces is how many places of one reason are named; "check -v" names all.
const maxPlaces = 12

// A reason is why something was not seen, with the places and, where it is
// about names, the names.
type reason struct {
	text  string
	names []string
	where []string
}

var notInSchema = regexp.MustCompile(`^(\w+) (\S+) is not in the schema$`)

// unknowns counts and lists what the analysis could not see, by reason.
func (b *book) unknowns() string {
	if len(b.m.Unknowns) == 0 {
		return wrap("Nothing: every statement and every call on a path was followed to its end.", "", "")
	}
	var w strings.Builder
	w.WriteString(wrap(sentence(plural(len(b.m.Unknowns), "place", "places")+" could not be followed. What stands above may lack locks that are taken there"), "", "") + "\n")
	for _, r := range b.reasons() {
		text := upperFirst(r.text) + " (" + thousands(len(r.where)) + "): "
		if len(r.names) > 0 {
			text += list(codes(r.names), maxPlaces) + "; in "
		}
		w.WriteString(wrap(sentence(text+list(counted(r.where), maxPlaces)), "- ", "  "))
	}
	if bad := b.unread(); len(bad) > 0 {
		w.WriteString(wrap("Not read to the end, for the build has errors there, which `go build` names ("+thousands(len(bad))+"): "+list(codes(bad), maxPlaces)+".", "- ", "  "))
	}
	return w.String()
}

// reasons sorts the unknowns by their reason, the commonest first. Packages
// with errors are left out: what those are is the build's to say.
func (b *book) reasons() []*reason {
	var out []*reason
	for _, u := range b.m.Unknowns {
		if u.Kind == "package" {
			continue
		}
		text, name := b.shorten(strings.TrimSuffix(u.Reason, ".")), ""
		if m := notInSchema.FindStringSubmatch(text); m != nil {
			kinds := map[string]string{"index": "indexes"}
			if kinds[m[1]] == "" {
				kinds[m[1]] = m[1] + "s"
			}
			text, name = kinds[m[1]]+" that are not in the schema", m[2]
		}
		i := slices.IndexFunc(out, func(r *reason) bool { return r.text == text })
		if i < 0 {
			i = len(out)
			out = append(out, &reason{text: text})
		}
		where := u.Func
		if where == "" {
			where = u.File
		}
		if where == "" {
			where = "the whole program"
		}
		out[i].where = append(out[i].where, b.fn(where))
		if name != "" {
			out[i].names = append(out[i].names, name)
		}
	}
	slices.SortStableFunc(out, func(x, y *reason) int {
		if len(x.where) != len(y.where) {
			return len(y.where) - len(x.where)
		}
		return strings.Compare(x.text, y.text)
	})
	return out
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
