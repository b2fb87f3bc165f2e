package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/report"
	"github.com/pglockdep/pglockdep/lockgraph"
)

var orderCommand = &command{
	name: "order", args: "[flags] [packages]",
	short: "check the declared lock order, propose one, or make it Go code",
	long: `Order works with the key order of the configuration. With -check, the default,
it reports orders of the code that the declared one forbids, and names in it
that no lock bears; exit code 1 when there are any. With -init it prints an
order that the code keeps, to begin with. With -go it writes a Go file that
hands the declared order to runtime/locks, so that one text is checked and
enforced.`,
	examples: []string{"order -init"},
	flags: func(c *invocation) {
		c.packageFlags()
		c.fs.BoolVar(&c.check, "check", false, "compare the declared order with the code (the default)")
		c.fs.BoolVar(&c.init, "init", false, "print an order that the code keeps")
		c.fs.StringVar(&c.goFile, "go", "", "write the declared order as Go code to `FILE`")
	},
	run: runOrder,
}

func runOrder(c *invocation) error {
	if c.goFile != "" && !c.init && !c.check {
		return c.orderGo()
	}
	a, err := c.analyze()
	if err != nil {
		return err
	}
	c.progress.clear()
	if c.init {
		_, err := fmt.Fprint(c.stdout, proposed(a.view.Manifest))
		return err
	}
	o, err := a.order()
	if err != nil {
		return err
	}
	if o == nil {
		return noOrder()
	}
	m := a.view.Manifest
	findings := slices.DeleteFunc(slices.Clone(m.Findings), func(f lockgraph.Finding) bool {
		return f.Kind != "order-violation" && f.Kind != "unplaced-lock"
	})
	if err := report.Text(c.stdout, findings, nil, report.Options{Color: color(c.stdout), Bare: true}); err != nil {
		return err
	}
	unknown := unborne(o, m)
	for _, n := range unknown {
		fmt.Fprintf(c.stdout, "%s: order: no lock of the program is named %s\n", c.shown(a.cfg.File), n)
	}
	if len(findings)+len(unknown) > 0 {
		return errFound
	}
	fmt.Fprintf(c.stdout, "the code keeps the declared order of %d locks\n", len(o.Names()))
	return nil
}

func noOrder() error {
	return hint(errors.New("no lock order is declared"), "pglockdep order -init proposes one; put it under the key order of pglockdep.yaml")
}

// unborne returns the names of an order that no class bears.
func unborne(o *lockgraph.Order, m *lockgraph.Manifest) []string {
	borne := map[string]bool{}
	for i := range m.Classes {
		if n, ok := o.Name(&m.Classes[i]); ok {
			borne[n] = true
		}
	}
	return slices.DeleteFunc(o.Names(), func(n string) bool { return borne[n] })
}

// proposed returns an order that most paths keep: classes by layers, as few
// pairs as say the same, and behind them what the code does against it.
func proposed(m *lockgraph.Manifest) string {
	less := map[[2]string]int{} // how many paths take the pair so
	for _, e := range m.Edges {
		if e.From != e.To && len(e.Witness) > 0 {
			less[[2]string{e.From, e.To}]++
		}
	}
	names := map[string]string{}
	var ids []string
	for i := range m.Classes {
		c := &m.Classes[i]
		names[c.ID] = strings.TrimSuffix(c.Family+" "+c.Name, ":")
		ids = append(ids, c.ID)
	}
	type pair struct {
		from, to string
		n        int
	}
	var pairs []pair
	for p, n := range less {
		if names[p[0]] != "" && names[p[1]] != "" && names[p[0]] != names[p[1]] {
			pairs = append(pairs, pair{p[0], p[1], n})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	kept := map[string]map[string]bool{}
	var against []pair
	for _, p := range pairs { // the commonest first; what would close a cycle is left out
		if reaches(kept, p.to, p.from) {
			against = append(against, p)
			continue
		}
		if kept[p.from] == nil {
			kept[p.from] = map[string]bool{}
		}
		kept[p.from][p.to] = true
	}
	var b strings.Builder
	for _, from := range ids {
		for _, to := range ids {
			if kept[from][to] && !around(kept, from, to) {
				fmt.Fprintf(&b, "%s < %s;\n", names[from], names[to])
			}
		}
	}
	for _, p := range against {
		fmt.Fprintf(&b, "# the code also takes %s before %s\n", names[p.from], names[p.to])
	}
	if b.Len() == 0 {
		return "# no path takes two locks, so there is no order to declare\n"
	}
	return b.String()
}

// reaches reports whether a chain of pairs leads from one class to another.
func reaches(less map[string]map[string]bool, from, to string) bool {
	seen := map[string]bool{}
	var visit func(string) bool
	visit = func(at string) bool {
		if at == to {
			return true
		}
		if seen[at] {
			return false
		}
		seen[at] = true
		for next := range less[at] {
			if visit(next) {
				return true
			}
		}
		return false
	}
	return visit(from)
}

// around reports whether a pair follows from others.
func around(less map[string]map[string]bool, from, to string) bool {
	for next := range less[from] {
		if next != to && reaches(less, next, to) {
			return true
		}
	}
	return false
}

// orderGo writes the declared order for runtime/locks.
func (c *invocation) orderGo() error {
	a := &analysis{dir: c.workdir()}
	if err := a.configure(c); err != nil {
		return err
	}
	o, err := a.order()
	if err != nil {
		return err
	}
	if o == nil {
		return noOrder()
	}
	name := joined(a.dir, c.goFile)
	text := "`" + strings.TrimSpace(a.cfg.Order) + "\n`"
	if strings.Contains(a.cfg.Order, "`") {
		text = fmt.Sprintf("%q", a.cfg.Order)
	}
	src, err := format.Source(fmt.Appendf(nil, `// Code generated by pglockdep order -go; DO NOT EDIT.

package %s

import "github.com/pglockdep/pglockdep/runtime/locks"

// LockOrder is the declared lock order of %s.
var LockOrder = locks.MustOrder(%s)
`, packageName(name), filepath.Base(a.cfg.File), text))
	if err != nil {
		return fmt.Errorf("writing %s: %w", c.shown(name), err)
	}
	if err := writeFile(name, src); err != nil {
		return fmt.Errorf("writing %s: %w", c.shown(name), err)
	}
	fmt.Fprintf(c.stderr, "wrote %s\n", c.shown(name))
	return nil
}

// packageName returns the package that a new file joins: that of the files
// beside it, else one named as the folder.
func packageName(file string) string {
	dir := filepath.Dir(file)
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || f == file {
			continue
		}
		if ast, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.PackageClauseOnly); err == nil {
			return ast.Name.Name
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(filepath.Base(abs)))
	if name = strings.TrimLeft(name, "0123456789"); name == "" || token.IsKeyword(name) {
		return "main"
	}
	return name
}
