package prog

import (
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// nameConstants names the locks on constant keys by the declared constant
// that the calls leading to them are given, where it is one.
func (v *View) nameConstants() {
	names := map[string]map[string]bool{}
	visit := func(do func(tr *Trace, n *Node, c *lockgraph.Class)) {
		for _, tr := range v.Traces {
			tr.Each(func(n *Node) {
				if n.Take == nil || n.Take.Class == nil {
					return
				}
				if c := n.Take.Class; c.Key != nil && c.Key.Derivation == "constant" {
					do(tr, n, c)
				}
			}, OpAcquire, OpRelease)
		}
	}
	visit(func(_ *Trace, n *Node, c *lockgraph.Class) {
		for _, u := range givenTo(n) {
			if u.Value == c.Key.Constant {
				if names[c.ID] == nil {
					names[c.ID] = map[string]bool{}
				}
				names[c.ID][u.Name] = true
			}
		}
	})
	visit(func(_ *Trace, n *Node, c *lockgraph.Class) {
		if len(names[c.ID]) != 1 || c.Name != c.Key.Constant {
			return
		}
		for name := range names[c.ID] {
			named := *c
			named.Name = name[strings.LastIndexByte(name, '.')+1:]
			n.Take.Class = &named
		}
	})
}

// givenTo lists the constants that the statement of a lock, and the calls
// that lead to it, are given.
func givenTo(n *Node) []ConstUse {
	var out []ConstUse
	at := func(f *Func, pos Pos) {
		if f == nil {
			return
		}
		for _, u := range f.Consts {
			if u.Call == pos {
				out = append(out, u)
			}
		}
	}
	if s := statementOf(n); s != nil {
		at(s.Fn, s.Pos)
	}
	for f := n.Stack; f != nil; f = f.Up {
		at(f.From, f.Pos)
	}
	return out
}
