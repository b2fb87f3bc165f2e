package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/internal/inputs"
)

// The page of a tree that has not changed is not made again: the cache holds
// one empty file for each state in which the page was seen to be right, under
// a name that is the hash of everything the page depends on. A state that
// differs in one byte has another name, so that there is nothing to go stale.

// cacheDays is how long a state that nobody asks for is remembered.
const cacheDays = 30

// errNoState says that what the page depends on cannot be told from files
// alone.
var errNoState = errors.New("the state depends on more than the files of the module")

// stateFile returns the file that stands for the present state: the
// executable, the flags, the go command's settings, the configuration above
// the module, and every file of the module or workspace, the page included.
// Modules of others are fixed by go.sum.
func (c *invocation) stateFile(page string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := c.dir
	if dir == "" {
		dir = "."
	}
	h := sha256.New()
	if err := c.hashSettings(h, dir, page); err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(inputs.Workspace(dir))
	if err != nil {
		return "", err
	}
	if err := hashTree(h, root); err != nil {
		return "", err
	}
	for d := filepath.Dir(root); ; d = filepath.Dir(d) {
		_ = inputs.File(h, d, filepath.Join(d, config.FileName)) // most directories have none
		if d == filepath.Dir(d) {
			break
		}
	}
	return filepath.Join(cache, "pglockdep", "docs", fmt.Sprintf("%x", h.Sum(nil))), nil
}

func (c *invocation) hashSettings(h io.Writer, dir, page string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	if err := inputs.File(h, "", exe); err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	settings := exec.Command("go", "env", "GOVERSION", "GOFLAGS", "GOOS", "GOARCH", "CGO_ENABLED", "GOWORK", "GOEXPERIMENT", "GOROOT")
	settings.Dir = dir
	env, err := settings.Output()
	if err != nil {
		return err
	}
	if os.Getenv("GOPACKAGESDRIVER") != "" {
		return errNoState
	}
	for _, name := range append([]string{c.config, page}, c.schema...) {
		if name != "" {
			_ = inputs.File(h, name, joined(abs, name)) // patterns and files to come
		}
	}
	return json.NewEncoder(h).Encode([]any{abs, c.args, c.tags, c.test, c.config, c.pooler, c.implicit, c.schema, c.output, page, string(env)})
}

// local matches the directories that a go.mod or go.work names.
var local = regexp.MustCompile(`(?m)(?:=>|use|^)\s*"?((?:\.\.?[/\\]|/|[A-Za-z]:[/\\])[^\s")]*)`)

// leaves reports whether a go.mod or go.work in dir reads code outside root.
func leaves(text []byte, dir, root string) bool {
	for _, m := range local.FindAllSubmatch(text, -1) {
		if escapes(root, joined(dir, string(m[1]))) {
			return true
		}
	}
	return false
}

func escapes(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func hashTree(h io.Writer, root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			to, err := filepath.EvalSymlinks(path)
			if err != nil {
				_, err = fmt.Fprintf(h, "%s leads nowhere\n", path)
				return err
			}
			if escapes(root, to) {
				return errNoState
			}
			_, err = fmt.Fprintf(h, "%s -> %s\n", path, to)
			return err
		case !d.Type().IsRegular():
			return nil
		case d.Name() == "go.mod" || d.Name() == "go.work":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if leaves(text, filepath.Dir(path), root) {
				return errNoState
			}
		}
		return inputs.File(h, path, path)
	})
}

// mark writes down a state in which the page is right, and forgets those
// that nobody asked for in a month.
func mark(file string) {
	dir := filepath.Dir(file)
	if os.MkdirAll(dir, 0o777) != nil || os.WriteFile(file, nil, 0o666) != nil {
		return // the next run takes its time
	}
	old, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range old {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > cacheDays*24*time.Hour {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// seen reports whether a state was remembered, and keeps it from ageing.
func seen(file string) bool {
	now := time.Now()
	return os.Chtimes(file, now, now) == nil
}
