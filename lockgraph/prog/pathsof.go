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
