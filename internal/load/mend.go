package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/packages"
)

// A mender makes a function's body whole where types are missing, because a
// module is: an expression without a type becomes a variable of which nothing
// is known, a statement that cannot be kept leaves the calls in it. What the
// rest of the body locks can then be read.
type mender struct {
	p       *packages.Package
	decl    *ast.GenDecl // of the variables that stand for what is not known
	results []*types.Tuple
	before  []ast.Stmt // calls to keep ahead of the statement at hand
}

func newMender(p *packages.Package) *mender {
	return &mender{p: p, decl: &ast.GenDecl{Tok: token.VAR}}
}

// body mends the body of a function with the given results.
func (m *mender) body(b *ast.BlockStmt, sig *types.Signature) {
	before := m.before
	m.results = append(m.results, sig.Results())
	b.List = m.list(b.List)
	m.results = m.results[:len(m.results)-1]
	m.before = before
}

func (m *mender) list(in []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, s := range in {
		out = append(out, m.stmt(s)...)
	}
	return out
}

func (m *mender) block(b *ast.BlockStmt) {
	if b != nil && !typed(m.p, b) {
		b.List = m.list(b.List)
	}
}

// stmt returns what is left of a statement, calls to keep ahead of it.
func (m *mender) stmt(s ast.Stmt) []ast.Stmt {
	if s == nil || typed(m.p, s) {
		return []ast.Stmt{s}
	}
	outer := m.before
	m.before = nil
	kept := m.mended(s)
	out := m.before
	m.before = outer
	if kept != nil {
		out = append(out, kept)
	}
	return out
}

// simple mends the statement in the head of another.
func (m *mender) simple(s ast.Stmt) ast.Stmt {
	if s == nil || typed(m.p, s) {
		return s
	}
	m.before = append(m.before, m.stmt(s)...)
	return nil
}

func (m *mender) mended(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.BlockStmt:
		s.List = m.list(s.List)
		return s
	case *ast.IfStmt:
		s.Init = m.simple(s.Init)
		s.Cond = m.expr(s.Cond, types.Typ[types.Bool])
		m.block(s.Body)
		if s.Else != nil {
			s.Else = blockOf(m.stmt(s.Else))
		}
		return s
	case *ast.ForStmt:
		s.Init = m.simple(s.Init)
		if s.Cond != nil {
			s.Cond = m.expr(s.Cond, types.Typ[types.Bool])
		}
		if s.Post != nil && !typed(m.p, s.Post) {
			s.Post = nil
		}
		m.block(s.Body)
		return s
	case *ast.RangeStmt:
		m.block(s.Body)
		if s.X != nil && typed(m.p, s.X) && m.known(s.Key) && m.known(s.Value) {
			return s
		}
		m.calls(s.X)
		for _, e := range []ast.Expr{s.Key, s.Value} {
			if id, ok := e.(*ast.Ident); ok {
				if o, ok := m.p.TypesInfo.Defs[id].(*types.Var); ok && valid(o.Type()) {
					m.before = append(m.before, m.local(o))
				}
			}
		}
		return &ast.ForStmt{For: s.For, Cond: m.unknown(types.Typ[types.Bool]), Body: s.Body}
	case *ast.LabeledStmt:
		kept := m.mended(s.Stmt)
		if kept == nil {
			kept = &ast.EmptyStmt{Semicolon: s.Pos()}
		}
		s.Stmt = kept
		return s
	case *ast.SwitchStmt:
		return m.switched(s)
	case *ast.TypeSwitchStmt:
		return m.typeSwitched(s)
	case *ast.SelectStmt:
		return m.selected(s)
	case *ast.ExprStmt:
		m.calls(s.X)
	case *ast.AssignStmt:
		return m.assigned(s)
	case *ast.DeclStmt:
		return m.declared(s)
	case *ast.ReturnStmt:
		return m.returned(s)
	case *ast.GoStmt:
		if c := m.call(s.Call); c != nil {
			return &ast.GoStmt{Go: s.Go, Call: c}
		}
	case *ast.DeferStmt:
		if c := m.call(s.Call); c != nil {
			return &ast.DeferStmt{Defer: s.Defer, Call: c}
		}
	case *ast.SendStmt:
		m.calls(s.Value)
	}
	return nil
}

func blockOf(list []ast.Stmt) ast.Stmt {
	if len(list) == 1 {
		switch list[0].(type) {
		case *ast.IfStmt, *ast.BlockStmt:
			return list[0]
		}
	}
	return &ast.BlockStmt{List: list}
}

// known reports whether a variable of a range statement, if there is one, has
// a type.
func (m *mender) known(e ast.Expr) bool { return e == nil || typed(m.p, e) }

func (m *mender) switched(s *ast.SwitchStmt) ast.Stmt {
	s.Init = m.simple(s.Init)
	if s.Tag != nil && !typed(m.p, s.Tag) {
		m.calls(s.Tag)
		s.Tag = nil
		for _, c := range s.Body.List {
			if c := c.(*ast.CaseClause); c.List != nil {
				c.List = []ast.Expr{m.unknown(types.Typ[types.Bool])}
			}
		}
	}
	want := types.Type(types.Typ[types.Bool])
	if s.Tag != nil {
		want = m.p.TypesInfo.TypeOf(s.Tag)
	}
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		for i, e := range c.List {
			c.List[i] = m.expr(e, want)
		}
		c.Body = m.list(c.Body)
	}
	return s
}

// typeSwitched makes a switch on a type that is missing one on nothing known.
func (m *mender) typeSwitched(s *ast.TypeSwitchStmt) ast.Stmt {
	s.Init = m.simple(s.Init)
	sound := typed(m.p, s.Assign)
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			sound = sound && typed(m.p, e)
		}
	}
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		c.Body = m.list(c.Body)
		if sound {
			continue
		}
		if c.List != nil {
			c.List = []ast.Expr{m.unknown(types.Typ[types.Bool])}
		}
		if o, ok := m.p.TypesInfo.Implicits[c].(*types.Var); ok && valid(o.Type()) {
			c.Body = append([]ast.Stmt{m.local(o)}, c.Body...)
		}
	}
	if sound {
		return s
	}
	return &ast.SwitchStmt{Switch: s.Switch, Body: s.Body}
}

// selected makes a select that waits on what is missing a switch on nothing
// known.
func (m *mender) selected(s *ast.SelectStmt) ast.Stmt {
	sound := true
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		sound = sound && (c.Comm == nil || typed(m.p, c.Comm))
		c.Body = m.list(c.Body)
	}
	if sound {
		return s
	}
	for i, c := range s.Body.List {
		c := c.(*ast.CommClause)
		to := &ast.CaseClause{Case: c.Case, Body: c.Body}
		if c.Comm != nil {
			to.List = []ast.Expr{m.unknown(types.Typ[types.Bool])}
			to.Body = append(m.stmt(c.Comm), c.Body...)
		}
		s.Body.List[i] = to
	}
	return &ast.SwitchStmt{Switch: s.Select, Body: s.Body}
}

func (m *mender) assigned(s *ast.AssignStmt) ast.Stmt {
	switch {
	case len(s.Lhs) == len(s.Rhs) && (s.Tok == token.ASSIGN || s.Tok == token.DEFINE):
		out := &ast.AssignStmt{TokPos: s.TokPos, Tok: s.Tok}
		for i, l := range s.Lhs {
			if !typed(m.p, l) {
				m.calls(s.Rhs[i])
				continue
			}
			want := m.p.TypesInfo.TypeOf(l)
			if !valid(want) && !typed(m.p, s.Rhs[i]) { // the blank identifier
				m.calls(s.Rhs[i])
				continue
			}
			out.Lhs, out.Rhs = append(out.Lhs, l), append(out.Rhs, m.expr(s.Rhs[i], want))
		}
		if len(out.Lhs) > 0 {
			return out
		}
	case len(s.Rhs) == 1 && len(s.Lhs) > 1:
		return m.tuple(s)
	default:
		for _, r := range s.Rhs {
			m.calls(r)
		}
	}
	return nil
}

// tuple mends an assignment of a call's results.
func (m *mender) tuple(s *ast.AssignStmt) ast.Stmt {
	from := s.Rhs[0]
	if c, ok := ast.Unparen(from).(*ast.CallExpr); ok && !typed(m.p, from) {
		if mended := m.call(c); mended != nil {
			from = mended
		} else {
			from = nil
		}
	} else if !typed(m.p, from) {
		m.calls(from)
		from = nil
	}
	if from != nil {
		s.Rhs[0] = from
		for i, l := range s.Lhs {
			if !typed(m.p, l) {
				s.Lhs[i] = m.blank()
			}
		}
		return s
	}
	out := &ast.AssignStmt{TokPos: s.TokPos, Tok: s.Tok}
	for _, l := range s.Lhs {
		if id, ok := l.(*ast.Ident); ok && id.Name == "_" || !typed(m.p, l) || !valid(m.p.TypesInfo.TypeOf(l)) {
			continue
		}
		out.Lhs, out.Rhs = append(out.Lhs, l), append(out.Rhs, m.unknown(m.p.TypesInfo.TypeOf(l)))
	}
	if len(out.Lhs) == 0 {
		return nil
	}
	return out
}

func (m *mender) declared(s *ast.DeclStmt) ast.Stmt {
	g, ok := s.Decl.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return nil
	}
	out := &ast.GenDecl{TokPos: g.TokPos, Tok: g.Tok}
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		kept := &ast.ValueSpec{Type: v.Type}
		if v.Type != nil && !typed(m.p, v.Type) {
			kept.Type = nil
		}
		for i, n := range v.Names {
			o := m.p.TypesInfo.Defs[n]
			var from ast.Expr
			if i < len(v.Values) && len(v.Values) == len(v.Names) {
				from = v.Values[i]
			}
			if o == nil || !valid(o.Type()) {
				m.calls(from)
				continue
			}
			kept.Names = append(kept.Names, n)
			if from != nil {
				kept.Values = append(kept.Values, m.expr(from, o.Type()))
			}
		}
		if len(v.Values) == 1 && len(v.Names) > 1 {
			m.calls(v.Values[0])
		}
		if len(kept.Names) > 0 {
			out.Specs = append(out.Specs, kept)
		}
	}
	if len(out.Specs) == 0 {
		return nil
	}
	return &ast.DeclStmt{Decl: out}
}

func (m *mender) returned(s *ast.ReturnStmt) ast.Stmt {
	results := m.results[len(m.results)-1]
	out := &ast.ReturnStmt{Return: s.Return}
	for i := range results.Len() {
		if len(s.Results) == results.Len() {
			out.Results = append(out.Results, m.expr(s.Results[i], results.At(i).Type()))
			continue
		}
		if i == 0 && len(s.Results) == 1 {
			if c, ok := ast.Unparen(s.Results[0]).(*ast.CallExpr); ok {
				if c = m.call(c); c != nil {
					out.Results = []ast.Expr{c}
					return out
				}
			}
		}
		out.Results = append(out.Results, m.unknown(results.At(i).Type()))
	}
	return out
}

// expr returns e, or what is left of it with the type that it should have.
func (m *mender) expr(e ast.Expr, want types.Type) ast.Expr {
	if e == nil || typed(m.p, e) {
		return e
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return m.expr(e.X, want)
	case *ast.CallExpr:
		if !m.foreign(e) && valid(m.p.TypesInfo.TypeOf(e)) {
			if c := m.call(e); c != nil {
				return c
			}
		} else {
			m.calls(e)
		}
		return m.unknown(want)
	case *ast.FuncLit:
		if sig, ok := m.p.TypesInfo.TypeOf(e).(*types.Signature); ok && typed(m.p, e.Type) {
			m.body(e.Body, sig)
			if typed(m.p, e) {
				return e
			}
		}
		return m.unknown(want)
	case *ast.UnaryExpr:
		if lit, ok := e.X.(*ast.CompositeLit); ok && e.Op == token.AND && m.literal(lit) {
			return e
		}
	case *ast.CompositeLit:
		if m.literal(e) {
			return e
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			e.X, e.Y = m.expr(e.X, types.Typ[types.Bool]), m.expr(e.Y, types.Typ[types.Bool])
			if typed(m.p, e) {
				return e
			}
		}
	}
	m.calls(e)
	return m.unknown(want)
}

// literal mends the elements of a composite literal and reports whether it is
// whole then.
func (m *mender) literal(lit *ast.CompositeLit) bool {
	t := m.p.TypesInfo.TypeOf(lit)
	if !valid(t) || lit.Type != nil && !typed(m.p, lit.Type) {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	elem := types.Type(nil)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		elem = u.Elem()
	case *types.Array:
		elem = u.Elem()
	case *types.Map:
		elem = u.Elem()
	case *types.Struct:
		if len(lit.Elts) > 0 {
			if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); !keyed {
				return false
			}
		}
	}
	kept := lit.Elts[:0:0]
	for _, el := range lit.Elts {
		kv, keyed := el.(*ast.KeyValueExpr)
		switch {
		case typed(m.p, el):
			kept = append(kept, el)
		case keyed && typed(m.p, kv.Key):
			want := elem
			if id, ok := kv.Key.(*ast.Ident); ok && want == nil {
				if f := m.p.TypesInfo.Uses[id]; f != nil {
					want = f.Type()
				}
			}
			if valid(want) {
				kv.Value = m.expr(kv.Value, want)
				kept = append(kept, kv)
			} else {
				m.calls(kv.Value)
			}
		case !keyed && valid(elem):
			kept = append(kept, m.expr(el, elem))
		default:
			m.calls(el)
		}
	}
	lit.Elts = kept
	return typed(m.p, lit)
}

// call returns a call of a known function with its arguments mended, nil when
// the function is not known; the calls in it are kept then.
func (m *mender) call(c *ast.CallExpr) *ast.CallExpr {
	if typed(m.p, c) {
		return c
	}
	if lit, ok := ast.Unparen(c.Fun).(*ast.FuncLit); ok {
		m.expr(lit, nil)
	}
	sig, ok := m.p.TypesInfo.TypeOf(c.Fun).(*types.Signature)
	if tv := m.p.TypesInfo.Types[c.Fun]; !ok || tv.IsType() || tv.IsBuiltin() || !typed(m.p, c.Fun) || sig.TypeParams().Len() > 0 {
		m.calls(c)
		return nil
	}
	for i, a := range c.Args {
		if want := parameter(sig, i, c.Ellipsis.IsValid()); want != nil {
			c.Args[i] = m.expr(a, want)
		}
	}
	return c
}

// parameter returns the type that argument i of a call should have.
func parameter(sig *types.Signature, i int, spread bool) types.Type {
	n := sig.Params().Len()
	switch {
	case sig.Variadic() && i >= n-1:
		last := sig.Params().At(n - 1).Type()
		if s, ok := last.(*types.Slice); ok && !spread {
			return s.Elem()
		}
		return last
	case i < n:
		return sig.Params().At(i).Type()
	}
	return nil
}

// calls keeps the calls inside an expression that cannot be kept itself: a
// function that is handed to what is not known is called once.
func (m *mender) calls(e ast.Expr) {
	if e == nil {
		return
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if tv := m.p.TypesInfo.Types[n.Fun]; tv.IsType() || tv.IsBuiltin() || m.foreign(n) {
				return true
			}
			m.keep(n)
			return false
		case *ast.FuncLit:
			m.once(n)
			return false
		}
		return true
	})
}

// keep calls a known function ahead of the statement at hand.
func (m *mender) keep(c *ast.CallExpr) {
	if c = m.call(c); c == nil {
		return
	}
	if t := m.p.TypesInfo.TypeOf(c); !valid(t) { // its result is of no use
		m.p.TypesInfo.Types[c] = types.TypeAndValue{Type: types.NewInterfaceType(nil, nil)}
	}
	m.before = append(m.before, &ast.ExprStmt{X: c})
}

// foreign reports a call of a function that is not known.
func (m *mender) foreign(c *ast.CallExpr) bool {
	sig, ok := m.p.TypesInfo.TypeOf(c.Fun).(*types.Signature)
	return !ok || !typed(m.p, c.Fun) || sig.TypeParams().Len() > 0
}

// once calls a function literal with arguments of which nothing is known.
func (m *mender) once(lit *ast.FuncLit) {
	sig, ok := m.p.TypesInfo.TypeOf(lit).(*types.Signature)
	if !ok || sig.Variadic() || m.expr(lit, nil) != ast.Expr(lit) {
		return
	}
	c := &ast.CallExpr{Fun: lit, Lparen: lit.End(), Rparen: lit.End()}
	for i := range sig.Params().Len() {
		c.Args = append(c.Args, m.unknown(sig.Params().At(i).Type()))
	}
	result := types.Type(sig.Results())
	if sig.Results().Len() == 1 {
		result = sig.Results().At(0).Type()
	}
	m.p.TypesInfo.Types[c] = types.TypeAndValue{Type: result}
	m.before = append(m.before, &ast.ExprStmt{X: c})
}

// unknownName starts the names of variables that stand for what is not known.
// They may be of no valid type, as parameters can be.
const unknownName = "unknown "

func valid(t types.Type) bool {
	return t != nil && t != types.Typ[types.Invalid] && t.Underlying() != types.Typ[types.Invalid]
}

// unknown returns a variable of the package of which nothing is known.
func (m *mender) unknown(t types.Type) ast.Expr {
	if t == nil {
		t = types.NewInterfaceType(nil, nil)
	}
	o := types.NewVar(token.NoPos, m.p.Types, unknownName+strconv.Itoa(len(m.decl.Specs)+1), t)
	def, use := ast.NewIdent(o.Name()), ast.NewIdent(o.Name())
	m.p.TypesInfo.Defs[def], m.p.TypesInfo.Uses[use] = o, o
	m.p.TypesInfo.Types[use] = types.TypeAndValue{Type: t}
	m.decl.Specs = append(m.decl.Specs, &ast.ValueSpec{Names: []*ast.Ident{def}})
	return use
}

func (m *mender) blank() ast.Expr { return ast.NewIdent("_") }

// local declares a variable of the function.
func (m *mender) local(o *types.Var) ast.Stmt {
	id := ast.NewIdent(o.Name())
	m.p.TypesInfo.Defs[id] = o
	return &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{id}}}}}
}
