package locksummary

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/lazyregexp"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

func itoa(i int) string { return strconv.Itoa(i) }

// queryName finds the name that sqlc puts above each query.
var queryName = lazyregexp.New(`(?m)^\s*--\s*name:\s*(\w+)`)

// sqlOps completes a statement: text that is constant here is resolved now,
// so that importers need no schema.
func (b *builder) sqlOps(op prog.Op, c *symval.Call) []prog.Op {
	if c.API.Style != "" && c.API.SQL >= 0 && op.Val.Kind != prog.VMod {
		op.Val = b.f.Styled(c)
	}
	if t, ok := op.Val.AsText(); ok && c.API.Lib == "pgx" && !statement.MatchString(t) {
		if text := b.pkg.preparedAs(t); text != nil {
			op.Val = text
		}
	}
	if t, ok := op.Val.AsText(); ok {
		if m := queryName.FindStringSubmatch(t); m != nil {
			op.Query = m[1]
		}
		op.Body = b.pkg.res.Effect(t)
	}
	if c.API.Ctx >= 0 {
		op.Use.CtxVal = b.f.Arg(c, c.API.Ctx)
		op.Use.Ctx = prog.CtxKind(op.Use.CtxVal)
	} else if c.API.Does == dbapi.Exec && (c.API.Lib == "sql" || c.API.Lib == "sqlx") {
		op.Use.Ctx = "background" // a call that takes no context
	}
	b.use(&op.Use, c)
	op.Use.Other = b.pkg.other
	return []prog.Op{op}
}

// They match the import paths of drivers of PostgreSQL, and the names and
// libraries of CockroachDB, which is reached through those.
var (
	ofPostgres = lazyregexp.New(`(?i)postgres|pgx|pgdriver|go-pg|/pq\b`)
	cockroach  = lazyregexp.New(`(?i)cockroach|crdb`)
)

// otherDatabase reports whether a package is for another database: it is
// named for one and imports a driver of one, and none of PostgreSQL.
func otherDatabase(p *types.Package) bool {
	imports := func(what func(path string) bool) bool {
		return slices.ContainsFunc(p.Imports(), func(imp *types.Package) bool { return what(imp.Path()) })
	}
	if cockroach.MatchString(p.Name()) {
		return imports(cockroach.MatchString)
	}
	driver := func(path string) bool { return strings.Contains(path, ".") && prog.NamesOther(path) }
	return prog.NamesOther(p.Name()) && !ofPostgres.MatchString(p.Name()) && imports(driver) && !imports(ofPostgres.MatchString)
}

// hostOps returns what calls of the Go runtime do to the locks of the process:
// its mutexes, and the WaitGroups that goroutines hold until they are done.
func (b *builder) hostOps(c *symval.Call, at prog.Pos) []prog.Op {
	if how := noReturn(c); how != "" {
		return []prog.Op{{Kind: prog.OpExit, How: how, Pos: at}}
	}
	switch c.Symbol {
	case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock":
		return b.mutex(prog.OpAcquire, "exclusive", c, at)
	case "(*sync.RWMutex).RLock":
		return b.mutex(prog.OpAcquire, "shared", c, at)
	case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock":
		return b.mutex(prog.OpRelease, "exclusive", c, at)
	case "(*sync.RWMutex).RUnlock":
		return b.mutex(prog.OpRelease, "shared", c, at)
	case "(*sync.WaitGroup).Wait":
		return append(b.group(prog.OpAcquire, "exclusive", c, at), b.group(prog.OpRelease, "exclusive", c, at)...)
	case "(*sync.WaitGroup).Done":
		return b.group(prog.OpRelease, "shared", c, at)
	}
	return nil
}

// group is mutex for a WaitGroup: what is not done holds it in share mode,
// and who waits for it wants it alone.
func (b *builder) group(kind prog.OpKind, mode string, c *symval.Call, at prog.Pos) []prog.Op {
	out := b.mutex(kind, mode, c, at)
	for i := range out {
		out[i].Acq.Relkind = lockgraph.WaitGroup
	}
	return out
}

// undone puts before the body of a function what it holds from its beginning:
// the WaitGroups that it says it is done for.
func undone(body []prog.Op) []prog.Op {
	var holds []prog.Op
	prog.Visit(body, func(o *prog.Op) {
		if o.Kind != prog.OpRelease || o.Acq.Relkind != lockgraph.WaitGroup || o.Acq.Mode != "shared" ||
			slices.ContainsFunc(holds, func(h prog.Op) bool { return prog.Equal(h.Acq.Key[0], o.Acq.Key[0]) }) {
			return
		}
		a := *o.Acq
		a.Wait = "try" // nobody waits for its beginning
		holds = append(holds, prog.Op{Kind: prog.OpAcquire, ID: o.ID + idHold, Pos: o.Pos, Acq: &a})
	})
	return append(holds, body...)
}

const idHold = 1 << 26

// noReturn tells how a call ends, when nothing after it runs: "exit" for the
// process or the goroutine, with which end the sessions, and no deferred
// function runs that matters; "panic"; "" when it returns.
func noReturn(c *symval.Call) string {
	switch c.Symbol {
	case "os.Exit", "syscall.Exit", "runtime.Goexit":
		return "exit"
	}
	if c.Method == nil || c.Method.Pkg() == nil || c.Method.Pkg().Path() == "testing" {
		return ""
	}
	name := c.Method.Name()
	switch name {
	case "Msg", "Msgf", "MsgFunc", "Send": // what ends a line of zerolog
		name = levelOf(c)
	}
	switch {
	case c.Method.Signature().Results().Len() > 0:
	case logsAndEnds(name, "Fatal"):
		return "exit"
	case logsAndEnds(name, "Panic"):
		return "panic"
	}
	return ""
}

// logsAndEnds reports whether a method of a logger logs at a level, in any of
// the forms that loggers have for their arguments.
func logsAndEnds(name, level string) bool {
	form, ok := strings.CutPrefix(name, level)
	return ok && slices.Contains([]string{"", "f", "ln", "w", "Context", "Ctx"}, form)
}

// levelOf returns the name of the function that begins the chain of calls,
// each of which returns the receiver of the next, in which the method is
// called.
func levelOf(c *symval.Call) string {
	name := ""
	for args := c.Args; len(args) > 0; {
		call, ok := args[0].(*ssa.Call)
		if !ok || !types.Identical(call.Type(), c.Args[0].Type()) || call.Call.StaticCallee() == nil {
			break
		}
		name, args = call.Call.StaticCallee().Name(), call.Call.Args
	}
	return name
}

func (b *builder) mutex(kind prog.OpKind, mode string, c *symval.Call, at prog.Pos) []prog.Op {
	v := b.f.Arg(c, 0)
	name := ""
	switch v.Kind {
	case prog.VField, prog.VGlobal:
		name = v.Str
	default:
		return nil
	}
	return []prog.Op{{Kind: kind, ID: c.ID, Pos: at, Acq: &prog.Acq{Family: "mutex", Relation: name, Mode: mode, Wait: "wait", Scope: "session",
		Key: []*prog.Val{v}}}}
}
