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
const maxRetries = 4

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

// around prepares a detour around a module and reports whether there is one:
// in a workspace without the modules that require it, else with that version
// excluded.
func (d *detour) around(ctx context.Context, cfg *packages.Config, module, version, says string) bool {
	if d.dir == "" {
		dir, err := os.MkdirTemp("", "pglockdep")
		if err != nil {
			return false
		}
		d.dir, d.without = dir, map[string]string{}
	}
	d.env = slices.Clone(cfg.Env)
	if d.env == nil {
		d.env = os.Environ()
	}
	work := goEnv(ctx, cfg, "GOWORK")
	if work != "" && work != "off" {
		return d.smaller(ctx, cfg, work, module, says)
	}
	mod := goEnv(ctx, cfg, "GOMOD")
	if mod == "" || mod == os.DevNull {
		return false
	}
	own := filepath.Join(d.dir, "go.mod")
	if len(d.flags) == 0 {
		if !copyFile(own, mod) || !copyFile(filepath.Join(d.dir, "go.sum"), strings.TrimSuffix(mod, ".mod")+".sum") || !absolute(ctx, own, filepath.Dir(mod)) {
			return false
		}
	}
	if exec.CommandContext(ctx, "go", "mod", "edit", "-exclude="+module+"@"+version, "-droprequire="+module, own).Run() != nil {
		return false
	}
	d.flags = []string{"-modfile=" + own, "-mod=mod"}
	d.without[module+"@"+version] = says
	return true
}

// smaller writes a workspace without the modules that require module.
func (d *detour) smaller(ctx context.Context, cfg *packages.Config, work, module, says string) bool {
	var w struct {
		Go, Toolchain string
		Use           []struct{ DiskPath string }
		Replace       []struct {
			Old, New struct{ Path, Version string }
		}
	}
	out, err := exec.CommandContext(ctx, "go", "work", "edit", "-json", work).Output()
	if err != nil || json.Unmarshal(out, &w) != nil {
		return false
	}
	base, dropped := filepath.Dir(work), false
	from := func(p string) string {
		if filepath.IsAbs(p) {
			return filepath.Clean(p)
		}
		return filepath.Join(base, p)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "go %s\n", w.Go)
	if w.Toolchain != "" {
		fmt.Fprintf(&b, "toolchain %s\n", w.Toolchain)
	}
	here, _ := filepath.Abs(cfg.Dir)
	for _, u := range w.Use {
		dir := from(u.DiskPath)
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.Contains(string(text), module+" v") && dir != here {
			d.without[u.DiskPath], dropped = says, true
			continue
		}
		fmt.Fprintf(&b, "use %q\n", dir)
	}
	for _, r := range w.Replace {
		to := r.New.Path
		if r.New.Version == "" {
			to = from(to)
		}
		fmt.Fprintf(&b, "replace %s => %q %s\n", strings.TrimSpace(r.Old.Path+" "+r.Old.Version), to, r.New.Version)
	}
	own := filepath.Join(d.dir, "go.work")
	if !dropped || os.WriteFile(own, []byte(b.String()), 0o600) != nil || work != own && !copyFile(own+".sum", work+".sum") {
		return false
	}
	d.env = append(d.env, "GOWORK="+own)
	return true
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

// absolute makes the directories of replacements in a go.mod that was moved
// away from base absolute.
func absolute(ctx context.Context, file, base string) bool {
	var m struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	out, err := exec.CommandContext(ctx, "go", "mod", "edit", "-json", file).Output()
	if err != nil || json.Unmarshal(out, &m) != nil {
		return false
	}
	for _, r := range m.Replace {
		if r.New.Version != "" || filepath.IsAbs(r.New.Path) {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		if exec.CommandContext(ctx, "go", "mod", "edit", "-replace="+old+"="+filepath.Join(base, r.New.Path), file).Run() != nil {
			return false
		}
	}
	return true
}
