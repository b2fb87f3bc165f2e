package main

import (
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
could not run.`,
	examples: []string{"check", "check -fail-on error ./...", "check -format sarif", "check -schema schema.sql -implicit all"},
	flags: func(c *invocation) {
		c.packageFlags()
		c.fs.StringVar(&c.format, "format", "text", "text, json, sarif, github or gitlab (`FORMAT`)")
		c.fs.StringVar(&c.failOn, "fail-on", "warning", "least severity that fails: error, warning or note (`SEVERITY`)")
	},
	run: func(c *invocation) error {
		if err := oneOf("format", c.format, report.Formats...); err != nil {
			return err
		}
		if err := oneOf("fail-on", c.failOn, "error", "warning", "note"); err != nil {
			return err
		}
		a, err := c.analyze()
		if err != nil {
			return err
		}
		m := a.view.Manifest
		c.progress.clear()
		if err := report.Write(c.stdout, c.format, m.Findings, m.Unknowns, report.Options{Color: color(c.stdout), Verbose: c.verbose, Version: version}); err != nil {
			return err
		}
		for _, f := range m.Findings {
			if weight(f.Severity) >= weight(c.failOn) {
				return errFound
			}
		}
		return nil
	},
}

func weight(severity string) int {
	switch severity {
	case lockgraph.SeverityError:
		return 3
	case lockgraph.SeverityWarning:
		return 2
	}
	return 1
}
