package locksummary

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// Ids of the ops that one call becomes, beside that of the call itself.
const (
	idCallback = 1 << 20
	idEnd      = 1 << 21
)

// callOps returns what a call does.
func (b *builder) callOps(in ssa.CallInstruction, e *ast.CallExpr) []prog.Op {
	c := b.f.Call(in)
	if _, ok := c.Common.Value.(*ssa.Builtin); ok {
		if c.Common.Value.Name() == "panic" {
			return []prog.Op{{Kind: prog.OpExit, How: "panic", Pos: b.pos(e.Pos())}}
		}
		return nil
	}
	at := b.pos(e.Pos())
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok { // the line of the method in a chain
		at = b.pos(sel.Sel.Pos())
	}
	for _, n := range symval.ModelTypes(c) {
		b.pkg.given[n] = true
	}
	if c.Told && c.API.Does == dbapi.External { // and what its body does, if it is of the program
		ops := b.apiOps(c, at)
		ops[0].ID += idEnd
		return append(ops, b.plainCall(c, at)...)
	}
	if c.Known {
		return append(b.apiOps(c, at), b.hostOps(c, at)...)
	}
	if ops := b.hostOps(c, at); ops != nil {
		return ops
	}
	return b.plainCall(c, at)
}

// plainCall is a call that no library table knows.
func (b *builder) plainCall(c *symval.Call, at prog.Pos) []prog.Op {
	op := prog.Op{Kind: prog.OpCall, ID: c.ID, Pos: at}
	op.Use.Dropped = b.dropped(c)
	switch {
	case c.Common.IsInvoke():
		if std(c.Method) {
			return nil
		}
		recv := b.f.Val(c.Common.Value)
		op.Val = prog.New(prog.VMethod, symval.TypeString(c.Common.Value.Type())+"."+c.Method.Name()+"|"+symval.Signature(c.Method.Type().(*types.Signature)), recv)
		op.Args = b.f.Given(c)[1:]
	case c.Method != nil:
		if std(c.Method) {
			return b.callbacks(c, at)
		}
		op.Val = b.f.Callee(c)
		op.Args = b.f.Given(c)
		if !b.pkg.inProgram(c.Method) {
			return b.callbacks(c, at)
		}
	default:
		op.Val = b.f.Val(c.Common.Value)
		op.Args = b.f.Given(c)
		if op.Val.Kind == prog.VHole && op.Val.Str == "none" {
			return nil
		}
	}
	return []prog.Op{op}
}

func std(m *types.Func) bool {
	if m.Pkg() == nil {
		return true
	}
	return symval.Standard(m.Pkg().Path())
}

// callbacks runs the functions that a call outside the program is given:
// it may call them, here and now.
func (b *builder) callbacks(c *symval.Call, at prog.Pos) []prog.Op {
	var out []prog.Op
	for i, a := range c.Args {
		if _, ok := a.Type().Underlying().(*types.Signature); !ok {
			continue
		}
		v := b.f.Val(a)
		switch v.Kind {
		case prog.VClosure, prog.VFunc, prog.VMethod, prog.VParam, prog.VFree, prog.VField:
			op := prog.Op{Kind: prog.OpCall, ID: c.ID + idCallback*(i+4), Pos: at, Val: v}
			if detaches(c.Method) {
				op = prog.Op{Kind: prog.OpGo, How: prog.Handed, ID: op.ID, Pos: at, Val: v}
			}
			out = append(out, op)
		}
	}
	return out
}

// detaches reports whether a function only registers its callback, to be
// called later by somebody else.
func detaches(m *types.Func) bool {
	if m == nil {
		return false
	}
	if m.Pkg() != nil && dbapi.RegistersIn(m.Pkg().Path()) {
		if reg, ok := dbapi.Register(m.FullName()); ok {
			return reg.Does == "entry" || reg.Does == "later"
		}
	}
	for _, p := range []string{"Handle", "Register", "Add", "On", "Use", "Get", "Post", "Put", "Delete", "Patch", "Notify", "AfterFunc", "Subscribe", "Listen"} {
		if strings.HasPrefix(m.Name(), p) {
			return true
		}
	}
	return false
}

// apiOps returns what a call of a known library does.
func (b *builder) apiOps(c *symval.Call, at prog.Pos) []prog.Op {
	a := c.API
	op := prog.Op{ID: c.ID, Pos: at}
	if a.Handle >= 0 {
		op.Conn = b.f.HandleOf(c)
	} else if a.On != "" {
		op.Conn = prog.New(prog.VHandle, a.On, prog.Hole("the configuration says so"))
	}
	switch a.Does {
	case dbapi.Exec:
		op.Kind, op.Val, op.Args = prog.OpSQL, b.f.Arg(c, a.SQL), b.f.Params(c)
		return b.sqlOps(op, c)
	case dbapi.ExecPrepared:
		st := b.f.Arg(c, a.Stmt)
		op.Kind, op.Conn, op.Args = prog.OpSQL, st, b.f.Params(c)
		op.Val = prog.New(prog.VField, prog.StmtText, st)
		if st.Kind == prog.VMod && len(st.Of) > 1 {
			op.Conn, op.Val = st.Of[0], st.Of[1]
		}
		return b.sqlOps(op, c)
	case dbapi.Finisher:
		op.Kind, op.Val = prog.OpSQL, b.f.Chain(c)
		op.Conn = b.f.RunsOn(c)
		return append(b.hooked(b.sqlOps(op, c), c), b.batchOps(c, at)...)
	case dbapi.Begin, dbapi.Acquire:
		op.Kind, op.How = prog.OpOpen, a.Opens
		switch {
		case a.Reuses:
			op.Str = "reuses"
		case a.InPlace:
			op.Str = prog.InPlace
		}
		if a.CtxEnds {
			op.Use.CtxVal = b.f.Arg(c, a.Ctx)
		}
		return []prog.Op{op}
	case dbapi.Open:
		return b.openOps(op, c)
	case dbapi.Commit, dbapi.Rollback, dbapi.Close, dbapi.Release, dbapi.Hijack:
		return b.endOps(op, c)
	case dbapi.Callback:
		out := b.scopeOps(op, c)
		if b.dropsSession(c) {
			out = append(out, prog.Op{Kind: prog.OpEnd, ID: c.ID + idEnd, Pos: at, Conn: op.Conn, How: "close"})
		}
		return out
	case dbapi.Savepoint:
		op.Kind, op.Val = prog.OpSQL, prog.New(prog.VConcat, "", prog.Text("SAVEPOINT "), prog.Text("sp"))
		return b.sqlOps(op, c)
	case dbapi.RollbackTo:
		op.Kind, op.Val = prog.OpSQL, prog.Text("ROLLBACK TO SAVEPOINT sp")
		return b.sqlOps(op, c)
	case dbapi.Queue:
		return b.queue(op, c)
	case dbapi.SendBatch:
		return b.sendBatch(op, c)
	case dbapi.CopyFrom:
		op.Kind, op.Val = prog.OpSQL, b.copyText(c)
		return b.sqlOps(op, c)
	case dbapi.Go:
		op.Kind, op.Val = prog.OpGo, b.f.Arg(c, a.Callback)
		return []prog.Op{op}
	case dbapi.Run, dbapi.Collect:
		if a.Callback >= 0 {
			op.Kind, op.Val = prog.OpCall, b.f.Arg(c, a.Callback)
			return []prog.Op{op}
		}
	case dbapi.Unknown:
		op.Kind, op.How, op.Str = prog.OpUnknown, "text", "the SQL of "+c.Symbol+" does not show in its arguments: "+a.What
		return []prog.Op{op}
	case dbapi.External:
		op.Kind, op.Str, op.Val = prog.OpExternal, a.What, prog.Text(c.Symbol)
		if !b.session(c) {
			op.Conn = nil // a client of something else
		}
		if a.Waits {
			op.How = prog.Waits
		}
		return []prog.Op{op}
	case dbapi.LockTake:
		return b.lockOps(op, c)
	case dbapi.Idle:
		if op.Conn != nil && b.asksForLife(c) {
			op.Kind, op.How = prog.OpCheck, prog.Pings
			return []prog.Op{op}
		}
		if a.Value >= 0 {
			op.Kind, op.How, op.Val = prog.OpCheck, prog.MaxConns, b.f.Arg(c, a.Value)
			return []prog.Op{op}
		}
	}
	return nil
}

// openOps opens a connection that the call dials, and tells by what it or a
// pool is opened.
func (b *builder) openOps(op prog.Op, c *symval.Call) []prog.Op {
	a := c.API
	var out []prog.Op
	opened := prog.New(prog.VConn, itoa(c.ID))
	if a.Opens == "conn" {
		op.Kind, op.How, op.Conn = prog.OpOpen, "conn", prog.Hole("dialled")
		out = append(out, op)
	} else {
		opened = b.f.Opened(c)
	}
	if a.DSN >= 0 {
		out = append(out, prog.Op{Kind: prog.OpCheck, ID: c.ID + idEnd, Pos: op.Pos, How: prog.DSN, Conn: opened, Val: b.f.Arg(c, a.DSN)})
	}
	return out
}

// asksForLife reports whether a call asks a session whether it is alive. A
// pool answers for any of its sessions.
func (b *builder) asksForLife(c *symval.Call) bool {
	if c.Method == nil || !b.session(c) {
		return false
	}
	switch c.Method.Name() {
	case "Ping", "PingContext", "IsClosed", "CheckConn":
		return true
	}
	return false
}

// session reports whether a call is one of a connection to the database, and
// not of a pool of them.
func (b *builder) session(c *symval.Call) bool {
	h := c.API.Handle
	if h < 0 || h >= len(c.Args) {
		return false
	}
	kind := symval.HandleKind(c.Args[h].Type())
	return kind != "" && kind != "pool"
}

// batchOps runs the function that a finisher calls for each batch of rows.
func (b *builder) batchOps(c *symval.Call, at prog.Pos) []prog.Op {
	if c.API.Callback < 0 || c.API.Callback >= len(c.Args) {
		return nil
	}
	call := prog.Op{Kind: prog.OpCall, ID: c.ID + idCallback, Pos: at, Val: b.f.Arg(c, c.API.Callback)}
	if c.API.CallbackHandle == 0 {
		call.Args = []*prog.Val{b.f.Arg(c, max(c.API.Handle, 0))}
	}
	return []prog.Op{{Kind: prog.OpLoop, Pos: at, Str: "batches of rows", Body: []prog.Op{call}}}
}

// copyText returns the COPY statement of a bulk load: its text where the
// library takes one, else that of its table.
func (b *builder) copyText(c *symval.Call) *prog.Val {
	if c.API.SQL >= 0 {
		return b.f.Arg(c, c.API.SQL)
	}
	table := b.f.Arg(c, c.API.Table)
	parts := []*prog.Val{prog.Text("COPY ")}
	if table.Kind == prog.VList {
		for i, p := range table.Of {
			if i > 0 {
				parts = append(parts, prog.Text("."))
			}
			parts = append(parts, p)
		}
	} else {
		parts = append(parts, table)
	}
	return prog.New(prog.VConcat, "", append(parts, prog.Text(" FROM STDIN"))...)
}

// endOps ends a connection or transaction, if the value is one.
func (b *builder) endOps(op prog.Op, c *symval.Call) []prog.Op {
	op.Kind, op.How = prog.OpEnd, c.API.Ends
	if op.How == "" {
		op.How = string(c.API.Does)
	}
	if symval.HandleKind(c.Args[max(c.API.Handle, 0)].Type()) == "pool" {
		return nil
	}
	return []prog.Op{op}
}

// scopeOps opens a transaction, runs a callback in it and ends it.
func (b *builder) scopeOps(op prog.Op, c *symval.Call) []prog.Op {
	a := c.API
	fn := b.f.Arg(c, a.Callback)
	handle := op.Conn
	var out []prog.Op
	same := a.Opens == "same" || a.Opens == ""
	if !same {
		op.Kind, op.How = prog.OpOpen, a.Opens
		if a.Reuses {
			op.Str = "reuses"
		}
		out = append(out, op)
		handle = prog.New(prog.VHandle, handleKind(c), prog.New(prog.VConn, itoa(c.ID)))
	}
	call := prog.Op{Kind: prog.OpCall, ID: c.ID + idCallback, Pos: op.Pos, Val: fn}
	n := 0
	if sig, ok := c.Args[a.Callback].Type().Underlying().(*types.Signature); ok {
		n = sig.Params().Len()
	}
	for i := 0; i < n; i++ {
		v := prog.Hole("callback argument")
		switch {
		case i == a.CallbackHandle:
			v = handle
		case i == a.CallbackCtx && a.Ctx >= 0:
			v = prog.New(prog.VCtxWith, "", b.f.Arg(c, a.Ctx), prog.Text("tx of "+a.Lib), handle)
		}
		call.Args = append(call.Args, v)
	}
	out = append(out, call)
	if !same {
		out = append(out, prog.Op{Kind: prog.OpEnd, ID: c.ID + idEnd, Pos: op.Pos, Conn: prog.New(prog.VConn, itoa(c.ID)), How: "either",
			Val: prog.New(prog.VResult, itoa(c.ID+idCallback)+"."+itoa(errorOf(c)))})
	}
	return out
}

// errorOf returns the index of the error among the results of the callback.
func errorOf(c *symval.Call) int {
	if sig, ok := c.Args[c.API.Callback].Type().Underlying().(*types.Signature); ok {
		return max(sig.Results().Len()-1, 0)
	}
	return 0
}

// handleKind returns what the callback's handle is by its type.
func handleKind(c *symval.Call) string {
	if sig, ok := c.Args[c.API.Callback].Type().Underlying().(*types.Signature); ok && c.API.CallbackHandle >= 0 && c.API.CallbackHandle < sig.Params().Len() {
		if k := symval.HandleKind(sig.Params().At(c.API.CallbackHandle).Type()); k != "" {
			return k
		}
	}
	return c.API.Opens
}
