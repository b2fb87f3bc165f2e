package prog

import (
	"slices"
	"strconv"
	"strings"
)

// Waits is the How of an OpExternal that waits for time or for another
// goroutine; of any other one it is "".
const Waits = "waits"

// CtxDone is the How of an OpCheck after which a context has ended.
const CtxDone = "ctx done"

// NeverRun is the How of an OpCheck that says that a statement asks for locks
// in a CTE, Str, which nothing reads and the server does not run.
const NeverRun = "never run"

// Pings is the How of an OpCheck that asks whether a session is alive, and
// Work that of one that calls what the caller gave.
const (
	Pings = "ping"
	Work  = "work"
)

// Batch is the Str of the ops that open and end the transaction a batch runs
// in, where none is open.
const Batch = "batch"

// MaxConns is the How of an OpCheck that bounds the connections of a pool: Conn,
// by Val.
const MaxConns = "max conns"

// DSN is the How of an OpCheck that says by what Conn is opened: Val, a
// connection string or what is made of one.
const DSN = "dsn"

// A way is how a function leaves the process, or waits, in its own thread:
// by an op of its own, or by a call.
type way struct {
	ext  *Op    // the op that leaves, of the last function
	call *Op    // nil at the op itself
	next string // the callee
	n    int    // calls on the way
}

// leaving returns, for each function that leaves the process by itself or
// by what it surely calls in the same thread, its shortest way.
func (p *Program) leaving() map[string]*way {
	if p.ways != nil {
		return p.ways
	}
	p.ways = map[string]*way{}
	up := map[string][]callSite{}
	var work []string
	for _, k := range p.keys {
		stays(p.Funcs[k].Body, func(o *Op) {
			switch o.Kind {
			case OpExternal:
				if p.ways[k] == nil {
					p.ways[k] = &way{ext: o}
					work = append(work, k)
				}
			case OpCall:
				for _, c := range p.surely(k, o) {
					up[c] = append(up[c], callSite{k, o})
				}
			}
		})
	}
	for len(work) > 0 { // breadth first: the first way found is a shortest one
		k := work[0]
		work = work[1:]
		for _, s := range up[k] {
			if p.ways[s.from] == nil {
				p.ways[s.from] = &way{ext: p.ways[k].ext, call: s.op, next: k, n: p.ways[k].n + 1}
				work = append(work, s.from)
			}
		}
	}
	return p.ways
}

type callSite struct {
	from string
	op   *Op
}

// stays visits the ops that run in the function's own thread.
func stays(ops []Op, fn func(*Op)) {
	for i := range ops {
		o := &ops[i]
		if o.Kind == OpGo {
			continue
		}
		fn(o)
		stays(o.Body, fn)
		for j := range o.Arms {
			stays(o.Arms[j].Body, fn)
		}
	}
}

// surely returns the functions that a call runs: the callee it names, the
// one that the call graph proves, and the closures that it hands to a callee
// that calls what it is given.
func (p *Program) surely(key string, o *Op) []string {
	if o.Val == nil {
		return nil
	}
	switch o.Val.Kind {
	case VFunc, VClosure:
		out := []string{o.Val.Str}
		if p.takes[o.Val.Str] {
			for _, a := range o.Args {
				if a != nil && (a.Kind == VClosure || a.Kind == VFunc) {
					out = append(out, a.Str)
				}
			}
		}
		return out
	}
	return p.Dynamic[key+":"+strconv.Itoa(o.ID)]
}

// away adds a node for what callees that are not walked into do outside the
// process while locks are held.
func (w *walker) away(cs []callee, o *Op, e *env, args []*Val, sts []*state, parent *Node) {
	if len(cs) == 0 || !slices.ContainsFunc(sts, func(s *state) bool { return len(s.held) > 0 }) {
		return
	}
	ways := w.p.leaving()
	var keys []string
	for _, c := range cs {
		keys = append(keys, c.key)
		if w.p.takes[c.key] {
			for _, a := range args {
				if a != nil && (a.Kind == VClosure || a.Kind == VFunc) {
					keys = append(keys, a.Str)
				}
			}
		}
	}
	best := ""
	for _, k := range keys {
		if x := ways[k]; x != nil && (best == "" || x.n < ways[best].n) {
			best = k
		}
	}
	if best == "" {
		return
	}
	frame, from, call := w.frame, e.fn, o
	for k := best; k != ""; {
		f := w.p.Funcs[k]
		frame = &Frame{Up: frame, Fn: f, From: from, Pos: call.Pos, Does: "calls " + short(k), call: call}
		from, call, k = f, ways[k].call, ways[k].next
	}
	n := w.node(ways[best].ext, e, sts, parent)
	n.Fn, n.Stack, n.Val = from, frame, ways[best].ext.Val
}

// calls notes that a function given by the caller runs while session locks
// are held: how long it takes is not in sight.
func (w *walker) calls(o *Op, e *env, sts []*state, parent *Node) {
	if o.Val == nil || o.Val.Kind != VParam && o.Val.Kind != VFree {
		return
	}
	for _, s := range sts {
		for _, t := range s.held {
			if t.Scope == "session" && t.Acq.Family == "advisory" {
				w.node(&Op{Kind: OpCheck, ID: o.ID, Pos: o.Pos, How: Work, Args: o.Args}, e, sts, parent)
				return
			}
		}
	}
}

// pinged reports whether some function asks whether the session that lives
// in a field is alive.
func (p *Program) pinged(field string) bool {
	if p.pings == nil {
		p.pings = map[string]bool{}
		for _, k := range p.keys {
			visit(p.Funcs[k].Body, func(o *Op) {
				if o.Kind == OpCheck && o.How == Pings {
					if v := Bare(o.Conn); v != nil && v.Kind == VField {
						p.pings[v.Str] = true
					}
				}
			})
		}
	}
	return p.pings[field]
}

// Watched reports whether the program looks, elsewhere than in one trace,
// whether the session of c is alive, or lets another function see c that
// may.
func (p *Program) Watched(c *Conn) bool {
	for ; c != nil; c = c.Parent {
		if c.Outlives() || c.Handed || c.Opener != nil && c.Opener.Op != nil && watches(c.Opener.Op.Conn) {
			return true
		}
		if v := Bare(c.Val); v != nil && v.Kind == VField && p.pinged(v.Str) {
			return true
		}
		if c.How == "pool" {
			break
		}
	}
	return false
}

// WatchedSessions is where the connections come from that runtime/locks
// watches itself while it calls the caller's function.
const WatchedSessions = "the connections of session locks"

func watches(from *Val) bool { return from != nil && from.Kind == VHole && from.Str == WatchedSessions }

// CtxBound says what bounds a wait under a context: "own" a deadline that
// the program sets on the way, "caller" nothing but what the caller gave,
// "none" nothing, "" where that is not known.
func CtxBound(v *Val) string {
	for i := 0; v != nil && i < 16; i++ {
		switch v.Kind {
		case VApply:
			switch {
			case v.Str == "context.Background" || v.Str == "context.TODO":
				return "none"
			case v.Str == "ctx:timeout" || v.Str == "context.WithTimeout" || v.Str == "context.WithDeadline":
				return "own"
			case v.Str == "ctx:detach" || v.Str == "context.WithoutCancel":
				return "none"
			case strings.HasPrefix(v.Str, "ctx:") || v.Str == "context.WithCancel":
				if len(v.Of) == 0 {
					return ""
				}
				v = v.Of[0]
				continue
			}
			return ""
		case VCtxWith:
			v = v.Of[0]
		case VParam, VFree, VField:
			return "caller"
		default:
			return ""
		}
	}
	return ""
}
