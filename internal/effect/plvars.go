package effect

import (
	"maps"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// What a variable holds is followed statement by statement; where ways meet,
// it is what the ways agree on.

// counting tells how often the statements of a list assign each variable.
func counting(list []pgsql.PL) map[string]int {
	p := &player{writes: map[string]int{}}
	p.countAll(list)
	return p.writes
}

// forget makes unknown what the body of a loop assigns: a turn before may
// have done so.
func (p *player) forget(body []pgsql.PL) {
	for name := range counting(body) {
		if _, is := p.m.env.names[name]; is {
			p.m.env.names[name] = prog.Hole(name)
		}
	}
}

// apart plays f on variables of its own and returns what they hold then.
func (p *player) apart(f func()) map[string]*prog.Val {
	e := p.m.env
	saved := e.names
	e.names = maps.Clone(saved)
	f()
	out := e.names
	e.names = saved
	return out
}

// join lets the variables hold what they do at the ends of several ways.
func (p *player) join(ends ...map[string]*prog.Val) {
	if len(ends) == 0 {
		return // control gets past none of them
	}
	names := map[string]*prog.Val{}
	for _, end := range ends {
		for name := range end {
			names[name] = nil
		}
	}
	for name := range names {
		names[name] = p.met(name, ends)
	}
	p.m.env.names = names
}

// met is the value of a variable where ways meet. One that is assigned in one
// place only is what it is given there, but for constants that later
// conditions could be decided by.
func (p *player) met(name string, ends []map[string]*prog.Val) *prog.Val {
	var vals []*prog.Val
	unset := false
	for _, end := range ends {
		v := end[name]
		if v == nil || prog.Equal(v, prog.Hole(name)) {
			unset = true
			continue
		}
		if !slices.ContainsFunc(vals, func(o *prog.Val) bool { return prog.Equal(o, v) }) {
			vals = append(vals, v)
		}
	}
	constant := !slices.ContainsFunc(vals, func(v *prog.Val) bool { return v.Kind != prog.VConst })
	switch {
	case len(vals) == 0:
		return prog.Hole(name)
	case len(vals) == 1 && !unset:
		return vals[0]
	case len(vals) == 1 && p.writes[name] == 1 && (!constant || strings.HasPrefix(vals[0].Str, "s:")):
		return vals[0]
	case constant && !unset:
		return prog.Choose(4, vals...)
	case constant && p.writes[name] == len(vals):
		return prog.Choose(4, append(vals, prog.Nil)...)
	}
	return prog.Hole(name)
}

// texts lists what a text with choices in it can be, at most 8.
func texts(v *prog.Val) []*prog.Val {
	if v.Kind == prog.VChoice {
		return v.Of
	}
	out := []*prog.Val{v}
	for i, o := range v.Of {
		if o.Kind != prog.VChoice || v.Kind != prog.VConcat && v.Kind != prog.VApply {
			continue
		}
		var next []*prog.Val
		for _, w := range out {
			for _, c := range o.Of {
				of := slices.Clone(w.Of)
				of[i] = c
				next = append(next, prog.New(v.Kind, v.Str, of...))
			}
		}
		if len(next) > 8 {
			return []*prog.Val{v}
		}
		out = next
	}
	return out
}
