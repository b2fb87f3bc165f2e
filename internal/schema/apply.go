package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// Apply reads one schema text, after those applied before it. Statements
// that cannot be read are appended to Problems.
func (c *Catalog) Apply(file, text string) { c.applyText(file, text, 1) }

// applyText applies a text that starts at a line of a file.
func (c *Catalog) applyText(file, text string, line int) { c.ApplyEach(file, text, line, nil) }

// ApplyEach applies a text that starts at a line of a file, statement by
// statement: before sees each one with its line while the catalog is still
// as it was, those that cannot be read included. Without before, most of a long
// seed is not read.
func (c *Catalog) ApplyEach(file, text string, line int, before func(st pgsql.Stmt, line int)) {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		c.problem(file, 1, 1, "file is UTF-16, not UTF-8")
		return
	}
	path := slices.Clone(c.SearchPath)
	a := applier{Catalog: c, file: file, line: line}
	stmts := definitions(text)
	if before != nil {
		stmts = pgsql.Parse(text)
	}
	for _, st := range stmts {
		if before != nil {
			before(st, line+st.Line-1)
		}
		c.change(func() { a.stmt(st, line+st.Line-1) })
	}
	// What SET LOCAL set ends with the migration's transaction; a dump that
	// empties the path means its own names only.
	if a.local || len(c.SearchPath) == 0 {
		c.SearchPath = path
	}
}

// mostRows is how many statements of one text are read that define nothing:
// enough to tell its language, and few of a seed.
const mostRows = 200

// definitions reads the statements of a text, but for most of a long seed.
func definitions(text string) []pgsql.Stmt { return pgsql.ParseDefinitions(text, mostRows) }

// ApplyStmt applies one statement that stands at a line of a file.
func (c *Catalog) ApplyStmt(st pgsql.Stmt, file string, line int) {
	a := applier{Catalog: c, file: file}
	c.change(func() { a.stmt(st, line) })
}

func (c *Catalog) problem(file string, line, column int, message string) {
	c.Problems = append(c.Problems, Problem{File: file, Line: line, Column: column, Message: message})
}

// An applier applies the statements of one file.
type applier struct {
	*Catalog
	file  string
	line  int // of the statement
	st    pgsql.Stmt
	local bool // the search path was set for the transaction only
	depth int  // DO blocks within DO blocks
	quiet bool // in a DO block, whose conditions are not known
}

func (a *applier) fail(message string) {
	if !a.quiet {
		a.problem(a.file, a.line, 1, message)
	}
}

func (a *applier) missing(what, name string) { a.fail(what + " \"" + name + "\" does not exist") }

func (a *applier) stmt(st pgsql.Stmt, line int) {
	// A fault of our own costs one statement, and is listed as such.
	defer func() {
		if p := recover(); p != nil {
			a.problem(a.file, line, 1, fmt.Sprintf("applying the statement failed: %v", p))
		}
	}()
	if st.Err != nil {
		at := line + st.Err.Line - st.Line
		a.problem(a.file, at, st.Err.Column, st.Err.Message)
		return
	}
	a.st, a.line = st, line
	switch n := st.Tree.Node.(type) {
	case *pgsql.Node_CreateStmt:
		a.createTable(n.CreateStmt, false)
	case *pgsql.Node_CreateForeignTableStmt:
		a.createTable(n.CreateForeignTableStmt.BaseStmt, true)
	case *pgsql.Node_CreateTableAsStmt:
		a.createTableAs(n.CreateTableAsStmt)
	case *pgsql.Node_SelectStmt:
		a.selectStmt(n.SelectStmt)
	case *pgsql.Node_ViewStmt:
		a.createView(n.ViewStmt)
	case *pgsql.Node_AlterTableStmt:
		a.alterTable(n.AlterTableStmt)
	case *pgsql.Node_IndexStmt:
		a.createIndex(n.IndexStmt)
	case *pgsql.Node_CreateSeqStmt:
		a.createSequence(n.CreateSeqStmt)
	case *pgsql.Node_AlterSeqStmt:
		a.alterSequence(n.AlterSeqStmt)
	case *pgsql.Node_CreateFunctionStmt:
		a.createFunction(n.CreateFunctionStmt)
	case *pgsql.Node_AlterFunctionStmt:
		a.alterFunction(n.AlterFunctionStmt)
	case *pgsql.Node_CreateTrigStmt:
		a.createTrigger(n.CreateTrigStmt)
	case *pgsql.Node_RuleStmt:
		a.createRule(n.RuleStmt)
	case *pgsql.Node_CreatePolicyStmt:
		a.createPolicy(n.CreatePolicyStmt)
	case *pgsql.Node_AlterPolicyStmt:
		a.alterPolicy(n.AlterPolicyStmt)
	default:
		a.other(st.Tree)
	}
}

func (a *applier) other(tree *pgsql.Node) {
	switch n := tree.Node.(type) {
	case *pgsql.Node_CreateEnumStmt:
		a.createType(n.CreateEnumStmt.TypeName)
	case *pgsql.Node_CreateDomainStmt:
		a.createType(n.CreateDomainStmt.Domainname)
		a.createDomain(n.CreateDomainStmt)
	case *pgsql.Node_AlterDomainStmt:
		a.alterDomain(n.AlterDomainStmt)
	case *pgsql.Node_CreateRangeStmt:
		a.createType(n.CreateRangeStmt.TypeName)
	case *pgsql.Node_CompositeTypeStmt:
		a.createType([]*pgsql.Node{stringNode(n.CompositeTypeStmt.Typevar.GetRelname())})
	case *pgsql.Node_DefineStmt:
		if n.DefineStmt.Kind == pgsql.ObjectType_OBJECT_TYPE {
			a.createType(n.DefineStmt.Defnames)
		}
		a.define(n.DefineStmt)
	case *pgsql.Node_CreateSchemaStmt:
		a.createSchema(n.CreateSchemaStmt)
	case *pgsql.Node_DropStmt:
		a.drop(n.DropStmt)
	case *pgsql.Node_RenameStmt:
		a.rename(n.RenameStmt)
	case *pgsql.Node_AlterObjectSchemaStmt:
		a.setSchema(n.AlterObjectSchemaStmt)
	case *pgsql.Node_VariableSetStmt:
		a.set(n.VariableSetStmt)
	case *pgsql.Node_AlterDatabaseSetStmt:
		a.setDefault(n.AlterDatabaseSetStmt.Setstmt)
	case *pgsql.Node_AlterRoleSetStmt:
		a.setDefault(n.AlterRoleSetStmt.Setstmt)
	case *pgsql.Node_DoStmt:
		a.do(n.DoStmt)
	}
}

// createSchema applies CREATE SCHEMA and the statements within it.
func (a *applier) createSchema(s *pgsql.CreateSchemaStmt) {
	if len(s.SchemaElts) == 0 {
		return
	}
	before := a.SearchPath
	a.SearchPath = append([]string{s.Schemaname}, before...)
	st, line := a.st, a.line
	for _, e := range s.SchemaElts {
		inner := st
		inner.Tree = e
		a.stmt(inner, line)
	}
	a.SearchPath = before
}

// set follows SET search_path.
func (a *applier) set(s *pgsql.VariableSetStmt) {
	all := s.Kind == pgsql.VariableSetKind_VAR_RESET_ALL
	if s.Name != "search_path" && !all {
		return
	}
	if s.Kind == pgsql.VariableSetKind_VAR_SET_VALUE {
		a.SearchPath = pathOf(s.Args)
		a.local = a.local || s.IsLocal
		return
	}
	a.SearchPath = slices.Clone(a.path)
}

// setDefault follows ALTER DATABASE and ALTER ROLE … SET search_path: the
// path of the connections to come.
func (a *applier) setDefault(s *pgsql.VariableSetStmt) {
	if s.GetName() == "search_path" && s.Kind == pgsql.VariableSetKind_VAR_SET_VALUE {
		a.path = pathOf(s.Args)
	}
}

func pathOf(args []*pgsql.Node) []string {
	path := []string{}
	for _, arg := range args {
		if s := arg.GetAConst().GetSval().GetSval(); s != "" {
			path = append(path, schemaOf(s))
		}
	}
	return path
}

// Path reads a search path as it is written in a setting.
func Path(s string) []string {
	path := []string{}
	for _, p := range strings.Split(s, ",") {
		p = strings.TrimSpace(p)
		if bare := strings.Trim(p, `"`); bare == p {
			p = strings.ToLower(p)
		} else {
			p = bare
		}
		if p != "" {
			path = append(path, schemaOf(p))
		}
	}
	return path
}

func schemaOf(s string) string {
	if strings.HasPrefix(s, "pg_temp") {
		return temp
	}
	return s
}

// selectStmt follows set_config('search_path', …) and SELECT INTO.
func (a *applier) selectStmt(s *pgsql.SelectStmt) {
	if s.IntoClause != nil {
		a.tableFromQuery(s.IntoClause, &pgsql.Node{Node: &pgsql.Node_SelectStmt{SelectStmt: s}}, "r", false)
		return
	}
	for _, t := range s.TargetList {
		f := t.GetResTarget().GetVal().GetFuncCall()
		if f == nil || pgsql.FuncName(f.Funcname) != "set_config" || len(f.Args) != 3 {
			a.called(f)
			continue
		}
		if f.Args[0].GetAConst().GetSval().GetSval() != "search_path" || f.Args[1].GetAConst() == nil {
			continue
		}
		a.SearchPath = Path(f.Args[1].GetAConst().GetSval().GetSval())
		a.local = a.local || pgsql.Expr(f.Args[2]) == "true"
	}
}

// called follows a function that a migration calls to change the schema by
// computed statements: a statement given to it as an argument is applied,
// one that it makes itself is not known.
func (a *applier) called(f *pgsql.FuncCall) {
	if f == nil {
		return
	}
	rv := rangeVar(pgsql.Strings(f.Funcname))
	for _, fn := range a.Function(rv.Schemaname, rv.Relname, len(f.Args), nil) {
		if fn.Language != "plpgsql" || !mentions(fn.Body, "execute") || a.depth > 3 {
			continue
		}
		inner := applier{Catalog: a.Catalog, file: a.file, depth: a.depth + 1, quiet: true}
		given := false
		for _, arg := range f.Args {
			text := arg.GetAConst().GetSval().GetSval()
			if startsDDL(text) {
				given = true
				inner.text(text, "", 0, a.line)
			}
		}
		if !given && computesDDL(fn.Body) {
			a.fail("function " + fn.Name + " computes statements that change the schema; they are not followed")
		}
		return
	}
}

func startsDDL(text string) bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
	return word == "create" || word == "alter" || word == "drop"
}

// computesDDL reports whether a body holds a text that starts like DDL.
func computesDDL(body string) bool {
	for _, t := range significant(body) {
		if t.Kind == pgsql.Literal && startsDDL(t.Value()) {
			return true
		}
	}
	return false
}

// lineAt is the line in the file of an offset in the statement's text.
func (a *applier) lineAt(offset int) int {
	return a.line + strings.Count(a.st.Text[:max(0, min(offset, len(a.st.Text)))], "\n")
}

// createType keeps the name of a type, which can be called like a function.
func (a *applier) createType(names []*pgsql.Node) {
	list := pgsql.Strings(names)
	if len(list) == 0 {
		return
	}
	if a.Types == nil {
		a.Types = map[string]bool{}
	}
	a.Types[list[len(list)-1]] = true
}

func stringNode(s string) *pgsql.Node {
	return &pgsql.Node{Node: &pgsql.Node_String_{String_: &pgsql.String{Sval: s}}}
}
