package change

import (
	"slices"
	"sort"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// indexed is a manifest with what is asked of it.
type indexed struct {
	m       *lockgraph.Manifest
	ids     []string // of classes, sorted
	classes map[string]*lockgraph.Class
	by      map[string][]string // class → functions that take it, sorted
	has     map[[4]string]bool  // edges with modes
	pairs   map[[2]string]bool  // edges without
}

func index(m *lockgraph.Manifest) *indexed {
	x := &indexed{m: m, classes: map[string]*lockgraph.Class{}, by: map[string][]string{}, has: map[[4]string]bool{}, pairs: map[[2]string]bool{}}
	for i := range m.Classes {
		x.ids = append(x.ids, m.Classes[i].ID)
		x.classes[m.Classes[i].ID] = &m.Classes[i]
	}
	sort.Strings(x.ids)
	for _, a := range m.Acquisitions {
		if !slices.Contains(x.by[a.Class], a.Func) {
			x.by[a.Class] = append(x.by[a.Class], a.Func)
		}
	}
	for _, list := range x.by {
		sort.Strings(list)
	}
	for _, e := range m.Edges {
		x.has[[4]string{e.From, e.Held, e.To, e.Wanted}] = true
		x.pairs[[2]string{e.From, e.To}] = true
	}
	return x
}

func (x *indexed) display(id string) string {
	if c := x.classes[id]; c != nil {
		return c.Display()
	}
	return id
}

func (x *indexed) key(id string) string {
	k := x.classes[id].Key
	if k == nil {
		return id
	}
	text := k.Expr
	if k.Constant != "" && k.Constant != text {
		text += " = " + k.Constant
	}
	if k.Space != "" && k.Space != "bigint" {
		text += " (" + k.Space + ")"
	}
	return text
}

func (x *indexed) takers(id string) []string { return append([]string{}, x.by[id]...) }

func (x *indexed) lock(id string) Lock {
	l := Lock{ID: id, Name: x.display(id), TakenBy: x.takers(id), While: []string{}, Before: []string{}}
	for _, e := range x.m.Edges {
		if e.To == id && e.From != id && !slices.Contains(l.While, x.display(e.From)) {
			l.While = append(l.While, x.display(e.From))
		}
		if e.From == id && e.To != id && !slices.Contains(l.Before, x.display(e.To)) {
			l.Before = append(l.Before, x.display(e.To))
		}
	}
	sort.Strings(l.While)
	sort.Strings(l.Before)
	return l
}

// renames lists the slugs of classes that differ between the sides, the
// longest first so that no part of one is taken for another.
func (x *indexed) renames(y *indexed, same map[string]string) [][2]string {
	var out [][2]string
	add := func(old, now string) {
		if old != now && old != "" {
			out = append(out, [2]string{old, now})
		}
	}
	for old, now := range same {
		a, b := x.classes[old], y.classes[now]
		add(a.Family+" "+a.Name, b.Family+" "+b.Name)
		add(a.Display(), b.Display())
		add(old, now)
	}
	sort.Slice(out, func(i, j int) bool {
		return len(out[i][0]) > len(out[j][0]) || len(out[i][0]) == len(out[j][0]) && out[i][0] < out[j][0]
	})
	return out
}

// pair tells which class of the new side each class of the old one has
// become. A class stays itself by its id. One that is gone and one that came
// are one advisory lock with another key when they bear one name, or when
// the same functions take them; the pair that shares most functions counts.
func pair(before, after *indexed) map[string]string {
	same := map[string]string{}
	taken := map[string]bool{}
	for _, id := range before.ids {
		if after.classes[id] != nil {
			same[id], taken[id] = id, true
		}
	}
	type candidate struct {
		old, now string
		named    bool
		shared   int
	}
	var list []candidate
	for _, old := range before.ids {
		a := before.classes[old]
		if _, ok := same[old]; ok || a.Family != lockgraph.Advisory {
			continue
		}
		for _, now := range after.ids {
			b := after.classes[now]
			if taken[now] || b.Family != lockgraph.Advisory {
				continue
			}
			c := candidate{old: old, now: now, named: a.Name != "" && a.Name == b.Name}
			for _, fn := range before.by[old] {
				if slices.Contains(after.by[now], fn) {
					c.shared++
				}
			}
			if c.named || c.shared > 0 {
				list = append(list, c)
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.named != b.named {
			return a.named
		}
		return a.shared > b.shared
	})
	for _, c := range list {
		if _, ok := same[c.old]; !ok && !taken[c.now] {
			same[c.old], taken[c.now] = c.now, true
		}
	}
	return same
}
