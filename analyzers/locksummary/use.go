package locksummary

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// use notes what the code does with the answer of a statement, and the Go
// types of what it gives and takes.
func (b *builder) use(u *prog.Use, c *symval.Call) {
	u.ArgTypes = b.argTypes(c)
	in := b.instr(c.ID)
	if in == nil {
		return
	}
	v, _ := in.(ssa.Value)
	switch {
	case c.API.Scans >= 0:
		if c.API.Scans < len(c.Args) {
			dst := c.Args[c.API.Scans:]
			if c.API.ScanOne {
				dst = dst[:1]
			}
			b.scanned(u, dst, c.API.ScanOne)
		}
	case c.API.Row:
		b.row(u, v)
	case c.API.Rows, c.API.Does == dbapi.Finisher:
	case c.API.Does == dbapi.Exec || c.API.Does == dbapi.ExecPrepared:
		u.Answer = "dropped"
	}
	u.ResultIgnored = u.Answer == "dropped" || u.Answer == "unused"
}

// dropped returns which results of type bool of a call nothing looks at.
func (b *builder) dropped(c *symval.Call) []int {
	v, ok := b.instr(c.ID).(ssa.Value)
	if !ok || v.Referrers() == nil {
		return nil
	}
	results := c.Common.Signature().Results()
	seen := make([]bool, results.Len())
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Extract:
			seen[r.Index] = seen[r.Index] || looked(r)
		default:
			seen[0] = true
		}
	}
	var out []int
	for i := range seen {
		if t, ok := results.At(i).Type().Underlying().(*types.Basic); ok && t.Kind() == types.Bool && !seen[i] {
			out = append(out, i)
		}
	}
	return out
}

// looked reports whether something uses a value.
func looked(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(in ssa.Instruction) bool {
		_, ok := in.(*ssa.DebugRef)
		return !ok
	})
}

// instr returns the call with the number.
func (b *builder) instr(id int) ssa.CallInstruction {
	if b.byID == nil {
		b.byID = map[int]ssa.CallInstruction{}
		for in, n := range b.f.IDs {
			b.byID[n] = in
		}
	}
	return b.byID[id]
}

// argTypes returns the Go types of a statement's parameters.
func (b *builder) argTypes(c *symval.Call) []string {
	if c.API.Does == dbapi.Finisher {
		if c = b.f.Raw(c); c == nil {
			return nil
		}
	}
	if c.API.Args < 0 || c.API.Args >= len(c.Args) {
		return nil
	}
	n := len(b.f.Params(c))
	out := make([]string, n)
	known := false
	for i, dst := range variadic(c.Args[len(c.Args)-1]) {
		if mi, ok := dst.(*ssa.MakeInterface); ok && i < n {
			out[i] = symval.TypeString(mi.X.Type())
			known = known || out[i] != ""
		}
	}
	if !known {
		return nil
	}
	return out
}

// variadic returns the values put into the slice of a variadic call, in
// order.
func variadic(v ssa.Value) []ssa.Value {
	sl, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	a, ok := sl.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	at := map[int64]ssa.Value{}
	for _, r := range *a.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		k, ok := ia.Index.(*ssa.Const)
		if !ok {
			return nil
		}
		for _, rr := range *ia.Referrers() {
			if s, ok := rr.(*ssa.Store); ok && s.Addr == ia {
				at[k.Int64()] = s.Val
			}
		}
	}
	out := make([]ssa.Value, len(at))
	for i := range out {
		out[i] = at[int64(i)]
	}
	return out
}

// row notes what becomes of the one row a call returns.
func (b *builder) row(u *prog.Use, row ssa.Value) {
	if row == nil || row.Referrers() == nil {
		return
	}
	other := false
	for _, r := range *row.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
			continue
		case ssa.CallInstruction:
			if s := b.f.Call(r); s.Known && s.API.Does == dbapi.Scan && s.API.Scans >= 0 && s.API.Scans < len(s.Args) {
				b.scanned(u, s.Args[s.API.Scans:], s.API.ScanOne)
				return
			}
		}
		other = true
	}
	if !other {
		u.Answer = "dropped"
	}
}

// scanned notes where the values of a row go.
func (b *builder) scanned(u *prog.Use, dst []ssa.Value, one bool) {
	if !one && len(dst) == 1 {
		dst = variadic(dst[0])
	}
	u.Answer = "kept"
	for i, d := range dst {
		if mi, ok := d.(*ssa.MakeInterface); ok {
			d = mi.X
		}
		t := ""
		if d != nil {
			if p, ok := d.Type().Underlying().(*types.Pointer); ok {
				t = symval.TypeString(p.Elem())
			}
		}
		u.Scans = append(u.Scans, t)
		if a, ok := d.(*ssa.Alloc); ok && i == 0 {
			u.Answer = answer(a)
		}
	}
}

// answer tells who looks at a variable that a row is scanned into.
func answer(a *ssa.Alloc) string {
	seen, shown, decides := false, false, true
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.MakeInterface:
		case *ssa.Store:
			if r.Val == a {
				return "kept"
			}
		case *ssa.UnOp:
			for _, use := range *r.Referrers() {
				switch _, ok := use.(*ssa.DebugRef); {
				case ok:
				case printed(use):
					shown = true
				default:
					seen = true
					decides = decides && condition(use, 0)
				}
			}
		default:
			return "kept"
		}
	}
	switch {
	case !seen && shown:
		return "printed"
	case !seen:
		return "unused"
	case decides && !shown:
		return "branch"
	}
	return "kept"
}

// printed reports whether an instruction only hands a value to a function that
// prints it.
func printed(in ssa.Instruction) bool {
	v, ok := in.(*ssa.MakeInterface)
	if !ok {
		return false
	}
	for _, r := range *v.Referrers() {
		store, ok := r.(*ssa.Store)
		if !ok {
			return false
		}
		at, ok := store.Addr.(*ssa.IndexAddr)
		if !ok {
			return false
		}
		for _, r := range *at.X.Referrers() {
			list, ok := r.(*ssa.Slice)
			if !ok {
				continue
			}
			for _, r := range *list.Referrers() {
				if call, ok := r.(ssa.CallInstruction); !ok || !prints(call.Common().StaticCallee()) {
					return false
				}
			}
		}
	}
	return true
}

// prints reports a function of the standard library that prints or logs.
func prints(fn *ssa.Function) bool {
	if fn == nil || fn.Pkg == nil {
		return false
	}
	switch fn.Pkg.Pkg.Path() {
	case "log", "log/slog":
		return true
	case "fmt":
		return strings.HasPrefix(fn.Name(), "Print") || strings.HasPrefix(fn.Name(), "Fprint")
	}
	return false
}

// condition reports whether an instruction only decides what runs next.
func condition(in ssa.Instruction, depth int) bool {
	if depth > 6 {
		return false
	}
	switch in := in.(type) {
	case *ssa.If, *ssa.DebugRef:
		return true
	case *ssa.UnOp, *ssa.BinOp, *ssa.Phi:
		for _, r := range *in.(ssa.Value).Referrers() {
			if !condition(r, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// consts returns the calls in a body that are given declared integer
// constants.
func (u *unit) consts(body ast.Node) []prog.ConstUse {
	var out []prog.ConstUse
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok && n != body {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		at, args := u.pos(call.Pos()), call.Args
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			at, args = u.pos(sel.Sel.Pos()), append([]ast.Expr{sel.X}, args...) // the receiver can be the constant
		}
		for _, a := range args {
			if use, ok := u.constUse(a); ok {
				use.Call = at
				out = append(out, use)
			}
		}
		return true
	})
	return out
}

// constUse returns the declared integer constant that an expression names, or
// makes of declared ones.
func (u *unit) constUse(e ast.Expr) (prog.ConstUse, bool) {
	if c := u.constant(e); c != nil {
		return prog.ConstUse{Name: c.Pkg().Path() + "." + c.Name(), Value: c.Val().ExactString(), Decl: u.pos(c.Pos())}, c.Val().Kind() == constant.Int
	}
	if in := u.converted(e); in != nil {
		return u.constUse(in)
	}
	sum, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		return prog.ConstUse{}, false
	}
	v := u.info.Types[sum].Value
	x, y := u.constant(sum.X), u.constant(sum.Y)
	if v == nil || v.Kind() != constant.Int || x == nil && y == nil {
		return prog.ConstUse{}, false
	}
	name := func(c *types.Const, e ast.Expr) string {
		if c != nil {
			return c.Name()
		}
		return types.ExprString(e)
	}
	return prog.ConstUse{Name: cmp.Or(x, y).Pkg().Path() + "." + name(x, sum.X) + " " + sum.Op.String() + " " + name(y, sum.Y),
		Value: v.ExactString(), Decl: u.pos(sum.Pos())}, true
}

// constant returns the package constant that an expression names.
func (u *unit) constant(e ast.Expr) *types.Const {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		if in := u.converted(e); in != nil {
			return u.constant(in)
		}
		return nil
	}
	c, ok := u.info.Uses[id].(*types.Const)
	if !ok || c.Pkg() == nil || c.Parent() != c.Pkg().Scope() {
		return nil
	}
	return c
}

// converted returns what a conversion converts, nil for another expression.
func (u *unit) converted(e ast.Expr) ast.Expr {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 {
		if tv, ok := u.info.Types[call.Fun]; ok && tv.IsType() {
			return call.Args[0]
		}
	}
	return nil
}

// dropsSession reports whether a callback of (*sql.Conn).Raw can return
// driver.ErrBadConn, upon which database/sql closes the connection instead
// of pooling it.
func (b *builder) dropsSession(c *symval.Call) bool {
	if c.Symbol != "(*database/sql.Conn).Raw" || len(c.Args) < 2 {
		return false
	}
	var fn *ssa.Function
	switch v := c.Args[1].(type) {
	case *ssa.MakeClosure:
		fn, _ = v.Fn.(*ssa.Function)
	case *ssa.Function:
		fn = v
	}
	if fn == nil {
		return false
	}
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			if r, ok := in.(*ssa.Return); ok && len(r.Results) == 1 && badConn(r.Results[0], 0) {
				return true
			}
		}
	}
	return false
}

func badConn(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		g, ok := v.X.(*ssa.Global)
		return ok && g.Pkg.Pkg.Path() == "database/sql/driver" && g.Name() == "ErrBadConn"
	case *ssa.Phi:
		for _, e := range v.Edges {
			if depth < 4 && badConn(e, depth+1) {
				return true
			}
		}
	}
	return false
}
