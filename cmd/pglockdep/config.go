package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/inputs"
	"github.com/pglockdep/pglockdep/internal/schema"
)

var configCommand = &command{
	name: "config", args: "[flags] [FILE]",
	short: "check the configuration, or print its JSON schema",
	long: `Config reads pglockdep.yaml, the nearest one upward or the file given, and
tells every fault with line, column and the key that was probably meant. It
says which file was read and which schema files it leads to. With -schema it
prints the JSON schema of the file instead, for editors.`,
	examples: []string{"config -check", "config -schema"},
	flags: func(c *invocation) {
		c.fs.StringVar(&c.dir, "C", "", "change to `DIR` before anything else")
		c.fs.BoolVar(&c.check, "check", false, "check the file (the default)")
		c.fs.BoolVar(&c.printSchema, "schema", false, "print the JSON schema of the file")
	},
	run: runConfig,
}

func runConfig(c *invocation) error {
	if c.printSchema {
		_, err := c.stdout.Write(config.JSONSchema)
		return err
	}
	if len(c.args) > 1 {
		return errors.New("config takes one file")
	}
	a := &analysis{dir: c.dir}
	if a.dir == "" {
		a.dir = "."
	}
	if len(c.args) == 1 {
		c.config = c.args[0]
	}
	if err := a.configure(c); err != nil {
		return err
	}
	if a.cfg.File == "" {
		fmt.Fprintf(c.stdout, "no %s in %s or above it: the defaults are in force\n", config.FileName, a.dir)
		return nil
	}
	if _, err := a.pages(); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s: ok\n", c.shown(a.cfg.File))
	root, ok := inputs.ModuleRoot(a.dir)
	if !ok || len(a.cfg.Schema) == 0 {
		return nil
	}
	a.root = root
	globs := a.schemaGlobs(c)
	_, _, source, err := schema.Load(root, globs)
	if err != nil {
		return err
	}
	if err := namesSchema(root, globs, source); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "schema: %s\n", strings.Join(shownFiles(c, root, source.Files), ", "))
	return nil
}

// shownFiles returns files of the module relative to the working directory.
func shownFiles(c *invocation, root string, files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = c.shown(joined(root, filepath.FromSlash(f)))
	}
	return out
}
