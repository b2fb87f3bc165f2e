package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// Load reads the schema of a program. Globs name files, folders or patterns
// relative to root, applied in the order given; without any the schema is
// looked for. The error tells only of a root that cannot be read: files that
// cannot be are listed under Problems.
func Load(root string, globs []string) (*Catalog, []Migration, Source, error) {
	c := New()
	t, source, err := find(root, globs)
	if err != nil {
		return c, nil, source, fmt.Errorf("looking for the schema: %w", err)
	}
	c.Queries = t.queries()
	var migrations []Migration
	for _, file := range source.Files {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			c.problem(file, 0, 0, "cannot be read: "+reason(err))
			continue
		}
		m := newMigration(file, string(b))
		if source.Tool != "config" && foreign(m.Up) {
			c.problem(file, 1, 1, "most statements are not PostgreSQL's; the file is left out")
			continue
		}
		migrations = append(migrations, m)
		c.applyText(m.File, m.Up, m.UpLine)
	}
	c.SearchPath = slices.Clone(c.path)
	return c, migrations, source, nil
}

// reason is an error of the file system without the path, which differs from
// machine to machine.
func reason(err error) string {
	if pe, ok := err.(*os.PathError); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

func find(root string, globs []string) (*tree, Source, error) {
	t, err := survey(root)
	if err != nil {
		return nil, Source{}, err
	}
	if len(globs) == 0 {
		s, err := t.detect()
		return t, s, err
	}
	s := Source{Tool: "config", Ordered: true}
	for _, g := range globs {
		for _, f := range t.expand(filepath.ToSlash(filepath.Clean(g))) {
			if !slices.Contains(s.Files, f) {
				s.Files = append(s.Files, f)
			}
		}
	}
	return t, s, nil
}

// foreign reports whether most statements of a text do not parse.
func foreign(text string) bool {
	good, bad := 0, 0
	for _, st := range pgsql.Parse(text) {
		if st.Err != nil {
			bad++
		} else {
			good++
		}
	}
	return mostlyBad(good, bad)
}

func mostlyBad(good, bad int) bool { return bad > 2*good && bad > 1 }
