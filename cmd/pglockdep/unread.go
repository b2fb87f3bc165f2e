package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// unread tells of packages and schema files that could not be read, one line
// for each package or file: they are faults of the input, while other
// unknowns are limits of the analysis and stand in its output.
func unread(w io.Writer, unknowns []lockgraph.Unknown) {
	type trouble struct {
		first lockgraph.Unknown
		more  int
	}
	var order []string
	seen := map[string]*trouble{}
	for _, u := range inputFaults(unknowns) {
		key := subject(u)
		if t := seen[key]; t != nil {
			t.more++
			continue
		}
		seen[key] = &trouble{first: u}
		order = append(order, key)
	}
	for _, key := range order {
		t := seen[key]
		more := ""
		if t.more > 0 {
			more = fmt.Sprintf(" (and %d more there)", t.more)
		}
		fmt.Fprintf(w, "pglockdep: %s%s%s\n", place(t.first), t.first.Reason, more)
	}
	if len(order) > 0 {
		fmt.Fprintln(w, "pglockdep: hint: what could not be read is left out; everything else is analysed")
	}
}

// inputFaults returns the unknowns that tell of packages and schema files, in
// the order of their places, those without one last.
func inputFaults(unknowns []lockgraph.Unknown) []lockgraph.Unknown {
	var out []lockgraph.Unknown
	for _, u := range unknowns {
		if u.Kind == "package" || u.Kind == "schema" {
			out = append(out, u)
		}
	}
	slices.SortStableFunc(out, func(a, b lockgraph.Unknown) int {
		placed := func(u lockgraph.Unknown) int {
			if u.File == "" {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), placed(a)-placed(b), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// subject is what an unknown is about: its package, else its file.
func subject(u lockgraph.Unknown) string {
	if u.Kind == "package" {
		name, _, _ := strings.Cut(u.Reason, ": ")
		return name
	}
	return u.File
}

func place(u lockgraph.Unknown) string {
	switch {
	case u.File == "":
		return ""
	case u.Line == 0:
		return u.File + ": "
	}
	return fmt.Sprintf("%s:%d: ", u.File, u.Line)
}
