package schema

import (
	"path"
	"slices"
	"strings"
)

// parents are the folders whose folders are migrations, one each.
func (t *tree) parents() []string {
	var out []string
	for _, dir := range t.folders() {
		if up := path.Dir(dir); slices.ContainsFunc(t.dirs[dir], func(n string) bool { return ofFolder(path.Join(dir, n)) }) && !slices.Contains(out, up) {
			out = append(out, up)
		}
	}
	return out
}

// folderFiles are the ways up of the migrations in a folder, in order,
// relative to it.
func (t *tree) folderFiles(parent string) []string {
	var names []string
	for dir := range t.dirs {
		if path.Dir(dir) == parent && slices.ContainsFunc(t.dirs[dir], func(n string) bool { return ofFolder(path.Join(dir, n)) }) {
			names = append(names, path.Base(dir))
		}
	}
	slices.Sort(names)
	sortMigrations(names)
	var out []string
	for _, d := range names {
		for _, n := range t.dirs[path.Join(parent, d)] {
			if ofFolder(path.Join(parent, d, n)) {
				out = append(out, path.Join(d, n))
			}
		}
	}
	return out
}

// companions are folders beside and below those of the migrations with
// scripts that define functions, triggers or views: what a program runs anew
// each time it migrates.
func (t *tree) companions(chosen []*candidate) []*candidate {
	var out []*candidate
	for _, dir := range t.folders() {
		if trial.MatchString(dir) || !slices.ContainsFunc(chosen, func(c *candidate) bool { return beside(dir, c.dir) }) ||
			slices.ContainsFunc(chosen, func(c *candidate) bool {
				return c.dir == dir || slices.ContainsFunc(c.files, func(f string) bool { return path.Dir(path.Join(c.dir, f)) == dir })
			}) {
			continue
		}
		var files []string
		for _, n := range t.dirs[dir] {
			if !downFile.MatchString(n) && !undoFile.MatchString(n) {
				files = append(files, n)
			}
		}
		if c := t.candidate(dir, "schema", files); len(files) > 0 && c.bad <= c.good && c.alien == 0 && t.defines(c) {
			out = append(out, c)
		}
	}
	return out
}

// beside reports whether dir lies below a folder of migrations, or below the
// folder that such a one lies in.
func beside(dir, migrations string) bool {
	up := path.Dir(migrations)
	return strings.HasPrefix(dir, migrations+"/") || up != "." && strings.HasPrefix(dir, up+"/")
}

// defines reports whether scripts define what runs later.
func (t *tree) defines(c *candidate) bool {
	for _, f := range c.files {
		if strings.HasSuffix(f, ".go") {
			continue
		}
		for _, st := range definitions(t.migrationsIn(path.Join(c.dir, f))[0].Up) {
			if st.Err == nil && (st.Tree.GetCreateFunctionStmt() != nil || st.Tree.GetCreateTrigStmt() != nil || st.Tree.GetViewStmt() != nil) {
				return true
			}
		}
	}
	return false
}
