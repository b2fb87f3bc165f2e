package pgsql

import (
	"slices"
	"strings"
)

// defining leaves out of the pieces of a text those that define nothing, past
// the first most of them.
func defining(text string, pieces []piece, most int) []piece {
	return slices.DeleteFunc(pieces, func(p piece) bool {
		if !definesNothing(text[p.start:p.end]) {
			return false
		}
		most--
		return most < 0
	})
}

// definesNothing reports a statement whose first words say that it defines
// nothing: one that changes rows, fills or comments a table, or sets a
// sequence. A query does not say so: it may set the search path, make a table or
// call what does.
func definesNothing(stmt string) bool {
	switch word, rest := firstWord(stmt); word {
	case "insert", "update", "delete", "copy", "comment":
		return true
	case "select":
		word, rest = firstWord(rest)
		if word == "pg_catalog" {
			word, _ = firstWord(strings.TrimPrefix(rest, "."))
		}
		return word == "setval" && !strings.Contains(strings.ToLower(stmt), "set_config")
	}
	return false
}

// firstWord returns the first word of a text, in lower case, "" when it begins
// with something else, and what follows the word.
func firstWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t\r\n")
	end := strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	if end < 0 {
		end = len(text)
	}
	return strings.ToLower(text[:end]), text[end:]
}
