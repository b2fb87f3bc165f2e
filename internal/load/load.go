package load

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// An Options says what to load.
type Options struct {
	Dir      string
	Patterns []string
	Tags     string
	Tests    bool
	Resolver *locksummary.Resolver
	Config   *config.Config // what it says of functions; nil for nothing
	Progress func(what string)
	Env      []string
	Extra    []*prog.Package // lock programs that are no Go code: migrations, functions of the schema
}

// A Result is what was loaded.
type Result struct {
	Module   string // path of the main module
	Root     string // its directory
	Packages []*prog.Package
	Program  *prog.Program
	Unknowns []lockgraph.Unknown
	// Unsettled says that code of another module could not be had: the same
	// files may give another result tomorrow.
	Unsettled bool

	Names      []prog.Name         // of classes, by directives
	Directives []config.Directive  // that ignore findings
	Faults     []lockgraph.Finding // directives that cannot be read

	Foreign map[string]bool   // packages of other modules: their faults are not the reader's to mend
	absent  map[string]string // imported packages that cannot be had → what the go command says

	Loaded int // packages with syntax
	Total  int // packages of the program
}

const metadata = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule

// Load reads the program. It fails only when nothing could be read.
func Load(ctx context.Context, opt Options) (*Result, error) {
	if opt.Progress == nil {
		opt.Progress = func(string) {}
	}
	res, pkgs, err := TwoPhase(ctx, opt)
	if err != nil {
		return nil, err
	}
	if err := res.summarize(pkgs, opt, opt.Progress); err != nil {
		return nil, err
	}
	return res, nil
}

// TwoPhase loads the metadata of all packages, then syntax and types of
// those that can matter. It is what Load spends on others' work, by itself
// so that it can be measured.
func TwoPhase(ctx context.Context, opt Options) (*Result, []*packages.Package, error) {
	progress := opt.Progress
	if progress == nil {
		progress = func(string) {}
	}
	progress("listing packages")
	cfg := &packages.Config{Context: ctx, Dir: opt.Dir, Mode: metadata, Tests: opt.Tests, Env: opt.Env}
	if opt.Tags != "" {
		cfg.BuildFlags = []string{"-tags=" + opt.Tags}
	}
	detour := &detour{}
	defer detour.close()
	roots, without, err := listed(ctx, cfg, opt, detour)
	if err != nil {
		return nil, nil, err
	}
	res := &Result{Unknowns: without, Unsettled: len(without) > 0}
	if err := res.module(roots, opt); err != nil {
		return nil, nil, err
	}
	for _, p := range roots {
		if len(p.GoFiles) == 0 && len(p.OtherFiles) == 0 {
			res.problems(p) // a pattern, or a folder, that cannot be read
		}
	}
	want := relevant(roots, res)
	if len(want) == 0 {
		return nil, nil, fmt.Errorf("no Go packages match %s", strings.Join(opt.Patterns, " "))
	}
	progress(fmt.Sprintf("loading %d of %d packages", len(want), res.Total))
	cfg.Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedEmbedFiles
	pkgs, err := packages.Load(cfg, want...)
	if err != nil {
		return nil, nil, fmt.Errorf("loading packages: %w", err)
	}
	if len(pkgs) == 0 {
		return nil, nil, fmt.Errorf("no package could be read: %s", said(ctx, cfg, want[0]))
	}
	return res, pkgs, nil
}

// said returns what the go command says of a package that it does not load.
func said(ctx context.Context, cfg *packages.Config, path string) string {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-e", "-export"}, cfg.BuildFlags, []string{path})...)
	cmd.Dir, cmd.Env = cfg.Dir, cfg.Env
	text, err := cmd.CombinedOutput()
	if err == nil {
		return "the go command lists none"
	}
	return firstLine(string(text))
}

// module finds the main module and refuses a directory without one.
func (r *Result) module(roots []*packages.Package, opt Options) error {
	var problems []string
	dir, _ := filepath.Abs(opt.Dir)
	for _, p := range roots {
		for _, e := range p.Errors {
			problems = append(problems, e.Error())
		}
		if m := p.Module; m != nil && m.Main && (r.Root == "" || r.Root != dir && m.Dir == dir) {
			r.Module, r.Root = m.Path, m.Dir
		}
	}
	if r.Root != dir && isFile(filepath.Join(dir, "go.work")) {
		r.Module, r.Root = together(roots), dir
	}
	if r.Root == "" {
		for _, p := range roots {
			if p.Module != nil && p.Module.Dir != "" {
				r.Module, r.Root = p.Module.Path, p.Module.Dir
				break
			}
		}
	}
	if r.Root == "" {
		r.Root = dir
		n := 0
		for _, p := range roots {
			n += len(p.GoFiles)
		}
		if n == 0 {
			if len(problems) > 0 {
				sort.Strings(problems)
				return fmt.Errorf("%s", problems[0])
			}
			return fmt.Errorf("no Go packages match %s", strings.Join(opt.Patterns, " "))
		}
	}
	return nil
}

// relevant returns the packages to load with syntax: those of the main
// module that were asked for or are imported by them, and third-party
// packages that can reach a database root and are no root themselves.
func relevant(roots []*packages.Package, r *Result) []string {
	reach := map[*packages.Package]bool{}
	done := map[*packages.Package]bool{}
	var visit func(p *packages.Package) bool
	visit = func(p *packages.Package) bool {
		if done[p] {
			return reach[p]
		}
		done[p] = true
		// The interfaces of drivers are imported for Scan and Value by packages
		// that never see a database.
		hit := dbapi.Root(p.PkgPath) && p.PkgPath != "database/sql/driver"
		for _, imp := range p.Imports {
			if visit(imp) {
				hit = true
			}
		}
		reach[p] = hit
		return hit
	}
	for _, p := range roots {
		visit(p)
	}
	r.Total = len(done)
	r.absent = map[string]string{}
	for p := range done {
		if len(p.GoFiles) == 0 && len(p.Errors) > 0 {
			r.absent[p.PkgPath] = strings.TrimSuffix(firstLine(p.Errors[0].Msg), "; to add it:")
		}
	}
	drivers := driverPackages(done)
	var out []string
	for p := range done {
		if len(p.GoFiles) == 0 || filepath.Base(p.GoFiles[0]) == "_testmain.go" {
			continue
		}
		main := p.Module != nil && (p.Module.Main || p.Module.Path == r.Module)
		third := p.Module != nil && !main && reach[p] && !dbapi.Root(p.PkgPath) && !drivers[p]
		asked := false
		if p.Module == nil && !symval.Standard(p.PkgPath) {
			asked = true
		}
		if main || third || asked {
			out = append(out, p.PkgPath)
		}
	}
	sort.Strings(out)
	return compact(out)
}

// implements matches what code that implements a database/sql driver, or wraps
// one, says: others import its interfaces for Scan and Value alone.
var implements = regexp.MustCompile(`\bsql\.Register\(|\bdriver\.(Conn|Connector|Driver)\b`)

// driverPackages finds the packages that implement a database/sql driver, or
// wrap one, and those of their modules that these import: they hold no locks
// of the program, and are often huge. What builds on a query library is none.
func driverPackages(pkgs map[*packages.Package]bool) map[*packages.Package]bool {
	uses := map[string]bool{}
	for p := range pkgs {
		for path := range p.Imports {
			if p.Module != nil && dbapi.Root(path) && !strings.HasPrefix(path, "database/sql") && !strings.HasPrefix(path+"/", p.Module.Path+"/") {
				uses[p.Module.Path] = true
			}
		}
	}
	out := map[*packages.Package]bool{}
	var add func(p *packages.Package)
	add = func(p *packages.Package) {
		if out[p] {
			return
		}
		out[p] = true
		for _, imp := range p.Imports {
			if imp.Module != nil && imp.Module.Path == p.Module.Path {
				add(imp)
			}
		}
	}
	for p := range pkgs {
		if p.Module != nil && !uses[p.Module.Path] && p.Imports["database/sql"] != nil && p.Imports["database/sql/driver"] != nil && isDriver(p) {
			add(p)
		}
	}
	return out
}

// isDriver reports whether a file of the package says that it is a driver.
func isDriver(p *packages.Package) bool {
	return slices.ContainsFunc(p.GoFiles, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && implements.Match(text)
	})
}

func compact(s []string) []string {
	var out []string
	for i, x := range s {
		if i == 0 || x != s[i-1] {
			out = append(out, x)
		}
	}
	return out
}

// summarize builds SSA, makes the lock programs and links them.
func (r *Result) summarize(pkgs []*packages.Package, opt Options, progress func(string)) error {
	var ok []*packages.Package
	for _, p := range pkgs {
		r.problems(p)
		if p.Types != nil && len(p.Syntax) > 0 && p.TypesInfo != nil {
			ok = append(ok, p)
		}
	}
	if len(ok) == 0 {
		if len(r.Unknowns) > 0 {
			u := r.Unknowns[0]
			return fmt.Errorf("no package could be read: %s:%d: %s", u.File, u.Line, u.Reason)
		}
		return fmt.Errorf("no package could be read")
	}
	sort.Slice(ok, func(i, j int) bool { return ok[i].ID < ok[j].ID })
	r.Loaded = len(ok)
	progress(fmt.Sprintf("reading %d packages", len(ok)))
	known := locksummary.Known(opt.Config)
	in := map[string]bool{}
	r.Foreign = map[string]bool{}
	for _, p := range ok {
		in[p.PkgPath] = true
		if p.Module != nil && !p.Module.Main && p.Module.Path != r.Module {
			r.Foreign[p.PkgPath] = true
		}
	}
	unused := uncalled(ok, r.Foreign) // before what has no type is taken out of the syntax
	r.Packages = make([]*prog.Package, len(ok))
	sem := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))
	b, lost := buildSSA(ok, func(b *built) {
		var wg sync.WaitGroup
		for i, p := range ok {
			sp := b.pkgs[p]
			if sp == nil {
				continue
			}
			wg.Add(1)
			sem <- struct{}{}
			go func() {
				defer func() { <-sem; wg.Done() }()
				r.Packages[i] = locksummary.Summarize(locksummary.Input{Fset: p.Fset, Files: p.Syntax, Info: p.TypesInfo, SSA: sp,
					Dir: p.Dir, Root: rootOf(p, r), InProgram: func(path string) bool { return in[path] }, Resolver: opt.Resolver, Known: known})
			}()
		}
		wg.Wait()
	})
	for _, p := range lost {
		r.Unknowns = append(r.Unknowns, lockgraph.Unknown{Kind: "package", Reason: p.PkgPath + ": its code could not be put into SSA form"})
	}
	kept := r.Packages[:0]
	for _, p := range r.Packages {
		if p != nil {
			kept = append(kept, p)
			r.Unknowns = append(r.Unknowns, p.Unknowns...)
			opt.Resolver.Learn(p)
		}
	}
	r.Packages = kept
	r.directives(ok)
	r.symbols(ok, opt.Config)
	for _, p := range ok { // the call graph needs none of it, and the heap is at its largest then
		p.Syntax, p.TypesInfo = nil, nil
	}
	names, faults := locksummary.SchemaNames(opt.Resolver.Catalog)
	r.Names, r.Faults = append(r.Names, names...), append(r.Faults, faults...)
	r.Program = prog.Link(slices.Concat(r.Packages, opt.Extra), opt.Resolver)
	r.Program.Foreign, r.Program.Uncalled = r.Foreign, unused
	progress("resolving calls")
	b.resolve(r.Program)
	return nil
}

// rootOf returns the directory that file names are relative to: the main
// module's, or the package's own module's.
func rootOf(p *packages.Package, r *Result) string {
	if p.Module != nil && !p.Module.Main && p.Module.Dir != "" && p.Module.Path != r.Module {
		return p.Module.Dir
	}
	return r.Root
}

// problems lists what is wrong with a package.
func (r *Result) problems(p *packages.Package) {
	// The go command heads its messages with the package; that tells nothing.
	errs := slices.DeleteFunc(slices.Clone(p.Errors), func(e packages.Error) bool { return strings.HasPrefix(e.Msg, "# ") })
	for _, e := range errs {
		r.Unsettled = r.Unsettled || ofOthers(e, r.Module)
	}
	for i, e := range errs {
		if i >= 5 {
			r.Unknowns = append(r.Unknowns, lockgraph.Unknown{Kind: "package", Reason: fmt.Sprintf("%s has %d more errors", p.PkgPath, len(errs)-i)})
			break
		}
		file, line := splitPos(e.Pos)
		if rel, err := filepath.Rel(r.Root, file); err == nil && file != "" && !strings.HasPrefix(rel, "..") {
			file = filepath.ToSlash(rel)
		} else {
			file = ""
		}
		why := strings.TrimPrefix(firstLine(e.Msg), "pattern "+p.PkgPath+": ")
		if m := imported.FindStringSubmatch(why); m != nil && r.absent[m[1]] != "" {
			why = m[0] + ": " + r.absent[m[1]] // the importer only says that it got nothing
		}
		why = strings.ReplaceAll(why, r.Root+string(filepath.Separator), "")
		r.Unknowns = append(r.Unknowns, lockgraph.Unknown{File: file, Line: line, Kind: "package", Reason: p.PkgPath + ": " + why})
	}
}

var imported = regexp.MustCompile(`could not import (\S+)`)

// ofOthers reports whether an error says that something is missing that is
// neither the module's own nor the standard library's.
func ofOthers(e packages.Error, module string) bool {
	own := func(path string) bool {
		first, _, _ := strings.Cut(path, "/")
		return path == module || strings.HasPrefix(path, module+"/") || !strings.Contains(first, ".")
	}
	if strings.Contains(e.Msg, "(no metadata for ") { // its importer has errors itself, which tell more
		return false
	}
	if m := imported.FindStringSubmatch(e.Msg); m != nil {
		return !own(m[1])
	}
	return e.Kind == packages.ListError && !strings.Contains(e.Msg, module)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// splitPos takes "file:line:col" apart.
func splitPos(pos string) (file string, line int) {
	parts := strings.Split(pos, ":")
	if len(parts) < 2 {
		return "", 0
	}
	n := len(parts)
	for i := n - 1; i > 0; i-- {
		var l int
		if _, err := fmt.Sscanf(parts[i], "%d", &l); err == nil {
			line = l
			file = strings.Join(parts[:i], ":")
		} else {
			break
		}
	}
	return file, line
}

// built is packages in SSA form.
type built struct {
	prog *ssa.Program
	pkgs map[*packages.Package]*ssa.Package
}
