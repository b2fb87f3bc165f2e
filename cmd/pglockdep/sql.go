package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/effect"
	"github.com/pglockdep/pglockdep/internal/inputs"
	"github.com/pglockdep/pglockdep/internal/schema"
)

var sqlCommand = &command{
	name: "sql", args: "[-schema GLOB]... [-pg VERSION] 'SQL' | -",
	short: "tell which locks a statement takes, in order",
	long: `Sql tells for each statement which locks PostgreSQL takes for it, in which
order, on one row or many, until when, and by which rule. The statements are
one session, in order: BEGIN, SET, DDL and PREPARE act on what follows. With -
they are read from standard input. Exit code 1 when a statement cannot be
read; the others are still answered. Few answers depend on the version of the
server, which -pg names.`,
	examples: []string{"sql 'SELECT 1 FROM accounts WHERE id = 1 FOR UPDATE'", "sql -schema schema.sql -format json 'BEGIN; DELETE FROM accounts; COMMIT'"},
	flags: func(c *invocation) {
		c.fs.StringVar(&c.dir, "C", "", "change to `DIR` before anything else")
		c.fs.StringVar(&c.format, "format", "text", "text or json (`FORMAT`)")
		c.fs.StringVar(&c.pg, "pg", "15", "major `VERSION` of the server, 15 to 18")
		c.schemaFlag()
	},
	run: func(c *invocation) error {
		if err := oneOf("format", c.format, "text", "json"); err != nil {
			return err
		}
		if err := oneOf("pg", c.pg, "15", "16", "17", "18"); err != nil {
			return err
		}
		server, _ := strconv.Atoi(c.pg)
		if len(c.args) == 0 {
			return noStatement()
		}
		text := strings.Join(c.args, ";\n")
		if len(c.args) == 1 && c.args[0] == "-" {
			b, err := io.ReadAll(c.stdin)
			if err != nil {
				return fmt.Errorf("reading standard input: %w", err)
			}
			text = string(b)
		}
		if strings.TrimSpace(text) == "" {
			return noStatement()
		}
		dir := c.dir
		if dir == "" {
			dir = "."
		}
		cat, err := c.catalog(dir)
		if err != nil {
			return err
		}
		r := effect.SessionOn(cat, text, server)
		if c.format == "json" {
			b, err := r.JSON()
			if err != nil {
				return err
			}
			c.stdout.Write(b)
		} else {
			fmt.Fprint(c.stdout, r.Text())
		}
		if r.Failed() {
			return errFound
		}
		return nil
	},
}

func noStatement() error {
	return hint(errors.New("sql needs a statement"), "give it as an argument, or - to read standard input")
}

// catalog loads the schema for the sql command: the files given, else what
// is found in the module around dir, if there is one.
func (c *invocation) catalog(dir string) (*schema.Catalog, error) {
	root, ok := inputs.ModuleRoot(dir)
	if len(c.schema) == 0 && !ok {
		return schema.New(), nil
	}
	a := &analysis{dir: dir, root: root}
	globs := a.globs(c.schema, dir)
	cat, _, source, err := schema.Load(root, globs)
	if err != nil {
		return nil, err
	}
	if err := namesSchema(root, globs, source); err != nil {
		return nil, err
	}
	unread(c.stderr, problems(cat))
	return cat, nil
}
