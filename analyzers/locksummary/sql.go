package locksummary

import (
	"go/types"
	"regexp"
	"slices"
	"strconv"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

func itoa(i int) string { return strconv.Itoa(i) }

// queryName finds the name that sqlc puts above each query.
var queryName = regexp.MustCompile(`(?m)^\s*--\s*name:\s*(\w+)`)

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
	return []prog.Op{op}
}

// hostOps returns what calls of the Go runtime do to the locks of the process:
// its mutexes, and the WaitGroups that goroutines hold until they are done.
func (b *builder) hostOps(c *symval.Call, at prog.Pos) []prog.Op {
	if noReturn(c) {
		return []prog.Op{{Kind: prog.OpExit, How: "exit", Pos: at}}
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

// noReturn reports whether a call ends the process or the goroutine: with
// it end the sessions, and no deferred function runs that matters.
func noReturn(c *symval.Call) bool {
	switch c.Symbol {
	case "os.Exit", "syscall.Exit", "runtime.Goexit":
		return true
	}
	if c.Method == nil || c.Method.Pkg() == nil || c.Method.Pkg().Path() == "testing" {
		return false
	}
	switch c.Method.Name() {
	case "Fatal", "Fatalf", "Fatalln":
		return c.Method.Type().(*types.Signature).Results().Len() == 0
	}
	return false
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
