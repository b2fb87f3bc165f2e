package effect

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph"
)

func (m *machine) drop(s *pgsql.DropStmt) {
	cascade := s.GetBehavior() == pgsql.DropBehavior_DROP_CASCADE
	for _, n := range s.GetObjects() {
		names := pgsql.Strings(n.GetList().GetItems())
		if len(names) == 0 {
			names = []string{n.GetString_().GetSval()}
		}
		sch := ""
		if len(names) > 1 {
			sch = names[len(names)-2]
		}
		last := names[len(names)-1]
		switch s.GetRemoveType() {
		case pgsql.ObjectType_OBJECT_TABLE, pgsql.ObjectType_OBJECT_VIEW, pgsql.ObjectType_OBJECT_MATVIEW, pgsql.ObjectType_OBJECT_SEQUENCE:
			r := m.named(sch, last)
			if r.rel == nil && s.GetMissingOk() && m.loaded() && r.cut == "" {
				continue
			}
			if r.kind == "" {
				r.kind = map[pgsql.ObjectType]string{pgsql.ObjectType_OBJECT_VIEW: "v", pgsql.ObjectType_OBJECT_MATVIEW: "m", pgsql.ObjectType_OBJECT_SEQUENCE: "S"}[s.GetRemoveType()]
			}
			m.missing(r)
			m.dropRelation(r, cascade, map[string]bool{})
		case pgsql.ObjectType_OBJECT_INDEX:
			if s.GetConcurrent() {
				m.indexTable(last, lockgraph.ShareUpdateExclusive, "R10.4", "")
				m.waitOn("transactions that use index " + last)
				continue
			}
			m.indexTable(last, lockgraph.AccessExclusive, "R10.4", "")
		case pgsql.ObjectType_OBJECT_TRIGGER, pgsql.ObjectType_OBJECT_RULE, pgsql.ObjectType_OBJECT_POLICY:
			if len(names) >= 2 {
				t := names[:len(names)-1]
				sch = ""
				if len(t) > 1 {
					sch = t[0]
				}
				r := m.named(sch, t[len(t)-1])
				if r.rel == nil && s.GetMissingOk() && m.loaded() {
					continue
				}
				m.define1(r, lockgraph.AccessExclusive, "R10.2")
			}
		case pgsql.ObjectType_OBJECT_SCHEMA:
			for _, name := range m.relationNames() {
				inside := strings.HasPrefix(name, last+".") || last == "public" && !strings.Contains(name, ".")
				if inside && cascade {
					m.dropRelation(m.exact(name), cascade, map[string]bool{})
				}
			}
		}
	}
}

// dropRelation locks a dropped table, what refers to it when the drop
// cascades, the parents of its foreign keys, and its own parent (R10.3).
func (m *machine) dropRelation(r relref, cascade bool, seen map[string]bool) {
	if seen[r.name] {
		return
	}
	seen[r.name] = true
	if r.rel != nil && r.rel.PartitionOf != "" {
		m.define1(m.exact(r.rel.PartitionOf), lockgraph.AccessExclusive, "R10.2")
	}
	m.define1(r, lockgraph.AccessExclusive, "R10.2")
	if r.rel == nil {
		return
	}
	m.ownedSequences(r, lockgraph.AccessExclusive)
	for _, c := range m.cat.Children(r.name) {
		if c.PartitionOf == r.name || cascade {
			m.dropRelation(m.ref(c), cascade, seen)
		}
	}
	for _, k := range r.rel.ForeignKeys {
		if k.Parent != r.name {
			m.under(m.at.through("foreign key "+k.Name), func() { m.define1(m.exact(k.Parent), lockgraph.AccessExclusive, "R10.3") })
		}
	}
	if cascade {
		for _, k := range m.cat.References(r.name) {
			if k.Table != r.name {
				m.under(m.at.through("foreign key "+k.Name), func() { m.define1(m.exact(k.Table), lockgraph.AccessExclusive, "R10.3") })
			}
		}
		for _, v := range m.viewsOn(r) {
			m.dropRelation(v, cascade, seen)
		}
	}
}

// viewsOn lists the views that read a relation.
func (m *machine) viewsOn(r relref) []relref {
	var out []relref
	for _, name := range m.relationNames() {
		v := m.cat.Relations[name]
		if v.View == "" || v.Name == r.name {
			continue
		}
		if s := selectOf(v.View); s != nil && slices.ContainsFunc(rangeVars(s), func(x *pgsql.RangeVar) bool { return m.rangeVar(x).name == r.name }) {
			out = append(out, m.ref(v))
		}
	}
	return out
}
