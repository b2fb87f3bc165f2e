package config

import (
	"fmt"
	"path"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// directiveKind is the kind under which faults of waivers and directives are
// reported. It is none of the table: it can be neither weighed nor waived.
const directiveKind = "directive"

// Waive parts findings into those that stand and those that a waiver or an
// ignore directive accepts. A waiver or directive without a reason accepts
// nothing and is a finding itself; one that matched nothing is a warning.
// Whole says that the findings are those of the whole program: only then is
// it known that a waiver of the file matches nothing.
func (c *Config) Waive(findings []lockgraph.Finding, directives []Directive, whole bool) (kept, waived []lockgraph.Finding) {
	usedW, usedD := make([]bool, len(c.Waivers)), make([]bool, len(directives))
	for _, f := range findings {
		accepted := false
		// Every one that matches counts as used, not only the first.
		for i := range c.Waivers {
			if c.Waivers[i].matches(&f) {
				usedW[i], accepted = true, true
			}
		}
		for i := range directives {
			if d := &directives[i]; d.covers(&f) {
				usedD[i] = true
				accepted = accepted || d.Reason != ""
			}
		}
		if accepted {
			waived = append(waived, f)
		} else {
			kept = append(kept, f)
		}
	}
	for i, d := range directives {
		if d.Verb != VerbIgnore {
			continue
		}
		if d.Reason == "" {
			kept = append(kept, fault(lockgraph.SeverityError, d.File, d.Line, d.Kind, "ignore directive without a reason",
				"write //pglockdep:ignore "+d.Kind+" and why it is accepted"))
		} else if !usedD[i] {
			kept = append(kept, fault(lockgraph.SeverityWarning, d.File, d.Line, d.Kind,
				fmt.Sprintf("ignore directive matches no finding of kind %s", d.Kind), "remove it"))
		}
	}
	for i, w := range c.Waivers {
		if whole && !usedW[i] {
			kept = append(kept, fault(lockgraph.SeverityWarning, c.File, w.Line, w.Kind,
				fmt.Sprintf("waiver matches no finding of kind %s", w.Kind), "remove it"))
		}
	}
	return kept, waived
}

// Fault is the finding for a directive that ParseDirective refused.
func Fault(file string, line int, err error) lockgraph.Finding {
	return fault(lockgraph.SeverityError, file, line, "", err.Error(), "")
}

// Idle is the finding for a directive that names a lock where none is taken.
func Idle(file string, line int) lockgraph.Finding {
	return fault(lockgraph.SeverityWarning, file, line, VerbLock, "directive names no lock: none is taken on the statement, the function or the constant that it stands above",
		"put it right above what takes the lock")
}

func fault(severity, file string, line int, kind, message, hint string) lockgraph.Finding {
	return lockgraph.Finding{
		Check: "config", Kind: directiveKind, Severity: severity, File: file, Line: line,
		Message: message, Hint: hint, Fingerprint: strings.Join([]string{directiveKind, file, kind, message}, "/"),
	}
}

// matches reports whether the waiver accepts a finding; what it leaves out
// matches anything.
func (w *Waiver) matches(f *lockgraph.Finding) bool {
	return w.Kind == f.Kind && w.Reason != "" &&
		(w.File == "" || MatchFile(w.File, f.File)) &&
		(w.Func == "" || matchFunc(w.Func, f.Func)) &&
		(w.Fingerprint == "" || w.Fingerprint == f.Fingerprint)
}

// MatchFile matches a glob in which ** stands for any folders.
func MatchFile(glob, file string) bool {
	return matchParts(strings.Split(glob, "/"), strings.Split(file, "/"))
}

func matchParts(glob, parts []string) bool {
	for len(glob) > 0 {
		if glob[0] == "**" {
			for i := range len(parts) + 1 {
				if matchParts(glob[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, err := path.Match(glob[0], parts[0]); !ok || err != nil {
			return false
		}
		glob, parts = glob[1:], parts[1:]
	}
	return len(parts) == 0
}

// matchFunc matches a symbol or the end of it, and its closures.
func matchFunc(name, symbol string) bool {
	if i := strings.IndexByte(symbol, '$'); i >= 0 && !strings.Contains(name, "$") {
		symbol = symbol[:i]
	}
	rest, ok := strings.CutSuffix(symbol, name)
	return ok && (rest == "" || strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, "/"))
}

// covers reports whether an ignore directive stands at a finding. A finding
// about an order has two sides, and which of them is its place is no choice
// of the author; so each of its frames can bear the directive.
func (d *Directive) covers(f *lockgraph.Finding) bool {
	if d.Verb != VerbIgnore || d.Kind != f.Kind {
		return false
	}
	if d.at(f.File, f.Line) {
		return true
	}
	if k, _ := lockgraph.KindOf(f.Kind); k.Check != "lockorder" {
		return false
	}
	for _, r := range f.Related {
		if d.at(r.File, r.Line) {
			return true
		}
	}
	return false
}

func (d *Directive) at(file string, line int) bool {
	end := d.End
	if end < d.Line {
		end = d.Line + 1
	}
	return d.File == file && d.Line <= line && line <= end
}

// Weigh gives findings the severities that the file chose for their kinds.
func (c *Config) Weigh(findings []lockgraph.Finding) {
	for i := range findings {
		if s := c.Severity[findings[i].Kind]; s != "" {
			findings[i].Severity = s
		}
	}
}
