// Package analyzers is the suite: every check, with the reason it is in it.
//
// A view enters; the findings of all checks leave. The package holds no
// check itself.
package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/pglockdep/pglockdep/analyzers/lockdrift"
	"github.com/pglockdep/pglockdep/analyzers/lockkey"
	"github.com/pglockdep/pglockdep/analyzers/lockmany"
	"github.com/pglockdep/pglockdep/analyzers/lockorder"
	"github.com/pglockdep/pglockdep/analyzers/lockscope"
	"github.com/pglockdep/pglockdep/analyzers/lockupgrade"
	"github.com/pglockdep/pglockdep/analyzers/lockwait"
	"github.com/pglockdep/pglockdep/analyzers/poolintx"
	"github.com/pglockdep/pglockdep/analyzers/sessionlock"
	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Checks is the suite. A check is in it when it is about correctness, when
// its fault was found in real code, and when each report is worth reading.
var Checks = []*pass.Check{
	lockorder.Check,   // opposite orders are the deadlock that no test finds
	lockmany.Check,    // several rows in no order are the commonest deadlock of all
	lockupgrade.Check, // two runs of one function suffice, and tests run it once
	sessionlock.Check, // a pool hides which session holds the lock
	lockscope.Check,   // a lock that has ended fails silently
	lockkey.Check,     // keys that meet by accident exclude for no reason
	poolintx.Check,    // a pool that starves itself shows nothing in PostgreSQL
	lockdrift.Check,   // one path of twenty without the lock passes every test
	lockwait.Check,    // how long a lock is held shows under load only
}

// Analyzers returns the suite for go/analysis drivers.
func Analyzers() []*analysis.Analyzer {
	var out []*analysis.Analyzer
	for _, c := range Checks {
		out = append(out, c.Analyzer())
	}
	return out
}

// Findings runs every check on a view.
func Findings(v *prog.View) []lockgraph.Finding {
	var out []lockgraph.Finding
	for _, c := range Checks {
		out = append(out, c.Run(v)...)
	}
	lockgraph.SortFindings(out)
	return out
}
