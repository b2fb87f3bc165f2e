package effect

import (
	"maps"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// transaction plays BEGIN, COMMIT, savepoints and their like (R2.1 to R2.4).
func (m *machine) transaction(s *pgsql.TransactionStmt) {
	switch s.GetKind() {
	case pgsql.TransactionStmtKind_TRANS_STMT_BEGIN, pgsql.TransactionStmtKind_TRANS_STMT_START:
		m.emit(prog.Op{Kind: prog.OpOpen, How: "tx"})
		m.points = nil
		m.mark("")
	case pgsql.TransactionStmtKind_TRANS_STMT_COMMIT, pgsql.TransactionStmtKind_TRANS_STMT_PREPARE:
		m.settle(atEnd) // deferred checks can wait and fail (R6.4)
		m.endTransaction("commit")
		m.chain(s)
	case pgsql.TransactionStmtKind_TRANS_STMT_ROLLBACK:
		m.endTransaction("rollback")
		m.chain(s)
	case pgsql.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		m.emit(prog.Op{Kind: prog.OpOpen, How: "savepoint", Str: s.GetSavepointName()})
		m.mark(s.GetSavepointName())
	case pgsql.TransactionStmtKind_TRANS_STMT_RELEASE:
		m.emit(prog.Op{Kind: prog.OpEnd, How: "release savepoint", Str: s.GetSavepointName()})
	case pgsql.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		m.emit(prog.Op{Kind: prog.OpEnd, How: "rollback to savepoint", Str: s.GetSavepointName()})
		m.back(s.GetSavepointName())
	}
}

// chain opens the transaction that COMMIT or ROLLBACK AND CHAIN goes on with.
func (m *machine) chain(s *pgsql.TransactionStmt) {
	if s.GetChain() {
		m.emit(prog.Op{Kind: prog.OpOpen, How: "tx"})
		m.mark("")
	}
}

// A schemaPoint is what definitions of a transaction are undone to.
type schemaPoint struct {
	name string
	cat  *schema.Catalog
	off  map[string]bool
}

// mark keeps the catalog as it is: definitions after it change a copy.
func (m *machine) mark(name string) {
	m.points = append(m.points, schemaPoint{name, m.cat, maps.Clone(m.off)})
	m.owned = false
}

// back undoes definitions, to a savepoint or to the beginning.
func (m *machine) back(name string) {
	for i := len(m.points) - 1; i >= 0; i-- {
		if p := m.points[i]; p.name == name {
			m.cat, m.off, m.owned = p.cat, maps.Clone(p.off), false
			m.points = m.points[:i+1]
			return
		}
	}
}

func (m *machine) endTransaction(how string) {
	m.emit(prog.Op{Kind: prog.OpEnd, How: how})
	if how == "rollback" {
		m.back("")
	}
	m.points = nil
	m.pathAtEnd(how == "rollback")
	m.commit = nil
	m.deferred = map[string]bool{}
	m.fresh, m.touched = map[string][]rowSet{}, map[string][]rowSet{}
}

// variable plays SET and RESET.
func (m *machine) variable(s *pgsql.VariableSetStmt) {
	how := lockgraph.Session
	if s.GetIsLocal() {
		how = "local"
	}
	name := strings.ToLower(s.GetName())
	switch s.GetKind() {
	case pgsql.VariableSetKind_VAR_SET_VALUE:
		var parts []string
		for _, a := range s.GetArgs() {
			part := m.settingText(a)
			if name == "search_path" && (strings.ToLower(part) != part || strings.Contains(part, ",")) {
				part = `"` + part + `"`
			}
			parts = append(parts, part)
		}
		m.set(name, prog.Text(strings.Join(parts, ", ")), how)
	case pgsql.VariableSetKind_VAR_SET_DEFAULT, pgsql.VariableSetKind_VAR_RESET:
		m.set(name, prog.Nil, how)
	case pgsql.VariableSetKind_VAR_RESET_ALL:
		m.set("all", prog.Nil, how)
		m.settings = map[string]string{}
	case pgsql.VariableSetKind_VAR_SET_MULTI:
		if name == "transaction" || name == "session characteristics" {
			return
		}
	}
}

func (m *machine) settingText(n *pgsql.Node) string {
	if t := n.GetTypeCast(); t != nil {
		n = t.GetArg()
	}
	if c := n.GetColumnRef(); c != nil {
		return strings.Join(fields(c), ".")
	}
	v := constant(n.GetAConst())
	if _, rest, ok := strings.Cut(v.Str, ":"); ok {
		return rest
	}
	return pgsql.Expr(n)
}

// modes of LOCK TABLE, by the parser's numbers.
var lockModes = []string{"", lockgraph.AccessShare, lockgraph.RowShare, lockgraph.RowExclusive, lockgraph.ShareUpdateExclusive,
	lockgraph.Share, lockgraph.ShareRowExclusive, lockgraph.ExclusiveTable, lockgraph.AccessExclusive}

// lockTable plays LOCK TABLE: in the order written, down to partitions,
// children and the tables of views (R10.1).
func (m *machine) lockTable(s *pgsql.LockStmt) {
	mode := lockgraph.AccessExclusive
	if n := int(s.GetMode()); n > 0 && n < len(lockModes) {
		mode = lockModes[n]
	}
	wait := lockgraph.Wait
	if s.GetNowait() {
		wait = lockgraph.NoWait
	}
	for _, n := range s.GetRelations() {
		v := n.GetRangeVar()
		r := m.rangeVar(v)
		m.missing(r)
		m.lockDown(r, mode, wait, v.GetInh(), 0)
	}
}

func (m *machine) lockDown(r relref, mode, wait string, inherit bool, depth int) {
	m.tableAs(r, mode, "R10.1", depth > 0, wait)
	if r.rel == nil || depth > 30 {
		return
	}
	if r.kind == "v" {
		if s := selectOf(r.rel.View); s != nil {
			for _, v := range rangeVars(s) {
				m.lockDown(m.rangeVar(v), mode, wait, v.GetInh(), depth+1)
			}
		}
		return
	}
	if !inherit {
		return
	}
	for _, c := range m.cat.Children(r.name) {
		m.lockDown(m.ref(c), mode, wait, true, depth+1)
	}
}

// rangeVars lists the relations that a SELECT names, in order.
func rangeVars(s *pgsql.SelectStmt) []*pgsql.RangeVar {
	var out []*pgsql.RangeVar
	var from func(n *pgsql.Node)
	var sel func(s *pgsql.SelectStmt)
	var expr func(n *pgsql.Node)
	expr = func(n *pgsql.Node) {
		if n == nil {
			return
		}
		if l := n.GetSubLink(); l != nil {
			sel(l.GetSubselect().GetSelectStmt())
		}
		for _, c := range children(n) {
			expr(c)
		}
	}
	from = func(n *pgsql.Node) {
		switch {
		case n.GetRangeVar() != nil:
			out = append(out, n.GetRangeVar())
		case n.GetJoinExpr() != nil:
			from(n.GetJoinExpr().GetLarg())
			from(n.GetJoinExpr().GetRarg())
			expr(n.GetJoinExpr().GetQuals())
		case n.GetRangeSubselect() != nil:
			sel(n.GetRangeSubselect().GetSubquery().GetSelectStmt())
		}
	}
	sel = func(s *pgsql.SelectStmt) {
		if s == nil {
			return
		}
		for _, c := range s.GetWithClause().GetCtes() {
			sel(c.GetCommonTableExpr().GetCtequery().GetSelectStmt())
		}
		sel(s.GetLarg())
		sel(s.GetRarg())
		for _, n := range s.GetFromClause() {
			from(n)
		}
		for _, n := range s.GetTargetList() {
			expr(n)
		}
		expr(s.GetWhereClause())
	}
	sel(s)
	return out
}

// truncate plays TRUNCATE: the tables as listed, their children, with
// CASCADE what refers to them (R5.11).
func (m *machine) truncate(s *pgsql.TruncateStmt) {
	var listed []relref
	seen := map[string]bool{}
	var add func(r relref, inherit bool)
	add = func(r relref, inherit bool) {
		if seen[r.name] {
			return
		}
		seen[r.name] = true
		listed = append(listed, r)
		m.table(r, lockgraph.AccessExclusive, "R5.11")
		if r.rel != nil && inherit {
			for _, c := range m.cat.Children(r.name) {
				add(m.ref(c), true)
			}
		}
	}
	for _, n := range s.GetRelations() {
		r := m.rangeVar(n.GetRangeVar())
		m.missing(r)
		add(r, n.GetRangeVar().GetInh())
	}
	if s.GetBehavior() == pgsql.DropBehavior_DROP_CASCADE {
		for i := 0; i < len(listed); i++ {
			for _, k := range m.cat.References(listed[i].name) {
				m.under(m.at.through("foreign key "+k.Name), func() { add(m.exact(k.Table), true) })
			}
		}
	}
	if s.GetRestartSeqs() {
		for _, r := range listed {
			m.ownedSequences(r, lockgraph.ShareRowExclusive)
		}
	}
	for _, r := range listed {
		m.statementTriggers(&change{kind: "truncate", ref: r})()
	}
}

func (m *machine) ownedSequences(r relref, mode string) {
	if r.rel == nil {
		return
	}
	for _, c := range r.rel.Columns {
		if c.Sequence != "" {
			s := m.exact(c.Sequence)
			s.kind = "S"
			m.table(s, mode, "R10.1")
		}
	}
}
