package docgen

import (
	"bytes"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// Options are the choices a caller has about the page.
type Options struct {
	Title    string // of a new page; "Database locks" when empty
	MaxNodes int    // nodes in the picture; 30 when zero
}

// A Section is one generated part of the page. Name stands in its markers,
// Title is the heading a new page gives it, Body is what lies between the
// markers: Markdown that ends in a newline.
type Section struct {
	Name  string
	Title string
	Body  string
}

type sectionSpec struct {
	name, title string
	write       func(*book) string
}

var sections = []sectionSpec{
	{"locks", "The locks", (*book).locks},
	{"keys", "How advisory keys are built", (*book).keys},
	{"paths", "The order each path takes locks", (*book).paths},
	{"graph", "The graph", (*book).graph},
	{"rules", "Rules every path keeps", (*book).rules},
	{"differences", "Where the paths differ", (*book).differences},
	{"unknowns", "What the analysis could not see", (*book).unknowns},
}

// Page writes the sections of the page in reading order.
func Page(m *lockgraph.Manifest, opts Options) []Section {
	b := newBook(m, opts)
	out := make([]Section, 0, len(sections))
	for _, s := range sections {
		out = append(out, Section{s.name, s.title, s.write(b)})
	}
	return out
}

// Render puts the sections of m into an existing page and returns the whole
// page. An empty page is created whole, with front matter. Markers that are
// damaged, doubled, nested or absent, and text that is not UTF-8, give a
// *PageError and no page.
func Render(existing []byte, m *lockgraph.Manifest, opts Options) ([]byte, error) {
	parts := Page(m, opts)
	if len(existing) == 0 {
		return create(m, parts, opts), nil
	}
	return splice(existing, parts)
}

func create(m *lockgraph.Manifest, parts []Section, opts Options) []byte {
	title := opts.Title
	if title == "" {
		title = "Database locks"
	}
	var w bytes.Buffer
	w.WriteString("---\ntitle: " + yamlString(title) + "\naudience: [developer]\nsummary: " +
		yamlString("Which locks "+m.Module+" takes in PostgreSQL, how each key is built, and the order in which each path takes them.") +
		"\n---\n\n# " + title + "\n\n")
	w.WriteString(wrap("Between the comments named pglockdep this page is generated from the code and"+
		" the schema; `pglockdep docs` brings it up to date and `pglockdep docs -check` tells"+
		" whether it is. Everything else is written by hand and kept as it is.", "", ""))
	for _, s := range parts {
		w.WriteString("\n## " + s.Title + "\n\n" + beginMarker(s.Name) + "\n\n" + s.Body + "\n" + endMarker(s.Name) + "\n")
	}
	return w.Bytes()
}

// yamlString quotes s as a YAML double-quoted scalar.
func yamlString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
