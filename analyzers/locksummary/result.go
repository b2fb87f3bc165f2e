package locksummary

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/fix"
	"github.com/pglockdep/pglockdep/internal/schema"
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

	mu      sync.Mutex // checks of one package run at once; a view is made for one reader, and so are lines and the schema
	once    sync.Once
	view    *prog.View
	homes   map[string]string // function → package
	lines   map[string]*token.File
	ignores []config.Directive
	judging sync.Once
	judged  []lockgraph.Finding
}

// Findings returns what the named check, which is run, finds that no import
// of the package has seen before.
func (r *Result) Findings(name string, run func(*prog.View) []lockgraph.Finding) []lockgraph.Finding {
	if r == nil || r.pass == nil || r.set.FactsOnly || third(r.pass) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.env.fault != nil {
		if name != r.set.First {
			return nil
		}
		return []lockgraph.Finding{{Check: name, Kind: "configuration", Severity: lockgraph.SeverityError,
			Message: "nothing is checked: " + firstLine(r.env.fault), Fingerprint: "configuration"}}
	}
	var found []lockgraph.Finding
	if r.set.Judge == nil {
		found = r.find(run)
	} else {
		for _, f := range r.judge() {
			if f.Check == name {
				found = append(found, f)
			}
		}
	}
	if n, where := r.deps.leftOut(); n > 0 && name == r.set.First {
		found = append(found, lockgraph.Finding{Check: name, Kind: "left-out", Severity: lockgraph.SeverityNote, Fingerprint: "left-out",
			Message: fmt.Sprintf("what %d functions and fields of %s do is not seen here, for want of room in facts: check sees it", n, where)})
	}
	if why := r.unsure(); why != "" && name == r.set.First {
		found = append(found, lockgraph.Finding{Check: name, Kind: "schema", Severity: lockgraph.SeverityError, Message: why, Fingerprint: "schema"})
	}
	var out []lockgraph.Finding
	kept, _ := r.env.cfg.Waive(found, r.ignores, false)
	for _, f := range kept {
		// What is wrong with directives is for check to tell, which sees all.
		if f.Check == name && (f.Severity != lockgraph.SeverityNote || r.set.Notes) {
			out = append(out, f)
		}
	}
	return out
}

// schema identifies the schema that the package was read against.
func (r *Result) schema() Schema {
	s := r.env.schema.Load()
	if s == nil || s.sum == 0 || r.pass.Module == nil {
		return Schema{}
	}
	return Schema{r.pass.Module.Path, s.sum}
}

// unsure returns why the findings may not be all: what of the schema could
// not be read, and a schema that changed after the driver had asked for what
// it keeps its results under.
func (r *Result) unsure() string {
	s := r.env.schema.Load()
	switch {
	case s != nil && s.blind != "":
		return "the schema is not known: " + s.blind
	case !r.deps.agree(r.schema()):
		return "the schema changed while packages were read, and what was found meanwhile may be kept: go clean -cache, and run it again"
	}
	return ""
}

func firstLine(err error) string {
	line, _, more := strings.Cut(err.Error(), "\n")
	if more {
		line += " (and more)"
	}
	return line
}

// judge runs every check, once, and returns what is new.
func (r *Result) judge() []lockgraph.Finding {
	r.judging.Do(func() { r.judged = r.find(r.set.Judge) })
	return r.judged
}

// seen returns what the fact says of the findings that are new.
func (r *Result) seen() []Seen {
	if r.set.Judge == nil || third(r.pass) {
		return nil
	}
	weights := map[uint64]uint8{}
	for _, f := range r.judge() {
		p := print(&f)
		weights[p] = max(weights[p], weight(f.Severity))
	}
	var out []Seen
	for p, w := range weights {
		out = append(out, Seen{p, w})
	}
	slices.SortFunc(out, func(a, b Seen) int { return cmp.Compare(a.Print, b.Print) })
	return out
}

// find returns what a check finds that is new. A fault of ours loses only
// its findings: a driver would hide an error and remember it.
func (r *Result) find(run func(*prog.View) []lockgraph.Finding) (out []lockgraph.Finding) {
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
		if f, ok := f.Own(r.foreign); ok && r.isNew(&f) {
			out = append(out, f)
		}
	}
	return out
}

func print(f *lockgraph.Finding) uint64 {
	h := fnv.New64a()
	h.Write([]byte(f.Fingerprint))
	return h.Sum64()
}

func weight(severity string) uint8 {
	switch severity {
	case lockgraph.SeverityError:
		return 3
	case lockgraph.SeverityWarning:
		return 2
	}
	return 1
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
		r.lines[r.rel(tf.Name())] = tf
	}
	module := ""
	if r.pass.Module != nil {
		module = r.pass.Module.Path
	}
	r.view = prog.NewView(program, prog.Options{Module: module, Named: func() []prog.Name { return r.names(pkgs) }, Implicit: r.env.cfg.Implicit,
		Foreign: r.env.relations, Pooler: r.env.cfg.Pooler, Replicas: r.env.cfg.Replicas, Tests: r.set.Tests, Modular: true})
}

// names returns what directives and the configuration call locks.
func (r *Result) names(pkgs []*prog.Package) []prog.Name {
	var out []prog.Name
	for _, p := range pkgs {
		if !r.deps.foreign[p.Path] {
			out = append(out, p.Names...)
		}
	}
	SortNames(out)
	return append(out, r.env.named()...)
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
			d.End = covered(r.pass.Fset, f, g, d.Line)
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

// foreign reports whether a function is of another module.
func (r *Result) foreign(fn string) bool { return r.deps.foreign[r.homes[fn]] }

// isNew reports whether no import of the package has seen a finding, as
// severe as it is here.
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
	if r.set.Judge != nil {
		return weight(f.Severity) > r.deps.known[print(f)]
	}
	return touched[r.own.Path] || !r.deps.seen(touched)
}

// Diagnostic returns a finding as a diagnostic of the package. It stands at
// its own place when that lies in the package, else at the first call of the
// package that leads there, else at the import that brings it in.
func (r *Result) Diagnostic(f lockgraph.Finding) analysis.Diagnostic {
	r.mu.Lock()
	defer r.mu.Unlock()
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
	if x := r.fix(f); x != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: x.Message, TextEdits: []analysis.TextEdit{{Pos: x.Pos, End: x.End, NewText: []byte(x.New)}}}}
	}
	return d
}

// fix returns the edit that mends a finding which stands in the package, or
// nil.
func (r *Result) fix(f lockgraph.Finding) *fix.Fix {
	for _, file := range r.files {
		if r.rel(r.pass.Fset.PositionFor(file.Package, false).Filename) == f.File {
			return fix.Source{Fset: r.pass.Fset, Files: r.files, Schema: func() *schema.Catalog { return r.env.resolver().Catalog }}.Of(file, f)
		}
	}
	return nil
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
