package effect

import (
	"maps"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A player plays one PL/pgSQL body.
type player struct {
	m       *machine
	body    string
	writes  map[string]int // how often each variable is assigned
	cursors map[string]string
}

func (m *machine) plBody(body string) {
	b, err := pgsql.ParseBody(body)
	if err != nil {
		m.unknown("statement", "the body cannot be read: "+err.Error())
		return
	}
	p := &player{m: m, body: body, writes: map[string]int{}, cursors: map[string]string{}}
	p.count(b)
	p.block(b)
}

// count counts assignments, so that a variable assigned once can be followed.
func (p *player) count(b *pgsql.Block) {
	for _, d := range b.Decls {
		if d.Default != "" {
			p.writes[strings.ToLower(d.Name)]++
		}
	}
	p.countAll(b.Body)
	for _, h := range b.Handlers {
		p.countAll(h.Body)
	}
}

func (p *player) countAll(list []pgsql.PL) {
	for _, s := range list {
		for _, v := range s.Into {
			p.writes[strings.ToLower(v)]++
		}
		switch s.Kind {
		case pgsql.PLAssign:
			p.writes[strings.ToLower(s.Target)]++
		case pgsql.PLForInt, pgsql.PLForQuery, pgsql.PLForCursor, pgsql.PLForExecute, pgsql.PLForEach:
			for _, v := range s.Vars {
				p.writes[strings.ToLower(v)]++
			}
		}
		for _, a := range s.Arms {
			p.countAll(a.Body)
		}
		p.countAll(s.Else)
		p.countAll(s.Body)
		if s.Block != nil {
			p.count(s.Block)
		}
	}
}

// assign gives a variable its value.
func (p *player) assign(name string, v *prog.Val) {
	name = strings.ToLower(name)
	e := p.m.env
	if strings.HasPrefix(name, "new.") {
		e.set[name] = true
	}
	if base, _, element := strings.Cut(name, "["); element {
		name, v = base, prog.Hole(base)
	}
	e.names[name] = v
}

func (p *player) block(b *pgsql.Block) bool {
	for _, d := range b.Decls {
		switch {
		case d.Cursor:
			p.cursors[strings.ToLower(d.Name)] = d.Query
		case d.Alias != "":
			if v := p.m.env.names[strings.ToLower(d.Alias)]; v != nil {
				p.m.env.names[strings.ToLower(d.Name)] = v
			}
		case d.Default != "":
			p.at(d.DefaultOffset, func() { p.assign(d.Name, p.m.value(d.Default)) })
		default:
			p.m.env.names[strings.ToLower(d.Name)] = prog.Hole(d.Name)
		}
	}
	done := false
	if len(b.Handlers) == 0 {
		done = p.list(b.Body)
	} else {
		done = p.guarded(b)
	}
	return done && !(b.Label != "" && exits(b.Body, b.Label, false))
}

// guarded plays a block with EXCEPTION: a savepoint, which the block gives up
// when it succeeds and goes back to when it fails (R2.4).
func (p *player) guarded(b *pgsql.Block) bool {
	m := p.m
	m.emit(prog.Op{Kind: prog.OpOpen, How: "savepoint", Str: "exception"})
	before := maps.Clone(m.env.names)
	done := p.list(b.Body)
	ends := []map[string]*prog.Val{m.env.names}
	if done {
		ends = nil
	}
	p.join(before, m.env.names)
	arms := []prog.Arm{{When: "no exception", Body: []prog.Op{{Kind: prog.OpEnd, How: "release savepoint", Str: "exception"}}}}
	all := done
	for _, h := range b.Handlers {
		when := "exception " + strings.Join(h.Conditions, " or ")
		arms = append(arms, prog.Arm{When: when, Body: m.collect(func() {
			m.emit(prog.Op{Kind: prog.OpEnd, How: "rollback to savepoint", Str: "exception"})
			m.under(m.at.also(when), func() {
				left := false
				end := p.apart(func() { left = p.list(h.Body) })
				if all = left && all; !left {
					ends = append(ends, end)
				}
			})
		})})
	}
	p.join(ends...)
	m.emit(prog.Op{Kind: prog.OpBranch, Arms: arms})
	return all
}

// at plays f at a place in the body.
func (p *player) at(offset int, f func()) {
	at := p.m.at
	if offset >= 0 && offset <= len(p.body) {
		at.where = p.m.where(strings.Count(p.body[:offset], "\n") + 1)
	}
	p.m.under(at, f)
}

// list plays statements in order and reports whether control never gets past
// them. What follows a branch with an arm that leaves belongs to the others.
func (p *player) list(stmts []pgsql.PL) bool {
	if p.m.fuel -= 1 + len(stmts); p.m.fuel < 0 {
		p.m.left = 0 // what follows branches is played once for each arm
		return true
	}
	for i, s := range stmts {
		if s.Kind == pgsql.PLIf || s.Kind == pgsql.PLCase {
			if leavesInside(s) {
				return p.branch(s, stmts[i+1:])
			}
			if p.branch(s, nil) {
				return true
			}
			continue
		}
		if p.stmt(s) {
			return true
		}
	}
	return false
}

func leavesInside(s pgsql.PL) bool {
	for _, a := range s.Arms {
		if leaves(a.Body) {
			return true
		}
	}
	return s.HasElse && leaves(s.Else)
}

func leaves(list []pgsql.PL) bool {
	if len(list) == 0 {
		return false
	}
	s := list[len(list)-1]
	switch s.Kind {
	case pgsql.PLReturn:
		return true
	case pgsql.PLRaise:
		return s.Level == "" || s.Level == "exception"
	case pgsql.PLExit, pgsql.PLContinue:
		return s.Expr == ""
	case pgsql.PLIf, pgsql.PLCase:
		if !s.HasElse || !leaves(s.Else) {
			return false
		}
		for _, a := range s.Arms {
			if !leaves(a.Body) {
				return false
			}
		}
		return true
	}
	return false
}

// branch plays IF and CASE; rest is what follows, for the arms that do not
// leave. A condition that is decided picks its arm.
func (p *player) branch(s pgsql.PL, rest []pgsql.PL) bool {
	if s.Kind == pgsql.PLCase && s.Expr != "" {
		p.at(s.ExprOffset, func() { p.m.value(s.Expr) })
	}
	return p.arms(s, 0, rest)
}

func (p *player) arms(s pgsql.PL, from int, rest []pgsql.PL) bool {
	m := p.m
	var out []prog.Arm
	all := true
	var ends []map[string]*prog.Val
	arm := func(when string, f func() bool) {
		out = append(out, prog.Arm{When: when, Body: m.collect(func() {
			m.under(m.at.also(when), func() {
				left := false
				end := p.apart(func() { left = f() })
				if all = left && all; !left {
					ends = append(ends, end)
				}
			})
		})})
	}
	defer func() { p.join(ends...) }()
	for i := from; i < len(s.Arms); i++ {
		a := s.Arms[i]
		cond := strings.TrimSpace(a.Cond)
		if s.Kind == pgsql.PLCase && s.Expr != "" {
			cond = strings.TrimSpace(s.Expr) + " in (" + cond + ")"
		}
		var v *prog.Val
		evaluated := m.collect(func() { p.at(a.Offset, func() { v = m.value(cond) }) })
		if len(evaluated) > 0 && i > from {
			arm("else", func() bool { return p.arms(s, i, rest) })
			m.emit(prog.Op{Kind: prog.OpBranch, Arms: out})
			return all
		}
		for _, op := range evaluated {
			m.emit(op)
		}
		yes, known := decide(v)
		if known && !yes || p.aborts(a.Body) {
			continue
		}
		if known && len(out) == 0 {
			return p.list(a.Body) || p.list(rest)
		}
		arm(cond, func() bool { return p.list(a.Body) || p.list(rest) })
		if known {
			m.emit(prog.Op{Kind: prog.OpBranch, Arms: out})
			return all
		}
	}
	last := func() bool { return p.list(s.Else) || p.list(rest) }
	if len(out) > 0 && s.HasElse && p.aborts(s.Else) {
		last = func() bool { return true }
	}
	if len(out) == 0 {
		return last()
	}
	when := "else"
	if len(out) == 1 && len(s.Arms) == 1 {
		when = "not (" + out[0].When + ")"
	}
	arm(when, last)
	m.emit(prog.Op{Kind: prog.OpBranch, Arms: out})
	return all
}

// aborts reports whether an arm locks nothing and raises: what follows then
// holds for every statement that succeeds.
func (p *player) aborts(body []pgsql.PL) bool {
	if len(body) == 0 {
		return false
	}
	last := body[len(body)-1]
	if last.Kind != pgsql.PLRaise || last.Level != "" && last.Level != "exception" {
		return false
	}
	return len(p.m.collect(func() { p.list(body) })) == 0
}

// stmt plays one statement and reports whether control leaves the body.
func (p *player) stmt(s pgsql.PL) bool {
	left := false
	p.at(s.Offset, func() { left = p.play(s) })
	return left
}

func (p *player) play(s pgsql.PL) bool {
	m := p.m
	switch s.Kind {
	case pgsql.PLSQL, pgsql.PLPerform, pgsql.PLCall:
		p.sql(s)
	case pgsql.PLAssign:
		p.assign(s.Target, m.value(s.Expr))
	case pgsql.PLReturn:
		if s.Expr != "" {
			m.value(s.Expr)
		}
		return true
	case pgsql.PLReturnNext, pgsql.PLAssert:
		if s.Expr != "" {
			m.value(s.Expr)
		}
	case pgsql.PLReturnQuery:
		p.text(s.Text, nil, false)
	case pgsql.PLRaise:
		return s.Level == "" || s.Level == "exception"
	case pgsql.PLExecute, pgsql.PLReturnExecute:
		p.dynamic(s)
	case pgsql.PLCommit:
		m.endTransaction("commit")
	case pgsql.PLRollback:
		m.endTransaction("rollback")
	case pgsql.PLBlock:
		return p.block(s.Block)
	case pgsql.PLExit, pgsql.PLContinue:
		return p.jump(s)
	case pgsql.PLLoop, pgsql.PLWhile, pgsql.PLForInt, pgsql.PLForQuery, pgsql.PLForCursor, pgsql.PLForExecute, pgsql.PLForEach:
		return p.loop(s)
	case pgsql.PLOpen, pgsql.PLFetch, pgsql.PLMove:
		p.cursor(s)
	case pgsql.PLUnknown:
		m.unknown("statement", "a PL/pgSQL statement cannot be read: "+s.Reason)
	}
	return false
}

func (p *player) jump(s pgsql.PL) bool {
	kind := prog.OpBreak
	if s.Kind == pgsql.PLContinue {
		kind = prog.OpContinue
	}
	op := prog.Op{Kind: kind, Str: s.Target}
	if s.Expr == "" {
		p.m.emit(op)
		return true
	}
	p.m.value(s.Expr)
	p.m.emit(prog.Op{Kind: prog.OpBranch, Arms: []prog.Arm{{When: s.Expr, Body: []prog.Op{op}}, {When: "else"}}})
	return false
}
