package docs

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/load"
	"github.com/pglockdep/pglockdep/internal/modtest"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// librariesDir holds a package for each library, see its package comment.
const librariesDir = "../testdata/libraries"

// constructs are the columns of the page: the functions of a library's
// package.
var constructs = [][2]string{
	{"Text", "SQL text, run on the pool where the library has one"},
	{"Begin", "a transaction that the function begins and ends"},
	{"Helper", "a transaction around a callback"},
	{"Savepoint", "a transaction inside one, or a savepoint"},
	{"Clause", "the locking clause of the query builder"},
	{"Change", "UPDATE and DELETE of the builder or of a model"},
	{"Pinned", "a connection taken out of the pool, with a session lock"},
	{"Prepared", "a prepared statement"},
	{"Batch", "several statements sent at once"},
	{"Copy", "COPY FROM"},
	{"Named", "named parameters"},
	{"Struct", "rows read into structs or slices"},
	{"Either", "a parameter that takes pool and transaction"},
}

// A libraryUse is what the page says of one library.
type libraryUse struct {
	Name, Dir string
	cells     map[string]*libraryCell
}

// A libraryCell is one function of a library's package.
type libraryCell struct {
	key   string   // of its lock program
	calls []string // methods and functions that it calls
	locks []string // what the comment above it says
	found []string // what the comment says is found, where that is not the same
	got   []string // what was found
	why   []string // of the unknowns in it
}

// TestLibraries measures which calls of each library are found: every
// function of testdata/libraries is walked, and what its path locks is
// compared with the comment above it. The page says what came out.
func TestLibraries(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the database libraries")
	}
	modtest.Modules(t, librariesDir)
	uses := libraryUses(t)
	measureLibraries(t, uses)
	for _, u := range uses {
		for _, name := range sortedCells(u.cells) {
			c := u.cells[name]
			if c == nil || c.whole() || c.partly() {
				continue
			}
			for _, l := range c.got {
				if !slices.Contains(c.locks, l) {
					t.Errorf("%s.%s: %q is found, which is not there", u.Dir, name, l)
				}
			}
			if len(c.why) == 0 {
				t.Errorf("%s.%s: locks %q, found %q, and no unknown says why", u.Dir, name, c.locks, c.got)
			} else {
				t.Logf("%s.%s: locks %q, found %q: %s", u.Dir, name, c.locks, c.got, c.why)
			}
		}
	}
	compare(t, "libraries.md", []byte(librariesPage(uses)))
}

// libraryUses reads the packages of testdata/libraries.
func libraryUses(t *testing.T) []*libraryUse {
	t.Helper()
	var uses []*libraryUse
	err := filepath.WalkDir(librariesDir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		doc := f.Doc.Text()
		lib := regexp.MustCompile(`(?m)^library: (.+)$`).FindStringSubmatch(doc)
		if lib == nil {
			return nil
		}
		dir, err := filepath.Rel(librariesDir, filepath.Dir(name))
		if err != nil {
			return err
		}
		u := &libraryUse{Name: lib[1], Dir: filepath.ToSlash(dir), cells: map[string]*libraryCell{}}
		if lacks := regexp.MustCompile(`(?m)^lacks: (.+)$`).FindStringSubmatch(doc); lacks != nil {
			for _, c := range strings.Fields(lacks[1]) {
				u.cells[c] = nil
			}
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				u.add(t, fn)
			}
		}
		for _, c := range constructs {
			if _, ok := u.cells[c[0]]; !ok {
				t.Errorf("%s has no function %s, and its comment does not say that the library lacks it", u.Dir, c[0])
			}
		}
		uses = append(uses, u)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Slice(uses, func(i, j int) bool { return strings.ToLower(uses[i].Name) < strings.ToLower(uses[j].Name) })
	return uses
}

// add adds the cell of a function, if its comment says what it locks.
func (u *libraryUse) add(t *testing.T, fn *ast.FuncDecl) {
	name := fn.Name.Name
	want := regexp.MustCompile(`(?m)^locks: (.+)$`).FindStringSubmatch(fn.Doc.Text())
	if want == nil {
		return
	}
	if !slices.ContainsFunc(constructs, func(c [2]string) bool { return c[0] == name }) {
		t.Errorf("%s.%s is no construct of the page", u.Dir, name)
	}
	c := &libraryCell{key: path.Join("libraries.test", u.Dir) + "." + name, locks: strings.Split(want[1], "; ")}
	sort.Strings(c.locks)
	if found := regexp.MustCompile(`(?m)^found: (.+)$`).FindStringSubmatch(fn.Doc.Text()); found != nil {
		c.found = strings.Split(found[1], "; ")
		sort.Strings(c.found)
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && !slices.Contains(c.calls, sel.Sel.Name) {
				c.calls = append(c.calls, sel.Sel.Name)
			}
		}
		return true
	})
	u.cells[name] = c
}

// whole reports whether all was found, partly whether what its comment says
// was.
func (c *libraryCell) whole() bool { return slices.Equal(c.got, c.locks) }
func (c *libraryCell) partly() bool {
	return !c.whole() && c.found != nil && slices.Equal(c.got, c.found)
}

// measureLibraries fills in what is found in each cell.
func measureLibraries(t *testing.T, uses []*libraryUse) {
	t.Helper()
	cat, _, _, err := schema.Load(librariesDir, []string{"schema.sql"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := load.Load(context.Background(), load.Options{Dir: librariesDir, Patterns: []string{"./..."}, Resolver: locksummary.NewResolver(cat), Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")})
	if err != nil {
		t.Fatal(err)
	}
	v := prog.NewView(res.Program, prog.Options{Module: res.Module, Implicit: "all", Relations: locksummary.Relations(cat)})
	cells := map[string]*libraryCell{}
	for _, u := range uses {
		for _, c := range u.cells {
			if c != nil {
				cells[c.key] = c
			}
		}
	}
	for _, p := range v.PathsOf(func(key string) bool { return cells[key] != nil }) {
		c := cells[p.Entry]
		copies := slices.ContainsFunc(c.locks, func(l string) bool { return strings.HasPrefix(l, "table") })
		c.got = locksOfPath(p.Steps, "pool", copies)
	}
	for _, u := range v.Manifest.Unknowns {
		key, _, _ := strings.Cut(u.Func, "$")
		if c := cells[key]; c != nil && !slices.Contains(c.why, u.Reason) {
			c.why = append(c.why, u.Reason)
		}
	}
}

// locksOfPath tells the locks of steps in the words of the comments, sorted.
// Locks on tables that statements take by themselves count where the comment
// speaks of tables.
func locksOfPath(steps []lockgraph.Step, in string, tables bool) []string {
	var out []string
	for _, s := range steps {
		switch s.Do {
		case "lock":
			weak := s.Mode == string(lockgraph.AccessShare) || s.Mode == string(lockgraph.RowShare)
			if strings.HasPrefix(s.Class, "table") && s.Implicit && (!tables || weak) || s.Fresh {
				continue
			}
			text := strings.Replace(s.Class, "advisory bigint", "advisory", 1) + " " + s.Mode
			if s.Wait != "wait" {
				text += " " + s.Wait
			}
			out = append(out, text+" in "+in)
		case "tx":
			out = append(out, locksOfPath(s.Steps, s.Handle, tables)...)
		default:
			out = append(out, locksOfPath(s.Steps, in, tables)...)
			for _, a := range s.Arms {
				out = append(out, locksOfPath(a.Steps, in, tables)...)
			}
		}
	}
	sort.Strings(out)
	return slices.Compact(out)
}

func sortedCells(m map[string]*libraryCell) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// librariesPage writes the page.
func librariesPage(uses []*libraryUse) string {
	var b strings.Builder
	b.WriteString(`# What is understood of each library

Every cell is measured: a function of [testdata/libraries](../testdata/libraries) does one thing against the real library,
and what its path is found to lock is compared with what it locks. A library that is not in the table is followed as far as it is
built on one that is, or by the shape of its methods ("any interface of the same shape"); the configuration
([sql_funcs](configuration.md)) adds functions without code.

Generated by ` + "`make generate`" + `.

`)
	b.WriteString("| construct | is |\n|---|---|\n")
	for _, c := range constructs {
		fmt.Fprintf(&b, "| %s | %s |\n", c[0], c[1])
	}
	b.WriteString("\n`yes`: found, with its rows, mode and connection. `unknown`: listed as an unknown, with its reason below. `partly`: what is found differs as told below. Empty: the library has no such thing.\n\n| library |")
	for _, c := range constructs {
		fmt.Fprintf(&b, " %s |", c[0])
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(constructs)) + "\n")
	var notes []string
	for _, u := range uses {
		fmt.Fprintf(&b, "| [%s](#%s) |", u.Name, anchor(u.Name))
		for _, name := range constructs {
			cell := ""
			if c := u.cells[name[0]]; c != nil {
				cell = "yes"
				switch {
				case c.partly():
					cell = "partly"
					notes = append(notes, fmt.Sprintf("- %s, %s: locks %s; found %s", u.Name, name[0], strings.Join(c.locks, ", "), strings.Join(c.found, ", ")))
				case !c.whole():
					cell = "unknown"
					notes = append(notes, fmt.Sprintf("- %s, %s: %s", u.Name, name[0], strings.Join(c.why, "; ")))
				}
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	if len(notes) > 0 {
		b.WriteString("\n" + strings.Join(notes, "\n") + "\n")
	}
	b.WriteString("\n## The calls of each library\n\nWhat the functions call, in the order of the text, and what is found there.\n")
	for _, u := range uses {
		fmt.Fprintf(&b, "\n### %s\n\n| construct | calls | locks |\n|---|---|---|\n", u.Name)
		for _, name := range constructs {
			if c := u.cells[name[0]]; c != nil {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", name[0], "`"+strings.Join(c.calls, "` `")+"`", strings.Join(c.got, "; "))
			}
		}
	}
	return b.String()
}

// anchor is what a heading is linked by.
func anchor(heading string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
