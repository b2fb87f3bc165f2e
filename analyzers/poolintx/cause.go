package poolintx

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/internal/pass"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// causes gathers what runs beside one open connection: whoever holds it and
// works elsewhere is one cause, however many statements that reaches.
type causes struct {
	*pass.Collector
	program *prog.Program
	at      map[string]*cause
}

// A cause is one function that works on the pool while a connection is open.
type cause struct {
	places map[string]bool
	tr     *prog.Trace
	n      *prog.Node
	f      pass.Fault
}

// add gathers the fault of n, which runs while o is open for the work of the
// function holds.
func (c *causes) add(tr *prog.Trace, n *prog.Node, o *prog.Conn, holds string, f pass.Fault) {
	f.Names = append(f.Names, lockgraph.Short(holds))
	if holds == o.Opener.Fn.Key {
		holds = worker(f.Related, o)
	}
	key := strings.Join([]string{f.Kind, o.Opener.Pos.File, strconv.Itoa(o.Opener.Pos.Line), holds}, "\x00")
	k := c.at[key]
	if k == nil {
		k = &cause{places: map[string]bool{}}
		c.at[key] = k
	}
	k.places[n.Pos.File+":"+strconv.Itoa(n.Pos.Line)] = true
	if k.n == nil || surer(f, n, k) {
		k.tr, k.n, k.f = tr, n, f
	}
}

// user names the function for whose work o is open: the one that opens it, or
// the function which that was given to run meanwhile.
func user(n *prog.Node, o *prog.Conn) string {
	var calls []*prog.Frame // outermost last
	for f := n.Stack; f != nil; f = f.Up {
		calls = append(calls, f)
	}
	who := o.Opener.Fn.Key
	for _, f := range slices.Backward(calls) {
		if f.Given() && (f.From.Key == who || strings.HasPrefix(f.From.Key, who+"$")) {
			who = f.Fn.Key
		}
	}
	return who
}

// worker names the function that works elsewhere: the one of the frame after
// the connection is opened.
func worker(frames []lockgraph.Frame, o *prog.Conn) string {
	for i, f := range frames {
		if f.Func == o.Opener.Fn.Key && f.File == o.Opener.Pos.File && f.Line == o.Opener.Pos.Line && i+1 < len(frames) {
			return frames[i+1].Func
		}
	}
	return frames[len(frames)-1].Func
}

// surer prefers the surer fault, the shorter way, and the place that comes
// first.
func surer(f pass.Fault, n *prog.Node, k *cause) bool {
	if a, b := f.Severity == lockgraph.SeverityWarning, k.f.Severity == lockgraph.SeverityWarning; a != b {
		return b
	}
	if a, b := len(f.Related), len(k.f.Related); a != b {
		return a < b
	}
	if n.Pos.File != k.n.Pos.File {
		return n.Pos.File < k.n.Pos.File
	}
	return n.Pos.Line < k.n.Pos.Line
}

// findings returns one finding for each cause.
func (c *causes) findings() []lockgraph.Finding {
	keys := make([]string, 0, len(c.at))
	for k := range c.at {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range joined(keys, c.at) {
		if more := len(k.places) - 1; more > 0 {
			p := strings.LastIndex(k.f.Message, " (")
			k.f.Message = fmt.Sprintf("%s, here and at %s%s", k.f.Message[:p], places(more), k.f.Message[p:])
		}
		c.Add(k.tr, k.n, k.f)
	}
	return c.Findings()
}

// joined makes one of the causes that begin at one statement.
func joined(keys []string, at map[string]*cause) []*cause {
	var out []*cause
	seen := map[string]*cause{}
	for _, key := range keys {
		k := at[key]
		id := strings.Join([]string{k.f.Kind, k.f.Names[len(k.f.Names)-1], k.n.Pos.File, strconv.Itoa(k.n.Pos.Line)}, "\x00")
		if old := seen[id]; old != nil {
			for p := range k.places {
				old.places[p] = true
			}
			if surer(k.f, k.n, old) {
				old.tr, old.n, old.f = k.tr, k.n, k.f
			}
			continue
		}
		seen[id] = k
		out = append(out, k)
	}
	return out
}

func places(n int) string {
	if n == 1 {
		return "1 more place"
	}
	return fmt.Sprintf("%d more places", n)
}

// oneAtATime reports whether only one call chain of the process can stand
// there: it holds a Go mutex since before it asked for its connection, it
// leads by the session lock of that connection, or it is the main function,
// outside of goroutines and loops.
func oneAtATime(tr *prog.Trace, o *prog.Conn, n *prog.Node) bool {
	if tr.Entry.Main && !inGoroutine(n) || leads(o, n) {
		return true
	}
	sets := n.HeldBeside(o)
	for _, held := range sets {
		found := false
		for _, h := range held {
			found = found || h.Class.Family == lockgraph.Mutex && h.Mode == lockgraph.Exclusive && before(h, o.Opener)
		}
		if !found {
			return false
		}
	}
	return len(sets) > 0
}

// leads reports whether the connection holds a session lock that one session
// has at a time, and that nobody waits for on a connection of the pool: others
// try it and give their connection back.
func leads(o *prog.Conn, n *prog.Node) bool {
	for up := n; up != nil; up = up.Up() {
		if up.Kind == prog.OpGo {
			n = up // what a goroutine is started under
		}
	}
	sets := n.HeldBeside(o)
	for _, held := range sets {
		if !slices.ContainsFunc(held, func(h *prog.Take) bool {
			return h.Conn == o && h.Class.Family == lockgraph.Advisory && h.Scope == lockgraph.Session && h.Mode == lockgraph.Exclusive && !pass.Blocks(h) &&
				(h.Class.Key != nil && h.Class.Key.Constant != "" || prog.OfProgram(h))
		}) {
			return false
		}
	}
	return len(sets) > 0
}

// before reports whether every state at n holds h.
func before(h *prog.Take, n *prog.Node) bool {
	for _, held := range n.Held {
		found := false
		for _, x := range held {
			found = found || x == h
		}
		if !found {
			return false
		}
	}
	return len(n.Held) > 0
}

func inGoroutine(n *prog.Node) bool {
	for ; n != nil; n = n.Up() {
		if n.Kind == prog.OpGo {
			return true
		}
	}
	return false
}
