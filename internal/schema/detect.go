package schema

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
)

// A Source is where the schema of a program was found.
type Source struct {
	Tool    string   // sqlc, goose, golang-migrate, tern, dbmate, atlas, flyway, sql-migrate, numbered, schema, go, config; "" nothing found
	Files   []string // relative to the root, with "/", in the order they apply
	Ordered bool     // the order is that of a tool, not a guess
	Sum     uint64   // of the names and texts of the files, once they are loaded
}

// skipped are directories that hold no schema of the program.
var skipped = map[string]bool{"vendor": true, "node_modules": true, "testdata": true, ".git": true}

// Detect finds the schema of a program below root: what sqlc's configuration
// names, else folders of migrations, else a schema file, else the texts of its
// own Go code.
func Detect(root string) (Source, error) {
	t, err := survey(root)
	if err != nil {
		return Source{}, err
	}
	return t.detect()
}

func (t *tree) detect() (Source, error) {
	if s, err := t.sqlc(); err != nil || len(s.Files) > 0 {
		return s, err
	}
	if s := t.migrations(); len(s.Files) > 0 {
		return s, nil
	}
	if s := t.schemaFiles(); len(s.Files) > 0 {
		return s, nil
	}
	return t.goFiles(), nil
}

// A tree is what was found below a root.
type tree struct {
	root  string
	dirs  map[string][]string // folder → names of its .sql files, sorted
	sums  map[string]bool     // folders with atlas.sum
	terns map[string]bool     // folders with tern.conf
	sqlcs []string            // configurations of sqlc
	gos   []string            // Go files but tests
	confs map[string]bool     // configurations of single scripts, as Flyway has them

	texts  map[string]string      // of the files of SQL that were read
	ups    map[string][]Migration // by file
	unread map[string]string      // files and folders that cannot be read → why
}

func survey(root string) (*tree, error) {
	t := &tree{root: root, dirs: map[string][]string{}, sums: map[string]bool{}, terns: map[string]bool{}, confs: map[string]bool{},
		texts: map[string]string{}, ups: map[string][]Migration{}, unread: map[string]string{}}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, p)
		switch {
		case relErr != nil:
			return relErr
		case err != nil && p == root:
			return err
		case err != nil: // no reason to miss the others
			t.unread[filepath.ToSlash(rel)] = reason(err)
			return nil
		case d.IsDir() && p != root && (skipped[d.Name()] || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || hidden(d.Name()):
			return nil
		}
		dir, name := path.Split(filepath.ToSlash(rel))
		dir = path.Clean(dir)
		switch {
		case strings.HasSuffix(name, ".sql"):
			t.dirs[dir] = append(t.dirs[dir], name)
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			t.gos = append(t.gos, path.Join(dir, name))
		case strings.HasSuffix(name, ".sql.conf"):
			t.confs[path.Join(dir, name)] = true
		case name == "atlas.sum":
			t.sums[dir] = true
		case name == "tern.conf":
			t.terns[dir] = true
		case name == "sqlc.yaml", name == "sqlc.yml", name == "sqlc.json":
			t.sqlcs = append(t.sqlcs, path.Join(dir, name))
		}
		return nil
	})
	return t, err
}

// read returns the text of a file, "" of one that cannot be read.
func (t *tree) read(file string) string {
	if text, ok := t.texts[file]; ok {
		return text
	}
	b, err := os.ReadFile(filepath.Join(t.root, filepath.FromSlash(file)))
	if err != nil {
		t.unread[file] = reason(err)
	}
	text := string(b)
	if strings.HasSuffix(file, ".sql") { // each is asked for several times
		t.texts[file] = text
	}
	return text
}

// hidden reports a file that editors, archivers or the system leave beside
// another one.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }

var (
	upFile     = lazyregexp.New(`\.up\.sql$`)
	downFile   = lazyregexp.New(`(?i)[._-]down\.sql$|^(down(from|to|grade)?|rollback)[._-].*\.sql$`)
	flywayFile = lazyregexp.New(`^[VR]([0-9][0-9._]*)?__.*\.sql$`)
	undoFile   = lazyregexp.New(`^U[0-9][0-9._]*__.*\.sql$`)
	numbered   = lazyregexp.New(`^[0-9]+[_.-].*\.sql$`)
)

// migrationFiles are the migrations of a folder in order, and its tool; none
// when the folder holds no migrations.
func (t *tree) migrationFiles(dir string) (tool string, files []string) {
	names := t.dirs[dir]
	var up, fly, num, marked []string
	marks := ""
	for _, n := range names {
		if downFile.MatchString(n) || undoFile.MatchString(n) {
			continue
		}
		if upFile.MatchString(n) {
			up = append(up, n)
			continue
		}
		if f := formatOf(t.read(path.Join(dir, n))); f != nil && marks == "" || f != nil && f.tool == marks {
			marks = f.tool
			marked = append(marked, n)
		}
		if flywayFile.MatchString(n) {
			fly = append(fly, n)
		}
		if numbered.MatchString(n) {
			num = append(num, n)
		}
	}
	switch {
	case len(up) > 0:
		tool, files = "golang-migrate", up
	case len(marked) > 0 && (marks != "tern" || len(marked)*2 >= len(num)):
		tool, files = marks, marked
		if marks == "tern" {
			files = num // a tern migration may have no way down
		}
	case t.sums[dir]:
		tool, files = "atlas", without(names, downFile)
	case t.terns[dir]:
		tool, files = "tern", num
	case len(fly) > 0:
		tool, files = "flyway", fly
	case len(num) > 1 || len(num) == 1 && strings.Contains(strings.ToLower(path.Base(dir)), "migrat"):
		tool, files = "numbered", num
	}
	files = slices.Clone(files)
	if len(files) > 0 {
		files = append(files, t.goSteps(dir)...)
	}
	sortMigrations(files)
	return tool, files
}

func without(names []string, re *lazyregexp.Regexp) []string {
	return slices.DeleteFunc(slices.Clone(names), re.MatchString)
}

var digits = lazyregexp.New(`[0-9]+`)

// sortMigrations orders by the version at the start of a name, number by
// number; repeatable migrations of Flyway come last.
func sortMigrations(names []string) {
	version := func(name string) []string {
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "V"), "__")
		if i := strings.IndexFunc(name, func(r rune) bool { return !strings.ContainsRune("0123456789._-", r) }); i >= 0 {
			name = name[:i]
		}
		return digits.FindAllString(name, -1)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		if x, y := strings.HasPrefix(a, "R__"), strings.HasPrefix(b, "R__"); x != y {
			if x {
				return 1
			}
			return -1
		}
		x, y := version(a), version(b)
		if n := cmp.Compare(btoi(len(x) == 0), btoi(len(y) == 0)); n != 0 {
			return n
		}
		if n := slices.CompareFunc(x, y, compareDigits); n != 0 {
			return n
		}
		return cmp.Compare(a, b)
	})
}

func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if n := cmp.Compare(len(a), len(b)); n != 0 {
		return n
	}
	return cmp.Compare(a, b)
}

// A candidate is a folder of migrations.
type candidate struct {
	dir, tool string
	files     []string
	tables    map[string]bool
	good, bad int // statements that parse as PostgreSQL, and others
	alien     int // files in which most do not
}

var (
	ours   = lazyregexp.New(`(?i)postgres|\bpg(sql|x)?\b|pgsql`)
	others = lazyregexp.New(`(?i)mysql|maria|sqlite|mssql|sqlserver|oracle|clickhouse|spanner|cockroach|crdb|cassandra|snowflake|bigquery|duckdb|tidb`)
)

// migrations joins the folders of migrations that are PostgreSQL's. Of twins
// that make the same tables one is kept.
func (t *tree) migrations() Source {
	var all []*candidate
	for _, dir := range t.folders() {
		if tool, files := t.migrationFiles(dir); len(files) > 0 {
			all = append(all, t.candidate(dir, tool, files))
		}
	}
	for _, dir := range t.parents() {
		all = append(all, t.candidate(dir, "numbered", t.folderFiles(dir)))
	}
	all = choose(all)
	s := Source{Ordered: len(all) == 1}
	if len(all) > 0 {
		s.Tool = all[0].tool
	}
	all = slices.Concat(t.bases(all), all, t.companions(all))
	for _, c := range all {
		for _, f := range c.files {
			s.Files = append(s.Files, path.Join(c.dir, f))
		}
	}
	return t.oneFlyway(s, all)
}

// oneFlyway puts the migrations of several folders into one order, as Flyway
// does with those below its location; versions that occur twice are of
// several databases.
func (t *tree) oneFlyway(s Source, all []*candidate) Source {
	used := map[string]bool{}
	for _, c := range all {
		if c.tool != "flyway" {
			return s
		}
		for _, f := range c.files {
			v, _, _ := strings.Cut(path.Base(f), "__")
			if used[v] && v != "R" {
				return s
			}
			used[v] = true
		}
	}
	byName := map[string][]string{}
	var names []string
	for _, f := range s.Files {
		n := path.Base(f)
		names = append(names, n)
		byName[n] = append(byName[n], f)
	}
	sortMigrations(names)
	s.Files = nil
	for _, n := range slices.Compact(names) {
		s.Files = append(s.Files, byName[n]...)
	}
	s.Ordered = true
	return s
}

func (t *tree) folders() []string {
	dirs := make([]string, 0, len(t.dirs))
	for d := range t.dirs {
		dirs = append(dirs, d)
	}
	slices.Sort(dirs)
	return dirs
}

func (t *tree) candidate(dir, tool string, files []string) *candidate {
	c := &candidate{dir: dir, tool: tool, files: files, tables: map[string]bool{}}
	for _, f := range files {
		good, bad := 0, 0
		for _, m := range t.migrationsIn(path.Join(dir, f)) {
			for _, st := range definitions(m.Up) {
				if st.Err != nil {
					bad++
					continue
				}
				good++
				if cs := st.Tree.GetCreateStmt(); cs != nil {
					c.tables[qualify(cs.Relation.GetSchemaname(), cs.Relation.GetRelname())] = true
				}
			}
		}
		c.good += good
		c.bad += bad
		if mostlyBad(good, bad) {
			c.alien++
		}
	}
	return c
}

var trial = lazyregexp.New(`(?i)(^|/)(tests?|test[_-][^/]*|fixtures?|examples?|e2e|internal/testutil)(/|$)`)

// choose keeps what is PostgreSQL's: folders with most tables first, since
// others may build on them, then in order of path.
func choose(all []*candidate) []*candidate {
	if slices.ContainsFunc(all, func(c *candidate) bool { return !trial.MatchString(c.dir) && c.good > 0 }) {
		all = slices.DeleteFunc(all, func(c *candidate) bool { return trial.MatchString(c.dir) })
	}
	named := slices.ContainsFunc(all, func(c *candidate) bool { return ours.MatchString(c.dir) && c.good > 0 })
	all = slices.DeleteFunc(all, func(c *candidate) bool {
		foreign := others.MatchString(c.dir) && !ours.MatchString(c.dir)
		return c.good == 0 || c.bad > c.good && c.alien*2 > len(c.files) || foreign && (named || c.bad > 0 || len(all) > 1)
	})
	// The most telling of twins first: its path names PostgreSQL, all of it
	// parses, it has most tables.
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *candidate) int {
		return cmp.Or(
			-cmp.Compare(btoi(ours.MatchString(a.dir)), btoi(ours.MatchString(b.dir))),
			cmp.Compare(a.bad, b.bad),
			-cmp.Compare(len(a.tables), len(b.tables)))
	})
	taken := map[string]bool{}
	keep := map[*candidate]bool{}
	for _, c := range order {
		twice := 0
		for name := range c.tables {
			if taken[name] {
				twice++
			}
		}
		if twice > 0 && twice*2 >= len(c.tables) {
			continue
		}
		keep[c] = true
		for name := range c.tables {
			taken[name] = true
		}
	}
	all = slices.DeleteFunc(all, func(c *candidate) bool { return !keep[c] })
	slices.SortStableFunc(all, func(a, b *candidate) int { return len(b.tables) - len(a.tables) })
	return all
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

var schemaNames = []string{"schema.sql", "structure.sql", "init.sql", "db.sql", "database.sql", "tables.sql", "ddl.sql", "setup.sql"}

// schemaFiles finds files that hold a whole schema: those with a telling
// name, else those that create tables.
func (t *tree) schemaFiles() Source {
	var best []string
	rank := len(schemaNames) + 1
	for _, dir := range t.folders() {
		for _, n := range t.dirs[dir] {
			r := slices.Index(schemaNames, n)
			if r < 0 {
				r = len(schemaNames)
			}
			file := path.Join(dir, n)
			if r > rank || others.MatchString(file) || downFile.MatchString(n) {
				continue
			}
			if c := t.candidate(dir, "schema", []string{n}); len(c.tables) == 0 || c.bad > c.good {
				continue
			}
			if r < rank {
				rank, best = r, nil
			}
			best = append(best, file)
		}
	}
	if len(best) == 0 {
		return Source{}
	}
	return Source{Tool: "schema", Files: best, Ordered: len(best) == 1}
}
