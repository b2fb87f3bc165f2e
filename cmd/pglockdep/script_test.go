package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the scripts compare with")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pglockdep": func() {
			if vetProtocol(os.Args[1:]) {
				vetMain()
				return
			}
			os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// TestScripts runs the command lines of testdata/script: what is printed,
// exit codes, and what is left on disk.
func TestScripts(t *testing.T) {
	env := goEnv(t, "GOCACHE", "GOMODCACHE", "GOPROXY", "GOTOOLCHAIN")
	tool, err := exec.LookPath("pglockdep")
	if err != nil {
		t.Fatal(err)
	}
	action, err := filepath.Abs("../../.ci/action.sh")
	if err != nil {
		t.Fatal(err)
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "TOOL="+tool, "ACTION="+action, "GO="+goCommand) // for go vet; what the GitHub Action runs
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond != "ordinary" {
				return false, fmt.Errorf("unknown condition %s", cond)
			}
			return os.Geteuid() != 0 || len(ordinary()) > 0, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":  code,
			"as":    as,
			"bytes": writeBytes,
		},
	})
}

func goEnv(t *testing.T, names ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for i, v := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		env = append(env, names[i]+"="+v)
	}
	return env
}

// ordinary returns the command in front of another one that takes away what
// lets root read and write every file; none where that cannot be done, or
// nobody is root. The condition [ordinary] is that permissions count.
var ordinary = sync.OnceValue(func() []string {
	setpriv, err := exec.LookPath("setpriv")
	drop := []string{setpriv, "--bounding-set=-dac_override,-dac_read_search"}
	if err != nil || os.Geteuid() != 0 || exec.Command(setpriv, drop[1], "true").Run() != nil {
		return nil
	}
	return drop
})

// code N ARGS... runs pglockdep as an ordinary user and wants exit code N.
// Standard output and error are left for stdout, stderr and cmp.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N ARGS...")
	}
	exited(ts, args[0], append([]string{"pglockdep"}, args[1:]...))
}

// as N COMMAND ARGS... does the same with any command.
func as(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: as N COMMAND ARGS...")
	}
	exited(ts, args[0], args[1:])
}

func exited(ts *testscript.TestScript, want string, command []string) {
	command = slices.Concat(ordinary(), command)
	err := ts.Exec(command[0], command[1:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

// bytes FILE TEXT [N TEXT]... appends to FILE: a text in Go's notation, then
// others N times each.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args)%2 != 0 {
		ts.Fatalf("usage: bytes FILE TEXT [N TEXT]...")
	}
	text := unquote(ts, args[1])
	for i := 2; i < len(args); i += 2 {
		n, err := strconv.Atoi(args[i])
		ts.Check(err)
		text += strings.Repeat(unquote(ts, args[i+1]), n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

func unquote(ts *testscript.TestScript, s string) string {
	out, err := strconv.Unquote(`"` + s + `"`)
	ts.Check(err)
	return out
}
