package schema

import (
	"path"
	"slices"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// bases are the scripts, in the folders of the migrations and one above, that
// make tables which the migrations change and none of them makes: what the
// migrations began with. One that makes what they make, too, is what they
// lead to.
func (t *tree) bases(chosen []*candidate) []*candidate {
	lacking, made := t.lacking(chosen)
	if len(lacking) == 0 {
		return nil
	}
	var dirs []string
	used := map[string]bool{}
	for _, c := range chosen {
		dirs = append(dirs, c.dir)
		if up := path.Dir(c.dir); up != "." {
			dirs = append(dirs, up)
		}
		for _, f := range c.files {
			used[path.Join(c.dir, f)] = true
		}
	}
	slices.Sort(dirs)
	var out []*candidate
	for _, dir := range slices.Compact(dirs) {
		for _, n := range t.dirs[dir] {
			if used[path.Join(dir, n)] || downFile.MatchString(n) || undoFile.MatchString(n) || others.MatchString(n) {
				continue
			}
			if c := t.candidate(dir, "schema", []string{n}); c.bad <= c.good && makesAny(c, lacking) && !makesAny(c, made) {
				out = append(out, c)
			}
		}
	}
	return out
}

func makesAny(c *candidate, tables map[string]bool) bool {
	for name := range c.tables {
		if tables[name] {
			return true
		}
	}
	return false
}

// lacking are the tables that migrations change and none of them makes, made
// those that they make whether there is one or not.
func (t *tree) lacking(chosen []*candidate) (lacking, made map[string]bool) {
	lacking, made = map[string]bool{}, map[string]bool{}
	for _, c := range chosen {
		for _, f := range c.files {
			for _, m := range t.migrationsIn(path.Join(c.dir, f)) {
				for _, st := range definitions(m.Up) {
					if st.Err != nil {
						continue
					}
					if a := st.Tree.GetAlterTableStmt(); a != nil && a.GetObjtype() == pgsql.ObjectType_OBJECT_TABLE {
						lacking[qualify(a.Relation.GetSchemaname(), a.Relation.GetRelname())] = true
					}
					if cs := st.Tree.GetCreateStmt(); cs != nil && !cs.GetIfNotExists() {
						made[qualify(cs.Relation.GetSchemaname(), cs.Relation.GetRelname())] = true
					}
				}
			}
		}
	}
	for _, c := range chosen {
		for name := range c.tables {
			delete(lacking, name)
		}
	}
	return lacking, made
}
