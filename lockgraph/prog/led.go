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
// Traces of functions that work in a transaction of their callers wherever
// they are called, and only apart from these without one, are taken out.
func (v *View) lead() {
	callers := v.Program.everyCaller()
	for {
		before := len(v.Traces)
		v.Traces = judged(v.Traces, callers)
		if len(v.Traces) == before {
			return
		}
	}
}

// A walkedCall is a call that a trace enters.
type walkedCall struct {
	*Node
	in *Trace
}

// callsIn returns the calls that traces enter, by what they call.
func callsIn(traces []*Trace) map[string][]walkedCall {
	calls := map[string][]walkedCall{}
	for _, tr := range traces {
		tr.Each(func(n *Node) {
			if n.up == nil || n.Stack == nil || n.up.Stack == n.Stack {
				return
			}
			at := n.up
			for at != nil && (at.Kind != OpCall || at.Stack != n.Stack.Up) {
				at = at.up
			}
			if key, list := n.Stack.Fn.Key, calls[n.Stack.Fn.Key]; at != nil && (len(list) == 0 || list[len(list)-1].Node != at) {
				calls[key] = append(list, walkedCall{at, tr})
			}
		})
	}
	return calls
}

// judged notes what their calls of each other tell of traces, and returns
// those that stay.
func judged(traces []*Trace, callers map[string][]string) []*Trace {
	calls := callsIn(traces)
	own := map[string]*Trace{}
	for _, tr := range traces {
		own[tr.Entry.Key] = tr
	}
	var out []*Trace
	for _, tr := range traces {
		key := tr.Entry.Key
		walked, under := len(calls[key]) > 0, true
		takes, alone := countTakes(tr.Nodes), countAlone(tr.Nodes)
		joined := alone > 0
		for _, c := range calls[key] {
			walked = walked && (len(c.in.Cuts) == 0 || countTakes(c.Kids) >= takes)
			under = under && led(c.Node)
			joined = joined && countAlone(c.Kids) < alone
		}
		tr.Led = !tr.Entry.Exported && walked && under
		tr.Apart = tr.Caller && walked
		if tr.Entry.Exported || !walked || !joined || reachedAlone(key, callers, own, map[string]bool{}) {
			out = append(out, tr)
		}
	}
	return out
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

// everyCaller returns the functions that can call each function, or hand it on.
func (p *Program) everyCaller() map[string][]string {
	out := map[string][]string{}
	for key, by := range p.callers {
		out[key] = append(out[key], by...)
	}
	for at, keys := range p.Dynamic {
		by := at[:strings.LastIndexByte(at, ':')]
		for _, key := range keys {
			out[key] = append(out[key], by)
		}
	}
	return out
}

// reachedAlone reports whether something can come to call a function on a way
// that leads through none of the entries.
func reachedAlone(key string, callers map[string][]string, entries map[string]*Trace, seen map[string]bool) bool {
	if seen[key] {
		return false
	}
	seen[key] = true
	for _, by := range callers[key] {
		if entries[by] == nil && reachedAlone(by, callers, entries, seen) {
			return true
		}
	}
	return len(callers[key]) == 0
}

// countAlone counts the transactions that begin under nodes, and what is
// locked there by single statements on a pool.
func countAlone(nodes []*Node) int {
	sum := 0
	for _, n := range nodes {
		if n.Conn != nil && (n.Kind == OpOpen && n.Conn.How == "tx" || n.Kind == OpAcquire && n.Conn.How == "pool") {
			sum++
		}
		sum += countAlone(n.Kids)
	}
	return sum
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
