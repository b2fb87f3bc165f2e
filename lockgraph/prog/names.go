package prog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// name gives classes the names that the team wrote. A directive names the
// class that is taken where it stands: on a line, by a constant's text or
// value, in a function, in a SQL function; the configuration names it by id,
// prefix or relation. The closest place counts.
func (v *View) name(names []Name) {
	if len(names) == 0 {
		return
	}
	of := map[string]Name{}
	for _, n := range names {
		if _, ok := of[n.Of]; !ok {
			of[n.Of] = n
		}
	}
	given := map[string]Name{}
	borne := map[string]bool{}
	rank := map[string]int{}
	for _, tr := range v.Traces {
		tr.Each(func(n *Node) {
			t := n.Take
			if n.Kind != OpAcquire || t == nil || t.Acq.Implicit {
				return
			}
			for i, key := range v.places(n, t) {
				x, ok := of[key]
				borne[key] = borne[key] || ok
				if ok && (rank[t.Class.ID] == 0 || i+1 < rank[t.Class.ID]) {
					given[t.Class.ID], rank[t.Class.ID] = x, i+1
				}
			}
		}, OpAcquire)
	}
	v.Idle = idle(names, borne)
	named := map[string]*lockgraph.Class{}
	for _, tr := range v.Traces {
		tr.Each(func(n *Node) {
			t := n.Take
			if t == nil || t.Class == nil {
				return
			}
			x, ok := given[t.Class.ID]
			if !ok {
				return
			}
			c := named[t.Class.ID]
			if c == nil {
				d := *t.Class
				if x.Name != "" {
					d.Name = x.Name
				}
				if x.Serializes != "" {
					d.Serializes = x.Serializes
				}
				c = &d
				named[t.Class.ID] = c
			}
			t.Class = c
		}, OpAcquire, OpRelease)
	}
}

// idle returns where the directives stand that name no lock: those of which
// no place is in borne.
func idle(names []Name, borne map[string]bool) []string {
	used := map[string]bool{}
	for _, n := range names {
		used[n.At] = used[n.At] || borne[n.Of]
	}
	var out []string
	for at, u := range used {
		if !u && at != "" {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return out
}

// places lists what a directive can stand on to name the class of t, closest
// first.
func (v *View) places(n *Node, t *Take) []string {
	out := []string{"class " + t.Class.ID, "line " + n.Pos.File + ":" + strconv.Itoa(n.Pos.Line)}
	for i := len(t.Acq.SQLFunc) - 1; i >= 0; i-- {
		out = append(out, "sql "+t.Acq.SQLFunc[i])
	}
	if s := statementOf(n); s != nil && len(t.Acq.SQLFunc) == 0 {
		out = append(out, "text "+s.SQL)
		if s.Op.Query != "" {
			out = append(out, "query "+s.Op.Query)
		}
	}
	if k := t.Class.Key; k != nil {
		if k.Constant != "" {
			out = append(out, "value "+k.Constant)
		}
		if k.Prefix != "" {
			out = append(out, "class "+k.Prefix)
		}
	}
	if t.Class.Relation != "" {
		out = append(out, "class "+t.Class.Relation)
	}
	if len(t.Acq.SQLFunc) == 0 {
		key := n.Fn.Key
		if i := strings.IndexByte(key, '$'); i >= 0 {
			out = append(out, "func "+key)
			key = key[:i]
		}
		out = append(out, "func "+key)
	}
	return out
}
