package report

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// The part of SARIF 2.1.0 (OASIS standard of 2020) that code hosts read.
// Lists that the standard requires are never null.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string        `json:"id"`
		Name    string        `json:"name"`
		Short   sarifText     `json:"shortDescription"`
		Full    sarifText     `json:"fullDescription"`
		HelpURI string        `json:"helpUri,omitempty"`
		Help    sarifHelp     `json:"help"`
		Default sarifLevel    `json:"defaultConfiguration"`
		Tags    sarifProperty `json:"properties"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifProperty struct {
		Tags []string `json:"tags"`
	}
	sarifInvocation struct {
		Successful bool                `json:"executionSuccessful"`
		Notes      []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Flows        []sarifFlow       `json:"codeFlows,omitempty"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		Line      int `json:"startLine"`
		Column    int `json:"startColumn,omitempty"`
		EndLine   int `json:"endLine,omitempty"`
		EndColumn int `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted sarifText   `json:"insertedContent"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifFlow struct {
		Message *sarifText    `json:"message,omitempty"`
		Threads []sarifThread `json:"threadFlows"`
	}
	sarifThread struct {
		Locations []sarifStep `json:"locations"`
	}
	sarifStep struct {
		Location sarifLocation `json:"location"`
	}
)

// SARIF writes findings as one run of SARIF 2.1.0. Frames are both related
// locations, which hosts link, and a flow, which editors step through; an edit
// that mends a finding is a fix; unknowns are notifications of the run.
func SARIF(w io.Writer, findings []lockgraph.Finding, unknowns []lockgraph.Unknown, opts Options) error {
	findings = sorted(findings)
	rules := sarifRules(findings, opts.Manual)
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{"pglockdep", opts.Version, site, rules}},
		Invocations: []sarifInvocation{{Successful: true}},
		Results:     []sarifResult{},
		ColumnKind:  "utf16CodeUnits",
	}
	for _, f := range findings {
		r := sarifResult{
			RuleID:    f.Kind,
			RuleIndex: slices.IndexFunc(rules, func(r sarifRule) bool { return r.ID == f.Kind }),
			Level:     sarifSeverity(f.Severity),
			Message:   sarifText{f.Message},
			Locations: []sarifLocation{location(f.File, f.Line, f.Func, "")},
		}
		if f.Hint != "" {
			r.Message.Text += "\n" + f.Hint
		}
		if f.Fingerprint != "" {
			r.Fingerprints = map[string]string{"pglockdep/v1": f.Fingerprint}
		}
		for i, fr := range f.Related {
			l := location(fr.File, fr.Line, fr.Func, fr.Does)
			l.ID = i + 1
			r.Related = append(r.Related, l)
		}
		r.Flows = flows(&f)
		if opts.EditOf != nil {
			if e := opts.EditOf(f); e != nil {
				r.Fixes = []sarifFix{sarifFixOf(f.File, e)}
			}
		}
		run.Results = append(run.Results, r)
	}
	for _, u := range sortedUnknowns(unknowns) {
		run.Invocations[0].Notes = append(run.Invocations[0].Notes, sarifNotification{
			Level: "note", Message: sarifText{"not understood: " + u.Reason},
			Locations: []sarifLocation{location(u.File, u.Line, u.Func, "")},
		})
	}
	return encode(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// site is where the manual of the checks is read.
const site = "https://github.com/pglockdep/pglockdep"

// flows are the sides of a finding, each the steps that one session takes.
func flows(f *lockgraph.Finding) []sarifFlow {
	sides, total := f.Sides, 0
	for _, n := range sides {
		total += n
	}
	if total != len(f.Related) || len(sides) < 2 {
		sides = []int{len(f.Related)}
	}
	var out []sarifFlow
	frames := f.Related
	for i, n := range sides {
		if n == 0 {
			continue
		}
		var thread sarifThread
		for _, fr := range frames[:n] {
			thread.Locations = append(thread.Locations, sarifStep{location(fr.File, fr.Line, fr.Func, fr.Does)})
		}
		flow := sarifFlow{Threads: []sarifThread{thread}}
		if len(sides) > 1 {
			flow.Message = &sarifText{fmt.Sprintf("side %d of %d: %s", i+1, len(sides), short(frames[0].Func))}
		}
		out, frames = append(out, flow), frames[n:]
	}
	return out
}

// sarifRules are all kinds, so that a host knows those that found nothing,
// and behind them any kind of a finding that the table does not have.
func sarifRules(findings []lockgraph.Finding, manual map[string]string) []sarifRule {
	var out []sarifRule
	rule := func(id, check, title, severity string) sarifRule {
		r := sarifRule{ID: id, Name: id, Short: sarifText{title}, Full: sarifText{title}, Default: sarifLevel{sarifSeverity(severity)}, Tags: sarifProperty{[]string{check}},
			Help: sarifHelp{Text: title}}
		if text := strings.TrimSpace(manual[check]); text != "" {
			r.Help = sarifHelp{Text: text, Markdown: text}
			r.HelpURI = site + "/blob/main/docs/checks/" + check + ".md"
		}
		return r
	}
	for _, k := range lockgraph.Kinds {
		out = append(out, rule(k.Slug, k.Check, k.Title, k.Severity))
	}
	for _, f := range findings {
		if !slices.ContainsFunc(out, func(r sarifRule) bool { return r.ID == f.Kind }) {
			out = append(out, rule(f.Kind, f.Check, f.Kind, f.Severity))
		}
	}
	return out
}

func sarifSeverity(s string) string {
	switch s {
	case lockgraph.SeverityError, lockgraph.SeverityWarning, lockgraph.SeverityNote:
		return s
	}
	return "none"
}

func artifact(file string) sarifArtifact {
	return sarifArtifact{(&url.URL{Path: file}).String(), "%SRCROOT%"}
}

func sarifFixOf(file string, e *Edit) sarifFix {
	return sarifFix{sarifText{e.Message}, []sarifChange{{artifact(file), []sarifReplacement{{
		Deleted:  sarifRegion{e.Line, e.Column, e.EndLine, e.EndColumn},
		Inserted: sarifText{e.New},
	}}}}}
}

func location(file string, line int, fn, does string) sarifLocation {
	var l sarifLocation
	if file != "" {
		l.Physical = &sarifPhysical{Artifact: artifact(file)}
		if line > 0 {
			l.Physical.Region = &sarifRegion{Line: line}
		}
	}
	if fn != "" {
		l.Logical = []sarifLogical{{fn, "function"}}
	}
	if does != "" {
		l.Message = &sarifText{does}
	}
	return l
}
