// Package modtest is for tests of programs in modules of their own.
//
// The directory of a module, or what the go command printed there, enters;
// a skipped test, or whether the network was missing, leaves. It loads
// nothing itself.
package modtest

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
	if out, err := cmd.CombinedOutput(); err != nil {
		SkipOffline(t, dir, string(out))
		t.Fatalf("go list: %v\n%s", err, out)
	}
}

// SkipOffline skips the test when what the go command said of the program at
// dir is that modules cannot be downloaded.
func SkipOffline(t *testing.T, dir, said string) {
	t.Helper()
	for _, offline := range []string{"dial tcp", "no such host", "module lookup disabled"} {
		if strings.Contains(said, offline) {
			t.Skipf("the modules of %s are neither in the module cache nor can be downloaded: %s", dir, said)
		}
	}
}
