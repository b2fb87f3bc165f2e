package locks

import (
	"fmt"
	"strings"
)

// An Order is a declared partial order of families: a lock may be wanted
// while all that is held comes before it. It is the text that pglockdep
// checks statically:
//
//	a < b < c;          # a comes before b, b before c; the comment is the reason
//	a, b < c, d;        # each of a, b before each of c, d
//	LAYER < a, b;       # a name in capitals is no lock, it only groups
//	a < a;              # several instances of a in any order; needs a reason
//	b !< a;             # asserted: nothing above implies b before a
//
// A name stands for a family under its own name, or with its kind in front:
// advisory lifecycle, row core.pools. Quotes are dropped.
type Order struct {
	names  []string // as first mentioned
	index  map[string]int
	pairs  []orderPair
	less   [][]bool // transitive
	nests  map[string]string
	denied map[[2]string]string
}

type orderPair struct {
	A, B, Reason string
	Line         int
}

// MustOrder is ParseOrder for package variables; it panics on a fault.
func MustOrder(text string) *Order {
	o, err := ParseOrder(text)
	if err != nil {
		panic(fmt.Sprintf("locks: order: %v", err))
	}
	return o
}

// Less reports whether a is declared to come before b.
func (o *Order) Less(a, b string) bool {
	i, ok := o.index[a]
	j, also := o.index[b]
	return ok && also && o.less[i][j]
}

// Nests returns the reason why several instances of a name may be held in
// any order.
func (o *Order) Nests(name string) (reason string, ok bool) {
	reason, ok = o.nests[name]
	return reason, ok
}

// Chain returns the shortest chain of declared pairs from a to b, both
// included; nil when a does not come before b.
func (o *Order) Chain(a, b string) []string {
	if !o.Less(a, b) {
		return nil
	}
	came := map[string]string{a: a}
	for queue := []string{a}; len(queue) > 0 && came[b] == ""; queue = queue[1:] {
		for _, p := range o.pairs {
			if p.A == queue[0] && came[p.B] == "" {
				came[p.B] = p.A
				queue = append(queue, p.B)
			}
		}
	}
	out := []string{b}
	for out[0] != a {
		out = append([]string{came[out[0]]}, out...)
	}
	return out
}

// Unknown returns the names of the order, capitals aside, that no family of
// the registry bears: a misspelt name orders nothing.
func (o *Order) Unknown(r *Registry) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := map[string]bool{}
	for _, f := range r.list {
		for _, n := range f.names() {
			known[n] = true
		}
	}
	var out []string
	for _, n := range o.names {
		if !known[n] && strings.ToUpper(n) != n {
			out = append(out, n)
		}
	}
	return out
}

// place returns the name under which the order places a family, "" for none.
func (o *Order) placed(f *family) string {
	if o == nil || f == nil {
		return ""
	}
	for _, n := range f.names() {
		if _, ok := o.index[n]; ok {
			return n
		}
	}
	return ""
}

// names are those that an order may call the family by.
func (f *family) names() []string {
	return []string{f.class, f.class + ":", f.name, f.name + ":"}
}

// An OrderMode is what a Locker does about order.
type OrderMode uint8

// The order modes. What the declared order forbids is reported or refused; a
// cycle that only the observed order closes is reported in every mode but
// OrderOff, and a panic in OrderPanic alone.
const (
	OrderOff     OrderMode = iota // nothing is tracked
	OrderObserve                  // report through Observer and Logger, then go on
	OrderEnforce                  // refuse with an *OrderError before the statement is sent
	OrderPanic                    // panic with the *OrderError; for tests
)

// An OrderHop is one step of a cycle: Wanted was wanted while Held was held.
type OrderHop struct {
	Held, Wanted         Key
	HeldMode, WantedMode Mode
	HeldStack, Stack     string // where each was asked for
}

// An OrderError says that a lock is wanted against the order, before anybody
// waits for it.
type OrderError struct {
	Rule string     // what forbids it: a chain of the declared order, or why the hops close a cycle
	Hops []OrderHop // the present one first; the others were seen earlier
}

func (e *OrderError) Error() string {
	h := e.Hops[0]
	return fmt.Sprintf("%s (%s) wanted while %s (%s) is held; %s", h.Wanted, h.WantedMode, h.Held, h.HeldMode, e.Rule)
}

// Is makes errors.Is(err, ErrOrder) true.
func (e *OrderError) Is(target error) bool { return target == ErrOrder }

// Stacks returns the stacks of every hop as text, for a log or a panic.
func (e *OrderError) Stacks() string {
	var b strings.Builder
	for _, h := range e.Hops {
		fmt.Fprintf(&b, "%s was asked for at\n%s\nand, while it was held, %s at\n%s\n", h.Held, h.HeldStack, h.Wanted, h.Stack)
	}
	return b.String()
}
