// Package sample holds the sample applications to what is known of them: the
// locks, paths, rules and differences that people read out of their source,
// and the locks that PostgreSQL shows while their tests run. It is tests only.
package sample

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/load"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

var console = filepath.Join("..", "..", "testdata", "memberconsole")

// A program is a sample, read once for all tests.
type program struct {
	opt  prog.Options
	load *load.Result
}

var consoleProgram = sync.OnceValues(func() (*program, error) { return read(console) })

func read(dir string) (*program, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	cat, _, _, err := schema.Load(root, nil)
	if err != nil {
		return nil, err
	}
	res, err := load.Load(context.Background(), load.Options{Dir: root, Patterns: []string{"./..."}, Resolver: locksummary.NewResolver(cat)})
	if err != nil {
		return nil, err
	}
	opt := prog.Options{Module: res.Module, Relations: locksummary.Relations(cat), Unknowns: res.Unknowns}
	return &program{opt: opt, load: res}, nil
}

// view returns the program's view with the implicit locks of one choice.
func (p *program) view(implicit string) *prog.View {
	opt := p.opt
	opt.Implicit = implicit
	v := prog.NewView(p.load.Program, opt)
	v.Manifest.Findings = analyzers.Findings(v)
	v.Manifest.Canon()
	return v
}

func consoleView(t *testing.T, implicit string) *prog.View {
	t.Helper()
	p, err := consoleProgram()
	if err != nil {
		t.Fatal(err)
	}
	return p.view(implicit)
}

func classByID(m *lockgraph.Manifest, id string) *lockgraph.Class {
	for i := range m.Classes {
		if m.Classes[i].ID == id {
			return &m.Classes[i]
		}
	}
	return nil
}
