package schema

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
)

// A QueryComment is a comment line above or inside a query of sqlc.
type QueryComment struct {
	Query string // its name
	Text  string // with the signs
	File  string
	Line  int
}

// queryName matches the line by which sqlc names a query.
var queryName = lazyregexp.New(`^\s*--\s*name:\s*(\w+)`)

// queries reads the comments of the query files that configurations of sqlc
// name. What cannot be read is left out: sqlc itself will tell.
func (t *tree) queries() []QueryComment {
	var out []QueryComment
	for _, file := range t.sqlcs {
		for _, e := range t.entries(file) {
			for _, p := range paths(e.Queries) {
				for _, f := range t.expand(path.Join(path.Dir(file), filepath.ToSlash(p))) {
					if b, err := os.ReadFile(filepath.Join(t.root, filepath.FromSlash(f))); err == nil {
						out = append(out, queryComments(f, string(b))...)
					}
				}
			}
		}
	}
	return out
}

// queryComments gives each comment line to its query: the one whose
// statement has not ended, else the next.
func queryComments(file, text string) []QueryComment {
	var out []QueryComment
	from, query := 0, "" // comments from here on wait for a name
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch m := queryName.FindStringSubmatch(line); {
		case m != nil:
			query = m[1]
			for j := from; j < len(out); j++ {
				out[j].Query = query
			}
			from = len(out)
		case strings.HasPrefix(line, "--"):
			out = append(out, QueryComment{Query: query, Text: line, File: file, Line: i + 1})
			if query != "" {
				from = len(out)
			}
		case strings.HasSuffix(line, ";"):
			query = ""
		}
	}
	return out[:from]
}
