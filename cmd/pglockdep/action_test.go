package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// An action is action.yml.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			Name, If, Run, Uses string
			Dir                 string            `yaml:"working-directory"`
			Env, With           map[string]string `yaml:",omitempty"`
		}
	}
}

// fakeGH stands for the gh command: comments are files of a folder, and each
// call is a line of a log.
const fakeGH = `#!/usr/bin/env bash
set -euo pipefail
echo "$*" >>"$GH_STATE/log"
[[ $1 = api ]] && shift
method=GET file= url=
while (($#)); do
	case $1 in
	-X) method=$2; shift ;;
	-F) file=${2#body=@}; shift ;;
	--jq) shift ;;
	-*) ;;
	*) url=$1 ;;
	esac
	shift
done
case "$method $url" in
"GET repos/o/r/issues/7/comments") if [[ -f $GH_STATE/11 ]]; then echo 11; fi ;;
"POST repos/o/r/issues/7/comments") cp "$file" "$GH_STATE/11" ;;
"PATCH repos/o/r/issues/comments/11") cp "$file" "$GH_STATE/11" ;;
*) echo "gh: $method $url" >&2; exit 1 ;;
esac
`

// A job runs the steps of the action as a runner does.
type job struct {
	t        *testing.T
	action   action
	work     string // the repository
	temp     string
	inputs   map[string]string // other than the defaults
	base     string
	stdout   bytes.Buffer
	code     int // of the first step that failed
	uploaded string
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// value returns what an expression of the action stands for. One that is not
// known fails the test.
func (j *job) value(outputs map[string]string) func(string) string {
	return func(s string) string {
		name := expression.FindStringSubmatch(s)[1]
		for alt := range strings.SplitSeq(name, " || ") {
			var v string
			switch input, isInput := strings.CutPrefix(alt, "inputs."); {
			case isInput:
				in, ok := j.action.Inputs[input]
				if !ok {
					j.t.Errorf("action.yml has no input %s", input)
				}
				v = in.Default
				if set, ok := j.inputs[input]; ok {
					v = set
				}
			case strings.HasPrefix(alt, "steps.check.outputs."):
				v = outputs[strings.TrimPrefix(alt, "steps.check.outputs.")]
			case alt == "github.event.pull_request.base.sha":
				v = j.base
			case alt == "github.event.pull_request.number":
				v = "7"
			case alt == "github.token":
				v = "token"
			default:
				j.t.Errorf("action.yml: unknown expression %s", alt)
			}
			if v != "" {
				return v
			}
		}
		return ""
	}
}

func (j *job) run() {
	j.t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		j.t.Fatal(err)
	}
	path, output := filepath.Join(j.temp, "path"), filepath.Join(j.temp, "output")
	for _, name := range []string{path, output} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			j.t.Fatal(err)
		}
	}
	j.code, j.uploaded = 0, ""
	j.stdout.Reset()
	for _, step := range j.action.Runs.Steps {
		value := j.value(pairs(j.t, output))
		if step.Uses != "" {
			j.uploaded = expression.ReplaceAllStringFunc(step.With["sarif_file"], value)
			continue
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir = filepath.Join(j.work, expression.ReplaceAllStringFunc(step.Dir, value))
		search := strings.ReplaceAll(read(j.t, path), "\n", string(filepath.ListSeparator)) + filepath.Join(j.temp, "fake") + string(filepath.ListSeparator) + os.Getenv("PATH")
		cmd.Env = append(os.Environ(), "PATH="+search, "GITHUB_PATH="+path, "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+filepath.Join(j.temp, "summary"),
			"RUNNER_TEMP="+j.temp, "GITHUB_ACTION_PATH="+root, "GITHUB_REPOSITORY=o/r", "GH_STATE="+filepath.Join(j.temp, "gh"), "GOBIN="+filepath.Join(j.temp, "go bin"), "GOWORK=off")
		for name, v := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+expression.ReplaceAllStringFunc(v, value))
		}
		cmd.Stdout, cmd.Stderr = &j.stdout, &j.stdout
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && step.Name == "result" {
			j.code = exit.ExitCode()
		} else if err != nil {
			j.t.Fatalf("step %s: %v\n%s", step.Name, err, j.stdout.Bytes())
		}
	}
}

// TestAction runs the GitHub Action as on a pull request that reverses an
// order, twice, and on one that changes nothing.
func TestAction(t *testing.T) {
	for _, tool := range []string{"bash", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	var a action
	if err := yaml.Unmarshal([]byte(read(t, "../../action.yml")), &a); err != nil {
		t.Fatal(err)
	}
	j := &job{t: t, action: a, work: t.TempDir(), temp: t.TempDir(), inputs: map[string]string{"directory": "my service"}}
	for _, dir := range []string{"fake", "gh"} {
		if err := os.Mkdir(filepath.Join(j.temp, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(j.temp, "fake", "gh"), []byte(fakeGH), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(copied(t, "testdata/bank"), filepath.Join(j.work, "my service")); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string { return runGit(t, j.work, args...) }
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "base")
	j.base = git("rev-parse", "HEAD")
	addFault(t, filepath.Join(j.work, "my service"))
	git("add", "-A")
	git("commit", "-q", "-m", "branch")

	j.run()
	if _, err := os.Stat(filepath.Join(j.temp, "go bin", "pglockdep")); err != nil {
		t.Errorf("the tool is not installed: %v", err)
	}
	if j.code != 1 {
		t.Errorf("exit code %d with a new finding\n%s", j.code, j.stdout.Bytes())
	}
	if !strings.Contains(j.stdout.String(), "::error file=ping.go,line=9,title=xact-lock-outside-tx::") {
		t.Errorf("no annotation in\n%s", j.stdout.Bytes())
	}
	var log struct {
		Runs []struct{ Results []struct{ RuleID string } }
	}
	if err := json.Unmarshal([]byte(read(t, j.uploaded)), &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) == 0 {
		t.Errorf("what is uploaded: %v, %+v", err, log)
	}
	comment := read(t, filepath.Join(j.temp, "gh", "11"))
	if !strings.Contains(comment, "new locks") || !strings.Contains(comment, "xact-lock-outside-tx") || !strings.HasSuffix(read(t, filepath.Join(j.temp, "summary")), comment) {
		t.Errorf("the comment is\n%s\nthe summary\n%s", comment, read(t, filepath.Join(j.temp, "summary")))
	}

	j.run()
	calls := read(t, filepath.Join(j.temp, "gh", "log"))
	if strings.Count(calls, "-X POST") != 1 || strings.Count(calls, "-X PATCH") != 1 {
		t.Errorf("the second run makes another comment:\n%s", calls)
	}

	j.base = git("rev-parse", "HEAD")
	if j.run(); j.code != 0 {
		t.Errorf("exit code %d where nothing is new\n%s", j.code, j.stdout.Bytes())
	}
	if git("status", "--porcelain") != "" {
		t.Error("the action leaves files in the repository")
	}
}

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.test", "-c", "commit.gpgsign=false"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// addFault adds ping.go to the bank, with a finding on line 9.
func addFault(t *testing.T, dir string) {
	t.Helper()
	text := "package bank\n\nimport (\n\t\"context\"\n\t\"database/sql\"\n)\n\nfunc Ping(ctx context.Context, db *sql.DB) error {\n" +
		"\t_, err := db.ExecContext(ctx, \"SELECT pg_advisory_xact_lock(7)\")\n\treturn err\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "ping.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// pairs reads the NAME=VALUE lines of a file.
func pairs(t *testing.T, name string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(read(t, name)) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		out[k] = v
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
