package schema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
)

// A goText is a text in a Go file that defines part of a schema.
type goText struct {
	text string
	line int
}

var (
	definition = lazyregexp.New(`(?i)^\s*(?:(?:--[^\n]*\n|/\*(?s:.*?)\*/|(?:BEGIN|SET\s[^;]*)\s*;)\s*)*(?:CREATE\s+(?:OR\s+REPLACE\s+)?(?:GLOBAL\s+|LOCAL\s+|UNLOGGED\s+|TEMP\w*\s+|UNIQUE\s+|MATERIALIZED\s+|CONSTRAINT\s+)*(?:TABLE|INDEX|SCHEMA|TYPE|DOMAIN|SEQUENCE|VIEW|FUNCTION|PROCEDURE|TRIGGER)|ALTER\s+(?:TABLE|TYPE|DOMAIN|SEQUENCE|INDEX)|DROP\s+(?:TABLE|INDEX|FUNCTION|TRIGGER|VIEW|TYPE|SCHEMA|SEQUENCE)|DO\s+\$)\b`)
	makesTable = lazyregexp.New(`(?i)\bCREATE\s+(?:GLOBAL\s+|LOCAL\s+|UNLOGGED\s+|TEMP\w*\s+)*TABLE\b`)
	wayDown    = lazyregexp.New(`(?i)down|rollback|revert|drop|teardown|truncate|clean|reset|destroy`)
)

// goTexts are the definitions among the constant strings of a Go file, in
// order. What stands under a name of the way down, or is handed over as the
// second of two functions or texts, is left out.
func goTexts(src string) []goText {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if f == nil || err != nil && len(f.Decls) == 0 {
		return nil
	}
	consts := constantTexts(f)
	var out []goText
	take := func(e ast.Expr) bool {
		s, ok := consts.text(e)
		if !ok || !definition.MatchString(s) {
			return ok
		}
		out = append(out, goText{s, fset.Position(e.Pos()).Line})
		return true
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncDecl:
			return !wayDown.MatchString(x.Name.Name)
		case *ast.ValueSpec:
			return len(x.Names) != 1 || !wayDown.MatchString(x.Names[0].Name)
		case *ast.KeyValueExpr:
			k, ok := x.Key.(*ast.Ident)
			return !ok || !wayDown.MatchString(k.Name)
		case *ast.CallExpr:
			for i, a := range x.Args {
				if lit, ok := a.(*ast.FuncLit); ok && i > 0 {
					if _, ok := x.Args[i-1].(*ast.FuncLit); ok {
						continue // up, down
					}
					ast.Inspect(lit, visit)
					continue
				}
				ast.Inspect(a, visit)
			}
			ast.Inspect(x.Fun, visit)
			return false
		case ast.Expr:
			return !take(x)
		}
		return true
	}
	ast.Inspect(f, visit)
	return out
}

// texts are the string constants of a file by name.
type texts map[string]string

func constantTexts(f *ast.File) texts {
	t := texts{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			for i, name := range v.Names {
				if i < len(v.Values) {
					if s, ok := t.text(v.Values[i]); ok {
						t[name.Name] = s
					}
				}
			}
		}
	}
	return t
}

// text is the value of a string literal or of several joined by +, constants
// among them.
func (t texts) text(e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			s, err := strconv.Unquote(x.Value)
			return s, err == nil
		}
	case *ast.BinaryExpr:
		a, ok1 := t.part(x.X)
		b, ok2 := t.part(x.Y)
		return a + b, ok1 && ok2 && x.Op == token.ADD
	case *ast.ParenExpr:
		return t.text(x.X)
	}
	return "", false
}

// part is what a text is joined of. A constant that is a definition itself is
// taken where it stands.
func (t texts) part(e ast.Expr) (string, bool) {
	if name, ok := e.(*ast.Ident); ok {
		s, ok := t[name.Name]
		return s, ok && !definition.MatchString(s)
	}
	return t.text(e)
}

// goMigrations are the definitions of a Go file, as PostgreSQL's as far as
// they parse.
func goMigrations(file, src string) []Migration {
	var out []Migration
	for _, t := range goTexts(src) {
		text := unformatted(plain(t.text))
		good := 0
		for _, st := range definitions(text) {
			good += btoi(st.Err == nil)
		}
		if good > 0 && !foreign(text) {
			out = append(out, Migration{File: file, Name: strings.TrimSuffix(path.Base(file), ".go"), Up: text, UpLine: t.line, Plain: true})
		}
	}
	return out
}

// migrationsIn are the ways up that a file holds: one of a file of SQL.
func (t *tree) migrationsIn(file string) []Migration {
	ups, ok := t.ups[file]
	if !ok {
		if text := t.read(file); strings.HasSuffix(file, ".go") {
			ups = goMigrations(file, text)
		} else {
			ups = []Migration{newMigration(file, text)}
		}
		t.ups[file] = ups
	}
	return ups
}

// goSteps are the migrations of a folder that are written in Go.
func (t *tree) goSteps(dir string) []string {
	var out []string
	for _, f := range t.gos {
		if path.Dir(f) == dir && goStep.MatchString(path.Base(f)) && len(goMigrations(f, t.read(f))) > 0 {
			out = append(out, path.Base(f))
		}
	}
	return out
}

var goStep = lazyregexp.New(`^[0-9]+[_.-].*\.go$`)

// goFiles finds the Go files that make tables: what a program creates itself
// when it has no files of SQL. Those that make tables come first.
func (t *tree) goFiles() Source {
	var first, rest []string
	t.sortGo()
	named := slices.ContainsFunc(t.gos, func(f string) bool { return ours.MatchString(f) })
	for _, file := range t.gos {
		if trial.MatchString(file) || others.MatchString(file) && !ours.MatchString(file) && named {
			continue
		}
		src := t.read(file)
		if !definitionWords.MatchString(src) {
			continue
		}
		ms := goMigrations(file, src)
		switch {
		case len(ms) == 0:
		case slices.ContainsFunc(ms, func(m Migration) bool { return makesTable.MatchString(m.Up) }):
			first = append(first, file)
		default:
			rest = append(rest, file)
		}
	}
	if len(first) == 0 {
		return Source{}
	}
	return Source{Tool: "go", Files: append(first, rest...), Ordered: len(first)+len(rest) == 1}
}

var definitionWords = lazyregexp.New(`(?i)\b(?:CREATE|ALTER)\s+(?:OR\s+REPLACE\s+|UNIQUE\s+|UNLOGGED\s+)?(?:TABLE|INDEX|FUNCTION|SCHEMA|TYPE|TRIGGER)\b`)

// sortGo puts the files of each folder in the order of migrations.
func (t *tree) sortGo() {
	byDir := map[string][]string{}
	var dirs []string
	for _, f := range t.gos {
		d, n := path.Split(f)
		if byDir[d] == nil {
			dirs = append(dirs, d)
		}
		byDir[d] = append(byDir[d], n)
	}
	t.gos = t.gos[:0]
	for _, d := range dirs {
		sortMigrations(byDir[d])
		for _, n := range byDir[d] {
			t.gos = append(t.gos, d+n)
		}
	}
}
