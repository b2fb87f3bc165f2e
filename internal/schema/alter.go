package schema

import (
	"slices"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// alterTable applies ALTER TABLE, and ALTER VIEW, INDEX and SEQUENCE, which
// share its grammar.
func (a *applier) alterTable(s *pgsql.AlterTableStmt) {
	if s.Objtype == pgsql.ObjectType_OBJECT_INDEX || s.Objtype == pgsql.ObjectType_OBJECT_TYPE {
		return
	}
	r := a.find(s.Relation)
	if r == nil {
		if !s.MissingOk {
			a.missing("relation", a.named(s.Relation))
		}
		return
	}
	for _, n := range s.Cmds {
		if cmd := n.GetAlterTableCmd(); cmd != nil {
			a.alter(r, cmd)
		}
	}
}

func (a *applier) alter(r *Relation, cmd *pgsql.AlterTableCmd) {
	switch cmd.Subtype {
	case pgsql.AlterTableType_AT_AddColumn:
		a.alterAddColumn(r, cmd)
	case pgsql.AlterTableType_AT_DropColumn:
		a.dropColumn(r, cmd.Name)
	case pgsql.AlterTableType_AT_AddConstraint:
		for _, c := range attributes([]*pgsql.Node{cmd.Def}) {
			a.constraint(r, c, "")
		}
	case pgsql.AlterTableType_AT_AlterConstraint:
		a.alterConstraint(r, cmd.Def)
	case pgsql.AlterTableType_AT_ValidateConstraint:
		for _, fk := range r.ForeignKeys {
			if fk.Name == cmd.Name {
				fk.NotValid = false
			}
		}
	case pgsql.AlterTableType_AT_DropConstraint:
		a.dropConstraint(r, cmd.Name)
	case pgsql.AlterTableType_AT_AttachPartition, pgsql.AlterTableType_AT_DetachPartition:
		a.partition(r, cmd.Def.GetPartitionCmd(), cmd.Subtype == pgsql.AlterTableType_AT_AttachPartition)
	case pgsql.AlterTableType_AT_AddInherit:
		if parent := a.named(cmd.Def.GetRangeVar()); !a.circular(parent, r) {
			r.Inherits = append(r.Inherits, parent)
		}
	case pgsql.AlterTableType_AT_DropInherit:
		parent := a.named(cmd.Def.GetRangeVar())
		r.Inherits = slices.DeleteFunc(r.Inherits, func(s string) bool { return s == parent })
	case pgsql.AlterTableType_AT_EnableRowSecurity:
		r.RowSecurity = true
	case pgsql.AlterTableType_AT_DisableRowSecurity:
		r.RowSecurity = false
	case pgsql.AlterTableType_AT_EnableTrig, pgsql.AlterTableType_AT_EnableAlwaysTrig:
		r.toggle(cmd.Name, false)
	case pgsql.AlterTableType_AT_DisableTrig, pgsql.AlterTableType_AT_EnableReplicaTrig:
		r.toggle(cmd.Name, true)
	case pgsql.AlterTableType_AT_EnableTrigAll, pgsql.AlterTableType_AT_EnableTrigUser:
		r.toggle("", false)
		a.toggleKeys(r, cmd, false)
	case pgsql.AlterTableType_AT_DisableTrigAll, pgsql.AlterTableType_AT_DisableTrigUser:
		r.toggle("", true)
		a.toggleKeys(r, cmd, true)
	default:
		for _, t := range a.family(r) {
			a.alterColumn(t, cmd)
		}
	}
}

// family is a table and all that inherit its columns.
func (a *applier) family(r *Relation) []*Relation {
	out := []*Relation{r}
	for i := 0; i < len(out); i++ {
		for _, ch := range a.Children(out[i].Name) {
			if !slices.Contains(out, ch) {
				out = append(out, ch)
			}
		}
	}
	return out
}

// circular reports, and tells, that a relation would be its own ancestor:
// walks up and down the tree of tables must end.
func (a *applier) circular(parent string, child *Relation) bool {
	if p := a.Relations[parent]; p == nil || !slices.Contains(a.family(child), p) {
		return false
	}
	a.fail("circular inheritance of \"" + child.Name + "\"")
	return true
}

func (r *Relation) toggle(name string, disabled bool) {
	for _, t := range r.Triggers {
		if name == "" || t.Name == name {
			t.Disabled = disabled
		}
	}
}

// toggleKeys follows ENABLE and DISABLE TRIGGER ALL to the triggers that
// check foreign keys: of the table's own keys, and of those that refer to it.
func (a *applier) toggleKeys(r *Relation, cmd *pgsql.AlterTableCmd, disabled bool) {
	if cmd.Subtype == pgsql.AlterTableType_AT_EnableTrigUser || cmd.Subtype == pgsql.AlterTableType_AT_DisableTrigUser {
		return
	}
	for _, fk := range r.ForeignKeys {
		fk.CheckDisabled = disabled
	}
	for _, fk := range a.References(r.Name) {
		fk.ActionDisabled = disabled
	}
}

func (a *applier) alterAddColumn(r *Relation, cmd *pgsql.AlterTableCmd) {
	d := cmd.Def.GetColumnDef()
	if d == nil {
		return
	}
	if r.Column(d.Colname) != nil {
		if !cmd.MissingOk {
			a.fail("column \"" + d.Colname + "\" of relation \"" + r.Name + "\" already exists")
		}
		return
	}
	col := a.addColumn(r, d)
	for _, t := range a.family(r)[1:] {
		if t.Column(col.Name) == nil {
			own := *col
			t.Columns = append(t.Columns, &own)
		}
	}
	a.constraints(r, []*pgsql.Node{cmd.Def})
}

func (a *applier) alterColumn(r *Relation, cmd *pgsql.AlterTableCmd) {
	col := r.Column(cmd.Name)
	if col == nil {
		return
	}
	switch cmd.Subtype {
	case pgsql.AlterTableType_AT_ColumnDefault:
		a.setDefaultExpr(col, cmd.Def)
	case pgsql.AlterTableType_AT_SetNotNull:
		col.NotNull = true
	case pgsql.AlterTableType_AT_DropNotNull:
		col.NotNull = false
	case pgsql.AlterTableType_AT_DropExpression:
		col.Generated = ""
	case pgsql.AlterTableType_AT_AlterColumnType:
		col.Type = pgsql.TypeName(cmd.Def.GetColumnDef().GetTypeName())
	case pgsql.AlterTableType_AT_AddIdentity:
		col.NotNull, col.Sequence = true, a.identity(r, cmd)
	case pgsql.AlterTableType_AT_DropIdentity:
		a.cutRelation(col.Sequence)
		col.Sequence = ""
	}
}

// identity creates the sequence of an added identity, under the name that a
// dump gives it when it does.
func (a *applier) identity(r *Relation, cmd *pgsql.AlterTableCmd) string {
	for _, o := range cmd.Def.GetConstraint().GetOptions() {
		d := o.GetDefElem()
		if d.GetDefname() != "sequence_name" {
			continue
		}
		parts := pgsql.Strings(d.Arg.GetList().GetItems())
		if len(parts) == 0 {
			break
		}
		rv := &pgsql.RangeVar{Relname: parts[len(parts)-1]}
		if len(parts) > 1 {
			rv.Schemaname = parts[len(parts)-2]
		}
		seq, _ := a.add(rv, "S", false)
		seq.OwnedBy = r.Name + "." + cmd.Name
		return seq.Name
	}
	return a.ownSequence(r, cmd.Name)
}

func (a *applier) alterConstraint(r *Relation, def *pgsql.Node) {
	name, deferrable, deferred, ok := pgsql.AlteredConstraint(def)
	if !ok {
		return
	}
	for _, fk := range r.ForeignKeys {
		if fk.Name == name {
			fk.Deferrable, fk.InitiallyDeferred = deferrable, deferred
		}
	}
	for _, t := range r.Triggers {
		if t.Constraint && t.Name == name {
			t.Deferrable, t.InitiallyDeferred = deferrable, deferred
		}
	}
}

func (a *applier) partition(parent *Relation, cmd *pgsql.PartitionCmd, attach bool) {
	part := a.find(cmd.GetName())
	if part == nil {
		// ALTER INDEX … ATTACH PARTITION names an index here.
		if attach && cmd.GetBound() != nil {
			a.missing("relation", a.named(cmd.GetName()))
		}
		return
	}
	if !attach {
		part.PartitionOf, part.Bound, part.bound = "", "", bound{}
		return
	}
	if a.circular(parent.Name, part) {
		return
	}
	part.PartitionOf = parent.Name
	part.bound, part.Bound = newBound(cmd.GetBound())
}
