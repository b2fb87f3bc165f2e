package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// Workflow commands end a property at a comma or a colon and a command at
// the end of the line, so these are written as percent codes.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes workflow commands, which GitHub shows beside the changed
// lines.
func GitHub(w io.Writer, findings []lockgraph.Finding) error {
	var b strings.Builder
	for _, f := range sorted(findings) {
		command := map[string]string{lockgraph.SeverityError: "error", lockgraph.SeverityWarning: "warning"}[f.Severity]
		if command == "" {
			command = "notice"
		}
		var props []string
		if f.File != "" {
			props = append(props, "file="+githubProperty.Replace(f.File))
		}
		if f.Line > 0 {
			props = append(props, fmt.Sprintf("line=%d", f.Line))
		}
		props = append(props, "title="+githubProperty.Replace(f.Kind))
		lines := []string{f.Message}
		for _, r := range f.Related {
			lines = append(lines, strings.TrimSpace(place(r.File, r.Line)+" "+short(r.Func)+" "+r.Does))
		}
		if f.Hint != "" {
			lines = append(lines, "hint: "+f.Hint)
		}
		b.WriteString("::" + command + " " + strings.Join(props, ",") + "::" + githubData.Replace(joined(lines)) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// joined keeps the ends of lines and makes other control characters
// harmless.
func joined(lines []string) string {
	lines = strings.Split(strings.Join(lines, "\n"), "\n")
	for i := range lines {
		lines[i] = visible(lines[i])
	}
	return strings.Join(lines, "\n")
}

type gitlabIssue struct {
	Description string         `json:"description"`
	Check       string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
}

// GitLab writes a code quality report.
func GitLab(w io.Writer, findings []lockgraph.Finding) error {
	out := []gitlabIssue{}
	times := map[string]int{}
	for _, f := range sorted(findings) {
		severity := map[string]string{lockgraph.SeverityError: "critical", lockgraph.SeverityWarning: "major"}[f.Severity]
		if severity == "" {
			severity = "info"
		}
		// GitLab drops issues with equal fingerprints, so the same fault in
		// several places counts its places; line numbers would reopen all
		// issues below an edit.
		id := f.Kind + "\x00" + f.File + "\x00" + f.Func + "\x00" + f.Fingerprint
		times[id]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", id, times[id]))
		path := f.File
		if path == "" {
			path = "go.mod" // a report without a place needs some file
		}
		out = append(out, gitlabIssue{f.Message, f.Kind, hex.EncodeToString(sum[:16]), severity, gitlabLocation{path, gitlabLines{max(f.Line, 1)}}})
	}
	return encode(w, out)
}
