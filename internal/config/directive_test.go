package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

func TestParseDirective(t *testing.T) {
	for _, c := range []struct {
		text string
		want Directive
	}{
		{`//pglockdep:lock name="Subscription" serializes="Two \"reconciles\" = one"`, Directive{Verb: "lock", Name: "Subscription", Serializes: `Two "reconciles" = one`}},
		{"//pglockdep:lock serializes=`raw text`", Directive{Verb: "lock", Serializes: "raw text"}},
		{`-- pglockdep:lock name="Pool row"`, Directive{Verb: "lock", Name: "Pool row"}},
		{`  --pglockdep:lock   name = "Pool row"  ` + "\r\n", Directive{Verb: "lock", Name: "Pool row"}},
		{`//pglockdep:path "Grant acts"`, Directive{Verb: "path", Group: "Grant acts"}},
		{"//pglockdep:ignore no-lock-timeout  boot waits on purpose ", Directive{Verb: "ignore", Kind: "no-lock-timeout", Reason: "boot waits on purpose"}},
		{"//pglockdep:ignore no-lock-timeout", Directive{Verb: "ignore", Kind: "no-lock-timeout"}},
		{"-- pglockdep:ignore lock-upgrade seen", Directive{Verb: "ignore", Kind: "lock-upgrade", Reason: "seen"}},
	} {
		got, err := ParseDirective(c.text)
		if err != nil || got != c.want || !IsDirective(c.text) {
			t.Errorf("%q gives %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{`// pglockdep:lock name="x"`, "no space"},
		{`//pglockdep:lok name="x"`, `no directive is named "lok" (nearest: "lock")`},
		{`//pglockdep:lock nam="x"`, `pglockdep:lock: unknown key "nam" (nearest: "name")`},
		{`//pglockdep:lock name=x`, "not in double quotes"},
		{`//pglockdep:lock name='x'`, "not in double quotes"},
		{`//pglockdep:lock name="x`, "not in double quotes"},
		{`//pglockdep:lock name="x" name="y"`, `"name" is said twice`},
		{`//pglockdep:lock name=" "`, "is empty"},
		{`//pglockdep:lock name="x" rest`, `"rest" is no KEY="text"`},
		{`//pglockdep:lock`, "neither name nor serializes"},
		{`//pglockdep:path Grant acts`, "want one text in double quotes"},
		{`//pglockdep:path ""`, "want one text in double quotes"},
		{`//pglockdep:ignore`, "names no kind"},
		{`//pglockdep:ignore lock-order-cycel why`, `(nearest: "lock-order-cycle")`},
	} {
		got, err := ParseDirective(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !IsDirective(c.text) {
			t.Errorf("%q gives %+v, %v; want an error with %q", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "// pglockdep is a tool", "//go:build x", "-- name: Get :one", "pglockdep:lock", "/* pglockdep:lock */"} {
		if _, err := ParseDirective(text); !errors.Is(err, ErrNoDirective) || IsDirective(text) {
			t.Errorf("%q gives %v", text, err)
		}
	}
}

func TestWaive(t *testing.T) {
	at := func(kind, file string, line int, fn string) lockgraph.Finding {
		return lockgraph.Finding{Kind: kind, File: file, Line: line, Func: fn, Severity: "error", Fingerprint: kind + "/" + fn}
	}
	cycle := at("lock-order-cycle", "b.go", 30, "example.test/b.F")
	cycle.Related = []lockgraph.Frame{{File: "c.go", Line: 8}}
	cfg := &Config{File: "pglockdep.yaml", Waivers: []Waiver{
		{Kind: "no-lock-timeout", File: "cmd/**/*.go", Reason: "boot", Line: 3},
		{Kind: "no-lock-timeout", Func: "(*Store).Close", Reason: "known", Line: 4},
		{Kind: "lock-upgrade", Fingerprint: "lock-upgrade/other", Reason: "gone", Line: 5},
		{Kind: "guc-leak", Line: 6}, // without a reason accepts nothing
	}}
	findings := []lockgraph.Finding{
		at("no-lock-timeout", "cmd/a/b/main.go", 1, "main.main"),
		at("no-lock-timeout", "s.go", 9, "example.test/s.(*Store).Close$1"),
		at("no-lock-timeout", "s.go", 9, "example.test/s.(*BigStore).Close"),
		at("lock-upgrade", "s.go", 12, "example.test/s.F"),
		at("guc-leak", "s.go", 13, "example.test/s.F"),
		at("weak-key-hash", "s.go", 21, "example.test/s.F"),
		at("weak-key-hash", "s.go", 40, "example.test/s.G"),
		at("null-key", "s.go", 50, "example.test/s.G"),
		cycle,
	}
	directives := []Directive{
		{Verb: "ignore", Kind: "weak-key-hash", Reason: "ids are few", File: "s.go", Line: 20},
		{Verb: "ignore", Kind: "weak-key-hash", Reason: "whole function", File: "s.go", Line: 35, End: 45},
		{Verb: "ignore", Kind: "null-key", File: "s.go", Line: 49},
		{Verb: "ignore", Kind: "lock-order-cycle", Reason: "replayed, cannot meet", File: "c.go", Line: 7},
		{Verb: "ignore", Kind: "lock-upgrade", Reason: "stale", File: "s.go", Line: 90},
		{Verb: "lock", Name: "x", File: "s.go", Line: 1},
	}
	kept, waived := cfg.Waive(findings, directives, true)
	var got []string
	for _, f := range kept {
		got = append(got, f.Severity+" "+f.File+" "+f.Kind+" "+f.Message)
	}
	want := []string{
		"error s.go no-lock-timeout ", "error s.go lock-upgrade ", "error s.go guc-leak ", "error s.go null-key ",
		"error s.go directive ignore directive without a reason",
		"warning s.go directive ignore directive matches no finding of kind lock-upgrade",
		"warning pglockdep.yaml directive waiver matches no finding of kind lock-upgrade",
		"warning pglockdep.yaml directive waiver matches no finding of kind guc-leak",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("kept\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(waived) != 5 {
		t.Errorf("%d waived, want 5: %+v", len(waived), waived)
	}
	kept, _ = cfg.Waive(nil, nil, false)
	if len(kept) != 0 {
		t.Errorf("a part of the program cannot tell that waivers match nothing: %+v", kept)
	}
}

func TestWeigh(t *testing.T) {
	f := []lockgraph.Finding{{Kind: "no-lock-timeout", Severity: "note"}, {Kind: "null-key", Severity: "warning"}}
	(&Config{Severity: map[string]string{"no-lock-timeout": "error"}}).Weigh(f)
	if f[0].Severity != "error" || f[1].Severity != "warning" {
		t.Errorf("got %+v", f)
	}
}
