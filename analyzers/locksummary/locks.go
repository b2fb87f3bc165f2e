package locksummary

import (
	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// lockOps returns what a call of runtime/locks does, as the statements that
// it sends.
func (b *builder) lockOps(op prog.Op, c *symval.Call) []prog.Op {
	share, known := b.lockShared(c)
	if !known {
		op.Kind, op.How, op.Str = prog.OpUnknown, "text", "the options of "+c.Symbol+" are not constant"
		return []prog.Op{op}
	}
	switch c.API.What {
	case "try":
		return b.lockSQL(op, c, b.f.LockSQL(c, "pg_try_advisory_xact_lock"+share))
	case "wait", "all":
		return b.bounded(op, b.lockSQL(op, c, b.f.LockSQL(c, "pg_advisory_xact_lock"+share)))
	case "rows":
		nowait := b.f.Arg(c, c.API.Wait).Str == "i:0"
		out := b.lockSQL(op, c, []symval.LockTaken{b.f.LockRows(c, nowait)})
		if nowait {
			return out
		}
		return b.bounded(op, out)
	case "session":
		return b.sessionOps(op, c)
	}
	return b.unlocked(op.ID, op.Conn, op.Pos)
}

// lockShared returns the ending of the lock functions for share mode, and
// whether the options are constant.
func (b *builder) lockShared(c *symval.Call) (string, bool) {
	if c.API.Opts < 0 || c.API.Opts >= len(c.Args) {
		return "", true
	}
	list := b.f.Arg(c, c.API.Opts)
	for _, o := range list.Of {
		switch o.Str {
		case "i:1", "i:3": // InShareMode, alone or with AllowSavepoint
			return "_shared", true
		case "i:2":
		default:
			return "", false
		}
	}
	return "", list.Kind == prog.VList || list.IsNil()
}

// lockSQL makes statements of what is taken. The first has the number of the
// call, by which its answer is known.
func (b *builder) lockSQL(op prog.Op, c *symval.Call, taken []symval.LockTaken) []prog.Op {
	var out []prog.Op
	for i, t := range taken {
		o := op
		o.Kind, o.Val, o.Args, o.ID = prog.OpSQL, t.SQL, t.Args, op.ID+idLock*i
		if text, ok := o.Val.AsText(); ok {
			o.Body = b.pkg.res.Effect(text)
		}
		o.Use.CtxVal = b.f.Arg(c, c.API.Ctx)
		o.Use.Ctx = prog.CtxKind(o.Use.CtxVal)
		o.Use.Answer = b.granted(c)
		o.Use.ResultIgnored = o.Use.Answer == "dropped" || o.Use.Answer == "unused"
		if c.API.What == "try" || c.API.What == "session" {
			o.Use.Scans = []string{"bool"}
		}
		out = append(out, o)
	}
	return out
}

const idLock = 1 << 25

// bounded puts the bound of a wait around statements: the lock_timeout that
// was in force before is so again after them.
func (b *builder) bounded(op prog.Op, list []prog.Op) []prog.Op {
	set := prog.Op{Kind: prog.OpSet, Pos: op.Pos, Conn: op.Conn, Str: "lock_timeout", How: prog.Bound, Val: prog.Text("set")}
	reset := set
	reset.How = prog.Unbound
	return append(append([]prog.Op{set}, list...), reset)
}

// granted tells who looks at the answer whether the lock was granted.
func (b *builder) granted(c *symval.Call) string {
	v, ok := b.instr(c.ID).(ssa.Value)
	if !ok || v.Referrers() == nil {
		return "dropped"
	}
	for _, r := range *v.Referrers() {
		e, ok := r.(*ssa.Extract)
		if !ok || e.Index != c.API.Result {
			continue
		}
		seen, decides := false, true
		for _, use := range *e.Referrers() {
			if _, ok := use.(*ssa.DebugRef); !ok {
				seen, decides = true, decides && condition(use, 0)
			}
		}
		switch {
		case !seen:
			return "unused"
		case decides:
			return "branch"
		}
		return "kept"
	}
	return "dropped"
}

// sessionOps takes a session lock, by trying: also a bounded wait polls, so
// that nobody waits inside the server. The session is the call's first
// result; Do opens it, runs its function and gives both back.
func (b *builder) sessionOps(op prog.Op, c *symval.Call) []prog.Op {
	taken := b.f.LockSQL(c, "pg_try_advisory_lock")
	if c.API.Callback < 0 {
		op.Conn = prog.New(prog.VHandle, "conn", prog.New(prog.VResult, itoa(op.ID+symval.LockOpens)+".0"))
		return b.lockSQL(op, c, taken)
	}
	open := op
	open.ID, open.Kind, open.How, open.Conn = op.ID+symval.LockOpens, prog.OpOpen, "conn", prog.Hole(prog.WatchedSessions)
	op.Conn = prog.New(prog.VConn, itoa(open.ID))
	call := prog.Op{Kind: prog.OpCall, ID: op.ID + idCallback, Pos: op.Pos, Val: b.f.Arg(c, c.API.Callback),
		Args: []*prog.Val{b.f.Arg(c, c.API.Ctx), prog.New(prog.VHandle, "conn", op.Conn)}}
	held := b.lockSQL(op, c, taken)
	for i := range held {
		held[i].Use = prog.Use{Answer: "branch", Scans: held[i].Use.Scans, CtxVal: held[i].Use.CtxVal, Ctx: held[i].Use.Ctx} // Do looks at it
	}
	out := append([]prog.Op{open}, held...)
	out = append(out, call)
	return append(out, b.unlocked(op.ID+idLock, op.Conn, op.Pos)...)
}

// unlocked gives a session lock and its connection back, also under a
// context that has ended.
func (b *builder) unlocked(id int, conn *prog.Val, at prog.Pos) []prog.Op {
	const text = "SELECT pg_advisory_unlock_all()"
	op := prog.Op{Kind: prog.OpSQL, ID: id, Pos: at, Conn: conn, Val: prog.Text(text), Body: b.pkg.res.Effect(text)}
	op.Use.Ctx = "background"
	return []prog.Op{op, {Kind: prog.OpEnd, ID: id + idEnd, Pos: at, Conn: conn, How: "release"}}
}
