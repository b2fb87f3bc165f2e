package checktest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Modules skips the test when the modules that the program at dir needs are
// neither in the module cache nor can be downloaded.
func Modules(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return
	}
	for _, offline := range []string{"dial tcp", "no such host", "module lookup disabled"} {
		if strings.Contains(string(out), offline) {
			t.Skipf("the modules of %s are neither in the module cache nor can be downloaded: %s", dir, out)
		}
	}
	t.Fatalf("go list: %v\n%s", err, out)
}
