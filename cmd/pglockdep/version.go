package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// version and commit are set by the release build; a program that go install
// made of a version knows that by itself, one built in a checkout its commit.
var version, commit string

func init() {
	if version == "" {
		version, commit = built(debug.ReadBuildInfo())
	}
}

func built(info *debug.BuildInfo, ok bool) (version, commit string) {
	version, commit = "devel", "unknown"
	if !ok {
		return version, commit
	}
	if info.Main.Sum != "" {
		version = info.Main.Version
	}
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = ", modified"
		}
	}
	return version, commit + dirty
}

var versionCommand = &command{
	name: "version", args: "",
	short:    "print the version, its commit, the SQL parser and its grammar",
	examples: []string{"version"},
	long: `Version prints the version of pglockdep and the commit it was made of, the SQL
parser it was built with and the PostgreSQL version whose grammar that reads.`,
	run: func(c *invocation) error {
		if len(c.args) > 0 {
			return fmt.Errorf("version takes no arguments")
		}
		_, err := fmt.Fprintf(c.stdout, "pglockdep %s\ncommit %s\nparser %s, grammar of PostgreSQL %d\n%s %s/%s\n",
			version, commit, pgsql.ParserName(), pgsql.Grammar(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	},
}
