package effect

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// call plays one function call: its arguments first, left to right, then
// what the function itself does.
func (m *machine) call(q *query, f *pgsql.FuncCall) {
	if q != nil && q.done[f] {
		return
	}
	name := functionName(f)
	vals := m.vals(q, f.GetArgs())
	fn := m.function(f, vals)
	p := m.at
	if aggregates[name] && fn == nil || f.GetAggStar() {
		p.predicate = p.predicate || q.reads()
		p.many = p.many || q != nil && !m.allSingle(q)
		if p.many && p.order == "" {
			p.order, p.source = "plan", "all"
		}
	}
	m.under(p, func() {
		for i, n := range f.GetArgs() {
			if fn != nil && m.dropped(fn, i) {
				continue // an inlined function that does not use it (R8.5)
			}
			m.eval(q, n)
		}
		m.evals(q, callParts(f)[len(f.GetArgs()):])
	})
	if fn != nil {
		m.invoke(fn, m.arguments(fn, f, vals))
		return
	}
	if m.advisory(name, vals) || m.builtin(name, vals) {
		return
	}
	if strings.HasPrefix(name, "sqlc.") {
		return
	}
	if isHole(name) {
		m.unknown("text", "the name of the function is put in by the caller")
		return
	}
	if len(m.cat.Relations)+len(m.cat.Functions) > 0 && !known(name) && !m.typeName(name) {
		m.unknown("function", "function "+name+" is not in the schema")
	}
}

// operate plays the function of an operator that the schema makes.
func (m *machine) operate(q *query, x *pgsql.A_Expr) {
	if len(m.cat.Operators) == 0 {
		return
	}
	var vals []*prog.Val
	for _, n := range []*pgsql.Node{x.GetLexpr(), x.GetRexpr()} {
		if n != nil {
			vals = append(vals, m.val(q, n))
		}
	}
	for _, o := range m.cat.Operators[operatorName(x)] {
		for _, fn := range m.cat.Function(o.Schema, o.Function, len(vals), nil) {
			if len(vals) == o.Arity {
				m.invoke(fn, m.arguments(fn, nil, vals))
				return
			}
		}
	}
}

// typeName reports whether a type of the schema bears the name: calling it
// is a cast.
func (m *machine) typeName(name string) bool {
	if m.cat.Types[bare(name)] {
		return true
	}
	schemaName, rel, ok := strings.Cut(name, ".")
	if !ok {
		schemaName, rel = "", name
	}
	return m.cat.Relation(schemaName, rel) != nil
}

// builtin plays the functions of the server that matter besides locks.
func (m *machine) builtin(name string, args []*prog.Val) bool {
	switch name {
	case "nextval", "setval":
		if len(args) > 0 {
			m.sequenceCall(args[0])
		}
		return true
	case "set_config":
		if len(args) == 3 {
			if s, ok := args[0].AsText(); ok {
				how := lockgraph.Session
				if args[2].Str == "b:true" {
					how = "local"
				}
				m.set(s, args[1], how)
			}
		}
		return true
	}
	return false
}

// sequenceCall locks the sequence that nextval or setval names (R3.7).
func (m *machine) sequenceCall(v *prog.Val) {
	for v.Kind == prog.VApply && len(v.Of) == 1 && strings.HasPrefix(v.Str, "::") {
		v = v.Of[0]
	}
	s, ok := v.AsText()
	if !ok {
		return
	}
	parts := strings.SplitN(strings.ReplaceAll(s, `"`, ""), ".", 2)
	r := m.named("", parts[0])
	if len(parts) == 2 {
		r = m.named(parts[0], parts[1])
	}
	if r.kind == "" {
		r.kind = "S"
	}
	m.table(r, lockgraph.RowExclusive, "R3.7")
}

// set writes down a parameter of the session that is set, and keeps the ones
// that change what follows.
func (m *machine) set(name string, v *prog.Val, how string) {
	name = strings.ToLower(name)
	if s, ok := v.AsText(); ok {
		put(&m.settings, name, s)
	} else {
		delete(m.settings, name)
	}
	m.emit(prog.Op{Kind: prog.OpSet, Str: name, Val: v, How: how, Acq: m.stamp(prog.Acq{})})
	if name == "search_path" || name == "all" {
		m.follow(v, how == "local")
	}
}

// follow lets a setting of the search path act on what comes after it.
func (m *machine) follow(v *prog.Val, local bool) {
	path := m.home
	if s, ok := v.AsText(); ok {
		path = schema.Path(s)
	} else if v != prog.Nil {
		return
	}
	if m.began == nil {
		m.began = m.path()
	}
	m.local = local
	m.setPath(path)
}

// advisory plays pg_advisory_* and reports whether the call is one of them
// (R8.1, R8.2).
func (m *machine) advisory(name string, args []*prog.Val) bool {
	rest, ok := strings.CutPrefix(name, "pg_")
	if !ok {
		return false
	}
	rest, try := strings.CutPrefix(rest, "try_")
	if rest, ok = strings.CutPrefix(rest, "advisory_"); !ok {
		return false
	}
	a := prog.Acq{Family: lockgraph.Advisory, Mode: lockgraph.Exclusive, Scope: lockgraph.Session, Wait: lockgraph.Wait, Rule: "R8.1"}
	if rest == "unlock_all" {
		m.emit(prog.Op{Kind: prog.OpRelease, Acq: m.stamp(prog.Acq{Scope: lockgraph.Session, Rule: "R8.1"})})
		return true
	}
	if try {
		a.Wait, a.Read = lockgraph.Try, m.reading > 0
	}
	rest, shared := strings.CutSuffix(rest, "_shared")
	if shared {
		a.Mode = lockgraph.Shared
	}
	rest, xact := strings.CutPrefix(rest, "xact_")
	if xact {
		a.Scope = lockgraph.Transaction
	}
	if rest != "lock" && rest != "unlock" {
		return false
	}
	switch len(args) {
	case 1:
		a.Space = "bigint"
	case 2:
		a.Space = "int4x2" // (R1.3, R8.2)
	default:
		m.unknown("function", "pg_advisory function with a wrong number of arguments")
		return true
	}
	for _, k := range args {
		if isNull(k) {
			return true // strict: no lock and no error (R8.2)
		}
	}
	a.Key = args
	for _, k := range args {
		if a.NullKey == "" {
			a.NullKey = m.nullable(k)
		}
	}
	kind := prog.OpAcquire
	if rest == "unlock" {
		kind = prog.OpRelease
	}
	a.InPredicate = m.at.predicate && kind == prog.OpAcquire
	if varies(args) || a.InPredicate {
		a.Many, a.Order, a.Source = m.at.many, m.at.order, m.at.source
	}
	a.Key = m.identities(args)
	m.emit(prog.Op{Kind: kind, Acq: m.stamp(a)})
	return true
}

// identities puts, for columns that a key is made of, the columns that they
// reference: the ids of one table make one lock, wherever they are read.
func (m *machine) identities(key []*prog.Val) []*prog.Val {
	out := make([]*prog.Val, len(key))
	for i, v := range key {
		out[i] = m.identity(v)
	}
	return out
}

func (m *machine) identity(v *prog.Val) *prog.Val {
	if v == nil || m.cat == nil {
		return v
	}
	if v.Kind == prog.VSQLCol {
		if to := m.cat.Identity(v.Str); to != v.Str {
			return prog.New(prog.VSQLCol, to)
		}
		return v
	}
	for i, o := range v.Of {
		if in := m.identity(o); in != o {
			c := *v
			c.Of = slices.Clone(v.Of)
			c.Of[i] = in
			v = &c
		}
	}
	return v
}

// nullable returns the column that can make a key NULL, "" when none can.
func (m *machine) nullable(k *prog.Val) string {
	if k == nil || m.cat == nil {
		return ""
	}
	if k.Kind == prog.VSQLCol {
		i := strings.LastIndexByte(k.Str, '.')
		if i < 0 {
			return ""
		}
		rel := m.cat.Relations[k.Str[:i]]
		if rel == nil && !strings.Contains(k.Str[:i], ".") {
			rel = m.cat.Relation("", k.Str[:i])
		}
		if rel == nil || rel.Kind != "r" && rel.Kind != "p" {
			return ""
		}
		for _, c := range rel.Columns {
			if c.Name == k.Str[i+1:] && !c.NotNull {
				return k.Str
			}
		}
		return ""
	}
	if k.Kind == prog.VApply && !strings.HasPrefix(k.Str, "::") && !strings.HasPrefix(k.Str, "hashtext") {
		return "" // it may give a value for NULL
	}
	for _, o := range k.Of {
		if c := m.nullable(o); c != "" {
			return c
		}
	}
	return ""
}

// varies reports whether the key can differ from row to row.
func varies(key []*prog.Val) bool {
	for _, k := range key {
		switch k.Kind {
		case prog.VSQLCol, prog.VElem, prog.VHole, prog.VChoice:
			return true
		}
		if varies(k.Of) {
			return true
		}
	}
	return false
}

func isNull(v *prog.Val) bool {
	for v.Kind == prog.VApply && strings.HasPrefix(v.Str, "::") && len(v.Of) == 1 {
		v = v.Of[0]
	}
	if v.Kind == prog.VApply && v.Str == "nullif" && len(v.Of) == 2 {
		a, ok1 := evaluate(v.Of[0])
		b, ok2 := evaluate(v.Of[1])
		return ok1 && ok2 && a == b || isNull(v.Of[0])
	}
	return v.IsNil()
}
