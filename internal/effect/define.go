package effect

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// waitOn writes down a wait that is none for a lock of the families.
func (m *machine) waitOn(what string) {
	m.emit(prog.Op{Kind: prog.OpWait, Str: what, Acq: m.stamp(prog.Acq{Rule: "R10.4"})})
}

// define plays definitions and maintenance (R10).
func (m *machine) define(n *pgsql.Node) {
	switch s := n.GetNode().(type) {
	case *pgsql.Node_AlterTableStmt:
		m.alterTable(s.AlterTableStmt)
	case *pgsql.Node_IndexStmt:
		m.createIndex(s.IndexStmt)
	case *pgsql.Node_DropStmt:
		m.drop(s.DropStmt)
	case *pgsql.Node_CreateStmt:
		m.createTable(s.CreateStmt)
	case *pgsql.Node_CreateTableAsStmt:
		m.createTableAs(s.CreateTableAsStmt)
	case *pgsql.Node_ViewStmt:
		m.createView(s.ViewStmt)
	case *pgsql.Node_RefreshMatViewStmt:
		m.refresh(s.RefreshMatViewStmt)
	case *pgsql.Node_RenameStmt:
		m.rename(s.RenameStmt)
	case *pgsql.Node_AlterObjectSchemaStmt:
		m.alterObject(s.AlterObjectSchemaStmt.GetObjectType(), s.AlterObjectSchemaStmt.GetRelation(), s.AlterObjectSchemaStmt.GetMissingOk())
	case *pgsql.Node_CreateTrigStmt:
		m.createTrigger(s.CreateTrigStmt)
	case *pgsql.Node_RuleStmt:
		m.define1(m.rangeVar(s.RuleStmt.GetRelation()), lockgraph.AccessExclusive, "R10.2")
		m.parsed(s.RuleStmt.GetActions()...)
	case *pgsql.Node_CreatePolicyStmt:
		m.define1(m.rangeVar(s.CreatePolicyStmt.GetTable()), lockgraph.AccessExclusive, "R10.2")
		m.expressions(s.CreatePolicyStmt.GetQual(), s.CreatePolicyStmt.GetWithCheck())
	case *pgsql.Node_AlterPolicyStmt:
		m.define1(m.rangeVar(s.AlterPolicyStmt.GetTable()), lockgraph.AccessExclusive, "R10.2")
		m.expressions(s.AlterPolicyStmt.GetQual(), s.AlterPolicyStmt.GetWithCheck())
	case *pgsql.Node_ReindexStmt:
		m.reindex(s.ReindexStmt)
	case *pgsql.Node_VacuumStmt:
		m.vacuum(s.VacuumStmt)
	case *pgsql.Node_ClusterStmt:
		if v := s.ClusterStmt.GetRelation(); v != nil {
			m.define1(m.rangeVar(v), lockgraph.AccessExclusive, "R10.2")
		}
	case *pgsql.Node_CommentStmt:
		m.comment(s.CommentStmt)
	case *pgsql.Node_CreateStatsStmt:
		for _, v := range s.CreateStatsStmt.GetRelations() {
			m.define1(m.rangeVar(v.GetRangeVar()), lockgraph.ShareUpdateExclusive, "R10.2")
		}
	case *pgsql.Node_CreatePublicationStmt:
		for _, o := range s.CreatePublicationStmt.GetPubobjects() {
			if v := o.GetPublicationObjSpec().GetPubtable().GetRelation(); v != nil {
				m.define1(m.rangeVar(v), lockgraph.ShareUpdateExclusive, "R10.2")
			}
		}
	case *pgsql.Node_AlterSeqStmt:
		r := m.rangeVar(s.AlterSeqStmt.GetSequence())
		r.kind = "S"
		m.define1(r, lockgraph.ShareRowExclusive, "R10.2")
		m.owner(s.AlterSeqStmt.GetOptions())
	case *pgsql.Node_CreateSeqStmt:
		m.owner(s.CreateSeqStmt.GetOptions())
	case *pgsql.Node_CreateFunctionStmt:
		m.parsed(s.CreateFunctionStmt.GetSqlBody().GetList().GetItems()...)
	}
}

// parsed locks the tables that statements name which a definition only
// analyzes.
func (m *machine) parsed(stmts ...*pgsql.Node) {
	for _, n := range stmts {
		if l := n.GetList(); l != nil {
			m.parsed(l.GetItems()...)
			continue
		}
		a := m.analysis()
		a.parseOnly = true
		a.body(n, nil)
	}
}

// expressions locks the tables that expressions of a definition name.
func (m *machine) expressions(exprs ...*pgsql.Node) {
	a := m.analysis()
	a.parseOnly = true
	q := &query{machine: m, subs: a.subs, done: a.done, joins: map[*pgsql.Node]bool{}, sel: &pgsql.SelectStmt{}}
	a.exprs(q, exprs)
}

// owner locks the table whose column a sequence is made to belong to.
func (m *machine) owner(options []*pgsql.Node) {
	for _, n := range options {
		d := n.GetDefElem()
		names := pgsql.Strings(d.GetArg().GetList().GetItems())
		if d.GetDefname() != "owned_by" || len(names) < 2 {
			continue
		}
		sch := ""
		if len(names) > 2 {
			sch = names[len(names)-3]
		}
		m.define1(m.named(sch, names[len(names)-2]), lockgraph.AccessShare, "R10.2")
	}
}

// createIndex locks out writers; CONCURRENTLY does not, and waits instead
// (R10.4).
func (m *machine) createIndex(s *pgsql.IndexStmt) {
	r := m.rangeVar(s.GetRelation())
	m.missing(r)
	if s.GetConcurrent() {
		m.define1(r, lockgraph.ShareUpdateExclusive, "R10.4")
		m.waitOn("transactions that write " + r.name)
		m.waitOn("older snapshots in the database")
		return
	}
	m.define1(r, lockgraph.Share, "R10.4")
	if r.kind == "p" && s.GetRelation().GetInh() {
		m.down(r, lockgraph.Share)
	}
}

func (m *machine) createTable(s *pgsql.CreateStmt) {
	v := s.GetRelation()
	if s.GetIfNotExists() && m.rangeVar(v).rel != nil {
		return // nothing is locked (R10.2)
	}
	for _, n := range s.GetInhRelations() {
		parent := m.rangeVar(n.GetRangeVar())
		if s.GetPartbound() == nil {
			m.define1(parent, lockgraph.ShareUpdateExclusive, "R10.2")
			continue
		}
		m.define1(parent, lockgraph.AccessExclusive, "R10.2")
		for _, c := range m.cat.Children(parent.name) {
			if c.Bound == "DEFAULT" {
				m.define1(m.ref(c), lockgraph.AccessExclusive, "R10.2")
			}
		}
		m.keysAround(parent, lockgraph.ShareRowExclusive)
	}
	m.created(v, "r", "R10.2")
	self := relref{name: qualified(v.GetSchemaname(), v.GetRelname())}
	for _, n := range s.GetTableElts() {
		if l := n.GetTableLikeClause(); l != nil {
			m.define1(m.rangeVar(l.GetRelation()), lockgraph.AccessShare, "R10.2")
		}
		m.referencesUnless(self, n.GetConstraint())
		for _, c := range n.GetColumnDef().GetConstraints() {
			m.referencesUnless(self, c.GetConstraint())
		}
	}
}

// referencesUnless spares a key of a new table on itself.
func (m *machine) referencesUnless(self relref, k *pgsql.Constraint) {
	if k != nil && m.rangeVar(k.GetPktable()).name != self.name {
		m.references(self, k, false)
	}
}

func (m *machine) createTableAs(s *pgsql.CreateTableAsStmt) {
	into := s.GetInto().GetRel()
	if s.GetIfNotExists() && m.rangeVar(into).rel != nil {
		return
	}
	saved := m.readOnly
	m.readOnly = saved || s.GetInto().GetSkipData()
	m.run(s.GetQuery())
	m.readOnly = saved
	kind := "r"
	if s.GetObjtype() == pgsql.ObjectType_OBJECT_MATVIEW {
		kind = "m"
	}
	m.created(into, kind, "R5.11")
}

func (m *machine) createView(s *pgsql.ViewStmt) {
	saved := m.readOnly
	m.readOnly = true
	a := m.analysis()
	a.parseOnly = true
	a.body(s.GetQuery(), nil)
	m.readOnly = saved
	r := m.rangeVar(s.GetView())
	if r.kind == "" {
		r.kind = "v"
	}
	m.define1(r, lockgraph.AccessExclusive, "R10.2")
}

func (m *machine) refresh(s *pgsql.RefreshMatViewStmt) {
	r := m.rangeVar(s.GetRelation())
	if r.kind == "" {
		r.kind = "m"
	}
	mode := lockgraph.AccessExclusive
	if s.GetConcurrent() {
		mode = lockgraph.ExclusiveTable
	}
	m.define1(r, mode, "R10.2")
	if r.rel == nil || s.GetSkipData() {
		return
	}
	if sel := selectOf(r.rel.View); sel != nil {
		m.query(&pgsql.Node{Node: &pgsql.Node_SelectStmt{SelectStmt: sel}})
	}
}

func (m *machine) rename(s *pgsql.RenameStmt) {
	switch s.GetRenameType() {
	case pgsql.ObjectType_OBJECT_INDEX:
		return
	case pgsql.ObjectType_OBJECT_FUNCTION, pgsql.ObjectType_OBJECT_SCHEMA:
		return
	}
	if v := s.GetRelation(); v != nil {
		r := m.rangeVar(v)
		if r.rel == nil && m.indexTable(v.GetRelname(), "", "", "") {
			return
		}
		if r.rel == nil && s.GetMissingOk() && m.loaded() {
			return
		}
		m.define1(r, lockgraph.AccessExclusive, "R10.2")
		if s.GetRenameType() == pgsql.ObjectType_OBJECT_COLUMN && r.rel != nil && v.GetInh() {
			m.down(r, lockgraph.AccessExclusive)
		}
	}
}

func (m *machine) alterObject(kind pgsql.ObjectType, v *pgsql.RangeVar, missing bool) {
	if v == nil {
		return
	}
	r := m.rangeVar(v)
	if r.rel == nil && missing && m.loaded() {
		return
	}
	m.define1(r, lockgraph.AccessExclusive, "R10.2")
}

func (m *machine) createTrigger(s *pgsql.CreateTrigStmt) {
	m.define1(m.rangeVar(s.GetRelation()), lockgraph.ShareRowExclusive, "R10.2")
	if v := s.GetConstrrel(); v != nil {
		m.define1(m.rangeVar(v), lockgraph.AccessShare, "R10.2")
	}
}

func (m *machine) reindex(s *pgsql.ReindexStmt) {
	mode := lockgraph.Share
	concurrent := false
	for _, n := range s.GetParams() {
		if d := n.GetDefElem(); d.GetDefname() == "concurrently" && offOption(d.GetArg()) {
			mode, concurrent = lockgraph.ShareUpdateExclusive, true
		}
	}
	switch s.GetKind() {
	case pgsql.ReindexObjectType_REINDEX_OBJECT_INDEX:
		if !m.indexTable(s.GetRelation().GetRelname(), mode, "R10.4", "") && m.loaded() {
			m.unknown("relation", "index "+s.GetRelation().GetRelname()+" is not in the schema")
		}
	case pgsql.ReindexObjectType_REINDEX_OBJECT_TABLE:
		r := m.rangeVar(s.GetRelation())
		m.define1(r, mode, "R10.4")
		if r.rel != nil {
			m.down(r, mode)
		}
	default:
		for _, name := range m.relationNames() {
			r := m.cat.Relations[name]
			if r.Kind == "r" && (s.GetKind() != pgsql.ReindexObjectType_REINDEX_OBJECT_SCHEMA || strings.HasPrefix(name, s.GetName()+".") || s.GetName() == "public" && !strings.Contains(name, ".")) {
				m.define1(m.ref(r), mode, "R10.4")
			}
		}
	}
	if concurrent {
		m.waitOn("older snapshots in the database")
	}
}

func (m *machine) vacuum(s *pgsql.VacuumStmt) {
	mode := lockgraph.ShareUpdateExclusive
	for _, n := range s.GetOptions() {
		if d := n.GetDefElem(); d.GetDefname() == "full" && offOption(d.GetArg()) {
			mode = lockgraph.AccessExclusive
		}
	}
	for _, n := range s.GetRels() {
		r := m.rangeVar(n.GetVacuumRelation().GetRelation())
		m.define1(r, mode, "R10.2")
		if r.rel != nil && r.rel.Kind == "p" {
			m.down(r, mode)
		} else if v := n.GetVacuumRelation().GetRelation(); v.GetInh() {
			m.vacuumHeirs(r, mode, s.GetIsVacuumcmd())
		}
	}
	if len(s.GetRels()) > 0 {
		return
	}
	for _, name := range m.relationNames() {
		if r := m.cat.Relations[name]; r.Kind == "r" || r.Kind == "m" {
			m.define1(m.ref(r), mode, "R10.2")
		}
	}
}

// vacuumHeirs locks the tables that inherit from one: since version 18 they
// are treated as well (its release notes, E.1.2); before, ANALYZE only reads
// them for the statistics of the whole.
func (m *machine) vacuumHeirs(r relref, mode string, vacuum bool) {
	switch {
	case m.version < 18 && vacuum:
		return
	case m.version < 18:
		mode = lockgraph.AccessShare
	}
	for _, child := range m.heirs(&rte{ref: r}) {
		m.define1(child, mode, "R10.5")
	}
}

func (m *machine) comment(s *pgsql.CommentStmt) {
	names := pgsql.Strings(s.GetObject().GetList().GetItems())
	switch s.GetObjtype() {
	case pgsql.ObjectType_OBJECT_COLUMN:
		if len(names) < 2 {
			return
		}
		names = names[:len(names)-1]
	case pgsql.ObjectType_OBJECT_TABLE, pgsql.ObjectType_OBJECT_VIEW, pgsql.ObjectType_OBJECT_MATVIEW, pgsql.ObjectType_OBJECT_SEQUENCE:
	default:
		return
	}
	if len(names) == 0 {
		return
	}
	sch := ""
	if len(names) > 1 {
		sch = names[len(names)-2]
	}
	m.define1(m.named(sch, names[len(names)-1]), lockgraph.ShareUpdateExclusive, "R10.2")
}

// foreignKey finds a foreign key of a table by name.
func foreignKey(r relref, name string) *schema.ForeignKey {
	if r.rel != nil {
		for _, k := range r.rel.ForeignKeys {
			if k.Name == name {
				return k
			}
		}
	}
	return nil
}
