package viewer

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/pglockdep/pglockdep/docgen"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// mermaid matches the lines that a picture may have: nodes with a quoted
// label in which nothing ends it, and arrows between nodes.
var mermaid = regexp.MustCompile(`^(flowchart TD|  \w+(\["[^"<>\\` + "`" + `]*"\]|\{\{"[^"<>\\` + "`" + `]*"\}\}|\[\("[^"<>\\` + "`" + `]*"\)\]|\(\["[^"<>\\` + "`" + `]*"\]\))|  \w+ (-->|==>|-\.->) \w+)$`)

var (
	inCode  = regexp.MustCompile(`(?s)<code[^>]*>.*?</code>`)
	tag     = regexp.MustCompile(`<[^>]*>`)
	picture = regexp.MustCompile("(?s)```mermaid\n(.*?)\n```")
)

// TestMarkdown renders generated pages as GitHub does: each row of a table is
// one, with as many cells as its head, no mark is left over, and what is
// folded closes again.
func TestMarkdown(t *testing.T) {
	pages := map[string][]byte{}
	for _, pattern := range []string{"../memberconsole/docs/*.md", "../../docs/examples/*.md", "../../docgen/testdata/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			pages[name] = text
		}
	}
	pages["many"] = many(t)
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	for name, page := range pages {
		if rest, ok := bytes.CutPrefix(page, []byte("---\n")); ok { // front matter is not Markdown
			_, page, _ = bytes.Cut(rest, []byte("\n---\n"))
		}
		var out strings.Builder
		if err := md.Convert(page, &out); err != nil {
			t.Fatal(err)
		}
		rows := 0
		for l := range strings.Lines(string(page)) {
			if strings.HasPrefix(l, "| ") {
				rows++
			}
		}
		if got := strings.Count(out.String(), "<tr>"); got != rows {
			t.Errorf("%s: %d rows are shown, want %d", name, got, rows)
		}
		for _, table := range strings.Split(out.String(), "<table>")[1:] {
			table, _, _ = strings.Cut(table, "</table>")
			head := strings.Count(table, "<th>")
			if head == 0 || strings.Count(table, "<td>") != head*(strings.Count(table, "<tr>")-1) {
				t.Errorf("%s: a table whose rows have other cells than its head: %.200s", name, table)
			}
		}
		if n, m := strings.Count(out.String(), "<details>"), strings.Count(out.String(), "</details>"); n != m {
			t.Errorf("%s: %d times folded, %d times closed", name, n, m)
		}
		text := tag.ReplaceAllString(inCode.ReplaceAllString(out.String(), ""), "")
		for _, mark := range []string{"`", "**", "|", "\n- ", "\n#"} {
			if i := strings.Index(text, mark); i >= 0 {
				t.Errorf("%s: %q is left over in …%s…", name, mark, text[max(0, i-60):min(len(text), i+60)])
			}
		}
		for _, m := range picture.FindAllSubmatch(page, -1) {
			for l := range strings.Lines(string(m[1])) {
				if l = strings.TrimRight(l, "\n"); !mermaid.MatchString(l) {
					t.Errorf("%s: a line of the picture is none: %s", name, l)
				}
			}
		}
	}
}

// many is the page of a program with so many locks that parts are folded.
func many(t *testing.T) []byte {
	m := &lockgraph.Manifest{Version: 1, Module: "example.test/many"}
	for i := range 300 {
		id := "row t" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("|", i%2) + strings.Repeat("y", i/26)
		m.Classes = append(m.Classes, lockgraph.Class{ID: id, Family: lockgraph.Row, Name: id[4:], Relation: id[4:]})
		m.Acquisitions = append(m.Acquisitions, lockgraph.Acquisition{ID: id, Class: id, Func: "example.test/many.F", Mode: lockgraph.ForUpdate, Scope: lockgraph.Transaction, Wait: lockgraph.Wait})
		m.Paths = append(m.Paths, lockgraph.Path{Entry: "example.test/many.F" + id[4:6] + strings.Repeat("z", i), Steps: []lockgraph.Step{{Do: "tx", Steps: []lockgraph.Step{{Do: "lock", Class: id, Mode: lockgraph.ForUpdate}}}}})
		m.Unknowns = append(m.Unknowns, lockgraph.Unknown{Func: "example.test/many.F", Kind: "text", Reason: "reason " + strings.ReplaceAll(id, "|", "")})
	}
	page, err := docgen.Render(nil, m, docgen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return page
}
