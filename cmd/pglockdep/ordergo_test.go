package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOrderCompiles builds what order -go writes with runtime/locks and asks
// the order that the program then has.
func TestOrderCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	runtime, err := filepath.Abs("../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(runtime, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(runtime, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(string(mod), "\nrequire ")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         fmt.Sprintf("module example.test/locks\n\ngo 1.25.0\n\nrequire github.com/pglockdep/pglockdep/runtime v0.0.0\n\nreplace github.com/pglockdep/pglockdep/runtime => %s\n\nrequire %s", runtime, requires),
		"go.sum":         string(sum),
		"pglockdep.yaml": "order: |\n  advisory account: < advisory ledger:; # the ledger \"comes\" last\n  row orders < advisory account:;\n",
		"main.go": `package main

import "fmt"

func main() {
	fmt.Println(LockOrder.Less("advisory account:", "advisory ledger:"), LockOrder.Less("advisory ledger:", "advisory account:"), LockOrder.Less("row orders", "advisory ledger:"))
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := Run([]string{"order", "-go", "lockorder.go", "-C", dir}, nil, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit %d: %s%s", code, &stdout, &stderr)
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := strings.TrimSpace(string(out)); got != "true false true" {
		t.Errorf("the order is %s", got)
	}
}
