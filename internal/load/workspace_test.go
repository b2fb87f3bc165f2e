package load

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/analyzers/locksummary"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// client locks through an interface that another module implements.
const client = `package client

import "context"

type Driver interface{ Lock(ctx context.Context, id int) error }

type Client struct{ d Driver }

func New(d Driver) *Client { return &Client{d} }

func (c *Client) Do(ctx context.Context) error { return c.d.Lock(ctx, 1) }
`

const driver = `package driver

import (
	"context"
	"database/sql"

	"example.test/client"
)

type driver struct{ db *sql.DB }

func (d *driver) Lock(ctx context.Context, id int) error {
	_, err := d.db.ExecContext(ctx, "select 1 from jobs where id = $1 for update", id)
	return err
}

func New(db *sql.DB) *client.Client { return client.New(&driver{db}) }
`

// loaded writes files, loads dir below them and returns the acquisitions as
// "function file", with the result.
func loaded(t *testing.T, dir string, files map[string]string) ([]string, *Result) {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir = filepath.Join(root, dir)
	cat, _, _, err := schema.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=", "GONOSUMDB=*", "GOFLAGS=")
	res, err := Load(context.Background(), Options{Dir: dir, Patterns: []string{"./..."}, Resolver: locksummary.NewResolver(cat), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range prog.NewView(res.Program, prog.Options{Module: res.Module}).Manifest.Acquisitions {
		if !a.Implicit {
			got = append(got, a.Func+" "+a.File)
		}
	}
	return got, res
}

func TestWorkspace(t *testing.T) {
	got, res := loaded(t, ".", map[string]string{
		"go.work":            "go 1.25\nuse (\n\t./client\n\t./driver\n)\n",
		"client/go.mod":      "module example.test/client\ngo 1.25\n",
		"client/client.go":   client,
		"driver/go.mod":      "module example.test/driver\ngo 1.25\n",
		"driver/driver.go":   driver,
		"unrelated/go.mod":   "module example.test/unrelated\ngo 1.25\n",
		"unrelated/other.go": "package unrelated\n",
	})
	if want := []string{"example.test/driver.(*driver).Lock driver/driver.go"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if res.Module != "example.test" {
		t.Errorf("the workspace is called %q", res.Module)
	}
	if res.Program.Funcs["example.test/client.(*Client).Do"] == nil {
		t.Error("the other module of the workspace was not read")
	}
}

// TestWorkspaceWithoutModulesThatCannotBeHad: whichever module requires them,
// the workspace's own among them, all are read but for what those have.
func TestWorkspaceWithoutModulesThatCannotBeHad(t *testing.T) {
	got, res := loaded(t, ".", map[string]string{
		"go.work":        "go 1.25\nuse (\n\t.\n\t./driver\n\t./suite\n)\n",
		"go.mod":         "module example.test/client\ngo 1.25\nrequire example.test/away v0.1.0\n",
		"client.go":      client,
		"away/a.go":      "package away\n\nimport _ \"example.test/away\"\n",
		"driver/go.mod":  "module example.test/driver\ngo 1.25\n",
		"driver/d.go":    driver,
		"suite/go.mod":   "module example.test/suite\ngo 1.25\nrequire example.test/gone v1.2.3\n",
		"suite/suite.go": "package suite\n\nimport _ \"example.test/gone\"\n",
	})
	if want := []string{"example.test/driver.(*driver).Lock driver/d.go"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if res.Program.Funcs["example.test/client.(*Client).Do"] == nil {
		t.Error("the workspace's own module was not read")
	}
	for _, module := range []string{"example.test/away@v0.1.0", "example.test/gone@v1.2.3"} {
		if !slices.ContainsFunc(res.Unknowns, func(u lockgraph.Unknown) bool {
			return u.Kind == "package" && strings.Contains(u.Reason, module+": the module is left out")
		}) {
			t.Errorf("%s, which cannot be had, is not named: %v", module, res.Unknowns)
		}
	}
}

// TestTextOfFunctionThatAnotherModuleRuns: the lock is the program's own, at
// the text.
func TestTextOfFunctionThatAnotherModuleRuns(t *testing.T) {
	got, _ := loaded(t, "app", map[string]string{
		"lib/go.mod": "module example.test/lib\ngo 1.25\n",
		"lib/lib.go": `package lib

import (
	"context"
	"database/sql"
)

type Features struct{ AcquireLock func(name string) string }

type Provider interface{ Features() Features }

type Database struct {
	db       *sql.DB
	features Features
}

func (d *Database) Init(db *sql.DB, p Provider) { d.db, d.features = db, p.Features() }

func (d *Database) Locked(ctx context.Context, name string) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if d.features.AcquireLock != nil {
		query := d.features.AcquireLock(name)
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return tx.Commit()
}
`,
		"app/go.mod": "module example.test/app\ngo 1.25\nrequire example.test/lib v0.0.0\nreplace example.test/lib => ../lib\n",
		"app/app.go": `package app

import (
	"context"
	"database/sql"
	"fmt"

	"example.test/lib"
)

type postgres struct{}

func key(name string) int64 { return int64(len(name)) }

func (postgres) Features() lib.Features {
	f := lib.Features{}
	f.AcquireLock = func(name string) string {
		return fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", key(name))
	}
	return f
}

func Run(ctx context.Context, db *sql.DB) error {
	var d lib.Database
	d.Init(db, postgres{})
	return d.Locked(ctx, "ns")
}
`,
	})
	if want := []string{"example.test/app.(postgres).Features$1 app.go"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestPackageWithNameOfTestBinary: a path that ends as those of the go
// command's test binaries do is the program's all the same.
func TestPackageWithNameOfTestBinary(t *testing.T) {
	got, _ := loaded(t, ".", map[string]string{
		"go.mod": "module shop.test\ngo 1.25\n",
		"s.go":   strings.Replace(driver, "package driver", "package shop", 1),
	})
	if len(got) != 1 || !strings.HasSuffix(got[0], " s.go") {
		t.Errorf("got %v, want the lock of s.go", got)
	}
}
