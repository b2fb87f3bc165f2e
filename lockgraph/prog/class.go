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
	seen.params = w.leavesOf(e.params)
	seen.holes = w.leavesOf(e.holes)
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
		if len(key) == 1 && numbered(key[0]) {
			d.Name = k.Expr
		}
		return &d
	}
	if strings.Contains(c.Relation, holeStart) {
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

// numbered reports a key that is a number of its own and something added to
// it: the number tells such keys apart.
func numbered(v *Val) bool {
	v = plain(v)
	if v == nil || v.Kind != VApply || len(v.Of) != 2 || v.Str != "+" && v.Str != "|" {
		return false
	}
	return plain(v.Of[0]).Kind == VConst || plain(v.Of[1]).Kind == VConst
}

// unhole writes the parts of a name that are not known as "?".
func unhole(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, holeStart)
		if i < 0 {
			break
		}
		j := strings.Index(s[i+len(holeStart):], "__")
		if j < 0 {
			break
		}
		b.WriteString(s[:i])
		b.WriteByte('?')
		s = s[i+len(holeStart)+j+2:]
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

func (w *walker) leavesOf(vs []*Val) []*Val {
	out := make([]*Val, len(vs))
	for i, v := range vs {
		out[i] = leafOf(w.constantIn(v), 0)
	}
	return out
}

// constantIn returns the number or hash that a program keeps in a variable or an
// entry of a table, where v is read from one.
func (w *walker) constantIn(v *Val) *Val {
	if b := bare(v); b != nil && (b.Kind == VGlobal || b.Kind == VElem) {
		if r := w.x.stored(b); r != nil && (bare(r).Kind == VConst || inside(r, goHash, 0) != nil) {
			return r
		}
	}
	return v
}

// Summed applied to an element is a number that a loop makes of such
// elements.
const Summed = "go:loop"

// leafOf returns a Go value as keys are told apart by it: text keeps its
// constant parts, a hash what it hashes, a number what is computed with
// constants, anything else the typed field it was read from.
func leafOf(v *Val, depth int) *Val {
	if v == nil || depth > 20 {
		return New(VParam, nameless)
	}
	v = bare(v)
	switch v.Kind {
	case VConst, VField:
		return v
	case VConcat, VList:
		return leavesIn(v, depth)
	case VApply:
		if goHash(v) {
			if len(v.Of) == 1 && len(whole(v.Of[0])) > 0 {
				v = New(VApply, v.Str, New(VConcat, "", v.Of[0]))
			}
			return leavesIn(v, depth)
		}
		if h := inside(v, goHash, 0); h != nil {
			return leafOf(h, depth+1)
		}
		if d := inside(v, digested, 0); d != nil {
			of := d.Of[len(d.Of)-1]
			if d.Str == Summed {
				for of = bare(of); of.Kind == VElem; {
					of = bare(of.Of[0])
				}
				return New(VApply, "go-hash sum", leafOf(of, depth+1))
			}
			return New(VApply, "go-hash bytes", leafOf(of, depth+1))
		}
		if offsets(v) {
			return leavesIn(v, depth)
		}
		if f := inside(v, func(v *Val) bool { return v.Kind == VField }, 0); f != nil && v.Str != "query" {
			return f
		}
	}
	return New(VParam, nameless+v.Kind.String())
}

// nameless begins the name of a value in a class of which only the kind is told.
const nameless = "?"

// Nameless reports such a value.
func Nameless(v *Val) bool { return v.Kind == VParam && strings.HasPrefix(v.Str, nameless) }

func leavesIn(v *Val, depth int) *Val {
	out := &Val{Kind: v.Kind, Str: v.Str}
	for _, o := range v.Of {
		if v.Kind == VConcat {
			if all := whole(o); len(all) > 0 { // a loop writes them one after the other
				for _, o := range all {
					out.Of = append(out.Of, leafOf(o, depth+1))
				}
				continue
			}
			if bare(o).Kind == VList && len(v.Of) > 1 { // bytes that keep parts apart
				continue
			}
		}
		out.Of = append(out.Of, leafOf(o, depth+1))
	}
	return reduce(out)
}

// whole returns the elements of the list that v is each element of in turn.
func whole(v *Val) []*Val {
	if v = bare(v); v.Kind == VElem && !isNumber(v.Str) && bare(v.Of[0]).Kind == VList {
		return bare(v.Of[0]).Of
	}
	return nil
}

func goHash(v *Val) bool { return v.Kind == VApply && strings.HasPrefix(v.Str, "go-hash ") }

// digested reports a number that is made of the bytes of its last part.
func digested(v *Val) bool {
	if v.Kind != VApply || len(v.Of) == 0 {
		return false
	}
	return v.Str == Summed || v.Str == "(*math/big.Int).SetBytes" ||
		strings.HasPrefix(v.Str, "(encoding/binary.") && strings.Contains(v.Str, "Endian).Uint")
}

// offsets reports a number to which a constant is added, or that is moved to
// bits of its own: a namespace.
func offsets(v *Val) bool {
	if len(v.Of) != 2 {
		return false
	}
	switch v.Str {
	case "+", "|", "^", "<<", "*":
		a, b := bare(v.Of[0]), bare(v.Of[1])
		return a.Kind == VConst || b.Kind == VConst || offsets(a) || offsets(b)
	}
	return false
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
