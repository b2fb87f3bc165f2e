package prog

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A teller turns a trace into the steps of a path.
type teller struct {
	show   func(*Take) bool
	hands  map[string]bool
	p      *Program
	ends   map[*Conn]map[string]bool
	caller *lockgraph.Step
	goesOn bool // the caller of the function that is told goes on when it fails
}

// A page of a teller is a list of steps being written: what is told goes
// into the innermost transaction that is open in it.
type leaf struct {
	steps []*tree
	txs   []*openTx
}

type openTx struct {
	conn *Conn
	tree *tree
}

// A tree is a step under construction.
type tree struct {
	step lockgraph.Step
	take *Take // locks
	kids []*tree
	arms []arm
}

type arm struct {
	when string
	kids []*tree
}

func (l *leaf) add(ts ...*tree) {
	in := l.list()
	*in = append(*in, ts...)
}

// list returns the steps that are being written.
func (l *leaf) list() *[]*tree {
	if n := len(l.txs); n > 0 {
		return &l.txs[n-1].tree.kids
	}
	return &l.steps
}

// path returns what the trace locks, as steps; nil when it locks nothing
// that is shown.
func path(tr *Trace, show func(*Take) bool, hands map[string]bool, p *Program) *lockgraph.Path {
	b := &teller{show: show, hands: hands, p: p, ends: map[*Conn]map[string]bool{}}
	tr.Each(func(n *Node) {
		if n.Kind == OpEnd && n.Conn != nil {
			if b.ends[n.Conn] == nil {
				b.ends[n.Conn] = map[string]bool{}
			}
			b.ends[n.Conn][n.Ends] = true
		}
	}, OpEnd)
	l := &leaf{}
	b.tell(tr.Nodes, l, true)
	steps := finish(l.steps)
	if len(steps) == 0 {
		return nil
	}
	out := &lockgraph.Path{Entry: tr.Entry.Key, ReachedBy: tr.ReachedBy, Group: tr.Entry.Doc.Group, Steps: steps}
	if out.ReachedBy == nil {
		out.ReachedBy = []string{}
	}
	return out
}

// addArms adds a branch, unless nothing is locked in any arm; empty arms
// become one, arms that do the same become one.
func (b *teller) addArms(arms []arm, l *leaf) {
	var kept []arm
	empty := ""
	some := false
	for _, a := range arms {
		if len(a.kids) == 0 {
			if empty == "" || a.when != "" && a.when != "otherwise" {
				empty = a.when
			}
			some = true
			continue
		}
		kept = append(kept, a)
	}
	if len(kept) == 0 {
		return
	}
	var distinct []arm
	for _, a := range kept {
		same := -1
		for i := range distinct {
			if equalTrees(distinct[i].kids, a.kids) {
				same = i
			}
		}
		if same >= 0 {
			distinct[same].when = joinWhen(distinct[same].when, a.when)
			continue
		}
		distinct = append(distinct, a)
	}
	if len(distinct) == 1 && !some {
		l.add(distinct[0].kids...)
		return
	}
	if some {
		distinct = append(distinct, arm{when: empty})
	}
	l.add(&tree{step: lockgraph.Step{Do: "branch"}, arms: distinct})
}

func joinWhen(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case b == "":
		return a
	}
	return a + " or " + b
}

func equalTrees(a, b []*tree) bool {
	return slices.EqualFunc(finish(a), finish(b), func(x, y lockgraph.Step) bool { return stepKey(x) == stepKey(y) })
}

func stepKey(s lockgraph.Step) string {
	var b strings.Builder
	for _, x := range []string{s.Do, s.Class, s.Mode, s.Wait, s.Again, s.Order, s.Kind, s.Handle, s.End, s.Over, s.Entry, s.What, s.Each, strings.Join(s.By, ",")} {
		b.WriteString(x)
		b.WriteByte(0)
	}
	for _, k := range s.Steps {
		b.WriteString(stepKey(k))
	}
	for _, a := range s.Arms {
		b.WriteString("|" + a.When)
		for _, k := range a.Steps {
			b.WriteString(stepKey(k))
		}
	}
	return b.String() + ";"
}

func (b *teller) open(n *Node, l *leaf) {
	c := n.Conn
	if c == nil || c.Opener != n {
		return
	}
	s := lockgraph.Step{Do: "tx", Kind: b.kind(n), Handle: c.How, Timeout: "", End: b.endOf(c)}
	if s.Handle != "tx" && s.Handle != "conn" && s.Handle != "savepoint" {
		s.Handle = "tx"
	}
	t := &tree{step: s}
	l.add(t)
	l.txs = append(l.txs, &openTx{conn: c, tree: t})
}

func (b *teller) endOf(c *Conn) string {
	e := b.ends[c]
	switch {
	case e["either"] || e["commit"] && e["rollback"]:
		return "either"
	case e["commit"]:
		return "commit"
	case e["rollback"]:
		return "rollback"
	}
	return "either"
}

// kind names the helper that opened a connection and handed it on: the
// outermost one that itself sets or locks something on it first, else the one
// that began it.
func (b *teller) kind(n *Node) string {
	name := ""
	take := func(f *Func) {
		if name == "" || b.p.prepares(f, b.hands) {
			name = lockgraph.Short(f.Key)
		}
	}
	if b.hands[n.Fn.Key] {
		take(n.Fn)
	}
	for f := n.Stack; f != nil && b.hands[f.Fn.Key]; f = f.Up {
		take(f.Fn)
	}
	return name
}

func (b *teller) end(n *Node, l *leaf) {
	for i := len(l.txs) - 1; i >= 0; i-- {
		if l.txs[i].conn == n.Conn {
			if n.Ends == "rollback" && n.Op != nil && n.Op.Use.Deferred {
				continue
			}
			l.txs = l.txs[:i]
			return
		}
	}
}

func (b *teller) lock(n *Node, l *leaf, top bool) {
	t := n.Take
	if t == nil || !b.show(t) {
		return
	}
	if len(l.txs) == 0 && top && ofCaller(t.Conn) {
		l.callers(t.Conn)
	}
	for i := len(l.txs) - 1; i >= 0; i-- {
		if l.txs[i].conn == t.Conn && t.Timeout != "" {
			l.txs[i].tree.step.Timeout = t.Timeout
		}
	}
	step := lockgraph.Step{Do: "lock", Class: t.Class.ID, Mode: t.Mode, Wait: t.Wait, Order: t.Acq.Order, Many: t.Acq.Many, Again: t.Again, By: b.by(n), Implicit: t.Acq.Implicit, Fresh: t.Acq.Fresh, Each: b.p.turns(t)}
	l.add(&tree{step: step, take: t})
}

// by lists who takes a lock: the last Go functions on the way to it, the
// query, the SQL functions.
func (b *teller) by(n *Node) []string {
	var out []string
	add := func(s string) {
		if s != "" && (len(out) == 0 || out[len(out)-1] != s) {
			out = append(out, s)
		}
	}
	st := statementOf(n)
	query := ""
	if st != nil {
		query = st.Op.Query
	}
	wrapper := query != "" && strings.EqualFold(lockgraph.Short(n.Fn.Key), query)
	if f := n.Stack; f != nil {
		if up := f.Up; up != nil && wrapper {
			add(lockgraph.Short(up.From.Key))
		}
		add(lockgraph.Short(f.From.Key))
	}
	if !wrapper {
		if len(out) > 0 && n.Stack.Up == nil {
			out = out[:0] // the entry itself is no news
		}
		add(lockgraph.Short(n.Fn.Key))
	}
	if n.ran != nil && n.ran != n.Fn && n.Take.Conn.Fn == n.ran { // it runs the statement in the transaction it opens
		add(lockgraph.Short(n.ran.Key))
	}
	add(query)
	for _, f := range n.Take.Acq.SQLFunc {
		add(f)
	}
	return out
}

// finish turns trees into steps and drops transactions and loops that lock
// nothing.
func finish(ts []*tree) []lockgraph.Step {
	out := []lockgraph.Step{}
	for _, t := range ts {
		s := t.step
		switch s.Do {
		case "tx", "loop":
			s.Steps = finish(t.kids)
			if !anyLock(s.Steps) {
				continue
			}
		case "branch":
			s.Arms = nil
			for _, a := range t.arms {
				s.Arms = append(s.Arms, lockgraph.Arm{When: a.when, Steps: finish(a.kids)})
			}
			if !anyLock([]lockgraph.Step{s}) {
				continue
			}
		}
		out = append(out, s)
	}
	for i := len(out) - 1; i >= 0 && out[i].Do == "external"; i-- {
		out = out[:i]
	}
	return out
}

func anyLock(steps []lockgraph.Step) bool {
	for _, s := range steps {
		if s.Do == "lock" || s.Do == "see" || anyLock(s.Steps) {
			return true
		}
		for _, a := range s.Arms {
			if anyLock(a.Steps) {
				return true
			}
		}
	}
	return false
}

// loopOrder returns the order in which a loop goes: as the code sorts it, or
// as the query that made its rows orders them.
func (p *Program) loopOrder(n *Node) string {
	if n.Op.Order != "" {
		return n.Op.Order
	}
	return p.valueOrder(n.Val, 0)
}

// rowsOrder returns the order of the rows of a statement, "" where the
// alternatives of its text differ in it.
func (p *Program) rowsOrder(text *Val) string {
	if t, ok := text.AsText(); ok {
		return p.Res.Order(t)
	}
	if text.Kind != VMod {
		return ""
	}
	texts, _ := p.Res.Chain(text)
	order := ""
	for i, t := range texts {
		o := p.Res.Order(t.Text)
		if i > 0 && o != order {
			return ""
		}
		order = o
	}
	return order
}

func (p *Program) valueOrder(v *Val, depth int) string {
	if v == nil || depth > 10 {
		return ""
	}
	switch v.Kind {
	case VApply:
		switch v.Str {
		case "sorted", "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc":
			return "sorted"
		case "query":
			return p.rowsOrder(v.Of[0])
		case "slices.Compact", "slices.Values", "slices.All", "collected", "go:append":
			return p.valueOrder(v.Of[0], depth+1)
		}
	case VList:
		if ascends(v) {
			return "sorted"
		}
	case VIface, VHandle:
		return p.valueOrder(v.Of[0], depth+1)
	case VParam: // as the callers have it, where all are in sight
		return p.valueOrder(newEvaluator(p).handedTo(v), depth+1)
	case VResult, VScan: // a slice that a call fills has the order of its rows
		if len(v.Of) == 1 {
			return p.valueOrder(v.Of[0], depth+1)
		}
	case VChoice:
		order := ""
		for _, o := range v.Of {
			if o.IsNil() || o.Kind == VList && len(o.Of) == 0 {
				continue
			}
			k := p.valueOrder(o, depth+1)
			if k == "" || order != "" && k != order {
				return ""
			}
			order = k
		}
		return order
	}
	return ""
}
