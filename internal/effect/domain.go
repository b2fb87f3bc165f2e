package effect

import (
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// domain plays the checks that a value of a domain goes through (R7.5).
func (m *machine) domain(typ string, v *prog.Val) {
	if len(m.cat.Domains) == 0 {
		return
	}
	name := typ[strings.LastIndexByte(typ, '.')+1:]
	for _, k := range m.cat.Domains[name] {
		if strings.Contains(k.Expr, "(") {
			e := &env{names: map[string]*prog.Val{"value": v}, cols: map[string]string{}, set: map[string]bool{}}
			m.in(m.at.through("check "+k.Name), e, func() { m.value(k.Expr) })
		}
	}
}

// domains plays the checks of the columns that a change gives values; those
// of the columns that an INSERT leaves out come with their defaults.
func (m *machine) domains(c *change) {
	if c.ref.rel == nil || len(m.cat.Domains) == 0 {
		return
	}
	m.under(m.perRow(c), func() {
		for _, col := range c.ref.rel.Columns {
			v, s := c.given[col.Name], c.sets(col.Name)
			if s != nil {
				v = s.val
			}
			if v != nil || c.kind == "insert" {
				if v == nil {
					v = m.defaultOf(c.ref, col.Name)
				}
				m.domain(col.Type, v)
			}
		}
	})
}
