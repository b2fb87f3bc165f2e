package effect

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// column returns what a column reference stands for: a column of a relation,
// an expression of a subquery, a hole, or a parameter or variable of the
// function that the statement stands in.
func (m *machine) column(q *query, fs []string) *prog.Val {
	switch len(fs) {
	case 1:
		if h := hole(fs[0]); h != nil {
			if v := m.env.value(fs[0]); v != nil {
				return v // put in by a dynamic EXECUTE
			}
			return h
		}
		if v := m.columnOf(q, fs[0], true); v != nil {
			return v
		}
		if v := m.env.value(fs[0]); v != nil {
			return v
		}
		if v := m.columnOf(q, fs[0], false); v != nil {
			return v
		}
		return prog.Hole(fs[0])
	case 0:
		return prog.Hole("column")
	}
	alias, col := fs[len(fs)-2], fs[len(fs)-1]
	if r := q.entry(alias); r != nil {
		if v := m.entryColumn(r, col); v != nil {
			return v
		}
	}
	if v := m.env.field(alias, col); v != nil {
		return v
	}
	return prog.Hole(strings.Join(fs, "."))
}

func (e *env) value(name string) *prog.Val {
	if e.top {
		return nil
	}
	return e.names[strings.ToLower(name)]
}

func (e *env) field(record, name string) *prog.Val {
	if e.top {
		return nil
	}
	if v := e.names[strings.ToLower(record+"."+name)]; v != nil {
		return v
	}
	if rel := e.cols[strings.ToLower(record)]; rel != "" {
		return prog.New(prog.VSQLCol, rel+"."+name)
	}
	if strings.EqualFold(record, e.fn) {
		return e.names[strings.ToLower(name)]
	}
	return nil
}

// entry finds the entry of that name at this level or an outer one.
func (q *query) entry(alias string) *rte {
	for ; q != nil; q = q.up {
		for _, r := range q.rtes {
			if r.alias == alias {
				return r
			}
		}
	}
	return nil
}

// columnOf resolves an unqualified name: first among entries whose columns
// are known, then, when sure is false, by the only entry it can belong to.
func (m *machine) columnOf(q *query, col string, sure bool) *prog.Val {
	for ; q != nil; q = q.up {
		var open []*rte
		for _, r := range q.rtes {
			known, has := r.has(col)
			if has {
				return m.entryColumn(r, col)
			}
			if !known {
				open = append(open, r)
			}
		}
		if !sure && len(open) > 0 {
			if v := m.entryColumn(open[0], col); v != nil && len(open) == 1 {
				return v
			}
			return prog.New(prog.VSQLCol, "."+col)
		}
	}
	return nil
}

// has reports whether the columns of the entry are known, and whether col is
// one of them.
func (r *rte) has(col string) (known, has bool) {
	switch {
	case len(r.cols) > 0 && (r.kind == rteFunc || r.kind == rteValues || r.kind == rteSub):
		for _, c := range r.cols {
			if c == col {
				return true, true
			}
		}
		return r.kind != rteFunc, false
	case r.kind == rteRelation && r.ref.rel != nil && len(r.ref.rel.Columns) > 0:
		return true, r.ref.column(col) != nil
	case r.kind == rteFunc:
		return true, r.alias == col
	}
	if s := r.query(); s != nil && s.sel != nil && s.left == nil {
		n, star := s.target0(col)
		return !star, n != nil
	}
	return false, false
}

func (r *rte) query() *query {
	switch {
	case r.cte != nil:
		return r.cte.q
	case r.kind == rteSub || r.kind == rteValues || r.view || r.base != nil:
		return r.sub
	}
	return nil
}

// target0 finds the expression a select list gives the name; star tells that
// the list has a * in it.
func (q *query) target0(col string) (n *pgsql.Node, star bool) {
	list := q.ret
	if q.sel != nil {
		list = q.sel.GetTargetList()
	}
	for _, t := range list {
		r := t.GetResTarget()
		f := fields(r.GetVal().GetColumnRef())
		last := ""
		if len(f) > 0 {
			last = f[len(f)-1]
		}
		if last == "*" {
			star = true
			continue
		}
		name := r.GetName()
		if name == "" {
			name = last
		}
		if name == "" {
			name = functionName(r.GetVal().GetFuncCall())
		}
		if name == col {
			return r.GetVal(), star
		}
	}
	return nil, star
}

// entryColumn returns the value of a column of an entry.
func (m *machine) entryColumn(r *rte, col string) *prog.Val {
	if r.kind == rteRelation && !r.view {
		return prog.New(prog.VSQLCol, r.ref.name+"."+col)
	}
	if r.kind == rteFunc {
		return m.functionColumn(r, col)
	}
	if m.fuel--; m.fuel < 0 {
		return prog.Hole("size")
	}
	q := r.query()
	if q == nil {
		return prog.New(prog.VSQLCol, r.alias+"."+col)
	}
	for q.left != nil {
		q = q.left
	}
	if n, ok := q.valuesColumn(r, col); ok {
		if n != nil {
			return m.val(q, n)
		}
		return prog.New(prog.VSQLCol, "."+col) // no name of the statement's own: it may change
	}
	if i := indexOf(r.cols, col); i >= 0 && q.sel != nil && i < len(q.sel.GetTargetList()) {
		return m.val(q, q.sel.GetTargetList()[i].GetResTarget().GetVal())
	}
	n, star := q.target0(col)
	switch {
	case n != nil:
		return m.val(q, n)
	case star:
		if v := m.columnOf(q, col, false); v != nil {
			return v
		}
	}
	return prog.New(prog.VSQLCol, r.alias+"."+col)
}

// valuesColumn finds a column of a VALUES list: its expression when there is
// one row only.
func (q *query) valuesColumn(r *rte, col string) (n *pgsql.Node, ok bool) {
	rows := q.sel.GetValuesLists()
	if len(rows) == 0 {
		return nil, false
	}
	i := indexOf(r.cols, col)
	if i < 0 && strings.HasPrefix(col, "column") {
		i = len(col) - len("column") - 1
	}
	if items := rows[0].GetList().GetItems(); len(rows) == 1 && i >= 0 && i < len(items) {
		return items[i], true
	}
	return nil, true
}

func (m *machine) functionColumn(r *rte, col string) *prog.Val {
	if v := r.vals[col]; v != nil || r.fn == nil {
		if v == nil {
			v = prog.New(prog.VSQLCol, "."+col)
		}
		return v
	}
	calls := rangeCalls(r.fn)
	i := indexOf(r.cols, col)
	if i < 0 || i >= len(calls) {
		i = 0
	}
	if i < len(calls) {
		f := calls[i].GetFuncCall()
		if n := functionName(f); (n == "unnest" || n == "json_array_elements" || n == "jsonb_array_elements_text") && len(f.GetArgs()) > 0 {
			return prog.New(prog.VElem, "", m.val(nil, f.GetArgs()[0]))
		}
	}
	return prog.New(prog.VSQLCol, "."+col)
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}
