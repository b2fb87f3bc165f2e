package effect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// function finds the function of the catalog that a call means: by name,
// number of arguments, then by what is known of their types.
func (m *machine) function(f *pgsql.FuncCall, args []*prog.Val) *schema.Function {
	if f == nil || len(m.cat.Functions) == 0 {
		return nil
	}
	names := pgsql.Strings(f.GetFuncname())
	schemaName := ""
	if len(names) > 1 {
		schemaName = names[len(names)-2]
	}
	if len(names) == 0 || schemaName == "pg_catalog" {
		return nil
	}
	// A name of the server's own hides one that only the path leads to.
	name := names[len(names)-1]
	if schemaName == "" && known(name) && !slices.ContainsFunc(m.path(), func(s string) bool { return m.cat.Functions[qualified(s, name)] != nil }) {
		return nil
	}
	types := make([]string, len(args))
	for i, v := range args {
		types[i] = m.valueType(v)
	}
	if fit := m.cat.Function(schemaName, name, len(args), types); len(fit) > 0 {
		return fit[0]
	}
	return nil
}

func qualified(s, name string) string {
	if s == "public" || s == "" {
		return name
	}
	return s + "." + name
}

func inputs(fn *schema.Function) []schema.Arg { return fn.Inputs() }

// valueType returns the type of a value as far as its form shows it.
func (m *machine) valueType(v *prog.Val) string {
	switch {
	case v == nil:
		return ""
	case v.Kind == prog.VConst && strings.HasPrefix(v.Str, "i:"):
		if n, err := strconv.ParseInt(v.Str[2:], 10, 64); err == nil && int64(int32(n)) != n {
			return "bigint"
		}
		return "integer"
	case v.Kind == prog.VConst && strings.HasPrefix(v.Str, "b:"):
		return "boolean"
	case v.Kind == prog.VConst && strings.HasPrefix(v.Str, "s:"):
		return "text" // what a literal of no type is taken for where it can be
	case v.Kind == prog.VSQLCol:
		if i := strings.LastIndexByte(v.Str, '.'); i > 0 {
			if c := m.exact(v.Str[:i]).column(v.Str[i+1:]); c != nil {
				return c.Type
			}
		}
	case v.Kind == prog.VApply && strings.HasPrefix(v.Str, "::"):
		return v.Str[2:]
	case v.Kind == prog.VApply && v.Str == "hashtext":
		return "integer"
	case v.Kind == prog.VApply && v.Str == "hashtextextended":
		return "bigint"
	case v.Kind == prog.VConcat:
		return "text"
	}
	return ""
}

// arguments puts the values of a call in the order of the parameters, named
// ones and defaults in their places.
func (m *machine) arguments(fn *schema.Function, f *pgsql.FuncCall, vals []*prog.Val) []*prog.Val {
	in := inputs(fn)
	out := make([]*prog.Val, len(in))
	for i, v := range vals {
		at := i
		if f != nil && i < len(f.GetArgs()) {
			if n := f.GetArgs()[i].GetNamedArgExpr(); n != nil {
				for k, a := range in {
					if a.Name == n.GetName() {
						at = k
					}
				}
			}
		}
		if at < len(out) {
			out[at] = v
		}
	}
	for i := range out {
		if out[i] != nil {
			continue
		}
		out[i] = prog.Hole(in[i].Name)
		if in[i].Default != "" {
			if q := m.expression(in[i].Default); q != nil {
				m.exec(q)
				out[i] = m.val(q, q.sel.GetTargetList()[0].GetResTarget().GetVal())
			}
		}
	}
	return out
}

// expression analyzes an expression text that stands alone.
func (m *machine) expression(text string) *query {
	s := selectOf("SELECT " + text)
	if s == nil || len(s.GetTargetList()) == 0 {
		return nil
	}
	a := m.analysis()
	q := a.sel(s, nil, "")
	a.finish()
	return q
}

// value returns what an expression text is made of, after playing it.
func (m *machine) value(text string) *prog.Val {
	q := m.expression(text)
	if q == nil {
		return prog.Hole("expression")
	}
	m.reading++
	m.exec(q)
	m.reading--
	return m.val(q, q.sel.GetTargetList()[0].GetResTarget().GetVal())
}

// multiplies reports whether an expression of a select list calls a
// set-returning function, which makes rows of one (manual of version 15,
// section 38.5.8).
func (m *machine) multiplies(n *pgsql.Node) bool {
	switch f := n.GetFuncCall(); {
	case n == nil:
		return false
	case f != nil:
		return m.setReturning(f) || slices.ContainsFunc(f.GetArgs(), m.multiplies)
	case n.GetTypeCast() != nil:
		return m.multiplies(n.GetTypeCast().GetArg())
	case n.GetAExpr() != nil:
		return m.multiplies(n.GetAExpr().GetLexpr()) || m.multiplies(n.GetAExpr().GetRexpr())
	}
	return false
}

func (m *machine) setReturning(f *pgsql.FuncCall) bool {
	if f == nil {
		return false
	}
	if fn := m.function(f, make([]*prog.Val, len(f.GetArgs()))); fn != nil {
		return fn.SetOf
	}
	return setReturning[functionName(f)]
}

// title is how a function is called in the chain of functions entered.
func (m *machine) title(fn *schema.Function) string {
	if len(m.cat.Functions[fn.Name]) < 2 {
		return fn.Name
	}
	var types []string
	for _, a := range inputs(fn) {
		types = append(types, a.Type)
	}
	return fn.Name + "(" + strings.Join(types, ",") + ")"
}

// invoke plays the body of a function with its parameters bound.
func (m *machine) invoke(fn *schema.Function, args []*prog.Val) {
	if fn.Strict {
		for _, a := range args {
			if isNull(a) {
				return
			}
		}
	}
	m.enter(fn, m.at.through("function "+fn.Name), bind(fn, args))
}

// enter plays the body of a function or trigger function, unless it is being
// played already.
func (m *machine) enter(fn *schema.Function, at place, e *env) {
	name := m.title(fn)
	// The place knows them also where the function waited for COMMIT.
	for _, c := range at.fn {
		if c == name {
			m.emit(prog.Op{Kind: prog.OpUnknown, How: "recursion", Str: "function " + name + " calls itself", Cut: lockgraph.CutRecursion})
			return
		}
	}
	if len(at.fn) >= maxCalls {
		m.emit(prog.Op{Kind: prog.OpUnknown, How: "depth", Str: "functions are nested too deep at " + name, Cut: lockgraph.CutDepth})
		return
	}
	m.calls = append(m.calls, name)
	at.fn = append(at.fn[:len(at.fn):len(at.fn)], name)
	at.file, at.line = fn.File, fn.BodyLine
	path, own := fn.Settings["search_path"]
	saved := m.path()
	if own {
		m.setPath(schema.Path(path))
	}
	m.in(at, e, func() { m.body(fn) })
	if own {
		m.setPath(saved)
	}
	m.calls = m.calls[:len(m.calls)-1]
}

func bind(fn *schema.Function, args []*prog.Val) *env {
	e := &env{fn: fn.Name[strings.LastIndexByte(fn.Name, '.')+1:], names: map[string]*prog.Val{}, args: args, cols: map[string]string{}, set: map[string]bool{}}
	for i, a := range inputs(fn) {
		if a.Name != "" && i < len(args) {
			e.names[strings.ToLower(a.Name)] = args[i]
		}
	}
	return e
}

func (m *machine) body(fn *schema.Function) {
	switch strings.ToLower(fn.Language) {
	case "sql":
		m.sqlBody(fn)
	case "plpgsql":
		m.plBody(fn.Body)
	case "internal", "c":
	default:
		m.unknown("language", "function "+fn.Name+" is written in "+fn.Language)
	}
}

// sqlBody runs every statement of an SQL function (R7.6); when it returns
// one row only the last one fetches no more (R4.9).
func (m *machine) sqlBody(fn *schema.Function) {
	stmts := pgsql.Parse(fn.Body)
	for i, s := range stmts {
		at := m.at
		at.where = m.where(s.Line)
		at.first = i == len(stmts)-1 && !fn.SetOf && fn.Returns != "void"
		m.under(at, func() {
			if s.Err != nil {
				m.unknown("statement", "a statement of function "+fn.Name+" cannot be read: "+s.Err.Error())
				return
			}
			m.statement(func() { m.run(s.Tree) })
		})
	}
}

// where names the line of a body by the file of the function.
func (m *machine) where(line int) string {
	if m.at.file == "" {
		return ""
	}
	return m.at.file + ":" + strconv.Itoa(m.at.line+line-1)
}

// alone returns the one SELECT expression that an SQL function is, when the
// planner can put it in place of the call.
func alone(fn *schema.Function) *pgsql.Node {
	if fn == nil || !strings.EqualFold(fn.Language, "sql") {
		return nil
	}
	stmts := pgsql.Parse(fn.Body)
	if len(stmts) != 1 || stmts[0].Err != nil {
		return nil
	}
	if r := stmts[0].Tree.GetReturnStmt(); r != nil {
		return r.GetReturnval()
	}
	s := stmts[0].Tree.GetSelectStmt()
	if s == nil || len(s.GetTargetList()) != 1 || len(s.GetFromClause()) > 0 || s.GetWhereClause() != nil || s.GetWithClause() != nil || s.GetLarg() != nil {
		return nil
	}
	return s.GetTargetList()[0].GetResTarget().GetVal()
}

// dropped reports whether an argument vanishes because the function is
// inlined and its body does not use the parameter (R8.5).
func (m *machine) dropped(fn *schema.Function, i int) bool {
	n := alone(fn)
	in := inputs(fn)
	if n == nil || fn.Strict || i >= len(in) {
		return false
	}
	used := false
	var look func(n *pgsql.Node)
	look = func(n *pgsql.Node) {
		if n == nil {
			return
		}
		if p := n.GetParamRef(); p != nil && int(p.GetNumber()) == i+1 {
			used = true
		}
		if c := n.GetColumnRef(); c != nil {
			fs := fields(c)
			used = used || in[i].Name != "" && strings.EqualFold(fs[len(fs)-1], in[i].Name)
		}
		used = used || n.GetSubLink() != nil
		for _, c := range children(n) {
			look(c)
		}
	}
	look(n)
	return !used
}

// result returns the value of a call of a function that is one expression.
func (m *machine) result(fn *schema.Function, args []*prog.Val) *prog.Val {
	title := m.title(fn)
	if len(m.calls) >= maxCalls || indexOf(m.calls, title) >= 0 {
		return nil
	}
	n := alone(fn)
	if n == nil {
		n = returned(fn)
	}
	if n == nil {
		return nil
	}
	m.calls = append(m.calls, title)
	saved := m.env
	m.env = bind(fn, args)
	v := m.val(nil, n)
	m.env = saved
	m.calls = m.calls[:len(m.calls)-1]
	return v
}

// returned returns the expression of a PL/pgSQL function that only returns.
func returned(fn *schema.Function) *pgsql.Node {
	if !strings.EqualFold(fn.Language, "plpgsql") {
		return nil
	}
	b, err := pgsql.ParseBody(fn.Body)
	if err != nil || len(b.Body) != 1 || b.Body[0].Kind != pgsql.PLReturn || b.Body[0].Expr == "" {
		return nil
	}
	if s := selectOf("SELECT " + b.Body[0].Expr); s != nil && len(s.GetTargetList()) == 1 && len(s.GetFromClause()) == 0 {
		return s.GetTargetList()[0].GetResTarget().GetVal()
	}
	return nil
}
