package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// sizesEnv names the folder in which the wrapped tool leaves the sizes of
// what it hands to importers; toolEnv the tool that it runs.
const (
	sizesEnv = "PGLOCKDEP_BENCH_SIZES"
	toolEnv  = "PGLOCKDEP_BENCH_TOOL"
)

// asVetTool answers go vet when the arguments are its: with an analyzer that
// does nothing, or, with a tool in the environment, as that tool, keeping the
// sizes of its facts.
func asVetTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	if last != "-V=full" && last != "-flags" && !strings.HasSuffix(last, ".cfg") {
		return false
	}
	tool := os.Getenv(toolEnv)
	if tool == "" {
		unitchecker.Main(&analysis.Analyzer{Name: "nothing", Doc: "does nothing",
			Run: func(*analysis.Pass) (any, error) { return nil, nil }})
	}
	cmd := exec.Command(tool, args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, toolEnv+"=") })
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	code := 0
	if err := cmd.Run(); err != nil {
		code = 1
		if x := (*exec.ExitError)(nil); errors.As(err, &x) {
			code = x.ExitCode()
		}
	}
	if err := keepSize(last); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	os.Exit(code)
	return true
}

// keepSize notes the size of the file that the unit of cfg hands on.
func keepSize(cfg string) error {
	data, err := os.ReadFile(cfg)
	if err != nil {
		return nil // -V=full or -flags
	}
	var unit struct {
		ID, VetxOutput string
		VetxOnly       bool // else with its tests, by the same ID
	}
	if err := json.Unmarshal(data, &unit); err != nil {
		return err
	}
	st, err := os.Stat(unit.VetxOutput)
	if err != nil {
		return nil // nothing handed on
	}
	f, err := os.CreateTemp(os.Getenv(sizesEnv), "size")
	if err != nil {
		return err
	}
	fmt.Fprintf(f, "%d %s %t", st.Size(), unit.ID, unit.VetxOnly)
	return f.Close()
}

// vet prints what go vet costs with the tool: without a cache, with one, and
// after one file changed; beside an analyzer that does nothing and the
// standard checks. It works on a copy of the module.
func vet(dir, tool string, runs int) error {
	scratch, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	copied := filepath.Join(scratch, "module")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if _, err := measure("go", "vet", "-C", copied, "./..."); err != nil { // compiles what is imported
		return err
	}
	leaf, err := leafFile(copied)
	if err != nil {
		return err
	}
	kinds := []string{"nothing, cold", "pglockdep, cold", "pglockdep, warm", "go vet, a leaf", "pglockdep, a leaf"}
	costs := map[string][]cost{}
	for i := range runs + 1 {
		tools := map[string]string{}
		for name, exe := range map[string]string{"nothing": self, "pglockdep": tool} { // another tool to go vet, so that it knows nothing yet
			if tools[name], err = changed(exe, filepath.Join(scratch, fmt.Sprint(name, i))); err != nil {
				return err
			}
		}
		for _, k := range kinds {
			name, state, _ := strings.Cut(k, ", ")
			args := []string{"vet", "-C", copied}
			if t := tools[name]; t != "" {
				args = append(args, "-vettool="+t)
			}
			if state == "a leaf" {
				if err := touch(leaf); err != nil {
					return err
				}
			}
			c, err := measure("go", append(args, "./...")...)
			if err != nil {
				return err
			}
			if i > 0 {
				costs[k] = append(costs[k], c)
			}
		}
	}
	fmt.Printf("\n%-20s %9s %9s %7s\n", "go vet with", "cpu s", "wall s", "ratio")
	against := map[string]string{"pglockdep, cold": "nothing, cold", "pglockdep, warm": "nothing, cold", "pglockdep, a leaf": "go vet, a leaf"}
	for _, k := range kinds {
		c := median(costs[k])
		ratio := ""
		if base, ok := against[k]; ok {
			ratio = fmt.Sprintf("%.2f", float64(c.cpu)/float64(median(costs[base]).cpu))
		}
		fmt.Printf("%-20s %9.2f %9.2f %7s\n", k, c.cpu.Seconds(), c.wall.Seconds(), ratio)
	}
	return facts(copied, scratch, self, tool)
}

// facts prints the largest facts: what a package hands on beside its types.
func facts(dir, scratch, self, tool string) error {
	nothing, err := sizes(dir, scratch, self, self, "nothing")
	if err != nil {
		return err
	}
	ours, err := sizes(dir, scratch, self, tool, "pglockdep")
	if err != nil {
		return err
	}
	var ids []string
	for id := range ours {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool {
		a, b := ours[ids[i]]-nothing[ids[i]], ours[ids[j]]-nothing[ids[j]]
		return a > b || a == b && ids[i] < ids[j]
	})
	fmt.Printf("\n%-9s largest facts of %d units\n", "KiB", len(ids))
	for _, id := range ids[:min(3, len(ids))] {
		name, _, _ := strings.Cut(id, " ")
		fmt.Printf("%9.1f %s\n", float64(ours[id]-nothing[id])/1024, name)
	}
	return nil
}

// sizes runs the tool exe by go vet and returns the size of what each package
// hands on.
func sizes(dir, scratch, self, exe, name string) (map[string]int, error) {
	into := filepath.Join(scratch, "sizes-"+name)
	if err := os.Mkdir(into, 0o700); err != nil {
		return nil, err
	}
	exe, err := changed(exe, filepath.Join(scratch, "inner-"+name)) // go vet asks it who it is
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "vet", "-C", dir, "-vettool="+self, "./...")
	cmd.Env = append(os.Environ(), sizesEnv+"="+into, toolEnv+"="+exe)
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return nil, err
	}
	entries, err := os.ReadDir(into)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(into, e.Name()))
		if err != nil {
			return nil, err
		}
		size, id, _ := strings.Cut(string(data), " ")
		if out[id], err = strconv.Atoi(size); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// changed copies a program to name with some bytes more at its end, which
// make it another program to those who compare.
func changed(exe, name string) (string, error) {
	data, err := os.ReadFile(exe)
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(name, append(data, rand.Text()...), 0o700)
}

// leafFile returns a file of a package that no other package of the module
// imports.
func leafFile(dir string) (string, error) {
	cmd := exec.Command("go", "list", "-C", dir, "-e", "-f", `{{if ne .Name "main"}}{{.ImportPath}}{{range .GoFiles}} {{$.Dir}}/{{.}}{{end}}{{end}};{{join .Imports " "}}`, "./...")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	imported, files := map[string]bool{}, map[string]string{}
	for _, line := range strings.Split(string(out), "\n") {
		own, imports, _ := strings.Cut(line, ";")
		for _, imp := range strings.Fields(imports) {
			imported[imp] = true
		}
		if fs := strings.Fields(own); len(fs) > 1 {
			files[fs[0]] = fs[1]
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if !imported[path] {
			return files[path], nil
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		return files[path], nil
	}
	return "", errors.New("no package but main ones")
}

// touch changes the text of a Go file, but nothing that it says.
func touch(name string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f, "\n// %s\n", rand.Text()); err != nil {
		return err
	}
	return f.Close()
}
