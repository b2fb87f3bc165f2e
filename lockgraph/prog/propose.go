package prog

import (
	"slices"
	"sort"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// proposals yields, for every acquisition of every trace, each set of locks
// held when it was wanted. They are many: nobody should keep them all.
func (v *View) proposals(yield func(lockgraph.Proposal) bool) {
	for _, tr := range v.Traces {
		if !tr.Led && !v.propose(tr, yield) {
			return
		}
	}
}

// propose yields the proposals of one trace and reports whether more are
// wanted.
func (v *View) propose(tr *Trace, yield func(lockgraph.Proposal) bool) bool {
	p, more := &proposer{v: v, tr: tr, seen: map[*Take]bool{}, made: map[heldTake]*lockgraph.Take{}, lost: map[*Take]bool{}}, true
	tr.Each(func(n *Node) {
		t := n.Take
		if !more || n.Kind != OpAcquire || t == nil || !p.sees(t) {
			return
		}
		for _, h := range n.Held {
			held := make([]*lockgraph.Take, 0, len(h))
			for _, x := range h {
				if p.sees(x) && !x.perhaps() && !ownMutex(x, t) && !ownMutex(t, x) {
					held = append(held, p.held(x, t, n))
				}
			}
			if len(held) > 0 && more {
				more = yield(lockgraph.Proposal{Trace: tr.Entry.Key, Held: held, Want: p.take(heldTake{Take: t, own: p.perhapsOwn(t, h)})})
			}
		}
	}, OpAcquire)
	return more
}

// A proposer makes the takes of one trace for the graph, each once.
type proposer struct {
	v    *View
	tr   *Trace
	seen map[*Take]bool // whether the graph sees it
	made map[heldTake]*lockgraph.Take
	lost map[*Take]bool // rows of which it is lost which they are
}

// A heldTake is a take as it stands to one that is wanted, or as that.
type heldTake struct {
	*Take
	guess  bool   // it is held only if a handle is no pool
	own    bool   // wanted: it may be a row that the transaction has inserted
	stands string // where its key stands to the wanted one's
}

func (p *proposer) sees(t *Take) bool {
	sees, ok := p.seen[t]
	if !ok {
		sees = p.v.counts(t) && !private(t)
		p.seen[t] = sees
	}
	return sees
}

// held returns x as it is held where n wants t.
func (p *proposer) held(x, t *Take, n *Node) *lockgraph.Take {
	k := heldTake{Take: x}
	k.guess = x.stmt != t.stmt && (assumed(x.Conn) || x.Conn.Root() != t.Conn.Root() && assumed(t.Conn))
	if x.Class.ID == t.Class.ID {
		k.stands = between(x.Inst, t.Inst, p.tr, n)
	}
	return p.take(k)
}

func (p *proposer) take(k heldTake) *lockgraph.Take {
	lt := p.made[k]
	if lt != nil {
		return lt
	}
	if plain := (heldTake{Take: k.Take}); k == plain {
		if lt = p.v.take(k.Take); lt.Cut == "" && (p.tr.Apart || p.tr.Uncalled) {
			lt.Cut = lockgraph.CutContexts
		}
	} else {
		other := *p.take(plain)
		lt = &other
		lt.Stands = k.stands
		lt.Own = k.own
		if lt.Cut == "" && k.guess {
			lt.Cut = lockgraph.CutHandle
		}
	}
	p.made[k] = lt
	return lt
}

// perhapsOwn reports whether t may be a row of those that the transaction had
// inserted before, which nobody else can have: a value on the way was lost.
func (p *proposer) perhapsOwn(t *Take, h Held) bool {
	if t.Class.Family != lockgraph.Row || t.Acq.Fresh {
		return false
	}
	lost, ok := p.lost[t]
	if !ok {
		lost = lostIn(t.Inst, p.tr.Entry.Key+"#")
		p.lost[t] = lost
	}
	return lost && besideFresh(t, h)
}

// besideFresh reports whether the transaction has inserted rows of t's class
// before t, as h tells.
func besideFresh(t *Take, h Held) bool {
	return slices.ContainsFunc(h, func(x *Take) bool {
		return x.Acq.Fresh && x.stmt != t.stmt && x.N < t.N && x.Class.ID == t.Class.ID && x.Conn.Root() == t.Conn.Root()
	})
}

// PerhapsOwn reports whether t, however the path comes to it, may be a row
// that the transaction had inserted before: a value on the way was lost.
func (tr *Trace) PerhapsOwn(t *Take) bool {
	others := func(h Held) bool { return !besideFresh(t, h) }
	return len(t.Node.Held) > 0 && !slices.ContainsFunc(t.Node.Held, others) && lostIn(t.Inst, tr.Entry.Key+"#")
}

// lostIn reports whether a value is made of what was lost on the way from the
// entry to it, whose parameters begin so: a gap, or a parameter of another
// function.
func lostIn(v *Val, entry string) bool {
	switch {
	case v == nil || v.Kind == VHole:
		return true
	case v.Kind == VParam:
		return !strings.HasPrefix(v.Str, entry)
	}
	return slices.ContainsFunc(v.Of, func(o *Val) bool { return lostIn(o, entry) })
}

// Assumed reports whether a lock on c outlives its statement only if the
// handle, which somebody out of sight gives, is no pool.
func Assumed(c *Conn) bool { return assumed(c) }

// assumed reports whether a lock outlives its statement only if the handle,
// which somebody out of sight gives, is no pool.
func assumed(c *Conn) bool {
	return (c.How == "param" || c.How == "unknown") && c.Static != "tx" && c.Static != "conn" && !c.text
}

// private reports whether t is a mutex of a value that the path made itself:
// nobody else waits for it.
func private(t *Take) bool {
	if t.Class.Family != lockgraph.Mutex || t.Inst == nil {
		return false
	}
	switch root(t.Inst).Kind {
	case VParam, VGlobal:
		return false
	}
	return true
}

// ownMutex reports whether m is the mutex of the very value whose connection
// t runs on: two goroutines that meet there share the session, and a session
// does not wait for itself.
func ownMutex(m, t *Take) bool {
	if m.Class.Family != lockgraph.Mutex || t.Class.Family == lockgraph.Mutex || t.Conn == nil || m.Inst == nil {
		return false
	}
	c := t.Conn.Root()
	return c.Opener == nil && c.How != "pool" && c.Val != nil && Equal(root(c.Val), root(m.Inst)) && m.Inst.Kind == VField
}

// take returns t as the graph wants it.
func (v *View) take(t *Take) *lockgraph.Take {
	return &lockgraph.Take{ID: t.N, Class: t.Class.ID, Family: t.Class.Family, Mode: t.Mode, Wait: t.Wait, Scope: t.Scope, Session: t.Conn.Root().N,
		Again: t.Again, Fresh: t.Acq.Fresh, Refuses: t.Acq.Refuses, SoftDeleted: t.Acq.SoftDeleted, Rechecked: t.Acq.FKFrom != "" && strings.Contains(t.Acq.When, ChangedBefore), Implicit: t.Acq.Implicit, Many: t.Acq.Many, Bounded: t.Timeout != "", FKFrom: t.Acq.FKFrom, Via: t.Acq.Via,
		Order: t.Acq.Order, Cut: t.Cut, Frames: t.Witness(), InLoop: inLoop(t), Inst: v.instance(t)}
}

// inLoop reports whether t is taken in a loop that its transaction outlives.
func inLoop(t *Take) bool {
	return len(t.Node.Loops) > len(t.Conn.Root().Loops)
}

// instance returns the instance of t in canonical texts.
func (v *View) instance(t *Take) lockgraph.Inst {
	in := lockgraph.Inst{}
	switch t.Class.Family {
	case lockgraph.Table:
		return lockgraph.Inst{Known: true, Single: true, Text: t.Class.Relation}
	case lockgraph.Mutex:
		return lockgraph.Inst{Known: true, Single: true, Text: t.Class.ID}
	}
	if t.Inst == nil {
		return in
	}
	in.Text = t.Inst.String()
	in.Known = stable(t.Inst) && !t.Acq.Many
	in.Program = in.Known && OfProgram(t)
	v.leaves(t.Inst, &in)
	if t.Class.Family == lockgraph.Advisory {
		in.Const = len(in.Leaves) == 0 && in.Known
		in.Single = in.Const
	}
	for _, c := range t.Inst.Of {
		if c.Kind == VEq && c.Of[0].Kind == VSQLCol {
			name := c.Of[0].Str[strings.LastIndexByte(c.Of[0].Str, '.')+1:]
			in.Columns = append(in.Columns, lockgraph.Column{Name: name, Value: c.Of[1].String()})
		}
	}
	sort.Slice(in.Columns, func(i, j int) bool { return in.Columns[i].Name < in.Columns[j].Name })
	sort.Strings(in.From)
	return in
}

// leaves adds the values that x is made of.
func (v *View) leaves(x *Val, in *lockgraph.Inst) {
	if x == nil {
		return
	}
	switch x.Kind {
	case VConst, VSQLCol, VFunc:
		return
	case VEq, VList, VConcat, VIface, VHandle:
		for _, o := range x.Of {
			v.leaves(o, in)
		}
		return
	case VApply:
		if x.Str != "query" && x.Str != "collected" {
			for _, o := range x.Of {
				v.leaves(o, in)
			}
			return
		}
	}
	v.origins(x, in, 0)
	in.Leaves = append(in.Leaves, x.String())
}

// origins adds the classes of the rows that a value was read from.
func (v *View) origins(x *Val, in *lockgraph.Inst, depth int) {
	if x == nil || depth > 12 {
		return
	}
	if x.Kind == VApply && x.Str == "query" && len(x.Of) > 0 {
		if t, ok := x.Of[0].AsText(); ok {
			for _, r := range v.relationsOf(t) {
				in.From = appendOnce(in.From, lockgraph.Row+" "+r)
			}
		}
	}
	for _, o := range x.Of {
		v.origins(o, in, depth+1)
	}
}

func appendOnce(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

// relationsOf returns the relations that a statement reads.
func (v *View) relationsOf(text string) []string {
	if r, ok := v.reads[text]; ok {
		return r
	}
	var out []string
	visit(v.Program.Res.Effect(text), func(o *Op) {
		if o.Kind == OpAcquire && o.Acq.Relation != "" && o.Acq.Family != lockgraph.Mutex && len(o.Acq.SQLFunc) == 0 {
			out = appendOnce(out, o.Acq.Relation)
		}
	})
	v.reads[text] = out
	return out
}
