package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pglockdep/pglockdep/internal/config"
)

// TestExamples runs every example of help on the bank.
func TestExamples(t *testing.T) {
	manifest := bank(t, exitOK, "graph")
	t.Chdir(copied(t, "testdata/bank"))
	if err := os.WriteFile("server.log", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"old.json", "new.json"} {
		if err := os.WriteFile(name, manifest, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range commands() {
		if len(cmd.examples) == 0 {
			t.Errorf("help %s has no example", cmd.name)
		}
		var help bytes.Buffer
		cmd.help(&help)
		for _, e := range cmd.examples {
			if !strings.Contains(help.String(), "\n\tpglockdep "+e+"\n") {
				t.Errorf("help %s does not show %q", cmd.name, e)
			}
			if first := strings.Fields(e)[0]; first != cmd.name {
				t.Errorf("an example of %s runs %s", cmd.name, first)
			}
			t.Run(e, func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				code := Run(shellWords(t, e), nil, &stdout, &stderr)
				if code != exitOK && (code != exitFound || cmd.name != "check") || stdout.Len()+stderr.Len() == 0 && !strings.Contains(e, "-check") {
					t.Errorf("exit code %d\n%s%s", code, stdout.Bytes(), stderr.Bytes())
				}
			})
		}
	}
}

// TestKeysHaveFlags wants the flag of each key of the configuration that has
// one to be there, and flags of the same name to be said.
func TestKeysHaveFlags(t *testing.T) {
	of := map[string]*command{}
	named := map[string]bool{}
	for _, cmd := range commands() {
		of[cmd.name] = cmd
		newInvocation(cmd, nil, io.Discard, io.Discard).fs.VisitAll(func(f *flag.Flag) { named[f.Name] = true })
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[config.Config]()) {
		key, said := f.Tag.Get("yaml"), f.Tag.Get("flag")
		if said == "" {
			if named[key] && of[key] == nil { // order is a command as well
				t.Errorf("the key %s does not name its flag", key)
			}
			continue
		}
		command, name, _ := strings.Cut(said, "-")
		if command = strings.TrimSpace(command); command == "" {
			command = "check"
		}
		if of[command] == nil || newInvocation(of[command], nil, io.Discard, io.Discard).fs.Lookup(name) == nil {
			t.Errorf("the key %s names the flag %q, which is not there", key, said)
		}
	}
}

// shellWords splits a command line at spaces outside single quotes.
func shellWords(t *testing.T, line string) []string {
	t.Helper()
	var out []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// TestCompletion wants every command and flag in each script, and shells that
// read it.
func TestCompletion(t *testing.T) {
	for _, shell := range shells {
		var script, stderr bytes.Buffer
		if code := Run([]string{"completion", shell}, nil, &script, &stderr); code != exitOK {
			t.Fatalf("exit code %d: %s", code, stderr.Bytes())
		}
		for _, cmd := range commands() {
			if !strings.Contains(script.String(), cmd.name) {
				t.Errorf("%s: %s is missing", shell, cmd.name)
			}
			for _, f := range flagsOf(cmd) {
				if !strings.Contains(script.String(), "-"+f.Name) && !strings.Contains(script.String(), "-o "+f.Name) {
					t.Errorf("%s: flag -%s is missing", shell, f.Name)
				}
			}
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not installed: its script is not read by it", shell)
			continue
		}
		read := exec.Command(path, "-n", "/dev/stdin")
		read.Stdin = &script
		if out, err := read.CombinedOutput(); err != nil {
			t.Errorf("%s cannot read its script: %v\n%s", shell, err, out)
		}
	}
	complete(t, "", "che", "check")
	complete(t, "check", "-for", "-format")
	complete(t, "check -format", "sar", "sarif")
	complete(t, "explain", "lock-up", "lock-upgrade")
	complete(t, "help", "pat", "paths")
}

// complete asks bash what it makes of a word behind others.
func complete(t *testing.T, before, word, want string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	var script, stderr bytes.Buffer
	Run([]string{"completion", "bash"}, nil, &script, &stderr)
	line := strings.Fields("pglockdep " + before + " " + word)
	script.WriteString("COMP_WORDS=(" + strings.Join(line, " ") + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_pglockdep\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n")
	run := exec.Command(bash, "-s")
	run.Dir, run.Stdin = t.TempDir(), &script
	out, err := run.Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("%s %s completes to %q, want %q (%v)", before, word, got, want, err)
	}
}

// TestCommandsPage keeps the reference of the commands equal to help.
func TestCommandsPage(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("<!-- made by go test ./cmd/pglockdep -run TestCommandsPage -update -->\n\n# The commands\n\n")
	b.WriteString("`pglockdep help COMMAND` prints the same. Exit codes: 0 done and nothing to report, 1 findings, a stale page, a\ndifference or a statement in error, 2 could not run. Flags come before or after packages; packages default to `./...`.\n")
	for _, cmd := range commands() {
		b.WriteString("\n## " + cmd.name + "\n\n```\n")
		cmd.help(&b)
		b.WriteString("```\n")
	}
	const name = "../../docs/commands.md"
	if *update {
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s is stale, -update writes it:\n%s", name, diff)
	}
}
