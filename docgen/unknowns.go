package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
)

// maxPlaces is how many places of one reason are named; "check -v" names all.
const maxPlaces = 12

// A reason is why something was not seen, with the places and, where it is
// about names, the names.
type reason struct {
	text  string
	names []string
	where []string
	bare  bool // the places say no more than the names
}

// kindred are the reasons that differ in a name only: those are told as one,
// with the names, and without the places where those say no more.
var kindred = []struct {
	like  *lazyregexp.Regexp
	text  string
	named bool // tell the names
	bare  bool // leave the places out
}{
	{lazyregexp.New("^relation (\\S+) is not in the schema$"), "relations that are not in the schema", true, false},
	{lazyregexp.New("^function (\\S+) is not in the schema$"), "functions that are not in the schema", true, false},
	{lazyregexp.New("^index (\\S+) is not in the schema$"), "indexes that are not in the schema", true, false},
	{lazyregexp.New("^the walk of `?([^`\\s]+)`? is cut at its limit of \\d+ steps$"), "paths that have more steps than are followed", true, true},
	{lazyregexp.New("^`?([^`\\s]+)`? calls itself; two rounds are followed$"), "functions that call themselves, of which two rounds are followed", true, true},
	{lazyregexp.New("^call of method (\\S+) can reach \\d+ functions that lock; \\d+ are followed$"), "calls of methods that can reach more functions that lock than are followed", true, false},
	{lazyregexp.New("^the text of the statement is not known: it is a parameter of (\\S+)$"), "the text of the statement is not known: it is a parameter", false, false},
	{lazyregexp.New("^the text of the statement is not known: it is computed by (\\S+)$"), "the text of the statement is not known: it is computed by other code", true, false},
	{lazyregexp.New("^the text of the statement is not known: it is read from field (\\S+)$"), "the text of the statement is not known: it is read from a field", true, false},
	{lazyregexp.New("^the text of the statement is not known: it is the variable (\\S+)$"), "the text of the statement is not known: it is a variable", true, false},
}

// unknowns counts and lists what the analysis could not see, by reason.
func (b *book) unknowns() string {
	if len(b.m.Unknowns) == 0 {
		return wrap("Nothing: every statement and every call on a path was followed to its end.", "", "")
	}
	var w strings.Builder
	w.WriteString(wrap(sentence(plural(len(b.m.Unknowns), "place", "places")+" could not be followed. What stands above may lack locks that are taken there"), "", "") + "\n")
	var items []string
	for _, r := range b.reasons() {
		n := len(r.where)
		if r.bare {
			n = len(codes(r.names))
		}
		text := upperFirst(r.text) + " (" + thousands(n) + "): "
		switch {
		case r.bare:
			text += list(codes(r.names), maxPlaces)
		case len(r.names) > 0:
			text += list(codes(r.names), maxPlaces) + "; in " + list(counted(r.where), maxPlaces)
		default:
			text += list(counted(r.where), maxPlaces)
		}
		items = append(items, wrap(sentence(text), "- ", "  "))
	}
	if bad := b.unread(); len(bad) > 0 {
		items = append(items, wrap("Not read to the end, for the build has errors there, which `go build` names ("+thousands(len(bad))+"): "+list(codes(bad), maxPlaces)+".", "- ", "  "))
	}
	w.WriteString(foldedList(items, maxOpen, "reason"))
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
		is := reason{text: b.shorten(strings.TrimSuffix(u.Reason, "."))}
		for _, k := range kindred {
			if m := k.like.FindStringSubmatch(is.text); m != nil {
				is = reason{text: k.text, bare: k.bare}
				if k.named {
					is.names = []string{strings.NewReplacer("(*", "", ")", "").Replace(m[1])}
				}
				break
			}
		}
		i := slices.IndexFunc(out, func(r *reason) bool { return r.text == is.text })
		if i < 0 {
			i = len(out)
			out = append(out, &reason{text: is.text, bare: is.bare})
		}
		where := u.Func
		if where == "" {
			where = u.File
		}
		if where == "" {
			where = "the whole program"
		}
		out[i].where = append(out[i].where, b.fn(where))
		out[i].names = append(out[i].names, is.names...)
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
