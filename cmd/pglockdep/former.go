package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pglockdep/pglockdep/internal/inputs"
	"github.com/pglockdep/pglockdep/lockgraph"
)

// former returns the manifest that -new-from compares with: that of a file,
// else that of the tree at which this branch left the revision.
func (c *invocation) former() (*lockgraph.Manifest, error) {
	name := joined(c.workdir(), c.newFrom)
	if st, err := os.Stat(name); err == nil && !st.IsDir() {
		return readManifest(name)
	} else if strings.HasSuffix(c.newFrom, ".json") {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	base, err := c.mergeBase(c.newFrom)
	if err != nil {
		return nil, err
	}
	tree, err := os.MkdirTemp("", "pglockdep-*")
	if err != nil {
		return nil, fmt.Errorf("-new-from %s: %w", c.newFrom, err)
	}
	defer os.RemoveAll(tree)
	if tree, err = filepath.EvalSymlinks(tree); err != nil {
		return nil, fmt.Errorf("-new-from %s: %w", c.newFrom, err)
	}
	if err := c.checkout(base, tree); err != nil {
		return nil, err
	}
	top, err := c.git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	return c.analyzeAt(base, filepath.FromSlash(top), tree)
}

func readManifest(name string) (*lockgraph.Manifest, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	defer f.Close()
	m, err := lockgraph.ReadJSON(f)
	if err != nil {
		return nil, hint(fmt.Errorf("%s: %w", name, err), "pglockdep graph writes manifests")
	}
	return m, nil
}

func (c *invocation) workdir() string {
	if c.dir == "" {
		return "."
	}
	return c.dir
}

// git runs git where the command runs and returns what it prints.
func (c *invocation) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = c.workdir()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		if first == "" {
			first = err.Error()
		}
		return "", errors.New(strings.TrimPrefix(first, "fatal: "))
	}
	return strings.TrimSpace(string(out)), nil
}

// mergeBase returns the commit at which HEAD left rev, and says plainly why
// there is none.
func (c *invocation) mergeBase(rev string) (string, error) {
	fail := func(text string, hints ...string) (string, error) {
		return "", hint(fmt.Errorf("-new-from %s: %s", rev, text), hints...)
	}
	if _, err := exec.LookPath("git"); err != nil {
		return fail("git is not on the PATH", "write a manifest of the old version with pglockdep graph, and give its file to -new-from")
	}
	if strings.HasPrefix(rev, "-") {
		return fail("no commit can be named so")
	}
	if _, err := c.git("rev-parse", "--git-dir"); err != nil {
		return fail("there is no git repository here, and no file of that name", "-new-from takes a commit or a manifest that pglockdep graph wrote")
	}
	shallow, _ := c.git("rev-parse", "--is-shallow-repository")
	fetch := "fetch it first: git fetch origin " + strings.TrimPrefix(rev, "origin/")
	if _, err := c.git("rev-parse", "--verify", "--quiet", rev+"^{commit}"); err != nil {
		hints := []string{fetch}
		if shallow == "true" {
			hints = append(hints, "this clone is shallow: fetch the whole history (git fetch --unshallow, or fetch-depth: 0 in the checkout)")
		}
		return fail("no commit and no file is named so", hints...)
	}
	if _, err := c.git("rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return fail("this branch has no commit yet")
	}
	base, err := c.git("merge-base", rev, "HEAD")
	if err == nil {
		return base, nil
	}
	if shallow == "true" {
		return fail("this clone is shallow and does not reach the commit where the branch began",
			"fetch the whole history: git fetch --unshallow, or fetch-depth: 0 in the checkout")
	}
	return fail("it has no commit in common with this branch")
}

// checkout writes the tree of a commit into a folder. The repository is only
// read, and its index is left alone.
func (c *invocation) checkout(commit, dir string) error {
	index, err := os.MkdirTemp("", "pglockdep-*")
	if err != nil {
		return fmt.Errorf("-new-from %s: %w", c.newFrom, err)
	}
	defer os.RemoveAll(index)
	for _, args := range [][]string{{"read-tree", commit}, {"checkout-index", "-a", "-q", "--prefix=" + filepath.ToSlash(dir) + "/"}} {
		top, err := c.git("rev-parse", "--show-toplevel")
		if err != nil {
			return fmt.Errorf("-new-from %s: %w", c.newFrom, err)
		}
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.FromSlash(top)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+filepath.Join(index, "index"))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("-new-from %s: writing the tree of %.12s: %v: %s", c.newFrom, commit, err, bytes.TrimSpace(out))
		}
	}
	return nil
}

// analyzeAt analyses the same packages of another tree. A tree that does not
// have the module yet has no locks.
func (c *invocation) analyzeAt(commit, top, tree string) (*lockgraph.Manifest, error) {
	moved := func(name string) string {
		abs, err := filepath.Abs(joined(c.workdir(), name))
		if err != nil {
			return name
		}
		if abs, err = filepath.EvalSymlinks(abs); err != nil {
			return name
		}
		if rel, err := filepath.Rel(top, abs); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(tree, rel)
		}
		return name
	}
	old := *c
	old.dir, old.stderr, old.unweighed = moved("."), io.Discard, true
	if filepath.IsAbs(c.config) {
		old.config = moved(c.config)
	}
	old.schema = nil
	for _, g := range c.schema {
		if filepath.IsAbs(g) {
			g = moved(g)
		}
		old.schema = append(old.schema, g)
	}
	if _, ok := inputs.ModuleRoot(old.dir); !ok || !within(old.dir, tree) {
		fmt.Fprintf(c.stderr, "pglockdep: %.12s does not have this module yet: everything is new\n", commit)
		return &lockgraph.Manifest{Version: lockgraph.Version}, nil
	}
	c.doing("reading " + commit[:12])
	a, err := old.analyze()
	if err != nil {
		text := strings.ReplaceAll(err.Error(), tree+string(filepath.Separator), "")
		return nil, hint(fmt.Errorf("-new-from %s: the tree of %.12s cannot be analysed: %s", c.newFrom, commit, text),
			"give a manifest of that version to -new-from: pglockdep graph writes it")
	}
	return a.view.Manifest, nil
}

// within reports whether a folder exists below another one.
func within(dir, root string) bool {
	st, err := os.Stat(dir)
	rel, relErr := filepath.Rel(root, dir)
	return err == nil && st.IsDir() && relErr == nil && filepath.IsLocal(rel)
}
