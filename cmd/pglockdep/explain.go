package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/pglockdep/pglockdep/analyzers"
	"github.com/pglockdep/pglockdep/internal/glossary"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var explainCommand = &command{
	name: "explain", args: "[flags] [KIND | CHECK | WORD | LOCK | FINDING]",
	short: "explain a kind of finding, a check, a word, a lock or a finding",
	long: `Explain prints the manual of a check or of a kind of finding: what is wrong,
what is right, what it cannot see, how to silence it; or what a word of the
messages means. Without an argument it lists the checks and kinds. Anything
else is looked for in the program around: a lock by its name, relation, key
prefix or id, a finding by its fingerprint or its place, as in bank.go:37.`,
	examples: []string{"explain", "explain lock-order-cycle", "explain held set", "explain account", "explain bank.go:37"},
	flags:    func(c *invocation) { c.packageFlags() },
	run: func(c *invocation) error {
		if len(c.args) == 0 {
			listKinds(c.stdout)
			return nil
		}
		asked := strings.Join(c.args, " ")
		names, ok := explainWord(c.stdout, strings.ToLower(asked))
		if ok {
			return nil
		}
		found, more := c.explainProgram(asked)
		if found {
			return nil
		}
		err := fmt.Errorf("nothing is named %q", asked)
		if near := nearest(asked, append(names, more...)); near != "" {
			return hint(err, "did you mean "+near+"?")
		}
		return hint(err, "pglockdep explain lists the checks and kinds, pglockdep graph the locks")
	},
}

// listKinds lists the checks with their kinds.
func listKinds(w io.Writer) {
	for _, ch := range analyzers.Checks {
		title, _, _ := strings.Cut(strings.TrimSpace(ch.Doc), "\n")
		fmt.Fprintf(w, "%-13s %s\n", ch.Name, title)
		for _, k := range ch.Kinds {
			if kind, ok := lockgraph.KindOf(k); ok {
				fmt.Fprintf(w, "    %-26s %-8s %s\n", k, kind.Severity, kind.Title)
			}
		}
	}
}

// explainWord explains what is the same for every program: a check, a kind, a
// word of the glossary. It returns the names it knows.
func explainWord(w io.Writer, word string) (names []string, ok bool) {
	for _, ch := range analyzers.Checks {
		names = append(names, ch.Name)
		if ch.Name == word {
			fmt.Fprintln(w, strings.TrimSpace(ch.Doc))
			return nil, true
		}
		for _, k := range ch.Kinds {
			names = append(names, k)
			if k == word {
				kind, _ := lockgraph.KindOf(k)
				fmt.Fprintf(w, "%s (%s, check %s): %s\n\n%s\n", k, kind.Severity, ch.Name, kind.Title, strings.TrimSpace(ch.Doc))
				return nil, true
			}
		}
	}
	if kind, ok := lockgraph.KindOf(word); ok {
		fmt.Fprintf(w, "%s (%s, check %s): %s\n", kind.Slug, kind.Severity, kind.Check, kind.Title)
		return nil, true
	}
	for _, t := range glossary.Terms() {
		names = append(names, t.Word)
		if t.Word == word {
			fmt.Fprintf(w, "%s: %s\n", t.Word, strings.ReplaceAll(t.Means, "`", ""))
			return nil, true
		}
	}
	return names, false
}
