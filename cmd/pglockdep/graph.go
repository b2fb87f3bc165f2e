package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pglockdep/pglockdep/docgen"
	"github.com/pglockdep/pglockdep/internal/viewer"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var graphCommand = &command{
	name: "graph", args: "[flags] [packages]",
	short: "write the lock graph",
	long: `Graph writes everything the analysis knows: as JSON the whole manifest (lock
classes, acquisitions, edges with their witnesses, cycles, paths, rules,
findings, unknowns), as dot, mermaid or svg a picture of the classes and their
order, as html one page that draws it in a browser: search it, filter it, and
click a lock or an arrow to see its calls and their SQL. The page needs no
network and, without JavaScript, is a table.`,
	examples: []string{"graph", "graph -format mermaid", "graph -format html"},
	flags: func(c *invocation) {
		c.packageFlags()
		c.fs.StringVar(&c.format, "format", "json", "json, dot, mermaid, svg or html (`FORMAT`)")
	},
	run: func(c *invocation) error {
		if err := oneOf("format", c.format, "json", "dot", "mermaid", "svg", "html"); err != nil {
			return err
		}
		a, err := c.analyze()
		if err != nil {
			return err
		}
		c.progress.clear()
		m := a.view.Manifest
		switch c.format {
		case "dot":
			_, err = fmt.Fprint(c.stdout, docgen.DOT(m))
		case "mermaid":
			_, err = fmt.Fprint(c.stdout, docgen.Mermaid(m))
		case "svg":
			err = viewer.SVG(c.stdout, docgen.NewChart(m))
		case "html":
			err = viewer.HTML(c.stdout, docgen.NewChart(m))
		default:
			err = lockgraph.EncodeJSON(c.stdout, m)
		}
		return err
	},
}

var pathsCommand = &command{
	name: "paths", args: "[flags] [packages]",
	short: "tell the order in which each path takes locks",
	long: `Paths tells for each path (the outermost function in which a transaction
lives) which locks it takes, in order, with branches and loops. With -func the
functions whose symbol matches are the entries, whether or not a transaction
begins in them; with -lock only paths that take the lock are told.`,
	examples: []string{"paths", "paths -func 'Close$'", "paths -lock accounts -format json"},
	flags: func(c *invocation) {
		c.packageFlags()
		c.fs.StringVar(&c.funcRE, "func", "", "functions to tell, by their symbol or as the page names them (`REGEXP`)")
		c.fs.StringVar(&c.lock, "lock", "", "tell only paths that take the lock (`NAME`, class id or relation)")
		c.fs.StringVar(&c.format, "format", "text", "text or json (`FORMAT`)")
	},
	run: func(c *invocation) error {
		if err := oneOf("format", c.format, "text", "json"); err != nil {
			return err
		}
		var re *regexp.Regexp
		if c.funcRE != "" {
			r, err := regexp.Compile(c.funcRE)
			if err != nil {
				return fmt.Errorf("-func: %w", err)
			}
			re = r
		}
		a, err := c.analyze()
		if err != nil {
			return err
		}
		c.progress.clear()
		m := a.view.Manifest
		paths := m.Paths
		if re != nil {
			paths = a.view.PathsOf(func(key string) bool { return re.MatchString(key) || re.MatchString(onPage.Replace(key)) })
		}
		if c.lock != "" {
			paths = takingPaths(m, paths, c.lock)
		}
		if c.format == "json" {
			if paths == nil {
				paths = []lockgraph.Path{}
			}
			return lockgraph.EncodeJSON(c.stdout, struct {
				Classes []lockgraph.Class `json:"classes"`
				Paths   []lockgraph.Path  `json:"paths"`
			}{m.Classes, paths})
		}
		_, err = fmt.Fprint(c.stdout, docgen.PathsText(m, paths))
		return err
	},
}

// onPage writes a symbol as the page names it: pkg.(*T).M is T.M there.
var onPage = strings.NewReplacer("(*", "", "(", "", ")", "")

// takingPaths keeps the paths that take a lock named by id, name or relation.
func takingPaths(m *lockgraph.Manifest, paths []lockgraph.Path, lock string) []lockgraph.Path {
	ids := map[string]bool{}
	for _, c := range m.Classes {
		_, bare, _ := strings.Cut(c.Relation, ".")
		if c.ID == lock || c.Name == lock || c.Relation == lock || bare == lock {
			ids[c.ID] = true
		}
	}
	var takes func(steps []lockgraph.Step) bool
	takes = func(steps []lockgraph.Step) bool {
		for _, s := range steps {
			if ids[s.Class] || takes(s.Steps) {
				return true
			}
			for _, arm := range s.Arms {
				if takes(arm.Steps) {
					return true
				}
			}
		}
		return false
	}
	var out []lockgraph.Path
	for _, p := range paths {
		if takes(p.Steps) {
			out = append(out, p)
		}
	}
	return out
}
