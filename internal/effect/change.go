package effect

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A change is what one statement, or one referential action, does to rows of
// one table.
type change struct {
	kind    string // insert, update, delete
	ref     relref
	rows    rowSet
	set     []assign             // update
	given   map[string]*prog.Val // insert: values of the columns that are known
	several bool                 // insert: several rows
	early   bool                 // update: the lock is taken before the new values are known
	upsert  bool                 // update: by ON CONFLICT
	rule    string
	when    string
	root    *change        // of a referential action: the change that began it
	played  map[string]int // how often each foreign key has acted since
	values  func()         // ON CONFLICT: what is evaluated when the row is locked
}

// An assign is one column of an UPDATE's SET list.
type assign struct {
	col  string
	val  *prog.Val
	same bool // set to itself, or to what WHERE compares it with
}

// mode is the row lock of a change: by the values where they are known when
// it is taken (R5.1), else by the SET list (R5.2).
func (c *change) mode(early bool) string {
	if c.kind == "delete" {
		return lockgraph.ForUpdate // (R5.3)
	}
	keys := c.ref.keys()
	for _, s := range c.set {
		if keys[s.col] && (early || !s.same) {
			return lockgraph.ForUpdate
		}
	}
	return lockgraph.ForNoKeyUpdate
}

func (c *change) sets(col string) *assign {
	for i := range c.set {
		if c.set[i].col == col {
			return &c.set[i]
		}
	}
	return nil
}

// perRow is the place of what runs for each changed row.
func (m *machine) perRow(c *change) place {
	p := m.at.also(c.when)
	if c.rows.many || c.several {
		p.many, p.order, p.source = true, c.rows.order, c.rows.source
		if p.order == "" {
			p.order = "plan"
		}
	}
	return p
}

// rowChange locks and changes rows: the lock that BEFORE ROW triggers need,
// the triggers, the checks of the new row, the change itself, which is the lock
// where there are no triggers (R7.2); AFTER triggers and checks of
// foreign keys are left for the end of the statement (R7.1).
func (m *machine) rowChange(c *change) {
	before := m.triggers(c, "before", true)
	early := c.early || len(m.present(c, "before")) > 0
	at := m.at.also(c.when)
	lock := func(mode string) {
		m.under(at, func() { m.row(c.ref, c.rows, prog.Acq{Mode: mode, Implicit: true, Rule: c.rule}) })
	}
	taken := c.mode(early)
	if c.kind == "update" && len(m.present(c, "before")) > 0 && c.ref.generatedKey() {
		taken = lockgraph.ForUpdate // triggers let all generated columns be made anew (R5.2)
	}
	var changed []string
	if early {
		lock(taken)
		if c.values != nil {
			c.values()
		}
		changed = m.fire(c, before)
	}
	if c.kind == "update" {
		m.checkRow(c)
	}
	if !early {
		lock(taken)
	}
	if c.kind == "update" {
		for _, col := range changed {
			c.set = append(c.set, assign{col: col, val: prog.Hole("new." + col)})
		}
		if len(changed) > 0 && taken != lockgraph.ForUpdate && c.mode(false) == lockgraph.ForUpdate {
			lock(lockgraph.ForUpdate) // a trigger changed a key column (R5.2)
		}
	}
	m.queueAfter(c)
	if c.kind == "update" {
		put(&m.touched, c.ref.name, append(m.touched[c.ref.name], c.rows))
	}
}

// present lists the row triggers of a timing that exist for the kind of
// change, whether or not they fire: their being there decides the lock (R5.2).
func (m *machine) present(c *change, timing string) []*schema.Trigger {
	var out []*schema.Trigger
	for _, t := range m.allTriggers(c.ref) {
		if t.Timing == timing && t.ForEachRow && slices.Contains(t.Events, c.kind) {
			out = append(out, t)
		}
	}
	return out
}

// An event is something that runs after the rows of a statement, under the
// name by which PostgreSQL sorts it (R6.3).
type event struct {
	name string
	run  func()
}

// queueAfter queues the checks of foreign keys, the referential actions and
// the AFTER ROW triggers of a change, by name.
func (m *machine) queueAfter(c *change) {
	var events []event
	if m.settings["session_replication_role"] != "replica" {
		events = append(events, m.foreignKeys(c)...)
		events = append(events, m.actions(c)...)
	}
	for _, t := range m.triggers(c, "after", true) {
		events = append(events, event{t.Name, func() { m.fireAfter(c, t) }})
	}
	sort.SliceStable(events, func(i, j int) bool { return events[i].name < events[j].name })
	m.under(m.perRow(c), func() {
		for _, e := range events {
			m.later(e.run)
		}
	})
}

// statementTriggers fires the BEFORE STATEMENT triggers now; the AFTER ones
// are queued when done is called. They run with no rows too (R7.1).
func (m *machine) statementTriggers(c *change) (done func()) {
	m.fire(c, m.triggers(c, "before", false))
	return func() {
		for _, t := range m.triggers(c, "after", false) {
			m.later(func() { m.fire(c, []*schema.Trigger{t}) })
		}
	}
}

// foreignKeys returns the checks that a change of a referencing row needs
// (R6.1, R6.2).
func (m *machine) foreignKeys(c *change) []event {
	if c.kind == "delete" || c.ref.rel == nil {
		return nil
	}
	var out []event
	for i, k := range m.keysOf(c.ref.rel) {
		if k.NotEnforced || k.CheckDisabled || m.off[c.ref.rel.Name] || indexOf(m.follows, k.Name) >= 0 {
			continue
		}
		row, need := m.reference(c, k)
		if !need {
			continue
		}
		name := "RI_ConstraintTrigger_c_" + strconv.Itoa(1000000 + i)[1:]
		out = append(out, event{name, m.deferrable(k.Name, k.Deferrable, k.InitiallyDeferred, func() { m.check(c, k, row) })})
	}
	return out
}

// keysOf returns the foreign keys of a table; a partition has those of its
// parents too.
func (m *machine) keysOf(r *schema.Relation) []*schema.ForeignKey {
	out := r.ForeignKeys
	for n := 0; r.PartitionOf != "" && n < 32; n++ {
		if r = m.cat.Relations[r.PartitionOf]; r == nil {
			break
		}
		have := map[string]bool{}
		for _, k := range out {
			have[k.Name] = true
		}
		for _, k := range r.ForeignKeys {
			if !have[k.Name] {
				out = append(out[:len(out):len(out)], k)
			}
		}
	}
	return out
}

// A reference is the values of a foreign key's columns.
type reference struct {
	cols []prog.Col // of the parent
	null bool       // one is NULL: nothing is checked
	when string
}

// reference tells whether a change makes the server look at the parent.
func (m *machine) reference(c *change, k *schema.ForeignKey) (r reference, need bool) {
	for i, col := range k.Columns {
		v := prog.New(prog.VSQLCol, k.Table+"."+col)
		switch c.kind {
		case "insert":
			need = true
			if g := c.given[col]; g != nil {
				v = g
			} else if c.given != nil {
				v = m.defaultOf(c.ref, col)
			}
		case "update":
			if s := c.sets(col); s != nil {
				need = need || !s.same
				v = s.val
			}
		}
		if isNull(v) {
			r.null = true
		}
		if i < len(k.ParentColumns) {
			r.cols = append(r.cols, prog.Col{Name: k.ParentColumns[i], Val: v})
		}
	}
	if c.kind == "update" {
		if !need && !c.upsert {
			r.when, need = m.again(c)
			return r, need
		}
		need = need && !r.null
	}
	return r, need
}

// defaultOf is the value a column gets that an INSERT leaves out.
func (m *machine) defaultOf(r relref, col string) *prog.Val {
	if c := r.column(col); c != nil {
		switch {
		case c.Sequence != "" || c.Generated != "":
			return prog.New(prog.VSQLCol, r.name+"."+col)
		case c.Default != "":
			if s := selectOf("SELECT " + c.Default); s != nil && len(s.GetTargetList()) == 1 {
				return m.val(nil, s.GetTargetList()[0].GetResTarget().GetVal())
			}
			return prog.Hole("default")
		}
		return prog.Nil
	}
	return prog.New(prog.VSQLCol, r.name+"."+col)
}

// again reports whether the changed row is one that the transaction inserted
// or updated, whose foreign keys are checked again on every update (R6.2); when
// is what decides it where the predicates leave it open.
func (m *machine) again(c *change) (when string, is bool) {
	if len(m.follows) > 0 {
		return "", false
	}
	for _, f := range append(slices.Clone(m.fresh[c.ref.name]), m.touched[c.ref.name]...) {
		if f.by != "" && f.by == c.rows.by {
			continue // a row that a key has set to NULL is not found by that key again
		}
		same, apart := false, false
		for _, a := range f.eq {
			for _, b := range c.rows.eq {
				if a.Name == b.Name {
					same = same || prog.Equal(a.Val, b.Val)
					apart = apart || a.Val.Kind == prog.VConst && b.Val.Kind == prog.VConst && !prog.Equal(a.Val, b.Val)
				}
			}
		}
		if same && !apart || !apart && len(f.eq) == 0 {
			return "", true
		}
		if !apart {
			when, is = prog.ChangedBefore, true
		}
	}
	same := len(c.rows.eq) > 0 && !slices.ContainsFunc(c.rows.eq, func(e prog.Col) bool { return e.Val.Kind != prog.VConst })
	if !is && same && (m.at.many || m.turns > 0) {
		return "it runs more than once for the row", true
	}
	return when, is
}

// check locks the parent row of a foreign key (R6.1); a NULL key only
// touches the parent table (R6.2).
func (m *machine) check(c *change, k *schema.ForeignKey, r reference) {
	m.under(m.at.through("foreign key "+k.Name).also(r.when), func() {
		parent := m.exact(k.Parent)
		m.table(parent, lockgraph.RowShare, "R6.1")
		if r.null {
			return
		}
		rows := rowSet{eq: r.cols, unique: true, many: c.several || c.rows.many && varies(values(r.cols)), order: "plan", source: "values"}
		m.lockPartitions(parent, rows, lockgraph.RowShare)
		m.row(parent, rows, prog.Acq{Mode: lockgraph.ForKeyShare, Implicit: true, Rule: "R6.1", FKFrom: k.Table})
	})
}

func values(cols []prog.Col) []*prog.Val {
	out := make([]*prog.Val, len(cols))
	for i, c := range cols {
		out[i] = c.Val
	}
	return out
}

// deferrable runs f where the constraint is checked: now, or at COMMIT
// (R6.4).
func (m *machine) deferrable(name string, can, initially bool, f func()) func() {
	return func() {
		if m.isDeferred(name, can, initially) {
			m.atCommit(name, f)
			return
		}
		f()
	}
}

func (m *machine) isDeferred(name string, can, initially bool) bool {
	if d, ok := m.deferred[name]; ok {
		return d && (can || initially)
	}
	if d, ok := m.deferred[""]; ok {
		return d && (can || initially)
	}
	return initially
}

// allTriggers lists the triggers of a relation, those of its partitioned
// parents included, sorted by name.
func (m *machine) allTriggers(r relref) []*schema.Trigger {
	if r.rel == nil || m.off[r.name] || m.settings["session_replication_role"] == "replica" {
		return nil
	}
	byName := func(a, b *schema.Trigger) int { return strings.Compare(a.Name, b.Name) }
	if r.rel.PartitionOf == "" && slices.IsSortedFunc(r.rel.Triggers, byName) {
		return r.rel.Triggers
	}
	out := append([]*schema.Trigger{}, r.rel.Triggers...)
	have := map[string]bool{}
	for _, t := range out {
		have[t.Name] = true
	}
	for rel, n := r.rel, 0; rel.PartitionOf != "" && n < 32; n++ {
		if rel = m.cat.Relations[rel.PartitionOf]; rel == nil {
			break
		}
		for _, t := range rel.Triggers {
			if t.ForEachRow && !have[t.Name] {
				out = append(out, t)
			}
		}
	}
	slices.SortStableFunc(out, byName)
	return out
}

// triggers lists those that fire for a change.
func (m *machine) triggers(c *change, timing string, row bool) []*schema.Trigger {
	var out []*schema.Trigger
	for _, t := range m.allTriggers(c.ref) {
		if t.Disabled || !strings.EqualFold(t.Timing, timing) || t.ForEachRow != row || !slices.Contains(t.Events, c.kind) {
			continue
		}
		if c.kind == "update" && len(t.Columns) > 0 {
			hit := false
			for _, col := range t.Columns {
				hit = hit || c.sets(col) != nil
			}
			if !hit {
				continue
			}
		}
		out = append(out, t)
	}
	return out
}
