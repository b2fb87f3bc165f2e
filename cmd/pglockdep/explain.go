package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/internal/glossary"
	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var explainCommand = &command{
	name: "explain", args: "[KIND | CHECK | WORD]",
	short: "explain a kind of finding, a check or a word",
	long: `Explain prints the manual of a check or of a kind of finding: what is wrong,
what is right, what it cannot see, how to silence it; or what a word of the
messages means. Without an argument it lists the checks and kinds.`,
	run: func(c *invocation) error {
		if len(c.args) == 0 {
			for _, ch := range analyzers.Checks {
				title, _, _ := strings.Cut(strings.TrimSpace(ch.Doc), "\n")
				fmt.Fprintf(c.stdout, "%-13s %s\n", ch.Name, title)
				for _, k := range ch.Kinds {
					if kind, ok := lockgraph.KindOf(k); ok {
						fmt.Fprintf(c.stdout, "    %-26s %-8s %s\n", k, kind.Severity, kind.Title)
					}
				}
			}
			return nil
		}
		word := strings.ToLower(strings.Join(c.args, " "))
		var names []string
		for _, ch := range analyzers.Checks {
			names = append(names, ch.Name)
			if ch.Name == word {
				fmt.Fprintln(c.stdout, strings.TrimSpace(ch.Doc))
				return nil
			}
			for _, k := range ch.Kinds {
				names = append(names, k)
				if k == word {
					kind, _ := lockgraph.KindOf(k)
					fmt.Fprintf(c.stdout, "%s (%s, check %s): %s\n\n%s\n", k, kind.Severity, ch.Name, kind.Title, strings.TrimSpace(ch.Doc))
					return nil
				}
			}
		}
		if kind, ok := lockgraph.KindOf(word); ok {
			fmt.Fprintf(c.stdout, "%s (%s, check %s): %s\n", kind.Slug, kind.Severity, kind.Check, kind.Title)
			return nil
		}
		for _, t := range glossary.Terms() {
			names = append(names, t.Word)
			if t.Word == word {
				fmt.Fprintf(c.stdout, "%s: %s\n", t.Word, strings.ReplaceAll(t.Means, "`", ""))
				return nil
			}
		}
		err := fmt.Errorf("nothing is named %q", strings.Join(c.args, " "))
		if near := nearest(word, names); near != "" {
			return hint(err, "did you mean "+near+"?")
		}
		return hint(err, "pglockdep explain lists the checks and kinds")
	},
}

var versionCommand = &command{
	name: "version", args: "",
	short: "print the version, the SQL parser and its grammar",
	long:  `Version prints the version of pglockdep, the SQL parser it was built with and the PostgreSQL version whose grammar that reads.`,
	run: func(c *invocation) error {
		if len(c.args) > 0 {
			return fmt.Errorf("version takes no arguments")
		}
		_, err := fmt.Fprintf(c.stdout, "pglockdep %s\nparser %s, grammar of PostgreSQL %d\n%s %s/%s\n", version, pgsql.ParserName(), pgsql.Grammar(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	},
}
