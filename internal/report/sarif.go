package report

import (
	"io"
	"net/url"
	"slices"

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
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string        `json:"id"`
		Short   sarifText     `json:"shortDescription"`
		Default sarifLevel    `json:"defaultConfiguration"`
		Tags    sarifProperty `json:"properties"`
	}
	sarifText struct {
		Text string `json:"text"`
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
		Line int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifFlow struct {
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
// locations, which hosts link, and a flow, which editors step through;
// unknowns are notifications of the run.
func SARIF(w io.Writer, findings []lockgraph.Finding, unknowns []lockgraph.Unknown, version string) error {
	findings = sorted(findings)
	rules := sarifRules(findings)
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{"pglockdep", version, rules}},
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
		var thread sarifThread
		for i, fr := range f.Related {
			l := location(fr.File, fr.Line, fr.Func, fr.Does)
			thread.Locations = append(thread.Locations, sarifStep{l})
			l.ID = i + 1
			r.Related = append(r.Related, l)
		}
		if len(f.Related) > 0 {
			r.Flows = []sarifFlow{{[]sarifThread{thread}}}
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

// sarifRules are all kinds, so that a host knows those that found nothing,
// and behind them any kind of a finding that the table does not have.
func sarifRules(findings []lockgraph.Finding) []sarifRule {
	var out []sarifRule
	for _, k := range lockgraph.Kinds {
		out = append(out, sarifRule{k.Slug, sarifText{k.Title}, sarifLevel{sarifSeverity(k.Severity)}, sarifProperty{[]string{k.Check}}})
	}
	for _, f := range findings {
		if !slices.ContainsFunc(out, func(r sarifRule) bool { return r.ID == f.Kind }) {
			out = append(out, sarifRule{f.Kind, sarifText{f.Kind}, sarifLevel{sarifSeverity(f.Severity)}, sarifProperty{[]string{f.Check}}})
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

func location(file string, line int, fn, does string) sarifLocation {
	var l sarifLocation
	if file != "" {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: file}).String(), "%SRCROOT%"}}
		if line > 0 {
			l.Physical.Region = &sarifRegion{line}
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
