// Package checktest runs one check on a small module and compares what it
// finds with what the module's files expect.
//
// The directory of a module enters; test failures leave. A line that should
// be reported ends in a comment "want KIND "REGEXP"", several of them one
// after the other, "//" in Go and "--" in SQL. Findings of other checks are
// not looked at.
package checktest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/load"
	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// An Option changes how a module is looked at.
type Option func(*prog.Options)

// Pooler says that the program's connections go through a pooler.
func Pooler(mode string) Option { return func(o *prog.Options) { o.Pooler = mode } }

// Run checks every module under dir/src. Each is a test of its own.
func Run(t *testing.T, dir string, c *pass.Check, opts ...Option) {
	t.Helper()
	mods, err := os.ReadDir(filepath.Join(dir, "src"))
	if err != nil {
		t.Fatal(err)
	}
	if len(mods) == 0 {
		t.Fatalf("no modules under %s", dir)
	}
	for _, m := range mods {
		if m.IsDir() {
			t.Run(m.Name(), func(t *testing.T) { Module(t, filepath.Join(dir, "src", m.Name()), c, opts...) })
		}
	}
}

// View loads the module at dir whole.
func View(t *testing.T, dir string, opts ...Option) *prog.View {
	t.Helper()
	cat, _, _, err := schema.Load(dir, []string{"*.sql"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := load.Load(context.Background(), load.Options{Dir: dir, Patterns: []string{"./..."}, Resolver: locksummary.NewResolver(cat),
		Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range res.Unknowns {
		t.Errorf("%s:%d: %s", u.File, u.Line, u.Reason)
	}
	opt := prog.Options{Module: res.Module, Implicit: "relevant", Relations: locksummary.Relations(cat)}
	for _, o := range opts {
		o(&opt)
	}
	return prog.NewView(res.Program, opt)
}

// Module checks the module at dir.
func Module(t *testing.T, dir string, c *pass.Check, opts ...Option) {
	t.Helper()
	found := c.Run(View(t, dir, opts...))
	compare(t, wants(t, dir), found)
	for _, f := range found {
		if f.Check != c.Name || f.Fingerprint == "" || len(f.Related) == 0 {
			t.Errorf("%s:%d: finding without check, fingerprint or witness: %+v", f.File, f.Line, f)
		}
		if strings.HasSuffix(f.Message, ".") || strings.Contains(f.Message, "\n") {
			t.Errorf("%s:%d: message is not one line without a period: %q", f.File, f.Line, f.Message)
		}
		known := false
		for _, k := range c.Kinds {
			known = known || k == f.Kind
		}
		if !known {
			t.Errorf("%s:%d: check %s does not list kind %s", f.File, f.Line, c.Name, f.Kind)
		}
	}
}

// A want is one finding that a line expects.
type want struct {
	file string
	line int
	kind string
	re   *regexp.Regexp
	met  bool
}

var wantMark = regexp.MustCompile(`(?://|--) want ((?:[a-z]+(?:-[a-z]+)* "(?:[^"\\]|\\.)*"\s*)+)$`)
var wantOne = regexp.MustCompile(`([a-z]+(?:-[a-z]+)*) ("(?:[^"\\]|\\.)*")`)

// wants reads the expectations of a module.
func wants(t *testing.T, dir string) []*want {
	var out []*want
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".sql") {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		for i, l := range strings.Split(string(data), "\n") {
			m := wantMark.FindStringSubmatch(strings.TrimRight(l, " \r"))
			if m == nil {
				if strings.Contains(l, "// want ") || strings.Contains(l, "-- want ") {
					t.Errorf("%s:%d: expectation cannot be read: %s", rel, i+1, l)
				}
				continue
			}
			for _, one := range wantOne.FindAllStringSubmatch(m[1], -1) {
				text, err := strconv.Unquote(one[2])
				if err != nil {
					return fmt.Errorf("%s:%d: %w", rel, i+1, err)
				}
				re, err := regexp.Compile(text)
				if err != nil {
					return fmt.Errorf("%s:%d: %w", rel, i+1, err)
				}
				out = append(out, &want{file: filepath.ToSlash(rel), line: i + 1, kind: one[1], re: re})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compare matches findings with expectations, one to one.
func compare(t *testing.T, ws []*want, found []lockgraph.Finding) {
	t.Helper()
	var left []string
	for _, f := range found {
		met := false
		for _, w := range ws {
			if !w.met && w.file == f.File && w.line == f.Line && w.kind == f.Kind && w.re.MatchString(f.Message) {
				w.met, met = true, true
				break
			}
		}
		if !met {
			left = append(left, fmt.Sprintf("%s:%d: unexpected %s %s: %s", f.File, f.Line, f.Severity, f.Kind, f.Message))
		}
	}
	for _, w := range ws {
		if !w.met {
			left = append(left, fmt.Sprintf("%s:%d: no %s matching %q", w.file, w.line, w.kind, w.re))
		}
	}
	sort.Strings(left)
	for _, l := range left {
		t.Error(l)
	}
}
