package schema

import (
	"path"
	"strings"

	"github.com/pglockdep/pglockdep/internal/lazyregexp"
)

// A Migration is what one file does on the way up.
type Migration struct {
	File   string // relative to the root
	Name   string // the file's name without its suffixes
	Up     string // the statements on the way up
	UpLine int    // line of Up's first character in File
	InTx   bool   // its tool runs it in one transaction
	Plain  bool   // a schema file, which no tool runs as a migration
}

// A format is how a tool marks the parts of a migration.
type format struct {
	tool string
	up   *lazyregexp.Regexp // line after which the way up starts; nil: at the start of the file
	down *lazyregexp.Regexp // line after which the way down starts
	noTx *lazyregexp.Regexp // text that takes the migration out of a transaction
}

func marker(s string) *lazyregexp.Regexp { return lazyregexp.New(`(?im)^[ \t]*--+[ \t]*` + s) }

// formats in the order in which they are looked for in a file.
var formats = []format{
	{"goose", marker(`\+goose[ \t]+up\b`), marker(`\+goose[ \t]+down\b`), marker(`\+goose[ \t]+no[ \t]+transaction\b`)},
	{"sql-migrate", marker(`\+migrate[ \t]+up\b`), marker(`\+migrate[ \t]+down\b`), marker(`\+migrate[ \t]+up\b.*\bnotransaction\b`)},
	{"dbmate", marker(`migrate:up\b`), marker(`migrate:down\b`), marker(`migrate:up\b.*\btransaction:[ \t]*false\b`)},
	{"tern", nil, marker(`create above / drop below ----`), marker(`tern: disable-tx ----`)},
}

var atlasNoTx = marker(`atlas:txmode[ \t]+none\b`)

// formatOf is the format whose marks a text bears, or nil.
func formatOf(text string) *format {
	marks := remarks(text)
	for i := range formats {
		f := &formats[i]
		if f.up != nil && f.up.MatchString(marks) || f.up == nil && f.down.MatchString(marks) {
			return f
		}
	}
	return nil
}

// remarks returns the lines of a text that are comments: marks stand there,
// and most of a text is none.
func remarks(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if remark(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func remark(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t"), "--") }

// templateAction is an action of a Go template, as some tools allow in migrations. A
// dot after it goes too: it is the schema of a name most often.
var templateAction = lazyregexp.New(`(?:"\{\{-?\s*[.$/a-zA-Z][^{}]*\}\}"|\{\{-?\s*[.$/a-zA-Z][^{}]*\}\})\.?`)

// plain blanks the actions of a template, so that the rest can be read in
// its place.
func plain(text string) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	return templateAction.ReplaceAllStringFunc(text, func(s string) string {
		b := []byte(s)
		for i, c := range b {
			if c != '\n' {
				b[i] = ' '
			}
		}
		return string(b)
	})
}

// formatVerb is the schema of a name that a Go program puts in.
var formatVerb = lazyregexp.New(`(?:"%(?:\[[0-9]+\])?[sv]"|%(?:\[[0-9]+\])?[sv])\.`)

// bareVerb is a word that a Go program puts in: CONCURRENTLY, or nothing.
var bareVerb = lazyregexp.New(`(?m)(^|\s)%(?:\[[0-9]+\])?[sv](\s|$)`)

// unformatted blanks the schema names and words that a Go program puts in,
// when the text reads better without them: in a string they may mean something
// else.
func unformatted(text string) string {
	if !strings.Contains(text, "%") || !formatVerb.MatchString(text) && !bareVerb.MatchString(text) {
		return text
	}
	errs := func(s string) int {
		n := 0
		for _, st := range definitions(s) {
			n += btoi(st.Err != nil)
		}
		return n
	}
	before := errs(text)
	if before == 0 {
		return text
	}
	blank := formatVerb.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
	bare := bareVerb.ReplaceAllStringFunc(blank, func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, s)
	})
	for _, s := range []string{blank, bare} {
		if n := errs(s); n < before {
			text, before = s, n
		}
	}
	return text
}

// newMigration takes the way up out of a file.
func newMigration(file, text string) Migration {
	text = unformatted(plain(text))
	m := Migration{File: file, Name: migrationName(file), Up: text, UpLine: 1}
	f := formatOf(text)
	if f == nil {
		base := path.Base(file)
		m.Plain = !upFile.MatchString(base) && !flywayFile.MatchString(base) && !numbered.MatchString(base) && !ofFolder(file)
		m.InTx = !m.Plain && !atlasNoTx.MatchString(remarks(text))
		return m
	}
	m.InTx = !f.noTx.MatchString(remarks(text))
	m.Up, m.UpLine = f.cut(text)
	return m
}

// cut keeps the parts on the way up. Between two of them the lines of the
// way down stay as empty ones, so that lines can be counted.
func (f *format) cut(text string) (up string, line int) {
	var b strings.Builder
	on := f.up == nil
	line = 1
	for i, l := range strings.SplitAfter(text, "\n") {
		switch {
		case f.up != nil && remark(l) && f.up.MatchString(l):
			on = true
			if b.Len() == 0 || strings.TrimSpace(b.String()) == "" {
				b.Reset()
				line = i + 2
				continue
			}
			b.WriteString(lineEnd(l))
		case remark(l) && f.down.MatchString(l):
			on = false
			b.WriteString(lineEnd(l))
		case on:
			b.WriteString(l)
		default:
			b.WriteString(lineEnd(l))
		}
	}
	return strings.TrimRight(b.String(), " \t\r\n") + "\n", line
}

func lineEnd(l string) string {
	if strings.HasSuffix(l, "\n") {
		return "\n"
	}
	return ""
}

// folderFile is the way up in a folder that is one migration.
var (
	folderFile     = lazyregexp.New(`^(up|migration)\.sql$`)
	numberedFolder = lazyregexp.New(`^[0-9]+[_.-].`)
)

// ofFolder reports whether the file is the way up of a migration that is a
// folder: "11-make-stateless/up.sql".
func ofFolder(file string) bool {
	return folderFile.MatchString(path.Base(file)) && numberedFolder.MatchString(path.Base(path.Dir(file)))
}

func migrationName(file string) string {
	if ofFolder(file) {
		return path.Base(path.Dir(file))
	}
	name := file[strings.LastIndexByte(file, '/')+1:]
	name = strings.TrimSuffix(name, ".sql")
	return strings.TrimSuffix(strings.TrimSuffix(name, ".up"), ".tx")
}
