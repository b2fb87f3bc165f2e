package effect

import (
	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// rowField returns column col of the row that n stands for: an entry of FROM
// named as a whole, or a column of a subquery that is such a row; nil where it
// stands for something else.
func (m *machine) rowField(q *query, n *pgsql.Node, col string) *prog.Val {
	if m.fuel--; m.fuel < 0 || q == nil {
		return nil
	}
	if s := n.GetSubLink(); s != nil {
		sub, list := m.subquery(q, s), s.GetSubselect().GetSelectStmt().GetTargetList()
		if sub == nil || len(list) != 1 {
			return nil
		}
		return m.rowField(sub, list[0].GetResTarget().GetVal(), col)
	}
	of, name := column(n.GetColumnRef())
	for up := q; up != nil; up = up.up {
		for _, r := range up.rtes {
			if of != "" && of != r.alias {
				continue
			}
			if sub := r.query(); sub != nil {
				if row, _ := sub.target0(name); row != nil {
					return m.rowField(sub, row, col)
				}
			}
			if of == "" && name == r.alias {
				return m.entryColumn(r, col)
			}
		}
	}
	return nil
}
