package dbapi

import (
	"fmt"
	"strings"
)

// A Registration says what a call of a router, a scheduler or a queue does
// with the functions it is given. Indexes are those of Call.
type Registration struct {
	Does string // entry: hands over a function; group: opens a part of the paths; mount: puts a router under a path; later: keeps functions for later
	Call
	Method string // entry: the method by which a value that is no function is called
}

// Register returns what a call registers, by its full symbol.
func Register(fullName string) (Registration, bool) {
	r, ok := library().Routes[generic(fullName)]
	return r, ok
}

// RegistersIn reports whether a table speaks of registrations in a package.
func RegistersIn(pkg string) bool { return library().RoutePkgs[pkg] }

// Router reports whether values of the type are routers.
func Router(typ string) bool { return library().Routers[generic(typ)] }

// addRoute reads a line "entry SYMBOL …", "group SYMBOL …", "mount SYMBOL …"
// or "router TYPE…".
func (t *Table) addRoute(pkgs, f []string) error {
	if len(f) < 2 || len(pkgs) == 0 {
		return fmt.Errorf("%s wants a symbol below a package", f[0])
	}
	for _, p := range pkgs {
		t.RoutePkgs[p] = true
	}
	if f[0] == "router" {
		for _, p := range pkgs {
			for _, typ := range f[1:] {
				if rest, ok := strings.CutPrefix(typ, "*"); ok {
					t.Routers["*"+p+"."+rest] = true
				} else {
					t.Routers[p+"."+typ] = true
				}
			}
		}
		return nil
	}
	r := Registration{Does: f[0], Call: newCall(), Method: "ServeHTTP"}
	if strings.HasPrefix(f[1], "(") {
		r.Handle = 0
	}
	for _, a := range f[2:] {
		if m, ok := strings.CutPrefix(a, "method="); ok {
			r.Method = m
		} else if err := r.set(a); err != nil {
			return err
		}
	}
	for _, p := range pkgs {
		for _, name := range expand(f[1]) {
			r.Func = qualify(p, name)
			t.Routes[r.Func] = r
		}
	}
	return nil
}
