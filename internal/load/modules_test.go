package load

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// modules skips the test when the modules of the program at dir are neither
// in the module cache nor can be downloaded.
func modules(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		for _, offline := range []string{"dial tcp", "no such host", "module lookup disabled"} {
			if strings.Contains(string(out), offline) {
				t.Skipf("the modules of %s cannot be had: %s", dir, out)
			}
		}
		t.Fatalf("go list: %v\n%s", err, out)
	}
}
