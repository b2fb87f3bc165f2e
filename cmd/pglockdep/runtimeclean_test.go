package main

import (
	"bytes"
	"regexp"
	"slices"
	"testing"
)

// The helpers for services are code that takes locks too: check has nothing
// to say of them, or they say why they do it.
func TestRuntimeIsClean(t *testing.T) {
	if testing.Short() {
		t.Skip("loads pgx")
	}
	var stdout, stderr bytes.Buffer
	if code := Run([]string{"check", "-C", "../../runtime", "./..."}, nil, &stdout, &stderr); code != exitOK {
		t.Errorf("exit %d\n%s", code, &stdout)
	}
	if stderr.Len() > 0 {
		t.Errorf("check complains:\n%s", &stderr)
	}
}

// What a program on the helpers is told: its faults, and nothing of how the
// helpers are used as they should be.
func TestFindingsUnderRuntimeLocks(t *testing.T) {
	var stdout, stderr bytes.Buffer
	Run([]string{"check", "-C", "../../testdata/runtimelocks", "./..."}, nil, &stdout, &stderr)
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^(\w+\.go):.* \[([a-z-]+)\]$`).FindAllStringSubmatch(stdout.String(), -1) {
		got = append(got, m[1]+" "+m[2])
	}
	want := []string{"every.go no-lock-timeout", "every.go no-lock-timeout", "faults.go lock-order-cycle", "faults.go try-result-ignored"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q\n%s%s", got, want, &stdout, &stderr)
	}
}
