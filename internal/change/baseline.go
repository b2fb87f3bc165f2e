package change

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// baselineVersion is the version of the file's shape.
const baselineVersion = 1

// A Baseline is the findings that a team has decided to live with for now.
type Baseline struct {
	File    string
	Entries []Entry
}

// An Entry is one accepted finding, by its fingerprint; Times counts how
// often it stands, 0 for once.
type Entry struct {
	Kind        string `json:"kind"`
	Severity    string `json:"severity"`
	Fingerprint string `json:"fingerprint"`
	Times       int    `json:"times,omitempty"`

	line int
}

type baselineFile struct {
	Version  int     `json:"version"`
	Findings []Entry `json:"findings"`
}

// ReadBaseline reads a baseline. Its errors name the line at fault.
func ReadBaseline(name string) (*Baseline, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the baseline: %w", err)
	}
	var f baselineFile
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s:%d: the baseline cannot be read: %s", name, lineOf(data, err, dec.InputOffset()), plain(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: the baseline goes on behind its end", name, lineAt(data, dec.InputOffset()))
	}
	if f.Version != baselineVersion {
		return nil, fmt.Errorf("%s:1: the baseline has version %d, this program reads version %d", name, f.Version, baselineVersion)
	}
	b := &Baseline{File: name, Entries: f.Findings}
	for i := range b.Entries {
		e := &b.Entries[i]
		quoted, _ := json.Marshal(e.Fingerprint) // a string always encodes
		e.line = lineAt(data, int64(max(bytes.Index(data, unescaped(quoted)), 0)))
		if e.Fingerprint == "" {
			return nil, fmt.Errorf("%s: entry %d of the baseline has no fingerprint", name, i+1)
		}
	}
	return b, nil
}

// lineOf returns the line at which decoding failed.
func lineOf(data []byte, err error, at int64) int {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &typ):
		at = typ.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		at = int64(len(data))
	}
	return lineAt(data, at)
}

func lineAt(data []byte, at int64) int {
	return 1 + bytes.Count(data[:min(int64(len(data)), max(at, 0))], []byte("\n"))
}

func plain(err error) string {
	text := strings.TrimPrefix(err.Error(), "json: ")
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "it ends too early"
	}
	return text
}

// unescaped undoes the escapes that json.Marshal makes and the file has not.
func unescaped(quoted []byte) []byte {
	return []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(quoted)))
}

// NewBaseline returns the baseline that accepts findings; faults of
// directives and of the configuration are never accepted.
func NewBaseline(findings []lockgraph.Finding) *Baseline {
	at := map[string]int{}
	b := &Baseline{}
	for _, f := range findings {
		if !acceptable(&f) {
			continue
		}
		if i, ok := at[f.Fingerprint]; ok {
			e := &b.Entries[i]
			e.Times = max(e.Times, 1) + 1
			if weight(f.Severity) > weight(e.Severity) {
				e.Severity = f.Severity
			}
			continue
		}
		at[f.Fingerprint] = len(b.Entries)
		b.Entries = append(b.Entries, Entry{Kind: f.Kind, Severity: f.Severity, Fingerprint: f.Fingerprint})
	}
	slices.SortFunc(b.Entries, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Fingerprint, y.Fingerprint))
	})
	return b
}

func acceptable(f *lockgraph.Finding) bool {
	_, ok := lockgraph.KindOf(f.Kind)
	return ok && f.Fingerprint != ""
}

// Write writes the baseline, the same bytes for the same findings.
func (b *Baseline) Write(w io.Writer) error {
	f := baselineFile{baselineVersion, b.Entries}
	if f.Findings == nil {
		f.Findings = []Entry{}
	}
	return lockgraph.EncodeJSON(w, f)
}

// Apply returns the findings that the baseline does not accept. One that has
// become more severe is not accepted, nor one that stands more often. With
// whole, an entry that no finding has any more is a finding itself: accepted
// faults must not come back unseen.
func (b *Baseline) Apply(findings []lockgraph.Finding, whole bool) []lockgraph.Finding {
	known := map[string]Entry{}
	for _, e := range b.Entries {
		known[e.Fingerprint] = e
	}
	out := beyond(findings, known)
	if !whole {
		return out
	}
	met := map[string]bool{}
	for _, f := range findings {
		met[f.Fingerprint] = true
	}
	for _, e := range b.Entries {
		if !met[e.Fingerprint] {
			out = append(out, lockgraph.Finding{Check: "config", Kind: "directive", Severity: lockgraph.SeverityWarning, File: b.File, Line: e.line,
				Message: "the baseline accepts a finding that is gone: " + e.Fingerprint, Hint: "pglockdep check -write-baseline drops it",
				Fingerprint: "baseline/" + e.Fingerprint})
		}
	}
	lockgraph.SortFindings(out)
	return out
}

// beyond returns the findings that are not known, stand more often than
// known, or are more severe.
func beyond(findings []lockgraph.Finding, known map[string]Entry) []lockgraph.Finding {
	var out []lockgraph.Finding
	seen := map[string]int{}
	for _, f := range findings {
		e, ok := known[f.Fingerprint]
		seen[f.Fingerprint]++
		if !ok || seen[f.Fingerprint] > max(e.Times, 1) || weight(f.Severity) > weight(e.Severity) {
			out = append(out, f)
		}
	}
	return out
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
