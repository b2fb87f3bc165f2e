// Package sarif holds no code: its test validates what the command writes as
// SARIF against the schema of the standard.
package sarif

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"
)

// TestGolden validates the golden file of the package that writes SARIF:
// every kind of finding, with and without places.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("../../internal/report/testdata/sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	validate(t, data)
}

// TestCommand validates what check writes of a program with findings.
func TestCommand(t *testing.T) {
	cmd := exec.Command("go", "run", "./cmd/pglockdep", "check", "-format", "sarif", "-C", "cmd/pglockdep/testdata/bank")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		t.Fatalf("%v: want findings\n%s", err, out)
	}
	r := validate(t, out)
	flows := 0
	for _, res := range r.Runs[0].Results {
		if res.RuleID != nil && *res.RuleID == "lock-order-cycle" {
			flows += len(res.CodeFlows)
		}
	}
	if flows != 2 {
		t.Errorf("the cycle has %d code flows, want one for each side", flows)
	}
}

// TestFixes validates what check writes of findings that it could mend.
func TestFixes(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../../internal/fix/testdata/src/unlock/unlock.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"unlock.go": string(text), "go.mod": "module example.test/unlock\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", "./cmd/pglockdep", "check", "-format", "sarif", "-C", dir)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		t.Fatalf("%v: want findings\n%s", err, out)
	}
	fixes := 0
	for _, res := range validate(t, out).Runs[0].Results {
		fixes += len(res.Fixes)
	}
	if fixes == 0 {
		t.Error("no result has a fix")
	}
}

// validate wants a document that keeps the schema and names no field besides.
func validate(t *testing.T, data []byte) *sarif.Report {
	t.Helper()
	result, err := gojsonschema.Validate(gojsonschema.NewStringLoader(schema(t)), gojsonschema.NewBytesLoader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Errors() {
		t.Error(e)
	}
	var r sarif.Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if r.Schema == "" || len(r.Runs) != 1 || len(r.Runs[0].Results) == 0 {
		t.Errorf("schema %q, %d runs", r.Schema, len(r.Runs))
	}
	for _, rule := range r.Runs[0].Tool.Driver.Rules {
		if rule.Help == nil || rule.Help.Text == nil || *rule.Help.Text == "" || rule.ShortDescription == nil {
			t.Errorf("rule %v has no help", rule.ID)
		}
	}
	return &r
}

// schema returns the schema of SARIF 2.1.0, which the library holds as a
// constant of its own.
func schema(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(out)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(lit.Value) > len(text) {
			text = lit.Value
		}
		return true
	})
	text, err = strconv.Unquote(text)
	if err != nil || !strings.Contains(text, "2.1.0") {
		t.Fatalf("the library holds no schema any more: %v", err)
	}
	return text
}

// TestSchemaBites wants the schema to refuse what is no SARIF.
func TestSchemaBites(t *testing.T) {
	result, err := gojsonschema.Validate(gojsonschema.NewStringLoader(schema(t)), gojsonschema.NewStringLoader(`{"version": "2.1.0", "runs": [{"tool": {}}]}`))
	if err != nil || result.Valid() {
		t.Errorf("a run without a driver is valid (%v)", err)
	}
}
