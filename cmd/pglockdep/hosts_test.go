package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// inShell runs a command line in dir and returns its exit code.
func inShell(t *testing.T, dir, line string, env ...string) int {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOWORK=off"), env...)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if exit.ExitCode() > 1 {
			t.Errorf("%s: exit code %d\n%s", line, exit.ExitCode(), out)
		}
		return exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return 0
}

// TestGitLab runs the script of the job that init writes, which is that of
// the example, on a branch with a new finding.
func TestGitLab(t *testing.T) {
	for _, tool := range []string{"sh", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	_, job, _ := strings.Cut(gitlabJob, "\n")
	if example := read(t, "../../examples/gitlab/.gitlab-ci.yml"); example != job {
		t.Errorf("the example is not what init writes:\n%s", example)
	}
	var ci struct {
		Pglockdep struct {
			Script    []string
			Artifacts struct {
				Reports struct{ Codequality string }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(gitlabJob), &ci); err != nil {
		t.Fatal(err)
	}
	dir := copied(t, "testdata/bank")
	runGit(t, dir, "init", "-q", "-b", "main")
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "base")
	base := runGit(t, dir, "rev-parse", "HEAD")
	addFault(t, dir)
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "branch")
	failed := 0
	for _, line := range ci.Pglockdep.Script {
		if !strings.HasPrefix(line, "go install ") {
			failed += inShell(t, dir, line, "CI_MERGE_REQUEST_DIFF_BASE_SHA="+base)
		}
	}
	if failed != 2 {
		t.Errorf("%d steps fail, want both: a new finding, and no page", failed)
	}
	var report []struct {
		Fingerprint string
		Location    struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, ci.Pglockdep.Artifacts.Reports.Codequality))), &report); err != nil {
		t.Fatal(err)
	}
	if len(report) == 0 {
		t.Error("the report is empty")
	}
	for _, x := range report {
		if x.Location.Path != "ping.go" || x.Fingerprint == "" {
			t.Errorf("not new, or without a fingerprint: %+v", x)
		}
	}
}

// TestHooks runs the pre-commit hooks.
func TestHooks(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	var hooks []struct{ ID, Entry, Language string }
	if err := yaml.Unmarshal([]byte(read(t, "../../.pre-commit-hooks.yaml")), &hooks); err != nil {
		t.Fatal(err)
	}
	dir := copied(t, "testdata/bank")
	codes := map[string]int{}
	for _, h := range hooks {
		if h.Language != "golang" {
			t.Errorf("hook %s is in %s", h.ID, h.Language)
		}
		codes[h.ID] = inShell(t, dir, h.Entry)
	}
	if codes["pglockdep"] != 1 || codes["pglockdep-docs"] != 0 || len(codes) != 2 {
		t.Errorf("exit codes %v", codes)
	}
	if _, err := os.Stat(filepath.Join(dir, "docs", "database-locks.md")); err != nil {
		t.Error(err)
	}
}
