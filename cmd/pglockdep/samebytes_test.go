package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSameBytes writes page and manifest of the sample again and again under
// other settings: the number of processors, the directory it is called from,
// the order of the packages. Four runs; with PGLOCKDEP_FULL a hundred, every
// tenth of them with an empty build cache.
func TestSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses the sample several times")
	}
	tool, err := exec.LookPath("pglockdep") // the test binary, as the scripts run it
	if err != nil {
		t.Fatal(err)
	}
	sample, err := filepath.Abs("../../testdata/memberconsole")
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "./...")
	list.Dir = sample
	names, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(names))
	runs := 4
	full := os.Getenv("PGLOCKDEP_FULL") != ""
	if full {
		runs = 100
	}
	r := rand.New(rand.NewPCG(1, 2))
	var page, manifest []byte
	for n := range runs {
		r.Shuffle(len(packages), func(i, j int) { packages[i], packages[j] = packages[j], packages[i] })
		env := append(os.Environ(), fmt.Sprint("GOMAXPROCS=", 1+n%2))
		if full && n%10 == 3 {
			env = append(env, "GOCACHE="+t.TempDir())
		}
		run := func(args ...string) []byte {
			cmd := exec.Command(tool, append(args, packages...)...)
			cmd.Env = env
			cmd.Dir = []string{sample, filepath.Join(sample, "internal"), t.TempDir()}[n%3]
			if cmd.Dir != sample {
				cmd.Args = append(append([]string{tool, args[0], "-C", sample}, args[1:]...), packages...)
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("run %d: %v: %s", n, err, stderr.String())
			}
			return out
		}
		p, m := run("docs", "-o", "-"), run("graph", "-format", "json")
		if n == 0 {
			page, manifest = p, m
			continue
		}
		if !bytes.Equal(p, page) || !bytes.Equal(m, manifest) {
			t.Fatalf("run %d: other bytes than the first (page %v, manifest %v)", n, bytes.Equal(p, page), bytes.Equal(m, manifest))
		}
	}
}
