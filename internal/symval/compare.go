package symval

import (
	"go/ast"
	"go/token"
	"strings"
)

// A comparison reads the body of a function that compares two elements of a
// slice: what it compares, one after the other, each as the path from an
// element to it, with " desc" where the greater comes first. "." is the
// element itself.
type comparison struct {
	sides map[string]operand // variables that stand for an element or a part of one
	index map[string]int     // variables that are the index of an element
	value map[string]string  // variables that hold the result of a comparison
	keys  []string
}

// An operand is a part of the first or the second element.
type operand struct {
	side int // 1 or 2
	path string
}

// comparedBy returns what a comparison function with this body compares,
// nil when it cannot be told. Its two parameters are elements, or the indexes
// of two.
func comparedBy(params *ast.FieldList, body *ast.BlockStmt, indexes bool) []string {
	var names []string
	for _, f := range params.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	if len(names) != 2 || body == nil {
		return nil
	}
	c := &comparison{sides: map[string]operand{}, index: map[string]int{}, value: map[string]string{}}
	for i, n := range names {
		if indexes {
			c.index[n] = i + 1
		} else {
			c.sides[n] = operand{i + 1, ""}
		}
	}
	if !c.block(body.List) || len(c.keys) == 0 {
		return nil
	}
	return c.keys
}

// block reads statements; it reports whether they are a comparison.
func (c *comparison) block(list []ast.Stmt) bool {
	for _, s := range list {
		ok := true
		switch s := s.(type) {
		case *ast.AssignStmt:
			ok = c.assign(s)
		case *ast.IfStmt:
			ok = c.branch(s)
		case *ast.SwitchStmt:
			if s.Tag != nil || s.Init != nil {
				return false
			}
			for _, k := range s.Body.List {
				k := k.(*ast.CaseClause)
				if len(k.List) > 1 || len(k.List) == 1 && !c.when(k.List[0], k.Body) || len(k.List) == 0 && !c.block(k.Body) {
					return false
				}
			}
		case *ast.ReturnStmt:
			if len(s.Results) != 1 || !c.result(s.Results[0]) {
				return false
			}
		default:
			return false
		}
		if !ok {
			return false
		}
	}
	return true
}

func (c *comparison) assign(s *ast.AssignStmt) bool {
	if s.Tok != token.DEFINE || len(s.Lhs) != len(s.Rhs) {
		return false
	}
	for i, l := range s.Lhs {
		id, ok := l.(*ast.Ident)
		if !ok {
			return false
		}
		if o, ok := c.operand(s.Rhs[i]); ok {
			c.sides[id.Name] = o
		} else if k := c.three(s.Rhs[i]); k != "" {
			c.value[id.Name] = k
		} else {
			return false
		}
	}
	return true
}

func (c *comparison) branch(s *ast.IfStmt) bool {
	if a, ok := s.Init.(*ast.AssignStmt); s.Init != nil && (!ok || !c.assign(a)) {
		return false
	}
	if !c.when(s.Cond, s.Body.List) {
		return false
	}
	switch e := s.Else.(type) {
	case nil:
		return true
	case *ast.BlockStmt:
		return c.block(e.List)
	case *ast.IfStmt:
		return c.branch(e)
	}
	return false
}

// when reads what is returned under a condition: where two parts differ, or
// where one is the less.
func (c *comparison) when(cond ast.Expr, body []ast.Stmt) bool {
	if len(body) != 1 {
		return false
	}
	r, ok := body[0].(*ast.ReturnStmt)
	b, isBinary := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || len(r.Results) != 1 || !isBinary {
		return false
	}
	if b.Op == token.NEQ {
		return c.result(r.Results[0])
	}
	key := c.less(cond)
	if key == "" {
		return false
	}
	switch text := literal(r.Results[0]); {
	case text == "true" || strings.HasPrefix(text, "-"):
	case text == "false" || text == "1":
		key = turned(key)
	default:
		return false
	}
	if n := len(c.keys); n > 0 && c.keys[n-1] == key { // the other half of one comparison
		return true
	}
	c.keys = append(c.keys, key)
	return true
}

func literal(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.BasicLit:
		return e.Value
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return "-" + literal(e.X)
		}
	}
	return ""
}

// result reads the result of a comparison, boolean or three-way.
func (c *comparison) result(e ast.Expr) bool {
	e = ast.Unparen(e)
	switch text := literal(e); text {
	case "0", "false", "true":
		return len(c.keys) > 0
	}
	if call, ok := e.(*ast.CallExpr); ok && called(call) == "cmp.Or" {
		for _, a := range call.Args {
			if !c.result(a) {
				return false
			}
		}
		return true
	}
	if k := c.three(e); k != "" {
		c.keys = append(c.keys, k)
		return true
	}
	for _, term := range flat(e, token.LOR) {
		parts := flat(term, token.LAND)
		last := len(parts) - 1
		for _, p := range parts[:last] {
			if b, ok := ast.Unparen(p).(*ast.BinaryExpr); !ok || b.Op != token.EQL {
				return false
			}
		}
		if in, ok := ast.Unparen(parts[last]).(*ast.BinaryExpr); ok && in.Op == token.LOR {
			if !c.result(in) {
				return false
			}
			continue
		}
		k := c.less(parts[last])
		if k == "" {
			return false
		}
		c.keys = append(c.keys, k)
	}
	return true
}

// flat returns the operands of a chain of one operator.
func flat(e ast.Expr, op token.Token) []ast.Expr {
	e = ast.Unparen(e)
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == op {
		return append(flat(b.X, op), flat(b.Y, op)...)
	}
	return []ast.Expr{e}
}

// less returns what a condition compares, "" when it does not say that a
// part of one element is before that of the other.
func (c *comparison) less(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		down := e.Op == token.GTR || e.Op == token.GEQ
		if !down && e.Op != token.LSS && e.Op != token.LEQ {
			return ""
		}
		k := c.pair(e.X, e.Y)
		if literal(e.Y) == "0" {
			k = c.three(e.X)
		}
		if down {
			k = turned(k)
		}
		return k
	case *ast.CallExpr:
		if called(e) == "cmp.Less" && len(e.Args) == 2 {
			return c.pair(e.Args[0], e.Args[1])
		}
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok && len(e.Args) == 1 {
			switch sel.Sel.Name {
			case "Before", "Less":
				return c.pair(sel.X, e.Args[0])
			case "After":
				return turned(c.pair(sel.X, e.Args[0]))
			}
		}
	}
	return ""
}

// three returns what a three-way comparison compares.
func (c *comparison) three(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return c.value[e.Name]
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return turned(c.three(e.X))
		}
	case *ast.BinaryExpr:
		if e.Op == token.SUB {
			return c.pair(e.X, e.Y)
		}
	case *ast.CallExpr:
		switch called(e) {
		case "cmp.Compare", "strings.Compare", "bytes.Compare":
			if len(e.Args) == 2 {
				return c.pair(e.Args[0], e.Args[1])
			}
		case "int":
			if len(e.Args) == 1 {
				return c.three(e.Args[0])
			}
		}
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok && len(e.Args) == 1 && (sel.Sel.Name == "Compare" || sel.Sel.Name == "Cmp") {
			return c.pair(sel.X, e.Args[0])
		}
	}
	return ""
}

// pair returns the part that two expressions are of the two elements.
func (c *comparison) pair(x, y ast.Expr) string {
	a, ok := c.operand(x)
	b, also := c.operand(y)
	if !ok || !also || a.side == b.side || a.path != b.path {
		return ""
	}
	k := a.path
	if k == "" {
		k = "."
	}
	if a.side == 2 {
		k = turned(k)
	}
	return k
}

func turned(key string) string {
	if key == "" {
		return ""
	}
	if up, ok := strings.CutSuffix(key, " desc"); ok {
		return up
	}
	return key + " desc"
}

// operand returns the part of an element that an expression is.
func (c *comparison) operand(e ast.Expr) (operand, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o, ok := c.sides[e.Name]
		return o, ok
	case *ast.StarExpr:
		return c.operand(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return c.operand(e.X)
		}
	case *ast.SelectorExpr:
		if o, ok := c.operand(e.X); ok {
			return operand{o.side, o.path + "." + e.Sel.Name}, true
		}
	case *ast.IndexExpr:
		if id, ok := ast.Unparen(e.Index).(*ast.Ident); ok && c.index[id.Name] > 0 {
			return operand{c.index[id.Name], ""}, true
		}
		if o, ok := c.operand(e.X); ok {
			if n := literal(e.Index); n != "" {
				return operand{o.side, o.path + "[" + n + "]"}, true
			}
		}
	case *ast.CallExpr: // a method without arguments, or a slice of an array
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok && len(e.Args) == 0 {
			if o, ok := c.operand(sel.X); ok {
				return operand{o.side, o.path + "." + sel.Sel.Name + "()"}, true
			}
		}
	case *ast.SliceExpr:
		if e.Low == nil && e.High == nil {
			return c.operand(e.X)
		}
	}
	return operand{}, false
}

// called returns the name of the function of a call, with its package.
func called(e *ast.CallExpr) string {
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if id, ok := f.X.(*ast.Ident); ok {
			return id.Name + "." + f.Sel.Name
		}
	}
	return ""
}
