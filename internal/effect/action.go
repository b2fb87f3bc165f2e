package effect

import (
	"slices"
	"strconv"

	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// actions returns what a change of a referenced row makes the server do with
// the referencing ones (R6.6, R6.7).
func (m *machine) actions(c *change) []event {
	if c.kind == "insert" || c.ref.rel == nil {
		return nil
	}
	var out []event
	refs := m.cat.References(c.ref.name)
	if c.ref.root != "" {
		for _, a := range m.cat.Ancestors(c.ref.name) {
			refs = append(refs[:len(refs):len(refs)], m.cat.References(a.Name)...)
		}
	}
	for i, k := range refs {
		do := k.OnDelete
		if c.kind == "update" {
			do = k.OnUpdate
			if !c.touches(k) {
				continue // a key set to itself, or not set, starts nothing (R6.6)
			}
		}
		if k.NotEnforced || k.ActionDisabled || m.off[k.Parent] {
			continue
		}
		run := func() { m.act(c, k, do) }
		if do == "no action" || do == "" {
			run = m.deferrable(k.Name, k.Deferrable, k.InitiallyDeferred, run)
		}
		out = append(out, event{"RI_ConstraintTrigger_a_" + strconv.Itoa(1000000 + i)[1:], run})
	}
	return out
}

// touches reports whether an update can change what a foreign key refers to.
func (c *change) touches(k *schema.ForeignKey) bool {
	for _, col := range k.ParentColumns {
		if s := c.sets(col); s != nil && !s.same {
			return true
		}
	}
	return false
}

// act plays one referential action. Its own AFTER triggers join the queue of
// the statement: levels are worked off breadth first (R6.7).
func (m *machine) act(c *change, k *schema.ForeignKey, do string) {
	child := m.exact(k.Table)
	m.under(m.at.through("foreign key "+k.Name), func() {
		rows := rowSet{many: !m.uniqueOn(child, k.Columns), order: "plan", source: "equality"}
		for i, col := range k.Columns {
			v := prog.New(prog.VSQLCol, k.Parent+"."+at(k.ParentColumns, i))
			for _, e := range c.rows.eq {
				if e.Name == at(k.ParentColumns, i) {
					v = e.Val
				}
			}
			rows.eq = append(rows.eq, prog.Col{Name: col, Val: v})
		}
		if !rows.many {
			rows.order, rows.source, rows.unique = "", "", true
		}
		n := &change{ref: child, rows: rows, rule: "R6.7", when: "rows of " + child.name + " refer to it", root: c.root}
		if n.root == nil {
			n.root = c
		}
		switch do {
		case "cascade", "set null", "set default":
			m.cascade(n, c, k, do)
		default:
			m.restrict(n, c, k, do)
		}
	})
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

func (m *machine) uniqueOn(r relref, cols []string) bool {
	if r.rel == nil {
		return false
	}
	set := map[string]bool{}
	for _, c := range cols {
		set[c] = true
	}
	return slices.ContainsFunc(r.indexes(), func(x *schema.Index) bool { return keyBound(x, set) })
}

// restrict looks for referencing rows: a found one is locked before the
// statement fails, so that nothing is done while it is held (R6.6).
func (m *machine) restrict(n, c *change, k *schema.ForeignKey, do string) {
	if do != "restrict" {
		m.table(m.exact(k.Parent), lockgraph.RowShare, "R6.6")
	}
	m.table(n.ref, lockgraph.RowShare, "R6.6")
	m.lockPartitions(n.ref, n.rows, lockgraph.RowShare)
	m.under(m.at.also(n.when), func() {
		m.row(n.ref, n.rows, prog.Acq{Mode: lockgraph.ForKeyShare, Implicit: true, Rule: "R6.6", FKFrom: k.Table, Refuses: true})
	})
}

// Limits of referential actions: in one text, and of one foreign key after
// one change.
const (
	maxCascades = 300
	maxRounds   = 3
)

// again counts how often a foreign key has acted since the change.
func (c *change) again(k *schema.ForeignKey) int {
	if c.played == nil {
		c.played = map[string]int{}
	}
	key := k.Table + " " + k.Name
	c.played[key]++
	return c.played[key]
}

func (m *machine) cascade(n, c *change, k *schema.ForeignKey, do string) {
	if m.cascades++; m.cascades > maxCascades {
		m.unknown("size", "referential actions go on without end at "+n.ref.name)
		return
	}
	if n.root.again(k) > maxRounds {
		return // the same action again: deeper rows of tables that refer to themselves, or rows found on another way
	}
	m.table(n.ref, lockgraph.RowExclusive, "R6.7")
	m.lockPartitions(n.ref, n.rows, lockgraph.RowExclusive)
	n.kind = "update"
	if do == "set null" {
		n.rows.by = k.Table + " " + k.Name
	}
	for i, col := range k.Columns {
		v := prog.Nil
		switch {
		case do == "set default":
			v = m.defaultOf(n.ref, col)
		case do == "cascade" && c.kind == "update":
			if s := c.sets(at(k.ParentColumns, i)); s != nil {
				v = s.val
			} else {
				v = prog.New(prog.VSQLCol, k.Parent+"."+at(k.ParentColumns, i))
			}
		}
		n.set = append(n.set, assign{col: col, val: v})
	}
	if do == "cascade" && c.kind == "delete" {
		n.kind, n.set = "delete", nil
	}
	done := m.statementTriggers(n)
	m.cascading(n, k, do)
	done()
}

// cascading changes the child rows; the check of a key that follows its
// parent is spared (R6.7).
func (m *machine) cascading(n *change, k *schema.ForeignKey, do string) {
	if do == "cascade" && n.kind == "update" {
		m.follows = append(m.follows, k.Name)
		defer func() { m.follows = m.follows[:len(m.follows)-1] }()
	}
	m.rowChange(n)
}
