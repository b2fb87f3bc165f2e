package locksummary

import (
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// maxArg bounds how deep an argument is looked into.
const maxArg = 12

// A converter describes one chain to its renderer.
type converter struct {
	r     *Resolver
	lib   string
	refs  []*prog.Val // by dbapi.Arg.Ref; the first stands for no value
	holes []*prog.Val // by the number of their name in texts
	open  bool        // a step that may have been taken is not known
}

func (c *converter) ref(v *prog.Val) int {
	c.refs = append(c.refs, v)
	return len(c.refs) - 1
}

// steps returns the steps of a chain, oldest first.
func (c *converter) steps(v *prog.Val) []dbapi.Step {
	v = unwrapped(v)
	if v != nil && v.Kind == prog.VApply && v.Str == "github.com/Masterminds/squirrel.Expr" {
		return []dbapi.Step{{Lib: "squirrel", Method: "Expr", Args: c.arg(v, 0).List}}
	}
	if v != nil && v.Kind == prog.VApply && v.Str == "github.com/doug-martin/goqu/v9.L" {
		return []dbapi.Step{{Lib: "goqu", Method: "L", Args: c.arg(v, 0).List}}
	}
	if v == nil || v.Kind != prog.VMod || len(v.Of) == 0 {
		return nil
	}
	words := strings.Fields(v.Str)
	if len(words) < 2 || words[0] == "bind" || words[0] == "stmt" {
		return nil
	}
	out := c.steps(v.Of[0])
	if prog.IsGrown(v) && len(v.Of) == 2 {
		return append(out, c.grown(v.Of[1])...)
	}
	st := dbapi.Step{Lib: words[0], Method: strings.TrimSuffix(words[1], "Context")}
	if words[0] != "squirrel" && words[0] != "goqu" {
		st.Method = words[1]
	}
	bound := -1
	if len(words) > 2 {
		bound, _ = strconv.Atoi(words[2])
	}
	for i, a := range v.Of[1:] {
		if i+1 == bound {
			continue
		}
		if u := unwrapped(a); u != nil && u.Kind == prog.VApply && u.Str == prog.Scope && u.Of[0].Kind != prog.VConcat && len(c.steps(u.Of[0])) == 0 {
			continue // a scope that adds nothing
		}
		st.Args = append(st.Args, c.arg(a, 0))
	}
	if st.Method == "PlaceholderFormat" || st.Method == "RunWith" { // it says nothing of the text as it is here
		return out
	}
	if st.Method == "Session" && len(st.Args) == 1 && st.Args[0].Fields["NewDB"].Text == "true" {
		return nil
	}
	return append(out, st)
}

// grown returns the steps that a chain may have taken, where those are not
// followed one way after the other: what an UPDATE or INSERT sets counts as
// set, and what says which rows there are is left out, which leaves all of
// them. Other steps are not known.
func (c *converter) grown(more *prog.Val) []dbapi.Step {
	more = unwrapped(more)
	if !idle(more) {
		c.open = true
		return nil
	}
	var out []dbapi.Step
	for _, m := range prog.Alternatives(more) {
		for _, s := range c.steps(m) {
			if dbapi.Sets(s.Method) {
				out = append(out, s)
			}
		}
	}
	return out
}

// arg describes one value.
func (c *converter) arg(v *prog.Val, depth int) dbapi.Arg {
	if v == nil || depth > maxArg {
		return dbapi.Arg{}
	}
	switch v.Kind {
	case prog.VHandle:
		return c.arg(v.Of[0], depth+1)
	case prog.VResult:
		if len(v.Of) == 1 {
			return c.arg(v.Of[0], depth+1)
		}
	case prog.VIface:
		return c.typed(v, depth)
	case prog.VConst:
		return c.constant(v)
	case prog.VConcat:
		return dbapi.Arg{Text: c.template(v), Known: true, Type: "string", Ref: c.ref(v)}
	case prog.VList:
		a := dbapi.Arg{List: []dbapi.Arg{}, Ref: c.ref(v)}
		for _, o := range v.Of {
			a.List = append(a.List, c.arg(o, depth+1))
		}
		return a
	case prog.VRecord:
		return c.record(v, depth)
	case prog.VMod:
		if lib, _, _ := strings.Cut(v.Str, " "); lib == "bind" || lib == "stmt" || lib == "hash" {
			break
		}
		return dbapi.Arg{Chain: c.steps(v), Ref: c.ref(v)}
	case prog.VApply:
		if v.Str == prog.Scope && v.Of[0].Kind == prog.VConcat {
			return dbapi.Arg{Call: dbapi.Amended, List: []dbapi.Arg{{Text: c.amended(v.Of[0]), Known: true}}}
		}
		if v.Str == prog.Scope {
			return dbapi.Arg{Chain: c.steps(v.Of[0])}
		}
		a := dbapi.Arg{Call: v.Str, List: []dbapi.Arg{}, Ref: c.ref(v)}
		for _, o := range spread(v.Of) {
			a.List = append(a.List, c.arg(o, depth+1))
		}
		return a
	case prog.VHole:
		return dbapi.Arg{}
	case prog.VField:
		return dbapi.Arg{Name: fieldName(v), Ref: c.ref(v)}
	}
	return dbapi.Arg{Ref: c.ref(v)}
}

// fieldName returns the name of the exported field that a value is read from,
// itself or through what that embeds.
func fieldName(v *prog.Val) string {
	for v != nil && v.Kind == prog.VField && len(v.Of) > 0 {
		if name := v.Str[strings.LastIndexByte(v.Str, '.')+1:]; token.IsExported(name) {
			return name
		}
		v = v.Of[0]
	}
	return ""
}

// spread takes the slice of variadic arguments apart.
func spread(of []*prog.Val) []*prog.Val {
	if n := len(of); n > 1 && of[n-1].Kind == prog.VList {
		return append(append([]*prog.Val{}, of[:n-1]...), of[n-1].Of...)
	}
	return of
}

func (c *converter) constant(v *prog.Val) dbapi.Arg {
	if v.IsNil() {
		return dbapi.Arg{Text: "nil", Known: true, Type: "untyped nil"}
	}
	kind, text, _ := strings.Cut(v.Str, ":")
	return dbapi.Arg{Text: text, Known: true, Ref: c.ref(v), Type: map[string]string{"s": "string", "i": "int", "f": "float64", "b": "bool"}[kind]}
}

// amended writes what a function makes of a text.
func (c *converter) amended(v *prog.Val) string {
	var b strings.Builder
	for i, p := range v.Of {
		if u := unwrapped(p); u != nil && u.Kind == prog.VHole && u.Str == prog.Scope {
			b.WriteString(dbapi.AmendedText)
		} else {
			b.WriteString(c.template(prog.New(prog.VConcat, "", v.Of[i])))
		}
	}
	return b.String()
}

// template writes text with the names of holes for what is not known.
func (c *converter) template(v *prog.Val) string {
	var b strings.Builder
	for _, p := range v.Of {
		if s, ok := unwrapped(p).AsText(); ok {
			b.WriteString(s)
			continue
		}
		c.holes = append(c.holes, p)
		b.WriteString(prog.HoleName(len(c.holes)))
	}
	return b.String()
}

// record describes a composite literal: fields of a struct by name, entries
// of a map by key.
func (c *converter) record(v *prog.Val, depth int) dbapi.Arg {
	a := dbapi.Arg{Type: v.Str, Fields: map[string]dbapi.Arg{}, Ref: c.ref(v)}
	for _, in := range v.Of {
		if in.Kind != prog.VInit || len(in.Of) == 0 {
			continue
		}
		name := in.Str
		if key, ok := strings.CutPrefix(name, "s:"); ok {
			if s, err := strconv.Unquote(key); err == nil {
				key = s
			}
			name = key
		} else if i := strings.LastIndexByte(name, '.'); i >= 0 {
			name = name[i+1:]
		} else {
			continue // a key that is computed
		}
		a.Fields[name] = c.arg(in.Of[0], depth+1)
	}
	c.model(&a, v.Str, v)
	if a.Model != nil {
		a.Same = unassigned(v, a.Model)
	}
	return a
}

// unassigned returns the fields of a struct that hold the same field of the
// value that its key is from: nothing was assigned to them since it was read.
func unassigned(v *prog.Val, m *dbapi.Model) map[string]bool {
	var key *prog.Val
	from := map[string]*prog.Val{}
	for _, in := range v.Of {
		if in.Kind != prog.VInit || len(in.Of) == 0 {
			continue
		}
		f := unwrapped(in.Of[0])
		if f == nil || f.Kind != prog.VField || f.Str != in.Str || len(f.Of) == 0 {
			continue
		}
		name := in.Str[strings.LastIndexByte(in.Str, '.')+1:]
		from[name] = f.Of[0]
		if len(m.Keys) > 0 && slices.ContainsFunc(m.Columns, func(c dbapi.Column) bool { return c.Field == name && c.Name == m.Keys[0] }) {
			key = f.Of[0]
		}
	}
	if key == nil {
		return nil
	}
	same := map[string]bool{}
	for name, of := range from {
		same[name] = prog.Equal(of, key)
	}
	return same
}

// typed describes a value whose Go type is known.
func (c *converter) typed(v *prog.Val, depth int) dbapi.Arg {
	in := v.Of[0]
	a := c.arg(in, depth+1)
	typ := v.Str
	if t := strings.TrimLeft(typ, "*"); strings.HasPrefix(t, "[]") {
		typ = t // a pointer to a slice is a slice to every library
	}
	if a.Type == "" || in.Kind == prog.VRecord || in.Kind == prog.VList || dbapi.Verbatim(typ) {
		a.Type = typ
	}
	if dbapi.Verbatim(typ) && !a.Known { // a part of the text
		a.Known, a.Text = true, c.template(prog.New(prog.VConcat, "", in))
	}
	if a.Model == nil {
		c.model(&a, v.Str, in)
	}
	return a
}

// model finds the table that a model argument stands for, and the value of
// its primary key.
func (c *converter) model(a *dbapi.Arg, typ string, v *prog.Val) {
	name := strings.TrimLeft(typ, "*[]")
	m := c.r.model(c.lib, name)
	if m == nil {
		a.Table = c.r.table(name)
		return
	}
	a.Model, a.Table = m, m.Table
	if strings.Contains(typ, "[]") || len(m.Keys) == 0 {
		return
	}
	for _, col := range m.Columns {
		if col.Name == m.Keys[0] {
			if f, ok := a.Fields[col.Field]; ok {
				a.Key = f.Ref
			} else if root := rooted(v); root != nil && root.Kind != prog.VRecord {
				a.Key = c.ref(c.r.fieldOf(name, col.Field, root))
			}
			return
		}
	}
}

// rooted returns v bare, nil when nothing is known of it.
func rooted(v *prog.Val) *prog.Val {
	v = unwrapped(v)
	for x := v; x != nil; x = unwrapped(x.Of[0]) {
		if x.Kind == prog.VHole {
			return nil
		}
		if x.Kind != prog.VField && x.Kind != prog.VElem || len(x.Of) == 0 {
			break
		}
	}
	return v
}
