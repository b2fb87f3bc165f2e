package lockmany

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// loop reports a loop that takes instances of one class in an order that is
// not fixed, within one transaction or session. It returns whether t is
// taken in such a loop.
func loop(c *pass.Collector, v *prog.View, tr *prog.Trace, t *prog.Take) bool {
	if !exclusive(t) || t.Acq.Implicit && t.Mode == lockgraph.ForKeyShare {
		return false
	}
	loops := t.Outlived()
	if len(loops) == 0 {
		return false
	}
	l := walks(t, loops)
	if l == nil || fixed(v, l, t) || pass.Gated(t) || givenBack(t, l) || t.Again == "same" || ordered(t) || guarded(t) {
		return false
	}
	if toldByCallers(v, tr, t, l) {
		return true
	}
	f := pass.Fault{Kind: "unordered-lock-loop", Names: []string{t.Class.Display()}, Cut: t.Cut}
	f.Related = pass.Join(l.Witness("loops over "+over(l)), t.Witness())
	if t.Conn.How == "param" && t.Conn.Static == "" {
		f.Cut = lockgraph.CutHandle
	}
	f.Message = fmt.Sprintf("%s is taken for each element of %s", t.Class.Display(), over(l)) + among(&f, v, tr, t, l)
	f.Hint = "sort by the whole key of the lock before the loop"
	c.Add(tr, t.Node, f)
	return true
}

// toldByCallers reports whether a helper loops over what it is given, and the
// paths that call it show what that is.
func toldByCallers(v *prog.View, tr *prog.Trace, t *prog.Take, l *prog.Node) bool {
	list := prog.Bare(l.Val)
	if list == nil || list.Kind != prog.VParam || !strings.HasPrefix(list.Str, tr.Entry.Key+"#") {
		return false
	}
	return pass.ToldByCallers(v, tr, func(n *prog.Node) bool {
		return n.Take != nil && n.Take.Class.ID == t.Class.ID && slices.ContainsFunc(n.Loops, func(o *prog.Node) bool { return o.Fn == l.Fn && o.Pos == l.Pos })
	}, prog.OpAcquire)
}

// among says in what order the locks of a loop are taken and among whom that
// matters, and weighs the fault by it.
func among(f *pass.Fault, v *prog.View, tr *prog.Trace, t *prog.Take, l *prog.Node) string {
	f.Severity = lockgraph.SeverityNote
	if parent := belongs(v, t, l); parent != nil {
		return fmt.Sprintf(", %s, under %s (only rows that do not belong to that one row can be taken the other way)", disorder(l), parent.Class.Display())
	}
	if h := chosen(v, tr, t, l); h != nil {
		return fmt.Sprintf(", %s, which a query chose by what is locked before, %s (only rows that it did not choose can be taken the other way)", disorder(l), h.Class.Display())
	}
	if g := pass.Led(t); g != nil && !inside(g, l) {
		return fmt.Sprintf(", %s, under %s, which is one lock for all runs of this program (only under another key can they be taken the other way)", disorder(l), g.Class.Display())
	}
	if ownRows(t, l) {
		return ", whose query has locked rows of it before (only other rows than those can be taken the other way)"
	}
	if inserted(t, l) {
		return ", whose rows the transaction has inserted before (only other rows than those can be taken the other way)"
	}
	if h := claimed(t, l); h != nil {
		f.Severity = lockgraph.SeverityWarning
		return fmt.Sprintf(", %s, and whose rows are locked in %s before (where several of them lead to one row, another transaction may take it the other way: possible deadlock)", disorder(l), h.Class.Display())
	}
	f.Severity = ""
	if outOfSight(l.Val) {
		f.Severity = lockgraph.SeverityWarning
	}
	return fmt.Sprintf(", %s (another transaction may take them the other way: possible deadlock)", disorder(l))
}

// belongs returns the exclusive lock on one row, held since before the loop,
// to which the rows that the loop locks refer: rows of one parent are then
// locked by one session at a time.
func belongs(v *prog.View, t *prog.Take, l *prog.Node) *prog.Take {
	if t.Class.Family != lockgraph.Row {
		return nil
	}
	var parent *prog.Take
	for _, held := range t.Node.Held {
		parent = nil
		for _, h := range held {
			if h.Class.Family == lockgraph.Row && h.Class.ID != t.Class.ID && h.Scope == lockgraph.Transaction && !h.Acq.Many &&
				lockgraph.Conflicts(lockgraph.Row, h.Mode, h.Mode) && !inside(h, l) && v.Below(t.Class.Relation, h.Class.Relation) {
				parent = h
			}
		}
		if parent == nil {
			return nil
		}
	}
	return parent
}

// chosen returns the exclusive lock, held since before the loop, on the one
// thing that each query of the loop's rows chose them by, as on an account
// whose entries they are: who walks the same rows has taken it before.
func chosen(v *prog.View, tr *prog.Trace, t *prog.Take, l *prog.Node) *prog.Take {
	queries := v.Chosen(tr, l, t.Class.Relation)
	if len(queries) == 0 || t.Class.Family != lockgraph.Row {
		return nil
	}
	return always(t, func(h *prog.Take) bool {
		return single(h, t) && !inside(h, l) && !slices.ContainsFunc(queries, func(values []*prog.Val) bool { return !choice(h, values) })
	})
}

// always returns a lock as wanted that is held in every state before t, nil
// where some state has none.
func always(t *prog.Take, wanted func(h *prog.Take) bool) *prog.Take {
	var by *prog.Take
	for _, held := range t.Node.Held {
		i := slices.IndexFunc(held, wanted)
		if i < 0 {
			return nil
		}
		by = held[i]
	}
	return by
}

// choice reports whether one of the values that rows were chosen by picks h.
func choice(h *prog.Take, values []*prog.Val) bool {
	set := map[string]bool{}
	for _, x := range values {
		if prog.Stable(x) {
			set[prog.Bare(x).String()] = true
		}
	}
	return pickedBy(h, set) || slices.ContainsFunc(values, h.KeyOf)
}

// ownRows reports whether the query whose rows the loop walks has locked them,
// as strongly as the loop does.
func ownRows(t *prog.Take, l *prog.Node) bool {
	return always(t, func(h *prog.Take) bool {
		return h.Class.ID == t.Class.ID && h.Conn.Root() == t.Conn.Root() && returned(h, l) && lockgraph.AtLeast(t.Class.Family, h.Mode, t.Mode)
	}) != nil
}

// returned reports whether the statement that took h returned the rows that
// the loop walks.
func returned(h *prog.Take, l *prog.Node) bool {
	s, text := h.Node.Statement(), prog.QueryText(l.Val)
	return s != nil && (text != "" && s.SQL == text || h.Returned(l.Val))
}

// claimed returns the exclusive lock that the query of the loop's list took on
// the rows which it returned: no other session works on these, as long as it
// is held.
func claimed(t *prog.Take, l *prog.Node) *prog.Take {
	return always(t, func(h *prog.Take) bool {
		return h.Class.Family == lockgraph.Row && h.Scope == lockgraph.Transaction && !inside(h, l) && returned(h, l) && lockgraph.Conflicts(lockgraph.Row, h.Mode, h.Mode)
	})
}

// inserted reports whether the transaction has inserted rows of the list that
// the loop walks, and given them the columns by which the loop picks its own.
func inserted(t *prog.Take, l *prog.Node) bool {
	for _, held := range t.Node.Held {
		if slices.ContainsFunc(held, func(h *prog.Take) bool {
			return h.Acq.Fresh && h.Acq.When == "" && h.Class.ID == t.Class.ID && h.Conn.Root() == t.Conn.Root() && names(h, t) && prog.MadeOf(h, l)
		}) {
			return true
		}
	}
	return false
}

// names reports whether the INSERT of h gives each column that t picks by.
func names(h, t *prog.Take) bool {
	for _, c := range t.Acq.Row {
		if !slices.ContainsFunc(h.Acq.Row, func(k prog.Col) bool { return k.Name == c.Name }) {
			return false
		}
	}
	return len(t.Acq.Row) > 0
}

func inside(h *prog.Take, l *prog.Node) bool {
	for _, o := range h.Node.Loops {
		if o == l {
			return true
		}
	}
	return false
}

// walks returns the loop whose elements pick the instance of t, nil when
// each turn takes the same one, as retries do.
func walks(t *prog.Take, loops []*prog.Node) *prog.Node {
	if t.Inst == nil {
		return nil
	}
	var found *prog.Node
	for i := len(loops) - 1; i >= 0 && found == nil; i-- {
		l := loops[i]
		if l.Op == nil || l.Op.How == "forever" || l.Val == nil && l.Op.How == "" {
			continue
		}
		if prog.ElementOf(t.Inst, l) {
			found = l
		}
	}
	return found
}

// fixed reports whether the loop goes in an order that every run shares.
func fixed(v *prog.View, l *prog.Node, t *prog.Take) bool {
	if v.Program.LoopOrder(l) != "" {
		return true
	}
	walked := prog.Bare(l.Val)
	if walked == nil {
		return false
	}
	return constants(walked) || lesserFirst(walked)
}

// lesserFirst reports whether v is a list of the lesser and the greater of
// two values.
func lesserFirst(v *prog.Val) bool {
	if v.Kind != prog.VList || len(v.Of) != 2 {
		return false
	}
	a, b := prog.Bare(v.Of[0]), prog.Bare(v.Of[1])
	if a.Kind != prog.VApply || b.Kind != prog.VApply || a.Str != "go:min" || b.Str != "go:max" || len(a.Of) != len(b.Of) {
		return false
	}
	for _, o := range a.Of {
		if !slices.ContainsFunc(b.Of, func(x *prog.Val) bool { return prog.Equal(x, o) }) {
			return false
		}
	}
	return true
}

// constants reports whether v is a list of constants: each run walks it
// alike.
func constants(v *prog.Val) bool {
	if v.Kind != prog.VList || len(v.Of) == 0 {
		return false
	}
	for _, o := range v.Of {
		switch o = prog.Bare(o); o.Kind {
		case prog.VConst, prog.VGlobal:
		case prog.VRecord, prog.VList:
			for _, in := range o.Of {
				if in.Kind == prog.VInit && len(in.Of) > 0 {
					in = prog.Bare(in.Of[0])
				}
				if in.Kind != prog.VConst && in.Kind != prog.VFunc && in.Kind != prog.VClosure {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// givenBack reports whether the loop releases the session lock before its
// next turn.
func givenBack(t *prog.Take, l *prog.Node) bool {
	if t.Scope != lockgraph.Session {
		return false
	}
	found := false
	var visit func(n *prog.Node)
	visit = func(n *prog.Node) {
		if n.Kind == prog.OpRelease && n.Take != nil && prog.Unlocks(n.Take, t) {
			found = true
		}
		for _, k := range n.Kids {
			visit(k)
		}
	}
	visit(l)
	return found
}

func over(l *prog.Node) string {
	if s := l.When; s != "" {
		return s
	}
	return "a loop"
}

func disorder(l *prog.Node) string {
	switch l.Op.How {
	case "map":
		return "whose order is random"
	case "iterator":
		if it := prog.Bare(l.Val); it != nil && it.Kind == prog.VApply && strings.HasPrefix(it.Str, "maps.") {
			return "whose order is random"
		}
	case "channel":
		return "in the order of arrival"
	}
	if strings.Contains(l.When, "Next()") || l.Val != nil && prog.FromQuery(l.Val) {
		return "whose query has no ORDER BY"
	}
	if outOfSight(l.Val) {
		return "in an order that is not in sight"
	}
	return "in the order the caller gives"
}

// outOfSight reports a list of the program's own that is filled where the
// order cannot be followed: it may be the same in each run.
func outOfSight(v *prog.Val) bool {
	v = prog.Bare(v)
	return v != nil && (v.Kind == prog.VHole || v.Kind == prog.VChoice && slices.ContainsFunc(v.Of, outOfSight))
}
