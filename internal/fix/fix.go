// Package fix makes the edit that mends a finding, where there is one that
// needs no judgement.
//
// The files of a package, the schema and a finding enter; an edit of one file
// leaves, or none. The package reads no file and decides nothing about locks:
// it rewrites the statement that a finding stands at.
package fix

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// A Fix is an edit that mends a finding.
type Fix struct {
	Message  string
	Pos, End token.Pos // what is replaced
	New      string
}

// A Source is the package that a finding stands in.
type Source struct {
	Fset   *token.FileSet
	Files  []*ast.File // with comments
	Schema func() *schema.Catalog
}

// Of returns the fix of a finding that stands at a line of file, or nil.
// Files that a program has written are left to it.
func (s Source) Of(file *ast.File, f lockgraph.Finding) *Fix {
	if ast.IsGenerated(file) {
		return nil
	}
	switch f.Kind {
	case "session-lock-in-tx":
		return s.untilCommit(file, f.Line)
	case "unlock-cancelable-ctx":
		return s.detached(file, f.Line)
	case "unordered-multi-row-lock":
		return s.ordered(file, f.Line)
	}
	return nil
}

// untilCommit takes the lock that ends with the transaction. A package that
// releases locks by itself is left alone: which lock a release is meant for
// takes judgement.
func (s Source) untilCommit(file *ast.File, line int) *Fix {
	t := s.statement(file, line, func(text string) bool { _, _, _, ok := sessionForm(text); return ok })
	if t == nil || s.releases() {
		return nil
	}
	start, end, name, _ := sessionForm(t.text)
	return t.edit("take "+name+", which ends with the transaction", start, end, name)
}

// detached releases the lock under a context that nothing cancels.
func (s Source) detached(file *ast.File, line int) *Fix {
	name := imported(file, "context")
	t := s.statement(file, line, func(text string) bool { return strings.Contains(strings.ToLower(text), "pg_advisory_unlock") })
	if t == nil || name == "" || len(t.call.Args) < 2 {
		return nil
	}
	ctx, ok := t.call.Args[0].(*ast.Ident)
	if !ok || !strings.Contains(strings.ToLower(ctx.Name), "ctx") && !strings.Contains(strings.ToLower(ctx.Name), "context") {
		return nil
	}
	return &Fix{Message: "unlock under a context that is not cancelled", Pos: ctx.Pos(), End: ctx.End(), New: name + ".WithoutCancel(" + ctx.Name + ")"}
}

// ordered locks the rows in the order of their key.
func (s Source) ordered(file *ast.File, line int) *Fix {
	var cat *schema.Catalog
	t := s.statement(file, line, func(text string) bool {
		if !strings.Contains(strings.ToUpper(text), "FOR ") {
			return false
		}
		if cat == nil {
			cat = s.Schema()
		}
		_, _, ok := orderBy(text, cat)
		return ok
	})
	if t == nil {
		return nil
	}
	at, clause, _ := orderBy(t.text, cat)
	return t.edit("lock the rows in the order of their key", at, at+len("FOR"), clause+t.text[at:at+len("FOR")])
}

// A statement is a call with the literal that holds its SQL.
type statement struct {
	call *ast.CallExpr
	lit  *ast.BasicLit
	text string
	own  bool // no other place uses the literal
}

// statement returns the one call at a line whose SQL is a literal that want
// holds for, or nil when there is none or more than one.
func (s Source) statement(file *ast.File, line int, want func(text string) bool) *statement {
	var found []*statement
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || s.Fset.PositionFor(n.Pos(), false).Line > line || s.Fset.PositionFor(n.End(), false).Line < line {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		for _, arg := range call.Args {
			lit, own := s.literal(file, arg)
			if lit == nil {
				continue
			}
			if text, err := strconv.Unquote(lit.Value); err == nil && want(text) {
				found = append(found, &statement{call, lit, text, own})
			}
		}
		return true
	})
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// literal returns the string literal that an expression is, or is a constant
// or variable of the package for, and whether no other place uses it.
func (s Source) literal(file *ast.File, e ast.Expr) (lit *ast.BasicLit, own bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return e, true
		}
	case *ast.Ident:
		uses := 0
		for _, f := range s.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if n.Name == e.Name {
						uses++
					}
				case *ast.ValueSpec:
					for i, name := range n.Names {
						if name.Name == e.Name && len(n.Values) == len(n.Names) && f == file {
							lit, _ = n.Values[i].(*ast.BasicLit)
						}
					}
				}
				return true
			})
		}
		if lit != nil && lit.Kind == token.STRING {
			return lit, uses == 2 && !ast.IsExported(e.Name)
		}
	}
	return nil, false
}

// edit replaces a part of the text. There is none where the literal serves
// other places too, or is not written as it reads.
func (t *statement) edit(message string, start, end int, text string) *Fix {
	if !t.own || len(t.lit.Value) != len(t.text)+2 || t.lit.Value[1:len(t.lit.Value)-1] != t.text {
		return nil
	}
	at := t.lit.Pos() + 1
	return &Fix{Message: message, Pos: at + token.Pos(start), End: at + token.Pos(end), New: text}
}

// releases reports whether some file of the package releases advisory locks.
func (s Source) releases() bool {
	found := false
	for _, f := range s.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && strings.Contains(strings.ToLower(lit.Value), "advisory_unlock") {
				found = true
			}
			return !found
		})
	}
	return found
}

// imported returns the name by which a file knows a package, "" when it does
// not import it.
func imported(file *ast.File, path string) string {
	for _, spec := range file.Imports {
		if spec.Path.Value != strconv.Quote(path) {
			continue
		}
		if spec.Name == nil {
			return path
		}
		if spec.Name.Name != "_" && spec.Name.Name != "." {
			return spec.Name.Name
		}
	}
	return ""
}
