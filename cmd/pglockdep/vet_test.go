package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// asTool tells the test binary to be the tool that go vet runs.
const asTool = "PGLOCKDEP_TEST_AS_VETTOOL"

func init() {
	if os.Getenv(asTool) != "" && vetProtocol(os.Args[1:]) {
		vetMain()
		os.Exit(exitOK)
	}
}

// differ lists, by fingerprint, the findings of one mode only, with the
// reason. A reason that has become needless fails the test.
var differ = map[string]string{
	`unordered-multi-row-lock/row "core.provisions"/example.test/memberconsole/internal/core.(*Queries).SyncSourceStatus`:                                byCallers,
	`unordered-multi-row-lock/row "stripe.invoice_lines"/example.test/memberconsole/internal/integrations/stripe/stripedb.(*Queries).DeleteInvoiceLines`: byCallers,
}

const byCallers = "every caller holds a lock that keeps others from the same rows; the package of the query sees no caller"

// wholeOnly reports findings, as check and kind, that take the whole program:
// who else writes, inserts children, or sets a timeout.
func wholeOnly(what string) bool {
	check, kind, _ := strings.Cut(what, " ")
	return check == "lockdrift" || kind == "fk-lock-strength" || kind == "no-lock-timeout" || kind == "leader-no-liveness"
}

// TestVetFindings runs go vet with the tool and wants the findings of check.
func TestVetFindings(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go vet over whole programs")
	}
	used := map[string]bool{}
	for name, dir := range map[string]string{"memberconsole": "../../testdata/memberconsole", "bank": copied(t, "testdata/bank"), "named": named(t)} {
		t.Run(name, func(t *testing.T) {
			first := vet(t, dir, "-json", "-fingerprints", "-notes")
			got := vetFindings(t, first)
			want := checkFindings(t, dir)
			for id := range maps.Clone(got) {
				if _, ok := differ[id]; ok && want[id] == "" {
					used[id] = true
					delete(got, id)
				}
			}
			for id := range maps.Clone(want) {
				if _, ok := differ[id]; ok && got[id] == "" {
					used[id] = true
					delete(want, id)
				}
				if wholeOnly(want[id]) {
					delete(want, id)
				}
			}
			if len(want) == 0 {
				t.Error("check finds nothing")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("go vet finds other things than check (-check +vet):\n%s", diff)
			}
			second := vet(t, dir, "-json", "-fingerprints", "-notes")
			if diff := cmp.Diff(units(first), units(second)); diff != "" {
				t.Errorf("a second run, out of the cache, prints something else (-first +second):\n%s", diff)
			}
		})
	}
	for id := range differ {
		if !used[id] && !t.Failed() {
			t.Errorf("the modes no longer differ in %s", id)
		}
	}
}

// TestVetText wants each finding of go vet once, at its place, without notes.
func TestVetText(t *testing.T) {
	dir := copied(t, "testdata/bank")
	cmd := vetCommand(t, dir)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("go vet ends well on a program with findings:\n%s", out)
	}
	lines := map[string]int{}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "#") || strings.Contains(line, ": \t") {
			continue
		}
		if !strings.HasPrefix(line, "./bank.go:") && !strings.HasPrefix(line, "bank.go:") {
			t.Errorf("no line of the package: %s", line)
		}
		lines[line]++
	}
	n := 0
	for _, f := range checkList(t, dir) {
		if f.Severity != lockgraph.SeverityNote && differ[f.Fingerprint] == "" && !wholeOnly(f.Check+" "+f.Kind) {
			n++
		}
	}
	if len(lines) != n {
		t.Errorf("%d findings, want %d:\n%s", len(lines), n, out)
	}
}

// TestVetIdentity wants a new identity for every change of what is read
// besides Go source.
func TestVetIdentity(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.test/m\n")
	write("a/a.go", "package a\n")
	seen := map[string]string{}
	step := func(what string, fresh bool) {
		t.Helper()
		id, err := vetID(filepath.Join(dir, "a"))
		if err != nil {
			t.Fatal(err)
		}
		if old, ok := seen[string(id)]; ok == fresh {
			t.Errorf("%s: identity as after %q is %v, want %v", what, old, ok, !fresh)
		}
		seen[string(id)] = what
	}
	step("nothing", true)
	write("a/a.go", "package a // changed\n")
	step("Go source", false)
	write("db/1.sql", "CREATE TABLE t ();")
	step("a schema file", true)
	write("db/1.sql", "CREATE TABLE u ();")
	step("another text", true)
	write("db/1.sql", "CREATE TABLE t ();")
	step("the first text again", false)
	write("pglockdep.yaml", "schema: [db/*.sql]\n")
	step("a configuration", true)
	write("node_modules/x/1.sql", "SELECT 1")
	step("a file that is never read", false)
	write("../db/1.sql", "CREATE TABLE t ();")
	step("a schema file outside the module, that nobody names", false)
	write("pglockdep.yaml", "schema: [../db/*.sql]\n")
	step("a configuration that names it", true)
	write("../db/1.sql", "CREATE TABLE u ();")
	step("another text of it", true)
	write("../db/2.sql", "CREATE TABLE v ();")
	step("another file that it names", true)
	write("pglockdep.yaml", "implicit: all\n")
	write("sqlc.yaml", "version: \"2\"\nsql:\n  - {engine: postgresql, schema: ../db}\n")
	step("a configuration of sqlc that names the folder", true)
	write("../db/1.sql", "CREATE TABLE t ();")
	step("another text of a file in the folder", true)
	write("../pglockdep.yaml", "schema: [3.sql]\n")
	step("a configuration above the module", true)
	write("../3.sql", "CREATE TABLE t ();")
	step("the file that it names", true)
}

func TestVetFlags(t *testing.T) {
	out, err := vetRun(t, ".", "-flags").Output()
	if err != nil {
		t.Fatal(err)
	}
	var flags []struct{ Name string }
	if err := json.Unmarshal(out, &flags); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range flags {
		names[f.Name] = true
	}
	for _, want := range []string{"schema", "config", "notes", "test", "json", "lockorder"} {
		if !names[want] {
			t.Errorf("no flag -%s in %s", want, out)
		}
	}
	out, err = vetRun(t, ".", "-V=full").Output()
	if err != nil || !regexp.MustCompile(`^\S+ version devel .*buildID=[0-9a-f]{64}\n$`).Match(out) {
		t.Errorf("-V=full answers %q, %v", out, err)
	}
}

func vetRun(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asTool+"=1")
	return cmd
}

func vetCommand(t *testing.T, dir string, flags ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append(append([]string{"vet", "-vettool=" + exe}, flags...), "./...")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asTool+"=1", "GOWORK=off", "GOPROXY=off")
	return cmd
}

func vet(t *testing.T, dir string, flags ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := vetCommand(t, dir, flags...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return out
}

// units are the lines that go vet prints, sorted: packages come in the order
// in which they are done.
func units(out []byte) []string {
	lines := strings.Split(string(out), "\n")
	slices.Sort(lines)
	return lines
}

var printed = regexp.MustCompile(` \[([a-z-]+/.*)\]$`)

// vetFindings returns kind and fingerprint of what go vet -json prints.
func vetFindings(t *testing.T, out []byte) map[string]string {
	t.Helper()
	found := map[string]string{}
	d := json.NewDecoder(bytes.NewReader(out))
	for {
		var tree map[string]map[string][]struct{ Category, Posn, Message string }
		if err := d.Decode(&tree); err == io.EOF {
			return found
		} else if err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		for _, checks := range tree {
			for check, list := range checks {
				for _, x := range list {
					m := printed.FindStringSubmatch(x.Message)
					if m == nil {
						t.Fatalf("no fingerprint in %q", x.Message)
					}
					found[m[1]] = check + " " + x.Category
				}
			}
		}
	}
}

func checkFindings(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, f := range checkList(t, dir) {
		found[f.Fingerprint] = f.Check + " " + f.Kind
	}
	return found
}

func checkList(t *testing.T, dir string) []lockgraph.Finding {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := Run([]string{"check", "-C", dir, "-format", "json"}, nil, &stdout, &stderr); code == exitTrouble {
		t.Fatalf("check: %s", stderr.Bytes())
	}
	var m lockgraph.Manifest
	if err := json.Unmarshal(stdout.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	return m.Findings
}

// copied returns a copy of the Go module at dir.
// named is the bank with names for its locks, in a comment and in the
// configuration: messages and fingerprints follow them.
func named(t *testing.T) string {
	t.Helper()
	dir := copied(t, "testdata/bank")
	name := filepath.Join(dir, "bank.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("const accountLock"), []byte("//pglockdep:lock name=\"Account\"\nconst accountLock"), 1)
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pglockdep.yaml"), []byte("names:\n  accounts: Balance\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for id := range checkFindings(t, dir) {
		if !strings.Contains(id, "Account") && !strings.Contains(id, "Balance") {
			t.Errorf("%s bears no name of the team's", id)
		}
	}
	return dir
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, f.Name()), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return to
}
