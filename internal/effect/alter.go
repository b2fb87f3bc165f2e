package effect

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// alterModes are the table locks of ALTER TABLE's actions that are weaker
// than ACCESS EXCLUSIVE (R10.2).
var alterModes = map[pgsql.AlterTableType]string{
	pgsql.AlterTableType_AT_SetStatistics:           lockgraph.ShareUpdateExclusive,
	pgsql.AlterTableType_AT_SetOptions:              lockgraph.ShareUpdateExclusive,
	pgsql.AlterTableType_AT_ResetOptions:            lockgraph.ShareUpdateExclusive,
	pgsql.AlterTableType_AT_ClusterOn:               lockgraph.ShareUpdateExclusive,
	pgsql.AlterTableType_AT_DropCluster:             lockgraph.ShareUpdateExclusive,
	pgsql.AlterTableType_AT_SetRelOptions:           lockgraph.ShareUpdateExclusive,
	pgsql.AlterTableType_AT_ResetRelOptions:         lockgraph.ShareUpdateExclusive,
	pgsql.AlterTableType_AT_ValidateConstraint:      lockgraph.ShareUpdateExclusive,
	pgsql.AlterTableType_AT_AttachPartition:         lockgraph.ShareUpdateExclusive,
	pgsql.AlterTableType_AT_DetachPartitionFinalize: lockgraph.ShareUpdateExclusive,
	pgsql.AlterTableType_AT_EnableTrig:              lockgraph.ShareRowExclusive,
	pgsql.AlterTableType_AT_EnableAlwaysTrig:        lockgraph.ShareRowExclusive,
	pgsql.AlterTableType_AT_EnableReplicaTrig:       lockgraph.ShareRowExclusive,
	pgsql.AlterTableType_AT_DisableTrig:             lockgraph.ShareRowExclusive,
	pgsql.AlterTableType_AT_EnableTrigAll:           lockgraph.ShareRowExclusive,
	pgsql.AlterTableType_AT_DisableTrigAll:          lockgraph.ShareRowExclusive,
	pgsql.AlterTableType_AT_EnableTrigUser:          lockgraph.ShareRowExclusive,
	pgsql.AlterTableType_AT_DisableTrigUser:         lockgraph.ShareRowExclusive,
}

var tableModes = []string{lockgraph.AccessShare, lockgraph.RowShare, lockgraph.RowExclusive, lockgraph.ShareUpdateExclusive,
	lockgraph.Share, lockgraph.ShareRowExclusive, lockgraph.ExclusiveTable, lockgraph.AccessExclusive}

func stronger(a, b string) string {
	if slices.Index(tableModes, b) > slices.Index(tableModes, a) {
		return b
	}
	return a
}

// alterTable takes the strongest lock that one of its actions needs, then
// what each action locks elsewhere (R10.2).
func (m *machine) alterTable(s *pgsql.AlterTableStmt) {
	r := m.rangeVar(s.GetRelation())
	if r.rel == nil && s.GetMissingOk() && m.loaded() && r.cut == "" {
		return // nothing is locked (R10.2)
	}
	if s.GetObjtype() == pgsql.ObjectType_OBJECT_INDEX {
		m.indexTable(r.name, "", "", "")
		return
	}
	if r.kind == "" && s.GetObjtype() == pgsql.ObjectType_OBJECT_VIEW {
		r.kind = "v"
	}
	m.missing(r)
	mode := lockgraph.AccessShare
	for _, n := range s.GetCmds() {
		mode = stronger(mode, alterMode(n.GetAlterTableCmd()))
	}
	m.define1(r, mode, "R10.2")
	if s.GetRelation().GetInh() && recurses(s.GetCmds()) && r.rel != nil {
		m.down(r, mode)
	}
	for _, n := range s.GetCmds() {
		m.alterAction(r, n.GetAlterTableCmd())
	}
}

// define1 takes a table lock that the statement asks for by name.
func (m *machine) define1(r relref, mode, rule string) { m.tableAs(r, mode, rule, true, "") }

func (m *machine) down(r relref, mode string) {
	for _, c := range m.cat.Children(r.name) {
		m.define1(m.ref(c), mode, "R10.2")
		m.down(m.ref(c), mode)
	}
}

func recurses(cmds []*pgsql.Node) bool {
	for _, n := range cmds {
		switch n.GetAlterTableCmd().GetSubtype() {
		case pgsql.AlterTableType_AT_AttachPartition, pgsql.AlterTableType_AT_DetachPartition, pgsql.AlterTableType_AT_AddInherit,
			pgsql.AlterTableType_AT_DropInherit, pgsql.AlterTableType_AT_ChangeOwner, pgsql.AlterTableType_AT_ReplicaIdentity,
			pgsql.AlterTableType_AT_EnableRowSecurity, pgsql.AlterTableType_AT_DisableRowSecurity, pgsql.AlterTableType_AT_SetRelOptions,
			pgsql.AlterTableType_AT_ClusterOn, pgsql.AlterTableType_AT_SetTableSpace:
		default:
			return true
		}
	}
	return false
}

func alterMode(c *pgsql.AlterTableCmd) string {
	if c.GetSubtype() == pgsql.AlterTableType_AT_AddConstraint && c.GetDef().GetConstraint().GetContype() == pgsql.ConstrType_CONSTR_FOREIGN {
		return lockgraph.ShareRowExclusive
	}
	if c.GetSubtype() == pgsql.AlterTableType_AT_DetachPartition && c.GetDef().GetPartitionCmd().GetConcurrent() {
		return lockgraph.ShareUpdateExclusive
	}
	if m := alterModes[c.GetSubtype()]; m != "" {
		return m
	}
	return lockgraph.AccessExclusive
}

// alterAction locks what an action needs besides the table itself.
func (m *machine) alterAction(r relref, c *pgsql.AlterTableCmd) {
	switch c.GetSubtype() {
	case pgsql.AlterTableType_AT_AddColumn:
		for _, n := range c.GetDef().GetColumnDef().GetConstraints() {
			m.references(r, n.GetConstraint(), false)
		}
	case pgsql.AlterTableType_AT_AddConstraint:
		m.references(r, c.GetDef().GetConstraint(), true)
	case pgsql.AlterTableType_AT_ValidateConstraint:
		if k := foreignKey(r, c.GetName()); k != nil {
			m.define1(m.exact(k.Parent), lockgraph.RowShare, "R10.2")
		}
	case pgsql.AlterTableType_AT_DropConstraint, pgsql.AlterTableType_AT_AlterConstraint:
		if k := foreignKey(r, c.GetName()); k != nil && c.GetSubtype() == pgsql.AlterTableType_AT_DropConstraint {
			m.define1(m.exact(k.Parent), lockgraph.AccessExclusive, "R10.2")
		}
	case pgsql.AlterTableType_AT_AttachPartition:
		m.attach(r, c.GetDef().GetPartitionCmd())
	case pgsql.AlterTableType_AT_DetachPartition:
		p := c.GetDef().GetPartitionCmd()
		part := m.rangeVar(p.GetName())
		if p.GetConcurrent() {
			m.define1(part, lockgraph.ShareUpdateExclusive, "R10.2")
			m.waitOn("transactions that use " + r.name + " or " + part.name)
		}
		m.define1(part, lockgraph.AccessExclusive, "R10.2")
		m.keysAround(r, lockgraph.AccessExclusive)
	case pgsql.AlterTableType_AT_AddInherit, pgsql.AlterTableType_AT_DropInherit:
		if v := c.GetDef().GetRangeVar(); v != nil {
			m.define1(m.rangeVar(v), lockgraph.ShareUpdateExclusive, "R10.2")
		}
	case pgsql.AlterTableType_AT_DisableTrigAll:
		if m.ddl {
			put(&m.off, r.name, true)
		}
	case pgsql.AlterTableType_AT_EnableTrigAll:
		if m.ddl {
			delete(m.off, r.name)
		}
	}
}

func (m *machine) attach(r relref, p *pgsql.PartitionCmd) {
	part := m.rangeVar(p.GetName())
	m.define1(part, lockgraph.AccessExclusive, "R10.2")
	m.down(part, lockgraph.AccessExclusive)
	for _, c := range m.cat.Children(r.name) {
		if c.Bound == "DEFAULT" {
			m.define1(m.ref(c), lockgraph.AccessExclusive, "R10.2")
		}
	}
	m.keysAround(r, lockgraph.ShareRowExclusive)
}

// keysAround locks what foreign keys tie to a table that gets or loses a
// partition: the tables that it refers to, and those that refer to it (R10.3).
func (m *machine) keysAround(r relref, referring string) {
	if r.rel == nil {
		return
	}
	for _, up := range append([]*schema.Relation{r.rel}, m.cat.Ancestors(r.name)...) {
		for _, k := range up.ForeignKeys {
			m.define1(m.exact(k.Parent), lockgraph.ShareRowExclusive, "R10.3")
		}
		for _, k := range m.cat.References(up.Name) {
			m.define1(m.exact(k.Table), referring, "R10.3")
		}
	}
}

// references locks the table a new foreign key points at, against its
// writers (R10.3); the check of the rows that are there reads both tables.
func (m *machine) references(r relref, k *pgsql.Constraint, check bool) {
	if k.GetContype() != pgsql.ConstrType_CONSTR_FOREIGN {
		return
	}
	parent := m.rangeVar(k.GetPktable())
	m.define1(parent, lockgraph.ShareRowExclusive, "R10.3")
	if parent.rel != nil {
		for _, c := range m.cat.Children(parent.name) {
			m.define1(m.ref(c), lockgraph.ShareRowExclusive, "R10.3")
		}
	}
	if check && !k.GetSkipValidation() {
		m.define1(parent, lockgraph.RowShare, "R10.3")
		m.define1(r, lockgraph.AccessShare, "R10.3")
	}
}

// indexTable locks the table of an index, and returns whether it was found.
func (m *machine) indexTable(index, mode, rule, schemaName string) bool {
	for _, name := range m.relationNames() {
		rel := m.cat.Relations[name]
		for _, x := range rel.Indexes {
			if x.Name == index || x.Name == bare(index) && strings.HasPrefix(index, schemaName) {
				if mode != "" {
					m.define1(m.ref(rel), mode, rule)
					if rel.Kind == "p" {
						m.down(m.ref(rel), mode)
					}
				}
				return true
			}
		}
	}
	return false
}

func (m *machine) relationNames() []string {
	out := make([]string, 0, len(m.cat.Relations))
	for name := range m.cat.Relations {
		out = append(out, name)
	}
	return sorted(out)
}
