package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// FileName is the name of the file that Find looks for.
const FileName = "pglockdep.yaml"

// A Config is the content of pglockdep.yaml. The tags of its fields are the
// one source of the keys, their documentation and the JSON schema; flag is
// the one that wins over the key, with its command where not all have it.
type Config struct {
	Schema     []string          `yaml:"schema" flag:"-schema" glob:"true" doc:"Files that make the database schema, as globs relative to this file, applied in order. Switches the detection of migrations off."`
	SearchPath []string          `yaml:"search_path" doc:"Schemas in which unqualified names are looked up, first to last."`
	Pooler     string            `yaml:"pooler" flag:"-pooler" enum:"none,session,transaction,statement" doc:"How connections to the server are pooled outside the program. Where it is not given, the connection strings in the program may tell."`
	Implicit   string            `yaml:"implicit" flag:"-implicit" enum:"none,relevant,all" doc:"Which row locks that statements take by themselves become classes of the graph."`
	Page       string            `yaml:"page" flag:"docs -o" doc:"The page that docs writes, relative to this file."`
	Pages      []string          `yaml:"pages" glob:"true" doc:"Further pages that name code, as globs relative to this file, in which ** stands for any folders: names that no longer exist are reported there too."`
	Names      map[string]Name   `yaml:"names" doc:"Names for lock classes, by class id, key prefix or relation."`
	Order      string            `yaml:"order" order:"true" doc:"The declared lock order: chains such as a < b < c, one or more a line, ended by a semicolon; # begins a reason."`
	SQLFuncs   []SQLFunc         `yaml:"sql_funcs" doc:"Further functions that run SQL."`
	External   []string          `yaml:"external" doc:"Further functions whose call leaves the process, by symbol."`
	Replicas   []string          `yaml:"replicas" doc:"Variables and fields that hold a connection to a read replica, by symbol."`
	Severity   map[string]string `yaml:"severity" enum:"error,warning,note" keys:"kinds" doc:"Severity of findings, by kind."`
	Waivers    []Waiver          `yaml:"waivers" doc:"Findings that are accepted, with the reason."`

	// File is where the configuration was read from, "" when there is none.
	File string `yaml:"-"`

	lines map[string]int `yaml:"-"` // of items of lists, by their place: external[0]
}

// A Name is what the team calls a lock class. In the file, a string alone is
// the name.
type Name struct {
	Name       string `yaml:"name" scalar:"true" doc:"What the page and the messages call the class."`
	Serializes string `yaml:"serializes" doc:"What the lock is for, as one sentence."`
}

// An SQLFunc is a function that runs SQL. Arguments count from 0 without the
// receiver.
type SQLFunc struct {
	Symbol string `yaml:"symbol" required:"true" doc:"The function: example.test/db.(*Runner).Run or example.test/db.Run."`
	SQL    int    `yaml:"sql" doc:"The argument that is the SQL text, from 0."`
	Args   int    `yaml:"args" default:"-1" doc:"The first argument that binds a parameter; -1 when there is none."`
	Handle string `yaml:"handle" default:"receiver" pattern:"^(receiver|pool|conn|tx|[0-9]+)$" doc:"What the statement runs on: the receiver, the number of an argument, or pool, conn or tx."`

	// Line is where it stands in the file.
	Line int `yaml:"-"`
}

// A Waiver accepts findings of one kind, everywhere or at one place.
type Waiver struct {
	Kind        string `yaml:"kind" required:"true" keys:"kinds" doc:"The kind of finding."`
	File        string `yaml:"file" glob:"true" doc:"Where: a glob on the file, relative to the module."`
	Func        string `yaml:"func" doc:"Where: the function, by its symbol or the end of it."`
	Fingerprint string `yaml:"fingerprint" doc:"Which: the fingerprint of one finding."`
	Reason      string `yaml:"reason" required:"true" doc:"Why it is accepted."`

	// Line is where the waiver stands in the file.
	Line int `yaml:"-"`
}

// A Symbol is a name of the program that the file mentions.
type Symbol struct {
	Key  string // sql_funcs, external or replicas
	Name string
	Line int // where it stands in the file
}

// Symbols returns the names that sql_funcs, external and replicas mention,
// in that order.
func (c *Config) Symbols() []Symbol {
	var out []Symbol
	for _, f := range c.SQLFuncs {
		out = append(out, Symbol{"sql_funcs", f.Symbol, f.Line})
	}
	for i, s := range c.External {
		out = append(out, Symbol{"external", s, c.lines[fmt.Sprintf("external[%d]", i)]})
	}
	for i, s := range c.Replicas {
		out = append(out, Symbol{"replicas", s, c.lines[fmt.Sprintf("replicas[%d]", i)]})
	}
	return out
}

// NoSymbol is the finding for a name of the file that nothing in the program
// has: it would act on nothing, and nobody would know.
func (c *Config) NoSymbol(s Symbol) lockgraph.Finding {
	what := "function"
	if s.Key == "replicas" {
		what = "variable or field"
	}
	return fault(lockgraph.SeverityWarning, c.File, s.Line, s.Key, fmt.Sprintf("%s: the program has no %s named %s", s.Key, what, s.Name),
		"write it with its import path, as in example.test/db.(*Runner).Run or example.test/db.Store.ro")
}

// Default is the configuration of a program that has none.
func Default() *Config {
	return &Config{Implicit: "relevant", Page: "docs/database-locks.md"}
}

// An Error is one fault of a file, with its place.
type Error struct {
	File         string
	Line, Column int
	Text         string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// Errors are all faults of a file, in the order they stand.
type Errors []*Error

func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Load reads a file. Faults of its content are Errors.
func Load(path string) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading configuration: %w", err)
	}
	return Parse(path, data)
}

// Find gives the nearest pglockdep.yaml in dir or above it, "" when there is
// none.
func Find(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", FileName, err)
	}
	for {
		path := filepath.Join(dir, FileName)
		info, err := os.Lstat(path) // a link that leads nowhere is no absence
		switch {
		case err == nil && !info.IsDir():
			return path, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("looking for %s: %w", FileName, err)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}
