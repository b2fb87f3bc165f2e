package pgtest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// places are the folders in which packages of the common systems keep the
// server programs, which are often not on the PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin", // Debian
	"/usr/pgsql-*/bin",          // Red Hat, by PostgreSQL's own packages
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
}

var errMissing = errors.New("pgtest: PostgreSQL's server programs (initdb, postgres) are neither on the PATH nor installed; " +
	"install the server (on Debian: apt-get install postgresql) or name a running one in " + Env)

// programs returns the folder of the server programs, after installing them
// if need be.
func programs(progress io.Writer) (string, error) {
	if bin, ok := find(places); ok {
		return bin, nil
	}
	if os.Geteuid() != 0 {
		return "", errMissing
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return "", errMissing
	}
	fmt.Fprintln(progress, "pgtest: PostgreSQL is not installed; installing it with apt-get")
	for _, args := range [][]string{{"update"}, {"install", "-y", "--no-install-recommends", "postgresql", "postgresql-contrib"}} {
		cmd := exec.Command("apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = progress, progress
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("pgtest: apt-get %s: %w", args[0], err)
		}
	}
	if bin, ok := find(places); ok {
		return bin, nil
	}
	return "", errMissing
}

// find looks for initdb and postgres on the PATH, then in the folders that
// match patterns, the newest first.
func find(patterns []string) (string, bool) {
	if name, err := exec.LookPath("initdb"); err == nil {
		// A link leads to the folder where the other programs are.
		if real, err := filepath.EvalSymlinks(name); err == nil && complete(filepath.Dir(real)) {
			return filepath.Dir(real), true
		}
	}
	var found []string
	for _, p := range patterns {
		dirs, _ := filepath.Glob(p) // fails only for a bad pattern
		found = append(found, slices.DeleteFunc(dirs, func(d string) bool { return !complete(d) })...)
	}
	if len(found) == 0 {
		return "", false
	}
	return slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(version(a), version(b)) }), true
}

func complete(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.IsDir() {
			return false
		}
	}
	return true
}

var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// version is the server's version as its folder tells it, 0 when it does not.
func version(dir string) float64 {
	v, err := strconv.ParseFloat(number.FindString(dir), 64)
	if err != nil {
		return 0
	}
	return v
}
