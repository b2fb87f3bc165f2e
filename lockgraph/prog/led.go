package prog

import (
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// lead finds the traces of functions that others call only while they hold a
// lock that is one for all runs of the program, as a leader does on a
// connection of its own. What such a function does is judged in the traces of
// its callers, which know of that lock.
// A caller's walk, which knows the arguments, can do without some of the
// function's locks; it must not have been cut.
// It also finds those that only work on what callers give them, and whose
// callers in sight are walked: apart from these their locks are a guess.
func (v *View) lead() {
	calls := map[string][]*Node{}
	own := map[string]*Trace{}
	cut := map[*Node]bool{}
	for _, tr := range v.Traces {
		own[tr.Entry.Key] = tr
		tr.Each(func(n *Node) {
			if n.up == nil || n.Stack == nil || n.up.Stack == n.Stack {
				return
			}
			at := n.up
			for at != nil && (at.Kind != OpCall || at.Stack != n.Stack.Up) {
				at = at.up
			}
			if key, list := n.Stack.Fn.Key, calls[n.Stack.Fn.Key]; at != nil && (len(list) == 0 || list[len(list)-1] != at) {
				calls[key] = append(list, at)
				cut[at] = len(tr.Cuts) > 0
			}
		})
	}
	for key, tr := range own {
		walked, under := len(calls[key]) > 0, true
		takes := countTakes(tr.Nodes)
		for _, n := range calls[key] {
			walked, under = walked && (!cut[n] || countTakes(n.Kids) >= takes), under && led(n)
		}
		tr.Led = !tr.Entry.Exported && walked && under
		tr.Apart = tr.Caller && walked
	}
}

// led reports whether a lock that is one for all runs of the program is held
// in every state at n.
func led(n *Node) bool {
	for _, held := range n.Held {
		found := false
		for _, h := range held {
			found = found || h.Class.Family == lockgraph.Advisory && h.Scope != lockgraph.Statement && h.Mode == lockgraph.Exclusive && OfProgram(h)
		}
		if !found {
			return false
		}
	}
	return len(n.Held) > 0
}

func countTakes(nodes []*Node) int {
	sum := 0
	for _, n := range nodes {
		if n.Kind == OpAcquire {
			sum++
		}
		sum += countTakes(n.Kids)
	}
	return sum
}

// OfProgram reports whether a lock is the same one in every run of one
// program: its instance is made of constants, package variables, what a
// function that has returned before was given, and fields of the value that
// the pool of its connection is a field of.
func OfProgram(t *Take) bool {
	running := map[string]bool{t.Node.Fn.Key: true}
	for f := t.Node.Stack; f != nil; f = f.Up {
		running[f.From.Key] = true
	}
	var service *Val
	if pool := t.Conn.source(); pool.Val != nil && bare(pool.Val).Kind == VField {
		service = root(pool.Val)
	}
	return ofProgram(t.Inst, running, service)
}

func ofProgram(v *Val, running map[string]bool, service *Val) bool {
	if v == nil {
		return false
	}
	switch v.Kind {
	case VConst, VGlobal:
		return true
	case VParam:
		fn, _, _ := strings.Cut(v.Str, "#")
		return !running[fn] || service != nil && Equal(v, service)
	case VEq: // a column and its value
		return ofProgram(v.Of[1], running, service)
	case VField, VApply, VConcat, VHandle, VIface, VList:
		for _, o := range v.Of {
			if !ofProgram(o, running, service) {
				return false
			}
		}
		return len(v.Of) > 0
	}
	return false
}
