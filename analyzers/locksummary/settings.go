package locksummary

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Settings are what a driver tells the analyzers. The zero value looks for
// everything by itself.
type Settings struct {
	Root   string            // of the module, "" to look for go.mod upward; file names are relative to it
	Schema []string          // globs relative to the root; nil to look for the schema
	Config string            // file, relative to the root; "" to look for pglockdep.yaml upward
	Texts  map[string]string // the schema itself, by file name, for drivers that may read no files; in order of the names
	YAML   string            // the configuration itself, for the same

	Notes        bool // report notes too
	Tests        bool // read _test.go files too
	Fingerprints bool // end messages with the fingerprint of the finding
	FactsOnly    bool // nobody will see findings

	// Judge runs every check. With it a fact tells which findings its package
	// has seen, so that they are reported once; without it that is judged by
	// the packages they touch.
	Judge func(*prog.View) []lockgraph.Finding

	// First is the check that tells of a configuration that cannot be read.
	First string

	mu   sync.Mutex
	envs map[string]*environment
}

// Default are the settings of the analyzers that drivers find by name.
var Default = &Settings{}

// An environment is the schema and configuration of one module.
type environment struct {
	set  *Settings
	root string
	cfg  *config.Config

	fault error // why the configuration could not be read

	once   sync.Once
	schema atomic.Pointer[loaded] // nil until a statement needs it

	naming sync.Once
	names  []prog.Name
}

// A loaded is the schema once it is read.
type loaded struct {
	res   *Resolver
	rels  lockgraph.Relations
	sum   uint64 // of its files, 0 where there are none
	blind string // what of it cannot be read, and why
}

// env returns the environment of the module at root. Nothing is read but the
// configuration until a statement needs the schema.
func (s *Settings) env(root string) *environment {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.envs[root]; e != nil {
		return e
	}
	if s.envs == nil {
		s.envs = map[string]*environment{}
	}
	e := &environment{set: s, root: root}
	e.cfg, e.fault = s.config(root)
	s.envs[root] = e
	return e
}

// config reads the configuration. What is wrong with one that cannot be read
// is told of every package that is checked, for nothing is checked as it
// says.
func (s *Settings) config(root string) (*config.Config, error) {
	cfg, err := s.read(root)
	if err != nil {
		return config.Default(), err
	}
	return cfg, nil
}

func (s *Settings) read(root string) (*config.Config, error) {
	switch {
	case s.YAML != "":
		return config.Parse(config.FileName, []byte(s.YAML))
	case s.Texts != nil:
		return config.Default(), nil
	}
	name := s.Config
	if name == "" {
		found, err := config.Find(root)
		if err != nil {
			return nil, err
		}
		name = found
	} else if !filepath.IsAbs(name) {
		name = filepath.Join(root, name)
	}
	if name == "" {
		return config.Default(), nil
	}
	return config.Load(name)
}

// resolver returns the resolver over the schema, which is loaded now.
func (e *environment) resolver() *Resolver { return e.load().res }

func (e *environment) relations() lockgraph.Relations { return e.load().rels }

func (e *environment) load() *loaded {
	e.once.Do(func() {
		s, cat := &loaded{}, schema.New()
		defer func() {
			if recover() != nil {
				cat = schema.New()
			}
			if len(e.cfg.SearchPath) > 0 {
				cat.SearchPath = e.cfg.SearchPath
			}
			s.res, s.rels = NewResolver(cat), Relations(cat)
			e.schema.Store(s)
		}()
		if e.set.Texts != nil {
			cat = schema.FromTexts(e.set.Texts)
			return
		}
		globs := e.globs()
		c, _, source, err := schema.Load(e.root, globs)
		if err != nil {
			s.blind = err.Error()
			return
		}
		cat, s.sum = c, source.Sum
		if missing := source.Missing(e.root, globs); missing != "" {
			s.blind = "no schema file is named " + missing
		} else if i := slices.IndexFunc(c.Problems, func(p schema.Problem) bool { return p.Unread }); i >= 0 {
			s.blind = c.Problems[i].File + " " + c.Problems[i].Message
		}
	})
	return e.schema.Load()
}

// named returns what the schema and the configuration call locks.
func (e *environment) named() []prog.Name {
	e.naming.Do(func() {
		of, _ := SchemaNames(e.resolver().Catalog)
		e.names = append(of, ConfiguredNames(e.cfg)...)
	})
	return e.names
}

// globs returns the schema patterns, relative to the root.
func (e *environment) globs() []string {
	if len(e.set.Schema) > 0 || e.cfg.File == "" {
		return e.set.Schema
	}
	var out []string
	for _, g := range e.cfg.Schema {
		if !filepath.IsAbs(g) {
			g = filepath.Join(filepath.Dir(e.cfg.File), g)
		}
		if rel, err := filepath.Rel(e.root, g); err == nil {
			g = rel
		}
		out = append(out, filepath.ToSlash(g))
	}
	return out
}

// A lazyResolver loads the schema when the first statement is asked about:
// most packages have none.
type lazyResolver struct{ env *environment }

func (l lazyResolver) Effect(text string) []prog.Op { return l.env.resolver().Effect(text) }
func (l lazyResolver) Order(text string) string     { return l.env.resolver().Order(text) }
func (l lazyResolver) Chain(chain *prog.Val) ([]prog.ChainText, string) {
	return l.env.resolver().Chain(chain)
}
func (l lazyResolver) Class(a *prog.Acq, key []*prog.Val) *lockgraph.Class {
	return l.env.resolver().Class(a, key)
}

// Relations lists the foreign keys of a catalog.
func Relations(cat *schema.Catalog) lockgraph.Relations {
	var out lockgraph.Relations
	names := make([]string, 0, len(cat.Relations))
	for name := range cat.Relations {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for _, fk := range cat.Relations[name].ForeignKeys {
			out = append(out, lockgraph.ForeignKey{Child: fk.Table, Parent: fk.Parent, OnDelete: fk.OnDelete})
		}
	}
	return out
}

// rootDir returns the root of the module that holds dir.
func (s *Settings) rootDir(dir string) string {
	if s.Root != "" {
		return s.Root
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	if !filepath.IsAbs(dir) {
		return "." // a build sandbox, in which all names are relative to one place
	}
	return dir
}

// List is a flag value that collects strings.
type List struct{ To *[]string }

// String implements flag.Value.
func (l List) String() string {
	if l.To == nil {
		return ""
	}
	return strings.Join(*l.To, ",")
}

// Set implements flag.Value; go vet joins what is given several times.
func (l List) Set(s string) error {
	for _, g := range strings.Split(s, ",") {
		if g != "" && !slices.Contains(*l.To, g) {
			*l.To = append(*l.To, g)
		}
	}
	return nil
}
