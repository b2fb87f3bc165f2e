package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/internal/change"
	"github.com/pglockdep/pglockdep/internal/report"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var checkCommand = &command{
	name: "check", args: "[flags] [packages]",
	short: "report faults in how locks are taken",
	long: `Check loads the packages, follows every lock they take in PostgreSQL through
their calls and the schema's functions and triggers, and reports what can
deadlock, lose its exclusion or leak. A cycle is printed whole, with both call
paths. Exit code 1 when a finding is as severe as -fail-on says, 2 when it
could not run.

With -fix it makes the edits that need no judgement, and reports what is left:
rows that are locked in the order of their key, locks that end with their
transaction, and unlocks under a context that is not cancelled.

With -new-from only what is new counts: beside a manifest that graph wrote, or
beside the commit at which this branch left another (REV), whose tree is
analysed too. New locks, new orders and changed keys are told as well. With
-baseline the findings that the file lists are accepted; -write-baseline makes
the file of what is found now. Neither takes a moved line for something new.`,
	examples: []string{"check", "check -fail-on error ./...", "check -format sarif", "check -schema schema.sql -implicit all", "check -fix",
		"check -write-baseline", "check -baseline pglockdep-baseline.json"},
	flags: func(c *invocation) {
		c.packageFlags()
		c.fs.StringVar(&c.format, "format", "text", "text, json, sarif, github or gitlab (`FORMAT`)")
		c.fs.StringVar(&c.failOn, "fail-on", "warning", "least severity that fails: error, warning or note (`SEVERITY`)")
		c.fs.BoolVar(&c.fix, "fix", false, "mend what needs no judgement, and report the rest")
		c.fs.StringVar(&c.baseline, "baseline", "", "accept the findings that `FILE` lists")
		c.fs.BoolVar(&c.writeBaseline, "write-baseline", false, "write what is found to the file of -baseline, or "+baselineName)
		c.fs.StringVar(&c.newFrom, "new-from", "", "report only what is new since this branch left `REV`, or beside a manifest in a file")
	},
	run: runCheck,
}

// baselineName is the file that -write-baseline writes when none is named.
const baselineName = "pglockdep-baseline.json"

func runCheck(c *invocation) error {
	if err := oneOf("format", c.format, report.Formats...); err != nil {
		return err
	}
	if err := oneOf("fail-on", c.failOn, "error", "warning", "note"); err != nil {
		return err
	}
	base, err := c.readBaseline()
	if err != nil {
		return err
	}
	var was *lockgraph.Manifest
	if c.newFrom != "" {
		if was, err = c.former(); err != nil {
			return err
		}
	}
	a, err := c.analyze()
	if err != nil {
		return err
	}
	c.progress.clear()
	m := a.view.Manifest
	if c.writeBaseline {
		return c.saveBaseline(m.Findings)
	}
	var delta *change.Delta
	if was != nil {
		a.cfg.Weigh(was.Findings)
		delta = change.Diff(was, m)
		m.Findings = delta.NewFindings
	}
	if base != nil {
		m.Findings = base.Apply(m.Findings, was == nil && c.whole())
	}
	if c.fix {
		if m.Findings, err = c.applyFixes(a, m.Findings); err != nil {
			return err
		}
	}
	if err := c.report(a, m, delta); err != nil {
		return err
	}
	if slices.ContainsFunc(m.Findings, func(f lockgraph.Finding) bool { return weight(f.Severity) >= weight(c.failOn) }) {
		return errFound
	}
	return nil
}

// report writes the findings, and behind them what else is new.
func (c *invocation) report(a *analysis, m *lockgraph.Manifest, delta *change.Delta) error {
	opt := report.Options{Color: color(c.stdout), Verbose: c.verbose, Version: version, Manual: map[string]string{}, EditOf: a.suggested}
	for _, ch := range analyzers.Checks {
		opt.Manual[ch.Name] = ch.Doc
	}
	if delta == nil {
		return report.Write(c.stdout, c.format, m.Findings, m.Unknowns, opt)
	}
	delta.NewFindings, delta.GoneFindings = nil, nil // the report tells the ones, nobody asked for the others
	if c.format == "json" {
		return lockgraph.EncodeJSON(c.stdout, struct {
			Findings []lockgraph.Finding `json:"findings"`
			Unknowns []lockgraph.Unknown `json:"unknowns"`
			Delta    *change.Delta       `json:"change"`
		}{m.Findings, m.Unknowns, delta})
	}
	if err := report.Write(c.stdout, c.format, m.Findings, m.Unknowns, opt); err != nil {
		return err
	}
	if c.format != "text" || delta.Empty() {
		return nil
	}
	fmt.Fprintln(c.stdout)
	return delta.Write(c.stdout, "text")
}

// whole reports whether the command looks at the whole module, so that an
// entry of the baseline without its finding is one too many.
func (c *invocation) whole() bool {
	return len(c.args) == 0 || len(c.args) == 1 && c.args[0] == "./..."
}

// baselineFile returns the name of the baseline as it is shown.
func (c *invocation) baselineFile() string {
	name := c.baseline
	if name == "" {
		name = baselineName
	}
	if c.dir != "" && !filepath.IsAbs(name) {
		name = filepath.Join(c.dir, name)
	}
	return filepath.ToSlash(name)
}

// readBaseline reads the baseline that was asked for; where one is to be
// written, an old one that cannot be read is not written over.
func (c *invocation) readBaseline() (*change.Baseline, error) {
	if c.baseline == "" && !c.writeBaseline {
		return nil, nil
	}
	if c.writeBaseline && c.newFrom != "" {
		return nil, errors.New("-write-baseline and -new-from exclude each other: a baseline holds all findings")
	}
	b, err := change.ReadBaseline(c.baselineFile())
	switch {
	case err == nil:
		return b, nil
	case c.writeBaseline && errors.Is(err, os.ErrNotExist):
		return nil, nil
	case c.writeBaseline:
		return nil, hint(err, "it is left as it is; mend or remove it first")
	case errors.Is(err, os.ErrNotExist):
		return nil, hint(err, "pglockdep check -write-baseline makes it")
	}
	return nil, err
}

func (c *invocation) saveBaseline(findings []lockgraph.Finding) error {
	b := change.NewBaseline(findings)
	var data writer
	if err := b.Write(&data); err != nil {
		return err
	}
	name := c.baselineFile()
	if err := writeFile(name, data); err != nil {
		return fmt.Errorf("writing the baseline: %w", err)
	}
	fmt.Fprintf(c.stderr, "wrote %s: %d findings are accepted\n", name, len(b.Entries))
	return nil
}

// writer collects bytes.
type writer []byte

func (w *writer) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }

func weight(severity string) int {
	switch severity {
	case lockgraph.SeverityError:
		return 3
	case lockgraph.SeverityWarning:
		return 2
	}
	return 1
}
