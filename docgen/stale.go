package docgen

import (
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var (
	identifier = lazyregexp.New(`^\(?\*?[A-Za-z_][A-Za-z0-9_]*\)?(\.\(?\*?[A-Za-z_][A-Za-z0-9_]*\)?)*(\(\))?$`)
	distinct   = lazyregexp.New(`[a-z0-9][A-Z]|_|\.`)
	fileName   = lazyregexp.New(`\.(go|sql|md|ya?ml|json|toml|mod|sum|sh|txt|html|svg)$`)
)

// A Vocabulary knows the names of a program and its schema.
type Vocabulary interface {
	Known(name string) bool
	// Nearest is the name that was probably meant, "" when none is near.
	Nearest(name string) string
}

// StaleNames finds names in the team's own text of a page that are not
// known: code spans outside the markers, front matter and code blocks that
// look like the name of a function, type, query, relation or column.
func StaleNames(file string, page []byte, names Vocabulary) []lockgraph.Finding {
	var out []lockgraph.Finding
	reported := map[string]bool{}
	for _, l := range proseLines(page) {
		for _, span := range codeSpan.FindAllString(l.text, -1) {
			name := strings.Trim(span, "`")
			plain := strings.TrimSuffix(name, "()")
			if !checkable(name) || reported[plain] {
				continue
			}
			if names.Known(name) || names.Known(plain) {
				continue
			}
			reported[plain] = true
			why := "(renamed or removed)"
			if near := names.Nearest(plain); near != "" {
				why = "(renamed or removed; nearest: " + strconv.Quote(near) + ")"
			}
			out = append(out, lockgraph.Finding{
				Check: "lockdrift", Kind: "stale-name", Severity: lockgraph.SeverityWarning,
				File: file, Line: l.number,
				Message:     "page names " + strconv.Quote(plain) + ", which is in neither code, queries nor schema " + why,
				Hint:        "write the new name, or take the name out of backticks",
				Fingerprint: "stale-name/" + file + "/" + plain,
			})
		}
	}
	return out
}

// checkable reports whether a code span is surely meant as a name: words
// that could be prose, SQL keywords, settings and file names are not.
func checkable(name string) bool {
	plain := strings.TrimSuffix(name, "()")
	return identifier.MatchString(name) && distinct.MatchString(plain) && !fileName.MatchString(plain) &&
		!strings.HasPrefix(plain, "pg_") && !strings.HasSuffix(plain, "_timeout") && !strings.HasPrefix(plain, "pglockdep")
}

type proseLine struct {
	number int
	text   string
}

// proseLines are the lines a person wrote as prose. Damaged markers hide
// nothing: what is not surely generated is read.
func proseLines(page []byte) []proseLine {
	var out []proseLine
	lines := strings.Split(string(page), "\n")
	inside, fence, front := "", "", false
	for i, l := range lines {
		text := strings.TrimRight(l, "\r")
		trimmed := strings.TrimSpace(text)
		kind, name, _ := readMarker(text)
		switch {
		case i == 0 && trimmed == "---":
			front = true
		case front:
			front = trimmed != "---"
		case kind == "begin" && inside == "":
			inside, fence = name, ""
		case kind == "end" && inside == name:
			inside = ""
		case inside != "":
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		default:
			out = append(out, proseLine{i + 1, text})
		}
	}
	return out
}
