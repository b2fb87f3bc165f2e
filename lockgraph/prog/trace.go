package prog

import (
	"slices"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A Trace is what one entry does: the tree of its nodes in execution order,
// and the states in which it can end.
type Trace struct {
	Entry     *Func
	ReachedBy []string // exported functions, routes, commands that lead here, sorted
	Caller    bool     // it runs on its caller's handle (parameter)
	Apart     bool     // it is Caller, and what it does is in the traces of callers too, who may hold more
	Uncalled  bool     // nothing in the program names the entry
	Led       bool     // others call it only under a lock that is one for all runs of the program
	Nodes     []*Node
	Exits     []*Exit
	Cuts      []lockgraph.Unknown
	Hidden    []lockgraph.Unknown // pieces of texts that are not known, and could lock
	Holes     []Pos               // calls whose callee could not be told
	flat      []*Node             // all nodes, as Each visits them, once it was asked
	kinds     []OpKind            // of flat
}

// A Node is an op as it was met in the walk, with its values bound.
type Node struct {
	Kind    OpKind
	Op      *Op
	Fn      *Func     // the function whose body holds the op
	Stack   *Frame    // the calls that led here, innermost first; nil in the entry itself
	Pos     Pos       // of the Go call, for statements and what they do
	Conn    *Conn     // open, sql, acquire, release, end, set
	SQL     string    // sql: the bound text, "" unless known
	Val     *Val      // bound: callee of calls, what a loop walks, value of a set
	Args    []*Val    // bound
	Take    *Take     // acquire, release
	Held    []Held    // acquire, sql, end, external, call, exit: the sets in force before it (an antichain, at most 8)
	When    string    // arms: the condition as written; acquire: the condition the text does not decide
	Kids    []*Node   // call, loop, sql, go, defer bodies; of a branch: one OpNone node per arm
	Open    []*Conn   // open, sql, end: connections opened in the trace that are open in some state before it
	OpenIn  [][]*Conn // the same for each set of Held
	Lost    Held      // sql: what a rollback to a savepoint dropped in some state before it
	Ctx     string    // sql: what can end its context, as Use.Ctx
	CtxVal  *Val      // sql: its context; nil: not known
	Bound   string    // sql: what bounds its waits, as CtxBound
	Loops   []*Node   // the loops that the node lies in, outermost first, within the trace
	Dead    bool      // arms and bodies: nothing falls through to what follows
	Ends    string    // end: commit, rollback …
	Outcome string    // exit: ok, error, panic, unknown
	Left    []*Conn   // exit: opened since the function was entered, open in every state after the defers, and not returned or stored; loop: the same of a turn
	Cut     string
	stmt    string // sql: activation and op that ran it, as Take.stmt
	up      *Node
	ran     *Func // acquire: the function that runs the statement, where Fn only hands it the text
}

// A Held is one set of acquisitions in force at a point, in the order taken.
type Held []*Take

// A Frame is one call in the walk.
type Frame struct {
	Up   *Frame
	Fn   *Func  // the callee
	From *Func  // the caller
	Pos  Pos    // of the call
	Does string // "calls F", "begins a transaction and calls F"
	call *Op    // in From
	recv int    // arguments of Fn that the callee's value brings, before those of the call
}

// Callee returns the short name of the function that the frame calls.
func (f *Frame) Callee() string { return short(f.Fn.Key) }

// Given reports whether the callee is a function that the caller, or the one
// that a closure lies in, was given.
func (f *Frame) Given() bool {
	return f.call != nil && f.call.Val != nil && (f.call.Val.Kind == VParam || f.call.Val.Kind == VFree)
}

// A Conn is one connection, transaction or savepoint of a walk.
type Conn struct {
	N         int    // number in the trace
	How       string // pool, conn, tx, savepoint, param, unknown
	Parent    *Conn  // savepoint → tx, tx → the pinned connection or pool it was begun on
	Val       *Val   // pool, param: the value it is known by
	Opener    *Node  // nil for pools and parameters
	Static    string // what its Go type says: pool, conn, tx, ""
	Kind      string // transaction kind: the helper that opened and handed it on, else ""
	Timeout   string // lock_timeout in force, as written; of the last SET seen
	before    string // what a bound of a single wait replaced
	Loops     []*Node
	Fn        *Func     // the function that opened it
	Ctx       *Val      // whose end rolls it back, nil for none
	stmt      string    // activation and op that opened it
	points    []point   // the savepoints that SQL text has set on it, of a root
	text      bool      // a transaction begun by SQL text is in progress on it
	Kept      bool      // stored in a field, or handed to a call that could not be followed
	keptFrom  int       // the first line at which the function that opened it stores it, 0 when it is kept otherwise
	inElement bool      // stored, itself or what holds it, in an element of a list or map
	wrap      *wrapping // who puts it into what it returns, else nil
	Handed    bool      // to another goroutine
	session   bool      // a handle of a pool that can begin a transaction in place
	begins    bool      // a transaction was begun on it in place
	inPlace   bool      // the transaction was
}

// Outlives reports whether c can be in use after the function that opened it:
// it is kept, or put into what the function returns.
func (c *Conn) Outlives() bool { return c.Kept || c.wrap != nil }

// OfBatch reports the transaction that a batch is by itself.
func (c *Conn) OfBatch() bool {
	return c.Opener != nil && c.Opener.Op != nil && c.Opener.Op.Str == Batch
}

// Root returns the connection whose session c belongs to: savepoints and
// transactions lead to the pinned connection they were begun on, or are
// themselves the session when begun on a pool.
func (c *Conn) Root() *Conn {
	for c.Parent != nil && c.Parent.How != "pool" && c.Parent.How != "unknown" {
		c = c.Parent
	}
	return c
}

// source returns what c was begun on in the end: a pool, where that is known.
func (c *Conn) source() *Conn {
	for c.Parent != nil {
		c = c.Parent
	}
	return c
}

// A Take is one acquisition in a trace: a class, an instance of it, and how.
type Take struct {
	N       int // number in the trace, in order
	Class   *lockgraph.Class
	Mode    string
	Wait    string
	Scope   string // transaction, session, statement
	Timeout string
	Acq     *Acq
	Inst    *Val // bound key (list for two int4) or row predicate (list of eq(sqlcol, value)); nil: not known
	Node    *Node
	Conn    *Conn
	among   []*Val // several rows: columns that are one of a list, eq(sqlcol, list)
	Carried bool   // taken in an earlier turn of a loop
	Again   string // no, same, maybe: an instance of the class is already held on this session
	Cut     string
	stmt    string // activation and op that took it
	sql     string // the text of its statement
}

// HeldBeside returns the sets in force where c is open.
func (n *Node) HeldBeside(c *Conn) []Held {
	if len(n.OpenIn) != len(n.Held) {
		return n.Held
	}
	var out []Held
	for i, h := range n.Held {
		if slices.Contains(n.OpenIn[i], c) {
			out = append(out, h)
		}
	}
	return out
}

// An Exit is one state in which an entry ends.
type Exit struct {
	Pos     Pos
	Outcome string  // ok, error, panic, unknown
	Held    Held    // locks that outlive the entry
	Vals    []*Val  // what the entry returns there
	Open    []*Conn // connections opened in the trace and not ended
}
