package schema

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// Bits of a trigger's events and timing (PostgreSQL 16, pg_trigger.h).
const (
	onBefore   = 1 << 1
	onInsert   = 1 << 2
	onDelete   = 1 << 3
	onUpdate   = 1 << 4
	onTruncate = 1 << 5
	onInstead  = 1 << 6
)

func (a *applier) createTrigger(s *pgsql.CreateTrigStmt) {
	r := a.find(s.Relation)
	if r == nil {
		a.missing("relation", a.named(s.Relation))
		return
	}
	t := &Trigger{
		Name: s.Trigname, Timing: "after", Columns: pgsql.Strings(s.Columns), ForEachRow: s.Row,
		When: pgsql.Expr(s.WhenClause), Args: pgsql.Strings(s.Args), Constraint: s.Isconstraint,
		Deferrable: s.Deferrable || s.Initdeferred, InitiallyDeferred: s.Initdeferred,
		File: a.file, Line: a.line,
	}
	switch {
	case s.Timing&onBefore != 0:
		t.Timing = "before"
	case s.Timing&onInstead != 0:
		t.Timing = "instead of"
	}
	for _, e := range []struct {
		bit  int32
		name string
	}{{onInsert, "insert"}, {onUpdate, "update"}, {onDelete, "delete"}, {onTruncate, "truncate"}} {
		if s.Events&e.bit != 0 {
			t.Events = append(t.Events, e.name)
		}
	}
	for _, n := range s.TransitionRels {
		if tr := n.GetTriggerTransition(); tr.GetIsNew() {
			t.NewTable = tr.GetName()
		} else {
			t.OldTable = tr.GetName()
		}
	}
	rv := rangeVar(pgsql.Strings(s.Funcname))
	t.Function = qualify(rv.Schemaname, rv.Relname)
	if fs := a.functions(rv.Schemaname, rv.Relname); len(fs) > 0 {
		t.Function = fs[0].Name
	} else if rv.Schemaname == "" {
		t.Function = qualify(a.creation(), rv.Relname)
	}
	r.Triggers = slices.DeleteFunc(r.Triggers, func(o *Trigger) bool { return o.Name == t.Name })
	r.Triggers = append(r.Triggers, t)
}

func (a *applier) createRule(s *pgsql.RuleStmt) {
	r := a.find(s.Relation)
	if r == nil {
		a.missing("relation", a.named(s.Relation))
		return
	}
	removeNamed(&r.RuleNames, &r.Rules, s.Rulename)
	r.RuleNames = append(r.RuleNames, s.Rulename)
	r.Rules = append(r.Rules, a.st.Text)
}

func (a *applier) createPolicy(s *pgsql.CreatePolicyStmt) {
	r := a.find(s.Table)
	if r == nil {
		a.missing("relation", a.named(s.Table))
		return
	}
	r.PolicyNames = append(r.PolicyNames, s.PolicyName)
	r.Policies = append(r.Policies, policy(s.CmdName, pgsql.Expr(s.Qual), pgsql.Expr(s.WithCheck)))
}

func policy(command, using, check string) string {
	if command == "" {
		command = "all"
	}
	text := "FOR " + strings.ToUpper(command)
	if using != "" {
		text += " USING (" + using + ")"
	}
	if check != "" {
		text += " WITH CHECK (" + check + ")"
	}
	return text
}

// alterPolicy replaces the parts of a policy that are given.
func (a *applier) alterPolicy(s *pgsql.AlterPolicyStmt) {
	r := a.find(s.Table)
	if r == nil {
		return
	}
	i := slices.Index(r.PolicyNames, s.PolicyName)
	if i < 0 {
		return
	}
	head, check, _ := strings.Cut(r.Policies[i], " WITH CHECK (")
	command, using, _ := strings.Cut(head, " USING (")
	using, check = strings.TrimSuffix(using, ")"), strings.TrimSuffix(check, ")")
	if s.Qual != nil {
		using = pgsql.Expr(s.Qual)
	}
	if s.WithCheck != nil {
		check = pgsql.Expr(s.WithCheck)
	}
	r.Policies[i] = policy(strings.TrimPrefix(command, "FOR "), using, check)
}
