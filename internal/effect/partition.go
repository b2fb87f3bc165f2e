package effect

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// partitions locks the partitions and inheritance children of an entry that
// plan-time pruning leaves, in bound order (R3.5).
func (a *analysis) partitions(r *rte, mode string, q *query) {
	eqs, _ := q.bindings(a.m, r)
	rows := rowSet{}
	for _, e := range eqs {
		rows.eq = append(rows.eq, prog.Col{Name: e.col, Val: e.val})
	}
	a.m.lockPartitions(r.ref, rows, mode)
}

func (m *machine) lockPartitions(r relref, rows rowSet, mode string) {
	if r.rel == nil || r.rel.Kind != "p" && r.rel.Kind != "r" {
		return
	}
	for _, c := range m.cat.Children(r.name) {
		if r.rel.PartitionBy != "" && !m.survives(r.rel, c, rows.eq) {
			continue
		}
		ref := m.ref(c)
		m.table(ref, mode, "R3.5")
		m.lockPartitions(ref, rows, mode)
	}
}

// leaf returns the partition that a lookup is pruned to, when it is one.
func (m *machine) leaf(q *query, r *rte) relref {
	if r.only {
		return r.ref
	}
	eqs, _ := q.bindings(m, r)
	var cols []prog.Col
	for _, e := range eqs {
		cols = append(cols, prog.Col{Name: e.col, Val: e.val})
	}
	return m.pruned(r.ref, cols)
}

func (m *machine) pruned(r relref, eq []prog.Col) relref {
	for n := 0; r.rel != nil && r.rel.PartitionBy != "" && n < 16; n++ {
		var left []*schema.Relation
		for _, c := range m.cat.Children(r.name) {
			if m.survives(r.rel, c, eq) {
				left = append(left, c)
			}
		}
		if len(left) != 1 {
			break
		}
		r = m.ref(left[0])
	}
	return r
}

// partitionKey returns the strategy and the columns of a PARTITION BY text.
func partitionKey(text string) (strategy string, cols []string) {
	strategy, rest, ok := strings.Cut(text, "(")
	if !ok {
		return "", nil
	}
	for _, c := range strings.Split(strings.TrimSuffix(strings.TrimSpace(rest), ")"), ",") {
		cols = append(cols, strings.Trim(strings.Fields(strings.TrimSpace(c) + " x")[0], `"`))
	}
	return strings.ToLower(strings.TrimSpace(strategy)), cols
}

// survives reports whether a partition can hold rows with these values.
func (m *machine) survives(parent, part *schema.Relation, eq []prog.Col) bool {
	strategy, cols := partitionKey(parent.PartitionBy)
	if len(cols) != 1 {
		return true
	}
	var v literal
	found := false
	for _, e := range eq {
		if e.Name == cols[0] {
			if l, ok := evaluate(e.Val); ok {
				v, found = l, true
			}
		}
	}
	if !found || m.generic {
		return true
	}
	if part.Bound == "DEFAULT" {
		for _, c := range m.cat.Children(parent.Name) {
			if c != part && c.Bound != "DEFAULT" && inBound(strategy, c.Bound, v) {
				return false
			}
		}
		return true
	}
	return inBound(strategy, part.Bound, v)
}

func inBound(strategy, bound string, v literal) bool {
	switch strategy {
	case "list":
		in := between(bound, "IN (", ")")
		for _, s := range strings.Split(in, ",") {
			if v.equals(strings.TrimSpace(s)) {
				return true
			}
		}
		return false
	case "range":
		low, high := between(bound, "FROM (", ")"), between(bound, "TO (", ")")
		return v.compare(low) >= 0 && v.compare(high) < 0
	}
	return true
}

func between(s, from, to string) string {
	i := strings.Index(s, from)
	if i < 0 {
		return ""
	}
	s = s[i+len(from):]
	if j := strings.Index(s, to); j >= 0 {
		s = s[:j]
	}
	return s
}

// destination locks the partition that a new row goes to, when its key tells
// which (R3.5).
func (m *machine) destination(c *change) {
	if c.ref.rel == nil || c.ref.rel.PartitionBy == "" {
		return
	}
	var eq []prog.Col
	for col, v := range c.given {
		eq = append(eq, prog.Col{Name: col, Val: v})
	}
	if p := m.pruned(c.ref, eq); p.name != c.ref.name {
		m.table(p, lockgraph.RowExclusive, "R3.5")
	}
}

// moves plays an update of a partition key: the row is deleted here and
// inserted there (R5.3).
func (m *machine) moves(q *query, c *change) {
	root := c.ref.rel
	if root == nil {
		return
	}
	if c.ref.root != "" {
		root = m.cat.Relations[c.ref.root]
	}
	if root == nil || root.PartitionBy == "" || q.target.ref.kind != "p" {
		return
	}
	_, cols := partitionKey(root.PartitionBy)
	for _, col := range cols {
		s := c.sets(col)
		if s == nil || s.same {
			continue
		}
		m.under(m.at.also("the row moves to another partition"), func() {
			if to := m.pruned(m.ref(root), []prog.Col{{Name: col, Val: s.val}}); to.name != root.Name {
				m.table(to, lockgraph.RowExclusive, "R3.5")
			}
			m.row(c.ref, c.rows, prog.Acq{Mode: lockgraph.ForUpdate, Implicit: true, Rule: "R5.3"})
		})
		return
	}
}
