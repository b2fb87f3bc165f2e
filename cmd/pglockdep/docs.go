package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pglockdep/pglockdep/docgen"
	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/inputs"
	"github.com/pglockdep/pglockdep/internal/report"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var docsCommand = &command{
	name: "docs", args: "[flags] [packages]",
	short: "write the page docs/database-locks.md, or check it",
	long: `Docs writes the page that tells every lock, how its key is built, the order
each path takes locks, the rules every path keeps and where the paths differ.
It owns what stands between its markers; everything else on the page is the
team's and is kept byte for byte. It says which lines between the markers it
replaced, and which names in the team's text are in neither code, queries nor
schema any more. With -check nothing is written: exit code 1 and a diff when
the page is stale, or when it has such a name; where neither the files of the
module nor the command have changed since, the answer is remembered. With -init
it writes a first pglockdep.yaml where there is none, and prints the directives
that the locks without a sentence want, with their places.`,
	examples: []string{"docs", "docs -check", "docs -o -", "docs -init"},
	flags: func(c *invocation) {
		c.packageFlags()
		c.fs.BoolVar(&c.check, "check", false, "write nothing; exit 1 with a diff when the page is stale")
		c.fs.BoolVar(&c.fresh, "fresh", false, "with -check: read the program even if nothing has changed since the page was last found right")
		c.fs.BoolVar(&c.diff, "diff", false, "write nothing; print what would change")
		c.fs.BoolVar(&c.init, "init", false, "write a first configuration; print directives for the locks that have no sentence yet")
		c.fs.StringVar(&c.output, "o", "", "write `FILE` instead of the page of the configuration; - for standard output")
	},
	run: runDocs,
}

func runDocs(c *invocation) error {
	a, err := c.prepare()
	if err != nil {
		return err
	}
	if c.check && !c.fresh {
		if state, err := c.stateFile(c.pageName(a)); err == nil && seen(state) {
			return nil
		}
	}
	if err := c.run(a); err != nil {
		return err
	}
	if c.init {
		return c.initDocs(a)
	}
	name := c.pageName(a)
	var existing []byte
	if name != "-" {
		existing, err = os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("reading the page: %w", err)
		}
	}
	stale := stalePages(a.view.Manifest.Findings)
	page, err := docgen.Render(existing, a.view.Manifest, docgen.Options{})
	if err != nil {
		var at *docgen.PageError
		if errors.As(err, &at) {
			return hint(fmt.Errorf("%s:%d: %s", c.shown(name), at.Line, at.Text), "mend it by hand; the page is left as it is")
		}
		return fmt.Errorf("%s: %w", c.shown(name), err)
	}
	c.progress.clear()
	switch {
	case name == "-":
		_, err = c.stdout.Write(page)
		return err
	case c.check || c.diff:
		return c.comparePage(a, name, existing, page, stale)
	}
	if bytes.Equal(existing, page) {
		fmt.Fprintf(c.stderr, "%s is up to date\n", c.shown(name))
	} else {
		if err := writeFile(name, page); err != nil {
			return fmt.Errorf("writing the page: %w", err)
		}
		fmt.Fprintf(c.stderr, "wrote %s\n", c.shown(name))
		if len(existing) > 0 {
			c.sayReplaced(name, existing, page)
		}
	}
	if len(stale) > 0 {
		return report.Text(c.stderr, stale, nil, report.Options{Bare: true, Color: color(c.stderr)})
	}
	c.remember(a, name)
	return nil
}

// stalePages picks the findings about names on pages that no longer exist.
func stalePages(findings []lockgraph.Finding) []lockgraph.Finding {
	var out []lockgraph.Finding
	for _, f := range findings {
		if f.Kind == "stale-name" && f.Severity != lockgraph.SeverityNote {
			out = append(out, f)
		}
	}
	return out
}

// comparePage prints how the page differs from what the code gives, and
// which names on it are stale. With -check either is a reason to fail.
func (c *invocation) comparePage(a *analysis, name string, existing, page []byte, stale []lockgraph.Finding) error {
	fmt.Fprint(c.stdout, docgen.UnifiedDiff(existing, page, c.shown(name), c.shown(name)+" (generated)"))
	if !c.check {
		return nil
	}
	same := bytes.Equal(existing, page)
	if !same {
		fmt.Fprintf(c.stderr, "pglockdep: %s is stale\npglockdep: hint: %s\n", c.shown(name), c.mend())
	}
	if err := report.Text(c.stdout, stale, nil, report.Options{Bare: true, Color: color(c.stdout)}); err != nil {
		return err
	}
	if !same || len(stale) > 0 {
		return errFound
	}
	c.remember(a, name)
	return nil
}

// shownChanges is how many lines that docs replaced are printed; of more,
// only the number.
const shownChanges = 40

// sayReplaced tells what of the generated part of a page was replaced, so
// that what somebody wrote there is not lost unseen.
func (c *invocation) sayReplaced(name string, old, new []byte) {
	lines := 0
	for _, d := range docgen.Changes(old, new) {
		fmt.Fprintf(c.stderr, "  section %s: %s replaced by %s\n", d.Section, counted(d.Gone, "line"), counted(d.Written, "line"))
		lines += d.Gone + d.Written
	}
	if lines <= shownChanges || c.verbose {
		fmt.Fprint(c.stderr, docgen.UnifiedDiff(old, new, c.shown(name)+" (before)", c.shown(name)))
	}
}

// initDocs writes a first configuration where there is none, and prints what
// the locks want that nothing is said about.
func (c *invocation) initDocs(a *analysis) error {
	c.progress.clear()
	if a.cfg.File == "" {
		name := filepath.Join(a.root, config.FileName)
		if err := writeFile(name, []byte(initConfig+schemaLine(a))); err != nil {
			return fmt.Errorf("writing %s: %w", c.shown(name), err)
		}
		fmt.Fprintf(c.stderr, "wrote %s\n", c.shown(name))
	}
	c.stubs(a.view.Manifest)
	return nil
}

// remember marks the present state as one in which the page is right. Where
// code of another module could not be had, or the schema or a page lies
// elsewhere, the same files may give another page tomorrow.
func (c *invocation) remember(a *analysis, page string) {
	abroad := func(name string) bool {
		return escapes(inputs.Workspace(a.dir), joined(a.root, filepath.FromSlash(name)))
	}
	pages, err := a.pages()
	if err != nil || !a.settled || slices.ContainsFunc(append(pages, a.schema.Files...), abroad) {
		return
	}
	if state, err := c.stateFile(page); err == nil {
		mark(state)
	}
}

// pageName returns the file the command writes.
func (c *invocation) pageName(a *analysis) string {
	if c.output == "-" {
		return c.output
	}
	if c.output != "" {
		return joined(a.dir, c.output)
	}
	return a.page()
}

// page is the file of the page that the configuration names.
func (a *analysis) page() string {
	base := a.root
	if a.cfg.File != "" {
		base = filepath.Dir(a.cfg.File)
	}
	return filepath.Join(base, filepath.FromSlash(a.cfg.Page))
}

// shown returns a file name relative to the working directory.
func (c *invocation) shown(name string) string {
	wd, err := os.Getwd()
	if err != nil {
		return name
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(wd, abs); err == nil {
		return filepath.ToSlash(rel)
	}
	return name
}

// mend is the command that brings the page up to date.
func (c *invocation) mend() string {
	cmd := "pglockdep docs"
	if c.dir != "" {
		cmd += " -C " + c.dir
	}
	for _, p := range c.args {
		cmd += " " + p
	}
	return cmd + " writes it"
}

// writeFile replaces a file in one step: readers see the old or the new one,
// never half of it. A file that may not be written is left alone; where the
// name is a link, what it leads to is replaced.
func writeFile(name string, data []byte) error {
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
		f.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".pglockdep-*")
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		pe.Path = name // the temporary name would tell nothing
	}
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if st, err := os.Stat(name); err == nil {
		mode = st.Mode().Perm()
	}
	if err := os.Chmod(tmp.Name(), mode); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
