package prog

import (
	"sort"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// each calls fn for every node of the tree, in execution order.
func each(nodes []*Node, fn func(*Node)) {
	for _, n := range nodes {
		fn(n)
		each(n.Kids, fn)
	}
}

// Each calls fn for every node of the trace, or for those of some kinds, in
// execution order.
func (t *Trace) Each(fn func(*Node), kinds ...OpKind) {
	if t.flat == nil {
		each(t.Nodes, func(n *Node) { t.flat, t.kinds = append(t.flat, n), append(t.kinds, n.Kind) })
	}
	want := uint64(0)
	for _, k := range kinds {
		want |= 1 << k
	}
	for i, k := range t.kinds {
		if kinds == nil || want>>k&1 != 0 {
			fn(t.flat[i])
		}
	}
}

// Beside returns the nodes of the body that n is in, n among them.
func (t *Trace) Beside(n *Node) []*Node {
	if n.up == nil {
		return t.Nodes
	}
	return n.up.Kids
}

// Handle returns what the manifest calls the connection: pool, conn, tx,
// param or unknown.
func (c *Conn) Handle() string {
	switch c.How {
	case "tx", "savepoint":
		return lockgraph.HandleTx
	case "param":
		if c.Static == "tx" || c.Static == "conn" {
			return c.Static
		}
		return lockgraph.HandleParam
	case "pool", "conn":
		if c.text {
			return lockgraph.HandleTx
		}
		return c.How
	}
	if c.Static == "tx" || c.Static == "conn" {
		return c.Static
	}
	return lockgraph.HandleUnknown
}

// frames lists the calls from the entry to f, outermost first.
func frames(f *Frame) []*Frame {
	var out []*Frame
	for ; f != nil; f = f.Up {
		out = append([]*Frame{f}, out...)
	}
	return out
}

// Since returns the call that leads to n in the function that a and n share,
// nil when n stands in that function itself. A function that runs what it is
// given is passed over for what it runs, and so are those of other modules.
func (v *View) Since(a, n *Node) *Frame {
	on := map[*Frame]bool{nil: true}
	for f := a.Stack; f != nil; f = f.Up {
		on[f] = true
	}
	var since *Frame
	in := n.Fn // where since leads, or n stands
	for f := n.Stack; !on[f]; f = f.Up {
		given := f.call != nil && f.call.Val != nil && (f.call.Val.Kind == VParam || f.call.Val.Kind == VFree)
		if !given && !v.Program.Foreign[packageOf(f.From.Key)] && !strings.HasPrefix(in.Key, f.From.Key+"$") {
			since, in = f, f.From
		}
	}
	return since
}

// Witness returns the frames that prove a take: where its transaction
// begins, the calls that lead to it, the acquisition.
func (t *Take) Witness() []lockgraph.Frame {
	does := "acquires " + t.Class.Display() + " " + t.Mode
	if t.Acq.Relkind == lockgraph.WaitGroup {
		does = "waits for " + t.Class.Display()
		if t.Mode == lockgraph.Shared {
			does = "is not done for " + t.Class.Display() + " yet"
		}
	}
	if fs := t.Acq.SQLFunc; len(fs) > 0 {
		does += " in " + strings.Join(fs, " in ")
	}
	return t.Node.witness(t.Conn, does)
}

// Witness returns the frames that lead to the node, which does what does
// says.
func (n *Node) Witness(does string) []lockgraph.Frame { return n.witness(n.Conn, does) }

func (n *Node) witness(c *Conn, does string) []lockgraph.Frame {
	var out []lockgraph.Frame
	seen := map[*Frame]bool{}
	calls := func(f *Frame) {
		for _, c := range frames(f) {
			if seen[c] {
				continue
			}
			seen[c] = true
			if n := len(out); n > 0 && out[n-1].Func == c.From.Key && out[n-1].File == c.Pos.File && out[n-1].Line == c.Pos.Line && strings.HasPrefix(out[n-1].Does, "begins ") {
				out[n-1].Does += " and " + c.Does
				continue
			}
			out = append(out, lockgraph.Frame{Func: c.From.Key, File: c.Pos.File, Line: c.Pos.Line, Does: c.Does})
		}
	}
	var openers []*Conn
	for ; c != nil && c.Opener != nil; c = c.Parent {
		openers = append([]*Conn{c}, openers...)
	}
	for _, c := range openers {
		if c.Opener == n {
			break
		}
		calls(c.Opener.Stack)
		out = append(out, lockgraph.Frame{Func: c.Opener.Fn.Key, File: c.Opener.Pos.File, Line: c.Opener.Pos.Line, Does: begins(c.How)})
	}
	calls(n.Stack)
	return append(out, lockgraph.Frame{Func: n.Fn.Key, File: n.Pos.File, Line: n.Pos.Line, Does: does})
}

func begins(how string) string {
	switch how {
	case "conn":
		return "pins a connection"
	case "savepoint":
		return "begins a savepoint"
	}
	return "begins a transaction"
}

// acquisitions returns the places of the traces where classes are taken, one
// per place, class, mode, scope and handle. A place seen both on a known and
// on a caller's handle is listed under the known one.
func acquisitions(traces []*Trace, show func(*Take) bool) []lockgraph.Acquisition {
	type place struct {
		a      lockgraph.Acquisition
		timeot map[string]bool
	}
	at := map[string]*place{}
	var keys []string
	for _, tr := range traces {
		tr.Each(func(n *Node) {
			t := n.Take
			if n.Kind != OpAcquire || t == nil || !show(t) {
				return
			}
			a := acquisition(n, t)
			key := strings.Join([]string{a.File, strconv.Itoa(1000000 + a.Line), a.Func, a.Class, a.Mode, a.Wait, a.Scope, a.Handle, strings.Join(a.SQLFunc, ">"), strconv.FormatBool(a.Implicit)}, "\x00")
			if !a.Implicit && len(a.SQLFunc) == 0 { // one call that runs one of several statements takes each one's locks
				key += "\x00" + a.SQL
			}
			p := at[key]
			if p == nil {
				p = &place{a: a, timeot: map[string]bool{}}
				at[key] = p
				keys = append(keys, key)
			}
			p.timeot[a.Timeout] = true
			p.a.Many = p.a.Many || a.Many
			if p.a.Cut == "" {
				p.a.Cut = a.Cut
			}
		}, OpAcquire)
	}
	sort.Strings(keys)
	known := map[string]bool{}
	for _, k := range keys {
		a := &at[k].a
		if a.Handle != lockgraph.HandleParam && a.Handle != lockgraph.HandleUnknown {
			known[placeOf(a)] = true
		}
	}
	var out []lockgraph.Acquisition
	number := map[string]int{}
	for _, k := range keys {
		p := at[k]
		if (p.a.Handle == lockgraph.HandleParam || p.a.Handle == lockgraph.HandleUnknown) && known[placeOf(&p.a)] {
			continue
		}
		if len(p.timeot) > 1 {
			p.a.Timeout = ""
		}
		id := p.a.File + ":" + strconv.Itoa(p.a.Line)
		number[id]++
		p.a.ID = id + ":" + strconv.Itoa(number[id])
		out = append(out, p.a)
	}
	return out
}

func placeOf(a *lockgraph.Acquisition) string {
	return strings.Join([]string{a.File, strconv.Itoa(a.Line), a.Func, a.Class, a.Mode, strings.Join(a.SQLFunc, ">")}, "\x00")
}

func acquisition(n *Node, t *Take) lockgraph.Acquisition {
	fs := t.Acq.SQLFunc
	if fs == nil {
		fs = []string{}
	}
	a := lockgraph.Acquisition{Class: t.Class.ID, Mode: t.Mode, Scope: t.Scope, Wait: t.Wait, Timeout: t.Timeout, Implicit: t.Acq.Implicit,
		Many: t.Acq.Many, Order: t.Acq.Order, File: n.Pos.File, Line: n.Pos.Line, Func: n.Fn.Key, SQLFunc: fs, SQLFile: t.Acq.SQLFile,
		Handle: t.Conn.Handle(), Rule: t.Acq.Rule, Cut: t.Cut}
	if s := statementOf(n); s != nil {
		a.Query, a.SQL = s.Op.Query, clip(strings.TrimSpace(s.SQL), 600)
	}
	return a
}

// Up returns the node that n lies in, nil at the top of a trace.
func (n *Node) Up() *Node { return n.up }

// Statement returns the statement that n is or is an effect of, nil when it
// is neither.
func (n *Node) Statement() *Node { return statementOf(n) }

// InText reports whether a transaction begun by SQL text is in progress on
// the connection where the walk has come to.
func (c *Conn) InText() bool { return c.text }

// LoopOrder returns the order in which a loop goes: "", "sorted" or
// "by COLUMN, …".
func (p *Program) LoopOrder(n *Node) string { return p.loopOrder(n) }

// ValueOrder returns the order of the elements of v, as LoopOrder.
func (p *Program) ValueOrder(v *Val) string { return p.valueOrder(v, 0) }

// SameInstance reports whether two takes surely lock one thing.
func SameInstance(a, b *Take) bool { return sameInstance(a, b) }

// Answers reports whether v is, or is made of, what the take's statement
// returned.
func (t *Take) Answers(v *Val) bool {
	if v == nil {
		return false
	}
	if (v.Kind == VScan || v.Kind == VResult) && strings.HasPrefix(v.Str, t.stmt+".") && !strings.HasSuffix(v.Str, ".err") {
		return true
	}
	for _, o := range v.Of {
		if t.Answers(o) {
			return true
		}
	}
	return false
}

// Stable reports whether equal text of v means equal values.
func Stable(v *Val) bool { return stable(v) }

// Bare returns v without what only tells its type.
func Bare(v *Val) *Val { return bare(v) }

// NameOf returns what the code calls v, a parameter of an entry or a field; ""
// for other values.
func (p *Program) NameOf(v *Val) string {
	switch v.Kind {
	case VField:
		return v.Str[strings.LastIndexByte(v.Str, '.')+1:]
	case VParam:
		of, i, _ := strings.Cut(v.Str, "#")
		if f, n := p.Funcs[of], atoi(i); f != nil && n >= 0 && n < len(f.Names) {
			return f.Names[n]
		}
	}
	return ""
}

// statementOf returns the statement that an effect belongs to.
func statementOf(n *Node) *Node {
	for n != nil && n.Kind != OpSQL {
		n = n.up
	}
	return n
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
