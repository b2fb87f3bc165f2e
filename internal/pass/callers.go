package pass

import "github.com/pglockdep/pglockdep/lockgraph/prog"

// ToldByCallers reports whether other paths show what the entry of tr is given:
// through each function that calls it they come to a node that is holds for.
func ToldByCallers(v *prog.View, tr *prog.Trace, is func(n *prog.Node) bool, kinds ...prog.OpKind) bool {
	left := map[string]bool{}
	for _, k := range v.Program.Callers(tr.Entry.Key) {
		left[k] = true
	}
	if len(left) == 0 {
		return false
	}
	for _, o := range v.Traces {
		if o == tr {
			continue
		}
		o.Each(func(n *prog.Node) {
			if !is(n) {
				return
			}
			delete(left, n.Fn.Key) // a statement stands where its text is made
			for f := n.Stack; f != nil; f = f.Up {
				if f.Fn.Key == tr.Entry.Key {
					delete(left, f.From.Key)
				}
			}
		}, kinds...)
	}
	return len(left) == 0
}
