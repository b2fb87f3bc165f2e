// Command bench compares what pglockdep check costs with the two-phase
// package load that it stands on and with staticcheck, go vet with pglockdep
// with go vet with an analyzer that does nothing, and check on one program in
// three sizes, as whole processes, in one run.
//
// A module's directory and the tool enter; CPU seconds, wall seconds, peak
// memory, their ratios and the sizes of the largest facts leave. It judges
// nothing.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"syscall"
	"time"

	"github.com/pglockdep/pglockdep/internal/load"
)

func main() {
	dir := flag.String("C", ".", "the module's `DIR`")
	tool := flag.String("tool", "bin/pglockdep", "the pglockdep `FILE`")
	runs := flag.Int("n", 5, "counted runs of each, after one that is not")
	only := flag.Bool("load", false, "do the two-phase load and nothing else")
	vets := flag.Bool("vet", false, "measure go vet too")
	grows := flag.Bool("growth", false, "measure one program in three sizes too")
	if asVetTool(os.Args[1:]) {
		return
	}
	flag.Parse()
	if *only {
		if _, _, err := load.TwoPhase(context.Background(), load.Options{Dir: *dir, Patterns: []string{"./..."}}); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(2)
		}
		return
	}
	err := compare(*dir, *tool, *runs)
	if err == nil && *vets {
		err = vet(*dir, *tool, *runs)
	}
	if err == nil && *grows {
		err = growth(*tool, *runs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// A cost is what one process took.
type cost struct {
	cpu, wall time.Duration
	peak      int64 // KiB
}

// compare prints what check costs beside the load alone and staticcheck, and
// docs -check where nothing has changed.
func compare(dir, tool string, runs int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	page, err := freshPage(dir, tool)
	if err != nil {
		return err
	}
	defer os.Remove(page)
	rows := []row{
		{"two-phase load", []string{self, "-load", "-C", dir}},
		{"check", []string{tool, "check", "-C", dir}},
		{"docs -check", []string{tool, "docs", "-check", "-C", dir, "-o", page}},
	}
	if static, err := exec.LookPath("staticcheck"); err == nil {
		rows = append(rows, row{"staticcheck, cold", []string{"sh", "-c", `cd "$1" && STATICCHECK_CACHE=$(mktemp -d) && export STATICCHECK_CACHE && "$0" ./...; code=$?; rm -r "$STATICCHECK_CACHE"; exit $code`, static, dir}})
	} else {
		fmt.Println("staticcheck is not installed; left out")
	}
	costs := make([][]cost, len(rows))
	for i := range runs + 1 {
		for j, r := range rows {
			c, err := measure(r.args[0], r.args[1:]...)
			if err != nil {
				return err
			}
			if i > 0 {
				costs[j] = append(costs[j], c)
			}
		}
	}
	check := median(costs[1])
	fmt.Printf("%-17s %9s %9s %10s   %s\n", "median of "+fmt.Sprint(runs), "cpu s", "wall s", "peak MiB", "check costs, by cpu, wall and peak")
	for j, r := range rows {
		c := median(costs[j])
		fmt.Printf("%-17s %9.2f %9.2f %10d   %.2f %.2f %.2f\n", r.name, c.cpu.Seconds(), c.wall.Seconds(), c.peak/1024,
			float64(check.cpu)/float64(c.cpu), float64(check.wall)/float64(c.wall), float64(check.peak)/float64(c.peak))
	}
	return nil
}

// A row is a command that is measured.
type row struct {
	name string
	args []string
}

// freshPage writes the page of the module to a file of its own.
func freshPage(dir, tool string) (string, error) {
	f, err := os.CreateTemp("", "page*.md")
	if err != nil {
		return "", err
	}
	name := f.Name()
	if err := errors.Join(f.Close(), os.Remove(name)); err != nil {
		return "", err
	}
	_, err = measure(tool, "docs", "-C", dir, "-o", name)
	return name, err
}

func measure(name string, args ...string) (cost, error) {
	cmd := exec.Command(name, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	begun := time.Now()
	err := cmd.Run()
	wall := time.Since(begun)
	if cmd.ProcessState == nil {
		return cost{}, err
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 { // 1: findings
		return cost{}, fmt.Errorf("%s: %w\n%s", name, err, said.Bytes())
	}
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall, u.Maxrss}, nil
}

// median is taken of each figure by itself.
func median(cs []cost) cost {
	pick := func(by func(cost) int64) int64 {
		var vs []int64
		for _, c := range cs {
			vs = append(vs, by(c))
		}
		sort.Slice(vs, func(i, j int) bool { return vs[i] < vs[j] })
		return vs[len(vs)/2]
	}
	return cost{
		cpu:  time.Duration(pick(func(c cost) int64 { return int64(c.cpu) })),
		wall: time.Duration(pick(func(c cost) int64 { return int64(c.wall) })),
		peak: pick(func(c cost) int64 { return c.peak }),
	}
}
