package docgen

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
)

// A PageError says which line of a page keeps it from being written.
type PageError struct {
	Line int
	Text string
}

func (e *PageError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

func beginMarker(name string) string { return "<!-- pglockdep:begin " + name + " -->" }
func endMarker(name string) string   { return "<!-- pglockdep:end " + name + " -->" }

var (
	marker   = lazyregexp.New(`^<!-- pglockdep:(begin|end) ([a-z]+) -->$`)
	nearMark = lazyregexp.New(`(?i)<!--[^>]*pglockdep\s*:?\s*(begin|end)|pglockdep:(begin|end)[^>]*-->`)
	codeSpan = lazyregexp.New("`[^`\n]*`")
)

// A region is what lies between the markers of one section: offsets of the
// first byte after the begin line and of the first byte of the end line.
type region struct {
	name       string
	start, end int
	crlf       bool
}

// regions finds the generated parts of a page, in the order they stand.
func regions(page []byte) ([]region, error) {
	if line, bad := notUTF8(page); bad != "" {
		return nil, &PageError{line, bad}
	}
	var out []region
	open, openLine := -1, 0
	last := 1
	for n, at := 1, 0; at < len(page); n++ {
		line := page[at:]
		next := len(page)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], at+i+1
		}
		last = n
		kind, name, bad := readMarker(string(line))
		switch {
		case bad != "":
			return nil, &PageError{n, bad}
		case kind == "begin" && open >= 0:
			return nil, &PageError{n, fmt.Sprintf("section %q begins inside section %q, which begins on line %d", name, out[open].name, openLine)}
		case kind == "begin":
			if slices.ContainsFunc(out, func(r region) bool { return r.name == name }) {
				return nil, &PageError{n, fmt.Sprintf("section %q begins a second time", name)}
			}
			out = append(out, region{name: name, start: next, crlf: bytes.HasSuffix(line, []byte("\r"))})
			open, openLine = len(out)-1, n
		case kind == "end" && open < 0:
			return nil, &PageError{n, fmt.Sprintf("section %q ends but has not begun", name)}
		case kind == "end" && out[open].name != name:
			return nil, &PageError{n, fmt.Sprintf("section %q ends inside section %q, which begins on line %d", name, out[open].name, openLine)}
		case kind == "end":
			out[open].end = at
			open = -1
		}
		at = next
	}
	if open >= 0 {
		return nil, &PageError{openLine, fmt.Sprintf("section %q begins but does not end", out[open].name)}
	}
	for _, s := range sections {
		if !slices.ContainsFunc(out, func(r region) bool { return r.name == s.name }) {
			return nil, &PageError{last, fmt.Sprintf("the page ends without the markers of section %q: %s and %s", s.name, beginMarker(s.name), endMarker(s.name))}
		}
	}
	return out, nil
}

// notUTF8 finds the first line of a page that is not UTF-8, where there is one.
func notUTF8(page []byte) (line int, what string) {
	if bytes.HasPrefix(page, []byte("\xff\xfe")) || bytes.HasPrefix(page, []byte("\xfe\xff")) {
		return 1, "the page is UTF-16, want UTF-8"
	}
	line = 1
	for l := range bytes.Lines(page) {
		if utf8.Valid(l) {
			line++
			continue
		}
		at := 0
		for at < len(l) {
			r, n := utf8.DecodeRune(l[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		return line, fmt.Sprintf("byte %#02x is not UTF-8", l[at])
	}
	return 0, ""
}

// readMarker reads one line. A line that was meant as a marker and is none
// is bad; mentions of markers in code spans are prose.
func readMarker(line string) (kind, name, bad string) {
	text := strings.TrimSpace(line)
	if m := marker.FindStringSubmatch(text); m != nil {
		if !slices.ContainsFunc(sections, func(s sectionSpec) bool { return s.name == m[2] }) {
			return "", "", fmt.Sprintf("no section is named %q", m[2])
		}
		return m[1], m[2], ""
	}
	if nearMark.MatchString(codeSpan.ReplaceAllString(text, "")) {
		return "", "", fmt.Sprintf("damaged marker %q: want %q or %q alone on its line", text, beginMarker("NAME"), endMarker("NAME"))
	}
	return "", "", ""
}

// splice replaces the regions of a page and keeps all other bytes.
func splice(page []byte, parts []Section) ([]byte, error) {
	found, err := regions(page)
	if err != nil {
		return nil, err
	}
	var w bytes.Buffer
	at := 0
	for _, r := range found {
		i := slices.IndexFunc(parts, func(s Section) bool { return s.Name == r.name })
		body := "\n" + parts[i].Body + "\n"
		if r.crlf {
			body = strings.ReplaceAll(body, "\n", "\r\n")
		}
		w.Write(page[at:r.start])
		w.WriteString(body)
		at = r.end
	}
	w.Write(page[at:])
	return w.Bytes(), nil
}
