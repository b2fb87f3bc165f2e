package locksummary

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Directives are what the comments of files say: names of locks by what
// they stand on, groups of paths by function, findings to ignore, and the
// directives that cannot be read.
type Directives struct {
	Names   []prog.Name
	Groups  map[string]string
	Ignores []config.Directive
	Faults  []lockgraph.Finding
}

// ReadDirectives reads the directives of the files of a package. File names
// are relative to root.
func ReadDirectives(fset *token.FileSet, root string, files []*ast.File, info *types.Info) Directives {
	d := &directiveReader{fset: fset, root: root, out: Directives{Groups: map[string]string{}}}
	for _, f := range files {
		d.file(f, info)
	}
	SortNames(d.out.Names)
	return d.out
}

// SortNames puts names into the order in which the first of a place counts.
func SortNames(names []prog.Name) {
	sort.SliceStable(names, func(i, j int) bool { return names[i].Of+names[i].Name < names[j].Of+names[j].Name })
}

type directiveReader struct {
	fset *token.FileSet
	root string
	out  Directives

	generated bool // the file that is read
}

func (d *directiveReader) pos(p token.Pos) (file string, line int) {
	at := d.fset.Position(p)
	file = at.Filename
	if rel, err := filepath.Rel(d.root, file); err == nil {
		file = rel
	}
	return filepath.ToSlash(file), at.Line
}

// file reads the directives of one file, each with the declaration or
// statement it stands above, or beside.
func (d *directiveReader) file(f *ast.File, info *types.Info) {
	d.generated = ast.IsGenerated(f)
	found := map[*ast.Comment]bool{}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if config.IsDirective(c.Text) {
				found[c] = true
			}
		}
	}
	if len(found) == 0 {
		return
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d.doc(decl.Doc, found, func(x config.Directive) { d.onFunc(x, decl, info) })
		case *ast.GenDecl:
			for _, s := range decl.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok {
					continue
				}
				on := func(x config.Directive) { d.onValue(x, v, info) }
				d.doc(v.Doc, found, on)
				d.doc(v.Comment, found, on)
				if len(decl.Specs) == 1 {
					d.doc(decl.Doc, found, on)
				}
			}
		}
	}
	for _, g := range f.Comments { // the rest stands in bodies, above or beside a statement
		for _, c := range g.List {
			if !found[c] {
				continue
			}
			x, ok := d.parse(c)
			if !ok {
				continue
			}
			x.End = covered(d.fset, f, g, x.Line)
			if x.Verb == config.VerbLock {
				for line := x.Line; line <= x.End; line++ {
					d.name("line "+x.File+":"+itoa(line), x)
				}
			}
			d.keep(x)
		}
	}
}

// covered returns the last line that a directive in a body covers: that of
// the statement below the comment, of which it may be one of several lines.
func covered(fset *token.FileSet, f *ast.File, g *ast.CommentGroup, line int) int {
	below := max(line, fset.PositionFor(g.End(), false).Line) + 1
	return max(below, lastLine(fset, f, below))
}

// lastLine returns where the statement that begins on a line ends, without
// the bodies that it holds: 0 when none begins there.
func lastLine(fset *token.FileSet, f *ast.File, line int) int {
	last := 0
	end := func(p token.Pos) { last = fset.Position(p).Line }
	ast.Inspect(f, func(n ast.Node) bool {
		if last > 0 {
			return false
		}
		s, ok := n.(ast.Stmt)
		if !ok || fset.Position(s.Pos()).Line != line {
			return true
		}
		switch s := s.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return true
		case *ast.IfStmt:
			end(s.Body.Lbrace)
		case *ast.ForStmt:
			end(s.Body.Lbrace)
		case *ast.RangeStmt:
			end(s.Body.Lbrace)
		case *ast.SwitchStmt:
			end(s.Body.Lbrace)
		case *ast.TypeSwitchStmt:
			end(s.Body.Lbrace)
		case *ast.SelectStmt:
			end(s.Body.Lbrace)
		default:
			end(beforeBody(s))
		}
		return false
	})
	return last
}

// beforeBody returns where the body of the first function literal in a
// statement begins, else where the statement ends.
func beforeBody(s ast.Stmt) token.Pos {
	at := s.End()
	ast.Inspect(s, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit.Body.Lbrace < at {
			at = lit.Body.Lbrace
		}
		return true
	})
	return at
}

// doc reads the directives of a comment group that stands on something.
func (d *directiveReader) doc(g *ast.CommentGroup, found map[*ast.Comment]bool, on func(config.Directive)) {
	if g == nil {
		return
	}
	for _, c := range g.List {
		if !found[c] {
			continue
		}
		delete(found, c)
		if x, ok := d.parse(c); ok {
			on(x)
		}
	}
}

// parse reads one comment; a directive that cannot be read is a finding.
func (d *directiveReader) parse(c *ast.Comment) (config.Directive, bool) {
	text := c.Text
	if rest, ok := strings.CutPrefix(text, "// "); ok && d.generated {
		text = "//" + strings.TrimLeft(rest, " \t") // sqlc writes the comments of a query so
	}
	file, line := d.pos(c.Pos())
	x, err := config.ParseDirective(text)
	if errors.Is(err, config.ErrNoDirective) {
		return x, false
	}
	if err != nil {
		d.out.Faults = append(d.out.Faults, config.Fault(file, line, err))
		return x, false
	}
	x.File, x.Line = file, line
	return x, true
}

func (d *directiveReader) keep(x config.Directive) {
	if x.Verb == config.VerbIgnore {
		d.out.Ignores = append(d.out.Ignores, x)
	}
}

func (d *directiveReader) name(of string, x config.Directive) {
	d.out.Names = append(d.out.Names, prog.Name{Of: of, Name: x.Name, Serializes: x.Serializes, At: x.File + ":" + itoa(x.Line)})
}

func (d *directiveReader) onFunc(x config.Directive, decl *ast.FuncDecl, info *types.Info) {
	_, x.End = d.pos(decl.End())
	d.keep(x)
	obj, ok := info.Defs[decl.Name].(*types.Func)
	if !ok {
		return
	}
	key := symval.ObjectSymbol(obj)
	switch x.Verb {
	case config.VerbLock:
		d.name("func "+key, x)
	case config.VerbPath:
		d.out.Groups[key] = x.Group
	}
}

func (d *directiveReader) onValue(x config.Directive, v *ast.ValueSpec, info *types.Info) {
	_, x.End = d.pos(v.End())
	d.keep(x)
	if x.Verb != config.VerbLock {
		return
	}
	for _, n := range v.Names {
		switch obj := info.Defs[n].(type) {
		case *types.Const:
			d.name("value "+strings.Trim(obj.Val().ExactString(), `"`), x)
			if len(v.Values) == 1 {
				if tv, ok := info.Types[v.Values[0]]; ok && tv.Value != nil {
					d.name("text "+constText(tv), x)
				}
			}
		case *types.Var:
			if len(v.Values) == 1 {
				if tv, ok := info.Types[v.Values[0]]; ok && tv.Value != nil {
					d.name("text "+constText(tv), x)
				}
			}
		}
	}
}

// SchemaNames returns what the directives above CREATE FUNCTION and above the
// queries of sqlc call the locks that are taken there, and those that cannot
// be read.
func SchemaNames(cat *schema.Catalog) (names []prog.Name, faults []lockgraph.Finding) {
	if cat == nil {
		return nil, nil
	}
	read := func(text, of, file string, line int) {
		if !config.IsDirective(text) {
			return
		}
		x, err := config.ParseDirective(strings.TrimSpace(text))
		switch {
		case err != nil:
			faults = append(faults, config.Fault(file, line, err))
		case x.Verb == config.VerbLock:
			names = append(names, prog.Name{Of: of, Name: x.Name, Serializes: x.Serializes, At: file + ":" + itoa(line)})
		}
	}
	for name, list := range cat.Functions {
		for _, f := range list {
			for _, text := range strings.Split(f.Directive, "\n") {
				read(text, "sql "+name, f.File, f.Line)
			}
		}
	}
	for _, q := range cat.Queries {
		read(q.Text, "query "+q.Query, q.File, q.Line)
	}
	return names, faults
}

func constText(tv types.TypeAndValue) string {
	if tv.Value.Kind() == constant.String {
		return constant.StringVal(tv.Value)
	}
	return tv.Value.ExactString()
}
