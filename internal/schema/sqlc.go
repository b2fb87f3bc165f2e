package schema

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// An sqlcConfig holds what of sqlc's configuration tells of the schema:
// version 2 has sql, version 1 has packages. JSON is YAML too.
type sqlcConfig struct {
	SQL      []sqlcEntry `yaml:"sql"`
	Packages []sqlcEntry `yaml:"packages"`
}

type sqlcEntry struct {
	Engine  string `yaml:"engine"`
	Schema  any    `yaml:"schema"` // one path or several
	Queries any    `yaml:"queries"`
}

func paths(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// sqlc reads the configurations of sqlc. A database file of another engine
// is no schema of ours.
func (t *tree) sqlc() (Source, error) {
	s := Source{Tool: "sqlc", Ordered: true}
	slices.SortFunc(t.sqlcs, func(a, b string) int {
		if n := strings.Count(a, "/") - strings.Count(b, "/"); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for _, file := range t.sqlcs {
		if _, err := os.Stat(filepath.Join(t.root, filepath.FromSlash(file))); err != nil {
			return Source{}, fmt.Errorf("reading %s: %w", file, err)
		}
		for _, e := range t.entries(file) {
			for _, p := range paths(e.Schema) {
				for _, f := range t.expand(path.Join(path.Dir(file), filepath.ToSlash(p))) {
					if !slices.Contains(s.Files, f) {
						s.Files = append(s.Files, f)
					}
				}
			}
		}
	}
	if len(s.Files) == 0 {
		return Source{}, nil
	}
	return s, nil
}

// entries are the entries of a configuration that are for PostgreSQL. One
// that cannot be read, a template perhaps, has none: migrations may still
// tell.
func (t *tree) entries(file string) []sqlcEntry {
	var conf sqlcConfig
	if yaml.Unmarshal([]byte(t.read(file)), &conf) != nil {
		return nil
	}
	return slices.DeleteFunc(append(conf.SQL, conf.Packages...), func(e sqlcEntry) bool { return e.Engine != "" && e.Engine != "postgresql" })
}

// expand turns a path relative to the root, a folder or a pattern into
// files.
func (t *tree) expand(p string) []string {
	full := filepath.Join(t.root, filepath.FromSlash(p))
	st, err := os.Stat(full)
	switch {
	case err == nil && st.IsDir():
		return t.folder(p)
	case err == nil:
		return []string{p}
	case !strings.ContainsAny(p, "*?["):
		return []string{p} // said to be there: reading it will tell
	}
	return t.match(p)
}

// folder is all files of a folder but those on the way down, in the order of
// migrations.
func (t *tree) folder(dir string) []string {
	dir = path.Clean(dir)
	if _, ok := t.dirs[dir]; !ok {
		entries, err := os.ReadDir(filepath.Join(t.root, filepath.FromSlash(dir)))
		if err != nil {
			t.unread[dir] = reason(err)
			return nil
		}
		for _, e := range entries {
			if !e.IsDir() && !hidden(e.Name()) && strings.HasSuffix(e.Name(), ".sql") {
				t.dirs[dir] = append(t.dirs[dir], e.Name())
			}
		}
	}
	names := without(without(t.dirs[dir], downFile), undoFile)
	sortMigrations(names)
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, path.Join(dir, n))
	}
	return out
}

// match are the files a pattern names; "**" stands for any folders. Each
// folder's files are in the order of migrations.
func (t *tree) match(pattern string) []string {
	head, tail, deep := strings.Cut(pattern, "**")
	if !deep {
		found, err := filepath.Glob(filepath.Join(t.root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil
		}
		return t.relative(found)
	}
	tail = strings.TrimPrefix(tail, "/")
	if tail == "" {
		tail = "*.sql"
	}
	var out []string
	base := path.Clean(head)
	for _, dir := range t.folders() {
		if base != "." && dir != base && !strings.HasPrefix(dir, base+"/") {
			continue
		}
		var names []string
		for _, n := range t.dirs[dir] {
			if ok, _ := path.Match(path.Base(tail), n); ok {
				names = append(names, n)
			}
		}
		sortMigrations(names)
		for _, n := range names {
			out = append(out, path.Join(dir, n))
		}
	}
	return out
}

func (t *tree) relative(full []string) []string {
	var dirs []string
	byDir := map[string][]string{}
	for _, f := range full {
		rel, err := filepath.Rel(t.root, f)
		if err != nil {
			continue
		}
		rel = filepath.ToSlash(rel)
		if st, err := os.Stat(f); err == nil && st.IsDir() {
			for _, in := range t.folder(rel) {
				d, n := path.Split(in)
				byDir[d] = append(byDir[d], n)
				if !slices.Contains(dirs, d) {
					dirs = append(dirs, d)
				}
			}
			continue
		}
		d, n := path.Split(rel)
		if downFile.MatchString(n) || hidden(n) {
			continue
		}
		if !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
		byDir[d] = append(byDir[d], n)
	}
	var out []string
	for _, d := range dirs {
		sortMigrations(byDir[d])
		for _, n := range byDir[d] {
			out = append(out, d+n)
		}
	}
	return out
}
