package main

import (
	"errors"

	"github.com/pglockdep/pglockdep/internal/change"
)

var diffCommand = &command{
	name: "diff", args: "[flags] OLD.json NEW.json",
	short: "tell what a change does to locks, their order and their keys",
	long: `Diff compares two manifests that graph wrote: locks that are new or gone, keys
that are made in another way, orders that are new or no longer taken, findings
that are new or gone. Code that only moved does not count. A changed key comes
with a warning: as long as old and new versions run side by side, the two do
not exclude each other. Exit code 1 when anything differs.`,
	examples: []string{"diff old.json new.json", "diff -format markdown old.json new.json"},
	flags: func(c *invocation) {
		c.fs.StringVar(&c.dir, "C", "", "change to `DIR` before anything else")
		c.fs.StringVar(&c.format, "format", "text", "text, markdown or json (`FORMAT`)")
	},
	run: func(c *invocation) error {
		if err := oneOf("format", c.format, change.Formats...); err != nil {
			return err
		}
		if len(c.args) != 2 {
			return hint(errors.New("diff wants two manifests, the old one first"), "pglockdep graph >FILE writes one")
		}
		was, err := readManifest(joined(c.workdir(), c.args[0]))
		if err != nil {
			return err
		}
		is, err := readManifest(joined(c.workdir(), c.args[1]))
		if err != nil {
			return err
		}
		d := change.Diff(was, is)
		if err := d.Write(c.stdout, c.format); err != nil {
			return err
		}
		if !d.Empty() {
			return errFound
		}
		return nil
	},
}
