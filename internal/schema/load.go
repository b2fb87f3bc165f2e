package schema

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
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
	sum := fnv.New64a()
	for _, file := range source.Files {
		text := t.read(file)
		fmt.Fprintf(sum, "%s\n%d\n%s", file, len(text), text)
		if t.unread[file] != "" {
			continue
		}
		for _, m := range t.migrationsIn(file) {
			if source.Tool != "config" && foreign(m.Up) {
				c.problem(file, 1, 1, "most statements are not PostgreSQL's; the file is left out")
				continue
			}
			m.InTx = m.InTx && source.transactional(root, m)
			migrations = append(migrations, m)
			c.applyText(m.File, m.Up, m.UpLine)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.unread)) {
		c.Problems = append(c.Problems, Problem{File: name, Message: "cannot be read: " + t.unread[name], Unread: true})
	}
	c.SearchPath = slices.Clone(c.path)
	source.Sum = sum.Sum64()
	return c, migrations, source, nil
}

// Missing returns what of the globs, which Load was given, names no file: a
// slip in a name would look like a program without a schema.
func (s Source) Missing(root string, globs []string) string {
	for _, g := range globs {
		if strings.ContainsAny(g, "*?[{") {
			continue
		}
		name := filepath.FromSlash(g)
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return g
		}
	}
	if len(globs) > 0 && len(s.Files) == 0 {
		return strings.Join(globs, ", ")
	}
	return ""
}

// transactional reports whether the tool runs a migration in a transaction
// where the text itself does not say.
func (s Source) transactional(root string, m Migration) bool {
	base := path.Base(m.File)
	switch {
	case flywayFile.MatchString(base):
		conf, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)) + ".conf")
		if err == nil && outsideTx.Match(conf) {
			return false
		}
		return !m.alone(false) // Flyway looks for what cannot run in one
	case upFile.MatchString(base) && !strings.HasSuffix(base, ".tx.up.sql"):
		// bun runs only those named .tx.up.sql in a transaction.
		if slices.ContainsFunc(s.Files, func(f string) bool {
			return path.Dir(f) == path.Dir(m.File) && strings.HasSuffix(f, ".tx.up.sql")
		}) {
			return false
		}
	}
	return !m.alone(true) // a text of one statement needs none
}

var outsideTx = lazyregexp.New(`(?im)^\s*executeInTransaction\s*=\s*false\b`)

// alone reports whether a migration has a statement that PostgreSQL refuses
// in a transaction; only wants it to have no other.
func (m Migration) alone(only bool) bool {
	stmts := definitions(m.Up)
	return (!only || len(stmts) == 1) && slices.ContainsFunc(stmts, func(st pgsql.Stmt) bool { return st.Err == nil && refusesTx(st.Tree) })
}

// refusesTx reports whether a statement cannot run in a transaction block.
func refusesTx(n *pgsql.Node) bool {
	switch s := n.GetNode().(type) {
	case *pgsql.Node_IndexStmt:
		return s.IndexStmt.GetConcurrent()
	case *pgsql.Node_DropStmt:
		return s.DropStmt.GetConcurrent()
	case *pgsql.Node_VacuumStmt:
		return s.VacuumStmt.GetIsVacuumcmd()
	case *pgsql.Node_ReindexStmt:
		return slices.ContainsFunc(s.ReindexStmt.GetParams(), func(p *pgsql.Node) bool { return p.GetDefElem().GetDefname() == "concurrently" })
	case *pgsql.Node_AlterTableStmt:
		return slices.ContainsFunc(s.AlterTableStmt.GetCmds(), func(c *pgsql.Node) bool {
			return c.GetAlterTableCmd().GetDef().GetPartitionCmd().GetConcurrent()
		})
	}
	return false
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
	if !slices.ContainsFunc(globs, func(g string) bool { return strings.Contains(g, "**") }) {
		clear(t.unread) // nothing else is looked for
	}
	for _, g := range globs {
		for _, f := range t.expand(filepath.ToSlash(filepath.Clean(g))) {
			if !slices.Contains(s.Files, f) {
				s.Files = append(s.Files, f)
			}
		}
	}
	return t, s, nil
}

// Named lists the files that globs and configurations of sqlc name, relative
// to root.
func Named(root string, globs []string) []string {
	t, err := survey(root)
	if err != nil {
		return nil
	}
	var out []string
	for _, g := range globs {
		out = append(out, t.expand(filepath.ToSlash(filepath.Clean(g)))...)
	}
	if s, err := t.sqlc(); err == nil {
		out = append(out, s.Files...)
	}
	return out
}

// foreign reports whether most statements of a text do not parse.
func foreign(text string) bool {
	good, bad := 0, 0
	for _, st := range definitions(text) {
		if st.Err != nil {
			bad++
		} else {
			good++
		}
	}
	return mostlyBad(good, bad)
}

func mostlyBad(good, bad int) bool { return bad > 2*good && bad > 1 }
