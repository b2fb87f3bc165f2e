package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestRelease wants goreleaser and .ci/release, which CI runs, to build the
// same programs in the same way.
func TestRelease(t *testing.T) {
	var c struct {
		Builds []struct {
			Main         string
			Env          []string
			Goos, Goarch []string
			Flags        []string
		}
		Archives []struct {
			Files []struct{ Src string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "../../.goreleaser.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	script := read(t, "../../.ci/release")
	if len(c.Builds) != 1 || len(c.Archives) != 1 {
		t.Fatalf("%d builds, %d archives", len(c.Builds), len(c.Archives))
	}
	b := c.Builds[0]
	for _, part := range slices.Concat(b.Env, b.Flags, []string{b.Main, "for os in " + strings.Join(b.Goos, " ") + ";", "for arch in " + strings.Join(b.Goarch, " ") + ";"}) {
		if !strings.Contains(script, part) {
			t.Errorf(".ci/release does not say %q", part)
		}
	}
	for _, f := range c.Archives[0].Files {
		if _, err := os.Stat(filepath.Join("..", "..", f.Src)); err != nil {
			t.Errorf("an archive holds %v", err)
		}
	}
}

// TestContainerfile follows the steps of the Containerfile in a folder of its
// own, with what the build would send: it wants each file that is copied to
// be there, each command to end well, and the program to run.
func TestContainerfile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	files, err := exec.Command("git", "-C", "../..", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("the tree is no git repository: %v", err)
	}
	root := t.TempDir()
	tracked := strings.Split(strings.TrimRight(string(files), "\x00"), "\x00")
	stage, dir := 0, "/"
	here := func(path string) string {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return filepath.Join(root, path)
	}
	for line := range strings.Lines(read(t, "../../Containerfile")) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		args := strings.Fields(rest)
		switch {
		case word == "" || word == "#":
		case word == "FROM":
			stage, dir = stage+1, "/"
			want := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../../go.mod"))[1]
			if !strings.HasPrefix(args[0], "golang:"+want+"-") {
				t.Errorf("the image is %s, go.mod asks for %s", args[0], want)
			}
		case word == "WORKDIR":
			dir = args[0]
			if err := os.MkdirAll(here("."), 0o777); err != nil {
				t.Fatal(err)
			}
		case word == "COPY" && strings.HasPrefix(args[0], "--from=build"):
			if _, err := os.Stat(here(args[1])); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		case word == "COPY":
			copyTracked(t, tracked, args[:len(args)-1], here(args[len(args)-1]))
		case word == "RUN":
			cmd := exec.Command("sh", "-c", regexp.MustCompile(` /`).ReplaceAllString(rest, " "+root+"/"))
			cmd.Dir = here(".")
			cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", line, err, out)
			}
		case word == "ENTRYPOINT":
			if rest != `["pglockdep"]` {
				t.Errorf("%s", line)
			}
		default:
			t.Errorf("the test does not know %s", line)
		}
	}
	if stage != 2 {
		t.Errorf("%d stages", stage)
	}
	out, err := exec.Command(filepath.Join(root, "pglockdep"), "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "pglockdep ") {
		t.Errorf("version prints %q, %v", out, err)
	}
}

// copyTracked copies files of the tree, "." for all that the build is sent.
func copyTracked(t *testing.T, tracked, names []string, to string) {
	t.Helper()
	ignored := strings.Fields(read(t, "../../.dockerignore"))
	for _, name := range names {
		n := 0
		for _, f := range tracked {
			if name != "." && f != name || slices.ContainsFunc(ignored, func(i string) bool { return f == i || strings.HasPrefix(f, i+"/") }) {
				continue
			}
			data, err := os.ReadFile(filepath.Join("..", "..", f))
			if err != nil {
				continue // a link, or removed and not yet committed
			}
			into := filepath.Join(to, f)
			if err := os.MkdirAll(filepath.Dir(into), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(into, data, 0o666); err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n == 0 {
			t.Errorf("nothing in the tree is named %s", name)
		}
	}
}
