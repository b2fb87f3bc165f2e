package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/inputs"
	"github.com/pglockdep/pglockdep/internal/load"
	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// An analysis is everything that the commands on packages need.
type analysis struct {
	cfg     *config.Config
	root    string // of the main module
	dir     string // where the command runs
	view    *prog.View
	schema  schema.Source
	catalog *schema.Catalog
	settled bool // the same files give the same result tomorrow
}

func tool() lockgraph.Tool {
	return lockgraph.Tool{Version: version, Parser: pgsql.ParserName(), Grammar: pgsql.Grammar()}
}

// analyze loads the packages of the command line and builds their view, with
// the findings of every check in its manifest.
func (c *invocation) analyze() (*analysis, error) {
	a, err := c.prepare()
	if err != nil {
		return nil, err
	}
	return a, c.run(a)
}

// prepare finds the module and reads the configuration.
func (c *invocation) prepare() (*analysis, error) {
	a := &analysis{dir: c.dir}
	if a.dir == "" {
		a.dir = "."
	}
	if st, err := os.Stat(a.dir); err != nil || !st.IsDir() {
		return nil, fmt.Errorf("-C %s is no directory", a.dir)
	}
	if err := a.configure(c); err != nil {
		return nil, err
	}
	root, ok := inputs.ModuleRoot(a.dir)
	if !ok && os.Getenv("GOPACKAGESDRIVER") == "" {
		return nil, hint(fmt.Errorf("no go.mod in %s or above it", a.dir), "run it inside a Go module, or name its directory with -C")
	}
	a.root = root
	if _, err := a.pages(); err != nil {
		return nil, err
	}
	return a, nil
}

// run reads schema and program and builds the view.
func (c *invocation) run(a *analysis) error {
	globs := a.schemaGlobs(c)
	cat, migrations, source, err := schema.Load(a.root, globs)
	if err != nil {
		return err
	}
	if err := namesSchema(a.root, globs, source); err != nil {
		return err
	}
	a.schema, a.catalog = source, cat
	if len(a.cfg.SearchPath) > 0 {
		cat.SearchPath = a.cfg.SearchPath
	}
	patterns := c.args
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	stop := c.ticking()
	defer stop()
	again := uncollected()
	res, err := load.Load(context.Background(), load.Options{Dir: a.dir, Patterns: patterns, Tags: c.tags, Tests: c.test,
		Resolver: locksummary.NewResolver(cat), Config: a.cfg, Progress: c.doing,
		Extra: []*prog.Package{load.Migrations(a.cfg.SearchPath, migrations, a.cfg.Implicit == "all"), load.Routines(cat)}})
	again()
	if err != nil {
		return loadHint(err)
	}
	opt := prog.Options{Module: res.Module, Tool: tool(), Implicit: a.cfg.Implicit, Relations: locksummary.Relations(cat), Pooler: a.cfg.Pooler, Tests: c.test,
		Names:    res.Names,
		Unknowns: append(append([]lockgraph.Unknown{}, res.Unknowns...), problems(cat)...),
		Progress: func(done, of int) {
			if done%20 == 0 {
				c.doing(fmt.Sprintf("walking path %d of %d", done, of))
			}
		}}
	order, err := a.order()
	if err != nil {
		return err
	}
	opt.Order = order
	opt.Names = append(opt.Names, locksummary.ConfiguredNames(a.cfg)...)
	opt.Replicas = a.cfg.Replicas
	a.view = prog.NewView(res.Program, opt)
	c.doing("checking")
	m := a.view.Manifest
	m.Findings = append(analyzers.Findings(a.view), res.Faults...)
	if order != nil {
		m.Findings = append(m.Findings, a.view.Graph.Violations(order)...)
	}
	for _, at := range a.view.Idle {
		file, line, _ := strings.Cut(at, ":")
		n, _ := strconv.Atoi(line)
		m.Findings = append(m.Findings, config.Idle(file, n))
	}
	m.Findings = own(m.Findings, res.Foreign)
	if c.whole() {
		stale, err := a.staleNames()
		if err != nil {
			return err
		}
		m.Findings = append(m.Findings, stale...)
	}
	if !c.unweighed {
		a.weigh(m, res.Directives)
	}
	m.Canon()
	c.progress.clear()
	a.settled = !res.Unsettled
	unread(c.stderr, opt.Unknowns)
	return nil
}

// own keeps the findings that are the program's to mend.
func own(all []lockgraph.Finding, foreign map[string]bool) []lockgraph.Finding {
	out := all[:0]
	for _, f := range all {
		if f, ok := f.Own(func(fn string) bool { return foreign[packageOf(fn)] }); ok {
			out = append(out, f)
		}
	}
	return out
}

// packageOf returns the import path of a symbol's package.
func packageOf(symbol string) string {
	slash := strings.LastIndexByte(symbol, '/') + 1
	if i := strings.IndexByte(symbol[slash:], '.'); i >= 0 {
		return symbol[:slash+i]
	}
	return symbol
}

// order reads the declared order of the configuration, nil when there is
// none.
func (a *analysis) order() (*lockgraph.Order, error) {
	if strings.TrimSpace(a.cfg.Order) == "" {
		return nil, nil
	}
	o, err := lockgraph.ParseOrder(a.cfg.Order)
	if err != nil {
		return nil, fmt.Errorf("%s: order: %w", a.cfg.File, err)
	}
	return o, nil
}

// weigh applies severities and waivers of the configuration.
func (a *analysis) weigh(m *lockgraph.Manifest, directives []config.Directive) {
	for i := range m.Findings {
		if s, ok := a.cfg.Severity[m.Findings[i].Kind]; ok {
			m.Findings[i].Severity = s
		}
	}
	m.Findings, _ = a.cfg.Waive(m.Findings, directives, true)
}

// loadHint makes one line of what the go command said, and hints of the rest.
func loadHint(err error) error {
	text := strings.TrimPrefix(err.Error(), "-: ")
	first, rest, _ := strings.Cut(text, "\n")
	var hints []string
	if strings.Contains(text, "executable file not found") {
		hints = append(hints, "the go command must be on the PATH")
	}
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" {
			hints = append(hints, line)
		}
	}
	return hint(errors.New(strings.TrimSuffix(first, "; to add it:")), hints...)
}

// configure reads the configuration and lets flags win over it.
func (a *analysis) configure(c *invocation) error {
	a.cfg = config.Default()
	name := ""
	if c.config != "" {
		name = joined(a.dir, c.config)
	} else {
		found, err := config.Find(a.dir)
		if err != nil {
			return err
		}
		if found != "" {
			name = c.shown(found)
		}
	}
	if name != "" {
		cfg, err := config.Load(name)
		if err != nil {
			return err
		}
		a.cfg = cfg
	}
	if c.pooler != "" {
		if err := oneOf("pooler", c.pooler, "none", "session", "transaction", "statement"); err != nil {
			return err
		}
		a.cfg.Pooler = c.pooler
	}
	if c.implicit != "" {
		if err := oneOf("implicit", c.implicit, "none", "relevant", "all"); err != nil {
			return err
		}
		a.cfg.Implicit = c.implicit
	}
	return nil
}

// schemaGlobs returns the schema patterns relative to the module root: those
// of the flags, given relative to the working directory, else those of the
// configuration, relative to its file.
func (a *analysis) schemaGlobs(c *invocation) []string {
	globs, base := []string(c.schema), a.dir
	if len(globs) == 0 && a.cfg.File != "" {
		globs, base = a.cfg.Schema, filepath.Dir(a.cfg.File)
	}
	return a.globs(globs, base)
}

// globs returns patterns given relative to base as schema.Load wants them:
// relative to the module root.
func (a *analysis) globs(globs []string, base string) []string {
	var out []string
	for _, g := range globs {
		abs, err := filepath.Abs(joined(base, g))
		if err != nil {
			abs = g
		}
		if rel, err := filepath.Rel(a.root, abs); err == nil {
			abs = rel
		}
		out = append(out, filepath.ToSlash(abs))
	}
	return out
}

func joined(base, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(base, name)
}

// namesSchema returns an error when what was given as the schema names no
// file.
func namesSchema(root string, globs []string, source schema.Source) error {
	missing := source.Missing(root, globs)
	if missing == "" {
		return nil
	}
	return hint(fmt.Errorf("no schema file is named %s", missing),
		"names given with -schema start at the working directory, those of the configuration at its file")
}

// problems lists what of the schema could not be read.
func problems(cat *schema.Catalog) []lockgraph.Unknown {
	var out []lockgraph.Unknown
	for _, p := range cat.Problems {
		out = append(out, lockgraph.Unknown{File: p.File, Line: p.Line, Kind: "schema", Reason: p.Message})
	}
	return out
}

// doing says on a terminal what is being done.
func (c *invocation) doing(what string) {
	c.progress.mu.Lock()
	c.progress.what = what
	c.progress.mu.Unlock()
	c.progress.say(what)
}

// ticking repeats what is being done until it is stopped, so that the reader
// sees time pass.
func (c *invocation) ticking() (stop func()) {
	if !c.progress.on {
		return func() {}
	}
	t := time.NewTicker(time.Second)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-t.C:
				c.progress.mu.Lock()
				what := c.progress.what
				c.progress.mu.Unlock()
				if what != "" {
					c.progress.say(what)
				}
			case <-done:
				return
			}
		}
	}()
	return func() { t.Stop(); close(done); c.progress.clear() }
}
