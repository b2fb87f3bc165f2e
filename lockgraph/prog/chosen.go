package prog

import (
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// Chosen returns what columns of relation equal in all rows of the list that
// l walks, as each query that can have returned the list asks for: one set of
// values for each query, none where the list is not from a query in tr.
func (v *View) Chosen(tr *Trace, l *Node, relation string) [][]*Val {
	var out [][]*Val
	for _, n := range tr.queriesOf(walkedBy(l.Val)) {
		out = append(out, v.equalities(n, relation))
	}
	return out
}

// queriesOf returns the statements of the trace that can have returned the
// rows v, nil where there may be others.
func (tr *Trace) queriesOf(v *Val) []*Node {
	if v == nil {
		return nil
	}
	var is func(n *Node) bool
	switch v.Kind {
	case VChoice:
		var out []*Node
		for _, o := range v.Of {
			if o = bare(o); o.IsNil() {
				continue
			}
			more := tr.queriesOf(o)
			if len(more) == 0 {
				return nil
			}
			out = append(out, more...)
		}
		return out
	case VScan:
		is = func(n *Node) bool { return strings.HasPrefix(v.Str, n.stmt+".") }
	default:
		text := QueryText(v)
		is = func(n *Node) bool { return text != "" && n.SQL == text }
	}
	var out []*Node
	tr.Each(func(n *Node) {
		if is(n) {
			out = append(out, n)
		}
	}, OpSQL)
	return out
}

// equalities returns the parameters of a query that columns of the relation
// equal in each row it returns: what the rows are picked by that it would
// lock.
func (v *View) equalities(n *Node, relation string) []*Val {
	var out []*Val
	visit(v.Program.Res.Effect(strings.TrimRight(n.SQL, "; \n\t")+"\nFOR UPDATE"), func(o *Op) {
		if o.Kind != OpAcquire || o.Acq.Family != lockgraph.Row || o.Acq.Relation != relation || len(o.Acq.SQLFunc) > 0 {
			return
		}
		for _, c := range o.Acq.Row {
			if c.Val == nil || c.Val.Kind != VSQLParam {
				continue
			}
			if i, err := strconv.Atoi(c.Val.Str); err == nil && i > 0 && i <= len(n.Args) {
				out = append(out, n.Args[i-1])
			}
		}
	})
	return out
}

// KeyOf reports whether v is the column by which t picks its one row, in the
// row that the statement of t returned.
func (t *Take) KeyOf(v *Val) bool {
	v = bare(v)
	if v.Kind != VField || len(v.Of) != 1 || !t.Acq.Unique || t.Acq.Many || len(t.Acq.Row) != 1 || !t.Returned(v.Of[0]) {
		return false
	}
	_, field, _ := cutLast(v.Str)
	return strings.EqualFold(field, strings.ReplaceAll(t.Acq.Row[0].Name, "_", ""))
}
