package lockgraph

import (
	"slices"
	"strings"
)

// repeated reports whether what is wanted is probably held already: the
// session holds a lock of the class as strong as the wanted one, and nothing
// says that it is another instance. Taking several instances of one class is
// for another check to judge.
func repeated(p []*Take, w *Take) bool {
	if w.Family != Row && w.Family != Advisory || w.Again != "maybe" {
		return false
	}
	for _, h := range p {
		if h.Class == w.Class && h.Session == w.Session && !h.Fresh && AtLeast(w.Family, h.Mode, w.Mode) {
			return true
		}
	}
	return false
}

// A lineage tells of a relation which relations it references, directly or
// through others.
type lineage map[string]map[string]bool

func newLineage(rel Relations) lineage {
	up := map[string]map[string]bool{}
	for _, fk := range rel {
		if fk.Child != fk.Parent {
			if up[fk.Child] == nil {
				up[fk.Child] = map[string]bool{}
			}
			up[fk.Child][fk.Parent] = true
		}
	}
	out := lineage{}
	for child := range up {
		all := map[string]bool{}
		var climb func(r string)
		climb = func(r string) {
			for p := range up[r] {
				if !all[p] {
					all[p] = true
					climb(p)
				}
			}
		}
		climb(child)
		out[child] = all
	}
	return out
}

// parented reports whether every two sides of a cycle hold a row of one
// relation, in modes that conflict and before their hop, to which all rows
// of the cycle belong by foreign keys. Rows of one parent are then locked by
// one side at a time, and rows of two parents do not meet: the cycle asks
// for a row that belongs to neither side's parent, which nothing shows. Where
// only some of the rows are known to belong to the parent, that is a guess.
// It returns how sure the cycle is at best.
func (g *Graph) parented(sides []*side) int {
	hops := map[string]bool{}
	for _, s := range sides {
		rel := g.names.relation(s.want.Class)
		if s.want.Family != Row || rel == "" {
			return tierSupported
		}
		hops[rel] = true
	}
	parents := map[string]bool{}
	for _, t := range sides[0].held {
		if t.Family == Row && !t.Fresh && !t.Carried {
			parents[g.names.relation(t.Class)] = true
		}
	}
	tier := tierSupported
	for parent := range parents {
		all, some := true, false
		for rel := range hops {
			below := g.lineage[rel][parent] || rel == parent
			all, some = all && below, some || below
		}
		if parent == "" || !some || !g.holdParent(sides, parent) {
			continue
		}
		if all {
			return tierPossible
		}
		tier = tierGuess
	}
	return tier
}

// holdParent reports whether every two sides hold rows of the relation in
// modes that conflict, taken no later than the held end of their hop.
func (g *Graph) holdParent(sides []*side, parent string) bool {
	modes := make([][]string, len(sides))
	for i, s := range sides {
		for _, t := range s.held[:s.from+1] {
			if t.Family == Row && !t.Fresh && !t.Carried && g.names.relation(t.Class) == parent {
				modes[i] = append(modes[i], t.Mode)
			}
		}
	}
	for i := range sides {
		for j := i + 1; j < len(sides); j++ {
			ok := false
			for _, a := range modes[i] {
				for _, b := range modes[j] {
					ok = ok || Conflicts(Row, a, b)
				}
			}
			if !ok {
				return false
			}
		}
	}
	return true
}

// moved reports whether one side changes a foreign key of a row, and waits for
// the row that it refers to from then on, while the other deletes that row and
// waits, by the same foreign key, for those that refer to it. Those are others:
// what the first side changes referred to something else. A row that its
// transaction has changed before is checked even where the key stays.
func moved(child, parent *side) bool {
	deleted, key := parent.holds(), foreignKey(child.want)
	if key == "" || child.want.FKFrom == "" || foreignKey(parent.want) != key || deleted.Many || deleted.Carried || !oneStatement(deleted, parent.want) {
		return false
	}
	var changed *Take
	for _, h := range child.held {
		if h.Class != parent.want.Class || !h.Implicit || !AtLeast(Row, h.Mode, ForNoKeyUpdate) {
			continue
		}
		if changed != nil || h.Many || h.Carried || h.InLoop || !oneStatement(h, child.want) {
			return false
		}
		changed = h
	}
	return changed != nil && (child.holds() == changed || changed.Again == "same")
}

// foreignKey returns the foreign key by which a lock is taken, "" when it is
// taken otherwise.
func foreignKey(t *Take) string {
	if n := len(t.Via); n > 0 && strings.HasPrefix(t.Via[n-1], "foreign key ") {
		return t.Via[n-1]
	}
	return ""
}

// oneStatement reports whether one statement takes both locks.
func oneStatement(a, b *Take) bool {
	return a.Session == b.Session && slices.EqualFunc(a.Frames, b.Frames, func(f, g Frame) bool { return f.File == g.File && f.Line == g.Line && f.Func == g.Func })
}
