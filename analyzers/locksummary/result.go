package locksummary

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A Result is what checks get: the view of the package and what it imports,
// made when the first check asks for it.
type Result struct {
	pass  *analysis.Pass
	set   *Settings
	env   *environment
	root  string
	own   *prog.Package
	deps  *imports
	files []*ast.File

	mu      sync.Mutex // checks of one package run at once, and a view is made for one reader
	once    sync.Once
	view    *prog.View
	homes   map[string]string // function → package
	lines   map[string]*token.File
	ignores []config.Directive
}

// Findings runs a check on the view and returns what it finds that no import
// of the package has seen before.
func (r *Result) Findings(run func(*prog.View) []lockgraph.Finding) (out []lockgraph.Finding) {
	if r == nil || r.pass == nil || r.set.FactsOnly || third(r.pass) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// A fault of ours loses only its findings: a driver would hide an error
	// and remember it.
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	r.once.Do(r.look)
	if r.view == nil {
		return nil
	}
	for _, f := range run(r.view) {
		if s, ok := r.env.cfg.Severity[f.Kind]; ok {
			f.Severity = s
		}
		if r.isNew(&f) && (f.Severity != lockgraph.SeverityNote || r.set.Notes) {
			out = append(out, f)
		}
	}
	kept, _ := r.env.cfg.Waive(out, r.ignores, false)
	out = kept[:0]
	for _, f := range kept {
		if f.Check != "config" { // about directives: check tells of them, when it has seen everything
			out = append(out, f)
		}
	}
	return out
}

// look makes the view, if there is anything to see that the imports have not
// seen.
func (r *Result) look() {
	pkgs := append([]*prog.Package{r.own}, r.deps.packages...)
	r.env.learn(pkgs)
	program := prog.Link(pkgs, lazyResolver{r.env})
	program.LeaveHoles()
	bears := false
	for _, f := range r.own.Funcs {
		bears = bears || program.Bears(f.Key)
	}
	if !bears && !r.deps.meet() {
		return
	}
	r.homes, r.lines = map[string]string{}, map[string]*token.File{}
	for _, pkg := range pkgs {
		for _, f := range pkg.Funcs {
			r.homes[f.Key] = pkg.Path
		}
	}
	for _, f := range r.files {
		r.directives(f)
		tf := r.pass.Fset.File(f.Package)
		if rel, err := filepath.Rel(r.root, tf.Name()); err == nil {
			r.lines[filepath.ToSlash(rel)] = tf
		}
	}
	module := ""
	if r.pass.Module != nil {
		module = r.pass.Module.Path
	}
	r.view = prog.NewView(program, prog.Options{Module: module, Implicit: r.env.cfg.Implicit, Relations: r.env.relations(),
		Pooler: r.env.cfg.Pooler, Tests: r.set.Tests, Modular: true})
}

// directives reads the ignore directives of a file. One on a declaration
// covers all of it.
func (r *Result) directives(f *ast.File) {
	var text string
	at := func(p token.Pos) int { return r.pass.Fset.PositionFor(p, false).Line }
	for _, g := range f.Comments {
		for _, c := range g.List {
			if !config.IsDirective(c.Text) {
				continue
			}
			d, err := config.ParseDirective(c.Text)
			if err != nil || d.Verb != config.VerbIgnore {
				continue
			}
			if text == "" {
				text = r.rel(r.pass.Fset.PositionFor(c.Pos(), false).Filename)
			}
			d.File, d.Line = text, at(c.Pos())
			for _, decl := range f.Decls {
				if fd, ok := decl.(*ast.FuncDecl); ok && fd.Doc == g {
					d.End = at(fd.End())
				} else if gd, ok := decl.(*ast.GenDecl); ok && gd.Doc == g {
					d.End = at(gd.End())
				}
			}
			r.ignores = append(r.ignores, d)
		}
	}
}

func (r *Result) rel(name string) string {
	if rel, err := filepath.Rel(r.root, name); err == nil {
		name = rel
	}
	return filepath.ToSlash(name)
}

// isNew reports whether no import of the package can have seen all sides of
// a finding: it touches this package, or packages that meet only here.
func (r *Result) isNew(f *lockgraph.Finding) bool {
	touched := map[string]bool{}
	add := func(fn string) {
		if home := r.homes[fn]; home != "" {
			touched[home] = true
		}
	}
	add(f.Func)
	for _, x := range f.Related {
		add(x.Func)
	}
	return touched[r.own.Path] || !r.deps.seen(touched)
}

// Diagnostic returns a finding as a diagnostic of the package. It stands at
// its own place when that lies in the package, else at the first call of the
// package that leads there, else at the import that brings it in.
func (r *Result) Diagnostic(f lockgraph.Finding) analysis.Diagnostic {
	d := analysis.Diagnostic{Pos: r.inside(f.File, f.Line), Category: f.Kind, Message: f.Message}
	if r.set.Fingerprints {
		d.Message += " [" + f.Fingerprint + "]"
	}
	for _, x := range f.Related {
		at := r.inside(x.File, x.Line)
		if d.Pos == token.NoPos {
			d.Pos = at
		}
		if at == token.NoPos && !r.deps.foreign[r.homes[x.Func]] {
			at = r.elsewhere(x.File, x.Line)
		}
		if at != token.NoPos {
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: at, Message: x.Does})
		}
	}
	if d.Pos == token.NoPos {
		d.Pos = r.importing(r.homes[f.Func])
	}
	return d
}

// inside returns the position of a line of the package's own files.
func (r *Result) inside(file string, line int) token.Pos {
	tf := r.lines[file]
	if tf == nil || line < 1 || line > tf.LineCount() {
		return token.NoPos
	}
	return tf.LineStart(line)
}

// elsewhere returns a position that prints as a line of a file of another
// package of the module, or of a SQL file: frames of a witness.
func (r *Result) elsewhere(file string, line int) token.Pos {
	if file == "" || line < 1 || line > 1<<20 || r.lines[file] != nil {
		return token.NoPos
	}
	key := file + ":" + strconv.Itoa(line)
	tf := r.lines[key]
	if tf == nil {
		starts := make([]int, line)
		for i := range starts {
			starts[i] = i
		}
		tf = r.pass.Fset.AddFile(filepath.Join(r.root, filepath.FromSlash(file)), -1, line)
		tf.SetLines(starts)
		r.lines[key] = tf
	}
	return tf.LineStart(line)
}

// importing returns the position of the import that brings in a package.
func (r *Result) importing(path string) token.Pos {
	for _, f := range r.files {
		for _, spec := range f.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil && r.deps.reach[p][path] {
				return spec.Pos()
			}
		}
	}
	return r.files[0].Package
}

// learn tells the resolver of the structs that are rows.
func (e *environment) learn(pkgs []*prog.Package) {
	for _, p := range pkgs {
		rows := len(p.Structs) > 0
		for _, n := range p.Names {
			rows = rows || strings.HasPrefix(n.Of, "table ")
		}
		if rows {
			e.resolver().Learn(p)
		}
	}
}
