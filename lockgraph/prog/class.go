package prog

import (
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// class returns the class of an acquisition in a trace. What Go computes is
// seen through to the typed field it comes from; a key that nothing tells
// apart is of the query or function that builds it.
func (w *walker) class(a *Acq, e *env, n *Node, stmt *Op) *lockgraph.Class {
	seen := *e
	seen.params = leavesOf(e.params)
	seen.holes = leavesOf(e.holes)
	key := make([]*Val, len(a.Key))
	for i, k := range a.Key {
		key[i] = w.known(w.x.eval(k, &seen))
	}
	c := w.p.Res.Class(a, key)
	if k := c.Key; k != nil && k.Prefix == "" && k.Constant == "" && k.Derivation != "constant" && !strings.Contains(c.ID, " of ") && !k.Prefixed {
		by := builder(n, stmt)
		d := *c
		d.ID += " of " + by
		d.Name = by
		return &d
	}
	if strings.Contains(c.Relation, "__hole") {
		d := *c
		d.Relation = unhole(c.Relation)
		by := builder(n, stmt)
		d.ID = c.Family + " " + d.Relation + " of " + by
		d.Name = d.Relation + " of " + by
		d.Relkind, d.PartitionOf = "", ""
		return &d
	}
	return c
}

// unhole writes the parts of a name that are not known as "?".
func unhole(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "__hole")
		if i < 0 {
			break
		}
		j := strings.Index(s[i+6:], "__")
		if j < 0 {
			break
		}
		b.WriteString(s[:i])
		b.WriteByte('?')
		s = s[i+6+j+2:]
	}
	b.WriteString(s)
	return b.String()
}

// builder names the query or the function that builds a key.
func builder(n *Node, stmt *Op) string {
	if stmt != nil && stmt.Query != "" {
		return stmt.Query
	}
	key := n.Fn.Key
	return key[strings.LastIndexByte(key, '/')+1:]
}

func leavesOf(vs []*Val) []*Val {
	out := make([]*Val, len(vs))
	for i, v := range vs {
		out[i] = leafOf(v, 0)
	}
	return out
}

// leafOf returns a Go value as keys are told apart by it: text keeps its
// constant parts, a hash what it hashes, anything else the typed field it was
// read from.
func leafOf(v *Val, depth int) *Val {
	if v == nil || depth > 20 {
		return New(VParam, "?")
	}
	v = bare(v)
	switch v.Kind {
	case VConst, VField:
		return v
	case VConcat, VList:
		out := &Val{Kind: v.Kind}
		for _, o := range v.Of {
			out.Of = append(out.Of, leafOf(o, depth+1))
		}
		return out
	case VApply:
		if strings.HasPrefix(v.Str, "go-hash ") {
			out := &Val{Kind: VApply, Str: v.Str}
			for _, o := range v.Of {
				out.Of = append(out.Of, leafOf(o, depth+1))
			}
			return out
		}
		if h := inside(v, func(v *Val) bool { return v.Kind == VApply && strings.HasPrefix(v.Str, "go-hash ") }, 0); h != nil {
			return leafOf(h, depth+1)
		}
		if f := inside(v, func(v *Val) bool { return v.Kind == VField }, 0); f != nil && v.Str != "query" {
			return f
		}
	}
	return New(VParam, "?"+v.Kind.String())
}

// inside returns the first part of v for which is holds; what a query reads
// is not looked into.
func inside(v *Val, is func(*Val) bool, depth int) *Val {
	if v == nil || depth > 12 {
		return nil
	}
	if is(v) {
		return v
	}
	if v.Kind == VApply && v.Str == "query" {
		return nil
	}
	for _, o := range v.Of {
		if f := inside(o, is, depth+1); f != nil {
			return f
		}
	}
	return nil
}
