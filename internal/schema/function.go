package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

func (a *applier) createFunction(s *pgsql.CreateFunctionStmt) {
	parts := pgsql.Strings(s.Funcname)
	if len(parts) == 0 {
		return
	}
	rv := rangeVar(parts)
	if rv.Schemaname == "" {
		rv.Schemaname = a.creation()
	}
	f := &Function{
		Name: qualify(rv.Schemaname, rv.Relname), Procedure: s.IsProcedure, Volatility: "volatile",
		File: a.file, Line: a.line, Directive: directive(a.st.Lead), Language: "sql",
	}
	for _, n := range s.Parameters {
		if p := n.GetFunctionParameter(); p != nil {
			f.Args = append(f.Args, Arg{Name: p.Name, Type: pgsql.TypeName(p.ArgType), Mode: mode(p.Mode), Default: pgsql.Expr(p.Defexpr)})
		}
	}
	f.returns(s.ReturnType)
	a.options(f, s.Options)
	if s.SqlBody != nil {
		a.atomicBody(f)
	}
	a.enter(f)
}

// enter adds a function, in the place of one with the same input types.
func (a *applier) enter(f *Function) {
	list := a.Functions[f.Name]
	for i, g := range list {
		if f.sameInputs(g) {
			list[i] = f
			return
		}
	}
	a.putFunctions(f.Name, append(list, f))
}

func (f *Function) sameInputs(g *Function) bool {
	return slices.EqualFunc(f.Inputs(), g.Inputs(), func(x, y Arg) bool { return sameType(x.Type, y.Type) })
}

func mode(m pgsql.FunctionParameterMode) string {
	switch m {
	case pgsql.FunctionParameterMode_FUNC_PARAM_OUT:
		return "out"
	case pgsql.FunctionParameterMode_FUNC_PARAM_INOUT:
		return "inout"
	case pgsql.FunctionParameterMode_FUNC_PARAM_VARIADIC:
		return "variadic"
	case pgsql.FunctionParameterMode_FUNC_PARAM_TABLE:
		return "table"
	}
	return "in"
}

func (f *Function) returns(t *pgsql.TypeRef) {
	if t != nil {
		f.SetOf = t.Setof
		f.Returns = strings.TrimPrefix(pgsql.TypeName(t), "setof ")
		return
	}
	var out []string
	for _, arg := range f.Args {
		switch arg.Mode {
		case "table":
			f.SetOf = true
			out = append(out, arg.Type)
		case "out", "inout":
			out = append(out, arg.Type)
		}
	}
	switch {
	case len(out) > 1:
		f.Returns = "record"
	case len(out) == 1:
		f.Returns = out[0]
	}
}

// options applies the options that CREATE and ALTER FUNCTION share, and the
// body.
func (a *applier) options(f *Function, options []*pgsql.Node) {
	for _, n := range options {
		d := n.GetDefElem()
		switch d.GetDefname() {
		case "language":
			f.Language = strings.ToLower(d.Arg.GetString_().GetSval())
		case "volatility":
			f.Volatility = d.Arg.GetString_().GetSval()
		case "strict":
			f.Strict = d.Arg.GetBoolean().GetBoolval()
		case "set":
			f.set(d.Arg.GetVariableSetStmt())
		case "as":
			if body := pgsql.Strings(d.Arg.GetList().GetItems()); len(body) == 1 {
				f.Body = body[0]
				f.BodyLine = a.line
				a.locateBody(f)
			}
		}
	}
}

func (f *Function) set(s *pgsql.VariableSetStmt) {
	if s == nil {
		return
	}
	settings := maps.Clone(f.Settings)
	if settings == nil {
		settings = make(map[string]string)
	}
	switch s.Kind {
	case pgsql.VariableSetKind_VAR_SET_VALUE:
		var vs []string
		for _, v := range s.Args {
			if str := v.GetAConst().GetSval(); str != nil {
				vs = append(vs, str.Sval)
			} else {
				vs = append(vs, pgsql.Expr(v))
			}
		}
		settings[s.Name] = strings.Join(vs, ", ")
	case pgsql.VariableSetKind_VAR_RESET_ALL:
		clear(settings)
	default:
		delete(settings, s.Name)
	}
	f.Settings = settings
}

// locateBody finds the line on which the body's first character stands.
func (a *applier) locateBody(f *Function) {
	toks := significant(a.st.Text)
	for i, t := range toks {
		if i > 0 && t.Kind == pgsql.Literal && toks[i-1].Is("as") && t.Value() == f.Body {
			f.BodyLine = a.lineAt(t.ValueStart())
			return
		}
	}
}

// significant are the tokens of a text without its comments.
func significant(text string) []pgsql.Token {
	toks, _ := pgsql.Scan(text)
	return slices.DeleteFunc(toks, func(t pgsql.Token) bool { return t.Kind == pgsql.Comment })
}

// atomicBody takes the text of a body written in SQL itself. RETURN expr
// becomes SELECT expr, which means the same and is as long.
func (a *applier) atomicBody(f *Function) {
	f.Atomic = true
	toks := significant(a.st.Text)
	start, end, parens := -1, len(a.st.Text), 0
	var returns []int
	for i, t := range toks {
		switch {
		case t.Is("("):
			parens++
		case t.Is(")"):
			parens--
		case parens > 0:
		case start < 0 && t.Is("atomic") && i > 0 && toks[i-1].Is("begin"):
			start = t.End
			if last := toks[len(toks)-1]; last.Is("end") {
				end = last.Start
			}
		case start < 0 && t.Is("return"):
			start = t.Start
			returns = append(returns, t.Start)
		case start >= 0 && t.Is("return") && (toks[i-1].Is(";") || toks[i-1].Is("atomic")):
			returns = append(returns, t.Start)
		}
	}
	if start < 0 || start > end {
		return
	}
	body := []byte(a.st.Text[:end])
	for _, at := range returns {
		copy(body[at:], "SELECT")
	}
	for start < end && strings.IndexByte(" \t\r\n", body[start]) >= 0 {
		start++
	}
	f.Body, f.BodyLine = strings.TrimRight(string(body[start:]), " \t\r\n"), a.lineAt(start)
}

// directive is the text of the "-- pglockdep:" lines directly above a
// statement.
func directive(lead string) string {
	text := strings.TrimRight(lead, " \t\r\n")
	if strings.Count(lead[len(text):], "\n") > 1 {
		return ""
	}
	lines := strings.Split(text, "\n")
	var out []string
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if !strings.HasPrefix(line, "--") {
			break
		}
		if text := strings.TrimSpace(strings.TrimLeft(line, "-")); strings.HasPrefix(text, "pglockdep:") {
			out = append(out, text)
		}
	}
	slices.Reverse(out)
	return strings.Join(out, "\n")
}

// meant are the functions that a name with or without types stands for.
func (a *applier) meant(o *pgsql.ObjectWithArgs) []*Function {
	if o == nil {
		return nil
	}
	rv := rangeVar(pgsql.Strings(o.Objname))
	all := a.functions(rv.Schemaname, rv.Relname)
	if o.ArgsUnspecified {
		return slices.Clone(all)
	}
	var types []string
	for _, n := range o.Objargs {
		types = append(types, pgsql.TypeName(n.GetTypeName()))
	}
	for _, f := range all {
		if slices.EqualFunc(f.Inputs(), types, func(x Arg, t string) bool { return sameType(x.Type, t) }) {
			return []*Function{f}
		}
	}
	return nil
}

func (a *applier) alterFunction(s *pgsql.AlterFunctionStmt) {
	for _, f := range a.meant(s.Func) {
		a.options(f, s.Actions)
	}
}

func (a *applier) dropFunction(o *pgsql.ObjectWithArgs, missingOk bool) {
	fs := a.meant(o)
	if len(fs) == 0 && !missingOk {
		a.missing("function", strings.Join(pgsql.Strings(o.GetObjname()), "."))
	}
	for _, f := range fs {
		a.Functions[f.Name] = slices.DeleteFunc(a.Functions[f.Name], func(g *Function) bool { return f == g })
		if len(a.Functions[f.Name]) == 0 {
			a.forgetFunction(f.Name)
		}
	}
}

// forgetFunction removes all functions of a name, with their triggers.
func (a *applier) forgetFunction(name string) {
	a.cutFunctions(name)
	for _, r := range a.Relations {
		r.Triggers = slices.DeleteFunc(r.Triggers, func(t *Trigger) bool { return t.Function == name })
	}
}

func (a *applier) moveFunctions(o *pgsql.ObjectWithArgs, to func(schemaName, name string) string) {
	for _, f := range a.meant(o) {
		s, n := a.split(f.Name)
		a.moveFunction(f, to(s, n))
	}
}

func (a *applier) moveFunction(f *Function, name string) {
	old := f.Name
	if old == name {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(a.Functions[old]), func(g *Function) bool { return f == g })
	if len(rest) == 0 {
		a.cutFunctions(old)
		for _, r := range a.Relations {
			for _, t := range r.Triggers {
				if t.Function == old {
					t.Function = name
				}
			}
		}
	} else {
		a.Functions[old] = rest
	}
	f.Name = name
	a.enter(f)
}
