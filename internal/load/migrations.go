package load

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/effect"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Migrations makes functions of the program's migrations: what each locks on
// the way up, against the schema that those before it left. Of what its
// statements lock by themselves nothing is kept unless all is set: every
// definition locks its tables, in a transaction that runs once.
func Migrations(path []string, ms []schema.Migration, all bool) *prog.Package {
	pkg := &prog.Package{Path: "migrations"}
	cat := schema.New()
	if len(path) > 0 {
		cat.SearchPath = slices.Clone(path)
	}
	names := migrationNames(ms)
	for i, m := range ms {
		if m.Plain {
			cat.ApplyEach(m.File, m.Up, m.UpLine, nil)
			continue
		}
		steps := effect.Script(cat, m.File, m.Up, m.UpLine)
		if f := migration(names[i], m, steps, all); f != nil {
			pkg.Funcs = append(pkg.Funcs, f)
		}
	}
	slices.SortFunc(pkg.Funcs, func(a, b *prog.Func) int { return strings.Compare(a.Key, b.Key) })
	return pkg
}

// migrationNames tells migrations of one name apart by their folders.
func migrationNames(ms []schema.Migration) []string {
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = m.Name
	}
	for depth := 1; depth < 20; depth++ {
		used := map[string]int{}
		for _, n := range out {
			used[n]++
		}
		for i, m := range ms {
			dirs := strings.Split(m.File, "/")
			dirs = dirs[:len(dirs)-1]
			if used[out[i]] > 1 && depth <= len(dirs) {
				out[i] = dirs[len(dirs)-depth] + "/" + out[i]
			}
		}
	}
	return out
}

// migration returns the lock program of one migration, nil when there is
// nothing to tell.
func migration(name string, m schema.Migration, steps []effect.Step, all bool) *prog.Func {
	f := &prog.Func{Key: "migration " + name, Pos: prog.Pos{File: m.File, Line: m.UpLine}, Main: true, Origin: prog.OriginMigration}
	how, end := "tx", "commit"
	if !m.InTx {
		how, end = "conn", "close"
	}
	conn := prog.New(prog.VHandle, how, prog.New(prog.VConn, "1"))
	f.Body = []prog.Op{{Kind: prog.OpOpen, ID: 1, Pos: f.Pos, How: how, Conn: prog.New(prog.VHandle, "pool", prog.Hole("migration tool"))}}
	for _, s := range steps {
		body := s.Ops
		if !all {
			body = explicit(body)
		}
		if len(body) == 0 {
			continue
		}
		f.Body = append(f.Body, prog.Op{Kind: prog.OpSQL, ID: len(f.Body) + 1, Pos: prog.Pos{File: m.File, Line: s.Line}, Conn: conn,
			Val: prog.Text(s.SQL), Body: body})
	}
	if !tells(f.Body[1:]) {
		return nil
	}
	last := steps[len(steps)-1].Line
	f.Body = append(f.Body, prog.Op{Kind: prog.OpEnd, ID: len(f.Body) + 1, Pos: prog.Pos{File: m.File, Line: last}, Conn: conn, How: end})
	return f
}

// explicit leaves out of a statement what it locks by itself.
func explicit(ops []prog.Op) []prog.Op {
	var out []prog.Op
	for _, o := range ops {
		switch o.Kind {
		case prog.OpAcquire:
			if o.Acq.Implicit {
				continue
			}
		case prog.OpUnknown:
			if o.How == "relation" {
				continue // a table that an extension or another program makes
			}
		case prog.OpBranch:
			arms, some := make([]prog.Arm, len(o.Arms)), false
			for i, a := range o.Arms {
				a.Body = explicit(a.Body)
				arms[i] = a
				some = some || len(a.Body) > 0
			}
			if !some {
				continue
			}
			o.Arms = arms
		case prog.OpLoop, prog.OpCall:
			if o.Body = explicit(o.Body); len(o.Body) == 0 {
				continue
			}
		case prog.OpWait, prog.OpCheck:
			continue
		}
		out = append(out, o)
	}
	return out
}

// tells reports whether ops take or release a lock, or hide one.
func tells(ops []prog.Op) bool {
	for _, o := range ops {
		switch o.Kind {
		case prog.OpAcquire, prog.OpRelease, prog.OpUnknown:
			return true
		}
		if tells(o.Body) {
			return true
		}
		for _, a := range o.Arms {
			if tells(a.Body) {
				return true
			}
		}
	}
	return false
}

// Routines makes functions of the schema's functions and triggers that take
// explicit locks: they are paths where no statement of the program shows what
// they lock.
func Routines(cat *schema.Catalog) *prog.Package {
	pkg := &prog.Package{Path: "functions"}
	for _, fns := range cat.Functions {
		for _, fn := range fns {
			if f := routine(cat, fn); f != nil {
				pkg.Funcs = append(pkg.Funcs, f)
			}
		}
	}
	slices.SortFunc(pkg.Funcs, func(a, b *prog.Func) int { return strings.Compare(a.Key, b.Key) })
	return pkg
}

// routine returns the lock program of a function of the schema, nil when it
// takes no explicit lock.
func routine(cat *schema.Catalog, fn *schema.Function) *prog.Func {
	f := &prog.Func{Key: "function " + effect.Title(cat, fn), Pos: prog.Pos{File: fn.File, Line: fn.Line}, Params: 1 + len(fn.Inputs()), Origin: prog.OriginFunction}
	// Parameter 0 is the handle of whoever calls it.
	conn := prog.New(prog.VParam, "0")
	var args []*prog.Val
	for i := range fn.Inputs() {
		args = append(args, prog.New(prog.VParam, strconv.Itoa(i+1)))
	}
	var arms []prog.Arm
	for i, c := range effect.Calls(cat, fn) {
		if takes(c.Ops) {
			arms = append(arms, prog.Arm{When: c.When, Body: []prog.Op{{Kind: prog.OpSQL, ID: i + 1, Pos: f.Pos, Conn: conn, Val: prog.Text(c.SQL), Args: args, Body: c.Ops}}})
		}
	}
	switch len(arms) {
	case 0:
		return nil
	case 1:
		f.Body = arms[0].Body
	default:
		f.Body = []prog.Op{{Kind: prog.OpBranch, ID: len(arms) + 1, Pos: f.Pos, Arms: arms}}
	}
	return f
}

// takes reports whether ops take an explicit lock in a function.
func takes(ops []prog.Op) bool {
	for _, o := range ops {
		if o.Kind == prog.OpAcquire && !o.Acq.Implicit && o.Acq.Family != lockgraph.Mutex || takes(o.Body) {
			return true
		}
		for _, a := range o.Arms {
			if takes(a.Body) {
				return true
			}
		}
	}
	return false
}
