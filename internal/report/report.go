package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// Formats are the names that Write knows.
var Formats = []string{"text", "json", "sarif", "github", "gitlab"}

// Options are the choices of a caller. Color and Width are for a terminal
// and used by the text format alone; Width 0 wraps nothing.
type Options struct {
	Color   bool
	Verbose bool
	Bare    bool // no line that counts
	Width   int
	Version string            // of the tool, for formats that carry it
	Manual  map[string]string // of checks, by name, for the same

	// EditOf returns the edit of the file of a finding that mends it, nil
	// where there is none: for SARIF.
	EditOf func(lockgraph.Finding) *Edit
}

// An Edit replaces a part of a file. Lines and columns begin at 1, columns
// count as UTF-16 does, and the end is the first column that stays.
type Edit struct {
	Message            string
	Line, Column       int
	EndLine, EndColumn int
	New                string
}

// Write writes findings and unknowns in the named format.
func Write(w io.Writer, format string, findings []lockgraph.Finding, unknowns []lockgraph.Unknown, opts Options) error {
	switch format {
	case "text":
		return Text(w, findings, unknowns, opts)
	case "json":
		return JSON(w, findings, unknowns)
	case "sarif":
		return SARIF(w, findings, unknowns, opts)
	case "github":
		return GitHub(w, findings)
	case "gitlab":
		return GitLab(w, findings)
	}
	return fmt.Errorf("no format is named %q (%s)", format, strings.Join(Formats, ", "))
}

// JSON writes the shape of "check": findings and unknowns in two lists.
func JSON(w io.Writer, findings []lockgraph.Finding, unknowns []lockgraph.Unknown) error {
	out := struct {
		Findings []lockgraph.Finding `json:"findings"`
		Unknowns []lockgraph.Unknown `json:"unknowns"`
	}{sorted(findings), sortedUnknowns(unknowns)}
	for i := range out.Findings {
		if out.Findings[i].Related == nil {
			out.Findings[i].Related = []lockgraph.Frame{}
		}
	}
	return encode(w, out)
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// sorted copies findings into the order in which they are read.
func sorted(findings []lockgraph.Finding) []lockgraph.Finding {
	out := append([]lockgraph.Finding{}, findings...)
	slices.SortStableFunc(out, func(x, y lockgraph.Finding) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Kind, y.Kind),
			cmp.Compare(x.Func, y.Func), cmp.Compare(x.Message, y.Message), cmp.Compare(x.Fingerprint, y.Fingerprint))
	})
	return out
}

func sortedUnknowns(unknowns []lockgraph.Unknown) []lockgraph.Unknown {
	out := append([]lockgraph.Unknown{}, unknowns...)
	slices.SortStableFunc(out, func(x, y lockgraph.Unknown) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Func, y.Func),
			cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Reason, y.Reason))
	})
	return out
}

// short names a function without its import path: "(*Store).Close".
func short(full string) string {
	if strings.Contains(full, " ") {
		return full // a migration
	}
	if i := strings.LastIndexByte(full, '/'); i >= 0 {
		full = full[i+1:]
	}
	if pkg, rest, ok := strings.Cut(full, "."); ok && pkg != "" && strings.HasPrefix(rest, "(") {
		return rest
	}
	return full
}
