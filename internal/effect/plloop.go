package effect

import (
	"maps"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

func (p *player) sql(s pgsql.PL) { p.text(s.Text, s.Into, len(s.Into) > 0 && !s.Strict) }

// text plays the SQL statements of a body; into are the variables that take
// the columns of the first row, which is all that is fetched then (R4.9).
func (p *player) text(text string, into []string, first bool) {
	m := p.m
	if len(into) > 0 {
		m.reading++
		defer func() { m.reading-- }()
	}
	for _, st := range pgsql.Parse(text) {
		if st.Err != nil {
			m.unknown("statement", "a statement cannot be read: "+st.Err.Error())
			continue
		}
		at := m.at
		at.first = first
		var q *query
		m.under(at, func() { m.statement(func() { q = m.run(st.Tree) }) })
		p.into(q, into)
	}
}

// into gives variables the values of a row.
func (p *player) into(q *query, into []string) {
	if q == nil {
		return
	}
	list := q.ret
	if q.sel != nil {
		list = q.sel.GetTargetList()
	}
	for i, name := range into {
		if i < len(list) && len(into) == len(list) && len(list[i].GetResTarget().GetVal().GetColumnRef().GetFields()) >= 0 {
			if f := fields(list[i].GetResTarget().GetVal().GetColumnRef()); len(f) == 0 || f[len(f)-1] != "*" {
				p.assign(name, p.m.val(q, list[i].GetResTarget().GetVal()))
				if len(into) > 1 {
					continue
				}
			}
		}
		if len(into) == 1 {
			p.record(q, list, name)
		}
	}
}

// record lets the fields of a record variable stand for the columns that a
// query gives it.
func (p *player) record(q *query, list []*pgsql.Node, name string) {
	e := p.m.env
	name = strings.ToLower(name)
	for _, t := range list {
		r := t.GetResTarget()
		f := fields(r.GetVal().GetColumnRef())
		switch {
		case len(f) > 0 && f[len(f)-1] == "*":
			for _, x := range q.rtes {
				if x.kind == rteRelation && (len(f) == 1 || x.alias == f[0]) && e.cols[name] == "" {
					e.cols[name] = x.ref.name
				}
			}
		default:
			col := r.GetName()
			if col == "" && len(f) > 0 {
				col = f[len(f)-1]
			}
			if col != "" {
				e.names[name+"."+strings.ToLower(col)] = p.m.val(q, r.GetVal())
			}
		}
	}
}

// loop plays a loop and reports whether control never gets past it.
func (p *player) loop(s pgsql.PL) bool {
	m := p.m
	op := prog.Op{Kind: prog.OpLoop, Str: s.Label}
	element := func(v *prog.Val) {
		for _, name := range s.Vars {
			m.env.names[strings.ToLower(name)] = v
		}
	}
	switch s.Kind {
	case pgsql.PLForInt:
		m.value(s.Expr)
		m.value(s.Upper)
		op.Order = "sorted"
		element(prog.New(prog.VElem, "", prog.Hole(strings.Join(s.Vars, ","))))
	case pgsql.PLForEach:
		op.Val = m.value(s.Expr)
		if p.unroll(s, op.Val) {
			return false
		}
		element(prog.New(prog.VElem, "", op.Val))
	case pgsql.PLForQuery, pgsql.PLForCursor:
		text := s.Text
		if s.Kind == pgsql.PLForCursor {
			text = p.cursors[strings.ToLower(s.Target)]
		}
		op.Order = p.forQuery(text, s.Vars)
	case pgsql.PLForExecute:
		p.dynamic(s)
	}
	before := maps.Clone(m.env.names)
	p.forget(s.Body)
	m.turns++
	op.Body = m.collect(func() {
		if s.Kind == pgsql.PLWhile {
			m.value(s.Expr)
		}
		p.list(s.Body)
	})
	m.turns--
	p.join(before, m.env.names)
	m.emit(op)
	return s.Kind == pgsql.PLLoop && !exits(s.Body, s.Label, true)
}

// unroll plays the turns of a loop over a few constants one by one, so that
// the text that each of them makes is known.
func (p *player) unroll(s pgsql.PL, list *prog.Val) bool {
	const most = 8
	if list == nil || list.Kind != prog.VList || len(list.Of) > most || len(s.Vars) != 1 || jumps(s.Body) ||
		slices.ContainsFunc(list.Of, func(v *prog.Val) bool { return v.Kind != prog.VConst }) {
		return false
	}
	for _, v := range list.Of {
		p.m.env.names[strings.ToLower(s.Vars[0])] = v
		p.list(s.Body)
	}
	return true
}

// jumps reports whether statements leave a turn of the loop around them.
func jumps(list []pgsql.PL) bool {
	return within(list, func(s pgsql.PL) bool {
		return s.Kind == pgsql.PLExit || s.Kind == pgsql.PLContinue || s.Kind == pgsql.PLReturn
	})
}

// exits reports whether a list in a loop or block of that label leaves it by
// EXIT; direct says whether EXIT without a label does.
func exits(list []pgsql.PL, label string, direct bool) bool {
	for _, s := range list {
		switch s.Kind {
		case pgsql.PLExit:
			if s.Target == "" && direct || label != "" && strings.EqualFold(s.Target, label) {
				return true
			}
		case pgsql.PLLoop, pgsql.PLWhile, pgsql.PLForInt, pgsql.PLForQuery, pgsql.PLForCursor, pgsql.PLForExecute, pgsql.PLForEach:
			if exits(s.Body, label, false) {
				return true
			}
		default:
			if slices.ContainsFunc(parts(s), func(l []pgsql.PL) bool { return exits(l, label, direct) }) {
				return true
			}
		}
	}
	return false
}

// within reports whether a statement of a list, or one inside it, is so.
func within(list []pgsql.PL, is func(pgsql.PL) bool) bool {
	return slices.ContainsFunc(list, func(s pgsql.PL) bool {
		return is(s) || slices.ContainsFunc(parts(s), func(l []pgsql.PL) bool { return within(l, is) })
	})
}

// parts are the lists of statements inside a statement.
func parts(s pgsql.PL) [][]pgsql.PL {
	out := [][]pgsql.PL{s.Body, s.Else}
	for _, a := range s.Arms {
		out = append(out, a.Body)
	}
	if s.Block != nil {
		out = append(out, s.Block.Body)
		for _, h := range s.Block.Handlers {
			out = append(out, h.Body)
		}
	}
	return out
}

// forQuery plays the query of a FOR loop, which fetches ahead of the body
// (R4.9), and returns the order of its rows.
func (p *player) forQuery(text string, vars []string) string {
	order := ""
	for _, st := range pgsql.Parse(text) {
		if st.Err != nil {
			p.m.unknown("statement", "a statement cannot be read: "+st.Err.Error())
			continue
		}
		var q *query
		p.m.statement(func() { q = p.m.run(st.Tree) })
		p.into(q, vars)
		if q != nil && q.sel != nil {
			if o := q.order(nil); o != "plan" {
				order = o
			}
		}
	}
	return order
}

func (p *player) cursor(s pgsql.PL) {
	name := strings.ToLower(s.Target)
	switch {
	case s.Kind == pgsql.PLOpen && s.Text != "":
		p.cursors[name] = s.Text
	case s.Kind == pgsql.PLOpen && s.Expr != "":
		p.m.unknown("dynamic", "cursor "+s.Target+" runs text made at run time")
	case s.Kind != pgsql.PLOpen:
		if text := p.cursors[name]; text != "" {
			p.text(text, s.Into, true)
		}
	}
}

// dynamic plays EXECUTE as far as its text is known.
func (p *player) dynamic(s pgsql.PL) {
	m := p.m
	v := m.value(s.Expr)
	var args []*prog.Val
	for _, a := range s.Args {
		args = append(args, m.value(a.Text))
	}
	list := texts(v)
	var arms []prog.Arm
	for _, v := range list {
		arms = append(arms, prog.Arm{Body: m.collect(func() { p.execute(s, v, args) })})
	}
	if len(arms) > 1 {
		m.emit(prog.Op{Kind: prog.OpBranch, Arms: arms})
	} else {
		for _, o := range arms[0].Body {
			m.emit(o)
		}
	}
	for _, name := range append(append([]string{}, s.Into...), s.Vars...) {
		m.env.names[strings.ToLower(name)] = prog.Hole(name)
	}
}

// execute plays one text of EXECUTE.
func (p *player) execute(s pgsql.PL, v *prog.Val, args []*prog.Val) {
	m := p.m
	text, holes, ok := template(v)
	if !ok {
		m.emit(prog.Op{Kind: prog.OpUnknown, How: "dynamic", Str: "EXECUTE runs text made at run time", Cut: lockgraph.CutText, Acq: m.stamp(prog.Acq{})})
		return
	}
	e := &env{names: holes, args: args, cols: map[string]string{}, set: map[string]bool{}}
	ops := m.collect(func() { m.in(m.at, e, func() { m.dynamicText(text) }) })
	// What is asked for stays, under a name with a gap; that implicit locks of
	// some table go with it is said once.
	gap := func(o prog.Op) bool {
		return o.Kind == prog.OpAcquire && o.Acq.Implicit && holeName.MatchString(o.Acq.Relation)
	}
	if slices.ContainsFunc(ops, gap) {
		m.emit(prog.Op{Kind: prog.OpUnknown, How: "dynamic", Str: "EXECUTE names a relation that is put in at run time", Cut: lockgraph.CutText, Acq: m.stamp(prog.Acq{})})
		ops = slices.DeleteFunc(ops, gap)
	}
	for _, o := range ops {
		m.emit(o)
	}
}

func (m *machine) dynamicText(text string) {
	for _, st := range pgsql.Parse(text) {
		if st.Err != nil {
			m.emit(prog.Op{Kind: prog.OpUnknown, How: "dynamic", Str: "EXECUTE runs text that cannot be read before it is made", Cut: lockgraph.CutText, Acq: m.stamp(prog.Acq{})})
			continue
		}
		m.statement(func() { m.run(st.Tree) })
	}
}
