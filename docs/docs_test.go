// Package docs holds no code: its tests keep the pages true. What can be
// generated is compared with its source, go test ./docs -update writes it.
package docs

import (
	"bytes"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/glossary"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var update = flag.Bool("update", false, "write the generated pages")

// compare compares a generated file, or writes it.
func compare(t *testing.T, name string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	if *update {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("docs/%s is stale; make generate writes it\n%s", name, cmp.Diff(string(got), string(want)))
}

func TestGlossary(t *testing.T) { compare(t, "glossary.md", []byte(glossary.Markdown())) }

func TestConfigurationPage(t *testing.T) { compare(t, "configuration.md", []byte(config.Markdown())) }

func TestConfigurationSchema(t *testing.T) { compare(t, "pglockdep.schema.json", config.JSONSchema) }

// TestRooms keeps the picture of the rooms equal to the arrows that the
// layering test enforces.
func TestRooms(t *testing.T) {
	text, err := os.ReadFile("../internal/arrows/arrows.txt")
	if err != nil {
		t.Fatal(err)
	}
	order, err := lockgraph.ParseOrder(string(text))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- rooms, from internal/arrows/arrows.txt -->\n", "<!-- end of rooms -->\n"
	head, rest, ok := bytes.Cut(page, []byte(begin))
	_, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		t.Fatal("architecture.md has lost the comments around the picture")
	}
	compare(t, "architecture.md", slices.Concat(head, []byte(begin+"\n"+rooms(order)+"\n"+end), tail))
}

// rooms draws the packages that are there; modules of others, written in
// capitals, and the tests' own helpers are left out.
func rooms(order *lockgraph.Order) string {
	shown := func(name string) bool {
		_, err := os.Stat(filepath.Join("..", filepath.FromSlash(strings.TrimSuffix(name, "/*"))))
		return err == nil && !lockgraph.Pseudo(name) && !strings.HasPrefix(name, "internal/pgtest")
	}
	id := func(name string) string {
		return regexp.MustCompile(`[^a-z]+`).ReplaceAllString(name, "_")
	}
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart TD\n")
	names := order.Names()
	sort.Strings(names)
	for _, n := range names {
		if shown(n) {
			fmt.Fprintf(&b, "  %s[%q]\n", id(n), n)
		}
	}
	for _, p := range order.Pairs() {
		if shown(p.A) && shown(p.B) && !implied(order, p) {
			fmt.Fprintf(&b, "  %s --> %s\n", id(p.A), id(p.B))
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// implied reports whether a way over another room says the same.
func implied(order *lockgraph.Order, p lockgraph.OrderPair) bool {
	return slices.ContainsFunc(order.Names(), func(n string) bool {
		return !lockgraph.Pseudo(n) && n != p.A && n != p.B && order.Less(p.A, n) && order.Less(n, p.B)
	})
}

var requirement = regexp.MustCompile(`(?m)^(?:require)?\s+([a-z0-9.]+\.[a-z]+/\S+) v\S+`)

// TestDependencies compares the page with what the module imports from the
// modules that go.mod requires.
func TestDependencies(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var required []string
	for _, m := range requirement.FindAllStringSubmatch(string(mod), -1) {
		required = append(required, m[1])
	}
	direct := map[string]bool{}
	for imp := range imports(t) {
		for _, m := range required {
			if imp == m || strings.HasPrefix(imp, m+"/") {
				direct[m] = true
			}
		}
	}
	page, err := os.ReadFile("design/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		told[m[1]] = true
	}
	if len(direct) == 0 {
		t.Fatal("no module of go.mod is imported, which cannot be")
	}
	if diff := cmp.Diff(direct, told); diff != "" {
		t.Errorf("docs/design/dependencies.md has other modules than the code imports (-imported +told):\n%s", diff)
	}
}

// imports returns what the Go files of the module import, tests included;
// folders with a go.mod are modules of their own.
func imports(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.' {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			if imp, err := strconv.Unquote(spec.Path.Value); err == nil {
				out[imp] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`") // what looks like a link there is none
)

// TestLinks follows every link within the repository.
func TestLinks(t *testing.T) {
	pages := []string{"../README.md", "../CHANGELOG.md"}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".md") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = path.Join(path.Dir(page), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if anchor != "" && !slices.Contains(anchors(t, file), anchor) {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}
}

var (
	heading = regexp.MustCompile("(?m)^#+ (.*)$")
	dropped = regexp.MustCompile(`[^a-z0-9 -]`)
)

// anchors returns the fragments of a page's headings as code hosts make them.
func anchors(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		s := dropped.ReplaceAllString(strings.ToLower(m[1]), "")
		out = append(out, strings.ReplaceAll(s, " ", "-"))
	}
	return out
}

// TestDecisions keeps the pages of decisions in one form and numbered without
// gaps.
func TestDecisions(t *testing.T) {
	pages, err := filepath.Glob("design/[0-9]*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no decisions: %v", err)
	}
	for i, page := range pages {
		if want := fmt.Sprintf("%04d-", i+1); !strings.HasPrefix(filepath.Base(page), want) {
			t.Errorf("%s: the next number is %s", page, want)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, part := range []string{"# ", "\n**Context.** ", "\n**Choice.** ", "\n**Rejected.** ", "\n**Consequence.** "} {
			n := bytes.Index(text[at:], []byte(part))
			if n < 0 {
				t.Errorf("%s: %q is missing or out of order", page, strings.TrimSpace(part))
				break
			}
			at += n
		}
	}
}

// TestReadmeShowsRealOutput compares the sample of the README with what the
// command's test compares with.
func TestReadmeShowsRealOutput(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	output, err := os.ReadFile("../cmd/pglockdep/testdata/bank/expect/check.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(readme, append([]byte("$ pglockdep check\n"), output...)) {
		t.Errorf("the output in README.md is not what the bank gives:\n%s", output)
	}
}

// TestReadmeListsCommands keeps the table of commands whole.
func TestReadmeListsCommands(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../cmd/pglockdep/*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\tname: "([a-z]+)"`).FindAllSubmatch(src, -1) {
			if n++; string(m[1]) != "version" && !bytes.Contains(readme, []byte("\n| `"+string(m[1])+"` |")) {
				t.Errorf("README.md does not list %s", m[1])
			}
		}
	}
	if n < 5 {
		t.Errorf("found %d commands in the source", n)
	}
}

// TestConfigurationExample reads the example as the command would.
func TestConfigurationExample(t *testing.T) {
	page, err := os.ReadFile("getting-started.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	text, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("getting-started.md has no example in YAML")
	}
	cfg, err := config.Parse("example.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(cfg.Waivers) != 1 || len(cfg.Schema) != 1 {
		t.Errorf("the example is read as %+v", cfg)
	}
}
