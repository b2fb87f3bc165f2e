package locksummary

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A builder makes the lock program of one function.
type builder struct {
	pkg     *unit
	fn      *ssa.Function
	f       *symval.Func
	info    *types.Info
	calls   map[token.Pos]ssa.CallInstruction
	returns map[token.Pos]*ssa.Return
	queued  map[int]string // statements of batches, by id, and their batch
	queues  map[int]bool   // calls that are moved to where the batch that they are given is sent
	sent    map[int]string // the batches that are sent, by the id of the transaction they run in
	byID    map[int]ssa.CallInstruction
}

func newBuilder(u *unit, fn *ssa.Function) *builder {
	b := &builder{pkg: u, fn: fn, f: symval.New(fn, u.texts, u.in.Known, u.inProgram), info: u.info,
		calls: map[token.Pos]ssa.CallInstruction{}, returns: map[token.Pos]*ssa.Return{}, queued: map[int]string{}, queues: map[int]bool{}, sent: map[int]string{}}
	b.index(fn)
	return b
}

// index joins syntax and SSA by position.
func (b *builder) index(fn *ssa.Function) {
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			switch in := in.(type) {
			case ssa.CallInstruction:
				if in.Pos() != token.NoPos {
					b.calls[in.Pos()] = in
				}
			case *ssa.Return:
				if in.Pos() != token.NoPos {
					b.returns[in.Pos()] = in
				}
			}
		}
	}
	for _, anon := range fn.AnonFuncs {
		if rangeFunc(anon) {
			b.index(anon)
		}
	}
}

func rangeFunc(fn *ssa.Function) bool {
	return len(fn.Synthetic) > 10 && fn.Synthetic[:10] == "range-over"
}

// pos returns a position as programs write it.
func (b *builder) pos(p token.Pos) prog.Pos { return b.pkg.pos(p) }

// block returns the ops of a list of statements.
func (b *builder) block(list []ast.Stmt) []prog.Op {
	var out []prog.Op
	for _, s := range list {
		out = append(out, b.stmt(s, "")...)
	}
	return out
}

func (b *builder) stmt(s ast.Stmt, label string) []prog.Op {
	switch s := s.(type) {
	case nil:
		return nil
	case *ast.ExprStmt:
		return b.exprs(s.X)
	case *ast.AssignStmt:
		return append(b.exprs(s.Rhs...), b.exprs(s.Lhs...)...)
	case *ast.DeclStmt:
		return b.decl(s)
	case *ast.SendStmt:
		out := b.exprs(s.Chan, s.Value)
		if !b.buffered(s.Chan) {
			out = append(out, b.waits(s.Arrow))
		}
		return out
	case *ast.IncDecStmt:
		return b.exprs(s.X)
	case *ast.ReturnStmt:
		return b.ret(s)
	case *ast.BlockStmt:
		return b.block(s.List)
	case *ast.IfStmt:
		return b.ifStmt(s)
	case *ast.SwitchStmt:
		return b.switchStmt(s)
	case *ast.TypeSwitchStmt:
		return b.typeSwitch(s)
	case *ast.SelectStmt:
		return b.selectStmt(s)
	case *ast.ForStmt:
		return b.forStmt(s, label)
	case *ast.RangeStmt:
		return b.rangeStmt(s, label)
	case *ast.LabeledStmt:
		return b.stmt(s.Stmt, s.Label.Name)
	case *ast.BranchStmt:
		return b.jump(s)
	case *ast.DeferStmt:
		return b.deferStmt(s)
	case *ast.GoStmt:
		return b.goStmt(s)
	}
	return nil
}

func (b *builder) decl(s *ast.DeclStmt) []prog.Op {
	g, ok := s.Decl.(*ast.GenDecl)
	if !ok {
		return nil
	}
	var out []prog.Op
	for _, spec := range g.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			out = append(out, b.exprs(v.Values...)...)
		}
	}
	return out
}

// ret leaves the function; its values are those of the expressions where
// SSA only loads named results.
func (b *builder) ret(s *ast.ReturnStmt) []prog.Op {
	out := b.exprs(s.Results...)
	exit := prog.Op{Kind: prog.OpExit, Pos: b.pos(s.Pos())}
	r := b.returns[s.Pos()]
	n := b.fn.Signature.Results().Len()
	for i := 0; i < n; i++ {
		var v *prog.Val
		if r != nil && i < len(r.Results) {
			v = b.f.After(r.Results[i], b.f.InOrder(r.Results[i], s.Pos()), r)
		}
		if (v == nil || named(v)) && len(s.Results) == n {
			if x := b.f.Expr(s.Results[i], b.info); x != nil {
				v = x
			}
		}
		if named(v) && r != nil && i < len(r.Results) && !types.Identical(b.fn.Signature.Results().At(i).Type(), types.Universe.Lookup("error").Type()) {
			if x := b.f.Stored(r.Results[i]); x != nil {
				v = x
			}
		}
		if v == nil {
			v = prog.Hole("result")
		}
		exit.Args = append(exit.Args, v)
	}
	return append(out, exit)
}

// named reports a value that SSA loads from a result variable: functions
// that defer have one for each result.
func named(v *prog.Val) bool {
	for v != nil && (v.Kind == prog.VHandle || v.Kind == prog.VIface) {
		v = v.Of[0]
	}
	return v != nil && v.Kind == prog.VNamed
}

func (b *builder) ifStmt(s *ast.IfStmt) []prog.Op {
	out := b.stmt(s.Init, "")
	out = append(out, b.exprs(s.Cond)...)
	g := b.guard(s.Cond)
	then := b.block(s.Body.List)
	var els []prog.Op
	if s.Else != nil {
		els = b.stmt(s.Else, "")
	}
	if len(then) == 0 && len(els) == 0 {
		return out
	}
	when := b.source(s.Cond)
	return append(out, prog.Op{Kind: prog.OpBranch, Pos: b.pos(s.Pos()), Arms: []prog.Arm{
		{Guard: g, When: when, Body: then}, {Guard: not(g), When: negate(when), Body: els}}})
}

func not(g *prog.Val) *prog.Val {
	if g == nil {
		return nil
	}
	if g.Kind == prog.VNot {
		return g.Of[0]
	}
	return prog.New(prog.VNot, "", g)
}

// guard returns a condition as a value, nil when it cannot be told.
func (b *builder) guard(e ast.Expr) *prog.Val {
	e = ast.Unparen(e)
	switch e := e.(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			x, y := b.guard(e.X), b.guard(e.Y)
			if x == nil {
				x = prog.Hole("condition")
			}
			if y == nil {
				y = prog.Hole("condition")
			}
			k := prog.VAnd
			if e.Op == token.LOR {
				k = prog.VOr
			}
			return prog.New(k, "", x, y)
		}
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return not(b.guard(e.X))
		}
	}
	return b.f.Expr(e, b.info)
}

func (b *builder) switchStmt(s *ast.SwitchStmt) []prog.Op {
	out := b.stmt(s.Init, "")
	var tag *prog.Val
	if s.Tag != nil {
		out = append(out, b.exprs(s.Tag)...)
		tag = b.f.Expr(s.Tag, b.info)
	}
	br := prog.Op{Kind: prog.OpBranch, How: "switch", Pos: b.pos(s.Pos())}
	var others []*prog.Val
	def := -1
	for _, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		arm := prog.Arm{Body: append(b.exprs(cc.List...), b.block(cc.Body)...)}
		if cc.List == nil {
			def = len(br.Arms)
			arm.When = "otherwise"
			br.Arms = append(br.Arms, arm)
			continue
		}
		var any []*prog.Val
		for _, e := range cc.List {
			var g *prog.Val
			if s.Tag == nil {
				g = b.guard(e)
			} else if x := b.f.Expr(e, b.info); x != nil && tag != nil {
				g = prog.New(prog.VEq, "", tag, x)
				if x.IsNil() {
					g = prog.New(prog.VIsNil, "", tag)
				}
			}
			if g == nil {
				g = prog.Hole("condition")
			}
			any = append(any, g)
		}
		arm.Guard = any[0]
		if len(any) > 1 {
			arm.Guard = prog.New(prog.VOr, "", any...)
		}
		arm.When = b.caseText(s.Tag, cc.List)
		others = append(others, not(arm.Guard))
		br.Arms = append(br.Arms, arm)
	}
	if def < 0 {
		def = len(br.Arms)
		br.Arms = append(br.Arms, prog.Arm{When: "otherwise"})
	}
	br.Arms[def].Guard = prog.New(prog.VAnd, "", others...)
	return append(out, br)
}

func (b *builder) typeSwitch(s *ast.TypeSwitchStmt) []prog.Op {
	out := b.stmt(s.Init, "")
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X.(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = a.Rhs[0].(*ast.TypeAssertExpr).X
	}
	out = append(out, b.exprs(x)...)
	v := b.f.Expr(x, b.info)
	br := prog.Op{Kind: prog.OpBranch, How: "switch", Pos: b.pos(s.Pos())}
	var others []*prog.Val
	def := -1
	for _, c := range s.Body.List {
		cc := c.(*ast.CaseClause)
		arm := prog.Arm{Body: b.block(cc.Body)}
		if cc.List == nil {
			def = len(br.Arms)
			arm.When = "otherwise"
			br.Arms = append(br.Arms, arm)
			continue
		}
		var any []*prog.Val
		for _, e := range cc.List {
			g := prog.Hole("type")
			if tv, ok := b.info.Types[e]; ok && v != nil {
				if tv.IsNil() {
					g = prog.New(prog.VIsNil, "", v)
				} else if !types.IsInterface(tv.Type) {
					g = prog.New(prog.VTypeIs, symval.TypeString(tv.Type), v)
				}
			}
			any = append(any, g)
		}
		arm.Guard = any[0]
		if len(any) > 1 {
			arm.Guard = prog.New(prog.VOr, "", any...)
		}
		arm.When = b.source(x) + " is " + b.list(cc.List)
		others = append(others, not(arm.Guard))
		br.Arms = append(br.Arms, arm)
	}
	if def < 0 {
		def = len(br.Arms)
		br.Arms = append(br.Arms, prog.Arm{When: "otherwise"})
	}
	br.Arms[def].Guard = prog.New(prog.VAnd, "", others...)
	return append(out, br)
}

func (b *builder) selectStmt(s *ast.SelectStmt) []prog.Op {
	br := prog.Op{Kind: prog.OpBranch, How: "switch", Pos: b.pos(s.Pos())}
	waits, ready := false, false
	for _, c := range s.Body.List {
		cc := c.(*ast.CommClause)
		ready = ready || cc.Comm == nil
		waits = waits || !ends(received(cc.Comm))
		br.Arms = append(br.Arms, prog.Arm{Body: append(b.comm(cc.Comm), b.block(cc.Body)...), When: "select"})
	}
	if waits && !ready {
		return []prog.Op{b.waits(s.Pos()), br}
	}
	return []prog.Op{br}
}

// comm returns what a case of a select evaluates; the select itself waits.
func (b *builder) comm(s ast.Stmt) []prog.Op {
	if ch := received(s); ch != nil {
		return append(b.expr(ch), b.done(ch)...)
	}
	if send, ok := s.(*ast.SendStmt); ok {
		return b.exprs(send.Chan, send.Value)
	}
	return b.stmt(s, "")
}

// buffered reports a channel that this function makes with room in it.
func (b *builder) buffered(ch ast.Expr) bool {
	made, ok := b.ssaExpr(ch).(*ssa.MakeChan)
	if !ok {
		return false
	}
	size, ok := made.Size.(*ssa.Const)
	return !ok || size.Value == nil || size.Int64() > 0
}

// received returns the channel that a case of a select receives from, nil
// when it sends.
func received(s ast.Stmt) ast.Expr {
	var x ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		x = s.X
	case *ast.AssignStmt:
		x = s.Rhs[0]
	}
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u.X
	}
	return nil
}

// ends reports the channel of a context, which gives nothing but the end.
func ends(ch ast.Expr) bool {
	call, ok := ast.Unparen(ch).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Done"
}

// done says that the context has ended whose channel gave its end.
func (b *builder) done(ch ast.Expr) []prog.Op {
	if ch == nil || !ends(ch) {
		return nil
	}
	ctx := ast.Unparen(ch).(*ast.CallExpr).Fun.(*ast.SelectorExpr).X
	if t := b.info.TypeOf(ctx); t == nil || t.String() != "context.Context" {
		return nil
	}
	if v := b.f.Expr(ctx, b.info); v != nil {
		return []prog.Op{{Kind: prog.OpCheck, How: prog.CtxDone, Val: v, Pos: b.pos(ch.Pos())}}
	}
	return nil
}

// waits is a wait for another goroutine.
func (b *builder) waits(p token.Pos) prog.Op {
	return prog.Op{Kind: prog.OpExternal, How: prog.Waits, Str: "channel", Pos: b.pos(p)}
}

func (b *builder) forStmt(s *ast.ForStmt, label string) []prog.Op {
	out := b.stmt(s.Init, "")
	loop := prog.Op{Kind: prog.OpLoop, Pos: b.pos(s.Pos()), Query: label}
	if s.Cond == nil {
		loop.How = "forever"
	} else {
		loop.Body = b.exprs(s.Cond)
		loop.Str = b.source(s.Cond)
		if g := b.guard(s.Cond); g != nil {
			loop.Args = []*prog.Val{g}
		}
		if call, ok := ast.Unparen(s.Cond).(*ast.CallExpr); ok {
			loop.Val = b.walked(call)
		}
	}
	loop.Body = append(append(loop.Body, b.block(s.Body.List)...), b.stmt(s.Post, "")...)
	return append(out, loop)
}

// walked returns the rows that a loop condition such as rows.Next() moves
// through.
func (b *builder) walked(call *ast.CallExpr) *prog.Val {
	in := b.calls[call.Lparen]
	if in == nil {
		return nil
	}
	c := b.f.Call(in)
	if c.Known && c.API.Does == "next" {
		return prog.New(prog.VApply, "collected", b.f.Arg(c, 0))
	}
	return nil
}

func (b *builder) rangeStmt(s *ast.RangeStmt, label string) []prog.Op {
	out := b.exprs(s.X)
	loop := prog.Op{Kind: prog.OpLoop, Pos: b.pos(s.Pos()), Query: label, Str: b.source(s.X), Val: b.f.Expr(s.X, b.info)}
	switch b.info.TypeOf(s.X).Underlying().(type) {
	case *types.Map:
		loop.How = "map"
	case *types.Chan:
		loop.How = "channel"
	case *types.Signature:
		loop.How = "iterator"
	}
	v := b.ssaExpr(s.X)
	switch of, by := symval.Iterated(v); {
	case strings.HasPrefix(by, "maps."):
		loop.How, loop.Val = "map", b.f.Val(of)
	case by != "":
		loop.How, loop.Val, v = "", b.f.Val(of), of
	}
	if v != nil {
		if _, ok := b.f.Sorted(v, s.Pos()); ok {
			loop.Order, loop.Val = "sorted", b.f.InOrder(v, s.Pos())
		}
	}
	loop.Body = b.block(s.Body.List)
	return append(out, loop)
}

func (b *builder) ssaExpr(e ast.Expr) ssa.Value { return b.f.SSA(e) }

func (b *builder) jump(s *ast.BranchStmt) []prog.Op {
	op := prog.Op{Pos: b.pos(s.Pos())}
	if s.Label != nil {
		op.Str = s.Label.Name
	}
	switch s.Tok {
	case token.BREAK:
		op.Kind = prog.OpBreak
	case token.CONTINUE:
		op.Kind = prog.OpContinue
	case token.GOTO:
		return []prog.Op{{Kind: prog.OpUnknown, How: "goto", Str: "goto is not followed", Pos: op.Pos, Cut: "goto"}}
	default:
		return nil
	}
	return []prog.Op{op}
}

func (b *builder) deferStmt(s *ast.DeferStmt) []prog.Op {
	out := b.exprs(append([]ast.Expr{s.Call.Fun}, s.Call.Args...)...)
	in := b.calls[s.Defer]
	if in == nil {
		return out
	}
	body := b.callOps(in, s.Call)
	if len(body) == 0 {
		return out
	}
	for i := range body {
		body[i].Use.Deferred = true
	}
	return append(out, prog.Op{Kind: prog.OpDefer, ID: b.f.IDs[in], Pos: b.pos(s.Pos()), Body: body})
}

func (b *builder) goStmt(s *ast.GoStmt) []prog.Op {
	out := b.exprs(append([]ast.Expr{s.Call.Fun}, s.Call.Args...)...)
	in := b.calls[s.Go]
	if in == nil {
		return out
	}
	return append(out, prog.Op{Kind: prog.OpGo, ID: b.f.IDs[in], Pos: b.pos(s.Pos()), Body: b.callOps(in, s.Call)})
}

// exprs returns the ops of the calls in expressions, in the order Go
// evaluates them.
func (b *builder) exprs(list ...ast.Expr) []prog.Op {
	var out []prog.Op
	for _, e := range list {
		out = append(out, b.expr(e)...)
	}
	return out
}

func (b *builder) expr(e ast.Expr) []prog.Op {
	switch e := e.(type) {
	case nil, *ast.Ident, *ast.BasicLit, *ast.FuncLit:
		return nil
	case *ast.CallExpr:
		out := b.expr(e.Fun)
		out = append(out, b.exprs(e.Args...)...)
		if in := b.calls[e.Lparen]; in != nil {
			out = append(out, b.callOps(in, e)...)
		}
		return out
	case *ast.BinaryExpr:
		return append(b.expr(e.X), b.expr(e.Y)...)
	case *ast.UnaryExpr:
		out := b.expr(e.X)
		switch {
		case e.Op != token.ARROW:
		case ends(e.X):
			out = append(out, b.done(e.X)...)
		default:
			out = append(out, b.waits(e.OpPos))
		}
		return out
	case *ast.StarExpr:
		return b.expr(e.X)
	case *ast.ParenExpr:
		return b.expr(e.X)
	case *ast.SelectorExpr:
		return b.expr(e.X)
	case *ast.IndexExpr:
		return append(b.expr(e.X), b.expr(e.Index)...)
	case *ast.IndexListExpr:
		return b.expr(e.X)
	case *ast.SliceExpr:
		return append(b.expr(e.X), b.exprs(e.Low, e.High, e.Max)...)
	case *ast.TypeAssertExpr:
		return b.expr(e.X)
	case *ast.KeyValueExpr:
		return append(b.expr(e.Key), b.expr(e.Value)...)
	case *ast.CompositeLit:
		return b.exprs(e.Elts...)
	}
	return nil
}
