package dbapi

import (
	"embed"
	"fmt"
	"maps"
	"sort"
	"strings"
	"sync"
)

//go:embed tables/*.txt
var tableFiles embed.FS

// A Table is what one file says.
type Table struct {
	Lib    string
	Calls  map[string]Call   // by full symbol
	Kinds  map[string]string // by type, with "*" for pointers
	Chain  map[string]string // types whose other methods are builder steps, without "*", to the library
	Alters map[string]string // those of them that steps change in place: "inplace" each, "inchain" each but the first
	Likes  map[string]string // types that methods of an interface have where they do what those of another do: that one
	Globs  []Call            // calls whose Func is a pattern with "*", in order
	Roots  []string          // import paths that are database roots, with the packages below them
	Hash   map[string]string // symbols of hash functions to names

	Routes    map[string]Registration // by full symbol
	Routers   map[string]bool         // types, with "*" for pointers
	RoutePkgs map[string]bool         // packages of the symbols in Routes
}

// Parse reads a table. Each line is a directive or a call:
//
//	lib NAME                    the library, once, first
//	package PATH [PATH…]        what the symbols below belong to
//	root PATH…                  import paths that reach a database
//	kind TYPE KIND              what a type is: "*DB pool"
//	hash SYMBOL NAME            a hash function
//	chain TYPE…                 types whose methods are builder steps unless listed
//	inplace TYPE…               the same, of types that each step changes in place
//	inchain TYPE…               the same, of types that each step but the first changes in place
//	like TYPE INTERFACE         methods with the type in their signature do what those of the interface do
//	router TYPE…                types whose values are routers
//	entry|group|mount|later SYMBOL [key=value]… what registers functions, see Registration
//	pattern GLOB ACTION [key=value | flag]…   full symbols by "*"
//	SYMBOL ACTION [key=value | flag]…
//
// A symbol is written without its package: "(*DB).Query", "(Tx).Exec",
// "BeginFunc". "|" separates alternatives within the receiver or the name.
// "#" starts a comment. The handle of a method is its receiver unless
// handle= says otherwise; a call that runs SQL on it lists ctx=, sql=, args=.
func Parse(text string) (*Table, error) {
	t := &Table{Calls: map[string]Call{}, Kinds: map[string]string{}, Chain: map[string]string{}, Alters: map[string]string{}, Hash: map[string]string{}, Likes: map[string]string{},
		Routes: map[string]Registration{}, Routers: map[string]bool{}, RoutePkgs: map[string]bool{}}
	var pkgs []string
	for i, line := range strings.Split(text, "\n") {
		if n := strings.IndexByte(line, '#'); n >= 0 {
			line = line[:n]
		}
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		var err error
		switch f[0] {
		case "lib":
			t.Lib = strings.Join(f[1:], " ")
		case "package":
			pkgs = f[1:]
		case "root":
			t.Roots = append(t.Roots, f[1:]...)
		case "pattern":
			err = t.addPattern(f[1:])
		case "chain", "inplace", "inchain":
			t.addChain(pkgs, f[0], f[1:])
		case "entry", "group", "mount", "later", "router":
			err = t.addRoute(pkgs, f)
		case "kind", "hash", "like":
			err = t.addName(pkgs, f)
		default:
			err = t.addCalls(pkgs, f)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return t, nil
}

func (t *Table) addName(pkgs, f []string) error {
	if len(f) != 3 {
		return fmt.Errorf("%s wants two words", f[0])
	}
	for _, p := range pkgs {
		for _, name := range expand(f[1]) {
			if f[0] == "hash" {
				t.Hash[qualify(p, name)] = f[2]
				continue
			}
			of := t.Kinds
			if f[0] == "like" {
				of = t.Likes
			}
			if rest, ok := strings.CutPrefix(name, "*"); ok {
				of["*"+p+"."+rest] = f[2]
			} else {
				of[p+"."+name] = f[2]
			}
		}
	}
	return nil
}

func (t *Table) addChain(pkgs []string, how string, types []string) {
	for _, p := range pkgs {
		for _, f := range types {
			for _, name := range expand(f) {
				t.Chain[p+"."+name] = t.Lib
				t.Alters[p+"."+name] = how
			}
		}
	}
}

func (t *Table) addPattern(f []string) error {
	if len(f) < 2 || !actions[Action(f[1])] {
		return fmt.Errorf("a pattern wants a symbol and an action")
	}
	c := newCall()
	c.Func, c.Does, c.Lib = f[0], Action(f[1]), t.Lib
	if strings.HasPrefix(f[0], "(") {
		c.Handle = 0
	}
	for _, a := range f[2:] {
		if err := c.set(a); err != nil {
			return err
		}
	}
	t.Globs = append(t.Globs, c)
	return nil
}

func (t *Table) addCalls(pkgs, f []string) error {
	if len(f) < 2 {
		return fmt.Errorf("%q has no action", f[0])
	}
	if len(pkgs) == 0 {
		return fmt.Errorf("%q stands before any package", f[0])
	}
	if !actions[Action(f[1])] {
		return fmt.Errorf("unknown action %q", f[1])
	}
	c := newCall()
	c.Does, c.Lib = Action(f[1]), t.Lib
	if strings.HasPrefix(f[0], "(") {
		c.Handle = 0
	}
	for _, a := range f[2:] {
		if err := c.set(a); err != nil {
			return err
		}
	}
	for _, p := range pkgs {
		for _, name := range expand(f[0]) {
			c.Func = qualify(p, name)
			if _, dup := t.Calls[c.Func]; dup {
				return fmt.Errorf("%s is listed twice", c.Func)
			}
			t.Calls[c.Func] = c
		}
	}
	return nil
}

var actions = func() map[Action]bool {
	m := map[Action]bool{}
	for _, a := range []Action{Exec, Begin, Acquire, Commit, Rollback, Close, Release, Hijack, Prepare, StmtOn,
		ExecPrepared, Queue, SendBatch, CopyFrom, Callback, Savepoint, RollbackTo, Scan, Next, RowsClose, Collect,
		Same, CtxWith, CtxGet, CtxDerive, Pure, Builder, Finisher, ToSQL, Go, Run, External, Unknown, Idle, Open,
		LockFamily, LockKey, LockTake} {
		m[a] = true
	}
	return m
}()

// qualify puts the package path into a symbol: "(*DB).Query" of
// "database/sql" is "(*database/sql.DB).Query".
func qualify(pkg, sym string) string {
	if rest, ok := strings.CutPrefix(sym, "(*"); ok {
		return "(*" + pkg + "." + rest
	}
	if rest, ok := strings.CutPrefix(sym, "("); ok {
		return "(" + pkg + "." + rest
	}
	return pkg + "." + sym
}

// expand returns the symbols that the alternatives of sym stand for:
// "(*DB|*Tx).Get|Select" is four.
func expand(sym string) []string {
	recv, name := "", sym
	if strings.HasPrefix(sym, "(") {
		if i := strings.IndexByte(sym, ')'); i > 0 && i+1 < len(sym) {
			recv, name = sym[1:i], sym[i+2:]
		}
	}
	var out []string
	for _, n := range strings.Split(name, "|") {
		if recv == "" {
			out = append(out, n)
			continue
		}
		for _, r := range strings.Split(recv, "|") {
			out = append(out, "("+r+")."+n)
		}
	}
	return out
}

// library is all tables of the package as one.
var library = sync.OnceValue(func() *Table {
	all := &Table{Calls: map[string]Call{}, Kinds: map[string]string{}, Chain: map[string]string{}, Alters: map[string]string{}, Hash: map[string]string{}, Likes: map[string]string{},
		Routes: map[string]Registration{}, Routers: map[string]bool{}, RoutePkgs: map[string]bool{}}
	names, err := tableFiles.ReadDir("tables")
	if err != nil {
		panic(err) // embedded: cannot fail
	}
	for _, n := range names {
		text, err := tableFiles.ReadFile("tables/" + n.Name())
		if err != nil {
			panic(err)
		}
		t, err := Parse(string(text))
		if err != nil {
			panic("dbapi: " + n.Name() + ": " + err.Error())
		}
		all.merge(t)
	}
	sort.Strings(all.Roots)
	for sym, c := range all.Calls {
		if c.Does == Builder {
			c.alters(all.Alters[receiver(sym)])
		}
		all.Calls[sym] = c
	}
	return all
})

// alters notes how a step changes the chain it is called on.
func (c *Call) alters(how string) {
	c.InPlace = c.InPlace || how == "inplace"
	c.InChain = how == "inchain" && !c.Apart
}

func (t *Table) merge(o *Table) {
	for k, v := range o.Calls {
		t.Calls[k] = v
	}
	for k, v := range o.Kinds {
		t.Kinds[k] = v
	}
	for k, v := range o.Chain {
		t.Chain[k] = v
	}
	maps.Copy(t.Alters, o.Alters)
	maps.Copy(t.Likes, o.Likes)
	for k, v := range o.Hash {
		t.Hash[k] = v
	}
	maps.Copy(t.Routes, o.Routes)
	maps.Copy(t.Routers, o.Routers)
	maps.Copy(t.RoutePkgs, o.RoutePkgs)
	t.Globs = append(t.Globs, o.Globs...)
	t.Roots = append(t.Roots, o.Roots...)
}
