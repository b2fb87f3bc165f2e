package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/docgen"
	"github.com/pglockdep/pglockdep/internal/config"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var initCommand = &command{
	name: "init", args: "[flags]",
	short: "set a module up: configuration, CI job, first page",
	long: `Init writes what a module needs to keep its locks in order: pglockdep.yaml, a
job for the CI of the host it recognises (GitHub or GitLab, by the files that
are there and the remotes of git), and the page of the locks. It says what it
did, and never writes over a file.`,
	examples: []string{"init"},
	flags:    func(c *invocation) { c.packageFlags() },
	run:      runInit,
}

const initConfig = `# pglockdep: the locks this module takes in PostgreSQL.
# Every key is told in https://github.com/pglockdep/pglockdep/blob/main/docs/configuration.md
# yaml-language-server: $schema=https://raw.githubusercontent.com/pglockdep/pglockdep/main/docs/pglockdep.schema.json
`

const githubJob = `name: pglockdep
on: [pull_request]
permissions:
  contents: read
  security-events: write
  pull-requests: write
jobs:
  locks:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0 # the commit at which the branch began must be there
      - uses: actions/setup-go@v5
        with:
          go-version-file: go.mod
      - uses: pglockdep/pglockdep@main
        with:
          docs: true
`

const gitlabJob = `# include: {local: .gitlab/pglockdep.yml}
pglockdep:
  image: golang:1.26
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    GIT_DEPTH: "0" # the commit at which the branch began must be there
  script:
    - go install github.com/pglockdep/pglockdep/cmd/pglockdep@latest
    - pglockdep check -format gitlab -new-from "$CI_MERGE_REQUEST_DIFF_BASE_SHA" ./... >gl-code-quality-report.json
    - pglockdep docs -check ./...
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
`

func runInit(c *invocation) error {
	if len(c.args) > 0 {
		return errors.New("init takes no packages: it sets the whole module up")
	}
	a, err := c.analyze()
	if err != nil {
		return err
	}
	c.progress.clear()
	if a.cfg.File == "" {
		if err := c.create(filepath.Join(a.root, config.FileName), initConfig+schemaLine(a)); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(c.stdout, "kept %s\n", c.shown(a.cfg.File))
	}
	switch repository, host := c.host(a.root); host {
	case "github":
		err = c.create(filepath.Join(repository, ".github", "workflows", "pglockdep.yml"), githubJob)
	case "gitlab":
		name := filepath.Join(repository, ".gitlab", "pglockdep.yml")
		if err = c.create(name, gitlabJob); err == nil {
			fmt.Fprintf(c.stdout, "include it in .gitlab-ci.yml: include: {local: .gitlab/pglockdep.yml}\n")
		}
	default:
		fmt.Fprintln(c.stdout, "no CI host recognised: run pglockdep check and pglockdep docs -check on each change")
	}
	if err != nil {
		return err
	}
	page, err := docgen.Render(nil, a.view.Manifest, docgen.Options{})
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	if err := c.create(c.pageName(a), string(page)); err != nil {
		return err
	}
	m := a.view.Manifest
	fmt.Fprintf(c.stdout, "%s, %s, %s; next: pglockdep check\n", counted(len(m.Classes), "lock"), counted(len(m.Paths), "path"), counted(len(m.Findings), "finding"))
	return nil
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// schemaLine says which schema files were found, as a comment: detection
// goes on to find new ones.
func schemaLine(a *analysis) string {
	if len(a.schema.Files) == 0 {
		return "\n# No schema was found; foreign keys, triggers and functions lock too. Say where it is:\n# schema: [db/migrations/*.sql]\n"
	}
	return fmt.Sprintf("\n# The schema is found by itself (%d files, from %s on).\n", len(a.schema.Files), a.schema.Files[0])
}

// create writes a file that is not there yet, and says which it did.
func (c *invocation) create(name, text string) error {
	if _, err := os.Lstat(name); err == nil {
		fmt.Fprintf(c.stdout, "kept %s\n", c.shown(name))
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("writing %s: %w", c.shown(name), err)
	}
	if err := writeFile(name, []byte(text)); err != nil {
		return fmt.Errorf("writing %s: %w", c.shown(name), err)
	}
	fmt.Fprintf(c.stdout, "wrote %s\n", c.shown(name))
	return nil
}

// host returns the root of the repository and the host it lives on, "" when
// none is recognised.
func (c *invocation) host(root string) (repository, host string) {
	repository = root
	in := *c
	in.dir = root
	if top, err := in.git("rev-parse", "--show-toplevel"); err == nil {
		repository = filepath.FromSlash(top)
	}
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(repository, name))
		return err == nil
	}
	remotes, _ := in.git("config", "--get-regexp", `^remote\..*\.url$`)
	switch {
	case there(".gitlab-ci.yml"), there(".gitlab"):
		return repository, "gitlab"
	case there(".github"), strings.Contains(remotes, "github.com"):
		return repository, "github"
	case strings.Contains(remotes, "gitlab"):
		return repository, "gitlab"
	}
	return repository, ""
}

// stubs prints, for each lock without a sentence, a directive to fill in and
// the first place that takes it.
func (c *invocation) stubs(m *lockgraph.Manifest) {
	n := 0
	for i := range m.Classes {
		cl := &m.Classes[i]
		if cl.Serializes != "" {
			continue
		}
		var places []lockgraph.Acquisition
		for _, a := range m.Acquisitions {
			if a.Class == cl.ID && !a.Implicit {
				places = append(places, a)
			}
		}
		if len(places) == 0 {
			continue
		}
		first := slices.MinFunc(places, func(a, b lockgraph.Acquisition) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
		})
		n++
		sign := "//"
		if strings.HasSuffix(first.File, ".sql") {
			sign = "-- "
		}
		fmt.Fprintf(c.stdout, "%s:%d: %s\n\t%spglockdep:lock name=%q serializes=\"\"\n", first.File, first.Line, cl.Display(), sign, strings.TrimSuffix(cl.Name, ":"))
	}
	if n == 0 {
		fmt.Fprintln(c.stdout, "every lock has its sentence")
	}
}
