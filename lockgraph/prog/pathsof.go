package prog

import "github.com/pglockdep/pglockdep/lockgraph"

// PathsOf returns the paths of the functions that match and reach a lock:
// each is walked as an entry of its own, unless it is one already.
func (v *View) PathsOf(match func(key string) bool) []lockgraph.Path {
	var out []lockgraph.Path
	known := map[string]*Trace{}
	for _, tr := range v.Traces {
		known[tr.Entry.Key] = tr
	}
	for _, k := range v.Program.Keys() {
		if !v.Program.Bears(k) || !match(k) {
			continue
		}
		tr := known[k]
		if tr == nil {
			tr = v.Program.Walk(k)
			link(tr.Nodes, nil)
			tr.ReachedBy = v.Program.ReachedBy(k, 60)
		}
		if p := path(tr, v.show, v.hands, v.Program); p != nil {
			out = append(out, *p)
		}
	}
	return out
}

// lockless returns paths without steps for the functions that a directive
// puts into a group, though they take no lock that is shown. A function in
// which something could not be followed is none.
func (v *View) lockless(told []lockgraph.Path) []lockgraph.Path {
	known := map[string]bool{}
	for _, p := range told {
		known[p.Entry] = true
	}
	var out []lockgraph.Path
	for _, k := range v.Program.Keys() {
		f := v.Program.Funcs[k]
		if f.Doc.Group == "" || known[k] {
			continue
		}
		tr := v.Program.Walk(k)
		link(tr.Nodes, nil)
		locks := false
		tr.Each(func(n *Node) {
			locks = locks || n.Kind == OpUnknown || n.Kind == OpAcquire && n.Take != nil && v.show(n.Take)
		}, OpAcquire, OpUnknown)
		if locks {
			continue
		}
		p := lockgraph.Path{Entry: k, ReachedBy: v.Program.ReachedBy(k, 60), Group: f.Doc.Group, Steps: []lockgraph.Step{}}
		if p.ReachedBy == nil {
			p.ReachedBy = []string{}
		}
		out = append(out, p)
	}
	return out
}
