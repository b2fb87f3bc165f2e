package lockkey

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A part is a value that a key is made of, by the name that the code gives it.
type part struct {
	name string // of a parameter or a field; "" where it has none
	of   string // a field: with its type
	form string // the letters that it is changed to: "lower case", "upper case", "as it is"
}

// A made is a take by the parts of its key.
type made struct {
	use
	parts []part
}

// parts are the takes of locks that could be one, by what tells those.
type parts map[string][]made

// add notes a take whose key is made of parts that have names; one with the
// same parts is noted once.
func (p parts) add(v *prog.View, tr *prog.Trace, t *prog.Take) {
	key := t.Class.Key
	list := partsOf(v.Program, t.Inst, asItIs, 0)
	if !varies(key) || len(list) == 0 || slices.ContainsFunc(list, func(x part) bool { return x.name == "" }) {
		return
	}
	of := t.Class.ID
	if key.Prefix != "" {
		of = strings.ToLower(stem(key)) + " " + how(key)
	}
	if !slices.ContainsFunc(p[of], func(m made) bool { return slices.Equal(m.parts, list) }) {
		p[of] = append(p[of], made{use{tr, t}, list})
	}
}

// partsOf returns the values that a key is made of, in order.
func partsOf(p *prog.Program, v *prog.Val, form string, depth int) []part {
	v = prog.Bare(v)
	if v == nil || depth > 12 {
		return []part{{}}
	}
	switch v.Kind {
	case prog.VConst, prog.VGlobal:
		return nil
	case prog.VConcat, prog.VList, prog.VApply:
		if v.Kind == prog.VApply {
			if f := letters[v.Str]; f != "" {
				form = f
			}
		}
		var out []part
		for _, o := range v.Of {
			out = append(out, partsOf(p, o, form, depth+1)...)
		}
		return out
	}
	out := part{name: p.NameOf(v), form: form}
	if v.Kind == prog.VField {
		out.of = v.Str
	}
	return []part{out}
}

const asItIs = "as it is"

// letters are the functions that leave a text in letters of one case.
var letters = map[string]string{"strings.ToLower": "lower case", "lower": "lower case", "strings.ToUpper": "upper case", "upper": "upper case"}

// report tells of keys that are made of the same values in two orders, or with
// their letters changed on one side alone. By their names they are the same.
func (p parts) report(c *pass.Collector) {
	for _, of := range sortedIDs(p) {
		all := p[of]
		for i, b := range all {
			for _, a := range all[:i] {
				if a.tr == b.tr {
					continue
				}
				switch {
				case swapped(a.parts, b.parts):
					differ(c, a, b, "the keys differ")
				case recased(a.parts, b.parts):
					differ(c, a, b, "the keys differ where the letters do")
				}
			}
		}
	}
}

// swapped reports the same names, each once, in two orders.
func swapped(a, b []part) bool {
	x, y := names(a), names(b)
	if slices.Equal(x, y) {
		return false
	}
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y) && len(slices.Compact(x)) == len(a)
}

// recased reports the same names in the same order, the letters of some changed
// on one side alone. A field may have been changed where it was set: it has to
// be the same one.
func recased(a, b []part) bool {
	if !slices.Equal(names(a), names(b)) {
		return false
	}
	for i := range a {
		if a[i].form != b[i].form {
			raw := a[i]
			if raw.form != asItIs {
				raw = b[i]
			}
			return raw.of == "" || a[i].of == b[i].of
		}
	}
	return false
}

func names(list []part) []string {
	var out []string
	for _, p := range list {
		out = append(out, strings.ToLower(p.name))
	}
	return out
}

func differ(c *pass.Collector, a, b made, why string) {
	name := a.t.Class.Display()
	if key := a.t.Class.Key; key.Prefix != "" {
		name = fmt.Sprintf("%q", stem(key))
	}
	related := append(append([]lockgraph.Frame{}, a.t.Witness()...), b.t.Witness()...)
	for _, m := range []struct{ at, other made }{{a, b}, {b, a}} {
		c.Add(m.at.tr, m.at.t.Node, pass.Fault{Kind: "key-mismatch", Severity: lockgraph.SeverityWarning, Names: []string{name}, Cut: m.at.t.Cut, Related: related,
			Message: fmt.Sprintf("locks of %s are made of %s here and of %s in %s (%s: neither keeps the other out)",
				name, m.at.told(m.other), m.other.told(m.at), lockgraph.Short(m.other.tr.Entry.Key), why),
			Hint: "make the key in one place, with one function"})
	}
}

// told names the parts of a key as they differ from those of another.
func (m made) told(other made) string {
	var out []string
	for i, p := range m.parts {
		if o := other.parts[i]; strings.EqualFold(p.name, o.name) && p.form != o.form {
			p.name += " (" + p.form + ")"
		}
		out = append(out, p.name)
	}
	return strings.Join(out, ", ")
}
