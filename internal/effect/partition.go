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
	q.pushDown(0)
	eqs, _ := q.bindings(a.m, r)
	rows := rowSet{sift: func(col string) sieve { return q.sift(a.m, r, col) }}
	for _, e := range eqs {
		rows.eq = append(rows.eq, prog.Col{Name: e.col, Val: e.val})
	}
	a.m.lockPartitions(r.ref, rows, mode)
}

// pushDown carries to a subquery in FROM what the queries around it compare
// its columns with.
func (q *query) pushDown(depth int) {
	if q.of != nil && depth < 16 {
		q.of.pushDown(depth + 1)
		q.of.pushInto(q.within)
	}
}

func (m *machine) lockPartitions(r relref, rows rowSet, mode string) {
	if r.rel == nil || r.rel.Kind != "p" && r.rel.Kind != "r" {
		return
	}
	for _, c := range m.cat.Children(r.name) {
		if r.rel.PartitionBy != "" && !m.survives(r.rel, c, rows) {
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
	return m.pruned(r.ref, rowSet{eq: cols, sift: func(col string) sieve { return q.sift(m, r, col) }})
}

func (m *machine) pruned(r relref, rows rowSet) relref {
	for n := 0; r.rel != nil && r.rel.PartitionBy != "" && n < 16; n++ {
		var left []*schema.Relation
		for _, c := range m.cat.Children(r.name) {
			if m.survives(r.rel, c, rows) {
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

// heirs returns the tables that inherit from that of an entry: rows of
// theirs are rows of its own (R3.5).
func (m *machine) heirs(r *rte) []relref {
	if r.only || r.ref.rel == nil || r.ref.rel.PartitionBy != "" {
		return nil
	}
	var out []relref
	var add func(name string)
	add = func(name string) {
		for _, c := range m.cat.Children(name) {
			if len(out) < 64 {
				out = append(out, m.ref(c))
				add(c.Name)
			}
		}
	}
	add(r.ref.name)
	return out
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

func between(s, from, to string) string {
	i := strings.Index(s, from)
	if i < 0 {
		return ""
	}
	s = s[i+len(from):]
	if j := strings.Index(s, to); j >= 0 && to != "" {
		s = s[:j]
	}
	return s
}

// bound locks the tables above a partition that is changed by its own name,
// to read which rows belong in it (R3.5).
func (m *machine) bound(r relref) {
	for _, up := range r.up {
		m.table(m.ref(up), lockgraph.AccessShare, "R3.5")
	}
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
	if p := m.pruned(c.ref, rowSet{eq: eq}); p.name != c.ref.name {
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
			if to := m.pruned(m.ref(root), rowSet{eq: []prog.Col{{Name: col, Val: s.val}}}); to.name != root.Name {
				m.table(to, lockgraph.RowExclusive, "R3.5")
			}
			m.row(c.ref, c.rows, prog.Acq{Mode: lockgraph.ForUpdate, Implicit: true, Rule: "R5.3"})
			m.moved(c)
		})
		return
	}
}

// moved plays what a row that goes to another partition has run for it: the
// triggers of DELETE here, the triggers and the checks of foreign keys of
// INSERT there.
func (m *machine) moved(c *change) {
	gone := &change{kind: "delete", ref: c.ref, rows: c.rows, rule: c.rule}
	m.fire(gone, m.triggers(gone, "before", true))
	in := &change{kind: "insert", ref: c.ref, rule: c.rule, several: c.rows.many, given: map[string]*prog.Val{}}
	for _, col := range c.ref.rel.Columns {
		in.given[col.Name] = prog.New(prog.VSQLCol, c.ref.name+"."+col.Name)
	}
	for _, e := range c.rows.eq {
		in.given[e.Name] = e.Val
	}
	for _, s := range c.set {
		in.given[s.col] = s.val
	}
	m.fire(in, m.triggers(in, "before", true))
	for _, e := range m.foreignKeys(in) {
		m.later(e.run)
	}
	for _, ch := range []*change{gone, in} {
		for _, t := range m.triggers(ch, "after", true) {
			m.later(func() { m.fireAfter(ch, t) })
		}
	}
}
