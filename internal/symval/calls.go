package symval

import (
	"go/token"
	"go/types"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

func itoa(i int) string { return strconv.Itoa(i) }

// A Call is one call of the function with what is known of it.
type Call struct {
	ID     int
	In     ssa.CallInstruction
	Common *ssa.CallCommon
	API    dbapi.Call
	Known  bool        // API says what it does
	Told   bool        // by the configuration
	Method *types.Func // the method or function called, nil for function values
	Symbol string      // full symbol as dbapi writes it, "" for function values
	Args   []ssa.Value // receiver included
}

// Call returns what is known of a call instruction.
func (f *Func) Call(in ssa.CallInstruction) *Call {
	if c, ok := f.calls[in]; ok {
		return c
	}
	c := &Call{ID: f.IDs[in], In: in, Common: in.Common()}
	f.calls[in] = c
	if c.Common.IsInvoke() {
		c.Method = c.Common.Method
		c.Args = append([]ssa.Value{c.Common.Value}, c.Common.Args...)
	} else {
		c.Args = c.Common.Args
		if fn := c.Common.StaticCallee(); fn != nil && fn.Parent() == nil {
			if o := fn.Origin(); o != nil {
				fn = o
			}
			c.Method, _ = fn.Object().(*types.Func)
			f.bound(c)
		}
	}
	if c.Method == nil {
		if g := calledGlobal(c.Common.Value); g != "" {
			if api, ok := dbapi.Lookup(g); ok && api.Does == dbapi.Builder {
				c.API, c.Known, c.Symbol = api, true, g
			}
		}
		return c
	}
	c.Symbol = c.Method.FullName()
	if k, ok := f.known[ObjectSymbol(c.Method)]; ok {
		c.API, c.Known, c.Told = configured(k, c.Method.Type().(*types.Signature)), true, true
		return c
	}
	c.API, c.Known = dbapi.Lookup(c.Symbol)
	if api, ok := genCall(c); ok {
		c.API, c.Known = api, true
	}
	if !c.Known {
		c.API, c.Known = generated(c.Method)
	}
	if !c.Known && c.Common.IsInvoke() {
		sig := c.Method.Type().(*types.Signature)
		c.API, c.Known = dbapi.Shape(c.Method.Name(), typeStrings(sig.Params()), typeStrings(sig.Results()), sig.Variadic())
		if c.Known && c.API.Weak && !f.sessionLike(c.Common.Value.Type()) {
			c.Known = false
		}
	}
	if !c.Known && !c.Common.IsInvoke() {
		f.opens(c)
	}
	return c
}

// opens completes the call of a function of another repository that opens a
// pool as sql.Open does.
func (f *Func) opens(c *Call) {
	sig := c.Method.Type().(*types.Signature)
	if sig.Recv() != nil || c.Method.Pkg() == nil || f.Fn.Pkg == nil || repository(c.Method.Pkg().Path()) == repository(f.Fn.Pkg.Pkg.Path()) {
		return
	}
	var names []string
	for p := range sig.Params().Variables() {
		names = append(names, p.Name())
	}
	if api, ok := dbapi.OpenShape(c.Method.Name(), names, typeStrings(sig.Params()), typeStrings(sig.Results())); ok {
		c.API, c.Known = api, true
	}
}

// repository returns the part of an import path that names where the package
// is from.
func repository(path string) string {
	parts := strings.SplitN(path, "/", 4)
	return strings.Join(parts[:min(len(parts), 3)], "/")
}

// bound completes the call of a method value, whose receiver is not among
// the arguments. One of an interface is left to what its value is.
func (f *Func) bound(c *Call) {
	mc, ok := c.Common.Value.(*ssa.MakeClosure)
	if !ok || c.Method == nil || !isBound(mc) {
		return
	}
	c.Args = append([]ssa.Value{mc.Bindings[0]}, c.Common.Args...)
	if _, known := dbapi.Lookup(c.Method.FullName()); !known && types.IsInterface(mc.Bindings[0].Type()) {
		c.Method, c.Args = nil, c.Common.Args
	}
}

// calledGlobal returns the symbol of the package variable whose function is
// called, "" when it is none.
func calledGlobal(v ssa.Value) string {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return ""
	}
	g, ok := load.X.(*ssa.Global)
	if !ok || g.Pkg == nil {
		return ""
	}
	return g.Pkg.Pkg.Path() + "." + g.Name()
}

// configured completes what the configuration says of a function with what
// its signature tells: where its context, its error and its parameters are.
func configured(c dbapi.Call, sig *types.Signature) dbapi.Call {
	first := 0
	if sig.Recv() != nil {
		first = 1
	}
	for i := 0; i < sig.Params().Len(); i++ {
		if TypeString(sig.Params().At(i).Type()) == "context.Context" {
			c.Ctx = i + first
			break
		}
	}
	for i := 0; i < sig.Results().Len(); i++ {
		if isError(sig.Results().At(i).Type()) {
			c.ErrResult = i
		} else if c.Result == dbapi.None {
			c.Result = i
		}
	}
	if c.Does == dbapi.External {
		return c
	}
	move := func(i *int) {
		if *i != dbapi.None {
			*i += first
		}
	}
	move(&c.SQL)
	move(&c.Args)
	switch {
	case c.On == "receiver" && first == 1:
		c.Handle, c.On = 0, ""
	case c.On == "receiver":
		c.On = ""
	default:
		move(&c.Handle)
	}
	return c
}

func typeStrings(t *types.Tuple) []string {
	var out []string
	for i := 0; i < t.Len(); i++ {
		out = append(out, TypeString(t.At(i).Type()))
	}
	return out
}

// sessionLike reports whether an interface also runs SQL.
func (f *Func) sessionLike(t types.Type) bool {
	it, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for i := 0; i < it.NumMethods(); i++ {
		m := it.Method(i)
		sig := m.Type().(*types.Signature)
		if c, ok := dbapi.Lookup(m.FullName()); ok && c.Does == dbapi.Exec {
			return true
		}
		if c, ok := dbapi.Shape(m.Name(), typeStrings(sig.Params()), typeStrings(sig.Results()), sig.Variadic()); ok && c.Does == dbapi.Exec {
			return true
		}
	}
	return false
}

// Arg returns argument i of the call, receiver included, as a value; a hole
// when the call has none.
func (f *Func) Arg(c *Call, i int) *prog.Val {
	if i < 0 || i >= len(c.Args) {
		return prog.Hole("no argument")
	}
	return f.Val(c.Args[i])
}

// Args returns the arguments of the call as values.
func (f *Func) Args(c *Call) []*prog.Val {
	out := make([]*prog.Val, len(c.Args))
	for i := range c.Args {
		out[i] = f.InOrder(c.Args[i], c.Common.Pos())
	}
	return out
}

// Given returns the arguments of the call as they are when it runs.
func (f *Func) Given(c *Call) []*prog.Val {
	out := f.Args(c)
	for i, a := range c.Args {
		out[i] = f.After(a, out[i], c.In)
	}
	return out
}

// Params returns the SQL parameters of a call: its arguments from API.Args
// on, taken out of their slice.
func (f *Func) Params(c *Call) []*prog.Val {
	if c.API.Args < 0 || c.API.Args >= len(c.Args) {
		return nil
	}
	var out []*prog.Val
	for i := c.API.Args; i < len(c.Args); i++ {
		v := f.Val(c.Args[i])
		if i == len(c.Args)-1 && v.Kind == prog.VList {
			for j, o := range v.Of {
				if j == 0 && c.Method != nil && dbapi.OptionArg(f.elemType(c.Args[i], j)) == "option" {
					continue
				}
				out = append(out, o)
			}
			continue
		}
		out = append(out, v)
	}
	return out
}

// elemType returns the type of the value stored in element j of a variadic
// slice, "" when it is not known.
func (f *Func) elemType(v ssa.Value, j int) string {
	sl, ok := v.(*ssa.Slice)
	if !ok {
		return ""
	}
	a, ok := sl.X.(*ssa.Alloc)
	if !ok {
		return ""
	}
	for _, r := range *a.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok || f.at(ia.Index) != itoa(j) {
			continue
		}
		for _, rr := range *ia.Referrers() {
			if s, ok := rr.(*ssa.Store); ok {
				if mi, ok := s.Val.(*ssa.MakeInterface); ok {
					return TypeString(mi.X.Type())
				}
			}
		}
	}
	return ""
}

func (f *Func) extract(v *ssa.Extract) *prog.Val {
	switch t := v.Tuple.(type) {
	case *ssa.Call:
		return f.Result(t, v.Index)
	case *ssa.TypeAssert:
		if v.Index == 0 {
			return f.Val(t.X)
		}
		return prog.New(prog.VTypeIs, TypeString(t.AssertedType), f.Val(t.X))
	case *ssa.Lookup:
		if v.Index == 0 {
			return f.value(t)
		}
		return prog.New(prog.VApply, prog.Has, f.value(t))
	case *ssa.Next:
		if v.Index > 0 {
			return f.value(t)
		}
	case *ssa.UnOp:
		if v.Index == 0 {
			return f.Val(t)
		}
	}
	return prog.New(prog.VHole, "of "+v.Tuple.Name()+"."+itoa(v.Index))
}

// Result returns result i of a call.
func (f *Func) Result(call *ssa.Call, i int) *prog.Val {
	c := f.Call(call)
	if b, ok := c.Common.Value.(*ssa.Builtin); ok {
		return f.builtin(b.Name(), c)
	}
	if c.Known {
		if v := f.apiResult(c, i, call.Pos()); v != nil {
			return v
		}
	}
	if c.Method != nil && !c.Common.IsInvoke() {
		if v := f.dialect(c, i); v != nil {
			return v
		}
		if v := f.hash(c, i); v != nil {
			return v
		}
		if v := f.collectedText(c); v != nil {
			return v
		}
		if c.Method.Pkg() == nil || Standard(c.Method.Pkg().Path()) {
			return f.applied(c, call.Pos())
		}
		if v := f.madeError(c); v != nil {
			return v
		}
	}
	return prog.New(prog.VResult, itoa(c.ID)+"."+itoa(i))
}

// applied returns a function of the standard library applied to its
// arguments; a slice that was sorted in place before says so.
func (f *Func) applied(c *Call, pos token.Pos) *prog.Val {
	args := f.Args(c)
	if len(args) > 0 && c.Method.Pkg() != nil && c.Method.Pkg().Path() == "slices" {
		args[0] = f.InOrder(c.Args[0], pos)
		if name := c.Method.Name(); (name == "SortedFunc" || name == "SortedStableFunc") && len(args) == 2 {
			return prog.New(prog.VApply, "sorted", args[0], prog.Text(keysOf(c.Args[1], false)))
		}
	}
	return prog.New(prog.VApply, c.Symbol, args...)
}

func (f *Func) builtin(name string, c *Call) *prog.Val {
	args := f.Args(c)
	if name == "append" && len(args) == 2 {
		a, b := args[0], args[1]
		if a.IsNil() {
			return b
		}
		if a.Kind == prog.VList && b.Kind == prog.VList && len(a.Of)+len(b.Of) <= 64 {
			return prog.New(prog.VList, "", append(append([]*prog.Val{}, a.Of...), b.Of...)...)
		}
	}
	switch name {
	case "len", "cap", "min", "max", "copy": // a number tells little of what it is computed from
		for i, a := range args {
			args[i] = small(a, maxCondition)
		}
	}
	return prog.New(prog.VApply, "go:"+name, args...)
}

// apiResult returns the result of a call that a library table knows.
func (f *Func) apiResult(c *Call, i int, pos token.Pos) *prog.Val {
	a := c.API
	id := itoa(c.ID)
	isErr := i == a.ErrResult && a.ErrResult >= 0
	switch a.Does {
	case dbapi.Exec, dbapi.ExecPrepared, dbapi.CopyFrom, dbapi.SendBatch, dbapi.Begin, dbapi.Acquire, dbapi.Callback:
		if isErr {
			return prog.New(prog.VResult, id+".1")
		}
		return prog.New(prog.VResult, id+".0")
	case dbapi.Finisher:
		return f.chainResult(c, i)
	case dbapi.Open:
		if isErr {
			return prog.New(prog.VResult, id+".1")
		}
		if a.Opens == "conn" {
			return prog.New(prog.VResult, id+".0")
		}
		return f.Opened(c)
	case dbapi.Prepare:
		if isErr {
			return prog.New(prog.VResult, id+".1")
		}
		return prog.New(prog.VMod, "stmt", f.Arg(c, a.Handle), f.Arg(c, a.SQL))
	case dbapi.StmtOn:
		st := f.Arg(c, a.Stmt)
		return prog.New(prog.VMod, "stmt", f.Arg(c, a.Handle), prog.New(prog.VField, prog.StmtText, st))
	case dbapi.Scan, dbapi.RowsClose, dbapi.Idle:
		if isErr && a.Handle >= 0 {
			return f.scanErr(c)
		}
	case dbapi.Collect:
		if isErr {
			return f.scanErr(c)
		}
		return f.scanned(c, "0")
	case dbapi.Same, dbapi.Hijack:
		if !isErr {
			return f.Arg(c, a.Handle)
		}
	case dbapi.CtxWith:
		return prog.New(prog.VCtxWith, "", f.Arg(c, a.Ctx), f.Arg(c, a.Key), f.Arg(c, a.Value))
	case dbapi.CtxGet:
		return prog.New(prog.VCtxGet, "", f.Arg(c, a.Ctx), f.Arg(c, a.Key))
	case dbapi.CtxDerive:
		ctx := prog.New(prog.VApply, "ctx:"+a.Cancel, f.Arg(c, a.Ctx), prog.New(prog.VResult, id+".ctx"))
		switch {
		case i == a.Result:
			return ctx
		case i == a.Result+1:
			return prog.New(prog.VApply, prog.CtxEnd, ctx)
		}
	case dbapi.Pure:
		if v := f.hash(c, i); v != nil {
			return v
		}
		return f.pure(c, pos)
	case dbapi.LockFamily:
		if !isErr {
			return f.lockFamily(c)
		}
	case dbapi.LockKey:
		return f.lockKey(c)
	case dbapi.LockTake:
		return f.lockResult(c, i)
	case dbapi.Builder:
		return f.chain(c)
	case dbapi.ToSQL:
		if isErr {
			return prog.New(prog.VResult, id+".1")
		}
		if a.SQL >= 0 {
			return f.rebound(c, i)
		}
		if a.ArgsResult >= 0 && i == a.ArgsResult {
			return prog.New(prog.VApply, "chain args", f.chain(c))
		}
		return f.chain(c)
	}
	return nil
}

// Opened returns the pool that the call opens.
func (f *Func) Opened(c *Call) *prog.Val {
	return prog.New(prog.VApply, "open "+Symbol(f.Fn)+":"+itoa(c.ID), f.driver(c))
}

// driver returns what tells the driver of a pool that the call opens: the
// name it is given, or what it is given to open one with, else the path of
// the library.
func (f *Func) driver(c *Call) *prog.Val {
	if i := c.API.Driver; i >= 0 {
		return f.Arg(c, i)
	}
	return prog.Text(c.Method.Pkg().Path())
}

// dialect returns what a function of another module makes to open a pool of
// its database with, nil when result i is no such thing.
func (f *Func) dialect(c *Call, i int) *prog.Val {
	callee := c.Common.StaticCallee()
	if callee == nil || callee.Blocks != nil || c.Method.Pkg() == nil || i >= callee.Signature.Results().Len() {
		return nil
	}
	switch TypeString(callee.Signature.Results().At(i).Type()) {
	case "gorm.io/gorm.Dialector", "database/sql/driver.Connector":
		return prog.New(prog.VApply, "open "+Symbol(f.Fn)+":"+itoa(c.ID), prog.Text(c.Method.Pkg().Path()))
	}
	return nil
}

// scanErr returns the error of reading a row: that of its statement.
func (f *Func) scanErr(c *Call) *prog.Val {
	rows := f.Arg(c, c.API.Handle)
	if rows.Kind == prog.VResult && strings.HasSuffix(rows.Str, ".0") {
		return prog.New(prog.VResult, strings.TrimSuffix(rows.Str, ".0")+".1")
	}
	return prog.New(prog.VResult, itoa(c.ID)+".1")
}

// scanned returns what a call that reads rows has of column col.
func (f *Func) scanned(c *Call, col string) *prog.Val {
	rows := f.Arg(c, c.API.Handle)
	id := itoa(c.ID)
	if rows.Kind == prog.VResult && strings.HasSuffix(rows.Str, ".0") {
		id = strings.TrimSuffix(rows.Str, ".0")
	}
	return prog.New(prog.VScan, id+"."+col, rows)
}

// scan1 returns what a Scan call puts into its destination col, nil when
// the call is no Scan.
func (f *Func) scan1(in ssa.CallInstruction, col string) *prog.Val {
	c := f.Call(in)
	if !c.Known {
		return nil
	}
	switch c.API.Does {
	case dbapi.Scan:
		return f.scanned(c, col)
	case dbapi.Exec, dbapi.Finisher:
		if c.API.Scans >= 0 {
			return prog.New(prog.VScan, itoa(c.ID)+"."+col, prog.New(prog.VResult, itoa(c.ID)+".0"))
		}
	}
	return nil
}

// pure returns a function of text or values applied to its arguments; what
// was written to a builder is joined.
func (f *Func) pure(c *Call, pos token.Pos) *prog.Val {
	switch c.Symbol {
	case "(*strings.Builder).String", "(*bytes.Buffer).String":
		return f.built(c)
	}
	if (c.API.Lib == "sqlx" || c.API.Lib == "shape") && c.Method.Name() == "Rebind" {
		return prog.New(prog.VMod, "bind ?", prog.Hole("start"), f.Val(c.Args[len(c.Args)-1]))
	}
	switch c.API.What {
	case "identifier":
		return quoted(f.Arg(c, 0), `"`)
	case "literal":
		return quoted(f.Arg(c, 0), "'")
	case "postgres": // the name of the database, which is the one whose locks are told
		return prog.Text(c.API.What)
	case "copy":
		table := quoted(f.Arg(c, c.API.Table), `"`)
		if c.API.Name >= 0 {
			table = prog.New(prog.VConcat, "", quoted(f.Arg(c, c.API.Name), `"`), prog.Text("."), table)
		}
		return prog.New(prog.VConcat, "", prog.Text("COPY "), table, prog.Text(" FROM STDIN"))
	}
	return f.applied(c, pos)
}

// quoted returns a text between marks, the parts of a list each by itself.
func quoted(v *prog.Val, mark string) *prog.Val {
	if v.Kind != prog.VList {
		return prog.New(prog.VConcat, "", prog.Text(mark), v, prog.Text(mark))
	}
	out := prog.New(prog.VConcat, "")
	for i, o := range v.Of {
		if i > 0 {
			out.Of = append(out.Of, prog.Text("."))
		}
		out.Of = append(out.Of, quoted(o, mark))
	}
	return out
}

// A write is one piece of a text that a builder collects.
type write struct {
	pos  token.Pos
	val  *prog.Val
	opt  bool // not on every way
	loop bool // perhaps several times
}

// built joins what is written to a strings.Builder or bytes.Buffer, in the
// order of the source.
func (f *Func) built(c *Call) *prog.Val {
	buf, end := c.Args[0], c.In.Block()
	var writes []write
	for in := range f.IDs {
		w := f.Call(in)
		if w == c || w.Method == nil || len(w.Args) < 1 {
			continue
		}
		var v *prog.Val
		opt := !dominates(in.Block(), end)
		switch name := w.Method.Name(); {
		case w.Symbol == "fmt.Fprintf" && sameAddr(unwrap(w.Args[0]), buf):
			v = prog.New(prog.VApply, "fmt.Sprintf", f.Args(w)[1:]...)
		case (w.Symbol == "fmt.Fprint" || w.Symbol == "io.WriteString") && sameAddr(unwrap(w.Args[0]), buf):
			v, opt = prog.New(prog.VApply, "fmt.Sprint", f.Args(w)[1:]...), false
		case strings.HasSuffix(w.Symbol, "/template.Template).Execute") && sameAddr(unwrap(w.Args[1]), buf):
			v, opt = prog.New(prog.VApply, prog.Executed, f.Val(w.Args[0])), false
		case (name == "WriteString" || name == "Write" || name == "WriteByte" || name == "WriteRune") && len(w.Args) == 2 && sameAddr(w.Args[0], buf):
			v = charVal(f.Arg(w, 1), name)
		default:
			continue
		}
		writes = append(writes, write{in.Pos(), v, opt, reaches(in.Block(), in.Block()) && !reaches(end, in.Block())})
	}
	sort.Slice(writes, func(i, j int) bool { return writes[i].pos < writes[j].pos })
	out := prog.New(prog.VConcat, "")
	for i := 0; i < len(writes); i++ {
		w := writes[i]
		if w.loop && rowsFollow(out) {
			for i+1 < len(writes) && writes[i+1].loop {
				i++
			}
			out.Of = append(out.Of, prog.Hole("written in a loop"))
			continue
		}
		v := w.val
		if w.opt {
			v = prog.Choose(maxStores, prog.Text(""), v)
		}
		out.Of = append(out.Of, v)
	}
	if len(out.Of) == 0 {
		return prog.Hole("built elsewhere")
	}
	return out
}

// rowsFollow reports whether a text stops where a list of rows or values
// begins.
func rowsFollow(text *prog.Val) bool {
	if len(text.Of) == 0 {
		return false
	}
	s, ok := text.Of[len(text.Of)-1].AsText()
	s = strings.ToUpper(strings.TrimSpace(s))
	return ok && (strings.HasSuffix(s, "VALUES") || strings.HasSuffix(s, " IN ("))
}

// reaches reports whether a way leads from a to b, over one edge at least.
func reaches(a, b *ssa.BasicBlock) bool { return reachesWithout(a, b, nil) }

// reachesWithout is reaches without passing through the block not, unless b is
// that.
func reachesWithout(a, b, not *ssa.BasicBlock) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	seen := map[*ssa.BasicBlock]bool{not: true}
	todo := append([]*ssa.BasicBlock{}, a.Succs...)
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if x == b {
			return true
		}
		if !seen[x] {
			seen[x] = true
			todo = append(todo, x.Succs...)
		}
	}
	return false
}

func charVal(v *prog.Val, method string) *prog.Val {
	if method == "WriteByte" || method == "WriteRune" {
		if n, err := strconv.Atoi(strings.TrimPrefix(v.Str, "i:")); err == nil && v.Kind == prog.VConst {
			return prog.Text(string(rune(n)))
		}
	}
	return v
}

func dominates(a, b *ssa.BasicBlock) bool {
	return a == b || a.Parent() == b.Parent() && a.Dominates(b)
}

func unwrap(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
}

// sameAddr reports whether two values are the same variable, or loads of it.
func sameAddr(a, b ssa.Value) bool {
	strip := func(v ssa.Value) ssa.Value {
		if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
			return u.X
		}
		return v
	}
	return a == b || strip(a) == strip(b)
}

// hash returns the value of a hash function computed in Go, nil when the
// call is none.
func (f *Func) hash(c *Call, i int) *prog.Val {
	if name, ok := dbapi.Hash(c.Symbol); ok && i == 0 {
		args := f.Args(c)
		if len(args) == 0 || strings.HasPrefix(c.Method.Name(), "New") {
			return prog.New(prog.VMod, "hash "+name, prog.Text(itoa(c.ID)))
		}
		if c.Method.Signature().Recv() != nil {
			return prog.New(prog.VApply, "go-hash "+name, f.written(c.Args[0]))
		}
		return prog.New(prog.VApply, "go-hash "+name, hashedArg(c.Method.Signature(), args))
	}
	if strings.HasPrefix(c.Method.Name(), "Sum") && len(c.Args) > 0 {
		if h := unboxed(f.Val(c.Args[0])); h.Kind == prog.VMod && strings.HasPrefix(h.Str, "hash ") {
			return prog.New(prog.VApply, "go-hash "+strings.TrimPrefix(h.Str, "hash "), f.written(c.Args[0]))
		}
	}
	return nil
}

// hashedArg returns the argument of a hash function that is hashed: beside
// it may stand a seed, a table or the sum so far.
func hashedArg(sig *types.Signature, args []*prog.Val) *prog.Val {
	for i := 0; i < sig.Params().Len() && i < len(args); i++ {
		switch t := sig.Params().At(i).Type().Underlying().(type) {
		case *types.Slice:
			if b, ok := t.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
				return args[i]
			}
		case *types.Basic:
			if t.Info()&types.IsString != 0 {
				return args[i]
			}
		}
	}
	return args[len(args)-1]
}

func unboxed(v *prog.Val) *prog.Val {
	for v.Kind == prog.VIface {
		v = v.Of[0]
	}
	return v
}

// written joins what the function writes to the hash in a variable.
func (f *Func) written(hash ssa.Value) *prog.Val {
	h := unboxed(f.Val(hash))
	type write struct {
		pos token.Pos
		val *prog.Val
	}
	var writes []write
	for in := range f.IDs {
		w := f.Call(in)
		if w.Method == nil || len(w.Args) != 2 && !strings.HasPrefix(w.Symbol, "fmt.Fprint") {
			continue
		}
		name := w.Method.Name()
		if name != "Write" && name != "WriteString" && !strings.HasPrefix(name, "Fprint") {
			continue
		}
		if !sameAddr(unwrap(w.Args[0]), unwrap(hash)) && (h.Kind != prog.VMod || !prog.Equal(unboxed(f.Val(w.Args[0])), h)) {
			continue
		}
		v := f.Arg(w, 1)
		switch name {
		case "Fprintf":
			v = prog.New(prog.VApply, "fmt.Sprintf", f.Args(w)[1:]...)
		case "Fprint":
			v = prog.New(prog.VApply, "fmt.Sprint", f.Args(w)[1:]...)
		}
		i := len(writes)
		writes = append(writes, write{in.Pos(), v})
		for ; i > 0 && writes[i].pos < writes[i-1].pos; i-- {
			writes[i], writes[i-1] = writes[i-1], writes[i]
		}
	}
	out := prog.New(prog.VConcat, "")
	for _, w := range writes {
		out.Of = append(out.Of, w.val)
	}
	if len(out.Of) == 1 {
		return out.Of[0]
	}
	return out
}
