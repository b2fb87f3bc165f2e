package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// growth prints what check costs on the same program at 1, 4 and 16 times its
// size: packages that lock rows of their own tables and call the one before.
func growth(tool string, runs int) error {
	scratch, err := os.MkdirTemp("", "growth")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	fmt.Printf("\n%-16s %9s %9s %10s %7s\n", "check, packages", "cpu s", "wall s", "peak MiB", "ratio")
	var first cost
	for i, n := range []int{1, 4, 16} {
		packages := 25 * n
		dir := filepath.Join(scratch, fmt.Sprint(packages))
		if err := generate(dir, packages); err != nil {
			return err
		}
		var costs []cost
		for run := range runs + 1 {
			c, err := measure(tool, "check", "-C", dir)
			if err != nil {
				return err
			}
			if run > 0 {
				costs = append(costs, c)
			}
		}
		c := median(costs)
		if i == 0 {
			first = c
		}
		fmt.Printf("%-16d %9.2f %9.2f %10d %7.2f\n", packages, c.cpu.Seconds(), c.wall.Seconds(), c.peak/1024, float64(c.cpu)/float64(first.cpu))
	}
	return nil
}

// generate writes a module of n packages, each with ten functions that lock.
func generate(dir string, n int) error {
	write := func(name, text string) error {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		return os.WriteFile(name, []byte(text), 0o666)
	}
	var ddl strings.Builder
	for i := range n {
		fmt.Fprintf(&ddl, "CREATE TABLE t%d (id bigint PRIMARY KEY, parent bigint, state text);\n", i)
		var b strings.Builder
		fmt.Fprintf(&b, "package p%d\n\nimport (\n\t\"context\"\n\t\"database/sql\"\n", i)
		if i%25 > 0 {
			fmt.Fprintf(&b, "\n\t\"example.test/growth/p%d\"\n", i-1)
		}
		b.WriteString(")\n")
		for j := range 10 {
			fmt.Fprintf(&b, "\n// F%d locks a row, and what the package below locks.\nfunc F%d(ctx context.Context, tx *sql.Tx, id int64) error {\n"+
				"\tif _, err := tx.ExecContext(ctx, \"SELECT 1 FROM t%d WHERE id = $1 FOR UPDATE\", id); err != nil {\n\t\treturn err\n\t}\n"+
				"\tif _, err := tx.ExecContext(ctx, \"UPDATE t%d SET state = 's%d' WHERE id = $1\", id); err != nil {\n\t\treturn err\n\t}\n", j, j, i, i, j)
			if i%25 > 0 && j == 0 {
				fmt.Fprintf(&b, "\treturn p%d.F%d(ctx, tx, id)\n}\n", i-1, j)
			} else {
				b.WriteString("\treturn nil\n}\n")
			}
		}
		if err := write(fmt.Sprintf("p%d/p.go", i), b.String()); err != nil {
			return err
		}
	}
	if err := write("schema.sql", ddl.String()); err != nil {
		return err
	}
	return write("go.mod", "module example.test/growth\n\ngo 1.26\n")
}
