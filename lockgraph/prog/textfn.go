package prog

import (
	"strconv"
	"strings"
)

// reduceApply folds the text functions of the standard library over what is
// known of their arguments.
func reduceApply(v *Val) *Val {
	switch v.Str {
	case "fmt.Sprintf":
		return sprintf(v)
	case "fmt.Sprint":
		return reduceConcat(New(VConcat, "", flat(v.Of)...))
	case "strings.Join":
		return join(v)
	case Executed:
		return executed(v)
	case "strings.Replace", "strings.ReplaceAll":
		return replace(v)
	case "strings.TrimSpace", "strings.ToLower", "strings.ToUpper", "strings.Clone":
		return mapText(v)
	case "(*regexp.Regexp).ReplaceAllString", "(*regexp.Regexp).ReplaceAllLiteralString", "(*regexp.Regexp).ReplaceAllStringFunc":
		if len(v.Of) > 1 && isText(v.Of[1]) { // a few words changed: the statement is taken to be the same
			return bare(v.Of[1])
		}
	case "(*strings.Replacer).Replace":
		return replacer(v)
	case "strings.TrimSuffix", "strings.TrimPrefix":
		if s, ok := arg(v, 0); ok {
			if t, ok := arg(v, 1); ok {
				if v.Str == "strings.TrimSuffix" {
					return Text(strings.TrimSuffix(s, t))
				}
				return Text(strings.TrimPrefix(s, t))
			}
		}
	case "strings.Repeat":
		if s, ok := arg(v, 0); ok && len(v.Of) == 2 {
			if n, err := strconv.Atoi(strings.TrimPrefix(v.Of[1].Str, "i:")); err == nil && n >= 0 && n*len(s) < 4096 {
				return Text(strings.Repeat(s, n))
			}
		}
	case "strconv.Itoa", "strconv.FormatInt":
		if len(v.Of) > 0 && v.Of[0].Kind == VConst {
			if s, ok := strings.CutPrefix(v.Of[0].Str, "i:"); ok {
				return Text(s)
			}
		}
	case "strconv.Quote":
		if s, ok := arg(v, 0); ok {
			return Text(strconv.Quote(s))
		}
	}
	return v
}

func arg(v *Val, i int) (string, bool) {
	if i >= len(v.Of) {
		return "", false
	}
	return bare(v.Of[i]).AsText()
}

// flat returns the arguments of a variadic call, the list taken apart.
func flat(of []*Val) []*Val {
	if n := len(of); n > 0 && of[n-1].Kind == VList {
		return append(append([]*Val{}, of[:n-1]...), of[n-1].Of...)
	}
	return of
}

func sprintf(v *Val) *Val {
	if len(v.Of) == 0 {
		return v
	}
	c := bare(v.Of[0])
	pieces := []*Val{c}
	switch _, text := c.AsText(); {
	case c.Kind == VChoice && len(c.Of) <= maxChoice:
		var all []*Val
		for _, alt := range c.Of {
			if k := bare(alt).Kind; k != VConst && k != VConcat {
				return v
			}
			all = append(all, sprintf(New(VApply, v.Str, append([]*Val{alt}, v.Of[1:]...)...)))
		}
		return Choose(maxChoice, all...)
	case c.Kind == VConcat: // what is not known of the format is taken to have no verbs
		pieces = c.Of
	case !text:
		return v
	}
	f := &format{args: flat(v.Of)[1:]}
	for _, p := range pieces {
		s, text := bare(p).AsText()
		if !text {
			f.out = append(f.out, p)
			continue
		}
		if !f.text(s) {
			return v
		}
	}
	if len(f.out) == 0 {
		return Text("")
	}
	return reduceConcat(New(VConcat, "", f.out...))
}

// A format is the state of a formatted text.
type format struct {
	args []*Val
	next int
	out  []*Val
}

// text adds a piece of the format; false when it is no format.
func (f *format) text(format string) bool {
	for len(format) > 0 {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			f.out = append(f.out, Text(format))
			break
		}
		f.out = append(f.out, Text(format[:i]))
		format = format[i+1:]
		j := strings.IndexFunc(format, func(r rune) bool { return r == '%' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
		if j < 0 {
			return false
		}
		flags, verb := format[:j], format[j]
		format = format[j+1:]
		if verb == '%' {
			f.out = append(f.out, Text("%"))
			continue
		}
		if i := strings.IndexByte(flags, '['); i >= 0 {
			if n, err := strconv.Atoi(strings.Trim(flags[i:], "[]")); err == nil {
				f.next = n - 1
			}
		}
		if f.next < 0 || f.next >= len(f.args) {
			f.out = append(f.out, Hole("missing argument of a format"))
			continue
		}
		f.out = append(f.out, formatted(f.args[f.next], verb))
		f.next++
	}
	return true
}

// formatted returns one argument as a verb prints it.
func formatted(a *Val, verb byte) *Val {
	b := bare(a)
	if b.Kind == VConst {
		if s, ok := b.AsText(); ok {
			if verb == 'q' {
				return Text(strconv.Quote(s))
			}
			return b
		}
		if _, s, ok := strings.Cut(b.Str, ":"); ok {
			return Text(s)
		}
	}
	if b.Kind == VChoice && allText(b.Of) && verb != 'q' {
		return b
	}
	if verb == 'q' {
		return New(VConcat, "", Text(`"`), b, Text(`"`))
	}
	return b
}

func join(v *Val) *Val {
	if len(v.Of) != 2 {
		return v
	}
	if parts := bare(v.Of[0]); parts.Kind == VApply && parts.Str == "strings.Split" && len(parts.Of) == 2 { // placeholders put in the place of marks
		return replace(New(VApply, "strings.ReplaceAll", parts.Of[0], parts.Of[1], Hole("what a text is split by")))
	}
	var all []*Val
	for _, list := range items(v.Of[0], 0) {
		out := &Val{Kind: VConcat}
		for i, o := range list {
			if i > 0 {
				out.Of = append(out.Of, v.Of[1])
			}
			out.Of = append(out.Of, bare(o))
		}
		if len(out.Of) == 0 {
			all = append(all, Text(""))
			continue
		}
		all = append(all, reduceConcat(out))
	}
	if len(all) == 0 {
		return v
	}
	return Choose(maxChoice, all...)
}

// items returns the lists that a slice can be, by what is appended to it and
// on which ways; nil for one that a loop appends to.
func items(v *Val, depth int) [][]*Val {
	if v = bare(v); v == nil || depth > 12 {
		return nil
	}
	switch v.Kind {
	case VList:
		return [][]*Val{v.Of}
	case VConst:
		if v.IsNil() {
			return [][]*Val{nil}
		}
	case VChoice:
		var out [][]*Val
		for _, o := range v.Of {
			lists := items(o, depth+1)
			if lists == nil {
				return nil
			}
			out = append(out, lists...)
		}
		if len(out) <= maxTexts {
			return out
		}
	case VApply:
		if strings.HasPrefix(v.Str, If) && len(v.Of) == 3 {
			return items(New(VChoice, "", v.Of[1:]...), depth+1)
		}
		if v.Str != "go:append" || len(v.Of) != 2 {
			return nil
		}
		first, more := items(v.Of[0], depth+1), items(v.Of[1], depth+1)
		var out [][]*Val
		for _, a := range first {
			for _, b := range more {
				out = append(out, append(append([]*Val{}, a...), b...))
			}
		}
		if len(out) <= maxTexts {
			return out
		}
	}
	return nil
}

func replace(v *Val) *Val {
	if len(v.Of) < 3 {
		return v
	}
	old, ok := arg(v, 1)
	if !ok || old == "" {
		return v
	}
	var apply func(t *Val) *Val
	apply = func(t *Val) *Val {
		t = bare(t)
		switch t.Kind {
		case VConst:
			s, ok := t.AsText()
			if !ok {
				return t
			}
			parts := strings.Split(s, old)
			out := &Val{Kind: VConcat}
			for i, p := range parts {
				if i > 0 {
					out.Of = append(out.Of, bare(v.Of[2]))
				}
				out.Of = append(out.Of, Text(p))
			}
			return reduceConcat(out)
		case VConcat, VChoice:
			out := &Val{Kind: t.Kind}
			for _, o := range t.Of {
				out.Of = append(out.Of, apply(o))
			}
			return reduce(out)
		}
		return t
	}
	return apply(v.Of[0])
}

// isText reports a text of which a part is known.
func isText(v *Val) bool {
	v = bare(v)
	if v.Kind == VChoice {
		return allTexts(v.Of)
	}
	t, ok := textOf(v)
	return ok && strings.Trim(t, "?") != ""
}

// replacer applies the pairs of a strings.Replacer, one after the other; a
// replacer that is not known leaves the text as it is.
func replacer(v *Val) *Val {
	if len(v.Of) != 2 || !isText(v.Of[1]) {
		return v
	}
	out := bare(v.Of[1])
	if r := bare(v.Of[0]); r.Kind == VApply && r.Str == "strings.NewReplacer" {
		pairs := flat(r.Of)
		for i := 0; i+1 < len(pairs); i += 2 {
			out = replace(New(VApply, "strings.ReplaceAll", out, pairs[i], pairs[i+1]))
			if out.Kind == VApply && len(out.Of) == 3 {
				out = bare(out.Of[0])
			}
		}
	}
	return out
}

func mapText(v *Val) *Val {
	fn := map[string]func(string) string{"strings.TrimSpace": strings.TrimSpace, "strings.ToLower": strings.ToLower,
		"strings.ToUpper": strings.ToUpper, "strings.Clone": strings.Clone}[v.Str]
	if s, ok := arg(v, 0); ok {
		return Text(fn(s))
	}
	if t := bare(v.Of[0]); v.Str == "strings.TrimSpace" && (t.Kind == VConcat || t.Kind == VChoice) {
		return t
	}
	return v
}

// Executed applied to a template is the text that it makes.
const Executed = "template text"

// executed returns the text of a template: an action is a hole, or nothing
// where it only steers.
func executed(v *Val) *Val {
	parsed := inside(v, func(o *Val) bool {
		return o.Kind == VApply && strings.HasSuffix(o.Str, "/template.Template).Parse") && len(o.Of) > 1
	}, 0)
	if parsed == nil {
		return v
	}
	text, ok := bare(parsed.Of[1]).AsText()
	if !ok {
		return v
	}
	out := &Val{Kind: VConcat}
	for len(text) > 0 {
		before, rest, found := strings.Cut(text, "{{")
		out.Of = append(out.Of, Text(before))
		if !found {
			break
		}
		action, after, _ := strings.Cut(rest, "}}")
		word := strings.Fields(strings.Trim(action, "- ") + " ")
		if len(word) == 0 || !steers[word[0]] && !strings.HasPrefix(word[0], "/*") {
			out.Of = append(out.Of, Hole("an action of a template"))
		}
		text = after
	}
	return reduceConcat(out)
}

// steers are the actions of a template that write nothing.
var steers = map[string]bool{"if": true, "else": true, "end": true, "range": true, "with": true, "define": true, "block": true, "break": true, "continue": true}
