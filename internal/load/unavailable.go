package load

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// maxRetries bounds how often packages are listed again without a module
// that cannot be had: each time another may show.
const maxRetries = 24

// noModFile matches what the go command says of a module whose go.mod it
// cannot get: "MODULE@VERSION: reading https://…/VERSION.mod: 404 Not Found".
var noModFile = regexp.MustCompile(`([\w.~-]+(?:/[\w.~-]+)+)@(v[\w.+-]+): (?:[^\n]*\.mod\b|module lookup disabled)`)

// A detour is how packages are listed when a module of the graph cannot be
// had: without its go.mod the go command finds no package of any module.
// The user's files stay as they are; those of the detour are temporary.
type detour struct {
	dir     string // temporary
	env     []string
	flags   []string
	without map[string]string // modules left out to what the go command says
}

func (d *detour) close() {
	if d.dir != "" {
		os.RemoveAll(d.dir)
	}
}

// listed lists the packages of the patterns, by detours when modules cannot
// be had. What had to be left out is named.
func listed(ctx context.Context, cfg *packages.Config, opt Options, d *detour) (roots []*packages.Package, unknowns []lockgraph.Unknown, err error) {
	patterns := workspace(ctx, opt)
	base := slices.Clone(cfg.BuildFlags)
	for try := 0; ; try++ {
		if roots, err = packages.Load(cfg, patterns...); err != nil {
			return nil, nil, fmt.Errorf("loading packages: %w", err)
		}
		module, version, says := unavailable(roots)
		if module == "" || try == maxRetries || d.without[module+"@"+version] != "" {
			break
		}
		if !d.around(ctx, cfg, module, version, says) {
			break
		}
		cfg.Env, cfg.BuildFlags = d.env, append(slices.Clone(base), d.flags...)
		opt.Env = d.env
		patterns = workspace(ctx, opt)
	}
	for m, says := range d.without {
		unknowns = append(unknowns, lockgraph.Unknown{Kind: "package", Reason: m + ": the module is left out, for it cannot be had: " + says})
	}
	return roots, unknowns, nil
}

// unavailable returns a module whose go.mod cannot be had.
func unavailable(roots []*packages.Package) (module, version, says string) {
	packages.Visit(roots, func(p *packages.Package) bool { return module == "" }, func(p *packages.Package) {
		for _, e := range p.Errors {
			if m := noModFile.FindStringSubmatch(e.Msg); m != nil && module == "" {
				module, version, says = m[1], m[2], firstLine(e.Msg)
			}
		}
	})
	return module, version, says
}

// around puts an empty module in the place of one that cannot be had, and
// reports whether that could be done: its go.mod asks for nothing, and what
// imports its packages lacks them alone.
func (d *detour) around(ctx context.Context, cfg *packages.Config, module, version, says string) bool {
	if d.dir == "" {
		dir, err := os.MkdirTemp("", "pglockdep")
		if err != nil {
			return false
		}
		d.dir, d.without = dir, map[string]string{}
	}
	empty := filepath.Join(d.dir, fmt.Sprintf("empty%d", len(d.without)))
	if os.Mkdir(empty, 0o700) != nil || os.WriteFile(filepath.Join(empty, "go.mod"), []byte("module "+module+"\n"), 0o600) != nil {
		return false
	}
	replace := "-replace=" + module + "@" + version + "=" + empty
	if work := goEnv(ctx, cfg, "GOWORK"); work != "" && work != "off" {
		if !d.edited(ctx, work, "go.work", "work", replace) {
			return false
		}
		d.env = append(environment(cfg), "GOWORK="+filepath.Join(d.dir, "go.work"))
	} else {
		mod := goEnv(ctx, cfg, "GOMOD")
		if mod == "" || mod == os.DevNull || !d.edited(ctx, mod, "go.mod", "mod", replace) {
			return false
		}
		d.env, d.flags = cfg.Env, []string{"-modfile=" + filepath.Join(d.dir, "go.mod")}
	}
	d.without[module+"@"+version] = says
	return true
}

// edited changes the copy of a go.mod or go.work file in the detour's
// directory, which it makes the first time.
func (d *detour) edited(ctx context.Context, file, name, command, change string) bool {
	own := filepath.Join(d.dir, name)
	if !isFile(own) {
		sum := [2]string{"go.sum", strings.TrimSuffix(file, ".mod") + ".sum"}
		if command == "work" {
			sum = [2]string{"go.work.sum", file + ".sum"}
		}
		if !copyFile(own, file) || !copyFile(filepath.Join(d.dir, sum[0]), sum[1]) || !absolute(ctx, command, own, filepath.Dir(file)) {
			return false
		}
	}
	return exec.CommandContext(ctx, "go", command, "edit", change, own).Run() == nil
}

func environment(cfg *packages.Config) []string {
	if cfg.Env == nil {
		return os.Environ()
	}
	return slices.Clone(cfg.Env)
}

func goEnv(ctx context.Context, cfg *packages.Config, name string) string {
	cmd := exec.CommandContext(ctx, "go", "env", name)
	cmd.Dir, cmd.Env = cfg.Dir, cfg.Env
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// copyFile copies a file; one that is not there is no failure.
func copyFile(to, from string) bool {
	data, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return true
	}
	return err == nil && os.WriteFile(to, data, 0o600) == nil
}

// absolute makes the directories that a go.mod or go.work file names, and
// that was moved away from base, absolute.
func absolute(ctx context.Context, command, file, base string) bool {
	var m struct {
		Use     []struct{ DiskPath string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	out, err := exec.CommandContext(ctx, "go", command, "edit", "-json", file).Output()
	if err != nil || json.Unmarshal(out, &m) != nil {
		return false
	}
	args := []string{command, "edit"}
	for _, u := range m.Use {
		if !filepath.IsAbs(u.DiskPath) {
			args = append(args, "-dropuse="+u.DiskPath, "-use="+filepath.Join(base, u.DiskPath))
		}
	}
	for _, r := range m.Replace {
		if r.New.Version != "" || filepath.IsAbs(r.New.Path) {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		args = append(args, "-replace="+old+"="+filepath.Join(base, r.New.Path))
	}
	return len(args) == 2 || exec.CommandContext(ctx, "go", append(args, file)...).Run() == nil
}
