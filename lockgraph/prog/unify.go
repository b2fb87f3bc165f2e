package prog

import (
	"sort"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// unify joins classes that differ only in what is known of the key's value.
// Where one path shows the field that a key comes from and another does not,
// it is that field; where one value is locked at two places of one path, both
// lock one thing.
func (v *View) unify() {
	u := &joined{up: map[string]string{}, class: map[string]*lockgraph.Class{}, typed: map[string]bool{}, taken: map[string]bool{}}
	type place struct {
		pos Pos
		acq *Acq
	}
	places := map[place][]string{}
	v.bareKeys(func(n *Node, t *Take) { // a place, as several paths see it
		u.add(t.Class, t.Class.Name != builder(n, statementOp(n)), n.Kind == OpAcquire)
		places[place{n.Pos, t.Acq}] = appendOnce(places[place{n.Pos, t.Acq}], t.Class.ID)
	})
	for _, ids := range places {
		u.oneTyped(ids)
	}
	for _, tr := range v.Traces { // a value, as one path uses it
		at := map[string]string{}
		tr.Each(func(n *Node) {
			t := n.Take
			if !bareKey(t) || t.Inst == nil || !stable(t.Inst) {
				return
			}
			key := t.Class.Key.Space + "\x00" + t.Class.Key.Expr + "\x00" + t.Inst.String()
			if other, ok := at[key]; ok {
				u.oneTyped([]string{other, t.Class.ID})
			} else {
				at[key] = t.Class.ID
			}
		}, OpAcquire, OpRelease)
	}
	v.bareKeys(func(n *Node, t *Take) { t.Class = u.class[u.find(t.Class.ID)] })
}

func bareKey(t *Take) bool {
	return t != nil && t.Class != nil && t.Class.Key != nil && t.Class.Key.Prefix == "" && t.Class.Key.Constant == "" && !t.Class.Key.Prefixed
}

func (v *View) bareKeys(do func(n *Node, t *Take)) {
	for _, tr := range v.Traces {
		tr.Each(func(n *Node) {
			if bareKey(n.Take) {
				do(n, n.Take)
			}
		}, OpAcquire, OpRelease)
	}
}

func statementOp(n *Node) *Op {
	if s := statementOf(n); s != nil {
		return s.Op
	}
	return nil
}

// A joined is classes that turned out to be one, by id.
type joined struct {
	up    map[string]string
	class map[string]*lockgraph.Class
	typed map[string]bool // by the root: the class is named by a typed field, or by a number of its own
	taken map[string]bool // some place takes it, rather than gives it back
}

func (u *joined) add(c *lockgraph.Class, typed, taken bool) {
	if u.class[c.ID] == nil {
		u.class[c.ID], u.up[c.ID] = c, c.ID
	}
	u.typed[c.ID] = u.typed[c.ID] || typed
	u.taken[c.ID] = u.taken[c.ID] || taken
}

func (u *joined) find(id string) string {
	for u.up[id] != id {
		id = u.up[id]
	}
	return id
}

// oneTyped joins ids unless two of them are named by different fields or
// numbers.
func (u *joined) oneTyped(ids []string) {
	roots := map[string]bool{}
	for _, id := range ids {
		roots[u.find(id)] = true
	}
	var typed, plain []string
	for r := range roots {
		if u.typed[r] {
			typed = append(typed, r)
		} else {
			plain = append(plain, r)
		}
	}
	sort.Strings(typed)
	sort.Slice(plain, func(i, j int) bool {
		if a, b := u.taken[plain[i]], u.taken[plain[j]]; a != b {
			return a
		}
		return plain[i] < plain[j]
	})
	if len(typed) > 1 || len(typed)+len(plain) < 2 {
		return
	}
	root := append(typed, plain...)[0]
	for _, p := range plain {
		if p != root {
			u.up[p] = root
		}
	}
}
