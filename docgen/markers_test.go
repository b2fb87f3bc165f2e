package docgen

import (
	"errors"
	"strings"
	"testing"
)

func TestRenderKeepsTheTeamsText(t *testing.T) {
	m := bank(t)
	fresh, err := Render(nil, m, Options{Title: `Locks "here"`})
	if err != nil {
		t.Fatal(err)
	}
	if want := `title: "Locks \"here\""`; !strings.Contains(string(fresh), want) {
		t.Errorf("front matter lacks %s", want)
	}
	const before, between = "\ufeff# Ours \t\r\n\r\nno newline kept  \n", "\n   our sentence between, with `<!-- pglockdep:begin NAME -->` in code\n\t\n"
	page := before
	for i := len(sections) - 1; i >= 0; i-- {
		s := sections[i]
		page += between + beginMarker(s.name) + "\nold text\n" + endMarker(s.name) + "\n"
	}
	page = strings.TrimSuffix(page, "\n") // the last marker ends the file
	got, err := Render([]byte(page), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(got), "old text") || strings.Count(string(got), between) != len(sections) || !strings.HasPrefix(string(got), before) ||
		!strings.HasSuffix(string(got), endMarker("locks")) {
		t.Errorf("the team's text was touched:\n%s", got)
	}
}

func TestRenderKeepsLineEndings(t *testing.T) {
	fresh, _ := Render(nil, bank(t), Options{})
	page := strings.ReplaceAll(string(fresh), "\n", "\r\n")
	got, err := Render([]byte(page), bank(t), Options{})
	if err != nil || string(got) != page {
		t.Errorf("a page with CRLF changed: %v\n%s", err, UnifiedDiff([]byte(page), got, "crlf", "got"))
	}
}

func TestMarkerErrors(t *testing.T) {
	fresh, err := Render(nil, bank(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := string(fresh)
	line := func(text, part string) int { return strings.Count(text[:strings.Index(text, part)], "\n") + 1 }
	for _, c := range []struct{ name, old, new, at, want string }{
		{"missing end", endMarker("keys"), "", beginMarker("keys") + "\n", `section "paths" begins inside section "keys"`},
		{"missing begin", beginMarker("keys"), "", endMarker("keys"), `section "keys" ends but has not begun`},
		{"missing last end", endMarker("unknowns"), "", beginMarker("unknowns"), `section "unknowns" begins but does not end`},
		{"doubled", beginMarker("keys"), beginMarker("locks"), beginMarker("keys"), `section "locks" begins a second time`},
		{"crossed", endMarker("keys"), endMarker("paths"), endMarker("keys"), `section "paths" ends inside section "keys"`},
		{"unknown name", beginMarker("keys"), "<!-- pglockdep:begin kees -->", beginMarker("keys"), `no section is named "kees"`},
		{"typing error", beginMarker("keys"), "<!-- pglockdep begin keys -->", beginMarker("keys"), "damaged marker"},
		{"no space", endMarker("keys"), "<!--pglockdep:end keys-->", endMarker("keys"), "damaged marker"},
		{"not alone", endMarker("keys"), "text " + endMarker("keys"), endMarker("keys"), "damaged marker"},
	} {
		bad := strings.Replace(page, c.old, c.new, 1)
		got, err := Render([]byte(bad), bank(t), Options{})
		var e *PageError
		if !errors.As(err, &e) || got != nil {
			t.Errorf("%s: error %v, page of %d bytes", c.name, err, len(got))
			continue
		}
		want := line(page, c.at)
		if c.name == "missing end" {
			want = line(page, beginMarker("paths"))
		}
		if e.Line != want || !strings.Contains(e.Text, c.want) {
			t.Errorf("%s: %v, want line %d: … %s", c.name, e, want, c.want)
		}
	}
	cut := page[:strings.Index(page, "## The graph")]
	_, err = Render([]byte(cut), bank(t), Options{})
	if err == nil || !strings.Contains(err.Error(), `without the markers of section "graph"`) {
		t.Errorf("a page without a section: %v", err)
	}
}
