package load

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// A pruner takes the statements without a type out of the functions of a
// package whose imports, or generated files, are not all there. What stays
// runs as it is written: a condition that has no type becomes one that is not
// known, and so does a result.
type pruner struct {
	p     *packages.Package
	lost  map[types.Object]bool // declared by what is left out
	stale map[types.Object]bool // last set by what is left out
	fails bool                  // something could not be put in another's place
}

// prune leaves out of a function's body what has no type and reports whether
// the rest can be read.
func prune(p *packages.Package, ft *ast.FuncType, body *ast.BlockStmt) bool {
	x := &pruner{p: p, lost: map[types.Object]bool{}, stale: map[types.Object]bool{}}
	x.body(ft, body)
	return !x.fails
}

func (x *pruner) body(ft *ast.FuncType, b *ast.BlockStmt) {
	b.List = x.list(ft, b.List)
	if n := len(b.List); ft.Results != nil && (n == 0 || !returns(b.List[n-1])) { // the last statement may be among those left out
		b.List = append(b.List, &ast.ReturnStmt{Return: b.Rbrace, Results: x.results(ft, b.Rbrace)})
	}
}

func returns(s ast.Stmt) bool {
	_, ok := s.(*ast.ReturnStmt)
	return ok
}

func (x *pruner) list(ft *ast.FuncType, in []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, s := range in {
		if s = x.stmt(ft, s); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// stmt returns what stays of a statement, nil when nothing does.
func (x *pruner) stmt(ft *ast.FuncType, s ast.Stmt) ast.Stmt {
	if s == nil || x.ok(s) {
		x.sets(s)
		return s
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		s.List = x.list(ft, s.List)
		return s
	case *ast.LabeledStmt:
		if in := x.stmt(ft, s.Stmt); in != nil {
			s.Stmt = in
			return s
		}
	case *ast.IfStmt:
		s.Init = x.stmt(ft, s.Init)
		s.Cond = x.cond(s.Cond)
		s.Body.List = x.list(ft, s.Body.List)
		s.Else = x.stmt(ft, s.Else)
		return s
	case *ast.ForStmt:
		s.Init = x.stmt(ft, s.Init)
		if s.Cond != nil {
			s.Cond = x.cond(s.Cond)
		}
		s.Body.List = x.list(ft, s.Body.List)
		s.Post = x.stmt(ft, s.Post)
		return s
	case *ast.RangeStmt:
		return x.rang(ft, s)
	case *ast.SwitchStmt:
		return x.cases(ft, s)
	case *ast.TypeSwitchStmt:
		s.Init = x.stmt(ft, s.Init)
		if x.ok(s.Assign) {
			x.clauses(ft, s.Body, false)
			return s
		}
	case *ast.SelectStmt:
		x.clauses(ft, s.Body, false)
		if len(s.Body.List) > 0 {
			return s
		}
	case *ast.ReturnStmt:
		return x.ret(ft, s)
	default:
		if x.closures(s); x.ok(s) {
			x.sets(s)
			return s
		}
	}
	x.leave(s)
	return nil
}

// rang keeps the body of a loop over what has no type.
func (x *pruner) rang(ft *ast.FuncType, s *ast.RangeStmt) ast.Stmt {
	head := *s
	head.Body = &ast.BlockStmt{}
	if x.ok(&head) {
		s.Body.List = x.list(ft, s.Body.List)
		return s
	}
	x.leave(&head)
	s.Body.List = x.list(ft, s.Body.List)
	return &ast.ForStmt{For: s.For, Cond: x.unknown(ast.NewIdent("bool"), s.For), Body: s.Body}
}

// cases keeps the clauses of a switch; when what it switches on has no type,
// any of them may run.
func (x *pruner) cases(ft *ast.FuncType, s *ast.SwitchStmt) ast.Stmt {
	s.Init = x.stmt(ft, s.Init)
	open := s.Tag != nil && !x.ok(s.Tag)
	if open {
		s.Tag = nil
	}
	x.clauses(ft, s.Body, open)
	return s
}

// clauses keeps the clauses whose heads have a type; with open every head is
// a condition that is not known.
func (x *pruner) clauses(ft *ast.FuncType, b *ast.BlockStmt, open bool) {
	var kept []ast.Stmt
	for _, c := range b.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			var heads []ast.Expr
			for _, e := range c.List {
				switch {
				case open && len(heads) == 0:
					heads = append(heads, x.unknown(ast.NewIdent("bool"), c.Case))
				case !open && x.ok(e):
					heads = append(heads, e)
				}
			}
			if len(c.List) > 0 && len(heads) == 0 {
				continue
			}
			c.List, c.Body = heads, x.list(ft, c.Body)
		case *ast.CommClause:
			if c.Comm != nil && !x.ok(c.Comm) {
				continue
			}
			c.Body = x.list(ft, c.Body)
		}
		kept = append(kept, c)
	}
	b.List = kept
}

// ret returns what is known of the results, and unknown values for the rest.
func (x *pruner) ret(ft *ast.FuncType, s *ast.ReturnStmt) ast.Stmt {
	all := x.results(ft, s.Return)
	for i, r := range s.Results {
		if x.closures(r); len(s.Results) == len(all) && x.ok(r) {
			all[i] = r
		}
	}
	s.Results = all
	return s
}

func (x *pruner) results(ft *ast.FuncType, pos token.Pos) []ast.Expr {
	var out []ast.Expr
	if ft.Results != nil {
		for _, f := range ft.Results.List {
			for range max(1, len(f.Names)) {
				out = append(out, x.unknown(f.Type, pos))
			}
		}
	}
	return out
}

func (x *pruner) cond(e ast.Expr) ast.Expr {
	if x.closures(e); x.ok(e) {
		return e
	}
	return x.unknown(ast.NewIdent("bool"), e.Pos())
}

// unknown returns an expression of a type whose value nobody knows: an
// element of a map.
func (x *pruner) unknown(typ ast.Expr, pos token.Pos) ast.Expr {
	m := &ast.MapType{Map: pos, Key: ast.NewIdent("int"), Value: typ}
	at := &ast.CallExpr{Fun: ast.NewIdent("new"), Args: []ast.Expr{m}, Lparen: pos, Rparen: pos}
	e := &ast.IndexExpr{X: &ast.ParenExpr{X: &ast.StarExpr{X: at, Star: pos}}, Index: &ast.BasicLit{Kind: token.INT, Value: "0"}}
	if types.CheckExpr(x.p.Fset, x.p.Types, pos, e, x.p.TypesInfo) != nil {
		x.fails = true
	}
	return e
}

// closures prunes the function literals in n.
func (x *pruner) closures(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncLit)
		if ok && !x.ok(f.Body) {
			x.body(f.Type, f.Body)
		}
		return !ok
	})
}

// ok reports whether all of n has a type and uses nothing that is left out.
func (x *pruner) ok(n ast.Node) bool {
	if !typed(x.p, n) {
		return false
	}
	set := map[*ast.Ident]bool{}
	if a, ok := n.(*ast.AssignStmt); ok && (a.Tok == token.ASSIGN || a.Tok == token.DEFINE) {
		for _, l := range a.Lhs {
			if id, ok := l.(*ast.Ident); ok {
				set[id] = true
			}
		}
	}
	ok := true
	ast.Inspect(n, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is {
			o := x.p.TypesInfo.Uses[id]
			ok = ok && !x.lost[o] && (set[id] || !x.stale[o])
		}
		return ok
	})
	return ok
}

// sets notes the variables that a statement gives a value.
func (x *pruner) sets(s ast.Stmt) {
	if a, ok := s.(*ast.AssignStmt); ok {
		for _, l := range a.Lhs {
			if id, ok := l.(*ast.Ident); ok {
				delete(x.stale, x.p.TypesInfo.ObjectOf(id))
			}
		}
	}
}

// leave notes what a statement that is left out would have declared or set.
func (x *pruner) leave(s ast.Stmt) {
	ast.Inspect(s, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := x.p.TypesInfo.Defs[id]; o != nil {
				x.lost[o] = true
			}
		}
		return true
	})
	note := func(l ast.Expr) {
		if id, ok := l.(*ast.Ident); ok {
			if o := x.p.TypesInfo.Uses[id]; o != nil {
				x.stale[o] = true
			}
		}
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			note(l)
		}
	case *ast.RangeStmt:
		note(s.Key)
		note(s.Value)
	}
}
