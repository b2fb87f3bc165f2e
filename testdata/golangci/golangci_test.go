// Package golangci_test runs golangci-lint with the plugin linked in, built from
// its own main package as golangci-lint custom does.
package golangci_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	linterModule = "github.com/golangci/golangci-lint/v2"
	plugin       = "package main\n\nimport _ \"github.com/pglockdep/pglockdep/golangci\"\n"
)

var built string // the folder of what TestMain's tests build

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "golangci")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	built = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// linter builds golangci-lint: a copy of its source in which plugins.go
// imports the plugin stands in the place of its module.
var linter = sync.OnceValues(func() (string, error) {
	src, err := goCommand("list", "-m", "-f", "{{.Dir}}", linterModule)
	if err != nil {
		return "", err
	}
	copied, mod := filepath.Join(built, "src"), filepath.Join(built, "go.mod")
	if err := os.CopyFS(copied, os.DirFS(strings.TrimSpace(src))); err != nil {
		return "", err
	}
	place := filepath.Join(copied, "cmd", "golangci-lint", "plugins.go")
	if err := os.Remove(place); err != nil {
		return "", err
	}
	if err := os.WriteFile(place, []byte(plugin), 0o666); err != nil {
		return "", err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(built, name), data, 0o666); err != nil {
			return "", err
		}
	}
	if _, err := goCommand("mod", "edit", "-replace", linterModule+"="+copied, mod); err != nil {
		return "", err
	}
	exe := filepath.Join(built, "golangci-lint")
	_, err = goCommand("build", "-modfile", mod, "-o", exe, linterModule+"/cmd/golangci-lint")
	return exe, err
})

// goCommand runs the go command in this module and returns what it prints.
func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return string(out), err
}

// settings is .golangci.yml with the plugin alone; %s are its settings.
const settings = `version: "2"
linters:
  default: none
  enable: [pglockdep]
  settings:
    custom:
      pglockdep:
        type: module
        settings: {%s}
  exclusions:
    generated: disable
issues:
  max-issues-per-linter: 0
  max-same-issues: 0
  uniq-by-line: false
`

// A project is a module on which golangci-lint runs, with its cache.
type project struct {
	t          *testing.T
	dir, cache string
}

func newProject(t *testing.T, dir string) *project {
	p := &project{t: t, dir: t.TempDir(), cache: t.TempDir()}
	if err := os.CopyFS(p.dir, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	p.write(".golangci.yml", fmt.Sprintf(settings, ""))
	return p
}

func (p *project) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// replace puts one text in the place of another, which stands once in the file.
func (p *project) replace(name, old, text string) {
	p.t.Helper()
	before := p.read(name)
	if n := strings.Count(before, old); n != 1 {
		p.t.Fatalf("%s has %d times %q, want once", name, n, old)
	}
	p.write(name, strings.Replace(before, old, text, 1))
}

// run runs a program in the project and returns what it prints and its exit
// code.
func (p *project) run(name string, args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, &out, &errs
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly", "GOLANGCI_LINT_CACHE="+p.cache)
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return out.String(), errs.String(), exit.ExitCode()
	} else if err != nil {
		p.t.Fatal(err)
	}
	return out.String(), errs.String(), 0
}

// linter runs golangci-lint.
func (p *project) linter(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	exe, err := linter()
	if err != nil {
		p.t.Fatal(err)
	}
	return p.run(exe, append([]string{"run"}, args...)...)
}

// issues returns what golangci-lint reports: "FILE:LINE: CHECK: MESSAGE".
func (p *project) issues() []string {
	p.t.Helper()
	stdout, stderr, code := p.linter("--output.json.path=stdout", "--output.text.path=stderr", "--show-stats=false")
	if code > 1 {
		p.t.Fatalf("golangci-lint: exit code %d\n%s", code, stderr)
	}
	var told struct {
		Issues []struct {
			Text string
			Pos  struct {
				Filename string
				Line     int
			}
		}
	}
	if err := json.NewDecoder(strings.NewReader(stdout)).Decode(&told); err != nil {
		p.t.Fatalf("%v in %s\n%s", err, stdout, stderr)
	}
	var out []string
	for _, x := range told.Issues {
		out = append(out, fmt.Sprintf("%s:%d: %s", filepath.ToSlash(x.Pos.Filename), x.Pos.Line, x.Text))
	}
	slices.Sort(out)
	return out
}

// vet returns what go vet reports with the tool, in the same form.
func (p *project) vet(tool string) []string {
	p.t.Helper()
	stdout, stderr, code := p.run("go", "vet", "-json", "-vettool="+tool, "./...")
	if code != 0 {
		p.t.Fatalf("go vet: %s", stderr)
	}
	root, err := filepath.EvalSymlinks(p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for d := json.NewDecoder(strings.NewReader(stdout)); ; {
		var units map[string]map[string][]struct{ Posn, Message string }
		if err := d.Decode(&units); err == io.EOF {
			slices.Sort(out)
			return out
		} else if err != nil {
			p.t.Fatal(err)
		}
		for _, checks := range units {
			for check, list := range checks {
				for _, x := range list {
					file, line, _ := strings.Cut(x.Posn, ".go:")
					line, _, _ = strings.Cut(line, ":")
					rel, err := filepath.Rel(root, file+".go")
					if err != nil {
						p.t.Fatal(err)
					}
					out = append(out, fmt.Sprintf("%s:%s: %s: %s", filepath.ToSlash(rel), line, check, x.Message))
				}
			}
		}
	}
}

// only lists what is in a and not in b.
func only(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

func (p *project) same(what string, got, want []string) {
	p.t.Helper()
	if less, more := only(want, got), only(got, want); len(less)+len(more) > 0 || len(want) == 0 {
		p.t.Errorf("%s: golangci-lint reports other things than go vet\nnot:\n%s\nbut:\n%s", what, strings.Join(less, "\n"), strings.Join(more, "\n"))
	}
}

// TestSample wants the findings of go vet on the sample, and after an edit,
// with everything else out of the cache.
func TestSample(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses a program with everything it imports")
	}
	tool := filepath.Join(t.TempDir(), "pglockdep")
	if out, err := exec.Command("go", "-C", "../..", "build", "-o", tool, "./cmd/pglockdep").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := newProject(t, "../memberconsole")
	whole := p.issues()
	p.same("the sample", whole, p.vet(tool))

	p.replace("internal/domains/registry.go", "pg_advisory_xact_lock", "pg_advisory_lock")
	broken := p.issues()
	p.same("a session lock in a transaction", broken, p.vet(tool))
	if more := only(broken, whole); !slices.ContainsFunc(more, func(s string) bool { return strings.HasPrefix(s, "internal/domains/registry.go:") }) {
		t.Errorf("the edit is not reported, only %q", more)
	}
}

// unseen are findings that one package and what it imports do not show, by
// what they say, with the reason.
var unseen = map[string]string{
	"though no key of it changes":                 "who writes references to the row is known of the whole program only",
	"on which nothing in sight has begun":         "whether callers begin the transaction is known of the whole program only",
	"of \"mz_links\" in no fixed order":           "the driver lets nobody read the file that is embedded",
	"5004 is still held when its connection goes": "the function that is called meanwhile could release the lock",
}

// TestExpected wants golangci-lint to report, on the programs that every driver
// is tested with, what their comments expect, but for unseen, and nothing else.
func TestExpected(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses the database libraries")
	}
	p := newProject(t, "../drivers")
	want := wants(t, p.dir)
	for _, issue := range p.issues() {
		place, message, _ := strings.Cut(issue, ": ")
		_, message, _ = strings.Cut(message, ": ")
		i := slices.IndexFunc(want[place], func(re *regexp.Regexp) bool { return re.MatchString(message) })
		if i < 0 {
			t.Errorf("not expected: %s", issue)
			continue
		}
		want[place] = slices.Delete(want[place], i, i+1)
	}
	met := map[string]bool{}
	for place, left := range want {
		for _, re := range left {
			known := false
			for says := range unseen {
				if strings.Contains(re.String(), says) {
					known, met[says] = true, true
				}
			}
			if !known {
				t.Errorf("not reported: %s: %s", place, re)
			}
		}
	}
	for says := range unseen {
		if !met[says] {
			t.Errorf("is reported, or expected no more: %s", says)
		}
	}
}

var wanted = regexp.MustCompile("[a-z-]+ (\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)")

// wants returns what the comments of the programs below dir expect, by place.
func wants(t *testing.T, dir string) map[string][]*regexp.Regexp {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]*regexp.Regexp{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			_, comment, ok := strings.Cut(line, "// want ")
			if !ok {
				continue
			}
			rel, err := filepath.Rel(dir, file)
			if err != nil {
				t.Fatal(err)
			}
			place := fmt.Sprintf("%s:%d", filepath.ToSlash(rel), i+1)
			for _, m := range wanted.FindAllStringSubmatch(comment, -1) {
				text, err := strconv.Unquote(m[1])
				if err != nil {
					t.Fatalf("%s: %v", place, err)
				}
				out[place] = append(out[place], regexp.MustCompile(text))
			}
		}
	}
	return out
}

// shop is a module whose findings hang on its schema.
const shop = `package shop

import (
	"context"
	"database/sql"
)

func Zero(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('zero', 0))")
	return err
}
`

func newShop(t *testing.T) *project {
	p := newProject(t, t.TempDir())
	p.write("go.mod", "module example.test/shop\n\ngo 1.26\n")
	p.write("shop.go", shop)
	return p
}

// TestCache wants schema and configuration to count, though golangci-lint
// keeps results by Go source.
func TestCache(t *testing.T) {
	p := newShop(t)
	reported := func(what string, want bool) {
		t.Helper()
		got := p.issues()
		if found := slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "shop.go:9: lockscope: ") }); found != want {
			t.Errorf("%s: reported is %v, want %v: %q", what, found, want, got)
		}
	}
	reported("at first", true)
	reported("out of the cache", true)
	p.write("pglockdep.yaml", "waivers:\n  - kind: xact-lock-outside-tx\n    reason: a test\n")
	reported("with a waiver", false)
	p.write("pglockdep.yaml", "implicit: relevant\n")
	reported("without the waiver", true)
}

func TestSettingsAreStrict(t *testing.T) {
	p := newShop(t)
	p.write("bad.yaml", "waivres: []\n")
	for set, want := range map[string]string{
		"shema: [a.sql]":       `unknown field "shema"`,
		"notes: some":          "cannot unmarshal string",
		"config: bad.yaml":     `bad.yaml:1:1: unknown key "waivres" (nearest: "waivers")`,
		"schema: [none/*.sql]": "no schema file is named none/*.sql",
	} {
		p.write(".golangci.yml", fmt.Sprintf(settings, set))
		if _, stderr, code := p.linter(); code < 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s", set, code, stderr)
		}
	}
}

// TestFix wants --fix to make the edits that the analyzers suggest.
func TestFix(t *testing.T) {
	p := newProject(t, "../../internal/fix/testdata/src/shop")
	p.write("go.mod", "module example.test/shop\n\ngo 1.26\n")
	if _, stderr, code := p.linter("--fix"); code > 1 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if got, want := p.read("shop.go"), p.read("shop.go.golden"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for _, s := range p.issues() {
		if strings.Contains(s, "lockmany: ") && strings.Contains(s, "entries") {
			t.Errorf("still there after its fix: %s", s)
		}
	}
}
