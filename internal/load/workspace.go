package load

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// workspace returns the patterns to load: in a directory with a go.work file
// the usual "./..." stands for the packages of every module of the workspace
// below it. The go command takes it for those of one module, and calls from
// one module to another would lead nowhere.
func workspace(ctx context.Context, opt Options) []string {
	if !slices.Equal(opt.Patterns, []string{"./..."}) {
		return opt.Patterns
	}
	dir, err := filepath.Abs(opt.Dir)
	if err != nil {
		return opt.Patterns
	}
	if !isFile(filepath.Join(dir, "go.work")) {
		return opt.Patterns
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{if .Main}}{{.Dir}}{{end}}")
	cmd.Dir, cmd.Env = dir, opt.Env
	out, err := cmd.Output()
	if err != nil {
		return opt.Patterns // the load that follows says what is wrong
	}
	var patterns []string
	for line := range strings.Lines(string(out)) {
		rel, err := filepath.Rel(dir, strings.TrimSpace(line))
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			patterns = append(patterns, "./"+filepath.ToSlash(filepath.Join(rel, "...")))
		}
	}
	if len(patterns) == 0 {
		return opt.Patterns
	}
	slices.Sort(patterns)
	return patterns
}

func isFile(name string) bool {
	st, err := os.Stat(name)
	return err == nil && !st.IsDir()
}

// together names a workspace without a module of its own: by what the paths
// of its modules have in common, else by the first.
func together(roots []*packages.Package) string {
	var common []string
	first := ""
	for _, p := range roots {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		parts := strings.Split(p.Module.Path, "/")
		if first == "" {
			first, common = p.Module.Path, parts
		}
		n := 0
		for n < len(common) && n < len(parts) && common[n] == parts[n] {
			n++
		}
		common = common[:n]
	}
	if len(common) == 0 {
		return first
	}
	return strings.Join(common, "/")
}
