package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/pglockdep/pglockdep/internal/fix"
	"github.com/pglockdep/pglockdep/internal/report"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// applyFixes makes the edits that findings suggest and returns the findings that
// have none. A file is written once all its edits are made.
func (c *invocation) applyFixes(a *analysis, findings []lockgraph.Finding) ([]lockgraph.Finding, error) {
	edits := map[string][]edit{}
	var rest []lockgraph.Finding
	for _, f := range findings {
		name := filepath.Join(a.root, filepath.FromSlash(f.File))
		if e, ok := editOf(name, f, a.catalog); ok && apart(edits[name], e) {
			edits[name] = append(edits[name], e)
		} else {
			rest = append(rest, f)
		}
	}
	for name, list := range edits {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("mending: %w", err)
		}
		if err := writeFile(name, edited(text, list)); err != nil {
			return nil, fmt.Errorf("mending %s: %w", c.shown(name), err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		for _, e := range edits[name] {
			fmt.Fprintf(c.stderr, "%s:%d: mended %s: %s\n", c.shown(name), e.line, e.kind, e.message)
		}
	}
	return rest, nil
}

// An edit replaces bytes of a file to mend a finding.
type edit struct {
	start, end    int
	text          string
	line          int
	kind, message string
}

// editOf returns the edit that mends a finding in a Go file.
func editOf(name string, f lockgraph.Finding, cat *schema.Catalog) (edit, bool) {
	if !strings.HasSuffix(name, ".go") {
		return edit{}, false
	}
	fset := token.NewFileSet()
	own, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	if err != nil {
		return edit{}, false
	}
	files := []*ast.File{own}
	others, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*.go"))
	if err != nil {
		return edit{}, false
	}
	for _, other := range others {
		if other == name {
			continue
		}
		file, err := parser.ParseFile(fset, other, nil, parser.ParseComments)
		if err != nil {
			return edit{}, false
		}
		if file.Name.Name == own.Name.Name {
			files = append(files, file)
		}
	}
	x := fix.Source{Fset: fset, Files: files, Schema: func() *schema.Catalog { return cat }}.Of(own, f)
	if x == nil {
		return edit{}, false
	}
	at := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	return edit{at(x.Pos), at(x.End), x.New, f.Line, f.Kind, x.Message}, true
}

// suggested returns the edit that mends a finding as reports tell it, nil when
// there is none.
func (a *analysis) suggested(f lockgraph.Finding) *report.Edit {
	name := filepath.Join(a.root, filepath.FromSlash(f.File))
	e, ok := editOf(name, f, a.catalog)
	if !ok {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil || e.end > len(text) {
		return nil
	}
	out := &report.Edit{Message: e.message, New: e.text}
	out.Line, out.Column = placeIn(text[:e.start])
	out.EndLine, out.EndColumn = placeIn(text[:e.end])
	return out
}

// placeIn returns the line and the column, as UTF-16 counts, behind a text.
func placeIn(before []byte) (line, column int) {
	at := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, len(utf16.Encode([]rune(string(before[at:])))) + 1
}

// apart reports whether an edit overlaps none of the others but its like.
func apart(others []edit, e edit) bool {
	return !slices.ContainsFunc(others, func(o edit) bool {
		same := o.start == e.start && o.end == e.end && o.text == e.text
		return !same && o.start < e.end && e.start < o.end
	})
}

// edited returns text with the edits made, equal ones once.
func edited(text []byte, edits []edit) []byte {
	list := slices.Clone(edits)
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	at := 0
	for _, e := range list {
		if e.start < at {
			continue // the like of the one before
		}
		out = append(append(out, text[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, text[at:]...)
}
