// Command bench compares what pglockdep check costs with the two-phase
// package load that it stands on, and go vet with pglockdep with go vet with
// an analyzer that does nothing, as whole processes, in one run.
//
// A module's directory and the tool enter; CPU seconds, wall seconds, peak
// memory, their ratios and the sizes of the largest facts leave. It judges
// nothing.
package main

import (
	"bytes"
	"context"
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
	runs := flag.Int("n", 3, "counted runs of each, after one that is not")
	only := flag.Bool("load", false, "do the two-phase load and nothing else")
	vets := flag.Bool("vet", false, "measure go vet too")
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

func compare(dir, tool string, runs int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var loads, checks []cost
	for i := range runs + 1 {
		a, err := measure(self, "-load", "-C", dir)
		if err != nil {
			return err
		}
		b, err := measure(tool, "check", "-C", dir)
		if err != nil {
			return err
		}
		if i > 0 {
			loads, checks = append(loads, a), append(checks, b)
		}
	}
	l, c := median(loads), median(checks)
	fmt.Printf("%-16s %9s %9s %10s\n", "median of "+fmt.Sprint(runs), "cpu s", "wall s", "peak MiB")
	for _, row := range []struct {
		name string
		cost
	}{{"two-phase load", l}, {"check", c}} {
		fmt.Printf("%-16s %9.2f %9.2f %10d\n", row.name, row.cpu.Seconds(), row.wall.Seconds(), row.peak/1024)
	}
	fmt.Printf("%-16s %9.2f %9.2f %10.2f\n", "ratio", float64(c.cpu)/float64(l.cpu), float64(c.wall)/float64(l.wall), float64(c.peak)/float64(l.peak))
	return nil
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
