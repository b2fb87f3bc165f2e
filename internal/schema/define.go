package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// define keeps operators, and aggregates as functions that call those they
// are made of.
func (a *applier) define(s *pgsql.DefineStmt) {
	names := pgsql.Strings(s.GetDefnames())
	if len(names) == 0 {
		return
	}
	parts := map[string][]string{}
	for _, n := range s.GetDefinition() {
		d := n.GetDefElem()
		name := pgsql.Strings(d.GetArg().GetTypeName().GetNames())
		if len(name) == 0 {
			name = pgsql.Strings(d.GetArg().GetList().GetItems())
		}
		if len(name) > 0 {
			parts[strings.ToLower(d.GetDefname())] = name
		}
	}
	switch s.GetKind() {
	case pgsql.ObjectType_OBJECT_OPERATOR:
		a.operator(names[len(names)-1], parts)
	case pgsql.ObjectType_OBJECT_AGGREGATE:
		a.aggregate(names, s.GetArgs(), parts)
	}
}

func (a *applier) operator(name string, parts map[string][]string) {
	fn := slices.Concat(parts["function"], parts["procedure"])
	if len(fn) == 0 {
		return
	}
	o := Operator{Function: fn[len(fn)-1]}
	if len(fn) > 1 {
		o.Schema = fn[len(fn)-2]
	}
	for _, side := range []string{"leftarg", "rightarg"} {
		o.Arity += btoi(len(parts[side]) > 0)
	}
	if a.Operators == nil {
		a.Operators = map[string][]Operator{}
	}
	a.Operators[name] = append(slices.Clip(a.Operators[name]), o)
}

func (a *applier) aggregate(names []string, args []*pgsql.Node, parts map[string][]string) {
	if len(parts["sfunc"]) == 0 {
		return
	}
	rv := rangeVar(names)
	if rv.Schemaname == "" {
		rv.Schemaname = a.creation()
	}
	f := &Function{Name: qualify(rv.Schemaname, rv.Relname), Volatility: "volatile", Language: "sql", File: a.file, Line: a.line, BodyLine: a.line}
	call := []string{"NULL"}
	for _, list := range args {
		for _, n := range list.GetList().GetItems() {
			if p := n.GetFunctionParameter(); p != nil {
				f.Args = append(f.Args, Arg{Name: p.Name, Type: pgsql.TypeName(p.ArgType), Mode: "in"})
				call = append(call, "$"+strconv.Itoa(len(f.Args)))
			}
		}
	}
	body := strings.Join(parts["sfunc"], ".") + "(" + strings.Join(call, ", ") + ")"
	if final := parts["finalfunc"]; len(final) > 0 {
		body = strings.Join(final, ".") + "(" + body + ")"
	}
	f.Body = "SELECT " + body
	a.enter(f)
}
